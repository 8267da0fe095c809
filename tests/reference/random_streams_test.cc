// What random streams reach: if the generator stopped making trouble, tests that compare two
// implementations on its streams would go on passing and mean nothing.
#include "tests/reference/random_streams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/reference/case_io.h"
#include "tests/reference/reference.h"

namespace torqsched::reference {
namespace {

constexpr uint64_t kSeeds = 2000;

class Coverage {
 public:
  void See(const std::string& what, bool seen) { counts_[what] += seen ? 1 : 0; }
  void Print(const std::string& title) const {
    std::printf("%s, of %d streams:\n", title.c_str(), static_cast<int>(kSeeds));
    for (const auto& [what, count] : counts_) std::printf("  %-40s %5d\n", what.c_str(), count);
  }
  int operator[](const std::string& what) const {
    const auto found = counts_.find(what);
    return found == counts_.end() ? -1 : found->second;
  }

 private:
  std::map<std::string, int> counts_;
};

void SeeStream(const RandomStream& random, Coverage* seen) {
  const Stream& s = random.stream;
  int kinds[6] = {};
  bool without_wait = false, alloc_unused = false, chain = false, in_flight = false;
  bool several_destinations = false, partial = false, wait_operand = false, start_operand = false;
  bool pure_operand_not_pure = false, both_modes = false, empty_access = false, alloc_twice = false;
  std::set<BufferIndex> used, allocated;
  size_t open = 0;
  for (size_t i = 0; i < s.op_count(); ++i) {
    const OpIndex op(i);
    const Op& o = s.op(op);
    ++kinds[static_cast<int>(o.kind)];
    without_wait |= o.start_without_wait;
    for (BufferIndex b : ReferenceUses(s, op)) used.insert(b);
    if (o.alloc.present()) alloc_twice |= !allocated.insert(o.alloc).second;
    if (o.kind == OpKind::kStart) in_flight |= ++open > 1;
    if (o.kind == OpKind::kWait) --open;
    int destinations = 0;
    for (const Access& a : s.accesses(op)) {
      partial |= a.end - a.begin < s.buffer(a.buffer).size;
      empty_access |= a.begin == a.end;
      both_modes |= a.reads && a.writes;
      destinations += a.writes && s.buffer(a.buffer).space == Space::kLram;
    }
    several_destinations |= o.kind == OpKind::kLoad && destinations > 1;
    for (OpIndex operand : s.operands(op)) {
      const bool pure = s.op(operand).kind == OpKind::kPure;
      chain |= o.kind == OpKind::kPure && pure && !s.operands(operand).empty();
      pure_operand_not_pure |= o.kind == OpKind::kPure && !pure;
    }
    wait_operand |= o.kind == OpKind::kWait && !s.operands(op).empty();
    start_operand |= o.kind == OpKind::kStart && !s.operands(op).empty();
  }
  for (BufferIndex b : allocated) {
    alloc_unused |= used.count(b) == 0 && s.buffer(b).space == Space::kLram;
  }
  bool fixed = false, live_in = false, live_out = false, both = false, zero = false, odd = false;
  bool aligned = false, unused = false;
  for (size_t i = 0; i < s.buffer_count(); ++i) {
    const Buffer& b = s.buffer(BufferIndex(i));
    if (b.space != Space::kLram) continue;
    if (used.count(BufferIndex(i)) == 0) {
      unused = true;
      continue;
    }
    fixed |= b.has_fixed_offset;
    live_in |= b.live_in;
    live_out |= b.live_out;
    both |= b.live_in && b.live_out;
    zero |= b.size == 0;
    aligned |= b.alignment > random.hardware.alignment;
    odd |= (b.alignment & (b.alignment - 1)) != 0;
  }
  seen->See("ops: pure", kinds[static_cast<int>(OpKind::kPure)] != 0);
  seen->See("ops: load", kinds[static_cast<int>(OpKind::kLoad)] != 0);
  seen->See("ops: store", kinds[static_cast<int>(OpKind::kStore)] != 0);
  seen->See("ops: several starts", kinds[static_cast<int>(OpKind::kStart)] > 1);
  seen->See("ops: barrier", kinds[static_cast<int>(OpKind::kBarrier)] != 0);
  seen->See("ops: start without wait", without_wait);
  seen->See("ops: several programs in flight", in_flight);
  seen->See("ops: load with several destinations", several_destinations);
  seen->See("ops: view of a view", chain);
  seen->See("ops: pure op needs one that is not", pure_operand_not_pure);
  seen->See("ops: wait with operands", wait_operand);
  seen->See("ops: start with operands", start_operand);
  seen->See("ops: alloc without users", alloc_unused);
  seen->See("ops: buffer allocated twice", alloc_twice);
  seen->See("accesses: partial", partial);
  seen->See("accesses: empty", empty_access);
  seen->See("accesses: read and write", both_modes);
  seen->See("buffers: fixed offset", fixed);
  seen->See("buffers: live in", live_in);
  seen->See("buffers: live out", live_out);
  seen->See("buffers: live in and out", both);
  seen->See("buffers: zero-sized", zero);
  seen->See("buffers: own alignment counts", aligned);
  seen->See("buffers: alignment no power of two", odd);
  seen->See("buffers: unused", unused);
  seen->See("hardware: block transfers", random.hardware.block_ops != 0);
  seen->See("hardware: 64 slices", random.hardware.slices == 64);
}

void SeePlacement(const std::string& who, const Placement& p, Coverage* seen) {
  seen->See(who + ": placed without swaps", p.placed && p.swaps == 0);
  seen->See(who + ": placed with swaps", p.placed && p.swaps != 0);
  seen->See(who + ": eviction without store", p.placed && p.swaps > p.stores);
  seen->See(who + ": evicted clean (loads > stores)", p.placed && p.loads > p.stores);
  uint64_t returns = 0;
  std::set<BufferIndex> came;
  for (const Move& move : p.moves) returns += move.in && !came.insert(move.buffer).second;
  seen->See(who + ": return without load", returns > p.loads);
  seen->See(who + ": not placed, capacity",
            !p.placed && p.failure.reason == FailureReason::kCapacity);
  seen->See(who + ": not placed, fragmentation",
            !p.placed && p.failure.reason == FailureReason::kFragmentation);
  seen->See(who + ": not placed, live-ins", !p.placed && !p.failure.op.present());
}

void SeeAnswer(const RandomStream& random, const ScheduleAnswer& answer, Coverage* seen) {
  std::map<std::pair<uint32_t, Verdict>, int> verdicts;
  for (const Attempt& attempt : answer.attempts) ++verdicts[{attempt.pass, attempt.verdict}];
  const auto saw = [&](const char* what, uint32_t pass, Verdict verdict) {
    seen->See(what, verdicts.count({pass, verdict}) != 0);
  };
  saw("pass 0: same order", 0, Verdict::kSameOrder);
  saw("pass 0: not faster", 0, Verdict::kNotFaster);
  saw("pass 0: not placed", 0, Verdict::kNotPlaced);
  saw("pass 0: committed", 0, Verdict::kCommitted);
  saw("pass 1: not faster", 1, Verdict::kNotFaster);
  saw("pass 1: not placed", 1, Verdict::kNotPlaced);
  saw("pass 1: not fastest", 1, Verdict::kNotFastest);
  saw("pass 1: committed", 1, Verdict::kCommitted);
  seen->See("pass 0: smaller cap committed", answer.pass == 0u && answer.attempts.size() > 1);
  seen->See("pass 1: reached", answer.attempts.size() > 3);
  seen->See(
      "pass 1: smaller cap committed",
      answer.pass == 1u && *answer.cap != ReferenceCaps(random.hardware, random.options).front());
  seen->See("no bar, list committed", !answer.bar.has_value() && answer.source == Source::kList);
  seen->See("nothing placed", !answer.placement.placed);
}

void SeeSteps(const Schedule& schedule, const RandomStream& random, Coverage* seen) {
  bool rules[6] = {}, forced_start = false, queued = false, free_rule_5_start = false;
  bool program_sooner = false, no_wait_ready = false, none_fits = false, not_fitting = false;
  bool forced_load = false, urgent = false, far = false, barrier = false;
  for (const Step& step : schedule.steps) {
    rules[step.rule] = true;
    const OpKind kind = random.stream.op(step.op).kind;
    forced_start |= step.rule == 2 && !step.fits;
    queued |= step.rule == 5 && kind == OpKind::kStart && step.free_slices == 0;
    free_rule_5_start |= step.rule == 5 && kind == OpKind::kStart && step.free_slices != 0;
    forced_load |= step.rule == 5 && kind == OpKind::kLoad;
    urgent |= step.rule == 3 && step.urgent;
    far |= step.rule == 3 && kind == OpKind::kLoad && !step.urgent;
    program_sooner |= step.skip[2] == Skip::kProgramSooner;
    none_fits |= step.skip[2] == Skip::kNoneFits;
    no_wait_ready |= step.skip[3] == Skip::kNoWaitReady;
    not_fitting |= !step.fits;
    barrier |= step.rule == 1;
  }
  seen->See("list: barrier", barrier);
  seen->See("list: rule 5", rules[5]);
  seen->See("list: start forced by rule 2", forced_start);
  seen->See("list: start queued by rule 5", queued);
  seen->See("list: start by rule 5 on a free slice", free_rule_5_start);
  seen->See("list: load forced by rule 5", forced_load);
  seen->See("list: urgent load", urgent);
  seen->See("list: far load", far);
  seen->See("list: rule 3 waits for a program", program_sooner);
  seen->See("list: rule 3 finds none that fits", none_fits);
  seen->See("list: no wait is ready", no_wait_ready);
  seen->See("list: emitted without fitting", not_fitting);
}

// An order of all ops that keeps every dependence.
void CheckOrder(const std::vector<OpIndex>& order, const Stream& stream) {
  ASSERT_EQ(order.size(), stream.op_count());
  std::vector<size_t> position(stream.op_count(), SIZE_MAX);
  for (size_t i = 0; i < order.size(); ++i) position[order[i].value()] = i;
  for (size_t p : position) ASSERT_NE(p, SIZE_MAX);
  const std::vector<std::vector<bool>> needs = ReferenceNeeds(stream);
  for (size_t b = 0; b < needs.size(); ++b) {
    for (size_t a = 0; a < needs.size(); ++a) {
      if (needs[b][a]) {
        ASSERT_LT(position[a], position[b]);
      }
    }
  }
}

// Every buffer within usable LRAM, on its alignment or its fixed offset, and over no other.
void CheckRanges(const Placement& placement, const RandomStream& random) {
  const uint64_t usable = random.hardware.usable_bytes();
  for (const Move& move : placement.moves) {
    const Buffer& b = random.stream.buffer(move.buffer);
    ASSERT_LE(move.offset + b.size, usable);
    if (b.has_fixed_offset) {
      ASSERT_EQ(move.offset, b.fixed_offset);
    } else {
      ASSERT_EQ(move.offset % std::max(b.alignment, random.hardware.alignment), 0u);
    }
  }
  ASSERT_EQ(placement.swap_transfers.size(), placement.stores + placement.loads);
}

Coverage Explore(Shape::Style style) {
  Coverage seen;
  Shape shape;
  shape.style = style;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    RandomStream random = MakeRandomStream(seed, shape);
    const Stream& stream = random.stream;
    SCOPED_TRACE(DumpStream(seed, random));
    SeeStream(random, &seen);
    ScheduleOptions options = random.options;
    options.explain = true;
    const uint64_t cap = ReferenceCaps(random.hardware, options).front();
    const Schedule list = ReferenceListSchedule(stream, random.hardware, options, cap);
    SeeSteps(list, random, &seen);
    CheckOrder(list.order, stream);
    const Priced priced = ReferenceSimulate(stream, random.hardware, list.order, list.slice);
    EXPECT_EQ(priced.makespan, list.makespan);
    EXPECT_EQ(priced.peak, list.peak);

    const ScheduleAnswer answer = ReferenceScheduleStream(stream, random.hardware, random.options);
    SeeAnswer(random, answer, &seen);
    CheckOrder(answer.schedule.order, stream);
    if (answer.source == Source::kList && answer.bar.has_value()) {
      EXPECT_LT(answer.placement.makespan, *answer.bar);
    }
    CheckRanges(answer.placement, random);
    const Placement input =
        ReferenceSequential(stream, random.hardware, InputOrder(stream), InputSlices(stream), true);
    SeePlacement("input", input, &seen);
    CheckRanges(input, random);
    if (testing::Test::HasFailure()) break;
  }
  return seen;
}

void ExpectFloors(const Coverage& seen, const std::map<std::string, int>& floors) {
  for (const auto& [what, floor] : floors) EXPECT_GE(seen[what], floor) << what;
}

TEST(RandomStreams, MixedReachEverything) {
  const Coverage seen = Explore(Shape::Style::kMixed);
  seen.Print("mixed");
  ExpectFloors(seen, {{"accesses: empty", 600},
                      {"accesses: partial", 1050},
                      {"accesses: read and write", 750},
                      {"buffers: alignment no power of two", 300},
                      {"buffers: fixed offset", 160},
                      {"buffers: live in", 250},
                      {"buffers: live in and out", 60},
                      {"buffers: live out", 250},
                      {"buffers: own alignment counts", 500},
                      {"buffers: unused", 300},
                      {"buffers: zero-sized", 200},
                      {"hardware: 64 slices", 30},
                      {"hardware: block transfers", 200},
                      {"input: evicted clean (loads > stores)", 50},
                      {"input: eviction without store", 120},
                      {"input: not placed, capacity", 80},
                      {"input: not placed, fragmentation", 200},
                      {"input: not placed, live-ins", 5},
                      {"input: placed with swaps", 160},
                      {"input: placed without swaps", 700},
                      {"input: return without load", 100},
                      {"list: barrier", 600},
                      {"list: emitted without fitting", 550},
                      {"list: far load", 450},
                      {"list: load forced by rule 5", 700},
                      {"list: no wait is ready", 250},
                      {"list: rule 3 finds none that fits", 800},
                      {"list: rule 3 waits for a program", 450},
                      {"list: rule 5", 750},
                      {"list: start by rule 5 on a free slice", 50},
                      {"list: start forced by rule 2", 350},
                      {"list: start queued by rule 5", 80},
                      {"list: urgent load", 600},
                      {"no bar, list committed", 90},
                      {"nothing placed", 200},
                      {"ops: alloc without users", 130},
                      {"ops: barrier", 600},
                      {"ops: buffer allocated twice", 10},
                      {"ops: load", 1050},
                      {"ops: load with several destinations", 700},
                      {"ops: pure", 850},
                      {"ops: pure op needs one that is not", 120},
                      {"ops: several programs in flight", 700},
                      {"ops: several starts", 950},
                      {"ops: start with operands", 700},
                      {"ops: start without wait", 100},
                      {"ops: store", 800},
                      {"ops: view of a view", 200},
                      {"ops: wait with operands", 400},
                      {"pass 0: committed", 350},
                      {"pass 0: not faster", 400},
                      {"pass 0: not placed", 350},
                      {"pass 0: same order", 700},
                      {"pass 0: smaller cap committed", 8},
                      {"pass 1: committed", 100},
                      {"pass 1: not faster", 400},
                      {"pass 1: not fastest", 160},
                      {"pass 1: not placed", 250},
                      {"pass 1: reached", 800},
                      {"pass 1: smaller cap committed", 16}});
}

TEST(RandomStreams, RealisticReachThePasses) {
  const Coverage seen = Explore(Shape::Style::kRealistic);
  seen.Print("realistic");
  ExpectFloors(seen, {{"input: evicted clean (loads > stores)", 2},
                      {"input: eviction without store", 100},
                      {"input: not placed, capacity", 100},
                      {"input: not placed, fragmentation", 200},
                      {"input: placed with swaps", 170},
                      {"input: placed without swaps", 700},
                      {"input: return without load", 100},
                      {"list: barrier", 300},
                      {"list: emitted without fitting", 650},
                      {"list: far load", 120},
                      {"list: load forced by rule 5", 450},
                      {"list: no wait is ready", 9},
                      {"list: rule 3 finds none that fits", 950},
                      {"list: rule 3 waits for a program", 110},
                      {"list: rule 5", 450},
                      {"list: start by rule 5 on a free slice", 3},
                      {"list: start forced by rule 2", 550},
                      {"list: start queued by rule 5", 1},
                      {"list: urgent load", 1050},
                      {"no bar, list committed", 40},
                      {"nothing placed", 250},
                      {"pass 0: committed", 350},
                      {"pass 0: not faster", 400},
                      {"pass 0: not placed", 500},
                      {"pass 0: same order", 600},
                      {"pass 0: smaller cap committed", 30},
                      {"pass 1: committed", 110},
                      {"pass 1: not faster", 400},
                      {"pass 1: not fastest", 190},
                      {"pass 1: not placed", 350},
                      {"pass 1: reached", 800},
                      {"pass 1: smaller cap committed", 30}});
}

TEST(RandomStreams, TheGeneratorIsSplitMix64) {
  SplitMix64 random(1234567);
  EXPECT_EQ(random.Next(), 6457827717110365317u);
  EXPECT_EQ(random.Next(), 3203168211198807973u);
  EXPECT_EQ(random.Next(), 9817491932198370423u);
}

// The same streams everywhere. Whoever changes the generator changes this number too.
TEST(RandomStreams, AreTheSameEverywhere) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (uint64_t seed = 0; seed < 300; ++seed) {
    for (char c : DumpStream(seed, MakeRandomStream(seed, Shape()))) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    }
  }
  EXPECT_EQ(hash, 13251424402472309071u);
}

TEST(RandomStreams, ThoseWithOtherDmaHaveAllOfIt) {
  Coverage seen;
  Shape shape;
  shape.dma = true;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const RandomStream random = MakeRandomStream(seed, shape);
    const Hardware& h = random.hardware;
    seen.See("blocking", !h.non_blocking_transfers);
    seen.See("non-blocking", h.non_blocking_transfers);
    seen.See("issues cost", h.non_blocking_transfers && h.transfer_issue_cycles != 0);
    seen.See("one engine for all", h.dma_engines == 1 && h.store_engines == 0);
    seen.See("several engines", h.dma_engines > 1);
    seen.See("stores have their own", h.store_engines != 0);
    seen.See("shares", random.stream.has_dma_shares());
    seen.See("shares and non-blocking", random.stream.has_dma_shares() && h.non_blocking_transfers);
  }
  seen.Print("other DMA");
  ExpectFloors(seen, {{"blocking", 300},
                      {"non-blocking", 1400},
                      {"issues cost", 500},
                      {"one engine for all", 250},
                      {"several engines", 700},
                      {"stores have their own", 600},
                      {"shares", 600},
                      {"shares and non-blocking", 450}});
}

TEST(RandomStreams, ADumpIsTheSameStream) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Shape shape;
    shape.dma = seed % 2 == 1;
    const RandomStream random = MakeRandomStream(seed, shape);
    const std::string dump = DumpStream(seed, random);
    const absl::StatusOr<ScheduleCase> read = ParseScheduleCase(dump);
    ASSERT_TRUE(read.ok()) << read.status() << "\n" << dump;
    EXPECT_EQ(WriteCase(read->name, read->stream, read->hardware, read->options), dump);
    EXPECT_EQ(Differences("answer",
                          ReferenceScheduleStream(random.stream, random.hardware, random.options),
                          ReferenceScheduleStream(read->stream, read->hardware, read->options)),
              "");
  }
}

TEST(RandomStreams, NamesOutliveAMove) {
  RandomStream random = MakeRandomStream(7, Shape());
  const RandomStream moved = std::move(random);
  for (size_t i = 0; i < moved.stream.op_count(); ++i) {
    EXPECT_EQ(moved.stream.op_name(OpIndex(i)), "op" + std::to_string(i));
  }
}

}  // namespace
}  // namespace torqsched::reference
