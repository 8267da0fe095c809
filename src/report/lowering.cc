#include "src/report/lowering.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "src/report/text.h"
#include "src/report/tiling.h"

namespace torqsched {
namespace report {
namespace {

constexpr size_t kNameWidth = 24;

// "3 rows x 16 n", "8 rows, 2 abreast, x 27 chunks", "1".
std::string CutText(const LoweredLayer& layer) {
  std::string out;
  const auto add = [&out](uint64_t tiles, absl::string_view what) {
    if (tiles == 1) return;
    absl::StrAppend(&out, out.empty() ? "" : " x ", Grouped(tiles), " ", what);
  };
  if (layer.rows_outer) add(layer.row_tiles, "rows");
  if (layer.abreast > 1) absl::StrAppend(&out, ", ", layer.abreast, " abreast,");
  add(layer.n_tiles, "n");
  if (!layer.rows_outer) add(layer.row_tiles, "rows");
  add(layer.k_tiles, "k");
  add(layer.chunks, "chunks");
  return out.empty() ? "1" : out;
}

}  // namespace

std::string LoweringSummary(absl::string_view title, const LoweredNetwork& lowered,
                            const std::optional<TuningFacts>& tuning) {
  const LoweringTotals totals = TotalsOf(lowered);
  std::string out;
  AppendFact("network", Shown(title, kColumns), &out);
  AppendFact("lowered",
             absl::StrCat(Counted(lowered.layers.size(), "layer"), ", ",
                          Counted(totals.programs, "program"), ", ",
                          Counted(lowered.stream.op_count(), "op"), ", ",
                          Counted(lowered.stream.buffer_count(), "buffer")),
             &out);
  AppendFact("macs", Grouped(totals.macs), &out);
  AppendFact("loaded",
             absl::StrCat(Counted(totals.loaded_bytes, "byte"), ", of it code ",
                          Grouped(totals.code_bytes), ", again ", Grouped(totals.again_bytes)),
             &out);
  AppendFact("stored", Counted(totals.stored_bytes, "byte"), &out);
  AppendFact("cycles",
             absl::StrCat("programs ", Grouped(totals.program_cycles), ", transfers ",
                          Grouped(totals.transfer_cycles)),
             &out);
  if (lowered.convolutions && !tuning.has_value()) {
    AppendFact("warning",
               "convolutions pay for smaller tiles with halo rows; --tune finds what they earn",
               &out);
  }
  if (!tuning.has_value()) return out;
  std::string line =
      tuning->default_makespan.has_value() ? Grouped(*tuning->default_makespan) : "not placed";
  absl::StrAppend(&line, " -> ",
                  tuning->makespan.has_value() ? Grouped(*tuning->makespan) : "not placed",
                  " cycles after scheduling");
  if (tuning->default_makespan.has_value() && tuning->makespan.has_value()) {
    absl::StrAppend(&line, " (", Change(*tuning->default_makespan, *tuning->makespan), ")");
  }
  AppendFact("tuned", line, &out);
  AppendFact("",
             absl::StrCat(Counted(tuning->trials, "trial"), ", ", Counted(tuning->groups, "kind"),
                          " of layers", tuning->limit_reached ? "; ended by its limit" : ""),
             &out);
  return out;
}

std::string LoweringTable(const Network& network, const LoweredNetwork& lowered, size_t most_rows) {
  TextTable table;
  table.AddLeft("layer");
  table.AddLeft("tiles");
  table.AddRight("tile");
  table.AddRight("budget");
  table.AddLeft("why");
  table.AddRight("weights");
  table.AddRight("inputs");
  table.AddRight("again");
  table.AddRight("stored");
  const size_t rows = std::min(most_rows, lowered.layers.size());
  for (size_t i = 0; i < rows; ++i) {
    const LoweredLayer& layer = lowered.layers[i];
    const absl::string_view name = network.layers[layer.layer].name;
    table.AddRow({name.empty() ? absl::StrCat("layer ", layer.layer) : Shown(name, kNameWidth),
                  CutText(layer), Grouped(layer.tile_bytes), Grouped(layer.budget_bytes),
                  layer.own_budget ? "its own" : BudgetReasonText(layer.reason),
                  Grouped(layer.weight_bytes), Grouped(layer.input_bytes),
                  Grouped(layer.again_bytes),
                  layer.output_resident ? "stays" : Grouped(layer.stored_bytes)});
  }
  if (lowered.layers.size() > rows) {
    table.AddNote(absl::StrCat("  and ", Grouped(lowered.layers.size() - rows), " more"));
  }
  return table.ToString();
}

}  // namespace report
}  // namespace torqsched
