// What people are told about an allocation: placed, infeasible, undecided.
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "src/report/allocation.h"

namespace torqsched {
namespace report {
namespace {

class AllocationReport : public testing::Test {
 protected:
  AllocationReport() {
    problem_.buffers.resize(6);
    for (AllocationBuffer& buffer : problem_.buffers) buffer.size = 1500;
    problem_.buffers[1].size = 1;
    problem_.capacity = 4000;
    answer_.statistics = {4, 1234, 1};
  }

  AllocationCase Case() const {
    return {&problem_, &options_, &answer_,
            [](uint32_t b) { return "buffer " + std::to_string(b); }};
  }
  std::string Summary() const { return AllocationSummary("file", Case()); }

  AllocationProblem problem_;
  AllocationOptions options_;
  AllocationAnswer answer_;
};

TEST_F(AllocationReport, PlacementTellsItsHeightAndHowFarItIsAboveTheBound) {
  answer_.verdict = AllocationVerdict::kPlaced;
  answer_.offsets.assign(6, 0);
  answer_.height = 3000;
  answer_.lower_bound = 2400;
  EXPECT_EQ(Summary(),
            "file: 6 buffers\n\n"
            "height        3,000 bytes of 4,000   not proven least\n"
            "lower bound   2,400 bytes   gap 25.0 %\n"
            "work          4 greedy placements, 1,234 nodes in 1 search\n");
  answer_.lower_bound = 3000;
  answer_.proven_least = true;
  problem_.capacity.reset();
  EXPECT_EQ(Summary(),
            "file: 6 buffers\n\n"
            "height        3,000 bytes   proven least\n"
            "lower bound   3,000 bytes\n"
            "work          4 greedy placements, 1,234 nodes in 1 search\n");
}

TEST_F(AllocationReport, ConflictTellsItsBuffersWithTheirSizes) {
  answer_.verdict = AllocationVerdict::kInfeasible;
  answer_.lower_bound = 4501;
  answer_.conflict = {0, 1, 3};
  answer_.conflict_minimal = true;
  EXPECT_EQ(Summary(),
            "file: 6 buffers\n\n"
            "does not fit  4,000 bytes: proven\n"
            "lower bound   4,501 bytes\n"
            "conflict      3 buffers do not fit even without the others; without any one of them "
            "they do\n"
            "              buffer 0 (1,500 bytes)\n"
            "              buffer 1 (1 byte)\n"
            "              buffer 3 (1,500 bytes)\n"
            "work          4 greedy placements, 1,234 nodes in 1 search\n");
  EXPECT_EQ(WhyNotPlaced(Case()),
            "does not fit 4,000 bytes: buffer 0 (1,500 bytes), buffer 1 (1 byte), buffer 3 (1,500 "
            "bytes) cannot be placed together");
}

TEST_F(AllocationReport, LongConflictIsCutInALine) {
  answer_.verdict = AllocationVerdict::kInfeasible;
  answer_.conflict = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(WhyNotPlaced(Case()),
            "does not fit 4,000 bytes: buffer 0 (1,500 bytes), buffer 1 (1 byte), buffer 2 (1,500 "
            "bytes), buffer 3 (1,500 bytes) and 2 others cannot be placed together");
  answer_.conflict = {1};
  EXPECT_EQ(WhyNotPlaced(Case()),
            "does not fit 4,000 bytes: buffer 1 (1 byte) alone cannot be placed");
}

TEST_F(AllocationReport, UndecidedTellsWhatEndedTheWorkAndTheBestHeight) {
  answer_.verdict = AllocationVerdict::kUndecided;
  answer_.limit_hit = true;
  EXPECT_EQ(WhyNotPlaced(Case()),  // too large to search
            "not decided by greedy placements alone whether it fits 4,000 bytes");
  answer_.statistics.nodes = options_.node_limit;
  EXPECT_EQ(WhyNotPlaced(Case()), "not decided within 2,000,000 nodes whether it fits 4,000 bytes");
  answer_.offsets.assign(6, 0);
  answer_.height = 4500;
  answer_.lower_bound = 3900;
  EXPECT_EQ(WhyNotPlaced(Case()),
            "not decided within 2,000,000 nodes whether it fits 4,000 bytes; the best placement "
            "takes 4,500");
  answer_.time_limit_hit = true;
  answer_.statistics.nodes = 1234;
  options_.time_limit_ms = 1500;
  EXPECT_EQ(Summary(),
            "file: 6 buffers\n\n"
            "not decided   within 1,500 ms; capacity 4,000 bytes\n"
            "best height   4,500 bytes\n"
            "lower bound   3,900 bytes   gap 15.4 %\n"
            "work          4 greedy placements, 1,234 nodes in 1 search; a limit ended it\n");
}

}  // namespace
}  // namespace report
}  // namespace torqsched
