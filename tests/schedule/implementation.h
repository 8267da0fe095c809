// The library's own pieces, in the shape in which cases and the reference are compared with them.
#ifndef TORQSCHED_TESTS_SCHEDULE_IMPLEMENTATION_H_
#define TORQSCHED_TESTS_SCHEDULE_IMPLEMENTATION_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "src/graph/problem.h"
#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"
#include "tests/reference/case_io.h"

namespace torqsched {

// A stream that is scheduled piece by piece. Everything it is made from must outlive it.
class LibraryUnderTest {
 public:
  LibraryUnderTest(const Stream& stream, const Hardware& hardware, const ScheduleOptions& options);

  const absl::Status& status() const { return status_; }
  uint64_t Simulate(const std::vector<OpIndex>& order,
                    const IndexVector<OpIndex, uint8_t>& slices) const;
  Schedule List(uint64_t cap) const;
  Placement Sequential(const std::vector<OpIndex>& order,
                       const IndexVector<OpIndex, uint8_t>& slices, bool swaps_allowed) const;
  ScheduleAnswer Choose() const;

  reference::Implementation Pieces() const;

 private:
  const Stream& stream_;
  const Hardware& hardware_;
  const ScheduleOptions& options_;
  absl::Status status_;
  std::unique_ptr<const ScheduleProblem> problem_;
};

// What the checker finds wrong with an answer, a line each; empty: nothing.
std::string Violations(const Stream& stream, const Hardware& hardware,
                       const ScheduleAnswer& answer);
std::string Violations(const Stream& stream, const Hardware& hardware, const Schedule& schedule,
                       const Placement* placement);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_SCHEDULE_IMPLEMENTATION_H_
