#include "src/report/tiling.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/report/text.h"

namespace torqsched {
namespace report {
namespace {

constexpr size_t kNameWidth = 28;

std::string NameOf(const TilingRequest& request, size_t i) {
  const absl::string_view given = request.loops[i].name;
  return given.empty() ? absl::StrCat("loop ", i) : Shown(given, kNameWidth);
}

bool IsCounted(const ContractionTile& tile) {
  return tile.cycles != 0 && tile.cycles != std::numeric_limits<uint64_t>::max();
}

// instead_of: the tile in whose place this one double-buffers, or nullptr.
void AddTile(std::string name, const ContractionTile& tile, const ContractionTile* instead_of,
             TextTable* table) {
  std::string doubles = tile.double_buffers ? "yes" : "no";
  if (!tile.fits) doubles = "does not fit";
  if (instead_of != nullptr && IsCounted(tile) && IsCounted(*instead_of)) {
    absl::StrAppend(&doubles, ", ", Ratio(instead_of->cycles, tile.cycles, 2), "x");
  }
  table->AddRow({std::move(name),
                 absl::StrCat(Grouped(tile.rows), " x ", Grouped(tile.n), " x ", Grouped(tile.k)),
                 Grouped(tile.bytes), Grouped(tile.trips), Grouped(tile.loaded_bytes),
                 IsCounted(tile) ? Grouped(tile.cycles) : "-", std::move(doubles)});
}

std::string BudgetTable(const TilingRequest& request, const TilePlan& plan, size_t rows) {
  TextTable table;
  table.AddLeft("loop");
  table.AddRight("budget");
  table.AddLeft("why");
  table.AddRight("whole rows");
  for (size_t i = 0; i < rows; ++i) {
    const LoopBudget& budget = plan.loops[i];
    table.AddRow({NameOf(request, i), Grouped(budget.bytes), BudgetReasonText(budget.reason),
                  budget.whole_row_bytes == 0 ? "-" : Grouped(budget.whole_row_bytes)});
  }
  if (plan.loops.size() > rows) {
    table.AddNote(absl::StrCat("  and ", Grouped(plan.loops.size() - rows), " more"));
  }
  return table.ToString();
}

// Empty where no loop has a shape.
std::string TilesTable(const TilingRequest& request, const TilePlan& plan, size_t rows) {
  TextTable table;
  table.AddLeft("tiles");
  table.AddRight("rows x n x k");
  table.AddRight("bytes");
  table.AddRight("programs");
  table.AddRight("loaded");
  table.AddRight("cycles");
  table.AddLeft("double-buffers");
  bool any = false;
  for (size_t i = 0; i < rows; ++i) {
    const LoopBudget& budget = plan.loops[i];
    if (!budget.tile.has_value()) continue;
    any = true;
    AddTile(NameOf(request, i), *budget.tile, nullptr, &table);
    if (budget.split_tile.has_value()) {
      AddTile("  percent alone", *budget.split_tile, nullptr, &table);
    }
    if (budget.double_buffering_tile.has_value()) {
      AddTile("  to double-buffer", *budget.double_buffering_tile, &*budget.tile, &table);
    }
  }
  return any ? table.ToString() : "";
}

}  // namespace

std::string BudgetReasonText(BudgetReason reason) {
  switch (reason) {
    case BudgetReason::kNoScheduler:
      return "all: no scheduler";
    case BudgetReason::kConstantsFit:
      return "all: constants fit";
    case BudgetReason::kLoopPercent:
      return "loop percent";
    case BudgetReason::kContractionPercent:
      return "contraction percent";
    case BudgetReason::kRowsStayWhole:
      return "all: rows stay whole";
  }
  return "";
}

std::string TilingTable(absl::string_view title, const TilingRequest& request, const TilePlan& plan,
                        size_t most_rows) {
  std::string out;
  AppendFact("function", Shown(title, kColumns), &out);
  AppendFact(
      "LRAM",
      absl::StrCat(Grouped(request.hardware.usable_bytes), " usable bytes; constants ",
                   Grouped(request.constant_bytes),
                   request.constant_bytes <= request.hardware.usable_bytes ? ", which fit"
                                                                           : ", which do not fit"),
      &out);
  AppendFact(
      "percents",
      absl::StrCat("loops ", request.loop_percent, ", contractions ", request.contraction_percent),
      &out);
  if (plan.convolutions) {
    AppendFact("convolutions",
               "smaller tiles cost halo rows that are loaded again; see torqsched lower --tune",
               &out);
  }
  if (plan.loops.empty()) return out;
  const size_t rows = std::min(most_rows, plan.loops.size());
  absl::StrAppend(&out, "\n", BudgetTable(request, plan, rows));
  const std::string tiles = TilesTable(request, plan, rows);
  if (!tiles.empty()) absl::StrAppend(&out, "\n", tiles);
  return out;
}

}  // namespace report
}  // namespace torqsched
