#include "src/schedule/timeline.h"

#include <algorithm>
#include <tuple>

#include "absl/numeric/int128.h"
#include "src/graph/order_clock.h"
#include "src/graph/placed_stream.h"

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

// OfOrder: OrderClock, or PlainOrderClock on a plain chip, where this is little else than the
// clock.
template <typename OfOrder>
class Player {
 public:
  Player(const ScheduleProblem& problem, std::vector<Span>* timeline)
      : stream_(problem.stream),
        hardware_(problem.hardware),
        timeline_(timeline),
        clock_(problem),
        slice_cycles_(problem.hardware.slices, 0) {}

  void BuffersMove() { clock_.BuffersMove(); }

  void PlaySwap(const SwapTransfer& swap) {
    const Ran ran =
        clock_.Swap(swap.is_store, TransferCycles(hardware_, stream_.buffer(swap.buffer).size));
    AddBlock();
    Span span = SpanOf(Lane::kDma, OpIndex(), ran);
    span.buffer = swap.buffer;
    span.is_store = swap.is_store;
    AddTransfer(span);
  }

  void PlayOp(OpIndex index, uint32_t slice) {
    const Op& op = stream_.op(index);
    switch (op.kind) {
      case OpKind::kPure:
        return;
      case OpKind::kLoad:
      case OpKind::kStore: {
        const Ran ran = clock_.Transfer(index, op.cycles);
        AddBlock();
        Span span = SpanOf(Lane::kDma, index, ran);
        span.is_store = op.kind == OpKind::kStore;
        return AddTransfer(span);
      }
      case OpKind::kStart: {
        const Ran ran = clock_.Start(index, slice, op.cycles);
        AddBlock();
        Span span = SpanOf(Lane::kSlice, index, ran);
        span.slice = slice;
        if (op.cycles != 0) programs_.push_back({span.begin, span.end});
        slice_cycles_[slice] += op.cycles;
        return AddSpan(span);
      }
      case OpKind::kWait: {
        const Ran ran = clock_.Wait(index);
        AddBlock();
        return AddSpan(SpanOf(Lane::kStream, index, ran));
      }
      case OpKind::kBarrier: {
        const Ran ran = clock_.Barrier(index, op.cycles);
        AddBlock();
        return AddSpan(SpanOf(Lane::kStream, index, ran));
      }
    }
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
  static Span SpanOf(Lane lane, OpIndex op, const Ran& ran) {
    Span span;
    span.lane = lane;
    span.op = op;
    span.begin = ran.begin;
    span.end = ran.end;
    span.engine = ran.engine;
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

  // The block transfer that came before this op or swap, if there was one.
  void AddBlock() {
    if (clock_.blocks() == blocks_) return;
    blocks_ = clock_.blocks();
    AddTransfer(SpanOf(Lane::kDma, OpIndex(), clock_.last_block()));
  }

  const Stream& stream_;
  const Hardware& hardware_;
  std::vector<Span>* const timeline_;
  OfOrder clock_;
  uint64_t blocks_ = 0;
  std::vector<uint64_t> slice_cycles_;
  std::vector<Interval> transfers_;
  std::vector<Interval> programs_;
};

template <typename OfOrder>
uint64_t Play(const ScheduleProblem& problem, const Schedule& schedule, const Placement& placement,
              Statistics* statistics, std::vector<Span>* timeline) {
  Player<OfOrder> player(problem, timeline);
  PlacedStream(schedule.order, placement)
      .ForEach([&] { player.BuffersMove(); },
               [&](const SwapTransfer& swap) { player.PlaySwap(swap); },
               [&](OpIndex op) { player.PlayOp(op, schedule.slice[op]); });
  return player.Finish(statistics);
}

}  // namespace

uint64_t PlayTimeline(const ScheduleProblem& problem, const Schedule& schedule,
                      const Placement& placement, Statistics* statistics,
                      std::vector<Span>* timeline) {
  return PlainOrderClock::Suffices(problem.stream, problem.hardware)
             ? Play<PlainOrderClock>(problem, schedule, placement, statistics, timeline)
             : Play<OrderClock>(problem, schedule, placement, statistics, timeline);
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
