#include "src/verify/price.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "src/verify/latest_ends.h"

namespace torqsched::verify {
namespace {

// Until when transfers that are under way hold up which op. Times that do not fit 64 bits are cut:
// neither does a makespan then.
class TransfersUnderWay {
 public:
  explicit TransfersUnderWay(const PriceInput& input)
      : in_(input),
        handed_on_(input.stream.op_count(), 0),
        reads_(input.stream.buffer_count()),
        writes_(input.stream.buffer_count()),
        held_until_(input.stream.buffer_count(), 0) {}

  // When all that the op at this position waits for is over.
  uint64_t Before(OpIndex op, uint32_t position) const {
    uint64_t latest = in_.uses.born_at(position).empty() ? 0 : bytes_free_;
    for (const OpIndex operand : in_.stream.operands(op)) {
      latest = std::max(latest, handed_on_[operand]);
    }
    for (const Access& access : in_.stream.accesses(op)) {
      if (access.begin >= access.end) continue;
      const BufferIndex b = access.buffer;
      if (writes_[b].empty() && reads_[b].empty()) continue;  // no transfer has touched it
      const CellRange cells = in_.cells.Find(b, access.begin, access.end);
      if (!writes_[b].empty()) latest = std::max(latest, writes_[b].Max(cells));
      if (access.writes && !reads_[b].empty()) latest = std::max(latest, reads_[b].Max(cells));
    }
    return latest;
  }

  void Pure(OpIndex op) {
    for (const OpIndex operand : in_.stream.operands(op)) {
      handed_on_[op] = std::max(handed_on_[op], handed_on_[operand]);
    }
  }

  void Transfer(OpIndex op, Cycles end) {
    const uint64_t cut = absl::Uint128High64(end) != 0 ? std::numeric_limits<uint64_t>::max()
                                                       : absl::Uint128Low64(end);
    handed_on_[op] = cut;
    for (const Access& access : in_.stream.accesses(op)) {
      if (access.begin >= access.end) continue;
      const CellRange cells = in_.cells.Find(access.buffer, access.begin, access.end);
      if (access.reads) Raise(&reads_[access.buffer], access.buffer, cells, cut);
      if (access.writes) Raise(&writes_[access.buffer], access.buffer, cells, cut);
    }
    in_.uses.ForEach(op, [&](BufferIndex b) { held_until_[b] = std::max(held_until_[b], cut); });
  }

  // The op at this position, of any kind, has been issued.
  void Issued(uint32_t position) {
    for (const BufferIndex b : in_.uses.dies_at(position)) {
      bytes_free_ = std::max(bytes_free_, held_until_[b]);
    }
  }

 private:
  void Raise(LatestEnds<uint64_t>* ends, BufferIndex b, CellRange cells, uint64_t end) {
    if (ends->empty()) ends->Reset(in_.cells.count(b));
    ends->Raise(cells, end);
  }

  const PriceInput& in_;
  IndexVector<OpIndex, uint64_t> handed_on_;  // of a transfer its end, of a pure op its operands'
  IndexVector<BufferIndex, LatestEnds<uint64_t>> reads_;  // empty where no transfer reads
  IndexVector<BufferIndex, LatestEnds<uint64_t>> writes_;
  IndexVector<BufferIndex, uint64_t> held_until_;  // by transfers that use it
  uint64_t bytes_free_ = 0;  // when no transfer holds bytes of a buffer that has died
};

class Player {
 public:
  explicit Player(const PriceInput& input)
      : in_(input),
        clock_(input.hardware, std::clamp(input.hardware.slices, uint32_t{1}, kMostSlices)),
        program_end_(input.stream.op_count(), 0) {
    if (input.hardware.non_blocking_transfers) under_way_.emplace(input);
  }

  Cycles Play(const Placement* placement) {
    const Placement none;
    if (placement == nullptr) placement = &none;
    const std::vector<SwapTransfer>& transfers = placement->swap_transfers;
    std::vector<bool> evicted(in_.stream.buffer_count(), false);
    size_t move = 0;
    size_t next = 0;
    for (uint64_t entry = 0; entry < in_.order.size() + transfers.size(); ++entry) {
      for (; move < placement->moves.size() && placement->moves[move].entry == entry; ++move) {
        const Move& m = placement->moves[move];
        if (!m.in || evicted[m.buffer.value()]) clock_.DrainDma();  // out, or back
        evicted[m.buffer.value()] = !m.in;
      }
      const uint64_t swapped = entry - next;  // transfers so far
      if (swapped < transfers.size() && transfers[swapped].entry == entry) {
        const SwapTransfer& swap = transfers[swapped];
        clock_.SwapDma(swap.is_store, in_.stream.buffer(swap.buffer).size);
      } else {
        PlayOp(in_.order[next], static_cast<uint32_t>(next));
        ++next;
      }
    }
    return clock_.makespan();
  }

 private:
  void PlayOp(OpIndex index, uint32_t position) {
    const Op& op = in_.stream.op(index);
    Cycles after = 0;
    if (under_way_.has_value()) {
      after = op.kind == OpKind::kBarrier ? clock_.dma_end() : under_way_->Before(index, position);
    }
    switch (op.kind) {
      case OpKind::kPure:
        if (under_way_.has_value()) under_way_->Pure(index);
        break;
      case OpKind::kLoad:
      case OpKind::kStore: {
        const Cycles end = clock_.Dma(op.kind == OpKind::kStore, op.cycles, after);
        if (under_way_.has_value()) under_way_->Transfer(index, end);
        break;
      }
      case OpKind::kStart:
        program_end_[index] = clock_.Start(in_.slices[index], op.cycles, op.dma_share, after);
        break;
      case OpKind::kWait:
        clock_.Wait(program_end_[op.partner], after);
        break;
      case OpKind::kBarrier:
        clock_.Barrier(op.cycles, after);
        break;
    }
    if (under_way_.has_value()) under_way_->Issued(position);
  }

  const PriceInput& in_;
  OwnClock clock_;
  IndexVector<OpIndex, Cycles> program_end_;
  std::optional<TransfersUnderWay> under_way_;  // absent: transfers block the stream
};

}  // namespace

Cycles Price(const PriceInput& input, const Placement* placement) {
  return Player(input).Play(placement);
}

}  // namespace torqsched::verify
