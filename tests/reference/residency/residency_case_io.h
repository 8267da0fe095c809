// The cases of testdata/cases/residency.jsonl: small deployments with what the plan must say.
#ifndef TORQSCHED_TESTS_REFERENCE_RESIDENCY_RESIDENCY_CASE_IO_H_
#define TORQSCHED_TESTS_REFERENCE_RESIDENCY_RESIDENCY_CASE_IO_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/residency/deployment.h"
#include "src/residency/plan.h"

namespace torqsched::reference {

struct ResidencyCase {
  std::string name;
  std::string comment;
  std::deque<std::string> names;  // owns the names that the deployment's views point to
  Deployment deployment;
  // What is expected, in words, a line each and sorted: "tier p.x SRAM", "reserve 0 1000",
  // "footprint p 0 1000", "placed p.x chip 0 total 5 HBM", "off_chip ...". The lists placed and
  // off_chip are in order: a line there begins with its position.
  std::vector<std::string> expected;
};

// One line of the file. INVALID_ARGUMENT where it is not such a case.
absl::StatusOr<ResidencyCase> ParseResidencyCase(absl::string_view json);

// All of the file, or an error that names the line. (A vector would copy cases, and with them
// names.)
absl::StatusOr<std::deque<ResidencyCase>> LoadResidencyCases(const std::string& path);

// A plan in the same words.
std::vector<std::string> WordsOf(const Deployment& deployment, const ResidencyPlan& plan);

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_RESIDENCY_RESIDENCY_CASE_IO_H_
