// Parts of the search by themselves: the list of running programs against a plain one, swaps that
// are tried where none is needed, and that a search ends when it is told to, wherever it is.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/action_graph.h"
#include "src/graph/problem.h"
#include "src/lram/offline.h"
#include "src/lram/sequential.h"
#include "src/schedule/input_schedule.h"
#include "src/search/optimizer.h"
#include "src/search/oracle_nodes.h"
#include "src/search/random.h"
#include "src/search/running_programs.h"
#include "src/search/swap_trials.h"
#include "tests/lram/violations.h"
#include "tests/reference/random_streams.h"
#include "tests/stream/stream_maker.h"

namespace torqsched::search {
namespace {

// ---- running programs ---------------------------------------------------------------------------

class RunningProgramsTest : public testing::Test {
 protected:
  static constexpr uint32_t kActions = 40;

  void Compare() const {
    ASSERT_EQ(list_.size(), plain_.size());
    std::vector<std::pair<int64_t, uint32_t>> sorted;
    for (const auto& [program, end] : plain_) sorted.push_back({end, program});
    std::sort(sorted.begin(), sorted.end());
    size_t i = 0;
    for (const RunningProgram& r : list_) {
      ASSERT_EQ(r.end, sorted[i].first);
      ASSERT_EQ(r.program.value(), sorted[i].second);
      ++i;
    }
    for (uint32_t a = 0; a < kActions; ++a) {
      ASSERT_EQ(list_.Contains(ActionIndex(a)), plain_.count(a) != 0);
    }
  }

  RunningPrograms list_{kActions};
  std::map<uint32_t, int64_t> plain_;  // program: end
};

TEST_F(RunningProgramsTest, AreWhatAMapSaysAfterAnyInsertsErasesAndClears) {
  Random numbers(7);
  for (int step = 0; step < 20000; ++step) {
    const uint32_t program = numbers.Below(kActions);
    if (numbers.OneIn(500)) {
      list_.Clear();
      plain_.clear();
    } else if (plain_.count(program) != 0) {
      list_.Erase(ActionIndex(program));
      plain_.erase(program);
    } else {
      const int64_t end = numbers.Below(30);
      list_.Insert(ActionIndex(program), end);
      plain_[program] = end;
    }
    Compare();
    if (HasFatalFailure()) return;
  }
}

TEST_F(RunningProgramsTest, HashAlikeExactlyWhereTheSameProgramsEndAsLongAfterNow) {
  std::map<uint64_t, std::map<uint32_t, int64_t>> seen;  // hash: when programs end, from now on
  Random numbers(8);
  for (int step = 0; step < 20000; ++step) {
    list_.Clear();
    plain_.clear();
    const int64_t now = numbers.Below(1000);
    std::map<uint32_t, int64_t> from_now;
    for (uint32_t program = 0; program < kActions; ++program) {
      if (!numbers.OneIn(16)) continue;
      from_now[program] = numbers.Below(3) - 1;  // ended already, just now, or soon
      list_.Insert(ActionIndex(program), now + from_now[program]);
    }
    const auto found = seen.insert({list_.HashAt(now), from_now});
    ASSERT_EQ(found.first->second, from_now);
  }
  EXPECT_GT(seen.size(), 5000u);
}

// ---- swaps where none is needed -----------------------------------------------------------------

bool Never(uint64_t) { return false; }

TEST(TrySwaps, OnRandomStreamsWhatIsFoundIsPlacedAndShorterAndStaysWithinItsWork) {
  uint64_t found = 0;
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE(seed);
    reference::Shape shape;
    shape.most_ops = 12 + static_cast<uint32_t>(seed % 4) * 12;
    const reference::RandomStream random = reference::MakeRandomStream(seed, shape);
    const auto problem = ScheduleProblem::Make(random.stream, random.hardware);
    ASSERT_TRUE(problem.ok());
    const Schedule input = InputSchedule(random.stream);
    for (const bool ours : {false, true}) {
      PlacedOrder start;
      start.order = input.order;
      start.slices = input.slice;
      start.placement =
          ours ? PlaceOffline(**problem, input.order, input.slice, true).placement
               : PlaceSequentially(**problem, input.order, input.slice, true).value_or(Placement());
      if (!start.placement.placed) continue;
      const uint64_t longest_run = NodesOfOffline(**problem, Placement());  // it has to swap
      const uint64_t limit = 20 * longest_run;
      const SwapTrials trials = TrySwaps(**problem, start, ours, limit, Never);
      // One more run of the oracle, and one more walk for the waits, may begin before the limit.
      EXPECT_LE(trials.nodes, limit + longest_run + 2 * random.stream.op_count() + 2);
      if (!trials.better.has_value()) continue;
      ++found;
      EXPECT_LT(trials.better->placement.makespan, start.placement.makespan);
      Schedule schedule;
      schedule.order = trials.better->order;
      schedule.slice = trials.better->slices;
      ASSERT_EQ(Violations(random.stream, random.hardware, schedule, trials.better->placement), "");
    }
  }
  EXPECT_GT(found, 200u);
}

TEST(TrySwaps, AStreamOfWaitsThatAllAreNeededEndsWithinItsWork) {
  StreamMaker maker;
  const uint32_t x = maker.Xram(8);
  const uint32_t b = maker.Lram(8);
  constexpr uint32_t kPrograms = 3000;
  for (uint32_t i = 0; i < kPrograms; ++i) {
    maker.Program(10, {Updates(b)});
    maker.Store(1, {Reads(b), Writes(x)});
  }
  const Stream stream = maker.Build();
  Hardware hardware;
  hardware.lram_bytes = 100;
  const auto problem = ScheduleProblem::Make(stream, hardware);
  ASSERT_TRUE(problem.ok());
  const Schedule input = InputSchedule(stream);
  PlacedOrder start;
  start.order = input.order;
  start.slices = input.slice;
  start.placement = *PlaceSequentially(**problem, input.order, input.slice, true);
  ASSERT_TRUE(start.placement.placed);
  uint64_t asked = 0;
  const SwapTrials trials = TrySwaps(**problem, start, false, 50000, [&](uint64_t) {
    ++asked;
    return false;
  });
  EXPECT_FALSE(trials.better.has_value());
  // The oracle is never asked, and looking is counted all the same.
  EXPECT_GE(trials.nodes, 50000u);
  EXPECT_LT(asked, kPrograms);
}

// ---- stop ---------------------------------------------------------------------------------------

// One buffer lies in the middle for ever, and what the programs need fits on neither side: no order
// keeps the memory.
TEST(Stop, EndsASearchForAnOrderThatKeepsTheMemory) {
  StreamMaker maker;
  maker.Add(LiveIn(LiveOut(FixedAt(40, LramBuffer(20)))));
  constexpr uint32_t kPrograms = 50;
  for (uint32_t i = 0; i < kPrograms; ++i) maker.Lram(50);
  for (uint32_t i = 0; i < kPrograms; ++i) maker.Program(10, {Writes(1 + i)});
  const Stream stream = maker.Build();
  Hardware hardware;
  hardware.lram_bytes = 100;
  const auto problem = ScheduleProblem::Make(stream, hardware);
  ASSERT_TRUE(problem.ok());
  const ActionGraph graph(**problem);
  for (const bool ours : {false, true}) {
    OptimizeRequest request;
    request.ours = ours;
    request.swaps_allowed = true;
    request.nodes = uint64_t{1} << 40;
    request.starts = {InputSchedule(stream).order};
    uint64_t asked = 0;
    request.stop = [&](uint64_t, std::optional<uint64_t> best) {
      EXPECT_FALSE(best.has_value());
      return ++asked == 20;
    };
    const std::optional<OptimizeResult> result = Optimize(**problem, graph, request);
    ASSERT_TRUE(result.has_value());
    EXPECT_TRUE(result->stopped);
    EXPECT_FALSE(result->best.placement.placed);
    EXPECT_EQ(asked, 20u);
    EXPECT_LT(result->work.nodes, 20u * 40000u);
  }
}

}  // namespace
}  // namespace torqsched::search
