// torqsched_simulate: the order to price in, its price out.
#ifndef TORQSCHED_SRC_WIRE_SIMULATE_WIRE_H_
#define TORQSCHED_SRC_WIRE_SIMULATE_WIRE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"
#include "torqsched/v1/simulate.pb.h"

namespace torqsched {

// What SimulateStream takes besides the stream and the chip.
struct OrderToPrice {
  std::vector<OpIndex> order;            // empty: the input order; positions are not checked
  IndexVector<OpIndex, uint8_t> slices;  // empty: the input's slices
};

// INVALID_ARGUMENT where slices do not go with starts, name no start that has a wait, name one
// twice, or name a slice that the chip does not have.
absl::StatusOr<OrderToPrice> OrderToPriceFromProto(const v1::SimulateRequest& message,
                                                   const Stream& stream, const Hardware& hardware);

// Fills an empty response.
void SimulationToProto(const Simulation& simulation, v1::SimulateResponse* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_SIMULATE_WIRE_H_
