// The picture in ASCII.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/report/text.h"
#include "src/report/warm.h"
#include "src/report/warm_panel.h"
#include "src/report/warm_words.h"

namespace torqsched {
namespace report {
namespace {

constexpr size_t kMostPanels = 4;
constexpr size_t kMostBars = 12;
constexpr size_t kLabel = 14;
constexpr size_t kBox = 3;  // cells: a box with a letter of its name

std::string Row(absl::string_view label, std::string cells) {
  cells.erase(cells.find_last_not_of(' ') + 1);
  std::string head = Shown(label, kLabel - 2);
  head.append(kLabel - Width(head), ' ');
  return absl::StrCat(head, cells, "\n");
}

// A row of stages: a box with its name where there is room, else what is busy.
std::string StageRow(const WarmPanel& panel, const WarmLayerKind& kind,
                     const std::vector<WarmStageTimes>& times, const std::vector<uint32_t>& row,
                     size_t width) {
  std::vector<std::string> cells(width, " ");  // code points
  for (const uint32_t s : row) {
    const size_t begin = CellAt(panel, times[s].begin_ns, width);
    const size_t end = CellAt(panel, times[s].end_ns, width);
    if (end - begin < kBox) {
      for (size_t c = begin; c < end; ++c) cells[c] = "#";
      if (begin == end && begin < width && cells[begin] == " " &&
          times[s].end_ns > times[s].begin_ns) {
        cells[begin] = ".";
      }
      continue;
    }
    std::fill(cells.begin() + begin, cells.begin() + end, "-");
    const std::string name = StageName(kind, s, end - begin - 2);
    cells[begin] = absl::StrCat("[", name);
    for (size_t c = 1; c <= Width(name); ++c) cells[begin + c].clear();
    cells[end - 1] = "]";
  }
  std::string out;
  for (const std::string& cell : cells) out += cell;
  return out;
}

std::string BarRow(const WarmPanel& panel, const WarmBar& bar, size_t width) {
  std::string cells(width, ' ');
  const uint64_t flowing = bar.landing.empty() ? panel.scale_ns : bar.landing.front().first;
  const uint64_t landed = bar.landed_ns.value_or(panel.scale_ns);
  const uint64_t read = bar.read_ns.value_or(panel.scale_ns);
  const auto fill = [&](uint64_t from, uint64_t to, char c) {
    const size_t begin = CellAt(panel, from, width);
    const size_t end = CellAt(panel, to, width);
    for (size_t i = begin; i < end; ++i) cells[i] = c;
  };
  fill(landed, read, '-');
  fill(flowing, landed, '=');
  fill(bar.issued_ns, flowing, '.');
  if (bar.read_ns.has_value()) {
    cells[std::min<size_t>(CellAt(panel, read, width), width - 1)] = '|';
  }
  return cells;
}

std::string FillRow(const WarmCase& warm, const WarmPanel& panel, size_t width) {
  std::string cells;
  for (const uint64_t bytes : WaitingBytes(panel, width)) {
    const absl::uint128 tenths = absl::uint128(bytes) * 10 / warm.hardware->l2_bytes;
    cells.push_back(bytes == 0 ? ' '
                               : static_cast<char>(
                                     '0' + absl::Uint128Low64(std::min<absl::uint128>(tenths, 9))));
  }
  return cells;
}

std::string AxisRows(const WarmPanel& panel, size_t width) {
  std::string ticks(width + 1, ' ');
  std::string numbers;
  const uint64_t us = std::max<uint64_t>(panel.scale_ns / 1000, 1);
  const uint64_t step = DecimalStep(us, std::max<uint64_t>(width / 12, 1));
  for (uint64_t at = 0; at <= us; at += step) {
    const size_t cell = CellAt(panel, at * 1000, width);
    ticks[cell] = '|';
    if (numbers.size() > cell) continue;
    numbers.resize(cell, ' ');
    absl::StrAppend(&numbers, Grouped(at), " ");
  }
  return Row("", ticks) + Row("us", numbers);
}

}  // namespace

std::string WarmTimelineText(const WarmCase& warm, size_t width) {
  width = std::clamp<size_t>(width, 20, 1000);
  std::string out;
  bool bars = false;
  for (const WarmPanel& panel : WarmPanels(warm, kMostPanels, kMostBars)) {
    const WarmKindPlan& plan = *panel.plan;
    const WarmLayerKind& kind = warm.timeline->kinds[plan.kind];
    absl::StrAppend(&out, out.empty() ? "" : "\n", KindTitle(*warm.timeline, plan), "\n");
    for (const std::vector<uint32_t>& row : panel.cold_rows) {
      out += Row(&row == &panel.cold_rows[0] ? "without" : "",
                 StageRow(panel, kind, plan.without->stages, row, width));
    }
    if (!plan.scopes.empty()) {
      for (const std::vector<uint32_t>& row : panel.warm_rows) {
        out += Row(&row == &panel.warm_rows[0] ? "with" : "",
                   StageRow(panel, kind, plan.with->stages, row, width));
      }
      for (const WarmBar& bar : panel.bars) {
        out += Row(RegionName(*warm.timeline, bar.region, kLabel - 2), BarRow(panel, bar, width));
      }
      if (panel.left_out != 0) {
        absl::StrAppend(&out, "  and ", Counted(panel.left_out, "more warm"), "\n");
      }
      out += Row("L2, tenths", FillRow(warm, panel, width));
      bars = true;
    }
    out += AxisRows(panel, width);
  }
  if (out.empty()) return "no layer to draw\n";
  if (bars) {
    out +=
        "\n. issued  = landing  - waits in L2  | its reader begins;  L2: warmed and not yet read\n";
  }
  return out;
}

}  // namespace report
}  // namespace torqsched
