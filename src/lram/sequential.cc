#include "src/lram/sequential.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/graph/order_clock.h"
#include "src/lram/address_space.h"
#include "src/lram/banks.h"
#include "src/lram/future_accesses.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"
#include "src/stream/ordered_index_set.h"

namespace torqsched {
namespace {

// Invariants between ops: used_ is the sum of the rounded sizes of the residents, and pool_ holds
// exactly their ranges; evictable_ holds the entry stamps of the residents that may be evicted and
// that no running program uses (only where swaps are allowed).
class SequentialAllocator {
 public:
  SequentialAllocator(const ScheduleProblem& problem, const std::vector<OpIndex>& order,
                      const IndexVector<OpIndex, uint8_t>& slices, bool swaps_allowed)
      : stream_(problem.stream),
        hardware_(problem.hardware),
        lifetimes_(problem.lifetimes),
        order_(order),
        slices_(slices),
        swaps_allowed_(swaps_allowed),
        pool_(hardware_.usable_bytes(), hardware_.alignment, LramRegions(hardware_).boundaries()),
        clock_(problem),
        state_(stream_.buffer_count()) {}

  absl::StatusOr<Placement> Place() {
    for (uint32_t b = 0; b < stream_.buffer_count(); ++b) {
      state_[BufferIndex(b)].users_left =
          static_cast<uint32_t>(lifetimes_.users(BufferIndex(b)).size());
    }
    if (!PlaceLiveIn()) return std::move(placement_);
    for (position_ = 0; position_ < order_.size(); ++position_) {
      const OpIndex op = order_[position_];
      const bool placed = stream_.op(op).kind == OpKind::kPure ? PlaceAlloc(op) : PlaceUses(op);
      if (!placed) return std::move(placement_);
      Execute(op);
      if (clock_.overflowed() || swap_overflow_) return SwapsOverflow(op);
    }
    placement_.placed = true;
    placement_.makespan = clock_.makespan();
    CountBanks(stream_, hardware_, lifetimes_, order_, &placement_);
    return std::move(placement_);
  }

 private:
  enum class Where : uint8_t { kUnborn, kResident, kSwappedOut, kDead };

  struct BufferState {
    Where where = Where::kUnborn;
    bool copy_valid = false;  // the XRAM copy that an eviction stored is what LRAM holds
    uint32_t users_left = 0;
    uint32_t running_programs = 0;  // that use it
    uint32_t stamp = 0;             // when it came in
    uint64_t offset = 0;
  };

  // The size that the pool takes for it. Where rounding up leaves 64 bits, more than any pool has.
  absl::uint128 RoundedSize(BufferIndex b) const {
    uint64_t rounded;
    if (!CheckedAlignUp(stream_.buffer(b).size, hardware_.alignment, &rounded)) {
      return absl::MakeUint128(1, 0);
    }
    return rounded;
  }

  bool MayBeVictim(BufferIndex b) const {
    const Buffer& buffer = stream_.buffer(b);
    return !buffer.has_fixed_offset && !buffer.live_in && !buffer.live_out;
  }

  bool PlaceLiveIn() {
    absl::uint128 need = 0;
    for (const BufferIndex b : lifetimes_.live_in()) need += RoundedSize(b);
    to_place_ = lifetimes_.live_in();
    return MakeRoom(need) && PlaceAll();
  }

  bool PlaceAlloc(OpIndex op) {
    const BufferIndex b = stream_.op(op).alloc;
    if (!b.present() || stream_.buffer(b).space != Space::kLram || stream_.buffer(b).size == 0 ||
        state_[b].where != Where::kUnborn || lifetimes_.users(b).empty()) {
      return true;
    }
    BeginPlacing(op);
    to_place_.assign(1, b);
    return MakeRoom(RoundedSize(b)) && PlaceAll();
  }

  void BeginPlacing(OpIndex op) {
    current_op_ = op;
    victim_cursor_ = 0;
  }

  bool PlaceUses(OpIndex op) {
    BeginPlacing(op);
    to_place_.clear();
    absl::uint128 need = 0;
    const Run<BufferIndex> uses = lifetimes_.uses(op);
    for (const Where where : {Where::kSwappedOut, Where::kUnborn}) {
      for (const BufferIndex b : uses) {
        if (state_[b].where != where || stream_.buffer(b).size == 0) continue;
        to_place_.push_back(b);
        need += RoundedSize(b);
      }
    }
    return to_place_.empty() || (MakeRoom(need) && PlaceAll());
  }

  // Step 2: evicts until the bytes would do.
  bool MakeRoom(absl::uint128 need) {
    while (need + used_ > hardware_.usable_bytes()) {
      if (!EvictOne()) return Fail(0, FailureReason::kCapacity);
    }
    return true;
  }

  // Step 3: gives each a range, evicting while there is none.
  bool PlaceAll() {
    for (size_t i = 0; i < to_place_.size(); ++i) {
      const BufferIndex b = to_place_[i];
      const uint64_t size = absl::Uint128Low64(RoundedSize(b));
      std::optional<uint64_t> offset;
      while (!(offset = TakePlace(&pool_, stream_.buffer(b), size, hardware_.small_buffer_bytes))) {
        if (EvictOne()) continue;
        return Fail(i, pool_.free_bytes() >= size ? FailureReason::kFragmentation
                                                  : FailureReason::kCapacity);
      }
      ComeIn(b, *offset, size);
    }
    return true;
  }

  void ComeIn(BufferIndex b, uint64_t offset, uint64_t size) {
    BufferState& state = state_[b];
    const bool returns = state.where == Where::kSwappedOut;
    state.where = Where::kResident;
    state.offset = offset;
    used_ += size;
    placement_.peak = std::max(placement_.peak, used_);
    placement_.moves.push_back({entry_, true, b, offset});
    if (swaps_allowed_) {
      state.stamp = static_cast<uint32_t>(came_in_.size());
      came_in_.push_back(b);
      if (came_in_.size() > evictable_.universe()) evictable_.Grow(2 * came_in_.size());
      if (MayBeVictim(b)) evictable_.Insert(state.stamp);
    }
    if (!returns) return;
    clock_.BuffersMove();
    if (Future().NextNeedsContents(b, position_)) Swap(b, /*is_store=*/false);
  }

  bool UsedByCurrentOp(BufferIndex b) const {
    if (!current_op_.present()) return false;
    const Run<BufferIndex> uses = lifetimes_.uses(current_op_);
    return std::binary_search(uses.begin(), uses.end(), b);
  }

  bool EvictOne() {
    if (!swaps_allowed_) return false;
    // What stands before the cursor is gone or used by this op, and stays so until the op is
    // placed.
    uint32_t stamp = evictable_.FirstFrom(victim_cursor_);
    while (stamp != OrderedIndexSet::kNone && UsedByCurrentOp(came_in_[stamp])) {
      stamp = evictable_.FirstFrom(stamp + 1);
    }
    if (stamp == OrderedIndexSet::kNone) return false;
    victim_cursor_ = stamp + 1;
    const BufferIndex b = came_in_[stamp];
    BufferState& state = state_[b];
    ++placement_.swaps;
    clock_.BuffersMove();
    if (!state.copy_valid && Future().ContentsMatter(b, position_)) {
      Swap(b, /*is_store=*/true);
      state.copy_valid = true;
    }
    placement_.moves.push_back({entry_, false, b, state.offset});
    Release(b);
    state.where = Where::kSwappedOut;
    return true;
  }

  void Release(BufferIndex b) {
    BufferState& state = state_[b];
    const uint64_t size = absl::Uint128Low64(RoundedSize(b));
    pool_.Free(state.offset, size);
    used_ -= size;
    if (swaps_allowed_) evictable_.Erase(state.stamp);
  }

  void Swap(BufferIndex b, bool is_store) {
    const uint64_t size = stream_.buffer(b).size;
    placement_.swap_transfers.push_back({entry_++, is_store, b, state_[b].offset});
    ++(is_store ? placement_.stores : placement_.loads);
    const uint64_t cycles = TransferCycles(hardware_, size);
    placement_.swap_bytes = SaturatingAdd(placement_.swap_bytes, size);
    swap_overflow_ |= cycles == UINT64_MAX;
    clock_.Swap(is_store, cycles);
  }

  const FutureAccesses& Future() {
    if (future_ == nullptr) future_ = std::make_unique<FutureAccesses>(stream_, order_);
    return *future_;
  }

  void Execute(OpIndex index) {
    const Op& op = stream_.op(index);
    ++entry_;
    switch (op.kind) {
      case OpKind::kPure:
        return;
      case OpKind::kLoad:
      case OpKind::kStore:
        clock_.Transfer(index, op.cycles);
        break;
      case OpKind::kStart:
        clock_.Start(index, slices_[index], op.cycles);
        break;
      case OpKind::kWait:
        clock_.Wait(index);
        break;
      case OpKind::kBarrier:
        clock_.Barrier(index, op.cycles);
        break;
    }
    if (placement_.stores != 0) {  // else there are no copies
      for (const Access& a : stream_.accesses(index)) {
        if (a.writes) state_[a.buffer].copy_valid = false;
      }
    }
    if (op.kind == OpKind::kStart) {
      for (const BufferIndex b : lifetimes_.uses(index)) {
        if (state_[b].where != Where::kResident) continue;  // no bytes
        if (state_[b].running_programs++ == 0 && swaps_allowed_) evictable_.Erase(state_[b].stamp);
      }
      return;
    }
    if (op.kind == OpKind::kWait) {
      for (const BufferIndex b : lifetimes_.uses(op.partner)) {
        if (state_[b].where != Where::kResident) continue;  // no bytes
        if (--state_[b].running_programs == 0 && swaps_allowed_ && MayBeVictim(b)) {
          evictable_.Insert(state_[b].stamp);
        }
        EndUse(b);
      }
    }
    for (const BufferIndex b : lifetimes_.uses(index)) {
      if (state_[b].where == Where::kResident) EndUse(b);
    }
  }

  // Step 4.
  void EndUse(BufferIndex b) {
    if (--state_[b].users_left != 0 || stream_.buffer(b).live_out) return;
    Release(b);
    state_[b].where = Where::kDead;
  }

  bool Fail(size_t first_unplaced, FailureReason reason) {
    placement_ = Placement();  // what it did up to here is of no use to anybody
    PlacementFailure& failure = placement_.failure;
    failure.reason = reason;
    failure.op = current_op_;
    failure.buffers.assign(to_place_.begin() + first_unplaced, to_place_.end());
    for (uint32_t i = 0; i < stream_.buffer_count(); ++i) {
      const BufferIndex b(i);
      if (state_[b].where != Where::kResident) continue;
      if (state_[b].running_programs != 0 || UsedByCurrentOp(b)) {
        failure.pinned_bytes += absl::Uint128Low64(RoundedSize(b));
      }
    }
    failure.free_bytes = pool_.free_bytes();
    failure.largest_range = pool_.LargestRange();
    return false;
  }

  absl::Status SwapsOverflow(OpIndex op) const {
    return ErrorAt(absl::StatusCode::kOutOfRange,
                   absl::StrCat(stream_.Describe(op),
                                ": up to here the cycles of the stream and of the swaps that it "
                                "needs do not fit 64 bits"),
                   {absl::StrCat("stream.ops[", op.value(), "]"), op, BufferIndex()});
  }

  const Stream& stream_;
  const Hardware& hardware_;
  const Lifetimes& lifetimes_;
  const std::vector<OpIndex>& order_;
  const IndexVector<OpIndex, uint8_t>& slices_;
  const bool swaps_allowed_;

  AddressSpace pool_;
  OrderClock clock_;
  Placement placement_;
  IndexVector<BufferIndex, BufferState> state_;
  std::unique_ptr<FutureAccesses> future_;  // once something is evicted
  uint64_t used_ = 0;
  uint64_t entry_ = 0;          // of the placed stream: the next one
  bool swap_overflow_ = false;  // a single transfer took more cycles than 64 bits hold
  uint32_t position_ = 0;       // in order_
  OpIndex current_op_;          // absent while live-in buffers are placed
  uint32_t victim_cursor_ = 0;  // stamp from which on the current op looks for victims
  std::vector<BufferIndex> to_place_;
  std::vector<BufferIndex> came_in_;  // by stamp
  OrderedIndexSet evictable_;         // stamps
};

}  // namespace

absl::StatusOr<Placement> PlaceSequentially(const ScheduleProblem& problem,
                                            const std::vector<OpIndex>& order,
                                            const IndexVector<OpIndex, uint8_t>& slices,
                                            bool swaps_allowed) {
  return SequentialAllocator(problem, order, slices, swaps_allowed).Place();
}

}  // namespace torqsched
