// The rules of docs/tiling.md as literally and slowly as they are written: candidates are tried one
// after the other, and tiles are walked one by one. Only for small numbers.
#ifndef TORQSCHED_TESTS_TILING_TILING_REFERENCE_H_
#define TORQSCHED_TESTS_TILING_TILING_REFERENCE_H_

#include <cstdint>
#include <optional>

#include "src/tiling/tiling.h"

namespace torqsched {

uint64_t ReferenceWholeRowBytes(const Contraction& contraction, const TilingHardware& hardware);

ContractionTile ReferenceCut(const Contraction& contraction, const TilingHardware& hardware,
                             uint64_t budget);

std::optional<ContractionTile> ReferenceNextDoubleBuffering(const Contraction& contraction,
                                                            const TilingHardware& hardware,
                                                            const ContractionTile& tile);

// Of a request without errors.
TilePlan ReferencePlan(const TilingRequest& request);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_TILING_TILING_REFERENCE_H_
