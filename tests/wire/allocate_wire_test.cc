// An allocation's request as a problem, its answer as a message and back.
#include "src/wire/allocate_wire.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/lram/lram_problem.h"
#include "src/stream/error.h"
#include "tests/wire/text.h"
#include "torqsched/v1/schedule.pb.h"

namespace torqsched {
namespace {

absl::StatusOr<ParsedAllocation> Read(const std::string& text) {
  return AllocationFromProto(FromText<v1::AllocateRequest>(text), &MakeLramProblem);
}

ParsedAllocation ReadWell(const std::string& text) {
  absl::StatusOr<ParsedAllocation> parsed = Read(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? *std::move(parsed) : ParsedAllocation();
}

// ---- What is asked ----

TEST(AllocationFromProto, PlainBufferArrivesWithEveryMember) {
  const AllocationProblem problem = ReadWell(R"pb(
                                      buffers {
                                        name: "w"
                                        lower: 3
                                        upper: 20
                                        size: 100
                                        alignment: 16
                                        fixed_offset: 0
                                        hint: 7
                                        gaps { lower: 5 upper: 6 }
                                        gaps { lower: 10 upper: 12 }
                                      })pb")
                                        .problem;
  ASSERT_EQ(problem.buffers.size(), 1u);
  const AllocationBuffer& buffer = problem.buffers[0];
  EXPECT_EQ(buffer.live.lower, 3u);
  EXPECT_EQ(buffer.live.upper, 20u);
  EXPECT_EQ(buffer.size, 100u);
  EXPECT_EQ(buffer.alignment, 16u);
  EXPECT_EQ(buffer.fixed_offset, 0u);
  EXPECT_EQ(buffer.hint, 7u);
  ASSERT_EQ(buffer.gaps.size(), 2u);
  EXPECT_EQ(buffer.gaps[1].lower, 10u);
  EXPECT_EQ(buffer.gaps[1].upper, 12u);
}

TEST(AllocationFromProto, UnsetMembersAreTheDocumentedDefaults) {
  const ParsedAllocation parsed = ReadWell("buffers {}");
  const AllocationBuffer& buffer = parsed.problem.buffers[0];
  EXPECT_EQ(buffer.size, 0u);
  EXPECT_EQ(buffer.alignment, 1u);
  EXPECT_EQ(buffer.live.upper, 0u);
  EXPECT_FALSE(buffer.fixed_offset.has_value());
  EXPECT_FALSE(buffer.hint.has_value());
  EXPECT_EQ(parsed.problem.alignment, 1u);
  EXPECT_FALSE(parsed.problem.capacity.has_value());
  EXPECT_EQ(parsed.options.node_limit, 2000000u);
  EXPECT_FALSE(parsed.options.time_limit_ms.has_value());
}

TEST(AllocationFromProto, ObjectiveIsLeastWithoutACapacityAndFitWithOne) {
  EXPECT_EQ(ReadWell("").options.objective, Objective::kLeast);
  EXPECT_EQ(ReadWell("capacity: 0").options.objective, Objective::kFit);
  EXPECT_EQ(ReadWell("stream {}").options.objective, Objective::kFit);
  EXPECT_EQ(ReadWell("capacity: 5 options { objective: OBJECTIVE_LEAST }").options.objective,
            Objective::kLeast);
  EXPECT_EQ(ReadWell("options { objective: OBJECTIVE_FIT }").options.objective, Objective::kFit);
}

TEST(AllocationFromProto, LimitsOfZeroAreLimits) {
  const ParsedAllocation parsed = ReadWell("options { node_limit: 0 time_limit_ms: 0 }");
  EXPECT_EQ(parsed.options.node_limit, 0u);
  EXPECT_EQ(parsed.options.time_limit_ms, 0u);
}

TEST(AllocationFromProto, ConstraintsArriveAsTheyStand) {
  const AllocationProblem problem = ReadWell(R"pb(
                                      buffers { size: 10 }
                                      buffers { size: 4 }
                                      buffers {}
                                      alignment: 8
                                      reserved { begin: 0 end: 640 }
                                      boundaries: 1024
                                      boundaries: 512
                                      aliases { buffer: 1 of: 0 offset: 6 }
                                      same_offset { first: 2 second: 0 }
                                      separate { first: 1 second: 2 })pb")
                                        .problem;
  EXPECT_EQ(problem.alignment, 8u);
  ASSERT_EQ(problem.reserved.size(), 1u);
  EXPECT_EQ(problem.reserved[0].end, 640u);
  EXPECT_EQ(problem.boundaries, std::vector<uint64_t>({1024, 512}));
  ASSERT_EQ(problem.aliases.size(), 1u);
  EXPECT_EQ(problem.aliases[0].buffer, 1u);
  EXPECT_EQ(problem.aliases[0].of, 0u);
  EXPECT_EQ(problem.aliases[0].offset, 6u);
  ASSERT_EQ(problem.same_offset.size(), 1u);
  EXPECT_EQ(problem.same_offset[0].first, 2u);
  ASSERT_EQ(problem.separate.size(), 1u);
  EXPECT_EQ(problem.separate[0].second, 2u);
}

TEST(AllocationFromProto, ChipBesidePlainBuffersGivesCapacityAndAlignment) {
  const std::string chip = "hardware { lram_bytes: 1000 lram_reserved_bytes: 100 alignment: 16 } ";
  EXPECT_EQ(ReadWell(chip).problem.capacity, 900u);
  EXPECT_EQ(ReadWell(chip).problem.alignment, 16u);
  EXPECT_EQ(ReadWell(chip + "capacity: 950 alignment: 64").problem.capacity, 950u);
  EXPECT_EQ(ReadWell(chip + "capacity: 950 alignment: 64").problem.alignment, 64u);
  EXPECT_EQ(ReadWell(chip + "alignment: 4").problem.alignment, 16u);
}

TEST(AllocationFromProto, BoundariesAreTheChipsAndTheRequests) {
  const std::string chip =
      "hardware { lram_bytes: 1000 lram_reserved_bytes: 100 region_bytes: [ 300, 200, 400 ] } ";
  EXPECT_EQ(ReadWell(chip).problem.boundaries, std::vector<uint64_t>({300, 500}));
  EXPECT_EQ(ReadWell(chip + "boundaries: 700").problem.boundaries,
            std::vector<uint64_t>({300, 500, 700}));
}

// w is written at 0 and read by the program 1 to 2; o is written by it, and is live out.
constexpr char kStream[] = R"pb(
  stream {
    buffers { name: "x" size: 100 }
    buffers { name: "w" space: SPACE_LRAM size: 100 }
    buffers { name: "o" space: SPACE_LRAM size: 60 alignment: 32 live_out: true }
    ops {
      kind: OP_KIND_LOAD
      accesses { buffer: 1 mode: ACCESS_MODE_WRITE }
    }
    ops {
      kind: OP_KIND_START
      accesses { buffer: 1 mode: ACCESS_MODE_READ }
      accesses { buffer: 2 mode: ACCESS_MODE_WRITE }
    }
    ops { kind: OP_KIND_WAIT start: 1 }
    ops {}
  }
)pb";

TEST(AllocationFromProto, StreamGivesItsLramBuffersTheirPositionsInTheInputOrder) {
  const AllocationProblem problem = ReadWell(kStream).problem;
  ASSERT_EQ(problem.buffers.size(), 3u);
  EXPECT_EQ(problem.buffers[0].live.upper, 0u);
  EXPECT_EQ(problem.buffers[1].live.lower, 0u);
  EXPECT_EQ(problem.buffers[1].live.upper, 3u);
  EXPECT_EQ(problem.buffers[2].live.lower, 1u);
  EXPECT_EQ(problem.buffers[2].live.upper, 4u);
  EXPECT_EQ(problem.buffers[2].alignment, 32u);
  EXPECT_EQ(problem.capacity, 523008u);  // usable LRAM of sl2610
  EXPECT_EQ(problem.alignment, 8u);
}

TEST(AllocationFromProto, OrderMovesTheLiveRanges) {
  const AllocationProblem problem = ReadWell(std::string(kStream) + "order: [0, 3, 1, 2]").problem;
  EXPECT_EQ(problem.buffers[1].live.upper, 4u);
  EXPECT_EQ(problem.buffers[2].live.lower, 2u);
}

TEST(AllocationFromProto, StreamTakesCapacityAndConstraintsToo) {
  const AllocationProblem problem =
      ReadWell(std::string(kStream) +
               "capacity: 200 reserved { end: 8 } separate { first: 1 second: 2 }")
          .problem;
  EXPECT_EQ(problem.capacity, 200u);
  EXPECT_EQ(problem.reserved.size(), 1u);
  EXPECT_EQ(problem.separate.size(), 1u);
}

TEST(AllocationFromProto, ScheduleRequestIsReadAsItsStreamInTheInputOrder) {
  const auto schedule = FromText<v1::ScheduleRequest>(
      std::string(kStream) + "hardware { lram_bytes: 4096 } options { cap_percent: 80 }");
  v1::AllocateRequest request;
  ASSERT_TRUE(request.ParseFromString(schedule.SerializeAsString()));
  const absl::StatusOr<ParsedAllocation> parsed = AllocationFromProto(request, &MakeLramProblem);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->problem.buffers.size(), 3u);
  EXPECT_EQ(parsed->problem.capacity, 4096u - 1280u);
}

// ---- What is refused ----

struct Refused {
  const char* scene;
  const char* request;
  const char* field;
  std::optional<uint32_t> buffer;
  const char* message;  // a part of it
};

const Refused kRefused[] = {
    {"StreamAndBuffers", "stream {} buffers {}", "buffers", {}, "beside a stream"},
    {"OrderWithoutAStream", "order: 0", "order", {}, "no stream"},
    {"OrderThatIsShort", "stream { ops {} ops {} } order: 1", "order", {}, "2 ops"},
    {"OrderThatRepeats", "stream { ops {} ops {} } order: [1, 1]", "order[1]", {}, "second time"},
    {"OrderWithAWaitBeforeItsStart",
     "stream { ops { kind: OP_KIND_START } ops { kind: OP_KIND_WAIT start: 0 } } order: [1, 0]",
     "order[0]",
     {},
     "before its start"},
    {"BadChip", "hardware { slices: 65 }", "hardware.slices", {}, "65"},
    {"BadStream", "stream { ops { operands: 0 } }", "stream.ops[0].operands[0]", {}, "not older"},
    {"BufferLargerThanLram",
     "stream { buffers { name: 'big' space: SPACE_LRAM size: 600000 } "
     "ops { kind: OP_KIND_LOAD accesses { mode: ACCESS_MODE_WRITE } } }",
     "stream.buffers[0].size", 0, "buffer 0 'big'"},
    {"EndsBeforeItBegins", "buffers {} buffers { name: 'w' lower: 5 upper: 4 }", "buffers[1].upper",
     1, "buffer 1 'w': upper 4 is below lower 5"},
    {"GapThatEndsBeforeItBegins", "buffers { upper: 9 gaps {} gaps { lower: 4 upper: 3 } }",
     "buffers[0].gaps[1]", 0, "buffer 0: gap [4, 3) ends before it begins"},
    {"GapBeforeTheLiveRange", "buffers { lower: 2 upper: 9 gaps { lower: 1 upper: 3 } }",
     "buffers[0].gaps[0]", 0, "outside of its live range [2, 9)"},
    {"GapBehindTheLiveRange", "buffers { lower: 2 upper: 9 gaps { lower: 8 upper: 10 } }",
     "buffers[0].gaps[0]", 0, "outside"},
    {"SizeThatWrapsWhenRounded", "buffers { size: 18446744073709551615 } alignment: 2",
     "buffers[0].size", 0, "rounded up to a multiple of 2"},
    {"SizeThatWrapsByItsOwnAlignment", "buffers { size: 18446744073709551614 alignment: 16 }",
     "buffers[0].size", 0, "rounded up to a multiple of 16"},
    {"FixedRangePast64Bits", "buffers { name: 'f' size: 2 fixed_offset: 18446744073709551615 }",
     "buffers[0].fixed_offset", 0, "buffer 0 'f'"},
    {"ReservedThatEndsBeforeItBegins",
     "reserved {} reserved { begin: 2 end: 1 }",
     "reserved[1].end",
     {},
     "end 1 is below begin 2"},
    {"AliasOfNoBuffer",
     "buffers {} aliases { buffer: 0 of: 1 }",
     "aliases[0].of",
     {},
     "buffer 1, but there are 1 buffers"},
    {"NoBufferAsAPart",
     "buffers {} aliases { buffer: 4294967295 of: 0 }",
     "aliases[0].buffer",
     {},
     "4294967295"},
    {"PartOutsideOfItsWhole",
     "buffers { size: 10 } buffers { name: 'p' size: 4 } aliases { buffer: 1 of: 0 offset: 7 }",
     "aliases[0].offset", 1, "buffer 1 'p' of 4 bytes at 7 does not lie inside of buffer 0"},
    {"PartThatWraps",
     "buffers { size: 10 } buffers { size: 4 } "
     "aliases { buffer: 1 of: 0 offset: 18446744073709551613 }",
     "aliases[0].offset", 1, "inside"},
    {"PartOfTwo",
     "buffers {} buffers {} buffers {} aliases { buffer: 2 of: 0 } aliases { buffer: 2 of: 1 }",
     "aliases[1].buffer", 2, "by aliases[0]"},
    {"PartOfItself", "buffers {} aliases { buffer: 0 of: 0 }", "aliases[0].of", 0,
     "part of itself"},
    {"CircleOfThree",
     "buffers {} buffers {} buffers {} buffers {} aliases { buffer: 3 of: 0 } "
     "aliases { buffer: 0 of: 1 } aliases { buffer: 1 of: 2 } aliases { buffer: 2 of: 0 }",
     "aliases[1].of", 0, "part of itself"},
    {"PairWithNoBuffer",
     "buffers {} same_offset { first: 0 second: 9 }",
     "same_offset[0].second",
     {},
     "buffer 9"},
    {"PairOfOne", "buffers { name: 'a' } separate { first: 0 second: 0 }", "separate[0].second", 0,
     "buffer 0 'a' twice"},
    {"PairWithAPartThatBeginsLater",
     "buffers { size: 9 } buffers { size: 4 } buffers {} aliases { buffer: 1 of: 0 offset: 5 } "
     "same_offset { first: 2 second: 1 }",
     "same_offset[0].second", 1, "at byte 5 of buffer 0"},
    {"PairWithAPartOfAPartThatBeginsLater",
     "buffers { size: 9 } buffers { size: 6 } buffers { size: 2 } buffers {} "
     "aliases { buffer: 2 of: 1 } aliases { buffer: 1 of: 0 offset: 3 } "
     "same_offset { first: 2 second: 3 }",
     "same_offset[0].first", 2, "at byte 3 of buffer 0"},
    {"TwoFixedOffsetsTied",
     "buffers { fixed_offset: 8 } buffers {} buffers { fixed_offset: 9 } "
     "same_offset { first: 0 second: 1 } same_offset { first: 1 second: 2 }",
     "buffers[2].fixed_offset", 2, "tied to buffer 0, which has fixed offset 8"},
    {"PartFixedBelowItsPlaceInTheWhole",
     "buffers { size: 9 } buffers { size: 4 fixed_offset: 4 } "
     "aliases { buffer: 1 of: 0 offset: 5 }",
     "buffers[1].fixed_offset", 1, "at byte 5"},
    {"PairWithABufferOfXram",
     "stream { buffers { name: 'x' } buffers { space: SPACE_LRAM } } "
     "separate { first: 1 second: 0 }",
     "separate[0].second", 0, "buffer 0 'x' is not in LRAM"},
    {"UnknownObjective", "options { objective: 9 }", "options.objective", {}, "9"},
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.scene; }

class RefusedRequest : public testing::TestWithParam<Refused> {};

TEST_P(RefusedRequest, NamesItsPlace) {
  const absl::Status status = Read(GetParam().request).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  const ErrorPlace place = PlaceOf(status);
  EXPECT_EQ(place.field, GetParam().field) << status;
  EXPECT_EQ(place.buffer.present(), GetParam().buffer.has_value()) << status;
  if (GetParam().buffer.has_value()) {
    EXPECT_EQ(place.buffer.value(), *GetParam().buffer);
  }
  EXPECT_NE(std::string(status.message()).find(GetParam().message), std::string::npos) << status;
}

INSTANTIATE_TEST_SUITE_P(Scenes, RefusedRequest, testing::ValuesIn(kRefused),
                         [](const auto& info) { return std::string(info.param.scene); });

// ---- What is not ----

TEST(AllocationFromProto, NoBuffersAtAllAreAProblem) {
  EXPECT_TRUE(ReadWell("").problem.buffers.empty());
}

TEST(AllocationFromProto, EdgesThatAreLegal) {
  ReadWell("buffers { lower: 5 upper: 5 gaps { lower: 5 upper: 5 } }");
  ReadWell("buffers { upper: 18446744073709551615 size: 18446744073709551615 }");
  ReadWell("buffers { size: 1 fixed_offset: 18446744073709551614 } alignment: 64");
  ReadWell("buffers { size: 4 } buffers { size: 0 } aliases { buffer: 1 of: 0 offset: 4 }");
  ReadWell("buffers { size: 4 } buffers { size: 4 fixed_offset: 9 } aliases { buffer: 1 of: 0 }");
  ReadWell(
      "buffers { size: 9 fixed_offset: 8 } buffers { size: 4 fixed_offset: 13 } "
      "aliases { buffer: 1 of: 0 offset: 5 }");
  ReadWell("reserved { begin: 7 end: 7 } boundaries: 0 boundaries: 18446744073709551615");
  // A buffer that nobody uses may be of any size, in either memory.
  ReadWell("stream { buffers { size: 18446744073709551615 } }");
  ReadWell("stream { buffers { space: SPACE_LRAM size: 18446744073709551615 } }");
}

TEST(AllocationFromProto, LongChainOfPartsTakesNeitherStackNorTime) {
  v1::AllocateRequest request;
  for (uint32_t i = 0; i < 200000; ++i) {
    request.add_buffers();
    if (i == 0) continue;
    v1::AllocationAlias* const alias = request.add_aliases();
    alias->set_buffer(i);
    alias->set_of(i - 1);
  }
  EXPECT_TRUE(AllocationFromProto(request, &MakeLramProblem).ok());
  v1::AllocationAlias* const last = request.add_aliases();
  last->set_buffer(0);
  last->set_of(199999);
  EXPECT_FALSE(AllocationFromProto(request, &MakeLramProblem).ok());
}

// ---- The answer ----

TEST(AllocationAnswer, ComesBackAsItWent) {
  AllocationAnswer answer;
  answer.verdict = AllocationVerdict::kInfeasible;
  answer.offsets = {0, std::numeric_limits<uint64_t>::max(), 5};
  answer.height = 1;
  answer.lower_bound = 2;
  answer.proven_least = true;
  answer.conflict = {3, 4};
  answer.conflict_minimal = true;
  answer.limit_hit = true;
  answer.time_limit_hit = true;
  answer.cancelled = true;
  answer.statistics = {6, 7, 8};
  v1::AllocateResponse response;
  AllocationAnswerToProto(answer, &response);
  EXPECT_TRUE(IsText(response, R"pb(
    verdict: ALLOCATION_VERDICT_INFEASIBLE
    offsets: [ 0, 18446744073709551615, 5 ]
    height: 1
    lower_bound: 2
    proven_least: true
    conflict: [ 3, 4 ]
    conflict_minimal: true
    limit_hit: true
    time_limit_hit: true
    cancelled: true
    statistics { decodes: 6 nodes: 7 searches: 8 }
  )pb"));
  const absl::StatusOr<AllocationAnswer> back = AllocationAnswerFromProto(response);
  ASSERT_TRUE(back.ok()) << back.status();
  v1::AllocateResponse again;
  AllocationAnswerToProto(*back, &again);
  EXPECT_EQ(again.SerializeAsString(), response.SerializeAsString());
}

TEST(AllocationAnswer, EveryVerdictHasItsOwnName) {
  for (const AllocationVerdict verdict :
       {AllocationVerdict::kPlaced, AllocationVerdict::kInfeasible,
        AllocationVerdict::kUndecided}) {
    AllocationAnswer answer;
    answer.verdict = verdict;
    v1::AllocateResponse response;
    AllocationAnswerToProto(answer, &response);
    EXPECT_NE(response.verdict(), v1::ALLOCATION_VERDICT_UNSPECIFIED);
    const absl::StatusOr<AllocationAnswer> back = AllocationAnswerFromProto(response);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->verdict, verdict);
  }
}

TEST(AllocationAnswer, WithoutAVerdictIsNone) {
  for (const char* text : {"", "verdict: 9"}) {
    const absl::Status status =
        AllocationAnswerFromProto(FromText<v1::AllocateResponse>(text)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_EQ(PlaceOf(status).field, "verdict");
  }
}

}  // namespace
}  // namespace torqsched
