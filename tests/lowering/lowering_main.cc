// What lowering makes of the layer tables, as a row a network:
//
//   bazel run -c opt //tests/lowering:lowering_main -- $PWD/testdata/networks/*.json
//   options before a table: --layers FIRST:COUNT --loop N --contraction N --resident N --verbose
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "src/lowering/check_lowering.h"
#include "src/lowering/lower.h"
#include "src/schedule/schedule_stream.h"
#include "src/tuning/tune_budgets.h"
#include "tests/network/network_json.h"

namespace torqsched {
namespace {

bool Row(const std::string& path, const LoweringOptions& options, bool verbose, bool tune) {
  const absl::StatusOr<NetworkTable> table = LoadNetwork(path);
  if (!table.ok()) {
    std::printf("%s\n", std::string(table.status().message()).c_str());
    return false;
  }
  const Hardware hardware = *ProfileNamed("sl2610");
  const auto lowered = LowerNetwork(table->network, hardware, LoweringNumbers(), options);
  if (!lowered.ok()) {
    std::printf("%s: %s\n", path.c_str(), std::string(lowered.status().message()).c_str());
    return false;
  }
  const absl::Status check = CheckLowering(table->network, *lowered);
  if (!check.ok()) {
    std::printf("%s: %s\n", path.c_str(), std::string(check.message()).c_str());
    return false;
  }
  uint64_t programs = 0, loaded = 0, stored = 0, again = 0, compute = 0;
  for (const LoweredLayer& layer : lowered->layers) {
    programs += layer.programs;
    loaded += layer.weight_bytes + layer.input_bytes + layer.code_bytes;
    stored += layer.stored_bytes;
    again += layer.again_bytes;
    compute += layer.program_cycles;
    if (!verbose) continue;
    std::printf("  %-24s r%-4" PRIu64 " n%-4" PRIu64 " k%-3" PRIu64 " c%-3" PRIu64
                " %s tile %7" PRIu64 " of %7" PRIu64 " (%d)  w %9" PRIu64 " in %9" PRIu64
                " again %9" PRIu64 " out %8" PRIu64 "%s\n",
                std::string(table->network.layers[layer.layer].name).c_str(), layer.row_tiles,
                layer.n_tiles, layer.k_tiles, layer.chunks, layer.rows_outer ? "rn" : "nr",
                layer.tile_bytes, layer.budget_bytes, static_cast<int>(layer.reason),
                layer.weight_bytes, layer.input_bytes, layer.again_bytes, layer.stored_bytes,
                layer.output_resident ? " stays" : "");
  }
  uint64_t input = 0, scheduled = 0, bound = 0, peak = 0;
  bool placed = false;
  const auto answer = ScheduleStream(lowered->stream, hardware, ScheduleOptions(), {});
  if (answer.ok()) {
    input = answer->input_makespan;
    scheduled = answer->placement.makespan;
    placed = answer->placement.placed;
    bound = answer->lower_bound.cycles;
    peak = answer->input_peak;
  } else {
    std::printf("%s\n", std::string(answer.status().message()).c_str());
  }
  std::printf("%-44s ops %7zu buffers %6zu programs %6" PRIu64 " loaded %10" PRIu64
              " stored %9" PRIu64 " again %9" PRIu64 " compute %9" PRIu64 " peak %7" PRIu64
              " input %10" PRIu64 " scheduled %10" PRIu64 "%s bound %10" PRIu64 "\n",
              std::string(table->network.name).c_str(), lowered->stream.op_count(),
              lowered->stream.buffer_count(), programs, loaded, stored, again, compute, peak, input,
              scheduled, placed ? "" : " (not placed)", bound);
  if (!tune) return true;
  TuningOptions tuning;
  tuning.lowering = options;
  const auto tuned = TuneBudgets(table->network, hardware, LoweringNumbers(), tuning, {});
  if (!tuned.ok()) {
    std::printf("%s\n", std::string(tuned.status().message()).c_str());
    return false;
  }
  std::printf("  tuned: %" PRIu64 " -> %" PRIu64 " in %" PRIu64 " trials, %" PRIu64
              " groups%s; loop %u contraction %u resident %u",
              tuned->first.makespan.value_or(0), tuned->best.makespan.value_or(0), tuned->trials,
              tuned->groups, tuned->limit_reached ? " (limit)" : "",
              tuned->best.lowering.loop_percent, tuned->best.lowering.contraction_percent,
              tuned->best.lowering.resident_percent);
  for (const LayerBudget& budget : tuned->best.lowering.budgets) {
    std::printf(" %u:%u", budget.layer, budget.percent);
  }
  std::printf("\n");
  return true;
}

int Main(int argc, char** argv) {
  LoweringOptions options;
  bool ok = true, verbose = false, tune = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto number = [&] { return static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10)); };
    if (argument == "--verbose") {
      verbose = true;
    } else if (argument == "--tune") {
      tune = true;
    } else if (argument == "--loop" && i + 1 < argc) {
      options.loop_percent = number();
    } else if (argument == "--contraction" && i + 1 < argc) {
      options.contraction_percent = number();
    } else if (argument == "--resident" && i + 1 < argc) {
      options.resident_percent = number();
    } else if (argument == "--layers" && i + 1 < argc) {
      std::sscanf(argv[++i], "%" SCNu32 ":%" SCNu32, &options.first_layer, &options.layer_count);
    } else {
      ok &= Row(argument, options, verbose, tune);
    }
  }
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace torqsched

int main(int argc, char** argv) { return torqsched::Main(argc, argv); }
