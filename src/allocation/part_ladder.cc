#include "src/allocation/part_ladder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/allocation/complete_search.h"
#include "src/allocation/dissection.h"
#include "src/allocation/greedy.h"
#include "src/allocation/valley_state.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

constexpr uint64_t kWheelRounds = 6;
constexpr uint64_t kTargets = 4;        // share of the nodes that one height gets
constexpr uint64_t kLeastSlice = 5000;  // nodes that it gets at least
// Parts with fewer bodies than this are left to the search.
constexpr size_t kFewestFilled = 64;

}  // namespace

PartLadder::PartLadder(const Packing& packing, std::vector<uint64_t> hints)
    : packing_(packing),
      hints_(std::move(hints)),
      searchable_(ValleyState::IsSmallEnough(packing)) {}

void PartLadder::Decode(uint64_t target, Budget* budget, AllocationStatistics* statistics) {
  // Where there is no slack at all, a greedy placement hardly ever ends at the target, and takes
  // longer. Only that looks at hints, though.
  if (hints_.empty() && packing_.bodies.size() >= kFewestFilled) {
    std::optional<std::vector<uint64_t>> filled = PlaceFilled(packing_, target, [budget] {
      budget->Look();
      return budget->spent();
    });
    if (filled.has_value()) {
      ++statistics->decodes;
      return KeepOffsets(*std::move(filled));
    }
  }
  Greedy greedy(packing_, std::move(hints_));
  greedy.DecodeAll(target, budget);
  if (!searchable_) greedy.TurnWheel(target, kWheelRounds, budget);
  statistics->decodes += greedy.decodes();
  Keep(greedy.best());
}

SearchResult PartLadder::Reach(uint64_t target, uint64_t nodes, const SearchRules& rules,
                               Budget* budget, AllocationStatistics* statistics) {
  ++statistics->searches;
  std::vector<uint64_t> offsets;
  budget->OpenSlice(nodes);
  const SearchResult result = SearchCompletely(packing_, target, rules, budget, &offsets);
  if (result == SearchResult::kExhausted) low_ = std::max(low_, target + 1);
  if (result != SearchResult::kFound) return result;
  KeepOffsets(std::move(offsets));
  return result;
}

void PartLadder::KeepOffsets(std::vector<uint64_t> offsets) {
  Decoding found;
  found.offsets = std::move(offsets);
  found.height = 0;
  for (size_t b = 0; b < found.offsets.size(); ++b) {
    found.height = std::max(found.height, found.offsets[b] + packing_.bodies[b].size);
  }
  Keep(found);
}

// At the floor first, as the least height mostly is the bound; then by bisection. What was not
// decided with a part of the nodes is left alone for what is above it, until nothing is left there.
void PartLadder::Lower(uint64_t floor, uint64_t nodes, const SearchRules& rules, Budget* budget,
                       AllocationStatistics* statistics) {
  const uint64_t end = SaturatingAdd(budget->used(), std::min(nodes, budget->left()));
  bool at_floor = low_ <= floor && undecided_ == 0;
  while (!budget->spent() && budget->used() < end) {
    const uint64_t bottom = std::max(floor, low_);
    if (best_.height <= bottom) return;
    const uint64_t low = std::max(bottom, undecided_);
    if (best_.height <= low) {
      undecided_ = 0;
      at_floor = true;
      continue;
    }
    const uint64_t target = at_floor ? bottom : low + (best_.height - 1 - low) / 2;
    at_floor = false;
    const uint64_t left = end - budget->used();
    const uint64_t slice = std::max(left / kTargets, std::min(left, kLeastSlice));
    if (Reach(target, slice, rules, budget, statistics) == SearchResult::kStopped) {
      undecided_ = target + 1;
    }
  }
}

}  // namespace torqsched
