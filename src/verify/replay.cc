// One class runs the placed stream; its methods are the events: a move in, a move out, a swap
// transfer, an op. The header has the rules that they check.
#include "src/verify/replay.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/verify/contents.h"
#include "src/verify/ranges.h"

namespace torqsched::verify {
namespace {

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();  // no entry

enum class Where : uint8_t { kAbsent, kIn, kEvicted, kDead };

struct Resident {
  Where where = Where::kAbsent;
  bool reported = false;  // that it is not in while used: once until it comes in
  uint64_t offset = 0;
  size_t range = 0;              // its number in TakenRanges
  uint64_t came_back = kNever;   // the entry before which it last came back
  uint64_t stored = kNever;      // the entry of a store that its eviction has not followed yet
  uint32_t running = 0;          // programs under way that use it
  OpIndex contents_reported_to;  // the last op that was told that its bytes are wrong
};

class Replay {
 public:
  Replay(const ReplayInput& input, const Placement& placement, Findings* findings)
      : in_(input),
        placement_(placement),
        findings_(findings),
        contents_(input.stream, input.cells),
        ranges_(Offsets(placement)),
        region_ends_(RegionEnds(input.hardware)),
        residents_(input.stream.buffer_count()) {}

  void Run() {
    for (const Move& move : placement_.moves) {
      if (move.in) continue;
      contents_.Watch(move.buffer);
      evicts_ = true;
    }
    const uint64_t entries = in_.order.size() + placement_.swap_transfers.size();
    size_t move = 0;
    size_t transfer = 0;
    for (entry_ = 0;; ++entry_) {
      for (; move < placement_.moves.size() && placement_.moves[move].entry == entry_; ++move) {
        placement_.moves[move].in ? MoveIn(move) : MoveOut(placement_.moves[move]);
      }
      CheckStoreWasFollowed();
      if (entry_ == 0) CheckLiveIn();
      if (entry_ == entries) break;
      if (transfer < placement_.swap_transfers.size() &&
          placement_.swap_transfers[transfer].entry == entry_) {
        Transfer(placement_.swap_transfers[transfer++]);
      } else {
        RunOp(in_.order[next_]);
        ++next_;
      }
    }
    CheckNumbers();
  }

 private:
  static std::vector<uint64_t> Offsets(const Placement& placement) {
    std::vector<uint64_t> offsets;
    offsets.reserve(placement.moves.size());
    for (const Move& move : placement.moves) offsets.push_back(move.offset);
    return offsets;
  }

  static std::vector<uint64_t> RegionEnds(const Hardware& hardware) {
    std::vector<uint64_t> ends;
    uint64_t end = 0;
    for (const uint64_t bytes : hardware.region_bytes) {
      end = bytes > kNever - end ? kNever : end + bytes;
      ends.push_back(end);
    }
    return ends;
  }

  const Buffer& buffer(BufferIndex b) const { return in_.stream.buffer(b); }
  // The op that moves and transfers at this entry are made for.
  OpIndex NextOp() const { return next_ < in_.order.size() ? in_.order[next_] : OpIndex(); }
  template <typename... Pieces>
  void Report(ViolationKind kind, BufferIndex b, const Pieces&... what) {
    findings_->Add(kind, NextOp(), b, what...);
  }

  uint64_t RoundedSize(BufferIndex b) const {
    const uint64_t alignment = std::max<uint64_t>(in_.hardware.alignment, 1);
    const uint64_t rest = buffer(b).size % alignment;
    // Near 2^64 rounding is left out: such a buffer is outside LRAM anyway.
    const uint64_t added = rest == 0 ? 0 : alignment - rest;
    return added > kNever - buffer(b).size ? buffer(b).size : buffer(b).size + added;
  }

  void MoveIn(size_t number);
  void CheckBirth(BufferIndex b);
  void CheckRange(const Move& move, uint64_t end);
  void MoveOut(const Move& move);
  void Leave(BufferIndex b, Where where);
  void Transfer(const SwapTransfer& transfer);
  void CheckStoreWasFollowed();
  void CheckLiveIn();
  void RunOp(OpIndex op);
  void CheckUses(OpIndex op);
  void CheckReads(OpIndex op);
  void CountBankConflicts(OpIndex op);
  void CountProgram(OpIndex op);
  void CheckNumbers();

  const ReplayInput in_;
  const Placement& placement_;
  Findings* const findings_;
  Contents contents_;
  TakenRanges ranges_;
  const std::vector<uint64_t> region_ends_;  // of LRAM, ascending; empty: one region
  IndexVector<BufferIndex, Resident> residents_;
  bool evicts_ = false;       // whether any move is an eviction
  uint64_t entry_ = 0;        // of the placed stream
  size_t next_ = 0;           // the next op, as a position in the order
  BufferIndex stored_;        // whose store was the entry before this one
  size_t evicted_alive_ = 0;  // evicted buffers that have later users
  std::vector<std::pair<uint64_t, BufferIndex>> read_banks_;  // of one op
  absl::uint128 bank_conflicts_ = 0;
  bool banks_known_ = true;
  absl::uint128 in_use_ = 0;  // rounded bytes
  absl::uint128 peak_ = 0;
};

void Replay::MoveIn(size_t number) {
  const Move& move = placement_.moves[number];
  const BufferIndex b = move.buffer;
  if (!in_.uses.takes_room(b)) return;  // without bytes: may be listed, needs nothing
  Resident& resident = residents_[b];
  if (!in_.uses.lives(b) || resident.where == Where::kDead) {
    Report(ViolationKind::kSwap, b, "comes in, but nothing uses it",
           resident.where == Where::kDead ? " any more" : "");
    return;
  }
  if (resident.where == Where::kIn) {
    Report(ViolationKind::kSwap, b, "comes in, but is in already");
    return;
  }
  if (resident.where == Where::kEvicted) {
    resident.came_back = entry_;
    --evicted_alive_;
  } else {
    CheckBirth(b);
  }
  const uint64_t end =
      move.offset > kNever - buffer(b).size ? kNever : move.offset + buffer(b).size;
  CheckRange(move, end);
  resident.where = Where::kIn;
  resident.reported = false;
  resident.offset = move.offset;
  resident.range = number;
  ranges_.Take(number, end);
  in_use_ += RoundedSize(b);
  peak_ = std::max(peak_, in_use_);
}

void Replay::CheckBirth(BufferIndex b) {
  if (residents_[b].reported) return;  // too late, which has been said
  if (buffer(b).live_in) {
    if (entry_ != 0) Report(ViolationKind::kSwap, b, "is live in, but comes in after entry 0");
    return;
  }
  const OpIndex op = NextOp();
  if (op.present() &&
      (in_.position[op] == in_.uses.life(b).first || in_.stream.op(op).alloc == b)) {
    return;
  }
  Report(ViolationKind::kSwap, b, "comes in neither at its first user nor at its alloc");
}

void Replay::CheckRange(const Move& move, uint64_t end) {
  const BufferIndex b = move.buffer;
  const Hardware& hardware = in_.hardware;
  const uint64_t usable = hardware.lram_bytes < hardware.lram_reserved_bytes
                              ? 0
                              : hardware.lram_bytes - hardware.lram_reserved_bytes;
  if (end > usable || end - move.offset < buffer(b).size) {
    Report(ViolationKind::kPlacement, b, buffer(b).size, " bytes at offset ", move.offset,
           " end beyond the ", usable, " usable ones");
  }
  const auto region_end = std::upper_bound(region_ends_.begin(), region_ends_.end(), move.offset);
  if (region_end != region_ends_.end() && end > *region_end && end <= usable) {
    Report(ViolationKind::kPlacement, b, buffer(b).size, " bytes at offset ", move.offset,
           " lie in two regions of LRAM: one ends at ", *region_end);
  }
  const uint64_t alignment = std::max({hardware.alignment, buffer(b).alignment, uint64_t{1}});
  if (buffer(b).has_fixed_offset) {
    if (move.offset != buffer(b).fixed_offset) {
      Report(ViolationKind::kPlacement, b, "is at offset ", move.offset, ", but fixed at ",
             buffer(b).fixed_offset);
    }
  } else if (move.offset % alignment != 0) {
    Report(ViolationKind::kPlacement, b, "is at offset ", move.offset, ", no multiple of ",
           alignment);
  }
  const size_t other = ranges_.Meets(move.offset, end);
  if (other != TakenRanges::kNone) {
    const Move& taken = placement_.moves[other];
    Report(ViolationKind::kOverlap, b, "takes ", buffer(b).size, " bytes at offset ", move.offset,
           ", but ", in_.stream.Describe(taken.buffer), " has ", buffer(taken.buffer).size, " at ",
           taken.offset);
  }
}

void Replay::MoveOut(const Move& move) {
  const BufferIndex b = move.buffer;
  Resident& resident = residents_[b];
  // What is missing is missing by its own fault; only say here what makes it no eviction.
  if (resident.where != Where::kIn) {
    Report(ViolationKind::kSwap, b, "is evicted, but is not in");
    return;
  }
  if (move.offset != resident.offset) {
    Report(ViolationKind::kSwap, b, "is evicted from offset ", move.offset, ", but is at ",
           resident.offset);
  }
  if (buffer(b).has_fixed_offset || buffer(b).live_in || buffer(b).live_out) {
    Report(ViolationKind::kSwap, b, "is evicted, but ",
           buffer(b).has_fixed_offset ? "has a fixed offset"
           : buffer(b).live_in        ? "is live in"
                                      : "is live out");
  }
  if (resident.running > 0) {
    Report(ViolationKind::kSwap, b, "is evicted while a program that uses it runs");
  }
  resident.stored = kNever;
  contents_.Evict(b);
  Leave(b, Where::kEvicted);
  ++evicted_alive_;
}

void Replay::Leave(BufferIndex b, Where where) {
  Resident& resident = residents_[b];
  ranges_.Give(resident.range);
  in_use_ -= RoundedSize(b);
  resident.where = where;
}

void Replay::Transfer(const SwapTransfer& transfer) {
  const BufferIndex b = transfer.buffer;
  Resident& resident = residents_[b];
  const char* const what = transfer.is_store ? "a swap store" : "a swap load";
  if (resident.where != Where::kIn) {
    Report(ViolationKind::kSwap, b, what, " of it, but it is not in");
    return;
  }
  if (transfer.offset != resident.offset) {
    Report(ViolationKind::kSwap, b, what, " at offset ", transfer.offset, ", but it is at ",
           resident.offset);
  }
  if (transfer.is_store) {
    stored_ = b;
    resident.stored = entry_;
    if (contents_.watches(b)) contents_.Store(b);
  } else if (resident.came_back == entry_) {
    contents_.Load(b);
  } else {
    Report(ViolationKind::kSwap, b, "a swap load of it, but it does not come back just before");
  }
}

void Replay::CheckStoreWasFollowed() {
  if (!stored_.present()) return;
  if (residents_[stored_].stored != kNever) {
    Report(ViolationKind::kSwap, stored_, "a swap store of it, but it is not evicted just after");
    residents_[stored_].stored = kNever;
  }
  stored_ = BufferIndex();
}

void Replay::CheckLiveIn() {
  for (const BufferIndex b : in_.uses.live_in()) {
    if (residents_[b].where == Where::kIn) continue;
    residents_[b].reported = true;
    findings_->Add(ViolationKind::kPlacement, OpIndex(), b,
                   "is live in, but has no range before the first op");
  }
}

void Replay::RunOp(OpIndex op) {
  if (in_.stream.op(op).kind == OpKind::kPure) return;
  CheckUses(op);
  CheckReads(op);
  CountBankConflicts(op);
  contents_.Write(op);
  CountProgram(op);
  for (const BufferIndex b : in_.uses.dies_at(in_.position[op])) {
    if (residents_[b].where == Where::kIn) Leave(b, Where::kDead);
    if (residents_[b].where == Where::kEvicted) --evicted_alive_;
    residents_[b].where = Where::kDead;
  }
}

// A buffer that never came in is found at its first user; only evicted ones need a look at all that
// an op uses.
void Replay::CheckUses(OpIndex op) {
  const auto miss = [this](BufferIndex b) {
    Resident& resident = residents_[b];
    if (resident.where == Where::kIn || resident.reported) return;
    resident.reported = true;
    Report(ViolationKind::kPlacement, b, "is used, but has no range",
           resident.where == Where::kEvicted ? ": it was evicted" : "");
  };
  for (const BufferIndex b : in_.uses.born_at(in_.position[op])) miss(b);
  if (evicted_alive_ > 0) in_.uses.ForEach(op, miss);
}

void Replay::CheckReads(OpIndex op) {
  if (!evicts_) return;
  for (const Access& access : in_.stream.accesses(op)) {
    Resident& resident = residents_[access.buffer];
    if (resident.where != Where::kIn || resident.contents_reported_to == op) continue;
    const auto lost = contents_.FirstLost(access);
    if (!lost.has_value()) continue;
    resident.contents_reported_to = op;
    Report(ViolationKind::kContents, access.buffer, "reads bytes ", access.begin, " to ",
           access.end, "; from byte ", *lost, " on an eviction lost what was written");
  }
}

void Replay::CountBankConflicts(OpIndex op) {
  const uint64_t bank_bytes = in_.hardware.bank_bytes;
  if (bank_bytes == 0 || !placement_.bank_conflicts.has_value()) return;
  read_banks_.clear();
  for (const Access& access : in_.stream.accesses(op)) {
    if (!access.reads || access.begin >= access.end) continue;
    if (!in_.uses.takes_room(access.buffer)) continue;  // not in LRAM
    // What is not in is a fault of its own.
    if (residents_[access.buffer].where != Where::kIn) banks_known_ = false;
    const absl::uint128 first =
        absl::uint128(in_.hardware.lram_reserved_bytes) + residents_[access.buffer].offset;
    read_banks_.push_back({absl::Uint128Low64(first / bank_bytes), access.buffer});
  }
  std::sort(read_banks_.begin(), read_banks_.end());
  read_banks_.erase(std::unique(read_banks_.begin(), read_banks_.end()), read_banks_.end());
  uint64_t before = 0;  // in the same bank
  for (size_t i = 1; i < read_banks_.size(); ++i) {
    before = read_banks_[i].first == read_banks_[i - 1].first ? before + 1 : 0;
    bank_conflicts_ += before;
  }
}

void Replay::CountProgram(OpIndex op) {
  if (!evicts_) return;
  const OpKind kind = in_.stream.op(op).kind;
  if (kind != OpKind::kStart && kind != OpKind::kWait) return;
  const OpIndex start = kind == OpKind::kStart ? op : in_.stream.op(op).partner;
  const OpIndex wait = in_.stream.op(start).partner;
  if (in_.position[wait] < in_.position[start]) return;  // never under way
  in_.uses.ForEach(start, [&](BufferIndex b) {
    kind == OpKind::kStart ? ++residents_[b].running : --residents_[b].running;
  });
}

void Replay::CheckNumbers() {
  uint64_t evictions = 0;
  uint64_t stores = 0;
  absl::uint128 bytes = 0;
  for (const Move& move : placement_.moves) evictions += move.in ? 0 : 1;
  for (const SwapTransfer& transfer : placement_.swap_transfers) {
    stores += transfer.is_store ? 1 : 0;
    bytes += buffer(transfer.buffer).size;
  }
  const uint64_t loads = placement_.swap_transfers.size() - stores;
  const auto compare = [this](ViolationKind kind, const char* what, uint64_t claimed,
                              absl::uint128 found) {
    if (claimed == found) return;
    if (absl::Uint128High64(found) != 0) {
      if (claimed == UINT64_MAX) return;  // as answers say it
      findings_->Add(kind, OpIndex(), BufferIndex(), what, " do not fit 64 bits, claimed are ",
                     claimed);
      return;
    }
    findings_->Add(kind, OpIndex(), BufferIndex(), what, " are ", absl::Uint128Low64(found),
                   ", claimed are ", claimed);
  };
  compare(ViolationKind::kSwap, "evictions", placement_.swaps, evictions);
  compare(ViolationKind::kSwap, "swap stores", placement_.stores, stores);
  compare(ViolationKind::kSwap, "swap loads", placement_.loads, loads);
  compare(ViolationKind::kSwap, "bytes of swap transfers", placement_.swap_bytes, bytes);
  compare(ViolationKind::kPeak, "most rounded bytes in use", placement_.peak, peak_);
  if (placement_.bank_conflicts.has_value() && banks_known_) {
    compare(ViolationKind::kBanks, "bank conflicts", *placement_.bank_conflicts, bank_conflicts_);
  }
}

}  // namespace

bool CheckEntries(const Stream& stream, const Placement& placement, Findings* findings) {
  bool sound = true;
  const auto report = [&](BufferIndex b, const auto&... what) {
    sound = false;
    const bool exists = b.value() < stream.buffer_count();
    findings->Add(ViolationKind::kSwap, OpIndex(), exists ? b : BufferIndex(), what...);
  };
  const auto check_buffer = [&](BufferIndex b, const char* what, size_t nth) {
    if (b.value() >= stream.buffer_count()) {
      report(b, what, nth, " is of a buffer that does not exist");
    } else if (stream.buffer(b).space != Space::kLram) {
      report(b, what, nth, " is of a buffer that is not in LRAM");
    }
  };
  const uint64_t entries = stream.op_count() + placement.swap_transfers.size();
  uint64_t least = 0;
  for (size_t i = 0; i < placement.swap_transfers.size(); ++i) {
    const SwapTransfer& transfer = placement.swap_transfers[i];
    check_buffer(transfer.buffer, "swap transfer ", i);
    if (transfer.entry < least || transfer.entry >= entries) {
      report(transfer.buffer, "swap transfer ", i, " is at entry ", transfer.entry,
             "; expected ascending entries below ", entries);
    } else {
      least = transfer.entry + 1;
    }
  }
  least = 0;
  for (size_t i = 0; i < placement.moves.size(); ++i) {
    const Move& move = placement.moves[i];
    check_buffer(move.buffer, "move ", i);
    if (move.entry < least || move.entry > entries) {
      report(move.buffer, "move ", i, " is at entry ", move.entry,
             "; expected entries in order, up to ", entries);
    } else {
      least = move.entry;
    }
  }
  return sound;
}

void ReplayPlacement(const ReplayInput& input, const Placement& placement, Findings* findings) {
  Replay(input, placement, findings).Run();
}

}  // namespace torqsched::verify
