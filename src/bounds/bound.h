// Lower bounds of a stream's makespan as plain data, and what kinds there are.
#ifndef TORQSCHED_SRC_BOUNDS_BOUND_H_
#define TORQSCHED_SRC_BOUNDS_BOUND_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace torqsched {

// What would be at work without a pause in an order that met a bound.
enum class Resource : uint8_t {
  kStream,  // transfers, starts and barriers, one after the other
  kSlices,  // the programs, spread over all slices
  kNeither,
};

// Why no order of the ops can be shorter.
enum class BoundKind : uint8_t {
  kStream,    // transfers, starts and barriers one after the other, with heads and tails; where
              // transfers do not block, also what the engines of a class take
  kSlices,    // compute over the slices, with heads and tails
  kPath,      // the longest path of dependences
  kJackson,   // the preemptive one-machine bound on the stream, with recursive heads and tails
  kCover,     // what may be at work at once: dependences, slices and LRAM decide
  kReloads,   // what LRAM cannot carry over a cut, so that it is loaded, or stored, beyond it
  kBarriers,  // the sum of bounds between barriers
  kExact,     // an exhaustive search found nothing shorter
};
constexpr int kBoundKinds = 8;

constexpr Resource ResourceOf(BoundKind kind) {
  return kind == BoundKind::kStream || kind == BoundKind::kJackson || kind == BoundKind::kReloads
             ? Resource::kStream
         : kind == BoundKind::kSlices ? Resource::kSlices
                                      : Resource::kNeither;
}

struct Bound {
  BoundKind kind = BoundKind::kStream;
  uint64_t cycles = 0;
};

// The largest of the bounds.
struct LowerBound {
  uint64_t cycles = 0;
  Resource resource = Resource::kStream;  // ResourceOf(kind)
  BoundKind kind = BoundKind::kStream;
};

// The largest, of equals the first. There must be one.
inline LowerBound LargestOf(const std::vector<Bound>& bounds) {
  const Bound& largest =
      *std::max_element(bounds.begin(), bounds.end(),
                        [](const Bound& a, const Bound& b) { return a.cycles < b.cycles; });
  return {largest.cycles, ResourceOf(largest.kind), largest.kind};
}

}  // namespace torqsched

#endif  // TORQSCHED_SRC_BOUNDS_BOUND_H_
