// Faults that allocators are known to have had, each as a case with the value it states. Where the
// cases are from: testdata/hazards/README.md.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "tests/allocation/hazards_io.h"
#include "tests/allocation/scene.h"
#include "tests/reference/allocation.h"

namespace torqsched {
namespace {

using reference::CheckOffsets;
using reference::LiveBound;
using Offsets = std::vector<uint64_t>;

std::vector<HazardCase> HazardCases() {
  auto cases = LoadHazardCases("testdata/hazards/cases.json");
  EXPECT_TRUE(cases.ok()) << cases.status();
  return cases.ok() ? *std::move(cases) : std::vector<HazardCase>();
}

HazardCase Hazard(const std::string& id) {
  for (HazardCase& c : HazardCases()) {
    if (c.id == id) return std::move(c);
  }
  ADD_FAILURE() << "no case " << id;
  return {};
}

TEST(HazardsTest, EveryCaseHasItsTest) {
  std::set<std::string> ids;
  for (const HazardCase& c : HazardCases()) ids.insert(c.id);
  EXPECT_EQ(ids,
            (std::set<std::string>{"leading_gap", "hole_too_small_though_sum_fits", "zero_size",
                                   "alignment_round_up_wraps", "alias_extends_life"}));
}

// The third buffer fits below the second, where the first lay: the gap below what is live counts.
TEST(HazardsTest, LeadingGapIsUsed) {
  HazardCase c = Hazard("leading_gap");
  ASSERT_EQ(c.expect["min_height"], 180u);
  ASSERT_EQ(LiveBound(c.problem), c.expect["max_live"]);
  ASSERT_LT(c.expect["min_height"], c.expect["known_bad_height"]);
  ExpectLeast(c.problem, c.expect["min_height"]);
}

// With three buffers fixed, bytes enough are free for the fourth, in two holes that are too small.
// It is refused, and the buffer between the holes named; not dropped.
TEST(HazardsTest, HolesThatAreTooSmallAreNoRoomThoughTheirSumIs) {
  HazardCase c = Hazard("hole_too_small_though_sum_fits");
  ASSERT_EQ(c.expect["feasible_without_fixed"], 1u);
  ASSERT_EQ(c.expect["feasible_with_fixed"], 0u);
  const AllocationAnswer free = Solve(c.problem, Objective::kFit);
  EXPECT_EQ(free.verdict, AllocationVerdict::kPlaced);
  EXPECT_EQ(free.offsets.size(), 4u);
  for (const auto& [name, offset] : c.fixed) {
    c.problem.buffers[c.buffer[name]].fixed_offset = offset;
  }
  const uint64_t mid_end = c.fixed["mid"] + c.problem.buffers[c.buffer["mid"]].size;
  const uint64_t above = *c.problem.capacity - mid_end;
  ASSERT_EQ(std::max(c.fixed["mid"], above), c.expect["largest_hole"]);
  ASSERT_EQ(c.fixed["mid"] + above, c.expect["free_bytes_at_3"]);
  ASSERT_GT(c.expect["free_bytes_at_3"], c.problem.buffers[c.buffer["req"]].size);
  ExpectConflict(c.problem, {c.buffer["mid"], c.buffer["req"]});
}

TEST(HazardsTest, ZeroSizesTakeNoRoomAndHaveAnOffset) {
  HazardCase c = Hazard("zero_size");
  ASSERT_EQ(c.expect["feasible"], 1u);
  const AllocationAnswer answer = Solve(c.problem, Objective::kFit);
  ASSERT_EQ(answer.verdict, AllocationVerdict::kPlaced);
  for (const uint64_t offset : answer.offsets) EXPECT_LE(offset, *c.problem.capacity);
  ExpectLeast(c.problem, c.expect["min_height"]);
}

// Rounded up to the alignment, the size would wrap to 0 and the buffer look empty. Of the two
// verdicts that the case allows ours is INVALID_ARGUMENT.
TEST(HazardsTest, ASizeThatWrapsWhenItIsRoundedUpIsRefused) {
  HazardCase c = Hazard("alignment_round_up_wraps");
  ASSERT_EQ(c.expect_text["verdict"], "INVALID_ARGUMENT/RESOURCE_EXHAUSTED");
  ASSERT_EQ(c.problem.buffers[0].size, 18446744073709551615u);
  ASSERT_EQ(c.problem.alignment, 64u);
  const auto answer = Allocate(c.problem, {});
  ASSERT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PlaceOf(answer.status()).field, "buffers[0].size");
}

// The root is dead at 8, but its second view is read until 9.
TEST(HazardsTest, AViewExtendsItsRootsLife) {
  HazardCase c = Hazard("alias_extends_life");
  ASSERT_EQ(c.expect["feasible"], 0u);
  ASSERT_EQ(c.expect["min_capacity"], 2048u);
  ExpectConflict(c.problem, {c.buffer["p"], c.buffer["v2"], c.buffer["q"]});
  ExpectLeast(c.problem, c.expect["min_capacity"]);
  c.problem.buffers[c.buffer["q"]].live.lower =
      9;  // when the view is done it takes the root's place
  ExpectLeast(c.problem, 1024);
}

// Cases of another compiler. Buffers are those of its on-chip memory (CMX) but for constants and
// arguments, which it places elsewhere; one is live from the first op that touches it to the last,
// by position in the list. That compiler's sequences and timelines are its own. It aligns to 64
// bytes: three buffers of 540,000 bytes used 1,620,064, two of them rounded up.
struct NpuProblem {
  AllocationProblem problem;
  std::vector<std::string> names;
  uint64_t used_bytes = 0;
  std::map<std::string, uint64_t> declared_offsets;
};

std::vector<NpuCompilerCase> NpuCompilerCases() {
  auto cases = LoadNpuCompilerCases("testdata/hazards/npu_compiler_allocation.json");
  EXPECT_TRUE(cases.ok()) << cases.status();
  return cases.ok() ? *std::move(cases) : std::vector<NpuCompilerCase>();
}

// `spilled` leaves memory after each op named in it, until the next op that touches it; it comes
// back anywhere, so it is a buffer of its own from then on (NAME/2, NAME/3). `order`: names of ops
// where the list's order is not the one to take.
NpuProblem Npu(const std::string& name, const std::string& spilled = "",
               const std::set<std::string>& spilled_after = {},
               std::vector<std::string> order = {}) {
  NpuProblem result;
  result.problem.alignment = 64;
  for (const NpuCompilerCase& c : NpuCompilerCases()) {
    if (c.name != name) continue;
    result.used_bytes = c.used_bytes;
    result.declared_offsets = c.declared_offsets;
    if (c.capacity != 0) result.problem.capacity = c.capacity;
    if (order.empty()) {
      for (const auto& op : c.ops) order.push_back(op.name);
    }
    for (const auto& [buffer, bytes] : c.cmx_buffers) {
      uint64_t pieces = 0;
      bool in = false;
      for (uint64_t time = 0; time < order.size(); ++time) {
        const auto op = std::find_if(c.ops.begin(), c.ops.end(),
                                     [&](const auto& o) { return o.name == order[time]; });
        EXPECT_NE(op, c.ops.end()) << order[time];
        if (std::count(op->touches.begin(), op->touches.end(), buffer) != 0) {
          if (!in) {
            result.problem.buffers.push_back(Live(time, time, bytes));
            result.names.push_back(++pieces == 1 ? buffer : buffer + "/" + std::to_string(pieces));
            in = true;
          }
          result.problem.buffers.back().live.upper = time + 1;
        }
        if (buffer == spilled && spilled_after.count(order[time]) != 0) in = false;
      }
    }
  }
  EXPECT_FALSE(result.problem.buffers.empty()) << name;
  return result;
}

// Offsets by name, in the problem's order.
Offsets OffsetsByName(const NpuProblem& npu, const std::map<std::string, std::string>& declared) {
  Offsets offsets;
  for (const std::string& name : npu.names) {
    const auto theirs = declared.find(name);
    EXPECT_NE(theirs, declared.end()) << name;
    const auto offset = npu.declared_offsets.find(theirs->second);
    EXPECT_NE(offset, npu.declared_offsets.end()) << theirs->second;
    offsets.push_back(offset->second);
  }
  return offsets;
}

TEST(NpuCompilerTest, EveryCaseHasItsTest) {
  std::set<std::string> names;
  for (const NpuCompilerCase& c : NpuCompilerCases()) names.insert(c.name);
  EXPECT_EQ(names, (std::set<std::string>{"SimpleGraph", "Spilling", "SpillWriteOptimize",
                                          "SingleConvWithClusteringAndDmaPortDistribution",
                                          "PipelineShaveAct", "SpillingOpWith2Outputs",
                                          "ControlEdgeOverlapMemoryCheckProdCons", "Prefetching"}));
}

TEST(NpuCompilerTest, SimpleGraphTakesTwoBuffersAtATime) {
  const NpuProblem npu = Npu("SimpleGraph");
  ASSERT_EQ(npu.used_bytes, 1024u);
  EXPECT_EQ(
      CheckOffsets(Within(1024, npu.problem),
                   OffsetsByName(npu, {{"buf0", "BUF0"}, {"buf1", "BUF1"}, {"buf2", "BUF2"}})),
      "");
  ExpectLeast(npu.problem, npu.used_bytes);
}

// Without a spill four buffers of 589,824 bytes are live together, more than there is. The spill is
// not this call's to make; once the input is out for one op and comes back anywhere, three do, as
// there.
TEST(NpuCompilerTest, SpillingDoesNotFitWithoutTheSpillAndDoesWithIt) {
  const NpuProblem whole = Npu("Spilling");
  ASSERT_EQ(whole.names, (std::vector<std::string>{"buf0", "buf1", "buf2", "buf3", "buf_in"}));
  ASSERT_EQ(whole.problem.capacity, 1982464u);
  ExpectConflict(whole.problem, {0, 1, 2, 4});
  const NpuProblem spilled = Npu("Spilling", "buf_in", {"t3"});
  ASSERT_EQ(spilled.used_bytes, 1769472u);
  ExpectLeast(spilled.problem, spilled.used_bytes);
  // As one buffer with a gap the input has to come back to its old offset, where the sum's result
  // is by then: the other two and it are three there, too, but no three offsets serve all ops.
  NpuProblem gap = whole;
  gap.problem.buffers[4].gaps = {{3, 4}};
  EXPECT_EQ(LiveBound(gap.problem), gap.used_bytes);
  ExpectLeast(gap.problem, 4 * 589824);
}

// The input is spilled once, written once, and read back twice.
TEST(NpuCompilerTest, SpillWriteOptimizeEndsWhereTheirsDoes) {
  const NpuProblem whole = Npu("SpillWriteOptimize");
  ASSERT_EQ(whole.problem.capacity, 1982464u);
  EXPECT_EQ(Solve(whole.problem, Objective::kFit).verdict, AllocationVerdict::kInfeasible);
  const NpuProblem spilled = Npu("SpillWriteOptimize", "buf_in", {"t1", "t3"});
  ASSERT_EQ(spilled.names.size(), 10u);
  ASSERT_EQ(spilled.used_bytes, 1620064u);
  ExpectLeast(spilled.problem, spilled.used_bytes);
}

// The case has no ops, so that its live ranges are not known; all four buffers are there when the
// convolution runs. Over four clusters input and output are a quarter each, weights and their table
// whole; that is what the declared offsets are of.
TEST(NpuCompilerTest, SingleConvTakesTheSumOfItsFourBuffers) {
  for (const NpuCompilerCase& c : NpuCompilerCases()) {
    if (c.name != "SingleConvWithClusteringAndDmaPortDistribution") continue;
    ASSERT_TRUE(c.ops.empty());
    std::map<std::string, uint64_t> bytes = c.cmx_buffers;
    AllocationProblem problem =
        Scene({Live(0, 1, bytes["input_cmx"] / 4), Live(0, 1, bytes["weights_cmx"]),
               Live(0, 1, bytes["weights_table_cmx"]), Live(0, 1, bytes["output_buff_cmx"] / 4)});
    std::map<std::string, uint64_t> at = c.declared_offsets;
    EXPECT_EQ(CheckOffsets(Within(c.used_bytes, problem),
                           {at["BUF0"], at["BUF1"], at["BUF2"], at["BUF3"]}),
              "");
    ExpectLeast(problem, c.used_bytes);
  }
}

// There, both pipelines' ops overlap in time and four buffers are live at once. In the list's order
// the second pipeline begins when the first is done: two buffers do.
TEST(NpuCompilerTest, PipelineShaveActNeedsHalfInTheOrderOfItsList) {
  const NpuProblem npu = Npu("PipelineShaveAct");
  ASSERT_EQ(npu.problem.buffers.size(), 6u);
  ASSERT_EQ(npu.used_bytes, 4u * 147456);
  ExpectLeast(npu.problem, 2 * 147456);
}

// In the list's order a load comes before the op with two outputs, and four buffers are live: too
// many. In the order that compiler made, with one output spilled, three are.
TEST(NpuCompilerTest, SpillingOpWith2OutputsFitsInTheirOrderWithTheirSpill) {
  const NpuProblem whole = Npu("SpillingOpWith2Outputs");
  EXPECT_EQ(Solve(whole.problem, Objective::kFit).verdict, AllocationVerdict::kInfeasible);
  const NpuProblem spilled =
      Npu("SpillingOpWith2Outputs", "buf2", {"t2"}, {"t0", "t2", "t1", "t3", "t4", "t5"});
  ASSERT_EQ(spilled.names.size(), 7u);
  ASSERT_EQ(spilled.used_bytes, 1327104u);
  ExpectLeast(spilled.problem, spilled.used_bytes);
}

// Their offsets are matched by their notes: BUF0 is what task 0 writes, and so on; it is spilled,
// and BUF_SPILL_READ is where it comes back.
TEST(NpuCompilerTest, ControlEdgesOffsetsAreAPlacementWithTheSpill) {
  const NpuProblem whole = Npu("ControlEdgeOverlapMemoryCheckProdCons");
  EXPECT_EQ(Solve(whole.problem, Objective::kFit).verdict, AllocationVerdict::kInfeasible);
  const NpuProblem spilled = Npu("ControlEdgeOverlapMemoryCheckProdCons", "buf_in", {"t3"});
  ASSERT_EQ(spilled.used_bytes, 1296000u);
  EXPECT_EQ(CheckOffsets(Within(spilled.used_bytes, spilled.problem),
                         OffsetsByName(spilled, {{"buf_in", "BUF0"},
                                                 {"buf_in/2", "BUF_SPILL_READ"},
                                                 {"buf0", "BUF1"},
                                                 {"buf1", "BUF2"},
                                                 {"buf2", "BUF3"},
                                                 {"buf3", "BUF4"}})),
            "");
  ExpectLeast(spilled.problem, spilled.used_bytes);
}

// There, the second convolution's weights are loaded while the first runs, so nearly all is live at
// once. In the list's order the second convolution is the peak: 8,192 in, 147,456 weights, 2,048
// table, 4,096 out.
TEST(NpuCompilerTest, PrefetchingNeedsLessInTheOrderOfItsList) {
  const NpuProblem npu = Npu("Prefetching");
  ASSERT_EQ(npu.problem.buffers.size(), 7u);
  ASSERT_EQ(npu.used_bytes, 211968u);
  ExpectLeast(npu.problem, 8192 + 147456 + 2048 + 4096);
  // All that their order may have live together fits what they used.
  EXPECT_EQ(Solve(Within(npu.used_bytes, npu.problem), Objective::kFit).verdict,
            AllocationVerdict::kPlaced);
}

}  // namespace
}  // namespace torqsched
