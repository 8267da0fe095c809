// Tile budgets by price: the question and the answer as plain types.
#ifndef TORQSCHED_SRC_TUNING_TUNING_H_
#define TORQSCHED_SRC_TUNING_TUNING_H_

#include <cstdint>
#include <optional>

#include "src/lowering/lowering.h"
#include "src/schedule/answer.h"

namespace torqsched {

struct TuningOptions {
  LoweringOptions lowering;  // the default: where the search begins
  ScheduleOptions schedule;  // prices a trial
  uint64_t most_trials = 1000;
  // Ops of all streams that trials schedule, together.
  uint64_t most_ops = 6000000;
};

// A lowering that was tried.
struct TuningTrial {
  LoweringOptions lowering;
  std::optional<uint64_t> makespan;  // after allocation; absent: not lowered or not placed
};

struct TunedBudgets {
  TuningTrial first;    // the default
  TuningTrial best;     // never slower
  uint64_t trials = 0;  // that were scheduled
  uint64_t groups = 0;  // of layers that are alike
  bool limit_reached = false;
  bool cancelled = false;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_TUNING_TUNING_H_
