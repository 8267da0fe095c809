#include "src/report/warm_panel.h"

#include <algorithm>

#include "absl/numeric/int128.h"

namespace torqsched {
namespace report {
namespace {

// Stages by begin; each in the first row that is free by then. There are few rows: as many as
// stages may run at once.
std::vector<std::vector<uint32_t>> RowsOf(const std::vector<WarmStageTimes>& stages) {
  std::vector<uint32_t> order(stages.size());
  for (uint32_t s = 0; s < order.size(); ++s) order[s] = s;
  std::stable_sort(order.begin(), order.end(), [&stages](uint32_t a, uint32_t b) {
    return stages[a].begin_ns < stages[b].begin_ns;
  });
  std::vector<std::vector<uint32_t>> rows(1);
  for (const uint32_t s : order) {
    size_t row = 0;
    while (row < rows.size() && !rows[row].empty() &&
           stages[rows[row].back()].end_ns > stages[s].begin_ns) {
      ++row;
    }
    if (row == rows.size()) rows.emplace_back();
    rows[row].push_back(s);
  }
  return rows;
}

std::vector<WarmBar> BarsOf(const WarmCase& warm, const WarmKindPlan& plan, size_t most,
                            size_t* left_out) {
  std::vector<WarmBar> bars;
  std::vector<size_t> first;  // by scope
  size_t all = 0;
  for (const PlannedScope& scope : plan.scopes) {
    first.push_back(all);
    for (const PlannedRegion& region : scope.regions) {
      if (all++ >= most) continue;
      bars.push_back({region.region,
                      warm.timeline->regions[region.region].bytes,
                      region.issued_ns,
                      region.landed_ns,
                      region.read_ns,
                      {}});
    }
  }
  *left_out = all - bars.size();
  // Within a scope nothing of a region moves before it is issued and the one before it has landed.
  const auto begin_of = [&](const WarmLandingPoint& point, size_t bar) {
    const bool follows = point.position > 0 && !bars[bar - 1].landing.empty();
    return std::max(bars[bar].issued_ns, follows ? bars[bar - 1].landing.back().first : 0);
  };
  for (const WarmLandingPoint& point : plan.with->landing) {
    if (point.scope >= first.size()) continue;
    const size_t bar = first[point.scope] + point.position;
    if (bar >= bars.size()) continue;
    if (bars[bar].landing.empty()) {
      bars[bar].landing.emplace_back(std::min(begin_of(point, bar), point.ns), 0);
    }
    bars[bar].landing.emplace_back(point.ns, point.bytes);
  }
  return bars;
}

uint64_t EndOf(const WarmTrace& trace) {
  uint64_t end = 1;
  for (const WarmStageTimes& stage : trace.stages) end = std::max(end, stage.end_ns);
  return end;
}

}  // namespace

std::vector<WarmPanel> WarmPanels(const WarmCase& warm, size_t most, size_t most_bars) {
  std::vector<WarmPanel> panels;
  for (const bool with_warms : {true, false}) {
    for (const WarmKindPlan& plan : warm.plan->kinds) {
      if (plan.scopes.empty() == with_warms || panels.size() == most) continue;
      if (!plan.with.has_value() || !plan.without.has_value()) continue;
      WarmPanel& panel = panels.emplace_back();
      panel.plan = &plan;
      panel.scale_ns = std::max(EndOf(*plan.without), EndOf(*plan.with));
      panel.cold_rows = RowsOf(plan.without->stages);
      panel.warm_rows = RowsOf(plan.with->stages);
      panel.bars = BarsOf(warm, plan, most_bars, &panel.left_out);
    }
  }
  return panels;
}

uint64_t CellAt(const WarmPanel& panel, uint64_t ns, uint64_t cells) {
  return absl::Uint128Low64(absl::uint128(std::min(ns, panel.scale_ns)) * cells / panel.scale_ns);
}

std::vector<uint64_t> WaitingBytes(const WarmPanel& panel, size_t cells) {
  std::vector<uint64_t> most(cells, 0);
  const std::vector<WarmFlowPoint>& flow = panel.plan->with->flow;
  for (size_t i = 0; i < flow.size(); ++i) {
    if (flow[i].ns > panel.scale_ns) break;
    const size_t cell = std::min<size_t>(CellAt(panel, flow[i].ns, cells), cells - 1);
    most[cell] = std::max(most[cell], flow[i].unread_bytes);
    if (i == 0 || flow[i].ns == flow[i - 1].ns) continue;
    // Cells between this point and the one before lie on the line between them.
    const size_t before = std::min<size_t>(CellAt(panel, flow[i - 1].ns, cells), cells - 1);
    const absl::int128 from = flow[i - 1].unread_bytes;
    const absl::int128 rise = absl::int128(flow[i].unread_bytes) - from;
    for (size_t c = before + 1; c < cell; ++c) {
      const uint64_t bytes = static_cast<uint64_t>(from + rise * static_cast<int64_t>(c - before) /
                                                              static_cast<int64_t>(cell - before));
      most[c] = std::max(most[c], bytes);
    }
  }
  return most;
}

}  // namespace report
}  // namespace torqsched
