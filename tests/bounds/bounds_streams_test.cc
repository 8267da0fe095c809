// Bounds of the streams of real networks: as good as they have been, and below what orders take.
#include <cstdint>

#include "bench/streams.h"
#include "gtest/gtest.h"
#include "src/bounds/bounds.h"
#include "src/graph/action_graph.h"
#include "src/graph/problem.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/stream_wire.h"

namespace torqsched {
namespace {

struct Known {
  const char* file;
  uint64_t bound;  // swaps allowed; at least
  uint64_t order;  // some placed order takes so long
};

constexpr Known kKnown[] = {
    {"gemma3-1b-decode-int4.block-mac11.txtpb", 3'064'714, 3'064'714},
    {"gemma3-1b-decode-int4.block.txtpb", 3'037'144, 3'037'192},
    {"gemma3-1b-decode-int4.lm-head-mac11.binpb", 32'713'184, 32'739'371},
    {"gemma3-1b-decode-int4.lm-head.binpb", 32'713'184, 32'713'617},
    {"gemma3-1b-decode-int4.whole.binpb", 112'084'550, 112'119'657},
    {"matmul-1x128x768x3072-bf16.budget60.txtpb", 1'268'298, 1'288'173},
    {"matmul-1x128x768x3072-bf16.txtpb", 3'497'128, 3'559'645},
    {"mobilenet-v2-int8.whole-over100.txtpb", 3'076'821, 3'652'635},
    {"mobilenet-v2-int8.whole.txtpb", 3'053'942, 3'089'744},
    {"resnet50-int8.first20-over100.txtpb", 8'160'044, 8'777'484},
    {"resnet50-int8.first20-over50.binpb", 4'831'167, 5'880'214},
    {"resnet50-int8.first20.binpb", 4'566'919, 5'244'294},
    {"whisper-tiny-encoder-int8.block.binpb", 9'794'611, 12'361'395},
};

TEST(BoundsStreams, LieBetweenWhatIsKnown) {
  for (const Known& known : kKnown) {
    SCOPED_TRACE(known.file);
    const v1::ScheduleRequest request = bench::LoadRequest(known.file);
    const auto stream = StreamFromProto(request.stream());
    const auto hardware = HardwareFromProto(request.hardware());
    ASSERT_TRUE(stream.ok() && hardware.ok());
    const auto problem = ScheduleProblem::Make(*stream, *hardware);
    ASSERT_TRUE(problem.ok()) << problem.status();
    const ActionGraph graph(**problem);
    const bounds::BoundLimits limits;
    const bounds::Bounds with = bounds::ComputeBounds(**problem, graph, true, limits);
    const bounds::Bounds without = bounds::ComputeBounds(**problem, graph, false, limits);
    EXPECT_GE(with.best.cycles, known.bound);
    EXPECT_GE(without.best.cycles, with.best.cycles);
    EXPECT_LE(with.best.cycles, known.order);
  }
}

}  // namespace
}  // namespace torqsched
