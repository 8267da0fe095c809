#include "src/lram/offline_place.h"

#include <algorithm>
#include <utility>

#include "src/allocation/allocate.h"

namespace torqsched {
namespace offline {
namespace {

// How many stays a window reaches beyond those that are above, on either side; one round each.
constexpr size_t kMargins[] = {32, 128, 512};
constexpr size_t kSmallPiece = 512;
constexpr size_t kUsualStays = 256;
constexpr uint64_t kLeastNodes = 100;
constexpr uint64_t kNodesAPiece = 1000;
constexpr uint64_t kNodesAWindow = 5000;
constexpr uint64_t kNodesAStay = 8;  // so that a long order may have many pieces and windows

// A search node costs as much as there are stays: so many nodes for `usual` stays, fewer for more.
uint64_t NodesFor(uint64_t nodes, size_t usual, size_t stays) {
  return stays <= usual ? nodes : std::max(kLeastNodes, nodes * usual / stays);
}

class Placer {
 public:
  Placer(const Residency& residency, const std::vector<Stay>& stays, uint64_t node_limit)
      : residency_(residency),
        stays_(stays),
        boundaries_(LramRegions(residency.hardware).boundaries()),
        node_limit_(NodesFor(node_limit, kUsualStays, stays.size())),
        nodes_left_(node_limit + kNodesAStay * stays.size()) {}

  StayOffsets Place() {
    SortByBegin();
    offsets_.assign(stays_.size(), 0);
    for (size_t first = 0; first < by_begin_.size() && !result_.impossible;) {
      const size_t last = EndOfPiece(first);
      PlacePiece(first, last);
      first = last;
    }
    if (result_.impossible) return std::move(result_);
    for (const size_t margin : kMargins) {
      if (stays_.size() <= 2 * margin || !PlaceWindows(margin)) break;
    }
    for (const size_t rank : AboveRanks()) {
      const uint32_t s = by_begin_[rank];
      const uint64_t over = offsets_[s] - (residency_.hardware.usable_bytes() - SizeOf(s));
      result_.above.push_back({s, std::min(over, SizeOf(s))});
    }
    result_.placed = result_.above.empty();
    if (result_.placed) result_.offsets = std::move(offsets_);
    return std::move(result_);
  }

 private:
  struct Window {
    uint32_t begin;  // positions
    uint32_t end;
  };

  AllocationProblem EmptyProblem() const {
    AllocationProblem problem;
    problem.alignment = residency_.hardware.alignment;
    problem.capacity = residency_.hardware.usable_bytes();
    problem.boundaries = boundaries_;
    return problem;
  }

  AllocationBuffer ItemOf(const Stay& stay) const {
    const Buffer& buffer = residency_.stream.buffer(stay.buffer);
    AllocationBuffer item;
    item.size = buffer.size;
    item.alignment = buffer.alignment;
    item.live = {stay.begin, stay.end};
    if (buffer.has_fixed_offset) item.fixed_offset = buffer.fixed_offset;
    return item;
  }

  absl::StatusOr<AllocationAnswer> Ask(const AllocationProblem& problem, uint64_t nodes,
                                       bool shrink_conflict) const {
    AllocationOptions options;
    options.objective = Objective::kFit;
    options.node_limit = nodes;
    options.shrink_conflict = shrink_conflict;
    return Allocate(problem, options);
  }

  uint64_t SizeOf(uint32_t s) const { return residency_.stream.buffer(stays_[s].buffer).size; }

  // A piece ends where no stay reaches over; small ones are taken together.
  size_t EndOfPiece(size_t first) const {
    uint32_t reach = 0;
    for (size_t rank = first; rank < by_begin_.size(); ++rank) {
      const Stay& stay = stays_[by_begin_[rank]];
      if (rank - first >= kSmallPiece && stay.begin >= reach) return rank;
      reach = std::max(reach, stay.end);
    }
    return by_begin_.size();
  }

  void PlacePiece(size_t first, size_t last) {
    AllocationProblem problem = EmptyProblem();
    problem.buffers.reserve(last - first);
    for (size_t rank = first; rank < last; ++rank) {
      problem.buffers.push_back(ItemOf(stays_[by_begin_[rank]]));
    }
    const bool whole = first == 0 && last == by_begin_.size();
    const absl::StatusOr<AllocationAnswer> answer =
        Ask(problem,
            whole ? node_limit_
                  : std::min(nodes_left_, NodesFor(kNodesAPiece, kSmallPiece, last - first)),
            /*shrink_conflict=*/true);
    if (answer.ok() && !whole) nodes_left_ -= std::min(nodes_left_, answer->statistics.nodes);
    const uint64_t usable = residency_.hardware.usable_bytes();
    if (answer.ok() && answer->offsets.size() == last - first) {
      for (size_t rank = first; rank < last; ++rank) {
        offsets_[by_begin_[rank]] = answer->offsets[rank - first];
      }
      return;
    }
    // There is no layout to go by: the smallest of a conflict has to give way, else everything.
    result_.impossible = true;
    if (!answer.ok() || answer->verdict != AllocationVerdict::kInfeasible ||
        answer->conflict.empty()) {
      result_.impossible = false;
      for (size_t rank = first; rank < last; ++rank) offsets_[by_begin_[rank]] = usable;
      return;
    }
    const auto smaller = [&](uint32_t a, uint32_t b) {
      return SizeOf(by_begin_[first + a]) < SizeOf(by_begin_[first + b]);
    };
    const uint32_t least = by_begin_[first + *std::min_element(answer->conflict.begin(),
                                                               answer->conflict.end(), smaller)];
    result_.above.push_back({least, SizeOf(least)});
  }

  // Stays that end above LRAM, as ranks by begin.
  std::vector<size_t> AboveRanks() const {
    const uint64_t usable = residency_.hardware.usable_bytes();
    std::vector<size_t> above;
    for (size_t rank = 0; rank < by_begin_.size(); ++rank) {
      const uint32_t s = by_begin_[rank];
      if (offsets_[s] > usable - SizeOf(s)) above.push_back(rank);  // no stay is larger than LRAM
    }
    return above;
  }

  void SortByBegin() {
    const Rows<uint32_t> rows =
        GroupBy(residency_.positions, stays_.size(), [this](size_t s) { return stays_[s].begin; });
    by_begin_.reserve(stays_.size());
    for (size_t p = 0; p < rows.row_count(); ++p) {
      by_begin_.insert(by_begin_.end(), rows[p].begin(), rows[p].end());
    }
  }

  // Around what is above, ascending and apart.
  std::vector<Window> WindowsAround(const std::vector<size_t>& above, size_t margin) const {
    std::vector<Window> windows;
    for (const size_t rank : above) {
      const Stay& stay = stays_[by_begin_[rank]];
      const size_t first = rank - std::min(rank, margin);
      const size_t last = std::min(rank + margin, by_begin_.size() - 1);
      const Window window = {stays_[by_begin_[first]].begin,
                             std::max(stay.end, stays_[by_begin_[last]].begin)};
      if (!windows.empty() && window.begin < windows.back().end) {
        windows.back().end = std::max(windows.back().end, window.end);
      } else {
        windows.push_back(window);
      }
    }
    return windows;
  }

  // False: one round more is of no use.
  bool PlaceWindows(size_t margin) {
    const std::vector<size_t> above = AboveRanks();
    if (above.empty()) return false;
    const std::vector<Window> windows = WindowsAround(above, margin);
    std::vector<uint32_t> meets;  // stays that reach into the window, from before it
    size_t next = 0;              // in by_begin_
    for (const Window& window : windows) {
      for (; next < by_begin_.size() && stays_[by_begin_[next]].begin < window.end; ++next) {
        meets.push_back(by_begin_[next]);
      }
      meets.erase(std::remove_if(meets.begin(), meets.end(),
                                 [&](uint32_t s) { return stays_[s].end <= window.begin; }),
                  meets.end());
      if (nodes_left_ != 0) PlaceWindow(window, meets);
    }
    return true;
  }

  void PlaceWindow(const Window& window, const std::vector<uint32_t>& meets) {
    AllocationProblem problem = EmptyProblem();
    for (const uint32_t s : meets) {
      AllocationBuffer item = ItemOf(stays_[s]);
      if (item.live.lower < window.begin || item.live.upper > window.end) {
        item.fixed_offset = offsets_[s];
        item.live.lower = std::max<uint64_t>(item.live.lower, window.begin);
        item.live.upper = std::min<uint64_t>(item.live.upper, window.end);
      }
      problem.buffers.push_back(std::move(item));
    }
    const absl::StatusOr<AllocationAnswer> answer =
        Ask(problem, std::min(nodes_left_, NodesFor(kNodesAWindow, kUsualStays, meets.size())),
            /*shrink_conflict=*/false);
    if (answer.ok()) nodes_left_ -= std::min(nodes_left_, answer->statistics.nodes);
    if (!answer.ok() || answer->verdict != AllocationVerdict::kPlaced ||
        answer->offsets.size() != meets.size()) {
      return;
    }
    for (size_t i = 0; i < meets.size(); ++i) offsets_[meets[i]] = answer->offsets[i];
  }

  const Residency& residency_;
  const std::vector<Stay>& stays_;
  const std::vector<uint64_t> boundaries_;  // of regions
  const uint64_t node_limit_;               // where the order is one piece
  uint64_t nodes_left_;                     // of pieces and windows
  StayOffsets result_;
  std::vector<uint64_t> offsets_;   // by stay; where there is no layout, all are above
  std::vector<uint32_t> by_begin_;  // stays
};

}  // namespace

StayOffsets PlaceStays(const Residency& residency, const std::vector<Stay>& stays,
                       uint64_t node_limit) {
  return Placer(residency, stays, node_limit).Place();
}

}  // namespace offline
}  // namespace torqsched
