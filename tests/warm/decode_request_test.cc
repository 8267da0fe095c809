// The request that users get (testdata/warm) is the forward that the planner's tests are about.
#include <fstream>
#include <iterator>
#include <string>

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "src/wire/warm_wire.h"
#include "tests/warm/fixtures.h"
#include "torqsched/v1/warm.pb.h"

namespace torqsched {
namespace {

void ExpectSame(const WarmStage& stage, const WarmStage& expected) {
  SCOPED_TRACE(std::string(expected.name));
  EXPECT_EQ(stage.name, expected.name);
  EXPECT_EQ(stage.duration_ns, expected.duration_ns);
  EXPECT_EQ(stage.resident_ns, expected.resident_ns);
  EXPECT_EQ(stage.other_bytes, expected.other_bytes);
  EXPECT_EQ(stage.collective, expected.collective);
  EXPECT_EQ(stage.all_vector_cores, expected.all_vector_cores);
  EXPECT_EQ(stage.has_task_id, expected.has_task_id);
  EXPECT_EQ(stage.writes, expected.writes);
  EXPECT_EQ(stage.after, expected.after);
  ASSERT_EQ(stage.reads.size(), expected.reads.size());
  for (size_t i = 0; i < stage.reads.size(); ++i) {
    EXPECT_EQ(stage.reads[i].region, expected.reads[i].region);
    EXPECT_EQ(stage.reads[i].bytes, expected.reads[i].bytes);
    EXPECT_EQ(stage.reads[i].beside_previous, expected.reads[i].beside_previous);
  }
}

TEST(DecodeRequest, IsTheForwardOfTheTests) {
  std::ifstream file("testdata/warm/deepseek_v4_flash_decode.txtpb", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  v1::PlanWarmRequest request;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &request));
  const auto parsed = WarmFromProto(request);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const WarmTimeline& timeline = parsed->timeline;
  const WarmTimeline expected = DecodeForward();
  EXPECT_EQ(timeline.parallel_stages, expected.parallel_stages);
  ASSERT_EQ(timeline.regions.size(), expected.regions.size());
  for (size_t r = 0; r < timeline.regions.size(); ++r) {
    EXPECT_EQ(timeline.regions[r].name, expected.regions[r].name);
    EXPECT_EQ(timeline.regions[r].bytes, expected.regions[r].bytes);
    EXPECT_EQ(timeline.regions[r].is_static, expected.regions[r].is_static);
    EXPECT_EQ(timeline.regions[r].flat, expected.regions[r].flat);
    EXPECT_EQ(timeline.regions[r].per_layer, expected.regions[r].per_layer);
  }
  ASSERT_EQ(timeline.kinds.size(), expected.kinds.size());
  for (size_t k = 0; k < timeline.kinds.size(); ++k) {
    EXPECT_EQ(timeline.kinds[k].name, expected.kinds[k].name);
    EXPECT_EQ(timeline.kinds[k].input, expected.kinds[k].input);
    ASSERT_EQ(timeline.kinds[k].stages.size(), expected.kinds[k].stages.size());
    for (size_t s = 0; s < timeline.kinds[k].stages.size(); ++s) {
      ExpectSame(timeline.kinds[k].stages[s], expected.kinds[k].stages[s]);
    }
  }
  ASSERT_EQ(timeline.runs.size(), expected.runs.size());
  for (size_t i = 0; i < timeline.runs.size(); ++i) {
    EXPECT_EQ(timeline.runs[i].kinds, expected.runs[i].kinds);
    EXPECT_EQ(timeline.runs[i].repeats, expected.runs[i].repeats);
  }
}

}  // namespace
}  // namespace torqsched
