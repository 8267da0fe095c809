// torqsched_lower: a network's table in, a stream out.
#ifndef TORQSCHED_SRC_WIRE_LOWER_WIRE_H_
#define TORQSCHED_SRC_WIRE_LOWER_WIRE_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/hardware/hardware.h"
#include "src/lowering/lowering.h"
#include "src/network/network.h"
#include "src/tuning/tuning.h"
#include "torqsched/v1/lower.pb.h"

namespace torqsched {

// Names in it are views into the message.
struct ParsedLowering {
  Network network;
  Hardware hardware;
  LoweringNumbers numbers;
  LoweringOptions options;
  // If budgets are tried. Its `lowering` is to be set: options, with what a session limits.
  std::optional<TuningOptions> tuning;
};

// INVALID_ARGUMENT with a path such as "options.tuning.schedule.candidates"; the table and
// what else the options say are checked when it is lowered. Linear.
absl::StatusOr<ParsedLowering> LoweringFromProto(const v1::LowerRequest& message);

// The same status about options of a schedule, which lie deeper here than in a request of
// torqsched_schedule: "options.tuning.schedule.candidates" instead of "options.candidates".
absl::Status InTuning(const absl::Status& status);

// Adds the stream and its layers.
void LoweredToProto(const LoweredNetwork& lowered, v1::LowerResponse* message);

// What was found by trying.
void TunedToProto(const TunedBudgets& tuned, v1::BudgetTuningResult* message);

// What lowers the same again, without tuning.
void LoweringOptionsToProto(const LoweringOptions& options, v1::LowerOptions* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_LOWER_WIRE_H_
