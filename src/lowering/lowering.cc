#include "src/lowering/lowering.h"

#include "absl/strings/str_cat.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"

namespace torqsched {

absl::Status CheckNumbers(const LoweringNumbers& numbers, absl::string_view path) {
  // So that programs' bytes and cycles add up.
  constexpr uint64_t kMost = uint64_t{1} << 40;
  const struct {
    const char* field;
    uint64_t least;
    uint64_t value;
  } checks[] = {{"granule", 1, numbers.granule},
                {"int8_macs_per_cycle", 1, numbers.int8_macs_per_cycle},
                {"bf16_macs_per_cycle", 1, numbers.bf16_macs_per_cycle},
                {"elementwise_bytes_per_cycle", 1, numbers.elementwise_bytes_per_cycle},
                {"least_program_cycles", 0, numbers.least_program_cycles},
                {"code_buffer_bytes", 0, numbers.code_buffer_bytes}};
  for (const auto& check : checks) {
    if (check.value >= check.least && check.value <= kMost) continue;
    return FieldError(absl::StrCat(path, check.field),
                      absl::StrCat(check.value, "; expected ", check.least, " to ", kMost));
  }
  return absl::OkStatus();
}

LoweringTotals TotalsOf(const LoweredNetwork& lowered) {
  LoweringTotals totals;
  const auto add = [](uint64_t number, uint64_t* sum) { *sum = SaturatingAdd(*sum, number); };
  for (const LoweredLayer& layer : lowered.layers) {
    add(layer.programs, &totals.programs);
    add(layer.macs, &totals.macs);
    add(layer.weight_bytes, &totals.loaded_bytes);
    add(layer.input_bytes, &totals.loaded_bytes);
    add(layer.code_bytes, &totals.loaded_bytes);
    add(layer.code_bytes, &totals.code_bytes);
    add(layer.again_bytes, &totals.again_bytes);
    add(layer.stored_bytes, &totals.stored_bytes);
    add(layer.program_cycles, &totals.program_cycles);
    add(layer.transfer_cycles, &totals.transfer_cycles);
  }
  return totals;
}

}  // namespace torqsched
