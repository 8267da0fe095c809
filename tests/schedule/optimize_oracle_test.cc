// Strategy OPTIMIZE beside a host: what its oracle refuses, cannot count, or swaps for, and calls
// that are cancelled in each phase.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/lram/sequential.h"
#include "src/schedule/schedule_stream.h"
#include "src/stream/error.h"
#include "tests/reference/random_streams.h"
#include "tests/schedule/implementation.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

Hardware Chip(uint64_t lram_bytes, uint32_t slices = 1) {
  Hardware h;
  h.lram_bytes = lram_bytes;
  h.slices = slices;
  return h;
}

ScheduleOptions With(OracleKind oracle, uint64_t work_limit) {
  ScheduleOptions options;
  options.strategy = Strategy::kOptimize;
  options.oracle = oracle;
  options.work_limit = work_limit;
  return options;
}

// `count` tiles, each a load, a program and a store, in LRAM for a few of them. Of an order of
// their own, so that a search finds something.
Stream Tiles(uint32_t count, StreamMaker* maker) {
  const uint32_t out = maker->Xram(10 * count);
  for (uint32_t i = 0; i < count; ++i) {
    maker->Lram(20 + i * 7 % 20);
    maker->Lram(10);
  }
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t in = 1 + 2 * i;
    maker->Load(20 + i * 13 % 30, {Writes(in)});
    maker->Program(40 + i * 11 % 50, {Reads(in), Writes(in + 1)});
    maker->Store(15, {Reads(in + 1), Writes(out, 10 * i, 10)});
  }
  return maker->Build();
}

// ---- what a host says ---------------------------------------------------------------------------

// A host that answers as SEQUENTIAL does until the list schedules are through, then with `then`.
class Host : public testing::Test {
 protected:
  Host() : stream_(Tiles(30, &maker_)), hardware_(Chip(200)) {
    problem_ = *ScheduleProblem::Make(stream_, hardware_);
  }

  using Answer = std::function<absl::StatusOr<Placement>(const Schedule&, bool swaps_allowed)>;

  absl::StatusOr<Placement> AsSequential(const Schedule& schedule, bool swaps_allowed) const {
    return PlaceSequentially(*problem_, schedule.order, schedule.slice, swaps_allowed);
  }

  ScheduleAnswer Optimized(const ScheduleOptions& options, const Answer& then) const {
    bool searching = false;
    CallEnvironment environment;
    environment.progress = [&](uint32_t permille, std::optional<uint64_t>) {
      searching |= permille >= 100;
      return false;
    };
    environment.host_oracle = [&](const Schedule& schedule, bool swaps_allowed) {
      return searching ? then(schedule, swaps_allowed) : AsSequential(schedule, swaps_allowed);
    };
    const absl::StatusOr<ScheduleAnswer> answer =
        ScheduleStream(stream_, hardware_, options, environment);
    EXPECT_TRUE(answer.ok()) << answer.status();
    if (!answer.ok()) return ScheduleAnswer();
    EXPECT_EQ(Violations(stream_, hardware_, *answer), "");
    return *answer;
  }

  static std::vector<Attempt> Searched(const ScheduleAnswer& answer) {
    std::vector<Attempt> searched;
    for (const Attempt& attempt : answer.attempts) {
      if (attempt.pass == kSearchPass) searched.push_back(attempt);
    }
    return searched;
  }

  StreamMaker maker_;
  Stream stream_;
  Hardware hardware_;
  std::unique_ptr<const ScheduleProblem> problem_;
};

TEST_F(Host, WhatTheSearchFindsIsListedWhereItsSwapsCannotBeCounted) {
  const ScheduleAnswer answer =
      Optimized(With(OracleKind::kHost, 20000), [](const Schedule&, bool) {
        return ErrorAt(absl::StatusCode::kOutOfRange, "too much", {"", OpIndex(3), BufferIndex()});
      });
  EXPECT_TRUE(answer.placement.placed);
  EXPECT_NE(answer.source, Source::kSearch);
  const std::vector<Attempt> searched = Searched(answer);
  ASSERT_FALSE(searched.empty());
  for (const Attempt& attempt : searched) {
    EXPECT_EQ(attempt.verdict, Verdict::kNotPlaced);
    EXPECT_EQ(attempt.placed, false);
    EXPECT_EQ(attempt.failure.reason, FailureReason::kOverflow);
    EXPECT_EQ(attempt.failure.op, OpIndex(3));
  }
}

TEST_F(Host, ThatSwapsAlthoughItMustNotIsNotBelieved) {
  ScheduleOptions options = With(OracleKind::kHost, 200000);
  options.swaps_forbidden = true;
  const ScheduleAnswer answer = Optimized(options, [this](const Schedule& schedule, bool swaps) {
    absl::StatusOr<Placement> said = AsSequential(schedule, swaps);
    if (said.ok() && said->placed) {
      said->swaps = 1;
      said->makespan = 1;
      said->has_detail = false;
      said->moves.clear();
    }
    return said;
  });
  EXPECT_NE(answer.source, Source::kSearch);
  EXPECT_EQ(answer.placement.swaps, 0u);
  ASSERT_FALSE(Searched(answer).empty());
  for (const Attempt& attempt : Searched(answer)) {
    EXPECT_EQ(attempt.failure.reason, FailureReason::kHost);
  }
}

TEST_F(Host, OtherErrorsAreTheAnswer) {
  bool searching = false;
  CallEnvironment environment;
  environment.progress = [&](uint32_t permille, std::optional<uint64_t>) {
    searching |= permille >= 100;
    return false;
  };
  environment.host_oracle = [&](const Schedule& schedule,
                                bool swaps_allowed) -> absl::StatusOr<Placement> {
    if (searching) return absl::InternalError("the host is gone");
    return AsSequential(schedule, swaps_allowed);
  };
  EXPECT_EQ(ScheduleStream(stream_, hardware_, With(OracleKind::kHost, 20000), environment)
                .status()
                .message(),
            "the host is gone");
}

// ---- cancelling ---------------------------------------------------------------------------------

struct Phase {
  const char* name;
  void (*set)(ScheduleOptions* options, Hardware* hardware);
  uint32_t tiles;
};
void PrintTo(const Phase& phase, std::ostream* out) { *out << phase.name; }

class Cancelled : public testing::TestWithParam<Phase> {
 protected:
  Cancelled() {
    stream_ = Tiles(GetParam().tiles, &maker_);
    hardware_ = Chip(200);
    options_ = With(OracleKind::kSequential, 200000);
    GetParam().set(&options_, &hardware_);
    problem_ = *ScheduleProblem::Make(stream_, hardware_);
  }

  // Stopped at the call of that number, from 1; 0: never. calls: how often progress was told.
  ScheduleAnswer StoppedAt(int call, int* calls) const {
    *calls = 0;
    CallEnvironment environment;
    environment.progress = [&](uint32_t, std::optional<uint64_t>) { return ++*calls == call; };
    environment.host_oracle = [&](const Schedule& schedule, bool swaps_allowed) {
      return PlaceSequentially(*problem_, schedule.order, schedule.slice, swaps_allowed);
    };
    const absl::StatusOr<ScheduleAnswer> answer =
        ScheduleStream(stream_, hardware_, options_, environment);
    EXPECT_TRUE(answer.ok()) << answer.status();
    if (!answer.ok()) return ScheduleAnswer();
    EXPECT_EQ(Violations(stream_, hardware_, *answer), "");
    return *answer;
  }

  uint64_t Measure(const ScheduleAnswer& answer) const {
    uint64_t worst = answer.placement.makespan;
    for (const Sensitivity& price : answer.sensitivity) worst = std::max(worst, price.makespan);
    return options_.robust ? worst : answer.placement.makespan;
  }

  StreamMaker maker_;
  Stream stream_;
  Hardware hardware_;
  ScheduleOptions options_;
  std::unique_ptr<const ScheduleProblem> problem_;
};

// Wherever a call is stopped, nothing is told after that, and the answer is no worse than what
// STREAM_SCHEDULE answers.
TEST_P(Cancelled, TheBestUpToThenIsTheAnswer) {
  options_.sensitivity = true;
  int all = 0;
  const ScheduleAnswer whole = StoppedAt(0, &all);
  EXPECT_FALSE(whole.cancelled);
  ASSERT_GT(all, 8);
  std::optional<uint64_t> listed;
  for (int call = 2; call < all; call += 1 + call / 5) {
    SCOPED_TRACE(testing::Message() << "stopped at call " << call << " of " << all);
    int calls = 0;
    const ScheduleAnswer answer = StoppedAt(call, &calls);
    EXPECT_EQ(calls, call);
    EXPECT_TRUE(answer.cancelled);
    EXPECT_FALSE(answer.time_limit_reached);
    EXPECT_LE(answer.statistics.search_nodes, whole.statistics.search_nodes);
    ASSERT_EQ(answer.placement.placed || !listed.has_value(), true);
    if (!answer.placement.placed) continue;
    EXPECT_LE(Measure(answer), listed.value_or(UINT64_MAX));
    // List schedules may be stopped before the best of them is known.
    if (answer.statistics.search_nodes == 0) listed = Measure(answer);
  }
}

void Nothing(ScheduleOptions*, Hardware*) {}
void Offline(ScheduleOptions* options, Hardware*) { options->oracle = OracleKind::kOffline; }
void NoRoom(ScheduleOptions* options, Hardware* hardware) {
  options->oracle = OracleKind::kOffline;
  hardware->lram_bytes = 52;
}
void Robust(ScheduleOptions* options, Hardware*) { options->robust = true; }
void NonBlocking(ScheduleOptions*, Hardware* hardware) { hardware->non_blocking_transfers = true; }
void RobustNonBlocking(ScheduleOptions* options, Hardware* hardware) {
  options->robust = true;
  hardware->non_blocking_transfers = true;
}
void AHost(ScheduleOptions* options, Hardware*) { options->oracle = OracleKind::kHost; }

INSTANTIATE_TEST_SUITE_P(Phases, Cancelled,
                         testing::Values(Phase{"Exact", &Nothing, 7}, Phase{"Search", &Nothing, 40},
                                         Phase{"SearchOfOffsets", &Offline, 40},
                                         Phase{"NoRoom", &NoRoom, 40}, Phase{"Robust", &Robust, 40},
                                         Phase{"Priced", &NonBlocking, 40},
                                         Phase{"RobustPriced", &RobustNonBlocking, 40},
                                         Phase{"Host", &AHost, 40}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace torqsched
