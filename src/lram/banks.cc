#include "src/lram/banks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/lram/bank_spread.h"

namespace torqsched {
namespace {

// A placement as a BankProblem: runs the placed stream, as the checker does.
class StayWalk {
 public:
  StayWalk(const Stream& stream, const Hardware& hardware, const Lifetimes& lifetimes,
           const std::vector<OpIndex>& order, Placement* placement)
      : stream_(stream),
        hardware_(hardware),
        lifetimes_(lifetimes),
        order_(order),
        placement_(*placement),
        stay_(stream.buffer_count(), 0),
        users_left_(stream.buffer_count(), 0) {
    problem_.capacity = hardware.usable_bytes();
    problem_.boundaries = LramRegions(hardware).boundaries();
    problem_.bank_bytes = hardware.bank_bytes;
    problem_.first_byte = hardware.lram_reserved_bytes;
    for (uint32_t b = 0; b < stream.buffer_count(); ++b) {
      users_left_[BufferIndex(b)] = static_cast<uint32_t>(lifetimes.users(BufferIndex(b)).size());
    }
    Walk();
  }

  BankProblem& problem() { return problem_; }

  // The problem's offsets become the placement's.
  void WriteOffsets() {
    for (size_t m = 0; m < stay_of_move_.size(); ++m) {
      placement_.moves[m].offset = problem_.items[stay_of_move_[m]].offset;
    }
    for (size_t t = 0; t < stay_of_transfer_.size(); ++t) {
      placement_.swap_transfers[t].offset = problem_.items[stay_of_transfer_[t]].offset;
    }
  }

 private:
  void Walk() {
    size_t transfer = 0;
    size_t next_op = 0;
    const uint64_t entries = order_.size() + placement_.swap_transfers.size();
    for (uint64_t entry = 0; entry < entries; ++entry) {
      RunMoves(entry);
      if (transfer < placement_.swap_transfers.size() &&
          placement_.swap_transfers[transfer].entry == entry) {
        stay_of_transfer_.push_back(stay_[placement_.swap_transfers[transfer++].buffer]);
      } else {
        RunOp(order_[next_op++]);
      }
    }
    RunMoves(entries);  // of a stream without ops: what is live throughout
    const uint32_t end = static_cast<uint32_t>(stay_of_move_.size());
    for (BankItem& item : problem_.items) {
      if (item.end == 0) item.end = end;  // it never leaves
    }
  }

  void RunMoves(uint64_t entry) {
    while (stay_of_move_.size() < placement_.moves.size() &&
           placement_.moves[stay_of_move_.size()].entry == entry) {
      const Move& move = placement_.moves[stay_of_move_.size()];
      if (move.in) {
        ComeIn(move);
      } else {
        Leave(move.buffer);
      }
      stay_of_move_.push_back(stay_[move.buffer]);
    }
  }

  void ComeIn(const Move& move) {
    const Buffer& buffer = stream_.buffer(move.buffer);
    BankItem item;
    item.begin = static_cast<uint32_t>(stay_of_move_.size());
    item.size = buffer.size;
    item.offset = move.offset;
    item.alignment = std::max(hardware_.alignment, buffer.alignment);
    item.movable = !buffer.has_fixed_offset;
    stay_[move.buffer] = static_cast<uint32_t>(problem_.items.size());
    problem_.items.push_back(item);
  }

  void Leave(BufferIndex b) {
    problem_.items[stay_[b]].end = static_cast<uint32_t>(stay_of_move_.size());
  }

  void RunOp(OpIndex op) {
    if (stream_.op(op).kind == OpKind::kPure) return;
    ListReads(op);
    if (stream_.op(op).kind == OpKind::kStart) return;  // its uses end at its wait
    if (stream_.op(op).kind == OpKind::kWait) EndUses(lifetimes_.uses(stream_.op(op).partner));
    EndUses(lifetimes_.uses(op));
  }

  void ListReads(OpIndex op) {
    Rows<uint32_t>& reads = problem_.reads;
    for (const Access& access : stream_.accesses(op)) {
      if (!access.reads || access.begin == access.end) continue;
      if (stream_.buffer(access.buffer).space == Space::kLram) reads.Add(stay_[access.buffer]);
    }
    std::sort(reads.open_begin(), reads.open_end());
    const size_t count =
        static_cast<size_t>(std::unique(reads.open_begin(), reads.open_end()) - reads.open_begin());
    reads.TruncateOpen(count < 2 ? 0 : count);
    if (count >= 2) reads.EndRow();
  }

  void EndUses(Run<BufferIndex> uses) {
    for (const BufferIndex b : uses) {
      const Buffer& buffer = stream_.buffer(b);
      if (--users_left_[b] == 0 && !buffer.live_out && buffer.size != 0) Leave(b);
    }
  }

  const Stream& stream_;
  const Hardware& hardware_;
  const Lifetimes& lifetimes_;
  const std::vector<OpIndex>& order_;
  Placement& placement_;
  BankProblem problem_;                      // its items are the stays
  IndexVector<BufferIndex, uint32_t> stay_;  // the one that it is in, or was last
  IndexVector<BufferIndex, uint32_t> users_left_;
  std::vector<uint32_t> stay_of_move_;  // of those that were run
  std::vector<uint32_t> stay_of_transfer_;
};

bool HasBanks(const Hardware& hardware, const Placement& placement) {
  return hardware.bank_bytes != 0 && placement.placed && placement.has_detail;
}

}  // namespace

void CountBanks(const Stream& stream, const Hardware& hardware, const Lifetimes& lifetimes,
                const std::vector<OpIndex>& order, Placement* placement) {
  if (!HasBanks(hardware, *placement)) return;
  StayWalk walk(stream, hardware, lifetimes, order, placement);
  placement->bank_conflicts = CountBankConflicts(walk.problem());
}

void PreferBanks(const Stream& stream, const Hardware& hardware, const Lifetimes& lifetimes,
                 const std::vector<OpIndex>& order, Placement* placement) {
  if (!HasBanks(hardware, *placement)) return;
  StayWalk walk(stream, hardware, lifetimes, order, placement);
  SpreadOverBanks(&walk.problem());
  walk.WriteOffsets();
  placement->bank_conflicts = CountBankConflicts(walk.problem());
}

}  // namespace torqsched
