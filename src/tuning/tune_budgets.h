// Tile budgets by price: lower, schedule, and see what it takes.
//
// A smaller tile leaves LRAM for the next loads and costs more loads of code, of halo rows, of
// weights. Which is worth more no rule knows; so budgets are tried. First shares for all layers
// alike, and how much of LRAM activations may stay in; then layer by layer, those that take longest
// first, each at several shares with the others as they are, and with its output in LRAM or not,
// until a round changes nothing; then at shares between these. Layers that are alike are decided
// once. What is answered is never slower than the default budgets by the same scheduler: those are
// tried first.
//
// Cost: trials, each a lowering and a schedule, and up to seven lowerings more for each, of streams
// that were tried before. Deterministic.
#ifndef TORQSCHED_SRC_TUNING_TUNE_BUDGETS_H_
#define TORQSCHED_SRC_TUNING_TUNE_BUDGETS_H_

#include "absl/status/statusor.h"
#include "src/hardware/hardware.h"
#include "src/lowering/lowering.h"
#include "src/network/network.h"
#include "src/schedule/schedule_stream.h"
#include "src/tuning/tuning.h"

namespace torqsched {

// INVALID_ARGUMENT as LowerNetwork with the default, or as ScheduleStream.
absl::StatusOr<TunedBudgets> TuneBudgets(const Network& network, const Hardware& hardware,
                                         const LoweringNumbers& numbers,
                                         const TuningOptions& options,
                                         const CallEnvironment& environment);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_TUNING_TUNE_BUDGETS_H_
