// Scenes for strategy OPTIMIZE, by hand: what LRAM forbids, where the list scheduler stops short,
// where a swap is worth its cycles, what a robust answer is. Every answer goes through the checker.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/schedule/schedule_stream.h"
#include "tests/reference/exhaustive.h"
#include "tests/reference/reference.h"
#include "tests/schedule/implementation.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

constexpr OracleKind kBothOracles[] = {OracleKind::kSequential, OracleKind::kOffline};

Hardware Chip(uint64_t lram_bytes, uint32_t slices = 1) {
  Hardware h;
  h.lram_bytes = lram_bytes;
  h.slices = slices;
  return h;
}

ScheduleOptions With(OracleKind oracle, Strategy strategy = Strategy::kOptimize) {
  ScheduleOptions options;
  options.strategy = strategy;
  options.oracle = oracle;
  options.work_limit = 200000;
  return options;
}

ScheduleAnswer Answer(const Stream& stream, const Hardware& hardware,
                      const ScheduleOptions& options) {
  const absl::StatusOr<ScheduleAnswer> answer = ScheduleStream(stream, hardware, options, {});
  EXPECT_TRUE(answer.ok()) << answer.status();
  if (!answer.ok()) return ScheduleAnswer();
  EXPECT_EQ(Violations(stream, hardware, *answer), "");
  EXPECT_TRUE(!answer->placement.placed ||
              answer->placement.makespan >= answer->lower_bound.cycles);
  return *answer;
}

// Without a placement: 0.
uint64_t Cycles(const ScheduleAnswer& answer) {
  return answer.placement.placed ? answer.placement.makespan : 0;
}

uint64_t Listed(const Stream& stream, const Hardware& hardware,
                OracleKind oracle = OracleKind::kSequential) {
  return Cycles(Answer(stream, hardware, With(oracle, Strategy::kStreamSchedule)));
}

// What the reference finds by trying all orders, as far as bytes tell.
uint64_t Optimum(const Stream& stream, const Hardware& hardware, uint32_t evictions = 0) {
  const reference::ExhaustiveAnswer answer =
      reference::ExhaustiveOptimum(stream, hardware, 1000000, evictions);
  EXPECT_TRUE(answer.complete);
  return answer.makespan.value_or(0);
}

// With both oracles: that many cycles, no swap, and a proof that no order is better.
void ExpectProven(const Stream& stream, const Hardware& hardware, uint64_t cycles) {
  for (const OracleKind oracle : kBothOracles) {
    const ScheduleAnswer answer = Answer(stream, hardware, With(oracle));
    EXPECT_EQ(Cycles(answer), cycles);
    EXPECT_EQ(answer.placement.swaps, 0u);
    EXPECT_EQ(answer.lower_bound.cycles, cycles);
  }
}

// ---- capacity -----------------------------------------------------------------------------------

struct Durations {
  uint64_t load, d, g;
};

constexpr Durations kLoadBesideD = {20, 20, 1};

// 32 layers on buffers of one unit: L loads a; D reads the g of the layer before and a, and writes
// its own g; G reads a and g.
class Layers : public testing::Test {
 protected:
  static constexpr uint32_t kLayers = 32;

  void Make(const Durations& durations) {
    StreamMaker maker;
    const auto a = [](uint32_t layer) { return 2 * layer; };
    const auto g = [](uint32_t layer) { return 2 * layer + 1; };
    for (uint32_t i = 0; i < 2 * kLayers; ++i) maker.Lram(1);
    for (uint32_t i = 0; i < kLayers; ++i) {
      maker.Load(durations.load, {Writes(a(i))});
      std::vector<AccessSpec> of_d = {Reads(a(i)), Writes(g(i))};
      if (i > 0) of_d.push_back(Reads(g(i - 1)));
      maker.Program(durations.d, of_d);
      maker.Program(durations.g, {Reads(a(i)), Reads(g(i))});
    }
    stream_ = maker.Build();
  }

  // Each eviction and each return takes 1,000 cycles, so none is worth it.
  static Hardware ChipOf(uint64_t units, uint32_t slices = 1) {
    Hardware hardware = Chip(units, slices);
    hardware.dma_cycles = 1000;
    return hardware;
  }

  static std::vector<uint32_t> LoadOf(uint32_t layer) { return {5 * layer}; }
  static std::vector<uint32_t> DOf(uint32_t layer) { return {5 * layer + 1, 5 * layer + 2}; }
  static std::vector<uint32_t> GOf(uint32_t layer) { return {5 * layer + 3, 5 * layer + 4}; }
  static void Append(const std::vector<uint32_t>& ops, std::vector<uint32_t>* order) {
    order->insert(order->end(), ops.begin(), ops.end());
  }

  uint64_t PeakOf(const std::vector<OpIndex>& order) const {
    return reference::ReferenceSimulate(stream_, Chip(64), order, reference::InputSlices(stream_))
        .peak;
  }

  // The answer's order never needs more than the units that there are.
  ScheduleAnswer Kept(const Hardware& hardware, const ScheduleOptions& options) const {
    const ScheduleAnswer answer = Answer(stream_, hardware, options);
    EXPECT_TRUE(answer.placement.placed);
    EXPECT_EQ(answer.placement.swaps, 0u);
    EXPECT_LE(PeakOf(answer.schedule.order), hardware.usable_bytes());
    EXPECT_LE(answer.placement.peak, hardware.usable_bytes());
    return answer;
  }

  Stream stream_;
};

TEST_F(Layers, PeakAtThreeInTheInputOrderAtFourWithALoadAheadAndAt64WithEveryGPutOff) {
  Make(kLoadBesideD);
  std::vector<uint32_t> input, ahead, put_off;
  Append(LoadOf(0), &ahead);
  for (uint32_t i = 0; i < kLayers; ++i) {
    for (const auto& ops : {LoadOf(i), DOf(i), GOf(i)}) Append(ops, &input);
    ahead.push_back(DOf(i)[0]);
    if (i + 1 < kLayers) Append(LoadOf(i + 1), &ahead);
    ahead.push_back(DOf(i)[1]);
    Append(GOf(i), &ahead);
    for (const auto& ops : {LoadOf(i), DOf(i)}) Append(ops, &put_off);
  }
  for (uint32_t i = 0; i < kLayers; ++i) Append(GOf(i), &put_off);
  EXPECT_EQ(PeakOf(Ops(input)), 3u);
  EXPECT_EQ(PeakOf(Ops(ahead)), 4u);
  EXPECT_EQ(PeakOf(Ops(put_off)), 64u);
}

TEST_F(Layers, NeverExceedFourUnitsWhateverTheDurationsAndTheWorkLimit) {
  for (const Durations& durations : {kLoadBesideD, Durations{10, 10, 10}, Durations{5, 30, 10},
                                     Durations{30, 5, 5}, Durations{1, 1, 0}}) {
    Make(durations);
    for (const uint32_t slices : {1, 2}) {
      const Hardware hardware = ChipOf(4, slices);
      for (const OracleKind oracle : kBothOracles) {
        const uint64_t listed = Listed(stream_, hardware, oracle);
        for (const uint64_t limit : {0, 1, 1000, 30000}) {
          SCOPED_TRACE(testing::Message()
                       << durations.load << " " << durations.d << " " << durations.g << ", slices "
                       << slices << ", limit " << limit);
          ScheduleOptions options = With(oracle);
          options.work_limit = limit;
          EXPECT_LE(Cycles(Kept(hardware, options)), listed);
        }
      }
    }
  }
}

// Each load of 20 beside the D of 20 before it, then a G of 1; the first load beside nothing.
TEST_F(Layers, AreLoadedOneAheadWhereThatIsFaster) {
  Make(kLoadBesideD);
  for (const OracleKind oracle : kBothOracles) {
    const ScheduleAnswer answer = Kept(ChipOf(4), With(oracle));
    EXPECT_EQ(answer.input_makespan, kLayers * 41u);
    EXPECT_EQ(Cycles(answer), 20 + kLayers * 21u);
    EXPECT_EQ(answer.lower_bound.cycles, 20 + kLayers * 21u);
    EXPECT_EQ(PeakOf(answer.schedule.order), 4u);
  }
}

// But for the first, a D then has the three units for itself, so no load runs beside one: 32 of
// each, 20 cycles long, of which the first D and the second load are one; the first G, which makes
// room for the second D, and the last.
TEST_F(Layers, InThreeUnitsALoadCannotRunBesideAD) {
  Make(kLoadBesideD);
  for (const OracleKind oracle : kBothOracles) {
    const ScheduleAnswer answer = Kept(ChipOf(3), With(oracle));
    EXPECT_EQ(Cycles(answer), (2 * kLayers - 1) * 20u + 2);
    EXPECT_EQ(PeakOf(answer.schedule.order), 3u);
  }
}

// ---- eight layers -------------------------------------------------------------------------------

// Eight layers of 10 cycles, each after the one before. Layers 2, 3, 6 and 7 need weights of 100
// bytes, a load of 20 cycles each.
Stream EightLayers() {
  StreamMaker maker;
  for (int i = 0; i < 4; ++i) maker.Lram(100);
  uint32_t weights = 0;
  uint32_t before = 0;
  for (int layer = 0; layer < 8; ++layer) {
    std::vector<AccessSpec> reads;
    if (layer % 4 >= 2) {
      maker.Load(20, {Writes(weights)});
      reads.push_back(Reads(weights++));
    }
    const std::vector<uint32_t> operands =
        layer == 0 ? StreamMaker::Operands{} : StreamMaker::Operands{before + 1};
    before = maker.Program(10, reads, operands);
  }
  return maker.Build();
}

// A load runs beside one layer at most, as the stream waits for it: 160 cycles, of which four times
// 10 are saved.
TEST(EightLayers, Take120CyclesWhereTransfersBlock) {
  const Stream stream = EightLayers();
  for (const uint64_t lram : {200, 300, 400}) ExpectProven(stream, Chip(lram), 120);
}

// The loads end at 20, 40, 60 and 80, and after the last of them comes a layer that needs it.
TEST(EightLayers, Take90CyclesWhereTransfersDoNotBlock) {
  const Stream stream = EightLayers();
  for (const uint64_t lram : {200, 300}) {
    Hardware hardware = Chip(lram);
    hardware.non_blocking_transfers = true;
    for (const OracleKind oracle : kBothOracles) {
      const ScheduleAnswer answer = Answer(stream, hardware, With(oracle));
      EXPECT_EQ(Cycles(answer), 90u);
      EXPECT_EQ(answer.placement.swaps, 0u);
      EXPECT_EQ(answer.lower_bound.cycles, 90u);
    }
  }
}

// ---- where the list scheduler stops short -------------------------------------------------------

// It takes the oldest start though its buffer does not fit, so A, which the input order has in the
// way, is stored and loaded again: 10 + 60 + 10 + 10 + 60 + 10. If C is loaded beside the first
// program, A is done with before B comes.
TEST(ListSchedulesGaps, ItKnowsNoSwaps) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(60), b = maker.Lram(60), c = maker.Lram(10);
  maker.Program(10, {Writes(a)});
  maker.Program(10, {Writes(b)});
  maker.Load(10, {Writes(c)});
  maker.Program(10, {Reads(a), Reads(c)});
  const Stream stream = maker.Build();
  EXPECT_EQ(Listed(stream, Chip(100)), 160u);
  EXPECT_EQ(Optimum(stream, Chip(100)), 30u);
  ExpectProven(stream, Chip(100), 30);
}

// Two of the three short programs begin first, so the chain of three ends at 40.
TEST(ListSchedulesGaps, TheOldestComesFirstHoweverLongTheChainIsThatWaits) {
  StreamMaker maker;
  for (int i = 0; i < 3; ++i) maker.Program(10, {});
  uint32_t last = maker.Program(10, {});
  for (int i = 0; i < 2; ++i) last = maker.Program(10, {}, {last + 1});
  const Stream stream = maker.Build();
  EXPECT_EQ(Listed(stream, Chip(100, 2)), 40u);
  EXPECT_EQ(Optimum(stream, Chip(100, 2)), 30u);
  ExpectProven(stream, Chip(100, 2), 30);
}

TEST(ListSchedulesGaps, TheFirstFreeSliceDoesNotBalance) {
  StreamMaker maker;
  for (const uint64_t cycles : {10, 10, 20}) maker.Program(cycles, {});
  const Stream stream = maker.Build();
  EXPECT_EQ(Listed(stream, Chip(100, 2)), 30u);
  EXPECT_EQ(Optimum(stream, Chip(100, 2)), 20u);
  ExpectProven(stream, Chip(100, 2), 20);
}

// The same in cycles that are too many for a search that plays orders itself.
TEST(ListSchedulesGaps, HoweverLongThePrograms) {
  constexpr uint64_t kUnit = 100'000'000'000'000'000;
  StreamMaker maker;
  for (const uint64_t cycles : {10, 10, 20}) maker.Program(cycles * kUnit, {});
  const Stream stream = maker.Build();
  EXPECT_EQ(Listed(stream, Chip(100, 2)), 30 * kUnit);
  ExpectProven(stream, Chip(100, 2), 20 * kUnit);
}

// The second program waits on the slice, not in the stream, while the load runs beside both.
TEST(ListSchedulesGaps, NoProgramQueuesOnABusySlice) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(10);
  maker.Program(10, {});
  maker.Program(10, {});
  maker.Load(20, {Writes(a)});
  maker.Program(10, {Reads(a)});
  const Stream stream = maker.Build();
  EXPECT_EQ(Listed(stream, Chip(100)), 40u);
  EXPECT_EQ(Optimum(stream, Chip(100)), 30u);
  ExpectProven(stream, Chip(100), 30);
}

// None of the 32 programs of 50 bytes fits beside the first one's 60, the ten of 40 bytes do: they
// keep the second slice busy for its 100 cycles.
TEST(ListSchedulesGaps, ItLooksAt32CandidatesAStep) {
  StreamMaker maker;
  maker.Lram(60);
  for (int i = 0; i < 32; ++i) maker.Lram(50);
  for (int i = 0; i < 10; ++i) maker.Lram(40);
  for (uint32_t i = 0; i < 43; ++i) maker.Program(i == 0 ? 100 : 10, {Writes(i)});
  const Stream stream = maker.Build();
  const Hardware hardware = Chip(100, 2);
  EXPECT_EQ(Listed(stream, hardware), 310u);  // 100, 16 * 10, 5 * 10
  ScheduleOptions more = With(OracleKind::kSequential, Strategy::kStreamSchedule);
  more.candidates = 33;
  EXPECT_EQ(Cycles(Answer(stream, hardware, more)), 260u);
  ExpectProven(stream, hardware, 260);
}

// SEQUENTIAL rounds up to 100 bytes: beside the fixed byte, 50 to 150, it has room for two buffers,
// where the list scheduler sees three or more under each cap. So the input order stays, 130 cycles
// one after the other. Five programs of 20 on two slices take 60, and two buffers are enough.
TEST(ListSchedulesGaps, WhatItPredictsTheAllocatorRefuses) {
  StreamMaker maker;
  maker.Add(FixedAt(50, LiveIn(LiveOut(LramBuffer(1)))));
  for (uint32_t i = 1; i <= 3; ++i) maker.Lram(30);
  for (uint32_t i = 1; i <= 3; ++i) {
    maker.Load(10, {Writes(i)});
    maker.Program(20, {Reads(i)});
  }
  maker.Program(20, {});
  maker.Program(20, {});
  const Stream stream = maker.Build();
  Hardware hardware = Chip(400, 2);
  hardware.alignment = 100;
  hardware.dma_cycles = 100;
  const ScheduleAnswer listed =
      Answer(stream, hardware, With(OracleKind::kSequential, Strategy::kStreamSchedule));
  EXPECT_EQ(listed.source, Source::kInput);
  EXPECT_EQ(Cycles(listed), 130u);
  for (const Attempt& attempt : listed.attempts) EXPECT_LE(attempt.predicted, 70u);
  EXPECT_EQ(Optimum(stream, Chip(400, 2)), 60u);  // also where all of it has room
  for (const OracleKind oracle : kBothOracles) {
    const ScheduleAnswer answer = Answer(stream, hardware, With(oracle));
    EXPECT_EQ(Cycles(answer), 60u);
    EXPECT_EQ(answer.placement.swaps, 0u);
  }
}

// ---- swaps --------------------------------------------------------------------------------------

// W, 40 bytes, is loaded from a constant; the first program makes D of it, 39 bytes; the last one
// reads both; the one in between needs 60 of the 100 bytes, so W or D has to go.
class OneHasToGo : public testing::Test {
 protected:
  // beside: cycles of one more program before the last, which needs no bytes.
  static Stream Make(uint64_t beside) {
    StreamMaker maker;
    Buffer weights = XramBuffer(40);
    weights.constant = true;
    const uint32_t constant = maker.Add(weights);
    const uint32_t w = maker.Lram(40), d = maker.Lram(39), between = maker.Lram(60);
    maker.Load(40, {Reads(constant), Writes(w)});
    uint32_t last = maker.Program(30, {Reads(w), Writes(d)});
    last = maker.Program(50, {Writes(between)}, {last + 1});
    if (beside != 0) last = maker.Program(beside, {}, {last + 1});
    maker.Program(20, {Reads(w), Reads(d)}, {last + 1});
    return maker.Build();
  }

  // D lies at the lower end, so that what W leaves is one range.
  static Hardware ChipForD() {
    Hardware hardware = Chip(100);
    hardware.small_buffer_bytes = 40;
    return hardware;
  }

  static void ExpectWReloaded(const Stream& stream, uint64_t cycles) {
    EXPECT_EQ(Optimum(stream, ChipForD(), /*evictions=*/2), cycles);
    const ScheduleAnswer answer = Answer(stream, ChipForD(), With(OracleKind::kOffline));
    EXPECT_EQ(Cycles(answer), cycles);
    EXPECT_EQ(answer.placement.swaps, 1u);
    EXPECT_EQ(answer.placement.stores, 0u);
    EXPECT_EQ(answer.placement.swap_bytes, 40u);
    ASSERT_EQ(answer.placement.swap_transfers.size(), 1u);
    EXPECT_EQ(answer.placement.swap_transfers[0].buffer, BufferIndex(1));
  }
};

// 40 + 30 + 50 + 40 + 20; with D it would be 39 twice.
TEST_F(OneHasToGo, AConstantGoesAndIsNotStored) {
  const Stream stream = Make(0);
  ExpectWReloaded(stream, 180);
  EXPECT_EQ(Cycles(Answer(stream, ChipForD(), With(OracleKind::kSequential))), 220u);
}

// 40 + 30 + 50 + 60 + 20: the load back is done beside the program that needs no bytes. SEQUENTIAL
// stores, and loads when the last program is to start.
TEST_F(OneHasToGo, AndComesBackEarlyBesideARunningProgram) {
  const Stream stream = Make(60);
  ExpectWReloaded(stream, 200);
  EXPECT_EQ(Cycles(Answer(stream, ChipForD(), With(OracleKind::kSequential))), 280u);
}

// It cannot be shorter than the chain of programs with the first load, and that is proven.
TEST_F(OneHasToGo, WhatComesBackForNothingIsProvenBest) {
  EXPECT_EQ(Answer(Make(60), ChipForD(), With(OracleKind::kOffline)).lower_bound.cycles, 200u);
}

// Both ways under other programs: D, made by a program, is stored beside the second and loaded
// beside the fourth; the third needs its room.
TEST(Swaps, AreHiddenBesideOtherProgramsBothWays) {
  StreamMaker maker;
  const uint32_t d = maker.Lram(60), between = maker.Lram(60);
  uint32_t last = maker.Program(30, {Writes(d)});
  last = maker.Program(70, {}, {last + 1});
  last = maker.Program(20, {Writes(between)}, {last + 1});
  last = maker.Program(80, {}, {last + 1});
  maker.Program(10, {Reads(d)}, {last + 1});
  const Stream stream = maker.Build();
  EXPECT_EQ(Optimum(stream, Chip(100), /*evictions=*/2), 210u);
  const ScheduleAnswer answer = Answer(stream, Chip(100), With(OracleKind::kOffline));
  EXPECT_EQ(Cycles(answer), 210u);
  EXPECT_EQ(answer.lower_bound.cycles, 210u);
  EXPECT_EQ(answer.placement.swaps, 1u);
  EXPECT_EQ(answer.placement.swap_bytes, 120u);
  EXPECT_EQ(Cycles(Answer(stream, Chip(100), With(OracleKind::kSequential))), 330u);
}

// Y runs for 1,000 cycles, and so does the transfer of d, which has no room beside c and b. But b
// is a constant that is needed at the end only.
TEST(Swaps, AreFoundWhereAnOrderWithoutOneIsTwiceAsLong) {
  StreamMaker maker;
  const uint32_t constant = maker.Add([] {
    Buffer buffer = LiveIn(XramBuffer(40));
    buffer.constant = true;
    return buffer;
  }());
  const uint32_t x = maker.Xram(40);
  const uint32_t b = maker.Lram(40);
  const uint32_t c = maker.Lram(40);
  const uint32_t d = maker.Lram(40);
  maker.Load(5, {Reads(constant), Writes(b)});
  maker.Barrier(0);
  maker.Program(1000, {Writes(c)});
  maker.Load(1000, {Reads(x), Writes(d)}, {});
  maker.Program(10, {Reads(d)});
  maker.Barrier(0);
  maker.Program(10, {Reads(b)});
  const Stream stream = maker.Build();
  const Hardware chip = Chip(100);

  const uint64_t without = Optimum(stream, chip);
  const uint64_t with = Optimum(stream, chip, 1);
  ASSERT_GT(without, 2000u);
  ASSERT_LT(with, 1100u);
  for (const OracleKind oracle : kBothOracles) {
    const ScheduleAnswer answer = Answer(stream, chip, With(oracle));
    EXPECT_EQ(answer.placement.swaps, 1u);
    // SEQUENTIAL does not know that what is in b is in XRAM, too: it stores it.
    if (oracle == OracleKind::kOffline) EXPECT_EQ(Cycles(answer), with);
    EXPECT_LT(Cycles(answer), 1200u);
    EXPECT_LE(answer.lower_bound.cycles, with);
    ScheduleOptions forbidden = With(oracle);
    forbidden.swaps_forbidden = true;
    EXPECT_EQ(Cycles(Answer(stream, chip, forbidden)), without);
  }
}

// ---- no swaps -----------------------------------------------------------------------------------

// The first buffer is needed before and after the second, and LRAM holds one of them.
TEST(SwapsForbidden, WhatNeedsASwapIsNotPlaced) {
  StreamMaker maker;
  maker.Lram(60);
  maker.Lram(60);
  uint32_t last = maker.Program(10, {Writes(0)});
  last = maker.Program(10, {Writes(1)}, {last + 1});
  maker.Program(10, {Reads(0)}, {last + 1});
  const Stream stream = maker.Build();
  for (const OracleKind oracle : kBothOracles) {
    ScheduleOptions options = With(oracle);
    const ScheduleAnswer swapped = Answer(stream, Chip(100), options);
    EXPECT_EQ(Cycles(swapped), 150u);
    EXPECT_EQ(swapped.placement.swaps, 1u);
    options.swaps_forbidden = true;
    const ScheduleAnswer answer = Answer(stream, Chip(100), options);
    EXPECT_FALSE(answer.placement.placed);
    EXPECT_EQ(answer.placement.swaps, 0u);
    EXPECT_EQ(answer.placement.failure.reason, FailureReason::kCapacity);
    EXPECT_EQ(answer.bar, std::nullopt);
    EXPECT_EQ(answer.schedule.order.size(), stream.op_count());
  }
}

// Buffers of which two fit, loaded three at a time before the first is used: an order without swaps
// is found though the input order has none.
TEST(SwapsForbidden, AnOrderThatNeedsNoneIsFound) {
  StreamMaker maker;
  for (int i = 0; i < 9; ++i) maker.Lram(50);
  for (uint32_t i = 0; i < 9; i += 3) {
    for (uint32_t k = 0; k < 3; ++k) maker.Load(10, {Writes(i + k)});
    for (uint32_t k = 0; k < 3; ++k) maker.Program(10, {Reads(i + k)});
  }
  const Stream stream = maker.Build();
  for (const OracleKind oracle : kBothOracles) {
    ScheduleOptions options = With(oracle);
    options.swaps_forbidden = true;
    const ScheduleAnswer answer = Answer(stream, Chip(100), options);
    EXPECT_EQ(answer.input_allocated_makespan, std::nullopt);
    EXPECT_EQ(Cycles(answer), 100u);  // nine loads, and the last program
    EXPECT_EQ(answer.placement.swaps, 0u);
    EXPECT_EQ(answer.lower_bound.cycles, 100u);
  }
}

// ---- robust -------------------------------------------------------------------------------------

// A takes 180; B takes 85, after a load of 100; what they make is stored, 10 each. A is done at 180
// and B at 185, so to store A's first is best, 200 cycles against 205. But then a slow A holds up
// both stores, where B's would be out of the way.
class TwoStores : public testing::Test {
 protected:
  TwoStores() {
    StreamMaker maker;
    const uint32_t of_a = maker.Lram(10), of_b = maker.Lram(10), weights = maker.Lram(10);
    const uint32_t x = maker.Xram(10), y = maker.Xram(10);
    maker.Program(180, {Writes(of_a)});
    maker.Load(100, {Writes(weights)});
    maker.Program(85, {Reads(weights), Writes(of_b)});
    maker.Store(10, {Reads(of_a), Writes(x)});
    maker.Store(10, {Reads(of_b), Writes(y)});
    stream_ = maker.Build();
  }

  ScheduleAnswer AnswerOf(OracleKind oracle, bool robust, bool blocking = true) const {
    ScheduleOptions options = With(oracle);
    options.robust = robust;
    options.sensitivity = true;
    Hardware hardware = Chip(100, 2);
    hardware.non_blocking_transfers = !blocking;
    return Answer(stream_, hardware, options);
  }

  static std::vector<uint64_t> Prices(const ScheduleAnswer& answer) {
    std::vector<uint64_t> prices;
    for (const Sensitivity& price : answer.sensitivity) prices.push_back(price.makespan);
    return prices;
  }

  Stream stream_;
};

// DMA off by -20, -10, 10 and 20 percent, then compute; 76.5 and 93.5 cycles of B are rounded up.
TEST_F(TwoStores, TheFastestOrderStoresAFirst) {
  for (const OracleKind oracle : kBothOracles) {
    const ScheduleAnswer answer = AnswerOf(oracle, /*robust=*/false);
    EXPECT_EQ(Cycles(answer), 200u);
    EXPECT_EQ(Prices(answer), (std::vector<uint64_t>{196, 198, 206, 217, 178, 187, 218, 236}));
  }
}

TEST_F(TwoStores, TheRobustOrderStoresBFirst) {
  for (const OracleKind oracle : kBothOracles) {
    const ScheduleAnswer answer = AnswerOf(oracle, /*robust=*/true);
    EXPECT_EQ(Cycles(answer), 205u);
    EXPECT_EQ(Prices(answer), (std::vector<uint64_t>{188, 193, 217, 229, 188, 197, 214, 226}));
  }
}

// The same where transfers do not block, which is searched by pricing whole orders.
TEST_F(TwoStores, TheRobustOrderStoresBFirstWhereTransfersDoNotBlock) {
  for (const OracleKind oracle : kBothOracles) {
    const ScheduleAnswer fastest = AnswerOf(oracle, /*robust=*/false, /*blocking=*/false);
    EXPECT_EQ(Cycles(fastest), 200u);
    EXPECT_EQ(Prices(fastest), (std::vector<uint64_t>{196, 198, 206, 217, 178, 187, 218, 236}));
    const ScheduleAnswer robust = AnswerOf(oracle, /*robust=*/true, /*blocking=*/false);
    EXPECT_EQ(Cycles(robust), 205u);
    EXPECT_EQ(Prices(robust), (std::vector<uint64_t>{188, 193, 217, 229, 188, 197, 214, 226}));
  }
}

// With no work there is no search, so nothing but STREAM_SCHEDULE's answer.
TEST_F(TwoStores, WithoutWorkRobustChangesNothing) {
  ScheduleOptions options = With(OracleKind::kSequential);
  options.robust = true;
  options.work_limit = 0;
  EXPECT_EQ(Cycles(Answer(stream_, Chip(100, 2), options)), 200u);
}

}  // namespace
}  // namespace torqsched
