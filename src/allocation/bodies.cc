// Views hang on their roots; roots with the same offset are joined by union-find; the body of a
// group takes, at each time, the largest size among its roots that are live then. Sections come
// from one sweep over the pieces' ends.
#include "src/allocation/bodies.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/allocation/check_problem.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

struct LiveRoot {  // a run of times in which a root is live
  TimeRange time;
  uint64_t size = 0;
};

// Sorts, and joins what overlaps or touches.
void Unite(std::vector<TimeRange>* ranges) {
  std::sort(ranges->begin(), ranges->end(), [](const TimeRange& a, const TimeRange& b) {
    return a.lower != b.lower ? a.lower < b.lower : a.upper < b.upper;
  });
  size_t kept = 0;
  for (const TimeRange& range : *ranges) {
    if (range.lower == range.upper) continue;
    if (kept > 0 && range.lower <= (*ranges)[kept - 1].upper) {
      (*ranges)[kept - 1].upper = std::max((*ranges)[kept - 1].upper, range.upper);
    } else {
      (*ranges)[kept++] = range;
    }
  }
  ranges->resize(kept);
}

// The live range without its gaps.
void AppendLive(const AllocationBuffer& buffer, std::vector<TimeRange>* live) {
  std::vector<TimeRange> gaps = buffer.gaps;
  Unite(&gaps);
  uint64_t at = buffer.live.lower;
  for (const TimeRange& gap : gaps) {
    if (at < gap.lower) live->push_back({at, gap.lower});
    at = gap.upper;
  }
  if (at < buffer.live.upper) live->push_back({at, buffer.live.upper});
}

class BodyMaker {
 public:
  explicit BodyMaker(const AllocationProblem& problem)
      : problem_(problem),
        root_(problem.buffers.size()),
        in_root_(problem.buffers.size(), 0),
        group_(problem.buffers.size()),
        takes_room_(problem.buffers.size(), 0) {}

  absl::StatusOr<Bodies> Make() {
    if (absl::Status status = CheckProblem(problem_); !status.ok()) return status;
    if (absl::Status status = FindRoots(); !status.ok()) return status;
    if (absl::Status status = JoinGroups(); !status.ok()) return status;
    if (absl::Status status = FixGroups(); !status.ok()) return status;
    MakePieces();
    if (absl::Status status = AddSeparations(); !status.ok()) return status;
    FindSections();
    Assemble();
    return std::move(bodies_);
  }

 private:
  struct TimedPiece {
    uint32_t body;
    TimeRange time;
    uint64_t size;
    uint32_t first = 0;  // sections
    uint32_t last = 0;
  };

  absl::Status FindRoots();
  uint32_t Group(uint32_t b);
  absl::Status JoinGroups();
  absl::Status FixGroups();
  void MakePieces();
  void AddPieces(uint32_t body, std::vector<LiveRoot>* live);
  absl::Status AddSeparations();
  void FindSections();
  void Assemble();
  void FindGrain();
  void FindStride();

  const AllocationProblem& problem_;
  std::vector<uint32_t> root_;       // by buffer: itself, or what it is a view of in the end
  std::vector<uint64_t> in_root_;    // by buffer: byte of the root at which it begins
  std::vector<uint32_t> group_;      // union-find over roots
  std::vector<uint8_t> takes_room_;  // by root
  std::vector<std::optional<uint64_t>> fixed_;  // by group leader
  std::vector<uint32_t> body_of_group_;         // by group leader
  std::vector<TimedPiece> pieces_;              // by body, by time
  struct Separation {
    uint32_t body;
    uint32_t other;
    uint64_t size;  // of the buffer, which may be smaller than its body
    uint64_t other_size;
  };
  std::vector<Separation> separations_;
  Bodies bodies_;
};

absl::Status BodyMaker::FindRoots() {
  const size_t n = problem_.buffers.size();
  std::vector<uint32_t> alias_of(n, kNoBody);  // position in problem_.aliases
  for (uint32_t i = 0; i < problem_.aliases.size(); ++i) {
    const AllocationAlias& alias = problem_.aliases[i];
    if (alias_of[alias.buffer] != kNoBody) {
      return InvalidProblem(absl::StrCat("aliases[", i, "].buffer"), alias.buffer,
                            absl::StrCat("buffer ", alias.buffer, " is a view already, by aliases[",
                                         alias_of[alias.buffer], "]; expected one entry"));
    }
    alias_of[alias.buffer] = i;
  }
  std::iota(root_.begin(), root_.end(), 0);
  enum : uint8_t { kNew, kOnPath, kDone };
  std::vector<uint8_t> state(n, kNew);
  std::vector<uint32_t> path;
  for (uint32_t b = 0; b < n; ++b) {
    uint32_t at = b;
    path.clear();
    while (state[at] == kNew && alias_of[at] != kNoBody) {
      state[at] = kOnPath;
      path.push_back(at);
      at = problem_.aliases[alias_of[at]].of;
    }
    if (state[at] == kOnPath) {
      return InvalidProblem(absl::StrCat("aliases[", alias_of[at], "].of"), at,
                            absl::StrCat("buffer ", at, " is a view of itself in the end"));
    }
    state[at] = kDone;
    for (; !path.empty(); path.pop_back()) {
      const AllocationAlias& alias = problem_.aliases[alias_of[path.back()]];
      root_[alias.buffer] = root_[alias.of];
      in_root_[alias.buffer] = in_root_[alias.of] + alias.offset;  // inside: cannot wrap
      state[alias.buffer] = kDone;
    }
  }
  return absl::OkStatus();
}

uint32_t BodyMaker::Group(uint32_t b) {
  while (group_[b] != b) b = group_[b] = group_[group_[b]];
  return b;
}

// The leader of a group is its root of the least index.
absl::Status BodyMaker::JoinGroups() {
  std::iota(group_.begin(), group_.end(), 0);
  for (size_t i = 0; i < problem_.same_offset.size(); ++i) {
    const BufferPair& pair = problem_.same_offset[i];
    for (const uint32_t b : {pair.first, pair.second}) {
      if (in_root_[b] == 0) continue;
      return InvalidProblem(
          absl::StrCat("same_offset[", i, "]"), b,
          absl::StrCat("buffer ", b, " is a view at byte ", in_root_[b], " of buffer ", root_[b],
                       "; expected no view, or one at byte 0"));
    }
    const uint32_t a = Group(root_[pair.first]);
    const uint32_t b = Group(root_[pair.second]);
    group_[std::max(a, b)] = std::min(a, b);
  }
  return absl::OkStatus();
}

absl::Status BodyMaker::FixGroups() {
  const size_t n = problem_.buffers.size();
  fixed_.resize(n);
  for (uint32_t b = 0; b < n; ++b) {
    if (!problem_.buffers[b].fixed_offset.has_value()) continue;
    const uint64_t offset = *problem_.buffers[b].fixed_offset;
    const std::string field = absl::StrCat("buffers[", b, "].fixed_offset");
    if (offset < in_root_[b]) {
      return InvalidProblem(field, b,
                            absl::StrCat(offset, ", but it is a view at byte ", in_root_[b],
                                         " of buffer ", root_[b], "; expected no less"));
    }
    std::optional<uint64_t>& fixed = fixed_[Group(root_[b])];
    if (fixed.has_value() && *fixed != offset - in_root_[b]) {
      return InvalidProblem(field, b,
                            absl::StrCat(offset, "; expected ", SaturatingAdd(*fixed, in_root_[b]),
                                         ", where another buffer that is tied to it is fixed"));
    }
    fixed = offset - in_root_[b];
  }
  for (uint32_t b = 0; b < n; ++b) {
    const std::optional<uint64_t>& fixed = fixed_[Group(root_[b])];
    uint64_t end = fixed.value_or(0);
    if (CheckedAdd(&end, problem_.buffers[root_[b]].size)) continue;
    return InvalidProblem(
        absl::StrCat("buffers[", root_[b], "].size"), root_[b],
        absl::StrCat("by a buffer that is tied to it, it is fixed at ", *fixed, "; its ",
                     problem_.buffers[root_[b]].size, " bytes do not fit 64 bits from there"));
  }
  return absl::OkStatus();
}

void BodyMaker::MakePieces() {
  const uint32_t n = static_cast<uint32_t>(problem_.buffers.size());
  // Roots' live ranges, their views' among them, sorted by group.
  std::vector<std::pair<uint32_t, uint32_t>> by_root;  // group leader and root, a buffer
  by_root.reserve(n);
  for (uint32_t b = 0; b < n; ++b) by_root.push_back({root_[b], b});
  std::sort(by_root.begin(), by_root.end(), [this](const auto& x, const auto& y) {
    const uint32_t gx = Group(x.first);
    const uint32_t gy = Group(y.first);
    return gx != gy ? gx < gy : x < y;
  });
  body_of_group_.assign(n, kNoBody);
  std::vector<TimeRange> times;
  std::vector<LiveRoot> live;
  for (size_t i = 0; i < by_root.size();) {
    const uint32_t group = Group(by_root[i].first);
    live.clear();
    Body body;
    while (i < by_root.size() && Group(by_root[i].first) == group) {
      const uint32_t root = by_root[i].first;
      const AllocationBuffer& buffer = problem_.buffers[root];
      times.clear();
      for (; i < by_root.size() && by_root[i].first == root; ++i) {
        AppendLive(problem_.buffers[by_root[i].second], &times);
      }
      if (buffer.size == 0) continue;
      Unite(&times);
      if (times.empty()) continue;
      takes_room_[root] = 1;
      for (const TimeRange& time : times) live.push_back({time, buffer.size});
      const uint64_t alignment = std::max(buffer.alignment, problem_.alignment);
      // A multiple of both that is beyond all offsets leaves offset 0 only, as the limit does.
      const uint64_t factor = alignment / std::gcd(alignment, body.alignment);
      if (__builtin_mul_overflow(body.alignment, factor, &body.alignment) ||
          body.alignment > kMostBytes) {
        body.alignment = kMostBytes;
      }
    }
    if (live.empty()) continue;
    body_of_group_[group] = static_cast<uint32_t>(bodies_.packing.bodies.size());
    body.fixed = fixed_[group].has_value();
    body.offset = fixed_[group].value_or(0);
    if (body.fixed) body.alignment = 1;  // it lies where it lies
    bodies_.packing.bodies.push_back(body);
    AddPieces(body_of_group_[group], &live);
  }
}

// The largest size that is live, over time: a sweep that keeps the ends of what is live by size.
void BodyMaker::AddPieces(uint32_t body, std::vector<LiveRoot>* live) {
  std::sort(live->begin(), live->end(),
            [](const LiveRoot& a, const LiveRoot& b) { return a.time.lower < b.time.lower; });
  const auto add = [&](uint64_t lower, uint64_t upper, uint64_t size) {
    if (lower == upper) return;
    if (!pieces_.empty() && pieces_.back().body == body && pieces_.back().size == size &&
        pieces_.back().time.upper == lower) {
      pieces_.back().time.upper = upper;
    } else {
      pieces_.push_back({body, {lower, upper}, size});
    }
  };
  // A heap of what has begun, largest first; what has ended is taken off when it comes to the top.
  std::vector<std::pair<uint64_t, uint64_t>> heap;  // size, upper
  uint64_t now = 0;
  const auto play_until = [&](uint64_t time) {
    while (now < time && !heap.empty()) {
      const auto [size, upper] = heap.front();
      if (upper > now) {
        const uint64_t until = std::min(upper, time);
        add(now, until, size);
        now = until;
        continue;
      }
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    now = time;
  };
  for (const LiveRoot& root : *live) {
    play_until(root.time.lower);
    heap.push_back({root.size, root.time.upper});
    std::push_heap(heap.begin(), heap.end());
  }
  play_until(kNoOffset);
}

absl::Status BodyMaker::AddSeparations() {
  for (size_t i = 0; i < problem_.separate.size(); ++i) {
    const BufferPair& pair = problem_.separate[i];
    const auto binds = [this](uint32_t b) {
      return problem_.buffers[b].size != 0 && takes_room_[root_[b]];
    };
    if (!binds(pair.first) || !binds(pair.second)) continue;
    const uint32_t a = body_of_group_[Group(root_[pair.first])];
    const uint32_t b = body_of_group_[Group(root_[pair.second])];
    if (a == b) {
      return InvalidProblem(absl::StrCat("separate[", i, "]"), pair.first,
                            absl::StrCat("buffers ", pair.first, " and ", pair.second,
                                         " must share an offset by other fields"));
    }
    separations_.push_back({a, b, problem_.buffers[root_[pair.first]].size,
                            problem_.buffers[root_[pair.second]].size});
    if (a > b) {
      std::swap(separations_.back().body, separations_.back().other);
      std::swap(separations_.back().size, separations_.back().other_size);
    }
  }
  const auto key = [](const Separation& s) {
    return std::make_tuple(s.body, s.other, s.size, s.other_size);
  };
  std::sort(separations_.begin(), separations_.end(),
            [&](const Separation& x, const Separation& y) { return key(x) < key(y); });
  separations_.erase(
      std::unique(separations_.begin(), separations_.end(),
                  [&](const Separation& x, const Separation& y) { return key(x) == key(y); }),
      separations_.end());
  return absl::OkStatus();
}

// A section closes where something ends after something began.
void BodyMaker::FindSections() {
  struct Event {
    uint64_t time;
    bool begins;  // ends come first
    uint32_t piece;
  };
  std::vector<Event> events;
  events.reserve(2 * pieces_.size());
  for (uint32_t p = 0; p < pieces_.size(); ++p) {
    events.push_back({pieces_[p].time.lower, true, p});
    events.push_back({pieces_[p].time.upper, false, p});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    if (a.time != b.time) return a.time < b.time;
    if (a.begins != b.begins) return !a.begins;
    return a.piece < b.piece;
  });
  uint32_t section = 0;
  bool open = false;
  for (const Event& event : events) {
    if (event.begins) {
      pieces_[event.piece].first = section;
      open = true;
    } else {
      if (open) ++section;
      open = false;
      pieces_[event.piece].last = section;
    }
  }
  bodies_.packing.sections = section;
}

void BodyMaker::FindGrain() {
  uint64_t grain = 0;
  for (const Body& body : bodies_.packing.bodies) {
    grain = std::gcd(grain, body.fixed ? body.offset : body.alignment);
  }
  bodies_.packing.grain = grain == 0 ? 1 : grain;
}

void BodyMaker::FindStride() {
  Packing& packing = bodies_.packing;
  uint64_t stride = 0;
  for (size_t b = 0; b < packing.bodies.size(); ++b) {
    for (const Piece& piece : packing.pieces[b]) stride = std::gcd(stride, piece.rounded);
    if (packing.bodies[b].fixed) stride = std::gcd(stride, packing.bodies[b].offset);
  }
  const auto begins_at = [&](uint64_t offset) {  // whatever begins there is a multiple of the grain
    uint64_t up;
    if (CheckedAlignUp(offset, packing.grain, &up)) stride = std::gcd(stride, up);
  };
  if (packing.room != nullptr) {
    for (const uint64_t begin : packing.room->begins()) begins_at(begin);
  }
  // Rounding up to an alignment keeps multiples of the stride only where one divides the other.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Body& body : packing.bodies) {
      if (body.fixed || stride % body.alignment == 0 || body.alignment % stride == 0) continue;
      stride = std::gcd(stride, body.alignment);
      changed = true;
    }
  }
  packing.stride = std::max<uint64_t>(stride, 1);
}

void BodyMaker::Assemble() {
  Packing& packing = bodies_.packing;
  FindGrain();
  const auto rounded = [&](uint64_t size) {
    uint64_t up;
    return CheckedAlignUp(size, packing.grain, &up) ? up : size;  // checked with its alignment
  };
  // Sections of separations come behind, one each, in both bodies.
  std::vector<std::tuple<uint32_t, uint32_t, uint64_t>> extra;  // body, section, size
  for (const Separation& pair : separations_) {
    extra.push_back({pair.body, packing.sections, pair.size});
    extra.push_back({pair.other, packing.sections++, pair.other_size});
  }
  std::sort(extra.begin(), extra.end());
  packing.pieces.reserve(packing.bodies.size(), pieces_.size() + extra.size());
  size_t p = 0;
  size_t e = 0;
  for (uint32_t b = 0; b < packing.bodies.size(); ++b) {
    Body& body = packing.bodies[b];
    body.first = pieces_[p].first;
    for (; p < pieces_.size() && pieces_[p].body == b; ++p) {
      body.size = std::max(body.size, pieces_[p].size);
      packing.pieces.Add(
          {pieces_[p].first, pieces_[p].last, pieces_[p].size, rounded(pieces_[p].size)});
      body.last = pieces_[p].last;
    }
    body.rounded = rounded(body.size);
    for (; e < extra.size() && std::get<0>(extra[e]) == b; ++e) {
      const auto [unused, section, size] = extra[e];
      packing.pieces.Add({section, section + 1, size, rounded(size)});
      body.last = section + 1;
    }
    packing.pieces.EndRow();
  }
  if (!problem_.reserved.empty() || !problem_.boundaries.empty()) {
    packing.room =
        std::make_shared<const Room>(problem_.reserved, problem_.boundaries, packing.grain);
  }
  FindStride();

  const uint32_t n = static_cast<uint32_t>(problem_.buffers.size());
  bodies_.body_of.resize(n);
  bodies_.offset_in = in_root_;
  bodies_.loose_offset.assign(n, 0);
  std::vector<std::pair<uint32_t, uint32_t>> members;
  for (uint32_t b = 0; b < n; ++b) {
    const uint32_t group = Group(root_[b]);
    bodies_.body_of[b] = body_of_group_[group];
    if (bodies_.body_of[b] != kNoBody) {
      members.push_back({bodies_.body_of[b], b});
    } else if (fixed_[group].has_value()) {
      bodies_.loose_offset[b] = *fixed_[group];
    }
  }
  std::sort(members.begin(), members.end());
  size_t m = 0;
  for (uint32_t body = 0; body < packing.bodies.size(); ++body) {
    for (; m < members.size() && members[m].first == body; ++m)
      bodies_.members.Add(members[m].second);
    bodies_.members.EndRow();
  }
}

}  // namespace

std::vector<uint64_t> Bodies::BufferOffsets(const std::vector<uint64_t>& body_offsets) const {
  std::vector<uint64_t> offsets(body_of.size());
  for (size_t b = 0; b < offsets.size(); ++b) {
    offsets[b] = SaturatingAdd(body_of[b] == kNoBody ? loose_offset[b] : body_offsets[body_of[b]],
                               offset_in[b]);
  }
  return offsets;
}

absl::StatusOr<Bodies> MakeBodies(const AllocationProblem& problem) {
  return BodyMaker(problem).Make();
}

}  // namespace torqsched
