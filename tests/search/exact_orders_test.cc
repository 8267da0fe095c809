// No proof of the exact search is above what an order takes: random tiny streams of all that makes
// swaps hard, against an enumeration of all orders with all swaps, and against random orders that
// both oracles place.
//
// The streams have barriers, operands that are no buffers, views by programs and waits, loads of
// parts of buffers, and loads of constants early on, in an LRAM that most orders need swaps for; or
// programs that queue.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/graph/pure_ops.h"
#include "src/lram/offline.h"
#include "src/search/exact.h"
#include "tests/reference/exhaustive.h"
#include "tests/reference/random_streams.h"
#include "tests/reference/reference.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

class Tangle {
 public:
  explicit Tangle(uint64_t seed) : r_(seed) {
    AddBuffers();
    AddOps();
    stream_ = maker_.Build();
    hardware_.lram_bytes = r_.Between(most_used_, std::max(most_used_, all_bytes_));
    hardware_.alignment = 1;
    hardware_.slices = static_cast<uint32_t>(r_.Between(1, 2));
    hardware_.start_cycles = r_.Below(2);
    hardware_.dma_bytes = dma_bytes_;
    hardware_.dma_cycles = 1;
  }

  const Stream& stream() const { return stream_; }
  const Hardware& hardware() const { return hardware_; }

 private:
  void AddBuffers() {
    Buffer constant = LiveIn(XramBuffer(200));
    constant.constant = true;
    constant_ = maker_.Add(constant);
    other_ = maker_.Add(LiveIn(XramBuffer(200)));
    results_ = maker_.Add(LiveOut(XramBuffer(200)));
    const uint64_t count = r_.Between(2, 5);
    for (uint64_t i = 0; i < count; ++i) {
      sizes_.push_back(8 * r_.Between(2, 12));
      Buffer buffer = LramBuffer(sizes_.back());
      if (r_.Percent(4)) buffer = LiveOut(buffer);
      lram_.push_back(maker_.Add(buffer));
      all_bytes_ += sizes_.back();
    }
    for (const uint32_t b : lram_) allocs_.push_back(maker_.Alloc(b));
    dma_bytes_ = r_.Between(1, 8);
  }

  void AddOps() {
    const uint64_t count = r_.Between(4, 8);
    while (ops_ < count || !running_.empty()) {
      const uint64_t roll = r_.Below(100);
      if (ops_ >= count || (!running_.empty() && roll < 35)) {
        AddWait();
      } else if (roll < 60) {
        AddLoad();
      } else if (roll < 70) {
        Keep(maker_.Barrier(r_.Below(20), Some(10), Operands(5, 0)));
      } else if (roll < 78) {
        const uint32_t b = Any();
        Keep(maker_.Store(r_.Between(1, 40), {Reads(lram_[b]), Writes(results_, 10 * b, 10)},
                          Operands(5, 10)));
      } else {
        AddStart();
      }
    }
  }

  void AddLoad() {
    const uint32_t b = Any();
    const uint32_t source = r_.Percent(70) ? constant_ : other_;
    const uint64_t cycles =
        r_.Percent(60) ? (sizes_[b] + dma_bytes_ - 1) / dma_bytes_ : r_.Between(1, 60);
    StreamMaker::Accesses accesses = {Reads(source), r_.Percent(70) ? Writes(lram_[b]) : Part(b)};
    if (r_.Percent(10)) accesses.push_back(Writes(lram_[Any()]));
    Keep(maker_.Load(cycles, accesses, Operands(10, 10)));
  }

  void AddStart() {
    StreamMaker::Accesses accesses = Some(80);
    if (r_.Percent(50)) accesses.push_back(Writes(lram_[Any()]));
    const uint32_t start = Keep(maker_.Start(r_.Between(1, 100), accesses, Operands(15, 15)));
    running_.push_back(start);
    if (r_.Percent(50)) AddWait();
  }

  void AddWait() {
    const uint32_t start = running_.front();
    running_.erase(running_.begin());
    Keep(maker_.Wait(start, Operands(10, 25)));
  }

  StreamMaker::Accesses Some(uint64_t percent) {
    StreamMaker::Accesses accesses;
    for (uint64_t i = r_.Between(1, 2); i > 0; --i) {
      if (!r_.Percent(percent)) continue;
      const uint32_t b = Any();
      accesses.push_back(r_.Percent(80) ? Reads(lram_[b]) : Part(b));
    }
    uint64_t bytes = 0;
    for (const AccessSpec& access : accesses) bytes += sizes_[access.buffer - lram_[0]];
    most_used_ = std::max(most_used_, bytes);
    return accesses;
  }

  AccessSpec Part(uint32_t b) {
    const uint64_t offset = 8 * r_.Below(sizes_[b] / 8);
    return Writes(lram_[b], offset, r_.Between(1, sizes_[b] - offset));
  }

  // Older ops, which need not have to do with the buffers, and views.
  StreamMaker::Operands Operands(uint64_t older_percent, uint64_t view_percent) {
    StreamMaker::Operands operands;
    if (!kept_.empty() && r_.Percent(older_percent)) {
      operands.push_back(kept_[r_.Below(kept_.size())]);
    }
    if (r_.Percent(view_percent)) operands.push_back(allocs_[Any()]);
    return operands;
  }

  uint32_t Any() { return static_cast<uint32_t>(r_.Below(lram_.size())); }
  uint32_t Keep(uint32_t op) {
    kept_.push_back(op);
    ++ops_;
    return op;
  }

  SplitMix64 r_;
  StreamMaker maker_;
  Stream stream_;
  Hardware hardware_;
  uint32_t constant_ = 0, other_ = 0, results_ = 0;
  std::vector<uint32_t> lram_, allocs_, kept_, running_;
  std::vector<uint64_t> sizes_;
  uint64_t all_bytes_ = 0, most_used_ = 100, dma_bytes_ = 1, ops_ = 0;
};

// Programs that wait for a slice that is busy, in an LRAM with room for little more than what one
// op uses. A buffer is written, then read or viewed by programs that queue behind a long one;
// another one takes its room; then it is read once more.
class Backlog {
 public:
  explicit Backlog(uint64_t seed) : r_(seed) {
    source_ = maker_.Xram(100);
    results_ = maker_.Xram(100);
    const uint64_t count = r_.Between(2, 4);
    uint64_t all = 0;
    for (uint64_t i = 0; i < count; ++i) {
      sizes_.push_back(r_.Between(3, 14));
      all += sizes_.back();
      most_ = std::max(most_, sizes_.back());
      lram_.push_back(maker_.Lram(sizes_.back()));
      allocs_.push_back(maker_.Alloc(lram_.back()));
    }
    for (uint64_t parts = r_.Between(1, 2); parts > 0; --parts) {
      const uint32_t b = Any();
      Fill(b);
      if (r_.Percent(30)) Fill(Any());
      Run(r_.Between(15, 60), r_.Percent(80) ? kNone : Any(), false);
      for (uint64_t i = r_.Between(0, 2); i > 0; --i) {
        Run(r_.Between(1, 12), r_.Percent(80) ? b : Any(), r_.Percent(40));
      }
      while (r_.Percent(40) && !running_.empty()) Wait();
      const uint32_t other = Any();
      Fill(other);
      Run(r_.Between(1, 12), other, true);
      if (r_.Percent(60)) Wait();
      if (r_.Percent(60)) Run(r_.Between(1, 12), b, true);
    }
    while (!running_.empty()) Wait();
    stream_ = maker_.Build();
    hardware_.lram_bytes = r_.Between(most_, std::max(most_, all - 1));
    hardware_.alignment = 1;
    hardware_.slices = r_.Percent(90) ? 1 : 2;
    hardware_.start_cycles = 0;
    hardware_.dma_bytes = 1;
    hardware_.dma_cycles = 1;
  }

  const Stream& stream() const { return stream_; }
  const Hardware& hardware() const { return hardware_; }

 private:
  static constexpr uint32_t kNone = ~0u;
  struct Running {
    uint32_t start = 0;
    uint32_t buffer = kNone;  // that it accesses
    bool writes = false;
  };

  void Fill(uint32_t b) {
    Settle(b, true);
    if (r_.Percent(70)) {
      Keep(maker_.Load(r_.Between(1, 8), {Reads(source_), Writes(lram_[b])}, After(60)));
    } else {
      Keep(maker_.Start(r_.Between(1, 12), {Writes(lram_[b])}, After(60)));
      running_.push_back({last_.back(), b, true});
      if (r_.Percent(60)) Wait();
    }
  }

  // May read the buffer, and view it or another one.
  void Run(uint64_t cycles, uint32_t b, bool reads) {
    StreamMaker::Accesses accesses;
    StreamMaker::Operands operands = After(85);
    uint64_t used = 0;
    if (b != kNone) {
      used = sizes_[b];
      if (reads) {
        Settle(b, false);
        accesses.push_back(Reads(lram_[b]));
      }
      if (!reads || r_.Percent(10)) {
        const uint32_t viewed = r_.Percent(80) ? b : Any();
        operands.push_back(allocs_[viewed]);
        if (viewed != b) used += sizes_[viewed];
      }
    }
    most_ = std::max(most_, used);
    if (r_.Percent(20)) accesses.push_back(Writes(results_));
    Keep(maker_.Start(cycles, accesses, operands));
    running_.push_back({last_.back(), reads ? b : kNone, false});
  }

  // Waits for those that an access to the buffer has to come after.
  void Settle(uint32_t b, bool writes) {
    const auto conflicts = [&](const Running& r) { return r.buffer == b && (writes || r.writes); };
    while (std::any_of(running_.begin(), running_.end(), conflicts)) Wait();
  }

  void Wait() {
    StreamMaker::Operands operands;
    if (r_.Percent(5)) operands.push_back(allocs_[Any()]);
    Keep(maker_.Wait(running_.front().start, operands));
    running_.erase(running_.begin());
  }

  StreamMaker::Operands After(uint64_t percent) {
    if (last_.empty() || !r_.Percent(percent)) return {};
    return {last_[last_.size() - 1 - (last_.size() > 1 && r_.Percent(25) ? 1 : 0)]};
  }

  uint32_t Any() { return static_cast<uint32_t>(r_.Below(lram_.size())); }
  void Keep(uint32_t op) { last_.push_back(op); }

  SplitMix64 r_;
  StreamMaker maker_;
  Stream stream_;
  Hardware hardware_;
  uint32_t source_ = 0, results_ = 0;
  std::vector<uint32_t> lram_, allocs_, last_;
  std::vector<Running> running_;
  std::vector<uint64_t> sizes_;
  uint64_t most_ = 0;
};

// Orders drawn from all that keep the dependences; half of them wait late.
class Orders {
 public:
  Orders(const ScheduleProblem& problem, uint64_t seed)
      : problem_(problem), needs_(reference::ReferenceNeeds(problem.stream)), r_(seed) {}

  const std::vector<OpIndex>& order() const { return order_; }
  const IndexVector<OpIndex, uint8_t>& slices() const { return slices_; }

  void Draw() {
    const Stream& stream = problem_.stream;
    const bool waits_late = r_.Percent(50);
    order_.clear();
    slices_.assign(stream.op_count(), 0);
    std::vector<bool> out(stream.op_count(), false);
    PureOps pure(stream);
    for (;;) {
      std::vector<OpIndex> ready, waits;
      for (uint32_t i = 0; i < stream.op_count(); ++i) {
        const OpKind kind = stream.op(OpIndex(i)).kind;
        if (out[i] || kind == OpKind::kPure || !NeedsAreOut(i, out)) continue;
        (kind == OpKind::kWait && waits_late ? waits : ready).push_back(OpIndex(i));
      }
      if (ready.empty() || r_.Percent(10)) ready.insert(ready.end(), waits.begin(), waits.end());
      if (ready.empty()) break;
      const OpIndex op = ready[r_.Below(ready.size())];
      pure.AppendNeeded(op, &order_);
      order_.push_back(op);
      out[op.value()] = true;
      slices_[op] = static_cast<uint8_t>(r_.Below(problem_.hardware.slices));
    }
    pure.AppendRemaining(&order_);
  }

 private:
  bool NeedsAreOut(uint32_t op, const std::vector<bool>& out) const {
    for (uint32_t i = 0; i < out.size(); ++i) {
      const bool pure = problem_.stream.op(OpIndex(i)).kind == OpKind::kPure;
      if (needs_[op][i] && !pure && !out[i]) return false;
    }
    return true;
  }

  const ScheduleProblem& problem_;
  const std::vector<std::vector<bool>> needs_;
  SplitMix64 r_;
  std::vector<OpIndex> order_;
  IndexVector<OpIndex, uint8_t> slices_;
};

struct Totals {
  uint64_t streams = 0;
  uint64_t enumerated = 0;
  uint64_t equal = 0;    // to the enumeration
  uint64_t swapped = 0;  // placements with swaps
  uint64_t reached = 0;  // placements that take what the search says
};

void Compare(const Stream& stream, const Hardware& hardware, bool swaps, uint64_t most_states,
             uint64_t orders, uint64_t seed, Totals* totals) {
  const std::unique_ptr<const ScheduleProblem> problem = *ScheduleProblem::Make(stream, hardware);
  ExactOptions options;
  options.swaps = swaps;
  options.node_limit = 200000;
  const ExactAnswer exact = SolveExactly(*problem, ActionGraph(*problem), options);
  if (!exact.complete) return;
  ++totals->streams;
  const uint64_t least = exact.makespan.value_or(UINT64_MAX);
  const reference::ExhaustiveAnswer all =
      reference::ExhaustiveOptimum(stream, hardware, most_states, swaps ? 4 : 0);
  if (all.complete) {
    ++totals->enumerated;
    totals->equal += all.makespan == exact.makespan;
    EXPECT_LE(least, all.makespan.value_or(UINT64_MAX)) << "swaps " << swaps;
    if (!swaps) {
      EXPECT_EQ(all.makespan, exact.makespan);
    }
  }
  Orders drawn(*problem, seed);
  for (uint64_t i = 0; i < orders; ++i) {
    drawn.Draw();
    const OfflinePlacement placed = PlaceOffline(*problem, drawn.order(), drawn.slices(), swaps);
    for (const Placement* placement : {&placed.placement, &placed.sequential}) {
      if (!placement->placed) continue;
      totals->swapped += placement->swaps != 0;
      totals->reached += placement->makespan == least;
      EXPECT_LE(least, placement->makespan) << "swaps " << swaps;
    }
  }
}

void Print(const char* what, const Totals& totals) {
  std::cout << what << ": " << totals.streams << " streams; " << totals.enumerated
            << " enumerated, " << totals.equal << " of them as the search says; " << totals.swapped
            << " placements with swaps, " << totals.reached
            << " placements take what the search says\n";
}

// How much of each stream is compared.
struct Effort {
  uint64_t most_states;  // of the enumeration
  uint64_t orders;       // placed by both oracles
};

template <typename Generator>
void CompareStreams(uint64_t streams, Effort with_swaps, Effort without_swaps,
                    uint64_t least_swapped) {
  Totals with, without;
  for (uint64_t seed = 1; seed <= streams; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Generator made(seed);
    if (!ScheduleProblem::Make(made.stream(), made.hardware()).ok()) continue;
    Compare(made.stream(), made.hardware(), true, with_swaps.most_states, with_swaps.orders, seed,
            &with);
    Compare(made.stream(), made.hardware(), false, without_swaps.most_states, without_swaps.orders,
            seed, &without);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  Print("with swaps", with);
  Print("without", without);
  EXPECT_GE(with.enumerated, 1000u);
  EXPECT_GE(with.swapped, least_swapped);
}

TEST(ExactOrdersTest, NoProofIsAboveAnOrderOfATangle) {
  CompareStreams<Tangle>(4000, {3000, 40}, {3000, 4}, 5000);
}

TEST(ExactOrdersTest, NoProofIsAboveAnOrderOfABacklog) {
  CompareStreams<Backlog>(3000, {6000, 4}, {3000, 1}, 1000);
}

}  // namespace
}  // namespace torqsched
