// The oracle SEQUENTIAL, step by step.
//
// The pool is a list of ranges, the residents a list in the order in which they came in. Whether an
// eviction needs a store and a return a load is found by walking the rest of the order.
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "tests/reference/arithmetic.h"
#include "tests/reference/facts.h"
#include "tests/reference/range_list.h"
#include "tests/reference/reference.h"
#include "tests/reference/simulate.h"

namespace torqsched::reference {
namespace {

class Sequential {
 public:
  Sequential(const Stream& stream, const Hardware& hardware, const std::vector<OpIndex>& order,
             const IndexVector<OpIndex, uint8_t>& slices, bool swaps_allowed)
      : stream_(stream),
        hardware_(hardware),
        order_(order),
        slices_(slices),
        swaps_allowed_(swaps_allowed),
        usable_(hardware.lram_bytes - hardware.lram_reserved_bytes),
        users_(UsersOfBuffers(stream)),
        pool_(usable_, hardware.region_bytes),
        clock_(stream, hardware),
        offset_of_(stream.buffer_count(), 0),
        out_(stream.op_count(), false) {}

  Placement Run() {
    if (!PlaceLiveIns()) return Failed();
    for (position_ = 0; position_ < order_.size(); ++position_) {
      const OpIndex op = order_[position_];
      if (IsPure(stream_, op) ? !PlaceAlloc(op) : !PlaceOp(op)) return Failed();
      bank_conflicts_ += BankConflicts(op);
      // "`simulate` prices it": the op in its place among the swap transfers.
      clock_.Run(op, slices_[op]);
      ++entries_;
    }
    placement_.placed = true;
    placement_.makespan = clock_.makespan();
    if (hardware_.bank_bytes != 0) placement_.bank_conflicts = bank_conflicts_;
    return placement_;
  }

 private:
  // Only the failure is told of an order that is not placed.
  Placement Failed() const {
    Placement failed;
    failed.failure = placement_.failure;
    return failed;
  }

  // "sizes rounded up to the hardware's alignment"
  uint64_t Rounded(BufferIndex buffer) const {
    const Wide alignment = hardware_.alignment;
    return Narrow((stream_.buffer(buffer).size + alignment - 1) / alignment * alignment);
  }

  // "a zero-sized buffer takes no part"
  bool TakesPart(BufferIndex buffer) const {
    return IsEverBorn(stream_, buffer, users_[buffer.value()]) && stream_.buffer(buffer).size != 0;
  }

  bool Resident(BufferIndex buffer) const {
    return std::find(residents_.begin(), residents_.end(), buffer) != residents_.end();
  }

  std::set<BufferIndex> UsesThatTakePart(OpIndex op) const {
    std::set<BufferIndex> uses;
    for (BufferIndex buffer : ReferenceUses(stream_, op)) {
      if (TakesPart(buffer)) uses.insert(buffer);
    }
    return uses;
  }

  // ---- the three kinds of arrivals -----------------------------------------------------------

  // "Live-in buffers are placed before the first op, by index; failing there names no op." They are
  // new buffers, all needed at once: steps 2 and 3.
  bool PlaceLiveIns() {
    std::vector<BufferIndex> live_ins;
    for (BufferIndex buffer : AllBuffers(stream_)) {
      if (TakesPart(buffer) && IsBornAtTheStart(stream_, buffer, users_[buffer.value()])) {
        live_ins.push_back(buffer);
      }
    }
    pinned_ = {};
    return PlaceAll(OpIndex(), live_ins);
  }

  // "Of the pure ops only allocs take part: an alloc takes its place where it stands in the order,
  // by steps 2 and 3, pinning nothing afterwards, unless its buffer has no users or is born
  // already".
  bool PlaceAlloc(OpIndex op) {
    const BufferIndex buffer = stream_.op(op).alloc;
    if (!buffer.present() || !TakesPart(buffer)) return true;
    if (users_[buffer.value()].empty() || born_.count(buffer) != 0) return true;
    pinned_ = PinnedByRunningPrograms();
    pinned_.insert(buffer);  // while it is placed
    return PlaceAll(op, {buffer});
  }

  bool PlaceOp(OpIndex op) {
    // "1. Pin the LRAM buffers that it uses. A program's stay pinned until its wait, any other op's
    // only while it is placed."
    const std::set<BufferIndex> uses = UsesThatTakePart(op);
    pinned_ = PinnedByRunningPrograms();
    pinned_.insert(uses.begin(), uses.end());
    // "3. Place them: swapped-out ones first, by buffer index, then new ones, by buffer index."
    std::vector<BufferIndex> needed;
    for (BufferIndex buffer : uses) {
      if (born_.count(buffer) != 0 && !Resident(buffer)) needed.push_back(buffer);
    }
    for (BufferIndex buffer : uses) {
      if (born_.count(buffer) == 0) needed.push_back(buffer);
    }
    if (!PlaceAll(op, needed)) return false;

    out_[op.value()] = true;
    if (IsProgram(stream_, op)) running_.insert(op);
    if (stream_.op(op).kind == OpKind::kWait) running_.erase(stream_.op(op).partner);
    // The XRAM copy is valid "from the store that an eviction makes until the next op that writes
    // the buffer (a program: its start)".
    for (BufferIndex buffer : AllBuffers(stream_)) {
      if (Writes(stream_, op, buffer)) copy_is_valid_.erase(buffer);
    }
    // "4. A buffer whose last user this was is freed."
    for (BufferIndex buffer : AllBuffers(stream_)) {
      if (!Resident(buffer) || stream_.buffer(buffer).live_out) continue;
      if (AllUsersAreOut(stream_, users_[buffer.value()], out_)) Remove(buffer);
    }
    return true;
  }

  std::set<BufferIndex> PinnedByRunningPrograms() const {
    std::set<BufferIndex> pinned;
    for (OpIndex start : running_) {
      const std::set<BufferIndex> uses = UsesThatTakePart(start);
      pinned.insert(uses.begin(), uses.end());
    }
    return pinned;
  }

  // ---- steps 2 and 3 -------------------------------------------------------------------------

  bool PlaceAll(OpIndex op, const std::vector<BufferIndex>& needed) {
    // "2. need = the rounded sizes of those not resident ... While used + need > usable: evict the
    // unpinned resident that came in first. None left: fail, capacity."
    Wide need = 0;
    for (BufferIndex buffer : needed) need += Rounded(buffer);
    while (Used() + need > usable_) {
      if (!EvictFirst()) return Fail(FailureReason::kCapacity, op, needed);
    }
    for (size_t i = 0; i < needed.size(); ++i) {
      const BufferIndex buffer = needed[i];
      std::optional<uint64_t> offset = pool_.Find(WishOf(buffer));
      // "No range: evict the unpinned resident that came in first and try again. None left: fail,
      // fragmentation if the free bytes would do, else capacity."
      while (!offset.has_value()) {
        if (!EvictFirst()) {
          const bool bytes_would_do = Used() + Rounded(buffer) <= usable_;
          return Fail(bytes_would_do ? FailureReason::kFragmentation : FailureReason::kCapacity, op,
                      std::vector<BufferIndex>(needed.begin() + i, needed.end()));
        }
        offset = pool_.Find(WishOf(buffer));
      }
      BringIn(buffer, *offset);
    }
    return true;
  }

  Wide Used() const {
    Wide used = 0;
    for (BufferIndex buffer : residents_) used += Rounded(buffer);
    return used;
  }

  // "offsets as in semantics.md, section 4; small_buffer_bytes is compared with the unrounded
  // size".
  RangeList::Wish WishOf(BufferIndex buffer) const {
    const Buffer& b = stream_.buffer(buffer);
    RangeList::Wish wish;
    wish.size = Rounded(buffer);
    wish.alignment = std::max(hardware_.alignment, b.alignment);
    wish.lowest = b.size < hardware_.small_buffer_bytes;
    if (b.has_fixed_offset) wish.fixed = b.fixed_offset;
    return wish;
  }

  void BringIn(BufferIndex buffer, uint64_t offset) {
    const bool comes_back = !born_.insert(buffer).second;
    pool_.Take(buffer, offset, Rounded(buffer));
    residents_.push_back(buffer);
    offset_of_[buffer.value()] = offset;
    placement_.peak = std::max(placement_.peak, Narrow(Used()));
    placement_.moves.push_back({entries_, true, buffer, offset});
    // "coming back costs a blocking load of the whole buffer, at a new offset."
    if (comes_back) clock_.WaitForAll();
    if (comes_back && ReturnNeedsLoad(buffer)) {
      ++placement_.loads;
      Swap(buffer, /*is_store=*/false);
    }
  }

  void Remove(BufferIndex buffer) {
    pool_.Free(buffer);
    residents_.erase(std::remove(residents_.begin(), residents_.end(), buffer), residents_.end());
  }

  // False where there is no victim, or swaps are forbidden: "the first eviction is the failure".
  bool EvictFirst() {
    if (!swaps_allowed_) return false;
    for (BufferIndex victim : residents_) {
      const Buffer& b = stream_.buffer(victim);
      // "A fixed-offset or live-in/live-out buffer is never a victim."
      if (pinned_.count(victim) != 0 || b.has_fixed_offset || b.live_in || b.live_out) continue;
      // "Before an eviction the stream waits for all transfers."
      clock_.WaitForAll();
      // "An eviction costs a blocking store of the whole buffer, then frees its range".
      if (EvictionNeedsStore(victim)) {
        ++placement_.stores;
        Swap(victim, /*is_store=*/true);
        copy_is_valid_.insert(victim);
      }
      ++placement_.swaps;
      placement_.moves.push_back({entries_, false, victim, offset_of_[victim.value()]});
      Remove(victim);
      return true;
    }
    return false;
  }

  // "No store where the XRAM copy is valid, or where nothing will read it again before it is fully
  // overwritten". The op that is being placed does not access the victim, so its turn is looked at
  // with the rest.
  bool EvictionNeedsStore(BufferIndex buffer) const {
    if (copy_is_valid_.count(buffer) != 0) return false;
    for (size_t i = position_; i < order_.size(); ++i) {
      if (ReadsBytesOf(stream_, order_[i], buffer)) return true;
      if (Overwrites(stream_, order_[i], buffer)) return false;
    }
    return false;
  }

  // "no load where its next access overwrites all of it; neither where it has no later user": "only
  // accesses count", so a buffer that is only viewed from here on needs no contents.
  bool ReturnNeedsLoad(BufferIndex buffer) const {
    for (size_t i = position_; i < order_.size(); ++i) {
      if (Accesses(stream_, order_[i], buffer)) return !Overwrites(stream_, order_[i], buffer);
    }
    return false;
  }

  // "the pairs of LRAM buffers that it reads whose first bytes are in the same bank"
  uint64_t BankConflicts(OpIndex op) const {
    if (hardware_.bank_bytes == 0) return 0;
    std::vector<Wide> banks;
    for (BufferIndex buffer : AllBuffers(stream_)) {
      if (!IsLram(stream_, buffer) || !ReadsBytesOf(stream_, op, buffer)) continue;
      banks.push_back((Wide(hardware_.lram_reserved_bytes) + offset_of_[buffer.value()]) /
                      hardware_.bank_bytes);
    }
    uint64_t pairs = 0;
    for (size_t a = 0; a < banks.size(); ++a) {
      for (size_t b = a + 1; b < banks.size(); ++b) pairs += banks[a] == banks[b];
    }
    return pairs;
  }

  void Swap(BufferIndex buffer, bool is_store) {
    const uint64_t size = stream_.buffer(buffer).size;
    placement_.swap_transfers.push_back({entries_, is_store, buffer, offset_of_[buffer.value()]});
    placement_.swap_bytes = Sum(placement_.swap_bytes, size);
    // "Cycles are those of the unrounded size."
    clock_.Swap(is_store, CyclesOfTransfer(hardware_, size));
    ++entries_;
  }

  bool Fail(FailureReason reason, OpIndex op, const std::vector<BufferIndex>& needed) {
    PlacementFailure& failure = placement_.failure;
    failure.reason = reason;
    failure.op = op;
    failure.buffers = needed;
    // "pinned bytes (the rounded sizes of the residents that this op or a running program uses)"
    Wide pinned = 0;
    for (BufferIndex buffer : residents_) {
      if (pinned_.count(buffer) != 0) pinned += Rounded(buffer);
    }
    failure.pinned_bytes = Narrow(pinned);
    failure.free_bytes = pool_.free_bytes();
    failure.largest_range = pool_.largest_gap();
    return false;
  }

  const Stream& stream_;
  const Hardware& hardware_;
  const std::vector<OpIndex>& order_;
  const IndexVector<OpIndex, uint8_t>& slices_;
  const bool swaps_allowed_;
  const uint64_t usable_;
  const std::vector<std::set<OpIndex>> users_;  // of each buffer

  RangeList pool_;
  SimpleClock clock_;
  std::vector<BufferIndex> residents_;  // as they came in
  std::vector<uint64_t> offset_of_;     // of each buffer that ever came in, its latest
  std::set<BufferIndex> born_;
  std::set<BufferIndex> pinned_;  // while one op is placed
  std::set<BufferIndex> copy_is_valid_;
  std::set<OpIndex> running_;  // starts whose wait has not come
  std::vector<bool> out_;      // of each op
  size_t position_ = 0;        // in the order
  uint64_t entries_ = 0;       // of the placed stream so far
  uint64_t bank_conflicts_ = 0;
  Placement placement_;
};

}  // namespace

Placement ReferenceSequential(const Stream& stream, const Hardware& hardware,
                              const std::vector<OpIndex>& order,
                              const IndexVector<OpIndex, uint8_t>& slices, bool swaps_allowed) {
  return Sequential(stream, hardware, order, slices, swaps_allowed).Run();
}

}  // namespace torqsched::reference
