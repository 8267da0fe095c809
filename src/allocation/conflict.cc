#include "src/allocation/conflict.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "absl/numeric/int128.h"
#include "src/allocation/complete_search.h"
#include "src/allocation/greedy.h"
#include "src/allocation/valley_state.h"

namespace torqsched {
namespace {

constexpr size_t kSectionsLookedAt = 64;
constexpr size_t kMostBuffersShrunk = 4096;
constexpr uint64_t kNodesPerQuestion = 20000;
constexpr uint64_t kThingsPerNode = 64;  // copied, that cost as much as a search node
constexpr uint32_t kAbsent = 0xffffffff;

// The buffers that are kept, with the constraints among them.
AllocationProblem Subproblem(const AllocationProblem& problem, const std::vector<uint32_t>& kept) {
  std::vector<uint32_t> number(problem.buffers.size(), kAbsent);  // by buffer: in the subproblem
  for (uint32_t i = 0; i < kept.size(); ++i) number[kept[i]] = i;
  AllocationProblem sub;
  sub.alignment = problem.alignment;
  sub.capacity = problem.capacity;
  sub.reserved = problem.reserved;
  sub.boundaries = problem.boundaries;
  for (const uint32_t b : kept) sub.buffers.push_back(problem.buffers[b]);
  const auto copy_pairs = [&](const std::vector<BufferPair>& from, std::vector<BufferPair>* to) {
    for (const BufferPair& pair : from) {
      const uint32_t first = number[pair.first];
      const uint32_t second = number[pair.second];
      if (first != kAbsent && second != kAbsent) to->push_back({first, second});
    }
  };
  copy_pairs(problem.same_offset, &sub.same_offset);
  copy_pairs(problem.separate, &sub.separate);
  for (const AllocationAlias& alias : problem.aliases) {
    const uint32_t buffer = number[alias.buffer];
    const uint32_t of = number[alias.of];
    if (buffer != kAbsent && of != kAbsent) sub.aliases.push_back({buffer, of, alias.offset});
  }
  return sub;
}

enum class Reply : uint8_t { kPlaced, kRefused, kUnknown };

Reply Ask(const AllocationProblem& problem, const SearchRules& rules, Budget* budget) {
  const absl::StatusOr<Bodies> bodies = MakeBodies(problem);
  if (!bodies.ok()) return Reply::kUnknown;
  const Packing& packing = bodies->packing;
  if (FindClash(packing).has_value()) return Reply::kRefused;
  if (!problem.capacity.has_value()) return Reply::kPlaced;
  if (FindLiveBound(packing).height > *problem.capacity) return Reply::kRefused;
  if (*problem.capacity > kMostBytes) return Reply::kUnknown;
  Greedy greedy(packing, {});
  greedy.DecodeAll(*problem.capacity, budget);
  if (greedy.best().height <= *problem.capacity) return Reply::kPlaced;
  if (!ValleyState::IsSmallEnough(packing)) return Reply::kUnknown;
  std::vector<uint64_t> offsets;
  switch (SearchCompletely(packing, *problem.capacity, rules, budget, &offsets)) {
    case SearchResult::kFound:
      return Reply::kPlaced;
    case SearchResult::kExhausted:
      return Reply::kRefused;
    case SearchResult::kStopped:
      break;
  }
  return Reply::kUnknown;
}

// A sweep over the sections: fixed pieces that are live stand in a set by offset, and whoever comes
// in looks at its neighbours.
std::optional<std::vector<uint32_t>> FindFixedOverlap(const Packing& packing) {
  struct Event {
    uint32_t section;
    bool begins;  // ends come first
    uint32_t body;
    const Piece* piece;
  };
  std::vector<Event> events;
  for (uint32_t b = 0; b < packing.bodies.size(); ++b) {
    if (!packing.bodies[b].fixed) continue;
    for (const Piece& piece : packing.pieces[b]) {
      events.push_back({piece.first, true, b, &piece});
      events.push_back({piece.last, false, b, &piece});
    }
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::make_tuple(a.section, a.begins, a.body) <
           std::make_tuple(b.section, b.begins, b.body);
  });
  std::map<uint64_t, std::pair<uint64_t, uint32_t>> live;  // offset: last byte, body
  for (const Event& event : events) {
    const uint64_t begin = packing.bodies[event.body].offset;
    if (!event.begins) {
      live.erase(begin);
      continue;
    }
    const uint64_t last = begin + (event.piece->size - 1);
    const auto after = live.lower_bound(begin);
    uint32_t other = kAbsent;
    if (after != live.end() && after->first <= last) other = after->second.second;
    if (after != live.begin() && std::prev(after)->second.first >= begin) {
      other = std::prev(after)->second.second;
    }
    if (other != kAbsent) return {{std::min(other, event.body), std::max(other, event.body)}};
    live[begin] = {last, event.body};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<uint32_t>> FindClash(const Packing& packing) {
  bool fixed = false;
  for (uint32_t b = 0; b < packing.bodies.size(); ++b) {
    const Body& body = packing.bodies[b];
    if (!body.fixed) continue;
    fixed = true;
    if (LiftClear(packing, body, body.offset, kNoOffset - 1) != body.offset) return {{b}};
  }
  return fixed ? FindFixedOverlap(packing) : std::nullopt;
}

std::vector<uint32_t> ExceedingBodies(const Packing& packing, const LiveBound& bound,
                                      uint64_t capacity) {
  if (bound.single_body != LiveBound().single_body) return {bound.single_body};
  std::vector<uint32_t> fewest = FewestExceeding(packing, bound.section, capacity);
  // Another section may do it with fewer; some are looked at, evenly spread.
  const uint32_t step = std::max<uint32_t>(1, packing.sections / kSectionsLookedAt);
  for (uint32_t s = 0; s < packing.sections; s += step) {
    std::vector<uint32_t> bodies = FewestExceeding(packing, s, capacity);
    if (!bodies.empty() && bodies.size() < fewest.size()) fewest = std::move(bodies);
  }
  return fewest;
}

bool OnlySizesMatter(const Packing& packing, const std::vector<uint32_t>& bodies) {
  if (packing.room != nullptr) return false;
  for (const uint32_t b : bodies) {
    if (packing.bodies[b].fixed || packing.bodies[b].alignment != packing.grain) return false;
    if (packing.pieces[b].size() != 1) return false;
  }
  return true;
}

std::vector<uint32_t> ShrinkConflict(const AllocationProblem& problem,
                                     const std::vector<uint32_t>& buffers, const SearchRules& rules,
                                     Budget* budget, bool* minimal) {
  *minimal = false;
  if (buffers.size() > kMostBuffersShrunk) return buffers;
  // Neighbours in time go together.
  std::vector<uint32_t> kept = buffers;
  std::stable_sort(kept.begin(), kept.end(), [&](uint32_t a, uint32_t b) {
    return problem.buffers[a].live.lower < problem.buffers[b].live.lower;
  });
  // What ties buffers together also keeps them apart from others: without it another may go, too.
  const bool ties = !problem.aliases.empty() || !problem.same_offset.empty();
  const uint64_t size = problem.buffers.size() + problem.reserved.size() +
                        problem.boundaries.size() + problem.aliases.size() +
                        problem.same_offset.size() + problem.separate.size();
  bool all_answered = true;
  for (size_t chunk = std::max<size_t>(kept.size() / 2, 1);;) {
    all_answered = true;
    const size_t before = kept.size();
    for (size_t at = 0; at < kept.size() && !budget->spent();) {
      const size_t count = std::min(chunk, kept.size() - at);
      std::vector<uint32_t> rest = kept;
      rest.erase(rest.begin() + at, rest.begin() + at + count);
      // To make the question costs all that the problem has.
      if (!budget->Spend(1 + size / kThingsPerNode)) break;
      budget->Look();
      budget->OpenSlice(kNodesPerQuestion);
      const Reply reply = Ask(Subproblem(problem, rest), rules, budget);
      budget->CloseSlice();
      all_answered &= reply != Reply::kUnknown;
      if (reply == Reply::kRefused) {
        kept = std::move(rest);
      } else {
        at += count;
      }
    }
    if (chunk > 1) {
      chunk /= 2;
    } else if (!ties || kept.size() == before || budget->spent()) {
      break;
    }
  }
  *minimal = all_answered && !budget->spent();
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace torqsched
