// Tile budgets by price: lower, schedule, and see what it takes.
//
// A smaller tile leaves LRAM for the next loads and costs more loads of code, of halo rows, of
// weights. Which is worth more no rule knows; so budgets are tried. First shares for all layers
// alike, and how much of LRAM activations may stay in; then layer by layer, those that take longest
// first, each at several shares with the others as they are, until a round changes nothing. Layers
// that are alike are decided once. What is answered is never slower than the default budgets by the
// same scheduler: those are tried first.
//
// Cost: trials, each a lowering and a schedule. Deterministic.
#ifndef TORQSCHED_SRC_TUNING_TUNE_BUDGETS_H_
#define TORQSCHED_SRC_TUNING_TUNE_BUDGETS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "src/hardware/hardware.h"
#include "src/lowering/lowering.h"
#include "src/network/network.h"
#include "src/schedule/answer.h"
#include "src/schedule/schedule_stream.h"

namespace torqsched {

struct TuningOptions {
  LoweringOptions lowering;  // the default: where the search begins
  ScheduleOptions schedule;  // prices a trial
  uint64_t most_trials = 600;
  // Ops of all streams that trials schedule, together.
  uint64_t most_ops = 6000000;
};

// A lowering that was tried.
struct TuningTrial {
  LoweringOptions lowering;
  std::optional<uint64_t> makespan;  // after allocation; absent: not lowered or not placed
};

struct TunedBudgets {
  TuningTrial first;  // the default
  TuningTrial best;   // never slower
  uint64_t trials = 0;
  uint64_t groups = 0;  // of layers that are alike
  bool limit_reached = false;
  bool cancelled = false;
};

// INVALID_ARGUMENT as LowerNetwork with the default, or as ScheduleStream.
absl::StatusOr<TunedBudgets> TuneBudgets(const Network& network, const Hardware& hardware,
                                         const LoweringNumbers& numbers,
                                         const TuningOptions& options,
                                         const CallEnvironment& environment);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_TUNING_TUNE_BUDGETS_H_
