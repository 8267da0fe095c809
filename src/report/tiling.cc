#include "src/report/tiling.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "src/report/text.h"

namespace torqsched {
namespace report {
namespace {

constexpr size_t kNameWidth = 28;

void AddTile(std::string name, std::string budget, std::string why, const ContractionTile& tile,
             TextTable* table) {
  table->AddRow({std::move(name), std::move(budget), std::move(why),
                 absl::StrCat(Grouped(tile.rows), " x ", Grouped(tile.n), " x ", Grouped(tile.k)),
                 Grouped(tile.bytes), Grouped(tile.trips), Grouped(tile.loaded_bytes),
                 !tile.fits            ? "does not fit"
                 : tile.double_buffers ? "yes"
                                       : "no"});
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
  TextTable table;
  table.AddLeft("loop");
  table.AddRight("budget");
  table.AddLeft("why");
  table.AddRight("rows x n x k");
  table.AddRight("tile");
  table.AddRight("programs");
  table.AddRight("loaded");
  table.AddLeft("double-buffers");
  const size_t rows = std::min(most_rows, plan.loops.size());
  for (size_t i = 0; i < rows; ++i) {
    const LoopBudget& budget = plan.loops[i];
    const absl::string_view given = request.loops[i].name;
    std::string name = given.empty() ? absl::StrCat("loop ", i) : Shown(given, kNameWidth);
    if (!budget.tile.has_value()) {
      table.AddRow({std::move(name), Grouped(budget.bytes), BudgetReasonText(budget.reason), "-",
                    budget.whole_row_bytes == 0 ? "-" : Grouped(budget.whole_row_bytes), "-", "-",
                    ""});
      continue;
    }
    AddTile(std::move(name), Grouped(budget.bytes), BudgetReasonText(budget.reason), *budget.tile,
            &table);
    if (budget.split_tile.has_value()) {
      AddTile("", "", "its percent alone", *budget.split_tile, &table);
    }
    if (budget.double_buffering_tile.has_value()) {
      AddTile("", "", "to double-buffer", *budget.double_buffering_tile, &table);
    }
  }
  if (plan.loops.size() > rows) {
    table.AddNote(absl::StrCat("  and ", Grouped(plan.loops.size() - rows), " more"));
  }
  return absl::StrCat(out, "\n", table.ToString());
}

}  // namespace report
}  // namespace torqsched
