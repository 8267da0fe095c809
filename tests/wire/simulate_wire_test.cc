// The order to price in, its price out.
#include "src/wire/simulate_wire.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/stream_wire.h"
#include "tests/wire/text.h"

namespace torqsched {
namespace {

// Programs at 0 (slice 1 in the input) and 2, and at 4 a start that nothing waits for.
constexpr char kStarts[] = R"pb(
  ops { name: "first" kind: OP_KIND_START slice: 1 }
  ops { kind: OP_KIND_WAIT start: 0 }
  ops { kind: OP_KIND_START }
  ops { kind: OP_KIND_WAIT start: 2 }
  ops { kind: OP_KIND_START }
)pb";

class SimulateRequest : public testing::Test {
 protected:
  SimulateRequest() : message_(FromText<v1::Stream>(kStarts)) {
    absl::StatusOr<Stream> stream = StreamFromProto(message_);
    EXPECT_TRUE(stream.ok()) << stream.status();
    stream_ = *std::move(stream);
    hardware_ = *HardwareFromProto(v1::Hardware());
  }

  absl::StatusOr<OrderToPrice> Read(const std::string& text) const {
    return OrderToPriceFromProto(FromText<v1::SimulateRequest>(text), stream_, hardware_);
  }

  void ExpectInvalid(const std::string& text, const std::string& field, OpIndex op) const {
    const absl::Status status = Read(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text << ": " << status;
    EXPECT_EQ(PlaceOf(status).field, field) << text << ": " << status;
    EXPECT_EQ(PlaceOf(status).op.value(), op.value()) << text << ": " << status;
  }

  v1::Stream message_;
  Stream stream_;
  Hardware hardware_;
};

TEST_F(SimulateRequest, WithoutOrderAndSlicesAsksForTheInputs) {
  const absl::StatusOr<OrderToPrice> order = Read("");
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_TRUE(order->order.empty());
  EXPECT_TRUE(order->slices.empty());
}

TEST_F(SimulateRequest, OrderArrivesAsItStands) {
  const absl::StatusOr<OrderToPrice> order = Read("order: 4 order: 9 order: 0");
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(order->order, std::vector<OpIndex>({OpIndex(4), OpIndex(9), OpIndex(0)}));
}

TEST_F(SimulateRequest, StartThatIsNotNamedKeepsItsSlice) {
  const absl::StatusOr<OrderToPrice> order = Read("starts: 2 slices: 1");
  ASSERT_TRUE(order.ok()) << order.status();
  ASSERT_EQ(order->slices.size(), stream_.op_count());
  EXPECT_EQ(order->slices[OpIndex(0)], 1);
  EXPECT_EQ(order->slices[OpIndex(2)], 1);
}

TEST_F(SimulateRequest, NamedStartsGetTheirSlices) {
  const absl::StatusOr<OrderToPrice> order = Read("starts: 2 starts: 0 slices: 1 slices: 0");
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(order->slices[OpIndex(0)], 0);
  EXPECT_EQ(order->slices[OpIndex(2)], 1);
}

TEST_F(SimulateRequest, SlicesWithoutAsManyStartsAreRefused) {
  ExpectInvalid("slices: 0", "slices", OpIndex());
  ExpectInvalid("starts: 0 starts: 2 slices: 0", "slices", OpIndex());
}

TEST_F(SimulateRequest, StartThatDoesNotExistIsRefused) {
  ExpectInvalid("starts: 0 starts: 5 slices: 0 slices: 0", "starts[1]", OpIndex());
}

TEST_F(SimulateRequest, OpThatIsNoProgramIsRefusedByName) {
  ExpectInvalid("starts: 1 slices: 0", "starts[0]", OpIndex(1));
  ExpectInvalid("starts: 4 slices: 0", "starts[0]", OpIndex(4));
}

TEST_F(SimulateRequest, StartThatIsNamedTwiceIsRefused) {
  ExpectInvalid("starts: 0 starts: 0 slices: 0 slices: 0", "starts[1]", OpIndex(0));
}

TEST_F(SimulateRequest, SliceThatTheChipDoesNotHaveIsRefused) {
  ExpectInvalid("starts: 0 slices: 2", "slices[0]", OpIndex(0));
  ExpectInvalid("starts: 0 slices: 256", "slices[0]", OpIndex(0));
}

TEST(SimulateResponse, HasEveryNumber) {
  Simulation simulation;
  simulation.makespan = 1;
  simulation.peak_live_bytes = 2;
  simulation.lower_bound = {3, Resource::kStream};
  simulation.statistics.idle_cycles = 4;
  simulation.timeline = {{Lane::kDma, 0, 5, 6, OpIndex(7), BufferIndex(), true, 8}};
  v1::SimulateResponse response;
  SimulationToProto(simulation, &response);
  EXPECT_TRUE(IsText(response, R"pb(
    makespan: 1
    peak_live_bytes: 2
    lower_bound { cycles: 3 resource: RESOURCE_STREAM kind: BOUND_KIND_STREAM }
    statistics { idle_cycles: 4 }
    timeline { lane: LANE_DMA begin: 5 end: 6 op: 7 store: true engine: 8 }
  )pb"));
}

}  // namespace
}  // namespace torqsched
