#include "tests/reference/exhaustive.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/reference/arithmetic.h"
#include "tests/reference/facts.h"
#include "tests/reference/reference.h"

namespace torqsched::reference {
namespace {

constexpr uint64_t kNoWay = ~uint64_t{0};

// The condition of a buffer, in bits.
constexpr uint64_t kGone = 1;      // not in LRAM, though it is live
constexpr uint64_t kLost = 2;      // its contents are nowhere
constexpr uint64_t kCopy = 4;      // XRAM has them
constexpr uint64_t kRefill = 8;    // all that was written was written by one load from constants
constexpr uint64_t kWritten = 16;  // something else was written

// Times are told from the clock on; what lies before it is 0.
struct Moment {
  uint64_t out = 0;                   // ops, a bit each
  std::vector<uint64_t> slice_end;    // ascending: slices are alike
  std::vector<uint64_t> program_end;  // of starts that are out and not waited for, by op

  // With swaps: the condition of each buffer, and how many evictions are left.
  std::vector<uint64_t> condition;
  uint64_t evictions = 0;

  std::vector<uint64_t> Key() const {
    std::vector<uint64_t> key = {out, evictions};
    key.insert(key.end(), condition.begin(), condition.end());
    key.insert(key.end(), slice_end.begin(), slice_end.end());
    key.insert(key.end(), program_end.begin(), program_end.end());
    return key;
  }
};

struct KeyHash {
  size_t operator()(const std::vector<uint64_t>& key) const {
    uint64_t hash = 0;
    for (const uint64_t word : key) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

class Enumeration {
 public:
  Enumeration(const Stream& stream, const Hardware& hardware, size_t most_states,
              uint32_t evictions)
      : stream_(stream), hardware_(hardware), most_states_(most_states), evictions_(evictions) {
    for (const OpIndex op : AllOps(stream)) {
      if (!IsPure(stream, op)) ops_.push_back(op);
    }
  }

  ExhaustiveAnswer Solve() {
    if (ops_.size() > 64) return {};
    all_ = ops_.size() == 64 ? ~uint64_t{0} : (uint64_t{1} << ops_.size()) - 1;
    FillNeeds();
    FillBuffers();
    Moment start;
    start.slice_end.assign(hardware_.slices, 0);
    start.program_end.assign(ops_.size(), 0);
    if (evictions_ != 0) start.condition.assign(buffers_.size(), 0);
    start.evictions = evictions_;
    if (LiveBytes(start) > hardware_.usable_bytes()) return {true, std::nullopt};
    const uint64_t least = LeastRest(start);
    if (gave_up_) return {};
    return {true, least == kNoWay ? std::nullopt : std::optional<uint64_t>(least)};
  }

 private:
  struct User {
    uint64_t begins = 0;  // users, a program by its start
    uint64_t ends = 0;    // a program by its wait
    bool born_at_the_start = false;
    bool never_dies = false;
    uint64_t size = 0;
    BufferIndex index;
  };

  size_t NumberOf(OpIndex op) const {
    return std::find(ops_.begin(), ops_.end(), op) - ops_.begin();
  }

  void FillNeeds() {
    const std::vector<std::vector<bool>> needs = ReferenceNeeds(stream_);
    for (const OpIndex op : ops_) {
      uint64_t mask = 0;
      for (size_t i = 0; i < ops_.size(); ++i) {
        if (needs[op.value()][ops_[i].value()]) mask |= uint64_t{1} << i;
      }
      needs_.push_back(mask);
    }
  }

  void FillBuffers() {
    const std::vector<std::set<OpIndex>> users = UsersOfBuffers(stream_);
    for (const BufferIndex buffer : AllBuffers(stream_)) {
      if (!IsLram(stream_, buffer)) continue;
      if (!IsEverBorn(stream_, buffer, users[buffer.value()])) continue;
      User made;
      for (const OpIndex op : users[buffer.value()]) {
        made.begins |= uint64_t{1} << NumberOf(op);
        made.ends |= uint64_t{1} << NumberOf(EndOf(stream_, op));
      }
      made.born_at_the_start = IsBornAtTheStart(stream_, buffer, users[buffer.value()]);
      made.never_dies = stream_.buffer(buffer).live_out;
      made.size = stream_.buffer(buffer).size;
      made.index = buffer;
      buffers_.push_back(made);
    }
  }

  // "A buffer is born when its first user is emitted and dies when its last user has been."
  bool IsLive(size_t buffer, uint64_t out) const {
    const User& b = buffers_[buffer];
    const bool born = b.born_at_the_start || (b.begins & out) != 0;
    return born && (b.never_dies || (b.ends & ~out) != 0);
  }
  bool Has(const Moment& at, size_t buffer, uint64_t bit) const {
    return !at.condition.empty() && (at.condition[buffer] & bit) != 0;
  }
  Wide LiveBytes(const Moment& at) const {
    Wide bytes = 0;
    for (size_t b = 0; b < buffers_.size(); ++b) {
      if (IsLive(b, at.out) && !Has(at, b, kGone)) bytes += buffers_[b].size;
    }
    return bytes;
  }
  // While the op is emitted: what it brings in is there, and nothing has died yet.
  Wide LiveBytesWith(size_t op, const Moment& at) const {
    Wide bytes = LiveBytes(at);
    for (const User& b : buffers_) {
      const bool born = b.born_at_the_start || (b.begins & at.out) != 0;
      if (!born && (b.begins & uint64_t{1} << op) != 0) bytes += b.size;
    }
    return bytes;
  }

  // The least time that all other ops take from here.
  uint64_t LeastRest(const Moment& at) {
    if (at.out == all_) return 0;
    const std::vector<uint64_t> key = at.Key();
    const auto known = rest_.find(key);
    if (known != rest_.end()) return known->second;
    if (rest_.size() >= most_states_) gave_up_ = true;
    uint64_t least = kNoWay;
    for (size_t op = 0; op < ops_.size() && !gave_up_; ++op) {
      if ((at.out & uint64_t{1} << op) != 0 || (needs_[op] & ~at.out) != 0) continue;
      if (LiveBytesWith(op, at) > hardware_.usable_bytes()) continue;
      if (!HasContentsFor(op, at)) continue;
      least = std::min(least, LeastWith(at, op));
    }
    for (size_t b = 0; b < at.condition.size() && !gave_up_; ++b) {
      least = std::min(least, Has(at, b, kGone) ? LeastWithReturn(at, b) : LeastWithout(at, b));
    }
    rest_.emplace(key, least);
    return least;
  }

  bool HasContentsFor(size_t op, const Moment& at) const {
    for (size_t b = 0; b < at.condition.size(); ++b) {
      const bool uses = ((buffers_[b].begins | buffers_[b].ends) & uint64_t{1} << op) != 0;
      if (uses && Has(at, b, kGone)) return false;
      if (Has(at, b, kLost) && ReadsBytesOf(stream_, ops_[op], buffers_[b].index)) return false;
    }
    return true;
  }

  // The buffer leaves: with its contents, or without.
  uint64_t LeastWithout(const Moment& at, size_t buffer) {
    const User& b = buffers_[buffer];
    const Buffer& plain = stream_.buffer(b.index);
    const bool stays = plain.has_fixed_offset || plain.live_in || plain.live_out;
    if (at.evictions == 0 || stays || !IsLive(buffer, at.out) || (b.begins & ~at.out) == 0) {
      return kNoWay;
    }
    for (size_t op = 0; op < ops_.size(); ++op) {  // a program that runs uses it
      const uint64_t end = uint64_t{1} << NumberOf(EndOf(stream_, ops_[op]));
      const bool uses = (b.begins & at.out & uint64_t{1} << op) != 0;
      if (uses && (at.out & end) == 0) return kNoWay;
    }
    Moment next = at;
    --next.evictions;
    next.condition[buffer] |= kGone | kLost;
    uint64_t least = GoOn(next, 0, 0);
    if (Has(at, buffer, kLost)) return least;
    const bool free = Has(at, buffer, kCopy) || !Has(at, buffer, kWritten);
    next.condition[buffer] &= ~kLost;
    next.condition[buffer] |= kCopy;
    const uint64_t cycles = free ? 0 : CyclesOfTransfer(hardware_, b.size);
    return std::min(least, GoOn(next, 0, cycles));
  }

  // It comes back: with its contents, or without.
  uint64_t LeastWithReturn(const Moment& at, size_t buffer) {
    Moment next = at;
    next.condition[buffer] &= ~kGone;
    if (LiveBytes(next) > hardware_.usable_bytes()) return kNoWay;
    uint64_t least = kNoWay;
    if (!Has(at, buffer, kLost)) {
      least = GoOn(next, 0, CyclesOfTransfer(hardware_, buffers_[buffer].size));
    }
    next.condition[buffer] |= kLost;
    return std::min(least, GoOn(next, 0, 0));
  }

  // What the op's accesses make of the buffers' contents.
  void Touch(OpIndex op, Moment* at) const {
    bool constant = false, other = false;
    for (const Access& access : stream_.accesses(op)) {
      if (!access.reads || access.begin == access.end) continue;
      (stream_.buffer(access.buffer).constant ? constant : other) = true;
    }
    const bool refills = stream_.op(op).kind == OpKind::kLoad && constant && !other;
    for (size_t b = 0; b < at->condition.size(); ++b) {
      const BufferIndex buffer = buffers_[b].index;
      bool writes = false;
      for (const Access& access : stream_.accesses(op)) {
        writes |= access.buffer == buffer && access.writes && access.begin != access.end;
      }
      if (!writes) continue;
      uint64_t& condition = at->condition[b];
      const bool anew = Overwrites(stream_, op, buffer);
      const bool first = (condition & (kRefill | kWritten)) == 0;
      condition &= ~(kCopy | kRefill | kWritten | (anew ? kLost : 0));
      condition |= refills && (anew || first) ? kRefill : kWritten;
    }
  }

  uint64_t LeastWith(const Moment& at, size_t index) {
    const Op& op = stream_.op(ops_[index]);
    const uint64_t count = static_cast<uint64_t>(__builtin_popcountll(at.out)) + 1;
    uint64_t t = 0;
    if (hardware_.block_ops != 0 && count % hardware_.block_ops == 0) {
      t = CyclesOfTransfer(hardware_, hardware_.block_bytes);
    }
    switch (op.kind) {
      case OpKind::kStart: {
        uint64_t least = kNoWay;
        for (size_t slice = 0; slice < at.slice_end.size(); ++slice) {
          if (slice > 0 && at.slice_end[slice] == at.slice_end[slice - 1]) continue;
          Moment next = at;
          const uint64_t end = std::max(t, at.slice_end[slice]) + op.cycles;
          next.slice_end[slice] = end;
          next.program_end[index] = end;
          least = std::min(least, Emit(std::move(next), index, t + hardware_.start_cycles));
        }
        return least;
      }
      case OpKind::kWait: {
        Moment next = at;
        uint64_t& end = next.program_end[NumberOf(op.partner)];
        t = std::max(t, end);
        end = 0;
        return Emit(std::move(next), index, t);
      }
      default:
        return Emit(at, index, t + op.cycles);
    }
  }

  // The op is out, so many cycles have gone by.
  uint64_t Emit(Moment next, size_t index, uint64_t cycles) {
    Touch(ops_[index], &next);
    return GoOn(std::move(next), uint64_t{1} << index, cycles);
  }
  uint64_t GoOn(Moment next, uint64_t out, uint64_t cycles) {
    next.out |= out;
    for (uint64_t& end : next.slice_end) end -= std::min(end, cycles);
    for (uint64_t& end : next.program_end) end -= std::min(end, cycles);
    std::sort(next.slice_end.begin(), next.slice_end.end());
    const uint64_t rest = LeastRest(next);
    return rest == kNoWay ? kNoWay : cycles + rest;
  }

  const Stream& stream_;
  const Hardware& hardware_;
  const size_t most_states_;
  const uint32_t evictions_;
  bool gave_up_ = false;
  std::vector<OpIndex> ops_;  // those that are not pure
  uint64_t all_ = 0;
  std::vector<uint64_t> needs_;  // by op
  std::vector<User> buffers_;
  std::unordered_map<std::vector<uint64_t>, uint64_t, KeyHash> rest_;
};

}  // namespace

ExhaustiveAnswer ExhaustiveOptimum(const Stream& stream, const Hardware& hardware,
                                   size_t most_states, uint32_t evictions) {
  return Enumeration(stream, hardware, most_states, evictions).Solve();
}

}  // namespace torqsched::reference
