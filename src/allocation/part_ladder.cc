#include "src/allocation/part_ladder.h"

#include <algorithm>
#include <utility>

#include "src/allocation/greedy.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

// Parts with more (body, section) pairs than this are left to the greedy part.
constexpr uint64_t kMostMembers = 1000000;
constexpr uint64_t kWheelRounds = 6;

}  // namespace

PartLadder::PartLadder(const Packing& packing, std::vector<uint64_t> hints)
    : packing_(packing),
      hints_(std::move(hints)),
      searchable_(ValleyState::CountMembers(packing) <= kMostMembers) {}

void PartLadder::Decode(uint64_t target, Budget* budget, AllocationStatistics* statistics) {
  Greedy greedy(packing_, std::move(hints_));
  greedy.DecodeAll(target, budget);
  if (!searchable_) greedy.TurnWheel(target, kWheelRounds, budget);
  statistics->decodes += greedy.decodes();
  Keep(greedy.best());
}

SearchResult PartLadder::Reach(uint64_t target, uint64_t nodes, const SearchRules& rules,
                               Budget* budget, AllocationStatistics* statistics) {
  ++statistics->searches;
  ValleySearch search(packing_, target, rules);
  budget->OpenSlice(nodes);
  const SearchResult result = search.Run(budget);
  budget->CloseSlice();
  if (result == SearchResult::kExhausted) low_ = std::max(low_, target + 1);
  if (result != SearchResult::kFound) return result;
  Decoding found;
  found.offsets = search.offsets();
  found.height = 0;
  for (size_t b = 0; b < found.offsets.size(); ++b) {
    found.height = std::max(found.height, found.offsets[b] + packing_.bodies[b].size);
  }
  Keep(found);
  return result;
}

// At the floor first, as the least height mostly is the bound; then by bisection. What was not
// decided is left alone for what is above it.
void PartLadder::Lower(uint64_t floor, uint64_t nodes, const SearchRules& rules, Budget* budget,
                       AllocationStatistics* statistics) {
  uint64_t low = std::max({floor, low_, undecided_});
  bool at_low = low_ <= floor && undecided_ == 0;
  const uint64_t end = SaturatingAdd(budget->used(), nodes);
  while (best_.height > low && !budget->spent() && budget->used() < end) {
    const uint64_t target = at_low ? low : low + (best_.height - 1 - low) / 2;
    at_low = false;
    const SearchResult result = Reach(target, end - budget->used(), rules, budget, statistics);
    if (result == SearchResult::kFound) continue;
    low = target + 1;
    if (result == SearchResult::kStopped) undecided_ = low;
  }
  if (best_.height <= low) undecided_ = 0;  // next time from the bottom again
}

}  // namespace torqsched
