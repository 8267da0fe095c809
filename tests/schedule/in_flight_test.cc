// What transfers under way may not be disturbed in: on random chips and streams, placed by either
// oracle with as little LRAM as they can do with, no two things that conflict run at once, by bytes
// of LRAM as they are really used and by the buffers of the stream.
//
// This looks at the timeline as a chip would: when each op is at work and which bytes it touches.
// It knows no rule about who waits for whom.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/lram/offline.h"
#include "src/lram/sequential.h"
#include "src/schedule/list_scheduler.h"
#include "src/schedule/timeline.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::MakeRandomStream;
using reference::RandomStream;
using reference::Shape;

// Something at work on some bytes of a buffer: [begin, end) in time and in bytes of the buffer.
struct Touch {
  uint64_t begin;
  uint64_t end;
  OpIndex op;  // absent: a swap
  BufferIndex buffer;
  bool writes;
  uint64_t first;
  uint64_t last;
  std::optional<uint64_t> offset;  // of the buffer in LRAM then
};

bool Meet(uint64_t a_begin, uint64_t a_end, uint64_t b_begin, uint64_t b_end) {
  return a_begin < b_end && b_begin < a_end;
}

class Chip {
 public:
  Chip(const ScheduleProblem& problem, const Schedule& schedule, const Placement& placement)
      : stream_(problem.stream), schedule_(schedule), placement_(placement) {
    Statistics unused;
    makespan_ = PlayTimeline(problem, schedule, placement, &unused, &spans_);
    FindOffsets();
    for (const Span& span : spans_) AddSpan(span);
  }

  uint64_t makespan() const { return makespan_; }

  // The first two that disturb each other; empty: none do.
  std::string Disturbance() const {
    for (size_t i = 0; i < touches_.size(); ++i) {
      for (size_t j = i + 1; j < touches_.size(); ++j) {
        if (Disturb(touches_[i], touches_[j])) return Describe(touches_[i]) + Describe(touches_[j]);
      }
    }
    return "";
  }

  bool AnyOverlap() const {
    for (const Span& a : spans_) {
      for (const Span& b : spans_) {
        if (a.lane == Lane::kDma && b.lane == Lane::kDma && &a != &b &&
            Meet(a.begin, a.end, b.begin, b.end)) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  // Where each buffer is while each op and each swap is placed, entry by entry.
  void FindOffsets() {
    std::vector<std::optional<uint64_t>> now(stream_.buffer_count());
    size_t move = 0;
    size_t swap = 0;
    size_t next = 0;
    const size_t entries = schedule_.order.size() + placement_.swap_transfers.size();
    op_offsets_.assign(stream_.op_count(), {});
    for (uint64_t entry = 0; entry < entries; ++entry) {
      for (; move < placement_.moves.size() && placement_.moves[move].entry == entry; ++move) {
        const Move& m = placement_.moves[move];
        if (m.in) now[m.buffer.value()] = m.offset;
      }
      if (swap < placement_.swap_transfers.size() &&
          placement_.swap_transfers[swap].entry == entry) {
        ++swap;
      } else {
        op_offsets_[schedule_.order[next++]] = now;
      }
    }
  }

  void AddSpan(const Span& span) {
    if (!span.op.present()) {
      if (!span.buffer.present()) return;  // a block
      // The swap's own list has where it is.
      for (const SwapTransfer& swap : placement_.swap_transfers) {
        if (swap.buffer != span.buffer || swap.is_store != span.is_store) continue;
        if (SwapsOf(span.buffer, span.is_store) > 1) return;  // which of them it is, is not told
        touches_.push_back({span.begin, span.end, OpIndex(), span.buffer, !span.is_store, 0,
                            stream_.buffer(span.buffer).size, swap.offset});
        return;
      }
      return;
    }
    for (const Access& access : stream_.accesses(span.op)) {
      if (access.begin == access.end) continue;
      std::optional<uint64_t> offset;
      if (stream_.buffer(access.buffer).space == Space::kLram) {
        offset = op_offsets_[span.op][access.buffer.value()];
      }
      touches_.push_back({span.begin, span.end, span.op, access.buffer, access.writes, access.begin,
                          access.end, offset});
    }
  }

  size_t SwapsOf(BufferIndex b, bool is_store) const {
    size_t count = 0;
    for (const SwapTransfer& swap : placement_.swap_transfers) {
      count += swap.buffer == b && swap.is_store == is_store;
    }
    return count;
  }

  static bool Disturb(const Touch& a, const Touch& b) {
    if (!a.writes && !b.writes) return false;
    if (a.op.present() && a.op == b.op) return false;
    if (a.buffer == b.buffer && a.op.present() && b.op.present() &&
        Meet(a.first, a.last, b.first, b.last)) {
      const Touch& older = a.op < b.op ? a : b;
      const Touch& younger = a.op < b.op ? b : a;
      if (older.end > younger.begin) return true;
    }
    if (!a.offset.has_value() || !b.offset.has_value()) return false;
    return Meet(a.begin, a.end, b.begin, b.end) &&
           Meet(*a.offset + a.first, *a.offset + a.last, *b.offset + b.first, *b.offset + b.last);
  }

  std::string Describe(const Touch& touch) const {
    return absl::StrCat(touch.op.present() ? stream_.Describe(touch.op) : "a swap", " of buffer ",
                        touch.buffer.value(), " in [", touch.begin, ", ", touch.end, ")",
                        touch.writes ? " writes" : " reads", " from LRAM byte ",
                        touch.offset.value_or(0) + touch.first, "\n");
  }

  const Stream& stream_;
  const Schedule& schedule_;
  const Placement& placement_;
  uint64_t makespan_ = 0;
  std::vector<Span> spans_;
  std::vector<Touch> touches_;
  IndexVector<OpIndex, std::vector<std::optional<uint64_t>>> op_offsets_;
};

struct Seen {
  uint64_t placed = 0;
  uint64_t with_swaps = 0;
  uint64_t free_evictions = 0;  // without a store
  uint64_t overlapping = 0;     // transfers run at once
};

void Look(const ScheduleProblem& problem, const Schedule& schedule, const Placement& placement,
          Seen* seen) {
  if (!placement.placed) return;
  const Chip chip(problem, schedule, placement);
  EXPECT_EQ(chip.Disturbance(), "");
  EXPECT_EQ(chip.makespan(), placement.makespan);
  ++seen->placed;
  seen->with_swaps += placement.swaps != 0;
  seen->free_evictions += placement.swaps > placement.stores;
  seen->overlapping += chip.AnyOverlap();
}

// With what the order needs without swaps, and with as much less as its largest op leaves.
void LookAt(uint64_t seed, const Shape& shape, Seen* seen) {
  RandomStream random = MakeRandomStream(seed, shape);
  random.hardware.non_blocking_transfers = true;
  const absl::StatusOr<std::unique_ptr<const ScheduleProblem>> problem =
      ScheduleProblem::Make(random.stream, random.hardware);
  ASSERT_TRUE(problem.ok()) << problem.status();
  ListParameters parameters;
  parameters.cap = random.hardware.usable_bytes();
  parameters.prefetch_percent = 100;
  parameters.candidates = 32;
  ListWork work;
  const Schedule schedule = ListSchedule(**problem, parameters, &work);
  const absl::StatusOr<Placement> sequential =
      PlaceSequentially(**problem, schedule.order, schedule.slice, /*swaps_allowed=*/true);
  ASSERT_TRUE(sequential.ok()) << sequential.status();
  Look(**problem, schedule, *sequential, seen);
  Look(**problem, schedule,
       PlaceOffline(**problem, schedule.order, schedule.slice, /*swaps_allowed=*/true).placement,
       seen);
}

TEST(InFlight, NothingDisturbsATransferThatIsUnderWay) {
  Seen seen;
  Shape shape;
  shape.dma = true;
  for (uint64_t seed = 1; seed <= 12000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    shape.most_ops = 12 + 14 * (seed % 4);
    LookAt(seed, shape, &seen);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  // Enough of each that it means something.
  EXPECT_GT(seen.placed, 12000u);
  EXPECT_GT(seen.with_swaps, 1500u);
  EXPECT_GT(seen.free_evictions, 1000u);
  EXPECT_GT(seen.overlapping, 2000u);
}

}  // namespace
}  // namespace torqsched
