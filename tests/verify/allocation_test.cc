// The checker of allocations: one answer that holds, and every way to break it by one change; then
// random placements against a slow second checker that compares all pairs.
#include "src/verify/allocation.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/reference/allocation.h"
#include "tests/reference/random_streams.h"
#include "tests/verify/scene.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
constexpr ViolationKind kPlacement = ViolationKind::kPlacement;
constexpr ViolationKind kOverlap = ViolationKind::kOverlap;
constexpr ViolationKind kAlias = ViolationKind::kAlias;
constexpr ViolationKind kVerdict = ViolationKind::kVerdict;
constexpr ViolationKind kConflict = ViolationKind::kConflict;
constexpr ViolationKind kHeight = ViolationKind::kHeight;
constexpr ViolationKind kLowerBound = ViolationKind::kLowerBound;

AllocationBuffer Live(uint64_t lower, uint64_t upper, uint64_t size) {
  AllocationBuffer buffer;
  buffer.live = {lower, upper};
  buffer.size = size;
  return buffer;
}

std::vector<ViolationKind> Kinds(const Verification& verification) {
  std::vector<ViolationKind> kinds;
  for (const Violation& violation : verification.violations) kinds.push_back(violation.kind);
  return kinds;
}

// Three buffers of 100 bytes, of which 0 and 1 are live together and 2 comes later; 0 has a gap in
// which nobody else is live.
class ThreeBuffers : public testing::Test {
 protected:
  ThreeBuffers() {
    problem_.buffers = {Live(0, 10, 100), Live(0, 5, 100), Live(5, 10, 100)};
    problem_.buffers[0].gaps = {{6, 7}};
    problem_.alignment = 4;
    problem_.capacity = 200;
    answer_.verdict = AllocationVerdict::kPlaced;
    answer_.offsets = {0, 100, 100};
    answer_.height = 200;
    answer_.lower_bound = 200;
    answer_.proven_least = true;
  }

  Verification Check() const { return VerifyAllocation(problem_, answer_); }

  // For answers that are higher than need be.
  void Allow(uint64_t height) {
    problem_.capacity = height;
    answer_.height = height;
    answer_.proven_least = false;
  }

  AllocationProblem problem_;
  AllocationAnswer answer_;
};

TEST_F(ThreeBuffers, Hold) {
  const Verification verification = Check();
  ExpectHolds(verification);
  EXPECT_EQ(verification.height, 200u);
  EXPECT_EQ(verification.peak_live_bytes, 200u);
}

TEST_F(ThreeBuffers, OneSharedByteIsAnOverlapThatNamesBothAndTheirBytes) {
  problem_.alignment = 1;
  answer_.offsets[1] = 99;
  const Verification verification =
      VerifyAllocation(problem_, answer_, [](uint32_t b) { return "the " + std::to_string(b); });
  ExpectOnly(verification, kOverlap, {}, 1);
  EXPECT_EQ(FirstMessage(verification),
            "the 1: [99, 199) shares bytes with the 0 [0, 100), both live at 0");
}

TEST_F(ThreeBuffers, BuffersThatMeetInTimeByOneUnitOverlap) {
  problem_.buffers[1].live.upper = 6;
  Allow(200);
  answer_.lower_bound = 300;  // as many are live at 5
  ExpectOnly(Check(), kOverlap, {}, 2);
}

TEST_F(ThreeBuffers, BytesAreFreeInAGapAndOnlyThere) {
  problem_.buffers.push_back(Live(6, 7, 100));
  answer_.offsets.push_back(0);
  ExpectHolds(Check());
  problem_.buffers.back().live.upper = 8;
  answer_.lower_bound = 300;
  ExpectOnly(Check(), kOverlap, {}, 0);
}

TEST_F(ThreeBuffers, GapsMayOverlapAndStandInAnyOrder) {
  problem_.buffers[0].gaps = {{7, 9}, {6, 6}, {6, 8}};
  problem_.buffers.push_back(Live(6, 9, 100));
  answer_.offsets.push_back(0);
  ExpectHolds(Check());
  problem_.buffers[0].gaps = {{6, 9}, {7, 8}};
  ExpectHolds(Check());
}

TEST_F(ThreeBuffers, BufferThatComesInTwiceOverAnotherIsListedOnce) {
  problem_.buffers.push_back(Live(0, 10, 40));
  problem_.buffers.back().gaps = {{2, 4}, {6, 7}};
  answer_.offsets.push_back(0);
  answer_.lower_bound = 240;
  const Verification verification = Check();
  int listed = 0;
  for (const Violation& violation : verification.violations) {
    listed += violation.buffer == BufferIndex(3) ? 1 : 0;
  }
  EXPECT_EQ(listed, 1) << Listed(verification);
}

TEST_F(ThreeBuffers, AsManyOffsetsAsBuffers) {
  answer_.offsets.pop_back();
  ExpectOnly(Check(), kPlacement, {}, {});
  answer_.offsets = {0, 100, 100, 0};
  ExpectOnly(Check(), kPlacement, {}, {});
  answer_.offsets.clear();
  EXPECT_EQ(Kinds(Check()), std::vector<ViolationKind>({kPlacement, kHeight}));
}

TEST_F(ThreeBuffers, BufferThatEndsAboveTheCapacity) {
  problem_.capacity = 199;
  EXPECT_EQ(Kinds(Check()), std::vector<ViolationKind>({kPlacement, kPlacement}));
}

TEST_F(ThreeBuffers, RangeThatDoesNotFit64Bits) {
  problem_.capacity.reset();
  answer_.offsets[2] = kMost - 99;
  ExpectOnly(Check(), kPlacement, {}, 2);
  answer_.offsets[2] = kMost - 103;  // the last that ends within them, by its alignment
  answer_.height = kMost - 3;
  answer_.proven_least = false;
  ExpectHolds(Check());
}

TEST_F(ThreeBuffers, OffsetOffTheAlignmentOfTheProblem) {
  answer_.offsets[1] = answer_.offsets[2] = 102;
  Allow(202);
  EXPECT_EQ(Kinds(Check()), std::vector<ViolationKind>({kPlacement, kPlacement}));
}

TEST_F(ThreeBuffers, OffsetOffTheAlignmentOfTheBuffer) {
  problem_.buffers[1].alignment = 64;
  ExpectOnly(Check(), kPlacement, {}, 1);
  answer_.offsets[1] = 128;
  Allow(228);
  ExpectHolds(Check());
}

TEST_F(ThreeBuffers, FixedOffsetHoldsWhateverTheAlignment) {
  problem_.buffers[1].alignment = 64;
  problem_.buffers[1].fixed_offset = 100;
  ExpectHolds(Check());
  problem_.buffers[1].fixed_offset = 96;
  ExpectOnly(Check(), kPlacement, {}, 1);
}

TEST_F(ThreeBuffers, ReservedBytesAreNobodysAtAnyTime) {
  problem_.reserved = {{200, 300}, {50, 50}};
  ExpectHolds(Check());
  problem_.reserved = {{300, 400}, {7, 7}, {199, 200}};
  EXPECT_EQ(Kinds(Check()), std::vector<ViolationKind>({kPlacement, kPlacement}));
  problem_.reserved = {{0, 1}};
  ExpectOnly(Check(), kPlacement, {}, 0);
  problem_.reserved = {{20, 80}, {30, 40}};
  ExpectOnly(Check(), kPlacement, {}, 0);
  // One inside of another, below where buffers 1 and 2 begin.
  problem_.reserved = {{90, 150}, {95, 99}};
  EXPECT_EQ(Kinds(Check()), std::vector<ViolationKind>({kPlacement, kPlacement, kPlacement}));
}

TEST_F(ThreeBuffers, NobodyStraddlesABoundary) {
  problem_.boundaries = {200, 0, 100};
  ExpectHolds(Check());
  problem_.boundaries = {99, 100};
  ExpectOnly(Check(), kPlacement, {}, 0);
  problem_.boundaries = {1};
  ExpectOnly(Check(), kPlacement, {}, 0);
}

TEST_F(ThreeBuffers, SeparateBuffersShareNoByteAtAnyTime) {
  problem_.separate = {{0, 1}, {0, 2}};
  ExpectHolds(Check());
  problem_.separate = {{1, 2}};
  ExpectOnly(Check(), kOverlap, {}, 2);
}

TEST_F(ThreeBuffers, BuffersWithoutRoomAreInNobodysWay) {
  problem_.buffers.push_back(Live(0, 10, 0));
  problem_.buffers.push_back(Live(4, 4, 100));
  problem_.buffers.push_back(Live(2, 4, 100));
  problem_.buffers.back().gaps = {{2, 4}};
  answer_.offsets.insert(answer_.offsets.end(), {48, 48, 48});
  problem_.separate = {{0, 3}, {1, 4}};
  ExpectHolds(Check());
}

TEST_F(ThreeBuffers, BufferWithoutRoomIsAlignedUnlessItIsTiedToAnother) {
  problem_.buffers.push_back(Live(0, 10, 0));
  answer_.offsets.push_back(50);
  ExpectOnly(Check(), kPlacement, {}, 3);
  problem_.aliases = {{3, 0, 50}};
  ExpectHolds(Check());
}

// ---- What ties buffers together ----

// 1 is a part of 0, and lives longer.
class PartOfAWhole : public testing::Test {
 protected:
  PartOfAWhole() {
    problem_.buffers = {Live(0, 2, 100), Live(0, 6, 20), Live(3, 6, 50)};
    problem_.aliases = {{1, 0, 30}};
    answer_.verdict = AllocationVerdict::kPlaced;
    answer_.offsets = {0, 30, 100};
    answer_.height = 150;
    answer_.lower_bound = 150;
    answer_.proven_least = true;
  }
  Verification Check() const { return VerifyAllocation(problem_, answer_); }

  AllocationProblem problem_;
  AllocationAnswer answer_;
};

TEST_F(PartOfAWhole, Holds) {
  const Verification verification = Check();
  ExpectHolds(verification);
  EXPECT_EQ(verification.peak_live_bytes, 150u);
}

TEST_F(PartOfAWhole, LiesAtItsByteOfTheWhole) {
  answer_.offsets[1] = 29;
  ExpectOnly(Check(), kAlias, {}, 1);
}

TEST_F(PartOfAWhole, KeepsAllOfTheWholeAlive) {
  answer_.offsets[2] = 50;  // behind the part, but inside of the whole
  answer_.height = 100;
  answer_.lower_bound = 150;
  ExpectOnly(Check(), kOverlap, {}, 2);
}

TEST_F(PartOfAWhole, PartOfAPartIsAPartOfTheWhole) {
  problem_.buffers.push_back(Live(5, 7, 10));
  problem_.buffers.push_back(Live(6, 7, 8));
  problem_.aliases.push_back({3, 1, 5});
  answer_.offsets.insert(answer_.offsets.end(), {35, 90});
  ExpectOnly(Check(), kOverlap, {}, 4);  // 3 keeps 0 alive, not just 1
  answer_.offsets[3] = 36;
  answer_.offsets[4] = 100;
  ExpectOnly(Check(), kAlias, {}, 3);
}

TEST_F(PartOfAWhole, PartsOwnAlignmentIsNotLookedAt) {
  problem_.buffers[1].alignment = 64;
  problem_.alignment = 4;  // 30 is no multiple of it either
  ExpectHolds(Check());
}

TEST_F(PartOfAWhole, PartThatIsFixedFixesTheWholeWhateverItsAlignment) {
  problem_.buffers[0].alignment = 64;
  problem_.buffers[1].fixed_offset = 30;
  ExpectHolds(Check());
  problem_.buffers[1].fixed_offset = 31;
  ExpectOnly(Check(), kPlacement, {}, 1);
  answer_.offsets = {1, 31, 101};
  answer_.height = 151;
  answer_.proven_least = false;
  ExpectHolds(Check());
}

TEST_F(PartOfAWhole, SeparatePartsStandForTheirWholes) {
  problem_.buffers.push_back(Live(8, 9, 10));
  answer_.offsets.push_back(0);
  problem_.separate = {{3, 1}};
  ExpectOnly(Check(), kOverlap, {}, 1);
}

class SameOffset : public testing::Test {
 protected:
  // 0, 1 and 2 in place of each other, 3 beside them.
  SameOffset() {
    problem_.buffers = {Live(0, 4, 100), Live(3, 8, 40), Live(3, 9, 60), Live(0, 9, 50)};
    problem_.same_offset = {{0, 1}, {1, 2}};
    answer_.verdict = AllocationVerdict::kPlaced;
    answer_.offsets = {0, 0, 0, 100};
    answer_.height = 150;
    answer_.lower_bound = 150;
    answer_.proven_least = true;
  }
  Verification Check() const { return VerifyAllocation(problem_, answer_); }

  AllocationProblem problem_;
  AllocationAnswer answer_;
};

TEST_F(SameOffset, MembersShareBytesAndTheLargestCounts) {
  const Verification verification = Check();
  ExpectHolds(verification);
  EXPECT_EQ(verification.peak_live_bytes, 150u);
}

TEST_F(SameOffset, OffsetsAreTheSame) {
  answer_.offsets[2] = 8;
  ExpectOnly(Check(), kAlias, {}, 2);
}

TEST_F(SameOffset, OthersShareNoByteWithAnyOfThem) {
  problem_.buffers[3].live = {4, 9};
  answer_.offsets[3] = 60;
  answer_.height = 110;
  answer_.lower_bound = 110;
  ExpectHolds(Check());  // 0 is gone, 2 ends at 60
  answer_.offsets[3] = 59;
  answer_.height = 109;
  answer_.lower_bound = 110;
  const Verification verification = Check();
  ExpectOnly(verification, kOverlap, {}, 3);
  EXPECT_NE(verification.violations[0].message.find("buffer 2 [0, 60)"), std::string::npos)
      << Listed(verification);
}

TEST_F(SameOffset, OneThatIsFixedFixesAll) {
  problem_.buffers[0].alignment = 64;
  problem_.buffers[2].fixed_offset = 3;
  answer_.offsets = {3, 3, 3, 103};
  answer_.height = 153;
  answer_.proven_least = false;
  ExpectHolds(Check());
}

// ---- Numbers and verdicts ----

TEST_F(ThreeBuffers, HeightIsWhereTheHighestEnds) {
  answer_.height = 204;
  answer_.proven_least = false;
  ExpectOnly(Check(), kHeight, {}, {});
}

TEST_F(ThreeBuffers, LowerBoundIsNotBelowTheLargestLiveSum) {
  answer_.lower_bound = 199;
  answer_.proven_least = false;
  ExpectOnly(Check(), kLowerBound, {}, {});
}

TEST_F(ThreeBuffers, ProvenLeastAboveTheLowerBoundContradictsItself) {
  // The same placement eight bytes up: legal, but no longer at the bound.
  problem_.capacity = 400;
  for (uint64_t& offset : answer_.offsets) offset += 8;
  answer_.height += 8;
  ASSERT_TRUE(answer_.proven_least);
  ExpectOnly(Check(), kVerdict, {}, {});
}

TEST_F(ThreeBuffers, WithoutACapacityNothingIsInfeasibleOrUndecided) {
  problem_.capacity.reset();
  const std::vector<uint64_t> offsets = answer_.offsets;
  answer_ = AllocationAnswer();
  answer_.verdict = AllocationVerdict::kInfeasible;
  answer_.conflict = {0, 1, 2};
  answer_.lower_bound = 200;
  ExpectOnly(Check(), kVerdict, {}, {});
  problem_.buffers[0].fixed_offset = 0;  // may clash with another
  EXPECT_TRUE(Check().violations.empty());
  problem_.buffers[0].fixed_offset.reset();
  answer_ = AllocationAnswer();
  answer_.verdict = AllocationVerdict::kUndecided;
  answer_.limit_hit = true;
  answer_.lower_bound = 200;
  EXPECT_TRUE(Check().violations.empty());
  answer_.offsets = offsets;
  answer_.height = 200;
  ExpectOnly(Check(), kVerdict, {}, {});
}

TEST_F(ThreeBuffers, InfeasibleWithALowerBoundWithinTheCapacityContradictsItself) {
  problem_.capacity = 199;  // 200 bytes are live at once
  answer_ = AllocationAnswer();
  answer_.verdict = AllocationVerdict::kInfeasible;
  answer_.conflict = {0, 1, 2};
  answer_.lower_bound = 200;
  EXPECT_TRUE(Check().violations.empty());
  problem_.capacity = 200;
  ExpectOnly(Check(), kVerdict, {}, {});
}

TEST_F(ThreeBuffers, LowerBoundIsNotAboveAPlacementThatHolds) {
  problem_.capacity = 400;
  answer_.lower_bound = 201;
  ExpectOnly(Check(), kLowerBound, {}, {});
}

TEST_F(ThreeBuffers, HeightAtTheBoundIsProvenLeast) {
  answer_.proven_least = false;
  ExpectOnly(Check(), kVerdict, {}, {});
}

TEST(VerifyAllocation, SumsBeyond64BitsAreTheLargestValue) {
  AllocationProblem problem;
  problem.buffers = {Live(0, 1, kMost), Live(0, 1, kMost)};
  AllocationAnswer answer;
  answer.verdict = AllocationVerdict::kInfeasible;
  answer.lower_bound = kMost;
  answer.conflict = {0, 1};
  const Verification verification = VerifyAllocation(problem, answer);
  ExpectHolds(verification);
  EXPECT_EQ(verification.peak_live_bytes, kMost);
}

TEST(VerifyAllocation, NoBuffersAreAPlacementOfNoHeight) {
  AllocationAnswer answer;
  answer.verdict = AllocationVerdict::kPlaced;
  answer.proven_least = true;
  ExpectHolds(VerifyAllocation({}, answer));
}

class Infeasible : public ThreeBuffers {
 protected:
  Infeasible() {
    problem_.capacity = 150;
    answer_ = AllocationAnswer();
    answer_.verdict = AllocationVerdict::kInfeasible;
    answer_.lower_bound = 200;
    answer_.conflict = {0, 2};
    answer_.conflict_minimal = true;
  }
};

TEST_F(Infeasible, Holds) { ExpectHolds(Check()); }

TEST_F(Infeasible, HasNoOffsetsAndNoHeight) {
  answer_.offsets = {0, 100, 100};
  answer_.height = 200;
  EXPECT_EQ(Kinds(Check())[0], kVerdict);
  answer_.offsets.clear();
  ExpectOnly(Check(), kHeight, {}, {});
}

TEST_F(Infeasible, IsNotProvenLeast) {
  answer_.proven_least = true;
  ExpectOnly(Check(), kVerdict, {}, {});
}

TEST_F(Infeasible, HasAConflict) {
  answer_.conflict_minimal = false;
  answer_.conflict.clear();
  ExpectOnly(Check(), kConflict, {}, {});
}

TEST_F(Infeasible, ConflictNamesBuffersOnceAndAscending) {
  answer_.conflict = {0, 3};
  ExpectOnly(Check(), kConflict, {}, {});
  answer_.conflict = {2, 0};
  ExpectOnly(Check(), kConflict, {}, 0);
  answer_.conflict = {0, 0};
  ExpectOnly(Check(), kConflict, {}, 0);
}

TEST_F(ThreeBuffers, ConflictOfAPlacementContradictsIt) {
  answer_.conflict = {0};
  ExpectOnly(Check(), kConflict, {}, {});
  answer_.conflict.clear();
  answer_.conflict_minimal = true;
  ExpectOnly(Check(), kConflict, {}, {});
}

class Undecided : public ThreeBuffers {
 protected:
  Undecided() {
    problem_.capacity = 200;
    answer_ = AllocationAnswer();
    answer_.verdict = AllocationVerdict::kUndecided;
    answer_.lower_bound = 200;
    answer_.limit_hit = true;
  }
};

TEST_F(Undecided, HoldsWithoutOffsets) { ExpectHolds(Check()); }

TEST_F(Undecided, BestPlacementMayEndAboveTheCapacityAndHoldsOtherwise) {
  answer_.offsets = {0, 104, 104};
  answer_.height = 204;
  ExpectHolds(Check());
  answer_.offsets[1] = 96;
  ExpectOnly(Check(), kOverlap, {}, 1);
}

TEST_F(Undecided, PlacementThatFitsContradictsTheVerdict) {
  answer_.offsets = {0, 100, 100};
  answer_.height = 200;
  ExpectOnly(Check(), kVerdict, {}, {});
}

TEST_F(Undecided, SomethingEndedTheWork) {
  answer_.limit_hit = false;
  ExpectOnly(Check(), kVerdict, {}, {});
  answer_.cancelled = true;
  ExpectHolds(Check());
}

TEST_F(Undecided, TimeLimitIsALimit) {
  answer_.limit_hit = false;
  answer_.cancelled = true;
  answer_.time_limit_hit = true;
  ExpectOnly(Check(), kVerdict, {}, {});
}

TEST(VerifyAllocation, LongListsOfViolationsAreCutAndCounted) {
  AllocationProblem problem;
  AllocationAnswer answer;
  answer.verdict = AllocationVerdict::kPlaced;
  for (int i = 0; i < 5000; ++i) {
    problem.buffers.push_back(Live(0, 1, 1));
    answer.offsets.push_back(0);
  }
  answer.height = 1;
  answer.lower_bound = 5000;
  const Verification verification = VerifyAllocation(problem, answer);
  ASSERT_EQ(verification.violations.size(), kMostViolations + 1);
  // All but the first come in over another.
  EXPECT_EQ(verification.violations.back().message, "and 3999 more");
}

// Many buffers over each other, many members of a family, long chains of parts: near-linear, or
// this takes minutes.
TEST(VerifyAllocation, HundredThousandBuffers) {
  AllocationProblem problem;
  AllocationAnswer answer;
  answer.verdict = AllocationVerdict::kPlaced;
  constexpr uint32_t kCount = 100000;
  for (uint32_t i = 0; i < kCount; ++i) {
    problem.buffers.push_back(Live(i % 1000, 1000 + i, 2));
    answer.offsets.push_back(i < kCount / 2 ? 0 : 2 * i);
    if (i == 0 || i >= kCount / 2) continue;
    if (i % 2 == 0) {
      problem.aliases.push_back({i, i - 2, 0});
    } else {
      problem.same_offset.push_back({i, i - 1});
    }
  }
  answer.height = 2 * kCount;
  answer.lower_bound = kCount + 2;
  ExpectHolds(VerifyAllocation(problem, answer));
  for (uint64_t& offset : answer.offsets) offset = 0;
  answer.height = 2;
  EXPECT_FALSE(VerifyAllocation(problem, answer).violations.empty());
}

// ---- Against the second checker ----

AllocationProblem RandomProblem(reference::SplitMix64* random) {
  AllocationProblem problem;
  const uint32_t count = 1 + static_cast<uint32_t>(random->Below(7));
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t lower = random->Below(6);
    AllocationBuffer buffer = Live(lower, lower + random->Below(6), random->Below(5));
    buffer.alignment = random->Percent(70) ? 1 : 1 + random->Below(4);
    if (buffer.live.lower + 1 < buffer.live.upper && random->Percent(30)) {
      const uint64_t from = random->Between(buffer.live.lower, buffer.live.upper);
      buffer.gaps.push_back({from, random->Between(from, buffer.live.upper)});
    }
    problem.buffers.push_back(buffer);
  }
  if (random->Percent(50)) problem.capacity = 4 + random->Below(12);
  if (random->Percent(20)) problem.alignment = 2;
  if (random->Percent(20)) {
    const uint64_t begin = random->Below(12);
    problem.reserved.push_back({begin, begin + random->Below(3)});
  }
  if (random->Percent(20)) problem.boundaries.push_back(random->Below(12));
  for (uint32_t i = 1; i < count; ++i) {
    const uint32_t other = static_cast<uint32_t>(random->Below(i));
    const uint64_t whole = problem.buffers[other].size;
    if (random->Percent(20) && problem.buffers[i].size <= whole) {
      problem.aliases.push_back({i, other, random->Below(whole - problem.buffers[i].size + 1)});
    } else if (random->Percent(10)) {
      problem.separate.push_back({i, other});
    } else if (random->Percent(20) && problem.aliases.empty()) {
      problem.same_offset.push_back({i, other});
    }
  }
  return problem;
}

// Offsets that keep what ties buffers together, most of the time.
std::vector<uint64_t> RandomOffsets(const AllocationProblem& problem,
                                    reference::SplitMix64* random) {
  std::vector<uint64_t> offsets;
  for (size_t i = 0; i < problem.buffers.size(); ++i) offsets.push_back(random->Below(16));
  for (const AllocationAlias& alias : problem.aliases) {
    if (random->Percent(95)) offsets[alias.buffer] = offsets[alias.of] + alias.offset;
  }
  for (const BufferPair& pair : problem.same_offset) {
    if (random->Percent(95)) offsets[pair.first] = offsets[pair.second];
  }
  return offsets;
}

TEST(VerifyAllocation, RandomPlacementsAgreeWithTheCheckerOfAllPairs) {
  reference::SplitMix64 random(7);
  int held = 0;
  int broken = 0;
  for (int i = 0; i < 200000; ++i) {
    const AllocationProblem problem = RandomProblem(&random);
    AllocationAnswer answer;
    answer.verdict = AllocationVerdict::kPlaced;
    answer.offsets = RandomOffsets(problem, &random);
    answer.height = reference::HighestEnd(problem, answer.offsets);
    const std::string faults = reference::CheckOffsets(problem, answer.offsets);
    bool found = false;
    const Verification verification = VerifyAllocation(problem, answer);
    for (const Violation& violation : verification.violations) {
      found |=
          violation.kind == kPlacement || violation.kind == kOverlap || violation.kind == kAlias;
      EXPECT_NE(violation.kind, kHeight) << reference::Describe(problem);
    }
    ASSERT_EQ(found, !faults.empty())
        << "offsets " << testing::PrintToString(answer.offsets) << "\n"
        << faults << Listed(verification) << "\n"
        << reference::Describe(problem);
    ++(found ? broken : held);
  }
  EXPECT_GT(held, 5000);
  EXPECT_GT(broken, 5000);
}

}  // namespace
}  // namespace torqsched
