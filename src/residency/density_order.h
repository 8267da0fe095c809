// Classes by density: moved bytes a byte, exactly.
#ifndef TORQSCHED_SRC_RESIDENCY_DENSITY_ORDER_H_
#define TORQSCHED_SRC_RESIDENCY_DENSITY_ORDER_H_

#include <cstdint>
#include <vector>

#include "src/residency/deployment.h"
#include "src/residency/plan.h"

namespace torqsched {

// The positions of classes, in the order in which they choose their tier: those of zero bytes, by
// program name and tensor name; then by density descending, smaller total, program name, tensor
// name. which: the positions to order. Cost: O(n log n).
std::vector<uint32_t> OrderByDensity(const Deployment& deployment,
                                     const std::vector<ResidencyClass>& classes,
                                     const std::vector<uint32_t>& which);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_DENSITY_ORDER_H_
