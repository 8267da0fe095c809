// Random streams in LRAM of several regions and banks, with both oracles: everything passes the
// checker, and banks cost neither a swap nor a cycle.
//
// Set BANKS_SEED to run one stream alone.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/lram/offline.h"
#include "src/schedule/input_schedule.h"
#include "src/schedule/schedule_stream.h"
#include "tests/lram/violations.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::MakeRandomStream;
using reference::RandomStream;
using reference::Shape;

struct Totals {
  uint64_t placed = 0;
  uint64_t with_swaps = 0;
  uint64_t in_regions = 0;       // more than one
  uint64_t only_one_region = 0;  // placed if LRAM were one region, but not as it is
  uint64_t conflicts_without = 0;
  uint64_t conflicts_with = 0;  // banks preferred
};

class RegionsAndBanks : public testing::Test {
 protected:
  static void ExpectSameButForOffsets(const Placement& a, const Placement& b) {
    ASSERT_EQ(a.placed, b.placed);
    ASSERT_EQ(a.swaps, b.swaps);
    ASSERT_EQ(a.swap_bytes, b.swap_bytes);
    ASSERT_EQ(a.makespan, b.makespan);
    ASSERT_EQ(a.peak, b.peak);
    ASSERT_EQ(a.failure.reason, b.failure.reason);
    ASSERT_EQ(a.moves.size(), b.moves.size());
    for (size_t m = 0; m < a.moves.size(); ++m) {
      ASSERT_EQ(a.moves[m].entry, b.moves[m].entry);
      ASSERT_EQ(a.moves[m].buffer, b.moves[m].buffer);
      ASSERT_EQ(a.moves[m].in, b.moves[m].in);
    }
  }

  OfflinePlacement Place(const RandomStream& random, const Hardware& hardware, bool swaps_allowed) {
    const auto problem = ScheduleProblem::Make(random.stream, hardware);
    EXPECT_TRUE(problem.ok()) << problem.status();
    if (!problem.ok()) return OfflinePlacement();
    const Schedule input = InputSchedule(random.stream);
    return PlaceOffline(**problem, input.order, input.slice, swaps_allowed);
  }

  // The placement without a preference, as far as its conflicts go: the checker tells them.
  static uint64_t ConflictsOf(const RandomStream& random, const Placement& placement) {
    const Schedule input = InputSchedule(random.stream);
    for (uint64_t guess = 0; guess < 100000; ++guess) {
      Placement claimed = placement;
      claimed.bank_conflicts = guess;
      if (Violations(random.stream, random.hardware, input, claimed).empty()) return guess;
    }
    ADD_FAILURE() << "more conflicts than a small stream has";
    return 0;
  }

  void PlaceInput(const RandomStream& random) {
    Hardware no_banks = random.hardware;
    no_banks.bank_bytes = 0;
    Hardware one_region = random.hardware;
    one_region.region_bytes.clear();
    const Schedule input = InputSchedule(random.stream);
    for (const bool swaps_allowed : {false, true}) {
      const OfflinePlacement with = Place(random, random.hardware, swaps_allowed);
      const OfflinePlacement without = Place(random, no_banks, swaps_allowed);
      ASSERT_NO_FATAL_FAILURE(ExpectSameButForOffsets(with.placement, without.placement));
      ASSERT_NO_FATAL_FAILURE(ExpectSameButForOffsets(with.sequential, without.sequential));
      ASSERT_EQ(Violations(random.stream, random.hardware, input, with.placement), "");
      ASSERT_EQ(Violations(random.stream, random.hardware, input, with.sequential), "");
      ASSERT_EQ(with.placement.bank_conflicts.has_value(), with.placement.placed);
      ASSERT_FALSE(without.placement.bank_conflicts.has_value());
      totals_.in_regions += random.hardware.region_bytes.size() > 1;
      if (!with.placement.placed) {
        totals_.only_one_region += Place(random, one_region, swaps_allowed).placement.placed;
        continue;
      }
      ++totals_.placed;
      totals_.with_swaps += with.placement.swaps != 0;
      const uint64_t before = ConflictsOf(random, without.placement);
      ASSERT_LE(*with.placement.bank_conflicts, before);
      totals_.conflicts_without += before;
      totals_.conflicts_with += *with.placement.bank_conflicts;
      if (with.sequential.placed) {
        ASSERT_LE(with.placement.swap_bytes, with.sequential.swap_bytes);
        ASSERT_LE(with.placement.makespan, with.sequential.makespan);
      }
    }
  }

  void Choose(const RandomStream& random, OracleKind oracle) {
    ScheduleOptions options = random.options;
    options.oracle = oracle;
    const absl::StatusOr<ScheduleAnswer> answer =
        ScheduleStream(random.stream, random.hardware, options, {});
    ASSERT_TRUE(answer.ok()) << answer.status();
    ASSERT_EQ(Violations(random.stream, random.hardware, answer->schedule, answer->placement), "");
    ASSERT_EQ(answer->placement.bank_conflicts.has_value(), answer->placement.placed);
    Hardware no_banks = random.hardware;
    no_banks.bank_bytes = 0;
    const absl::StatusOr<ScheduleAnswer> without =
        ScheduleStream(random.stream, no_banks, options, {});
    ASSERT_TRUE(without.ok()) << without.status();
    ASSERT_EQ(answer->schedule.order, without->schedule.order);
    ExpectSameButForOffsets(answer->placement, without->placement);
  }

  void Check(uint64_t seed) {
    Shape shape;
    shape.most_ops = 12 + static_cast<uint32_t>(seed % 5) * 20;
    shape.most_buffers = 5 + static_cast<uint32_t>(seed % 4) * 6;
    shape.regions = seed % 4 != 0;
    shape.banks = true;
    const RandomStream random = MakeRandomStream(seed, shape);
    ASSERT_NO_FATAL_FAILURE(PlaceInput(random));
    ASSERT_NO_FATAL_FAILURE(Choose(random, OracleKind::kSequential));
    ASSERT_NO_FATAL_FAILURE(Choose(random, OracleKind::kOffline));
  }

  Totals totals_;
};

TEST_F(RegionsAndBanks, EveryAnswerHoldsAndBanksCostNothing) {
  if (const char* const alone = std::getenv("BANKS_SEED")) {
    return Check(std::strtoull(alone, nullptr, 10));
  }
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE(testing::Message() << "BANKS_SEED=" << seed);
    Check(seed);
    ASSERT_FALSE(HasFailure());
  }
  std::cout << totals_.placed << " placed, " << totals_.with_swaps << " of them with swaps, "
            << totals_.in_regions << " in several regions; " << totals_.only_one_region
            << " not placed that one region would hold; bank conflicts "
            << totals_.conflicts_without << " -> " << totals_.conflicts_with << "\n";
  // Else it is about nothing.
  EXPECT_GT(totals_.with_swaps, 100u);
  EXPECT_GT(totals_.in_regions, 500u);
  EXPECT_LT(totals_.conflicts_with, totals_.conflicts_without);
}

}  // namespace
}  // namespace torqsched
