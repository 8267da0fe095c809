#include "src/lowering/lowering.h"
#include "src/stream/checked.h"

namespace torqsched {

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
