// Parts are led back to their wholes, and wholes that have the same offset are joined in families,
// whose members may share bytes. Then what can be said of each buffer by itself, of pairs, and one
// sweep over time for overlaps and the sum of live bytes.
#include "src/verify/allocation.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/verify/byte_owners.h"
#include "src/verify/findings.h"

namespace torqsched {
namespace verify {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

struct Namer {
  const BufferDescriber& describe;

  std::string Describe(OpIndex) const { return ""; }
  std::string Describe(BufferIndex b) const {
    return describe ? describe(b.value()) : absl::StrCat("buffer ", b.value());
  }
  std::string operator()(uint32_t b) const { return Describe(BufferIndex(b)); }
};

using AllocationFindings = FindingsAbout<Namer>;

// A run of time in which a whole is live, by itself or through one of its parts.
struct Block {
  uint32_t whole;
  TimeRange time;
};

// Calls visit(range) for each run of time in which the buffer itself is live.
template <typename Visit>
void ForEachRun(const AllocationBuffer& buffer, Visit visit) {
  std::vector<TimeRange> gaps = buffer.gaps;
  std::sort(gaps.begin(), gaps.end(),
            [](const TimeRange& a, const TimeRange& b) { return a.lower < b.lower; });
  uint64_t at = buffer.live.lower;
  for (const TimeRange& gap : gaps) {
    if (gap.lower == gap.upper) continue;
    if (at < gap.lower) visit(TimeRange{at, gap.lower});
    at = std::max(at, gap.upper);
  }
  if (at < buffer.live.upper) visit(TimeRange{at, buffer.live.upper});
}

class Checker {
 public:
  Checker(const AllocationProblem& problem, const AllocationAnswer& answer, const Namer& namer)
      : problem_(problem), answer_(answer), namer_(namer), findings_(namer) {}

  Verification Run() {
    FindWholes();
    FindFamilies();
    FindBlocks();
    CheckVerdict();
    CheckConflict();
    if (!answer_.offsets.empty() || answer_.verdict == AllocationVerdict::kPlaced) {
      has_offsets_ = CheckOffsetCount();
    }
    if (has_offsets_) CheckOffsets();
    Sweep();
    CheckNumbers();
    Verification result;
    result.peak_live_bytes = Saturated(peak_);
    result.height = height_;
    result.violations = std::move(findings_).Take();
    return result;
  }

 private:
  static uint64_t Saturated(absl::uint128 value) {
    return absl::Uint128High64(value) != 0 ? kMost : absl::Uint128Low64(value);
  }

  size_t count() const { return problem_.buffers.size(); }
  const AllocationBuffer& buffer(uint32_t b) const { return problem_.buffers[b]; }

  template <typename... Pieces>
  void Add(ViolationKind kind, const Pieces&... what) {
    findings_.Add(kind, OpIndex(), BufferIndex(), what...);
  }
  template <typename... Pieces>
  void AddAt(uint32_t b, ViolationKind kind, const Pieces&... what) {
    findings_.Add(kind, OpIndex(), BufferIndex(b), what...);
  }

  // The buffer that each is part of in the end, itself if of none. No circles, so each is settled
  // once.
  void FindWholes() {
    whole_.resize(count());
    std::iota(whole_.begin(), whole_.end(), 0);
    for (const AllocationAlias& alias : problem_.aliases) whole_[alias.buffer] = alias.of;
    std::vector<uint32_t> walk;
    for (uint32_t b = 0; b < count(); ++b) {
      uint32_t top = b;
      for (walk.clear(); whole_[top] != top; top = whole_[top]) walk.push_back(top);
      for (const uint32_t below : walk) whole_[below] = top;
    }
  }

  uint32_t FamilyOf(uint32_t b) {
    uint32_t top = whole_[b];
    while (family_[top] != top) top = family_[top] = family_[family_[top]];
    return top;
  }

  void FindFamilies() {
    family_.resize(count());
    std::iota(family_.begin(), family_.end(), 0);
    for (const BufferPair& pair : problem_.same_offset) {
      const uint32_t a = FamilyOf(pair.first);
      const uint32_t b = FamilyOf(pair.second);
      family_[std::max(a, b)] = std::min(a, b);
    }
    family_fixed_.assign(count(), false);
    family_size_.assign(count(), 0);
    for (uint32_t b = 0; b < count(); ++b) {
      ++family_size_[FamilyOf(b)];
      if (buffer(b).fixed_offset.has_value()) family_fixed_[FamilyOf(b)] = true;
    }
  }

  void FindBlocks() {
    takes_room_.assign(count(), false);
    for (uint32_t b = 0; b < count(); ++b) {
      const uint32_t whole = whole_[b];
      if (buffer(whole).size == 0) continue;
      ForEachRun(buffer(b), [&](const TimeRange& time) {
        blocks_.push_back({whole, time});
        takes_room_[whole] = true;
      });
    }
  }

  // What the parts of the answer say about each other.
  void CheckVerdict() {
    const bool placed = answer_.verdict == AllocationVerdict::kPlaced;
    if (answer_.verdict == AllocationVerdict::kInfeasible && !answer_.offsets.empty()) {
      Add(ViolationKind::kVerdict, "the verdict is infeasible, but there are offsets");
    }
    if (answer_.verdict == AllocationVerdict::kUndecided && !answer_.limit_hit &&
        !answer_.cancelled) {
      Add(ViolationKind::kVerdict, "the verdict is undecided, but no limit was hit");
    }
    if (answer_.verdict == AllocationVerdict::kInfeasible && problem_.capacity.has_value() &&
        answer_.lower_bound <= *problem_.capacity &&
        answer_.lower_bound != std::numeric_limits<uint64_t>::max()) {  // or more
      Add(ViolationKind::kVerdict, "the verdict is infeasible, but the lower bound ",
          answer_.lower_bound, " is within the capacity ", *problem_.capacity);
    }
    if (!problem_.capacity.has_value()) {
      bool fixed = false;
      for (const AllocationBuffer& b : problem_.buffers) fixed |= b.fixed_offset.has_value();
      if (answer_.verdict == AllocationVerdict::kInfeasible && !fixed &&
          answer_.lower_bound != std::numeric_limits<uint64_t>::max()) {
        Add(ViolationKind::kVerdict,
            "the verdict is infeasible, but there is neither a capacity nor a fixed offset");
      }
      if (answer_.verdict == AllocationVerdict::kUndecided && !answer_.offsets.empty()) {
        Add(ViolationKind::kVerdict,
            "the verdict is undecided, but without a capacity the placement in hand fits");
      }
    }
    if (answer_.proven_least && answer_.height > answer_.lower_bound) {
      Add(ViolationKind::kVerdict, "proven least, but the height ", answer_.height,
          " is above the lower bound ", answer_.lower_bound);
    }
    if (answer_.proven_least && !placed) {
      Add(ViolationKind::kVerdict, "proven least, but not placed");
    }
    if (placed && !answer_.proven_least && answer_.height == answer_.lower_bound) {
      Add(ViolationKind::kVerdict, "the height ", answer_.height, " is the lower bound ",
          answer_.lower_bound, ", but not proven least");
    }
    if (answer_.time_limit_hit && !answer_.limit_hit) {
      Add(ViolationKind::kVerdict, "the time limit was hit, but no limit was");
    }
  }

  void CheckConflict() {
    const std::vector<uint32_t>& conflict = answer_.conflict;
    const bool infeasible = answer_.verdict == AllocationVerdict::kInfeasible;
    if (infeasible && conflict.empty()) {
      Add(ViolationKind::kConflict, "the verdict is infeasible, but the conflict names no buffers");
    }
    if (!infeasible && !conflict.empty()) {
      Add(ViolationKind::kConflict, "the verdict is not infeasible, but there is a conflict");
    }
    if (answer_.conflict_minimal && conflict.empty()) {
      Add(ViolationKind::kConflict, "the conflict is called minimal, but there is none");
    }
    for (size_t i = 0; i < conflict.size(); ++i) {
      if (conflict[i] >= count()) {
        Add(ViolationKind::kConflict, "the conflict names buffer ", conflict[i], ", but there are ",
            count());
      } else if (i > 0 && conflict[i] <= conflict[i - 1]) {
        AddAt(conflict[i], ViolationKind::kConflict, "comes in the conflict after buffer ",
              conflict[i - 1], "; expected ascending positions");
      }
    }
  }

  bool CheckOffsetCount() {
    if (answer_.offsets.size() == count()) return true;
    Add(ViolationKind::kPlacement, answer_.offsets.size(), " offsets; expected one for each of ",
        count(), " buffers");
    return false;
  }

  void CheckOffsets() {
    std::vector<ByteRange> reserved;
    for (const ByteRange& range : problem_.reserved) {
      if (range.begin < range.end) reserved.push_back(range);
    }
    std::sort(reserved.begin(), reserved.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    // So that ends rise, too: what lies inside of another says nothing more.
    uint64_t end = 0;
    for (ByteRange& range : reserved) range.end = end = std::max(end, range.end);
    std::vector<uint64_t> boundaries = problem_.boundaries;
    std::sort(boundaries.begin(), boundaries.end());

    ends_.assign(count(), 0);
    for (uint32_t b = 0; b < count(); ++b) {
      CheckFixed(b);
      CheckAlignment(b);
      if (takes_room_[b]) CheckRange(b, reserved, boundaries);
    }
    CheckAliases();
    CheckSeparate();
  }

  void CheckFixed(uint32_t b) {
    const std::optional<uint64_t>& fixed = buffer(b).fixed_offset;
    if (!fixed.has_value() || *fixed == answer_.offsets[b]) return;
    AddAt(b, ViolationKind::kPlacement, "at ", answer_.offsets[b], ", but it is fixed at ", *fixed);
  }

  // Of a whole, unless something fixes it, or its offset is another's and it takes no room there.
  void CheckAlignment(uint32_t b) {
    const uint32_t family = FamilyOf(b);
    if (whole_[b] != b || family_fixed_[family]) return;
    if (!takes_room_[b] && family_size_[family] > 1) return;
    const uint64_t alignment = std::max(problem_.alignment, buffer(b).alignment);
    if (answer_.offsets[b] % alignment == 0) return;
    AddAt(b, ViolationKind::kPlacement, "at ", answer_.offsets[b], ", which is no multiple of ",
          alignment);
  }

  // Of a whole that takes room. Its end stays 0 where it has none within 64 bits.
  void CheckRange(uint32_t b, const std::vector<ByteRange>& reserved,
                  const std::vector<uint64_t>& boundaries) {
    const uint64_t begin = answer_.offsets[b];
    if (buffer(b).size > kMost - begin) {
      AddAt(b, ViolationKind::kPlacement, "at ", begin, ", ", buffer(b).size,
            " bytes from there do not fit 64 bits");
      return;
    }
    const uint64_t end = ends_[b] = begin + buffer(b).size;
    height_ = std::max(height_, end);
    // An undecided answer's placement is one that is too high.
    const bool limited =
        problem_.capacity.has_value() && answer_.verdict != AllocationVerdict::kUndecided;
    if (limited && end > *problem_.capacity) {
      AddAt(b, ViolationKind::kPlacement, "[", begin, ", ", end, ") ends above the capacity of ",
            *problem_.capacity);
    }
    const auto range =
        std::upper_bound(reserved.begin(), reserved.end(), begin,
                         [](uint64_t byte, const ByteRange& r) { return byte < r.end; });
    if (range != reserved.end() && range->begin < end) {
      AddAt(b, ViolationKind::kPlacement, "[", begin, ", ", end, ") meets reserved bytes [",
            range->begin, ", ", range->end, ")");
    }
    const auto boundary = std::upper_bound(boundaries.begin(), boundaries.end(), begin);
    if (boundary != boundaries.end() && *boundary < end) {
      AddAt(b, ViolationKind::kPlacement, "[", begin, ", ", end, ") straddles the boundary at ",
            *boundary);
    }
  }

  void CheckAliases() {
    for (const AllocationAlias& alias : problem_.aliases) {
      const absl::uint128 expected = absl::uint128(answer_.offsets[alias.of]) + alias.offset;
      if (expected == answer_.offsets[alias.buffer]) continue;
      AddAt(alias.buffer, ViolationKind::kAlias, "at ", answer_.offsets[alias.buffer],
            ", but it is byte ", alias.offset, " of ", namer_(alias.of), " at ",
            answer_.offsets[alias.of]);
    }
    for (const BufferPair& pair : problem_.same_offset) {
      const uint64_t first = answer_.offsets[pair.first];
      const uint64_t second = answer_.offsets[pair.second];
      if (first == second) continue;
      AddAt(pair.second, ViolationKind::kAlias, "at ", second, ", but it has the offset of ",
            namer_(pair.first), ", which is ", first);
    }
  }

  void CheckSeparate() {
    for (const BufferPair& pair : problem_.separate) {
      const uint32_t a = whole_[pair.first];
      const uint32_t b = whole_[pair.second];
      if (buffer(pair.first).size == 0 || buffer(pair.second).size == 0) continue;
      if (!takes_room_[a] || !takes_room_[b]) continue;
      if (answer_.offsets[a] >= ends_[b] || answer_.offsets[b] >= ends_[a]) continue;
      AddAt(pair.second, ViolationKind::kOverlap, Shown(b), " is to be separate from ",
            namer_(pair.first), " ", Shown(a));
    }
  }

  std::string Shown(uint32_t b) const {
    return absl::StrCat("[", answer_.offsets[b], ", ", ends_[b], ")");
  }

  // ---- The sweep ----

  struct Event {
    uint64_t time;
    bool begins;
    uint32_t block;
  };

  // In order of time; what ends comes before what begins then.
  std::vector<Event> Events() const {
    std::vector<Event> events;
    events.reserve(2 * blocks_.size());
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
      events.push_back({blocks_[i].time.lower, true, i});
      events.push_back({blocks_[i].time.upper, false, i});
    }
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      if (a.time != b.time) return a.time < b.time;
      if (a.begins != b.begins) return b.begins;
      return a.block < b.block;
    });
    return events;
  }

  size_t CellOf(uint64_t byte) const {
    return static_cast<size_t>(std::lower_bound(cells_.begin(), cells_.end(), byte) -
                               cells_.begin());
  }

  // Where there are offsets: the ends of ranges, and the families' members that take room.
  void PrepareBytes() {
    members_.resize(count());
    for (uint32_t b = 0; b < count(); ++b) {
      if (!takes_room_[b] || ends_[b] == 0) continue;
      cells_.push_back(answer_.offsets[b]);
      cells_.push_back(ends_[b]);
      members_[FamilyOf(b)].push_back(b);
    }
    std::sort(cells_.begin(), cells_.end());
    cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
  }

  void Sweep() {
    if (has_offsets_) PrepareBytes();
    ByteOwners owners(cells_.size());
    std::vector<std::map<uint64_t, uint32_t>> live_sizes(count());  // by family
    std::vector<bool> taken(blocks_.size(), false);
    live_blocks_.assign(count(), 0);
    overlaps_.assign(count(), false);
    absl::uint128 live = 0;
    for (const Event& event : Events()) {
      const uint32_t whole = blocks_[event.block].whole;
      const uint32_t family = FamilyOf(whole);
      std::map<uint64_t, uint32_t>& sizes = live_sizes[family];
      if (!sizes.empty()) live -= sizes.rbegin()->first;
      if (event.begins) {
        ++sizes[buffer(whole).size];
      } else if (auto size = sizes.find(buffer(whole).size); --size->second == 0) {
        sizes.erase(size);
      }
      if (!sizes.empty()) live += sizes.rbegin()->first;
      peak_ = std::max(peak_, live);
      if (!has_offsets_ || ends_[whole] == 0) continue;

      const size_t first = CellOf(answer_.offsets[whole]);
      const size_t last = CellOf(ends_[whole]);
      if (!event.begins) {
        if (!taken[event.block]) continue;
        owners.GiveBack(first, last, family);
        --live_blocks_[whole];
        continue;
      }
      const uint32_t other = owners.Other(first, last, family);
      if (other != ByteOwners::kNobody) {
        ReportOverlap(whole, other, event.time);
        continue;
      }
      taken[event.block] = true;
      owners.Take(first, last, family);
      ++live_blocks_[whole];
    }
  }

  // Once for each buffer that comes in over others.
  void ReportOverlap(uint32_t whole, uint32_t family, uint64_t time) {
    if (overlaps_[whole]) return;
    overlaps_[whole] = true;
    uint32_t other = family;
    if (findings_.found() < kMostViolations) {
      for (const uint32_t member : members_[family]) {
        const bool meets =
            answer_.offsets[member] < ends_[whole] && answer_.offsets[whole] < ends_[member];
        if (live_blocks_[member] != 0 && meets) other = member;
      }
    }
    AddAt(whole, ViolationKind::kOverlap, Shown(whole), " shares bytes with ", namer_(other), " ",
          Shown(other), ", both live at ", time);
  }

  void CheckNumbers() {
    if (answer_.lower_bound < Saturated(peak_)) {
      Add(ViolationKind::kLowerBound, "the lower bound is ", answer_.lower_bound, ", but ",
          Saturated(peak_), " bytes are live at once");
    }
    // Offsets that are not one for each buffer have no height.
    if (answer_.height != height_ && (has_offsets_ || answer_.offsets.empty())) {
      Add(ViolationKind::kHeight, "the height is ", height_, ", claimed is ", answer_.height);
    }
    if (!has_offsets_) return;
    if (answer_.verdict == AllocationVerdict::kUndecided && problem_.capacity.has_value() &&
        height_ <= *problem_.capacity) {
      Add(ViolationKind::kVerdict, "the verdict is undecided, but a placement of height ", height_,
          " fits the capacity of ", *problem_.capacity);
    }
    // A placement that does not hold proves nothing.
    if (findings_.found() == 0 && answer_.lower_bound > height_) {
      Add(ViolationKind::kLowerBound, "the lower bound is ", answer_.lower_bound,
          ", but a placement of height ", height_, " exists");
    }
  }

  const AllocationProblem& problem_;
  const AllocationAnswer& answer_;
  const Namer& namer_;
  AllocationFindings findings_;
  std::vector<uint32_t> whole_;   // by buffer
  std::vector<uint32_t> family_;  // by whole: union-find, the least index leads
  std::vector<bool> family_fixed_;
  std::vector<uint32_t> family_size_;  // parts of its members counted
  std::vector<bool> takes_room_;       // by buffer; wholes only
  std::vector<Block> blocks_;
  bool has_offsets_ = false;
  std::vector<uint64_t> ends_;  // by whole that takes room; 0: none within 64 bits
  uint64_t height_ = 0;
  absl::uint128 peak_ = 0;
  // Of the sweep.
  std::vector<uint64_t> cells_;
  std::vector<std::vector<uint32_t>> members_;  // by family
  std::vector<uint32_t> live_blocks_;           // by whole
  std::vector<bool> overlaps_;                  // by whole: reported
};

}  // namespace
}  // namespace verify

Verification VerifyAllocation(const AllocationProblem& problem, const AllocationAnswer& answer,
                              const BufferDescriber& describe) {
  const verify::Namer namer{describe};
  return verify::Checker(problem, answer, namer).Run();
}

}  // namespace torqsched
