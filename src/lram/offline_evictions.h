// Which gaps to evict over, so that what is in LRAM fits at every position, for few bytes moved.
//
// That is a covering problem: each position has an excess, each gap covers it with its buffer's
// size over a run of positions, at the cost of the bytes that it moves. It is answered the way of
// Belady's rule, with costs: a sweep over the positions evicts, where there is too much,
// the gap with the least
//
//     cost * max(size, excess) / reach
//
// (cost: 0, 1 or 2 transfers of the buffer; what is larger than the excess pays for all of its
// size; reach: how much further the gap goes, in positions that are too full). Then evictions that
// turned out to be needless are taken back, dearest first. Several such sweeps, forwards and
// backwards and by other notions of reach, give different answers; the caller takes the best.
//
// Invariants: ratios are compared by cross multiplication, ties by the longer gap, then the lower
// number. Cost: O((gaps + positions) log gaps) a sweep.
#ifndef TORQSCHED_SRC_LRAM_OFFLINE_EVICTIONS_H_
#define TORQSCHED_SRC_LRAM_OFFLINE_EVICTIONS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "src/lram/offline_gaps.h"

namespace torqsched {
namespace offline {

enum class Reach : uint8_t {
  kFullPositions,  // positions that are too full before anything is evicted
  kPositions,      // all positions
  kNone,           // the same for all: the cheapest goes
};

struct SweepRule {
  Reach reach = Reach::kFullPositions;
  bool backwards = false;
};

// The most promising one first.
inline constexpr std::array<SweepRule, 6> kSweepRules = {{{Reach::kFullPositions, false},
                                                          {Reach::kFullPositions, true},
                                                          {Reach::kPositions, false},
                                                          {Reach::kPositions, true},
                                                          {Reach::kNone, false},
                                                          {Reach::kNone, true}}};

// By position: the rounded sizes of all live buffers, every gap filled.
std::vector<int64_t> LiveSums(const Residency& residency);

// By gap: 1 where the buffer goes out. excess: by position, how far LiveSums is above what may be
// in. Where even all gaps together do not cover an excess, all are evicted that are there.
std::vector<uint8_t> ChooseEvictions(const Residency& residency, const std::vector<int64_t>& excess,
                                     const SweepRule& rule);

}  // namespace offline
}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_OFFLINE_EVICTIONS_H_
