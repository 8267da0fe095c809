#include "src/wire/tiling_wire.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/stream/error.h"
#include "src/wire/hardware_wire.h"

namespace torqsched {
namespace {

void TileToProto(const ContractionTile& from, v1::ContractionTile* message) {
  message->set_rows(from.rows);
  message->set_n(from.n);
  message->set_k(from.k);
  message->set_bytes(from.bytes);
  message->set_row_tiles(from.row_tiles);
  message->set_n_tiles(from.n_tiles);
  message->set_k_tiles(from.k_tiles);
  message->set_trips(from.trips);
  message->set_loaded_bytes(from.loaded_bytes);
  message->set_cycles(from.cycles);
  message->set_double_buffers(from.double_buffers);
  message->set_fits(from.fits);
}

Contraction ContractionFromProto(const v1::Contraction& message) {
  Contraction shape;
  if (message.has_batch()) shape.batch = message.batch();
  shape.m = message.m();
  shape.n = message.n();
  shape.k = message.k();
  if (message.has_lhs_bits()) shape.lhs_bits = message.lhs_bits();
  if (message.has_weight_bits()) shape.weight_bits = message.weight_bits();
  if (message.has_out_bits()) shape.out_bits = message.out_bits();
  return shape;
}

absl::Status PercentFromProto(absl::string_view field, uint32_t from, uint32_t* percent) {
  if (from < 1 || from > 100) return FieldError(field, absl::StrCat(from, "; expected 1 to 100"));
  *percent = from;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LoweringNumbers> LoweringNumbersFromProto(const v1::Hardware& message) {
  LoweringNumbers numbers;
  const struct {
    bool given;
    uint64_t value;
    uint64_t* number;
  } fields[] = {
      {message.has_granule(), message.granule(), &numbers.granule},
      {message.has_int8_macs_per_cycle(), message.int8_macs_per_cycle(),
       &numbers.int8_macs_per_cycle},
      {message.has_bf16_macs_per_cycle(), message.bf16_macs_per_cycle(),
       &numbers.bf16_macs_per_cycle},
      {message.has_elementwise_bytes_per_cycle(), message.elementwise_bytes_per_cycle(),
       &numbers.elementwise_bytes_per_cycle},
      {message.has_least_program_cycles(), message.least_program_cycles(),
       &numbers.least_program_cycles},
      {message.has_code_buffer_bytes(), message.code_buffer_bytes(), &numbers.code_buffer_bytes},
  };
  for (const auto& field : fields) {
    if (field.given) *field.number = field.value;
  }
  if (absl::Status status = CheckNumbers(numbers, "hardware."); !status.ok()) return status;
  return numbers;
}

absl::Status CheckUsableLram(const Hardware& hardware) {
  if (hardware.usable_bytes() > 0) return absl::OkStatus();
  return FieldError(
      "hardware.lram_reserved_bytes",
      absl::StrCat(hardware.lram_reserved_bytes, ", all of LRAM; expected fewer than its ",
                   hardware.lram_bytes, " bytes"));
}

absl::Status TilingOptionsFromProto(const v1::TilingOptions& message, absl::string_view path,
                                    TilingStrategy* strategy, uint32_t* loop_percent,
                                    uint32_t* contraction_percent) {
  switch (message.strategy()) {
    case v1::STRATEGY_NONE:
      *strategy = TilingStrategy::kNone;
      break;
    case v1::STRATEGY_UNSPECIFIED:
    case v1::STRATEGY_STREAM_SCHEDULE:
      *strategy = TilingStrategy::kStreamSchedule;
      break;
    case v1::STRATEGY_OPTIMIZE:
      *strategy = TilingStrategy::kOptimize;
      break;
    default:
      return FieldError(absl::StrCat(path, "strategy"),
                        absl::StrCat(static_cast<int>(message.strategy()),
                                     " is not known; expected none, stream schedule or optimize"));
  }
  // By the request's names: the planner, which checks them as well, knows no path.
  absl::Status status;
  if (message.has_loop_percent()) {
    status =
        PercentFromProto(absl::StrCat(path, "loop_percent"), message.loop_percent(), loop_percent);
  }
  if (status.ok() && message.has_contraction_percent()) {
    status = PercentFromProto(absl::StrCat(path, "contraction_percent"),
                              message.contraction_percent(), contraction_percent);
  }
  return status;
}

absl::StatusOr<TilingRequest> TilingFromProto(const v1::PlanTilesRequest& message) {
  TilingRequest request;
  const absl::StatusOr<Hardware> hardware = HardwareFromProto(message.hardware());
  if (!hardware.ok()) return hardware.status();
  const absl::StatusOr<LoweringNumbers> numbers = LoweringNumbersFromProto(message.hardware());
  if (!numbers.ok()) return numbers.status();
  absl::Status status = CheckUsableLram(*hardware);
  if (!status.ok()) return status;
  request.hardware.usable_bytes = hardware->usable_bytes();
  request.hardware.granule = numbers->granule;
  request.hardware.code_bytes = numbers->code_buffer_bytes;
  request.hardware.dma_bytes = hardware->dma_bytes;
  request.hardware.dma_cycles = hardware->dma_cycles;
  request.hardware.int8_macs_per_cycle = numbers->int8_macs_per_cycle;
  request.hardware.bf16_macs_per_cycle = numbers->bf16_macs_per_cycle;
  request.hardware.least_program_cycles = numbers->least_program_cycles;
  request.constant_bytes = message.constant_bytes();
  status = TilingOptionsFromProto(message.options(), "options.", &request.strategy,
                                  &request.loop_percent, &request.contraction_percent);
  if (!status.ok()) return status;
  request.loops.reserve(message.loops_size());
  for (const v1::TileLoop& from : message.loops()) {
    TileLoop& loop = request.loops.emplace_back();
    loop.name = from.name();
    loop.contraction = from.contraction();
    loop.convolution = from.convolution();
    loop.folded_convert = from.folded_convert();
    if (from.has_whole_row_bytes()) loop.whole_row_bytes = from.whole_row_bytes();
    if (from.has_shape()) loop.shape = ContractionFromProto(from.shape());
  }
  return request;
}

v1::BudgetReason BudgetReasonToProto(BudgetReason reason) {
  switch (reason) {
    case BudgetReason::kNoScheduler:
      return v1::BUDGET_REASON_NO_SCHEDULER;
    case BudgetReason::kConstantsFit:
      return v1::BUDGET_REASON_CONSTANTS_FIT;
    case BudgetReason::kLoopPercent:
      return v1::BUDGET_REASON_LOOP_PERCENT;
    case BudgetReason::kContractionPercent:
      return v1::BUDGET_REASON_CONTRACTION_PERCENT;
    case BudgetReason::kRowsStayWhole:
      return v1::BUDGET_REASON_ROWS_STAY_WHOLE;
  }
  return v1::BUDGET_REASON_UNSPECIFIED;
}

void TilePlanToProto(const TilePlan& plan, v1::PlanTilesResponse* message) {
  for (const LoopBudget& from : plan.loops) {
    v1::LoopBudget* const loop = message->add_loops();
    loop->set_bytes(from.bytes);
    loop->set_reason(BudgetReasonToProto(from.reason));
    loop->set_whole_row_bytes(from.whole_row_bytes);
    if (from.tile.has_value()) TileToProto(*from.tile, loop->mutable_tile());
    if (from.split_tile.has_value()) TileToProto(*from.split_tile, loop->mutable_split_tile());
    if (from.double_buffering_tile.has_value()) {
      TileToProto(*from.double_buffering_tile, loop->mutable_double_buffering_tile());
    }
  }
  message->set_convolution_warning(plan.convolutions);
}

}  // namespace torqsched
