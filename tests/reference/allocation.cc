#include "tests/reference/allocation.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"

namespace torqsched::reference {
namespace {

using absl::uint128;

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

bool Meet(const TimeRange& a, const TimeRange& b) { return a.lower < b.upper && b.lower < a.upper; }

bool Meet(const std::vector<TimeRange>& a, const std::vector<TimeRange>& b) {
  for (const TimeRange& x : a) {
    for (const TimeRange& y : b) {
      if (Meet(x, y)) return true;
    }
  }
  return false;
}

// The live range without its gaps, each gap cut out of what is left.
std::vector<TimeRange> LiveTimes(const AllocationBuffer& buffer) {
  std::vector<TimeRange> times;
  if (buffer.live.lower < buffer.live.upper) times.push_back(buffer.live);
  for (const TimeRange& gap : buffer.gaps) {
    std::vector<TimeRange> left;
    for (const TimeRange& time : times) {
      if (gap.lower == gap.upper || !Meet(time, gap)) {
        left.push_back(time);
        continue;
      }
      if (time.lower < gap.lower) left.push_back({time.lower, gap.lower});
      if (gap.upper < time.upper) left.push_back({gap.upper, time.upper});
    }
    times = left;
  }
  return times;
}

// What the problem means, buffer by buffer.
struct Meaning {
  std::vector<uint32_t> root;                  // itself, or what it is a view of in the end
  std::vector<uint64_t> in_root;               // its first byte there
  std::vector<uint32_t> group;                 // the least buffer that it is tied to by its offset
  std::vector<std::vector<TimeRange>> live;    // of roots: their views' times too
  std::vector<bool> takes_room;                // of roots: for their views, too
  std::vector<std::optional<uint64_t>> fixed;  // roots: their offset, if anything fixes it
  std::vector<std::vector<bool>> apart;        // pairs of roots that must not share a byte

  explicit Meaning(const AllocationProblem& problem);

  bool is_root(uint32_t i) const { return root[i] == i; }

 private:
  void FindRoots(const AllocationProblem& problem);
  void FindGroups(const AllocationProblem& problem);
  void FindApart(const AllocationProblem& problem);
};

Meaning::Meaning(const AllocationProblem& problem) {
  const uint32_t n = static_cast<uint32_t>(problem.buffers.size());
  FindRoots(problem);
  FindGroups(problem);
  live.resize(n);
  fixed.resize(n);
  for (uint32_t i = 0; i < n; ++i) {
    const AllocationBuffer& buffer = problem.buffers[i];
    for (const TimeRange& time : LiveTimes(buffer)) live[root[i]].push_back(time);
    if (!buffer.fixed_offset.has_value()) continue;
    for (uint32_t j = 0; j < n; ++j) {
      if (group[j] == group[i]) fixed[j] = *buffer.fixed_offset - in_root[i];
    }
  }
  takes_room.resize(n);
  for (uint32_t i = 0; i < n; ++i) {
    takes_room[i] = is_root(i) && problem.buffers[i].size != 0 && !live[i].empty();
  }
  FindApart(problem);
}

void Meaning::FindRoots(const AllocationProblem& problem) {
  root.resize(problem.buffers.size());
  std::iota(root.begin(), root.end(), 0);
  in_root.resize(problem.buffers.size());
  for (uint32_t i = 0; i < root.size(); ++i) {
    for (bool moved = true; moved;) {
      moved = false;
      for (const AllocationAlias& alias : problem.aliases) {
        if (alias.buffer != root[i]) continue;
        root[i] = alias.of;
        in_root[i] += alias.offset;
        moved = true;
      }
    }
  }
}

void Meaning::FindGroups(const AllocationProblem& problem) {
  group = root;
  for (bool changed = true; changed;) {
    changed = false;
    const auto join = [&](uint32_t a, uint32_t b) {
      const uint32_t least = std::min(group[a], group[b]);
      changed = changed || group[a] != least || group[b] != least;
      group[a] = group[b] = least;
    };
    for (uint32_t i = 0; i < group.size(); ++i) join(i, root[i]);
    for (const BufferPair& pair : problem.same_offset) join(pair.first, pair.second);
  }
}

void Meaning::FindApart(const AllocationProblem& problem) {
  const size_t n = problem.buffers.size();
  apart.assign(n, std::vector<bool>(n));
  for (uint32_t i = 0; i < n; ++i) {
    for (uint32_t j = 0; j < n; ++j) {
      apart[i][j] =
          takes_room[i] && takes_room[j] && group[i] != group[j] && Meet(live[i], live[j]);
    }
  }
  for (const BufferPair& pair : problem.separate) {
    const uint32_t a = root[pair.first];
    const uint32_t b = root[pair.second];
    const bool both = problem.buffers[pair.first].size != 0 && takes_room[a] &&
                      problem.buffers[pair.second].size != 0 && takes_room[b];
    if (both) apart[a][b] = apart[b][a] = true;
  }
}

// What is wrong with one root that takes room, other buffers aside; empty: nothing.
std::string FaultOfRange(const AllocationProblem& problem, uint64_t begin, uint64_t size) {
  const uint128 end = uint128(begin) + size;
  if (end > problem.capacity.value_or(kMost)) return "ends above the capacity";
  for (const ByteRange& range : problem.reserved) {
    if (range.begin < range.end && begin < range.end && range.begin < end) {
      return absl::StrCat("is on reserved bytes from ", range.begin);
    }
  }
  for (const uint64_t boundary : problem.boundaries) {
    if (begin < boundary && boundary < end) return absl::StrCat("straddles ", boundary);
  }
  return "";
}

bool ShareBytes(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size) {
  return a < uint128(b) + b_size && b < uint128(a) + a_size;
}

uint64_t AlignmentOf(const AllocationProblem& problem, uint32_t i) {
  return std::max(problem.alignment, problem.buffers[i].alignment);
}

}  // namespace

std::string CheckOffsets(const AllocationProblem& problem, const std::vector<uint64_t>& offsets) {
  const uint32_t n = static_cast<uint32_t>(problem.buffers.size());
  if (offsets.size() != n) return absl::StrCat(offsets.size(), " offsets for ", n, " buffers\n");
  const Meaning meaning(problem);
  std::string faults;
  const auto fault = [&](uint32_t i, const std::string& text) {
    absl::StrAppend(&faults, "buffer ", i, " at ", offsets[i], " ", text, "\n");
  };
  for (uint32_t i = 0; i < n; ++i) {
    const AllocationBuffer& buffer = problem.buffers[i];
    const uint32_t root = meaning.root[i];
    if (buffer.fixed_offset.value_or(offsets[i]) != offsets[i])
      fault(i, "is not where it is fixed");
    if (uint128(offsets[root]) + meaning.in_root[i] != offsets[i]) fault(i, "is not in its root");
    if (root != i) continue;
    const bool tied = std::count(meaning.group.begin(), meaning.group.end(), meaning.group[i]) > 1;
    if (!meaning.fixed[i].has_value() && (meaning.takes_room[i] || !tied) &&
        offsets[i] % AlignmentOf(problem, i) != 0) {
      fault(i, absl::StrCat("is not aligned to ", AlignmentOf(problem, i)));
    }
    if (!meaning.takes_room[i]) continue;
    const std::string text = FaultOfRange(problem, offsets[i], buffer.size);
    if (!text.empty()) fault(i, text);
  }
  for (const BufferPair& pair : problem.same_offset) {
    if (offsets[pair.first] == offsets[pair.second]) continue;
    fault(pair.first, absl::StrCat("has not the offset of buffer ", pair.second));
  }
  for (uint32_t i = 0; i < n; ++i) {
    for (uint32_t j = i + 1; j < n; ++j) {
      if (meaning.apart[i][j] &&
          ShareBytes(offsets[i], problem.buffers[i].size, offsets[j], problem.buffers[j].size)) {
        fault(i, absl::StrCat("shares bytes with buffer ", j, " at ", offsets[j]));
      }
    }
  }
  return faults;
}

uint64_t HighestEnd(const AllocationProblem& problem, const std::vector<uint64_t>& offsets) {
  const Meaning meaning(problem);
  uint64_t highest = 0;
  for (uint32_t i = 0; i < offsets.size(); ++i) {
    if (!meaning.takes_room[i]) continue;
    highest = std::max(highest, offsets[i] + problem.buffers[i].size);
  }
  return highest;
}

namespace {

// Tries every offset for one group of tied roots after the other.
class Exhaustive {
 public:
  explicit Exhaustive(const AllocationProblem& problem) : problem_(problem), meaning_(problem) {
    const uint32_t n = static_cast<uint32_t>(problem.buffers.size());
    for (uint32_t i = 0; i < n; ++i) {
      std::vector<uint32_t> roots;
      for (uint32_t j = i; j < n; ++j) {
        if (meaning_.group[j] == i && meaning_.takes_room[j]) roots.push_back(j);
      }
      if (!roots.empty()) groups_.push_back(roots);
    }
    offset_.resize(n);
    needs_range_check_ = !problem.reserved.empty() || !problem.boundaries.empty();
    FindTop();
  }

  std::optional<uint64_t> Least() {
    Place(0, 0);
    return best_;
  }

 private:
  uint64_t Step(const std::vector<uint32_t>& roots) const {
    uint64_t step = 1;
    for (const uint32_t i : roots) step = std::lcm(step, AlignmentOf(problem_, i));
    return step;
  }

  // If there is any placement, there is one that ends here or below: all that may move stands in a
  // pile above everything that has a place of its own.
  void FindTop() {
    for (const ByteRange& range : problem_.reserved) top_ = std::max(top_, range.end);
    for (const uint64_t boundary : problem_.boundaries) top_ = std::max(top_, boundary);
    uint64_t pile = 0;
    for (const std::vector<uint32_t>& roots : groups_) {
      uint64_t size = 0;
      for (const uint32_t i : roots) size = std::max(size, problem_.buffers[i].size);
      top_ = std::max(top_, meaning_.fixed[roots[0]].value_or(0) + size);
      pile += size + Step(roots);
    }
    top_ += pile;
    if (top_ > 100000) std::abort();  // not a small problem
    top_ = std::min(top_, problem_.capacity.value_or(top_));
  }

  bool Fits(const std::vector<uint32_t>& roots, uint64_t offset, size_t placed) const {
    for (const uint32_t i : roots) {
      const uint64_t size = problem_.buffers[i].size;
      if (needs_range_check_ && !FaultOfRange(problem_, offset, size).empty()) return false;
      for (size_t g = 0; g < placed; ++g) {
        for (const uint32_t j : groups_[g]) {
          if (meaning_.apart[i][j] && offset < offset_[j] + problem_.buffers[j].size &&
              offset_[j] < offset + size) {
            return false;
          }
        }
      }
    }
    return true;
  }

  void Place(size_t g, uint64_t height) {
    if (g == groups_.size()) {
      best_ = height;
      return;
    }
    const std::vector<uint32_t>& roots = groups_[g];
    uint64_t size = 0;
    for (const uint32_t i : roots) size = std::max(size, problem_.buffers[i].size);
    const std::optional<uint64_t> fixed = meaning_.fixed[roots[0]];
    const uint64_t step = Step(roots);
    for (uint64_t offset = fixed.value_or(0); offset + size <= top_; offset += step) {
      const uint64_t end = std::max(height, offset + size);
      if (best_.has_value() && end >= *best_) return;  // as high as what is known
      if (Fits(roots, offset, g)) {
        for (const uint32_t i : roots) offset_[i] = offset;
        Place(g + 1, end);
      }
      if (fixed.has_value()) return;
    }
  }

  const AllocationProblem& problem_;
  const Meaning meaning_;
  std::vector<std::vector<uint32_t>> groups_;  // roots that take room, by group
  std::vector<uint64_t> offset_;
  bool needs_range_check_ = false;
  uint64_t top_ = 0;
  std::optional<uint64_t> best_;
};

}  // namespace

std::optional<uint64_t> LeastHeight(const AllocationProblem& problem) {
  return Exhaustive(problem).Least();
}

uint64_t LiveBound(const AllocationProblem& problem) {
  uint128 most = 0;
  for (const AllocationBuffer& at : problem.buffers) {
    // The live sum grows where a buffer comes or comes back only.
    std::vector<uint64_t> times = {at.live.lower};
    for (const TimeRange& gap : at.gaps) times.push_back(gap.upper);
    for (const uint64_t time : times) {
      uint128 sum = 0;
      uint64_t padding = 0;
      for (const AllocationBuffer& buffer : problem.buffers) {
        bool live = false;
        for (const TimeRange& r : LiveTimes(buffer)) live |= r.lower <= time && time < r.upper;
        if (!live || buffer.size == 0) continue;
        const uint64_t over = buffer.size % problem.alignment;
        const uint64_t pad = over == 0 ? 0 : problem.alignment - over;
        sum += uint128(buffer.size) + pad;
        padding = std::max(padding, pad);
      }
      most = std::max(most, sum - padding);
    }
  }
  return most > kMost ? kMost : absl::Uint128Low64(most);
}

AllocationProblem Alone(const AllocationProblem& problem, const std::vector<uint32_t>& buffers) {
  AllocationProblem alone = problem;
  alone.buffers.clear();
  alone.aliases.clear();
  alone.same_offset.clear();
  alone.separate.clear();
  std::vector<std::optional<uint32_t>> now(problem.buffers.size());
  for (const uint32_t i : buffers) {
    now[i] = static_cast<uint32_t>(alone.buffers.size());
    alone.buffers.push_back(problem.buffers[i]);
  }
  for (const AllocationAlias& alias : problem.aliases) {
    if (!now[alias.buffer].has_value() || !now[alias.of].has_value()) continue;
    alone.aliases.push_back({*now[alias.buffer], *now[alias.of], alias.offset});
  }
  const auto keep = [&now](const std::vector<BufferPair>& pairs, std::vector<BufferPair>* kept) {
    for (const BufferPair& pair : pairs) {
      if (!now[pair.first].has_value() || !now[pair.second].has_value()) continue;
      kept->push_back({*now[pair.first], *now[pair.second]});
    }
  };
  keep(problem.same_offset, &alone.same_offset);
  keep(problem.separate, &alone.separate);
  return alone;
}

std::string Describe(const AllocationProblem& problem) {
  std::string text = absl::StrCat("alignment ", problem.alignment);
  if (problem.capacity.has_value()) absl::StrAppend(&text, ", capacity ", *problem.capacity);
  for (const ByteRange& r : problem.reserved) {
    absl::StrAppend(&text, ", reserved [", r.begin, ", ", r.end, ")");
  }
  for (const uint64_t boundary : problem.boundaries) absl::StrAppend(&text, ", border ", boundary);
  absl::StrAppend(&text, "\n");
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const AllocationBuffer& b = problem.buffers[i];
    absl::StrAppend(&text, "  ", i, ": ", b.size, " bytes, [", b.live.lower, ", ", b.live.upper,
                    ")");
    for (const TimeRange& g : b.gaps)
      absl::StrAppend(&text, " without [", g.lower, ", ", g.upper, ")");
    if (b.alignment != 1) absl::StrAppend(&text, ", alignment ", b.alignment);
    if (b.fixed_offset.has_value()) absl::StrAppend(&text, ", fixed at ", *b.fixed_offset);
    if (b.hint.has_value()) absl::StrAppend(&text, ", hint ", *b.hint);
    absl::StrAppend(&text, "\n");
  }
  for (const AllocationAlias& a : problem.aliases) {
    absl::StrAppend(&text, "  ", a.buffer, " is byte ", a.offset, " of ", a.of, "\n");
  }
  for (const BufferPair& p : problem.same_offset) {
    absl::StrAppend(&text, "  ", p.first, " and ", p.second, " have the same offset\n");
  }
  for (const BufferPair& p : problem.separate) {
    absl::StrAppend(&text, "  ", p.first, " and ", p.second, " are separate\n");
  }
  return text;
}

}  // namespace torqsched::reference
