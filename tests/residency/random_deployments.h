// Random small deployments, full of trouble; the same seed gives the same one everywhere.
#ifndef TORQSCHED_TESTS_RESIDENCY_RANDOM_DEPLOYMENTS_H_
#define TORQSCHED_TESTS_RESIDENCY_RANDOM_DEPLOYMENTS_H_

#include <cstdint>
#include <deque>
#include <string>

#include "src/residency/deployment.h"

namespace torqsched {

struct RandomDeployment {
  std::deque<std::string> names;  // owns what the deployment's views point to, also after a move
  Deployment deployment;
};

struct DeploymentShape {
  uint32_t most_programs = 4;
  uint32_t most_tensors = 14;  // a program
  bool huge = true;            // some have sizes near 2^64, so that sums do not fit
  bool mistakes = true;        // some are invalid
  bool tiles = true;           // some have tile accesses
};

RandomDeployment MakeRandomDeployment(const DeploymentShape& shape, uint64_t seed);

// A deployment as large as asked for, valid: 4 programs, about 2.2 accesses a tensor, SRAM that
// of so many bytes for each tensor of a program (600: most of its live activations fit; 9000: and
// some carried states).
RandomDeployment MakeLargeDeployment(uint32_t tensors, uint64_t sram_per_tensor, uint64_t seed);

// Everything of it, in words, for a failure's report.
std::string Describe(const Deployment& deployment);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_RESIDENCY_RANDOM_DEPLOYMENTS_H_
