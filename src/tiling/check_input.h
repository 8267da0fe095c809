// Whether a contraction, the hardware and a request can be computed with: all else relies on it.
#ifndef TORQSCHED_SRC_TILING_CHECK_INPUT_H_
#define TORQSCHED_SRC_TILING_CHECK_INPUT_H_

#include <cstddef>

#include "absl/status/status.h"
#include "src/tiling/tiling.h"

namespace torqsched {

// INVALID_ARGUMENT with the field ("hardware.granule") where LRAM, the granule or a divisor of
// cycles (dma_bytes, macs per cycle) is 0.
absl::Status CheckTilingHardware(const TilingHardware& hardware);

// INVALID_ARGUMENT with the field ("shape.k") where a dimension is 0 or an element has a width that
// no operand has; with the field "shape" where batch * m, or the bytes of a whole operand, do not
// fit 64 bits. Once it is OK, the bytes of an operand of any tile fit 64 bits.
absl::Status CheckContraction(const Contraction& contraction);

// The same for all of a request but its loops' shapes: hardware, percents ("loop_percent"), and
// what loops say that only contractions have ("loops[3].whole_row_bytes"). Cost: linear.
absl::Status CheckTilingRequest(const TilingRequest& request);

// A status about loops[i], whose field gets that prefix and whose message gets the loop's name:
// "loop 3 'head': k 0; expected at least 1".
absl::Status AtLoop(const TilingRequest& request, size_t i, const absl::Status& status);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_TILING_CHECK_INPUT_H_
