// torqsched_lower: a network's table in, a stream out.
#ifndef TORQSCHED_SRC_WIRE_LOWER_WIRE_H_
#define TORQSCHED_SRC_WIRE_LOWER_WIRE_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "src/hardware/hardware.h"
#include "src/lowering/lowering.h"
#include "src/network/network.h"
#include "src/schedule/answer.h"
#include "torqsched/v1/lower.pb.h"

namespace torqsched {

// How budgets are tried, if they are.
struct ParsedTuning {
  ScheduleOptions schedule;
  std::optional<uint64_t> most_trials;
  std::optional<uint64_t> most_ops;
};

// Names in it are views into the message.
struct ParsedLowering {
  Network network;
  Hardware hardware;
  LoweringNumbers numbers;
  LoweringOptions options;
  std::optional<ParsedTuning> tuning;
};

// INVALID_ARGUMENT with a path such as "options.tuning.schedule.candidates"; the table and the
// lowering's options are checked when it is lowered. Linear.
absl::StatusOr<ParsedLowering> LoweringFromProto(const v1::LowerRequest& message);

// Adds the stream and its layers.
void LoweredToProto(const LoweredNetwork& lowered, v1::LowerResponse* message);

// What lowers the same again, without tuning.
void LoweringOptionsToProto(const LoweringOptions& options, v1::LowerOptions* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_LOWER_WIRE_H_
