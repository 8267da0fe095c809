// What a network is to residency planning, as a plain type.
#ifndef TORQSCHED_SRC_NETWORK_DEPLOYED_NETWORK_H_
#define TORQSCHED_SRC_NETWORK_DEPLOYED_NETWORK_H_

#include <deque>
#include <string>

#include "src/residency/deployment.h"

namespace torqsched {

// To be moved, not copied: a copy's views are of the original's names.
struct NetworkDeployment {
  std::deque<std::string> names;  // owns the names that the program's views point to
  DeployedProgram program;        // one instance, on chip 0, every state carried, no buffers
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_NETWORK_DEPLOYED_NETWORK_H_
