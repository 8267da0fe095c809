#include "src/wire/lower_wire.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "src/stream/error.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/network_wire.h"
#include "src/wire/schedule_wire.h"
#include "src/wire/stream_wire.h"
#include "src/wire/tiling_wire.h"

namespace torqsched {
namespace {

// Nodes that a search may visit for one of hundreds of trials.
constexpr uint64_t kSearchOfTrial = 100000;

absl::Status OptionsFromProto(const v1::LowerOptions& message, ParsedLowering* parsed) {
  LoweringOptions& options = parsed->options;
  absl::Status status =
      TilingOptionsFromProto(message.tiling(), "options.tiling.", &options.strategy,
                             &options.loop_percent, &options.contraction_percent);
  if (!status.ok()) return status;
  if (message.has_resident_percent()) options.resident_percent = message.resident_percent();
  options.first_layer = message.first_layer();
  options.layer_count = message.layer_count();
  options.budgets.reserve(message.budgets_size());
  for (const v1::LayerBudget& from : message.budgets()) {
    LayerBudget& budget = options.budgets.emplace_back();
    budget.layer = from.layer();
    budget.percent = from.percent();
    if (from.has_output_stays()) budget.output_stays = from.output_stays();
  }
  if (message.has_most_programs()) options.most_programs = message.most_programs();
  if (!message.has_tuning()) return absl::OkStatus();
  TuningOptions& tuning = parsed->tuning.emplace();
  const absl::StatusOr<ScheduleOptions> schedule =
      torqsched::OptionsFromProto(message.tuning().schedule());
  if (!schedule.ok()) return InTuning(schedule.status());
  tuning.schedule = *schedule;
  if (message.tuning().has_most_trials()) tuning.most_trials = message.tuning().most_trials();
  if (message.tuning().has_most_ops()) tuning.most_ops = message.tuning().most_ops();
  if (!tuning.schedule.work_limit.has_value()) tuning.schedule.work_limit = kSearchOfTrial;
  if (tuning.schedule.time_limit_ms.has_value()) {
    return FieldError("options.tuning.schedule.time_limit_ms",
                      absl::StrCat(*tuning.schedule.time_limit_ms,
                                   "; expected none, as what is found must not depend on the "
                                   "clock; most_trials and work_limit bound the work"));
  }
  if (tuning.schedule.oracle != OracleKind::kHost) return absl::OkStatus();
  return FieldError("options.tuning.schedule.oracle",
                    "host; expected sequential or offline, which trials can be placed by");
}

void LayerToProto(const LoweredLayer& from, v1::LoweredLayer* message) {
  message->set_layer(from.layer);
  message->set_budget_bytes(from.budget_bytes);
  if (!from.own_budget) message->set_reason(BudgetReasonToProto(from.reason));
  message->set_tile_bytes(from.tile_bytes);
  message->set_row_tiles(from.row_tiles);
  message->set_n_tiles(from.n_tiles);
  message->set_k_tiles(from.k_tiles);
  message->set_chunks(from.chunks);
  message->set_abreast(from.abreast);
  message->set_first_op(from.first_op);
  message->set_end_op(from.end_op);
  message->set_programs(from.programs);
  message->set_macs(from.macs);
  message->set_weight_bytes(from.weight_bytes);
  message->set_input_bytes(from.input_bytes);
  message->set_again_bytes(from.again_bytes);
  message->set_code_bytes(from.code_bytes);
  message->set_stored_bytes(from.stored_bytes);
  message->set_program_cycles(from.program_cycles);
  message->set_transfer_cycles(from.transfer_cycles);
  message->set_output_resident(from.output_resident);
}

}  // namespace

absl::Status InTuning(const absl::Status& status) {
  if (status.ok()) return status;
  constexpr absl::string_view kThere = "options.";
  constexpr absl::string_view kHere = "options.tuning.schedule.";
  ErrorPlace place = PlaceOf(status);
  place.field = absl::StrCat(kHere, absl::StripPrefix(place.field, kThere));
  return ErrorAt(status.code(), absl::StrCat(kHere, absl::StripPrefix(status.message(), kThere)),
                 place);
}

absl::StatusOr<ParsedLowering> LoweringFromProto(const v1::LowerRequest& message) {
  ParsedLowering parsed;
  const absl::StatusOr<Hardware> hardware = HardwareFromProto(message.hardware());
  if (!hardware.ok()) return hardware.status();
  parsed.hardware = *hardware;
  const absl::StatusOr<LoweringNumbers> numbers = LoweringNumbersFromProto(message.hardware());
  if (!numbers.ok()) return numbers.status();
  parsed.numbers = *numbers;
  absl::Status status = CheckUsableLram(parsed.hardware);
  if (!status.ok()) return status;
  status = OptionsFromProto(message.options(), &parsed);
  if (!status.ok()) return status;
  parsed.network = NetworkFromProto(message.network());
  return parsed;
}

void LoweredToProto(const LoweredNetwork& lowered, v1::LowerResponse* message) {
  StreamToProto(lowered.stream, message->mutable_stream());
  for (const LoweredLayer& layer : lowered.layers) LayerToProto(layer, message->add_layers());
  message->set_constant_bytes(lowered.constant_bytes);
  message->set_convolution_warning(lowered.convolutions);
}

void TunedToProto(const TunedBudgets& tuned, v1::BudgetTuningResult* message) {
  if (tuned.first.makespan.has_value()) message->set_default_makespan(*tuned.first.makespan);
  if (tuned.best.makespan.has_value()) message->set_makespan(*tuned.best.makespan);
  message->set_trials(tuned.trials);
  message->set_groups(tuned.groups);
  message->set_limit_reached(tuned.limit_reached);
  message->set_cancelled(tuned.cancelled);
  LoweringOptionsToProto(tuned.best.lowering, message->mutable_options());
}

void LoweringOptionsToProto(const LoweringOptions& options, v1::LowerOptions* message) {
  v1::TilingOptions* const tiling = message->mutable_tiling();
  tiling->set_strategy(options.strategy == TilingStrategy::kNone ? v1::STRATEGY_NONE
                       : options.strategy == TilingStrategy::kOptimize
                           ? v1::STRATEGY_OPTIMIZE
                           : v1::STRATEGY_STREAM_SCHEDULE);
  tiling->set_loop_percent(options.loop_percent);
  tiling->set_contraction_percent(options.contraction_percent);
  message->set_resident_percent(options.resident_percent);
  message->set_first_layer(options.first_layer);
  message->set_layer_count(options.layer_count);
  for (const LayerBudget& from : options.budgets) {
    v1::LayerBudget* const budget = message->add_budgets();
    budget->set_layer(from.layer);
    budget->set_percent(from.percent);
    if (from.output_stays.has_value()) budget->set_output_stays(*from.output_stays);
  }
  message->set_most_programs(options.most_programs);
}

}  // namespace torqsched
