#include "tools/sweep_point.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/lowering/check_lowering.h"
#include "src/lowering/lower.h"
#include "src/report/text.h"
#include "src/schedule/schedule_stream.h"
#include "src/tuning/tune_budgets.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/tiling_wire.h"
#include "tools/inputs.h"

namespace torqsched {
namespace tools {
namespace {

constexpr size_t kNameWidth = 40;

// The chip of a cell.
struct Chip {
  Hardware hardware;
  LoweringNumbers numbers;
};

absl::StatusOr<Chip> ChipOf(const SweepGrid& grid, const SweepCell& cell) {
  v1::Hardware message = grid.hardware;
  message.set_lram_bytes(grid.lram_bytes[cell.lram]);
  const absl::StatusOr<Hardware> hardware = HardwareFromProto(message);
  if (!hardware.ok()) return hardware.status();
  const absl::StatusOr<LoweringNumbers> numbers = LoweringNumbersFromProto(message);
  if (!numbers.ok()) return numbers.status();
  return Chip{*hardware, *numbers};
}

// The budgets of a cell, or where it begins to look for them.
LoweringOptions GivenOptions(const SweepGrid& grid, const SweepCell& cell) {
  const SweepBudgets& budgets = grid.budgets[cell.budgets];
  LoweringOptions options;
  options.first_layer = grid.first_layer;
  options.layer_count = grid.layer_count;
  options.loop_percent = budgets.loop_percent;
  options.contraction_percent = budgets.contraction_percent;
  options.resident_percent = budgets.resident_percent;
  return options;
}

// What `torqsched lower --tune` finds, priced by what schedules the point, but by the list
// scheduler where that is a search, which takes too long for hundreds of trials.
absl::StatusOr<LoweringOptions> TunedOptions(const SweepGrid& grid, const SweepCell& cell,
                                             const Chip& chip, const CallEnvironment& environment) {
  TuningOptions tuning;
  tuning.lowering = GivenOptions(grid, cell);
  tuning.schedule.strategy = grid.strategies[cell.strategy];
  if (tuning.schedule.strategy == Strategy::kOptimize) {
    tuning.schedule.strategy = Strategy::kStreamSchedule;
  }
  tuning.schedule.oracle = grid.oracles[cell.oracle];
  if (grid.trials.has_value()) tuning.most_trials = *grid.trials;
  const absl::StatusOr<TunedBudgets> tuned = TuneBudgets(
      grid.tables[cell.table].network, chip.hardware, chip.numbers, tuning, environment);
  if (!tuned.ok()) return tuned.status();
  return tuned->best.lowering;
}

void FillLowering(const LoweringOptions& options, const LoweredNetwork& lowered,
                  report::SweepPoint* point) {
  point->loop_percent = options.loop_percent;
  point->contraction_percent = options.contraction_percent;
  point->resident_percent = options.resident_percent;
  point->own_budgets = options.budgets.size();
  point->ops = lowered.stream.op_count();
  const LoweringTotals totals = TotalsOf(lowered);
  point->programs = totals.programs;
  point->loaded_bytes = totals.loaded_bytes;
  point->stored_bytes = totals.stored_bytes;
  point->again_bytes = totals.again_bytes;
}

// "not placed in LRAM: too few bytes are free at op 7 'start P3'".
std::string NotPlaced(const Stream& stream, const PlacementFailure& failure) {
  const bool fragmented = failure.reason == FailureReason::kFragmentation;
  std::string text =
      absl::StrCat("not placed in LRAM: ", failure.reason == FailureReason::kOverflow
                                               ? "its cycles do not fit 64 bits"
                                           : fragmented ? "no free range is long enough"
                                                        : "too few bytes are free");
  if (failure.op.present()) {
    absl::StrAppend(&text, " at op ", failure.op.value(), " '",
                    report::OpLabel(stream, failure.op, kNameWidth), "'");
  }
  return text;
}

void FillSchedule(const Stream& stream, const ScheduleAnswer& answer, report::SweepPoint* point) {
  const Placement& placement = answer.placement;
  const uint64_t bound = answer.lower_bound.cycles;
  point->input_makespan = answer.input_makespan;
  point->lower_bound = bound;
  point->placed = placement.placed;
  if (!placement.placed) {
    point->error = NotPlaced(stream, placement.failure);
    return;
  }
  point->makespan = placement.makespan;
  point->swaps = placement.swaps;
  const uint64_t gap = placement.makespan > bound ? placement.makespan - bound : 0;
  point->gap_cycles = gap;
  if (bound == 0) return;
  const absl::uint128 permille = (absl::uint128(gap) * 2000 + bound) / (absl::uint128(bound) * 2);
  point->gap_permille = absl::Uint128High64(permille) != 0 ? UINT64_MAX  // beyond what there is
                                                           : absl::Uint128Low64(permille);
}

absl::Status Evaluate(const SweepGrid& grid, const SweepCell& cell, const Chip& chip,
                      const LoweringOptions& options, const CallEnvironment& environment,
                      report::SweepPoint* point) {
  const Network& network = grid.tables[cell.table].network;
  const absl::StatusOr<LoweredNetwork> lowered =
      LowerNetwork(network, chip.hardware, chip.numbers, options);
  if (!lowered.ok()) return lowered.status();
  if (absl::Status status = CheckLowering(network, *lowered); !status.ok()) return status;
  FillLowering(options, *lowered, point);
  ScheduleOptions schedule;
  schedule.strategy = grid.strategies[cell.strategy];
  schedule.oracle = grid.oracles[cell.oracle];
  schedule.work_limit = point->work_limit;
  const absl::StatusOr<ScheduleAnswer> answer =
      ScheduleStream(lowered->stream, chip.hardware, schedule, environment);
  if (!answer.ok()) return answer.status();
  FillSchedule(lowered->stream, *answer, point);
  return absl::OkStatus();
}

absl::Status Compute(const SweepGrid& grid, const SweepCell& cell,
                     const CallEnvironment& environment, report::SweepPoint* point) {
  const absl::StatusOr<Chip> chip = ChipOf(grid, cell);
  if (!chip.ok()) return chip.status();
  report::SweepPoint given = *point;
  const bool tuned = grid.budgets[cell.budgets].tuned;
  // Where the tuner could not ask the search, the search itself says which are faster.
  if (!tuned || grid.strategies[cell.strategy] == Strategy::kOptimize) {
    const absl::Status status =
        Evaluate(grid, cell, *chip, GivenOptions(grid, cell), environment, &given);
    if (!tuned || !status.ok()) {
      *point = std::move(given);
      return status;
    }
  }
  const absl::StatusOr<LoweringOptions> options = TunedOptions(grid, cell, *chip, environment);
  if (!options.ok()) return options.status();
  const absl::Status status = Evaluate(grid, cell, *chip, *options, environment, point);
  const bool slower = !point->makespan.has_value() || *point->makespan > given.makespan;
  if (status.ok() && given.makespan.has_value() && slower) {
    *point = std::move(given);
  }
  return status;
}

}  // namespace

Failure ComputePoint(const SweepGrid& grid, const SweepCell& cell,
                     const std::function<bool()>& stop, report::SweepPoint* point) {
  CallEnvironment environment;
  environment.progress = [&stop](uint32_t, std::optional<uint64_t>) { return stop(); };
  const absl::Status status = Compute(grid, cell, environment, point);
  if (status.ok() || stop()) return {};
  const Failure failure = FailureFromStatus(status, grid.tables[cell.table].path);
  if (failure.status != kInputAtFault) return failure;
  point->error = report::Shown(status.message(), 300);
  return {};
}

}  // namespace tools
}  // namespace torqsched
