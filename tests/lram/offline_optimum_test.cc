// How far the choice of evictions is from the best there is: on tiny streams every set of gaps is
// tried.
//
// The optimum here is a second, literal implementation: which positions a buffer may be out at, and
// what each set of evictions moves, come from a walk over the order that knows nothing of gaps,
// versions or heaps. It asks for bytes only (live sums that fit at every position), so no placement
// can move fewer, and one that has to fit real offsets may have to move more.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/lram/offline.h"
#include "src/lram/offline_evictions.h"
#include "src/lram/offline_gaps.h"
#include "src/lram/offline_plan.h"
#include "src/lram/sequential.h"
#include "src/schedule/input_schedule.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::MakeRandomStream;
using reference::RandomStream;
using reference::Shape;
using reference::SplitMix64;

constexpr uint64_t kStreams = 400;
constexpr size_t kMostGaps = 12;
constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();

// One buffer that may be evicted: its positions, one by one.
struct Track {
  uint64_t size = 0;
  uint64_t rounded = 0;
  std::vector<bool> live, used;
  struct Touch {
    bool reads = false, writes = false, covers = false, refills = false, accessed = false;
  };
  std::vector<Touch> touches;
  std::vector<std::pair<size_t, size_t>> gaps;  // [first, end)
};

class Optimum {
 public:
  Optimum(const Stream& stream, const Hardware& hardware, const Lifetimes& lifetimes,
          const std::vector<OpIndex>& order)
      : n_(order.size()), usable_(hardware.usable_bytes()), base_(n_, 0) {
    std::vector<Track> tracks(stream.buffer_count());
    for (size_t b = 0; b < tracks.size(); ++b) {
      const Buffer& buffer = stream.buffer(BufferIndex(b));
      Track& t = tracks[b];
      t.size = buffer.size;
      t.rounded = (buffer.size + hardware.alignment - 1) / hardware.alignment * hardware.alignment;
      t.live.assign(n_, false);
      t.used.assign(n_, false);
      t.touches.resize(n_);
    }
    std::vector<size_t> wait_at(stream.op_count(), 0);
    for (size_t p = 0; p < n_; ++p) {
      if (stream.op(order[p]).kind == OpKind::kWait) {
        wait_at[stream.op(order[p]).partner.value()] = p;
      }
    }
    for (size_t p = 0; p < n_; ++p) {
      const OpIndex op = order[p];
      const size_t last = stream.op(op).kind == OpKind::kStart ? wait_at[op.value()] : p;
      for (const BufferIndex b : lifetimes.uses(op)) {
        for (size_t q = p; q <= last; ++q) tracks[b.value()].used[q] = true;
      }
      bool constant = false;
      bool other = false;
      for (const Access& a : stream.accesses(op)) {
        if (!a.reads) continue;
        constant |= stream.buffer(a.buffer).constant;
        other |= !stream.buffer(a.buffer).constant;
      }
      for (const Access& a : stream.accesses(op)) {
        Track::Touch& touch = tracks[a.buffer.value()].touches[p];
        touch.accessed = true;
        if (a.begin == a.end) continue;
        touch.reads |= a.reads;
        touch.writes |= a.writes;
        touch.covers |= a.writes && a.begin == 0 && a.end == stream.buffer(a.buffer).size;
        touch.refills = stream.op(op).kind == OpKind::kLoad && constant && !other;
      }
    }
    for (size_t b = 0; b < tracks.size(); ++b) {
      const Buffer& buffer = stream.buffer(BufferIndex(b));
      if (buffer.space == Space::kLram && buffer.size != 0) AddTrack(buffer, &tracks[b]);
    }
  }

  size_t gap_count() const { return gap_count_; }

  // The fewest bytes that any set of evictions moves with which live sums fit; kNone: none fits.
  uint64_t Best() const {
    uint64_t best = kNone;
    for (uint64_t set = 0; set < uint64_t{1} << gap_count_; ++set) {
      if (Fits(set)) best = std::min(best, BytesOf(set));
    }
    return best;
  }

 private:
  void AddTrack(const Buffer& buffer, Track* t) {
    const auto first = std::find(t->used.begin(), t->used.end(), true);
    if (first == t->used.end()) {
      if (!(buffer.live_in && buffer.live_out)) return;
    }
    size_t begin = buffer.live_in ? 0 : static_cast<size_t>(first - t->used.begin());
    size_t end = n_;
    if (!buffer.live_out) {
      while (!t->used[end - 1]) --end;
    }
    for (size_t p = begin; p < end; ++p) base_[p] += t->rounded;
    if (buffer.has_fixed_offset || buffer.live_in || buffer.live_out) return;
    for (size_t p = begin; p < end;) {
      size_t q = p;
      while (q < end && !t->used[q]) ++q;
      if (q > p) t->gaps.push_back({p, q});
      p = std::max(q, p + 1);
    }
    if (t->gaps.empty()) return;
    gap_count_ += t->gaps.size();
    tracks_.push_back(*t);
  }

  bool Fits(uint64_t set) const {
    std::vector<uint64_t> live = base_;
    for (const Track& t : tracks_) {
      for (const auto& [first, end] : t.gaps) {
        if (set & 1) {
          for (size_t p = first; p < end; ++p) live[p] -= t.rounded;
        }
        set >>= 1;
      }
    }
    return *std::max_element(live.begin(), live.end()) <= usable_;
  }

  // Whether anything reads what the buffer holds before the op at `from`, from there on.
  bool Matters(const Track& t, size_t from) const {
    for (size_t p = from; p < n_; ++p) {
      if (t.touches[p].reads) return true;
      if (t.touches[p].covers) return false;
    }
    return false;
  }

  uint64_t BytesOf(uint64_t set) const {
    uint64_t bytes = 0;
    for (const Track& t : tracks_) {
      bool copy = false;       // XRAM has what LRAM has, or would have
      bool refillable = true;  // nothing but one load of constants has written it
      bool written = false;
      bool waits_for_load = false;  // contents that matter are in XRAM only
      size_t gap = 0;
      for (size_t p = 0; p < n_; ++p) {
        if (gap < t.gaps.size() && t.gaps[gap].first == p) {
          if (set >> gap & 1 && Matters(t, t.gaps[gap].second)) {
            if (!copy && !(written && refillable)) bytes += t.size;
            if (!(written && refillable)) copy = true;
            waits_for_load = true;
          }
          ++gap;
        }
        const Track::Touch& touch = t.touches[p];
        if (touch.accessed && waits_for_load) {
          bytes += t.size;
          waits_for_load = false;
        }
        if (!touch.writes) continue;
        copy = false;
        // Partial loads that add up are never seen as one: a second write ends it.
        refillable = touch.refills && (!written || touch.covers);
        written = true;
      }
      set >>= t.gaps.size();
    }
    return bytes;
  }

  const size_t n_;
  const uint64_t usable_;
  std::vector<uint64_t> base_;  // rounded live bytes by position
  std::vector<Track> tracks_;   // with gaps
  size_t gap_count_ = 0;
};

struct Totals {
  uint64_t streams = 0;
  uint64_t chosen_best = 0;  // streams in which the best sweep is optimal
  uint64_t best_bytes = 0;
  uint64_t chosen_bytes = 0;
  uint64_t answered = 0;
  uint64_t answered_best = 0;
  uint64_t answered_bytes = 0;
  uint64_t best_where_answered = 0;
  uint64_t sequential_bytes = 0;  // where it places
  uint64_t best_where_sequential = 0;
};

void Compare(uint64_t seed, Totals* totals) {
  Shape shape;
  shape.most_ops = 30;
  shape.most_buffers = 8;
  RandomStream random = MakeRandomStream(seed, shape);
  Hardware hardware = random.hardware;
  hardware.lram_bytes = hardware.lram_reserved_bytes + (uint64_t{1} << 40);
  auto problem = ScheduleProblem::Make(random.stream, hardware);
  if (!problem.ok()) return;
  const Schedule input = InputSchedule(random.stream);
  const auto ample = PlaceSequentially(**problem, input.order, input.slice, false);
  if (!ample.ok() || !ample->placed) return;
  SplitMix64 numbers(seed);
  hardware.lram_bytes = hardware.lram_reserved_bytes +
                        std::max<uint64_t>(ample->peak * numbers.Between(40, 99) / 100, 1);
  problem = ScheduleProblem::Make(random.stream, hardware);
  if (!problem.ok()) return;
  const Optimum optimum(random.stream, hardware, (*problem)->lifetimes, input.order);
  if (optimum.gap_count() == 0 || optimum.gap_count() > kMostGaps) return;
  const uint64_t best = optimum.Best();
  if (best == kNone || best == 0) return;

  const offline::Residency residency = offline::FindResidency(**problem, input.order, input.slice);
  ASSERT_EQ(residency.gaps.size(), optimum.gap_count());
  std::vector<int64_t> excess = offline::LiveSums(residency);
  for (int64_t& e : excess) e -= static_cast<int64_t>(hardware.usable_bytes());
  uint64_t chosen = kNone;
  for (const offline::SweepRule& rule : offline::kSweepRules) {
    offline::Plan plan =
        offline::WholeGaps(residency, offline::ChooseEvictions(residency, excess, rule));
    offline::SettleTransfers(residency, &plan);
    const auto price = offline::PriceOf(residency, plan);
    ASSERT_TRUE(price.has_value());
    EXPECT_GE(price->swap_bytes, best);
    chosen = std::min(chosen, price->swap_bytes);
  }
  const OfflinePlacement answer = PlaceOffline(**problem, input.order, input.slice, true);
  if (answer.placement.placed && hardware.usable_bytes() % hardware.alignment == 0) {
    EXPECT_GE(answer.placement.swap_bytes, best);
  }
  ++totals->streams;
  totals->chosen_best += chosen == best;
  totals->best_bytes += best;
  totals->chosen_bytes += chosen;
  if (answer.placement.placed) {
    ++totals->answered;
    totals->answered_best += answer.placement.swap_bytes == best;
    totals->answered_bytes += answer.placement.swap_bytes;
    totals->best_where_answered += best;
  }
  if (!answer.sequential.placed) return;
  totals->sequential_bytes += answer.sequential.swap_bytes;
  totals->best_where_sequential += best;
}

TEST(OfflineOptimum, NoSetOfEvictionsMovesFewerBytesThanTheBestAndTheChoiceIsNearIt) {
  Totals totals;
  for (uint64_t seed = 1; totals.streams < kStreams; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Compare(seed, &totals);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  std::cout << totals.streams << " tiny streams: the best moves " << totals.best_bytes
            << " bytes, the best sweep " << totals.chosen_bytes << " (optimal in "
            << totals.chosen_best << ")\n"
            << totals.answered << " of them placed: best " << totals.best_where_answered
            << ", answers " << totals.answered_bytes << " (optimal in " << totals.answered_best
            << ")\nwhere SEQUENTIAL places: best " << totals.best_where_sequential
            << ", SEQUENTIAL " << totals.sequential_bytes << "\n";
  // Two choices of a hundred may miss the optimum, and by a hundredth of the bytes altogether.
  EXPECT_GE(totals.chosen_best * 50, totals.streams * 49);
  EXPECT_LE(totals.chosen_bytes * 100, totals.best_bytes * 101);
}

}  // namespace
}  // namespace torqsched
