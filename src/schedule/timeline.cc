#include "src/schedule/timeline.h"

#include <algorithm>
#include <tuple>

#include "absl/numeric/int128.h"
#include "src/graph/lifetimes.h"
#include "src/hardware/clock.h"

namespace torqsched {
namespace {

struct Interval {
  uint64_t begin;
  uint64_t end;
};

// Sorts, and joins what touches or overlaps.
void Unite(std::vector<Interval>* intervals) {
  std::sort(intervals->begin(), intervals->end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const Interval& i : *intervals) {
    if (kept != 0 && i.begin <= (*intervals)[kept - 1].end) {
      (*intervals)[kept - 1].end = std::max((*intervals)[kept - 1].end, i.end);
    } else {
      (*intervals)[kept++] = i;
    }
  }
  intervals->resize(kept);
}

uint64_t Length(const std::vector<Interval>& united) {
  uint64_t length = 0;
  for (const Interval& i : united) length += i.end - i.begin;
  return length;
}

uint64_t CommonLength(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  uint64_t length = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const uint64_t begin = std::max(a[i].begin, b[j].begin);
    const uint64_t end = std::min(a[i].end, b[j].end);
    if (begin < end) length += end - begin;
    ++(a[i].end < b[j].end ? i : j);
  }
  return length;
}

class Player {
 public:
  Player(const Stream& stream, const Hardware& hardware, std::vector<Span>* timeline)
      : stream_(stream),
        hardware_(hardware),
        timeline_(timeline),
        clock_(hardware),
        program_end_(stream.op_count(), 0),
        slice_cycles_(hardware.slices, 0) {}

  void PlaySwap(const SwapTransfer& swap) {
    const uint64_t cycles = TransferCycles(hardware_, stream_.buffer(swap.buffer).size);
    const uint64_t before = clock_.now();
    clock_.Transfer(cycles);
    const uint64_t begin = clock_.now() - cycles;
    AddBlock(before, begin);
    Span span = SpanOf(Lane::kDma, OpIndex(), begin, clock_.now());
    span.buffer = swap.buffer;
    span.is_store = swap.is_store;
    AddTransfer(span);
  }

  void PlayOp(OpIndex index, uint32_t slice) {
    const Op& op = stream_.op(index);
    const uint64_t before = clock_.now();
    const uint64_t dma_before = clock_.dma_free();
    switch (op.kind) {
      case OpKind::kPure:
        return;
      case OpKind::kLoad:
      case OpKind::kStore: {
        clock_.Transfer(op.cycles);
        const uint64_t begin = clock_.now() - op.cycles;
        AddBlock(before, begin);
        Span span = SpanOf(Lane::kDma, index, begin, clock_.now());
        span.is_store = op.kind == OpKind::kStore;
        AddTransfer(span);
        return;
      }
      case OpKind::kStart: {
        const uint64_t end = clock_.Start(slice, op.cycles);
        program_end_[index] = end;
        Span span = SpanOf(Lane::kSlice, index, end - op.cycles, end);
        span.slice = slice;
        if (op.cycles != 0) programs_.push_back({span.begin, span.end});
        slice_cycles_[slice] += op.cycles;
        AddSpan(span);
        break;
      }
      case OpKind::kWait:
        clock_.WaitUntil(program_end_[op.partner]);
        break;
      case OpKind::kBarrier:
        clock_.Barrier(op.cycles);
        break;
    }
    // A block transfer comes before the op, if there is one.
    const uint64_t begin = clock_.dma_free() == dma_before ? before : clock_.dma_free();
    AddBlock(before, begin);
    if (op.kind != OpKind::kStart) AddSpan(SpanOf(Lane::kStream, index, begin, clock_.now()));
  }

  uint64_t Finish(Statistics* statistics) {
    Unite(&transfers_);
    Unite(&programs_);
    statistics->dma_cycles = Length(transfers_);
    statistics->slice_cycles = slice_cycles_;
    statistics->compute_cycles = 0;
    for (const uint64_t cycles : slice_cycles_) statistics->compute_cycles += cycles;
    statistics->overlap_cycles = CommonLength(transfers_, programs_);
    statistics->idle_cycles =
        clock_.makespan() - statistics->dma_cycles - Length(programs_) + statistics->overlap_cycles;
    if (timeline_ != nullptr) {
      std::stable_sort(timeline_->begin(), timeline_->end(),
                       [](const Span& a, const Span& b) { return a.begin < b.begin; });
    }
    return clock_.makespan();
  }

 private:
  static Span SpanOf(Lane lane, OpIndex op, uint64_t begin, uint64_t end) {
    Span span;
    span.lane = lane;
    span.op = op;
    span.begin = begin;
    span.end = end;
    return span;
  }

  void AddSpan(const Span& span) {
    if (timeline_ != nullptr && span.begin != span.end) timeline_->push_back(span);
  }

  void AddTransfer(const Span& span) {
    if (span.begin == span.end) return;
    if (!transfers_.empty() && transfers_.back().end == span.begin) {
      transfers_.back().end = span.end;
    } else {
      transfers_.push_back({span.begin, span.end});
    }
    AddSpan(span);
  }

  void AddBlock(uint64_t begin, uint64_t end) {
    AddTransfer(SpanOf(Lane::kDma, OpIndex(), begin, end));
  }

  const Stream& stream_;
  const Hardware& hardware_;
  std::vector<Span>* const timeline_;
  Clock clock_;
  IndexVector<OpIndex, uint64_t> program_end_;
  std::vector<uint64_t> slice_cycles_;
  std::vector<Interval> transfers_;
  std::vector<Interval> programs_;
};

}  // namespace

uint64_t PlayTimeline(const Stream& stream, const Hardware& hardware, const Schedule& schedule,
                      const std::vector<SwapTransfer>& swap_transfers, Statistics* statistics,
                      std::vector<Span>* timeline) {
  Player player(stream, hardware, timeline);
  uint64_t entry = 0;
  auto swap = swap_transfers.begin();
  for (const OpIndex op : schedule.order) {
    for (; swap != swap_transfers.end() && swap->entry <= entry; ++swap, ++entry) {
      player.PlaySwap(*swap);
    }
    player.PlayOp(op, schedule.slice[op]);
    ++entry;
  }
  for (; swap != swap_transfers.end(); ++swap) player.PlaySwap(*swap);
  return player.Finish(statistics);
}

uint64_t PeakLiveBytes(const Stream& stream, const Lifetimes& lifetimes,
                       const std::vector<OpIndex>& order) {
  IndexVector<BufferIndex, uint32_t> users_left(stream.buffer_count());
  IndexVector<BufferIndex, uint8_t> born(stream.buffer_count(), 0);
  absl::uint128 live = 0;
  absl::uint128 peak = 0;
  const auto be_born = [&](BufferIndex b) {
    if (born[b]) return;
    born[b] = 1;
    live += stream.buffer(b).size;
    peak = std::max(peak, live);
  };
  const auto end_uses = [&](OpIndex user) {
    for (const BufferIndex b : lifetimes.uses(user)) {
      if (--users_left[b] == 0 && !stream.buffer(b).live_out) live -= stream.buffer(b).size;
    }
  };
  for (uint32_t b = 0; b < stream.buffer_count(); ++b) {
    users_left[BufferIndex(b)] = static_cast<uint32_t>(lifetimes.users(BufferIndex(b)).size());
  }
  for (const BufferIndex b : lifetimes.live_in()) be_born(b);
  for (const OpIndex op : order) {
    for (const BufferIndex b : lifetimes.uses(op)) be_born(b);
    if (stream.op(op).kind == OpKind::kWait) end_uses(stream.op(op).partner);
    if (stream.op(op).kind != OpKind::kStart) end_uses(op);
  }
  return absl::Uint128High64(peak) != 0 ? UINT64_MAX : absl::Uint128Low64(peak);
}

}  // namespace torqsched
