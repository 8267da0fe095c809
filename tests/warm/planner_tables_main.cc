// Prints, as Markdown, what the model predicts beside what was measured: the source's tables, other
// hardware, and what the plan rests on.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "src/warm/planner.h"
#include "tests/warm/fixtures.h"
#include "tests/warm/planner_tables.h"

namespace torqsched {
namespace {

using Scopes = std::vector<std::vector<WarmScope>>;

WarmHardware WithEngine(WarmHardware hardware, uint64_t bytes_per_ns) {
  hardware.engine = {{bytes_per_ns, 1}, {bytes_per_ns * 153, 285}};
  return hardware;
}

void PrintTables() {
  for (const MeasuredTable& table : MeasuredTables()) {
    std::printf("### %s\n\n%s. Microseconds a forward, against no warm.\n\n", table.name.c_str(),
                table.note.c_str());
    std::printf("| Row | Measured | Predicted | at 285 GB/s | at 2.9 TB/s | COMPETES |\n");
    std::printf("|---|---:|---:|---:|---:|---:|\n");
    WarmHardware competes = table.hardware;
    competes.late = WarmLate::kCompetes;
    std::vector<int64_t> measured;
    std::vector<int64_t> predicted;
    for (const TableRow& row : table.rows) {
      measured.push_back(row.measured_us);
      predicted.push_back(PredictedUs(table.hardware, row.scopes));
      std::printf("| %s | %+lld | %+lld | %+lld | %+lld | %+lld |\n", row.name.c_str(),
                  static_cast<long long>(row.measured_us), static_cast<long long>(predicted.back()),
                  static_cast<long long>(PredictedUs(WithEngine(table.hardware, 285), row.scopes)),
                  static_cast<long long>(PredictedUs(WithEngine(table.hardware, 2900), row.scopes)),
                  static_cast<long long>(PredictedUs(competes, row.scopes)));
    }
    std::printf("\nSpearman's rank correlation: %+.2f\n\n",
                static_cast<double>(RankCorrelation(predicted, measured)) / 1000);
  }
}

void PrintLayers() {
  std::printf("### Layers\n\nMicroseconds of the attention block, up to `hc_post`.\n\n");
  std::printf("| Kind | Standalone | In the forward, cold | With the pair, measured | predicted, ");
  std::printf("800 GB/s |\n|---|---:|---:|---:|---:|\n");
  const char* const rows[] = {"SWA | 243.7 | 265-272 | 247-258", "HCA | 254.5 | 274-284 | 249-258",
                              "CSA | 347.0 | 374-376 | 351-355"};
  for (uint32_t kind : {kSwa, kHca, kCsa}) {
    const auto p = PredictWarm(TableHardware(), DecodeForward(), kind, {{kQUp, {kWoA, kWoB}}});
    std::printf("| %s | %.1f |\n", rows[kind],
                static_cast<double>(p->trace.stages[kHcPost].end_ns) / 1000);
  }
}

void PrintContention() {
  const auto cold = PredictWarm(DocumentedHardware(), DecodeForward(), kCsa, {});
  const auto warm =
      PredictWarm(DocumentedHardware(), DecodeForward(), kCsa, {{kHcPost, {kRoutedW1}}});
  const auto us = [](const WarmPrediction& p, uint32_t stage) {
    return static_cast<double>(p.trace.stages[stage].end_ns - p.trace.stages[stage].begin_ns) /
           1000;
  };
  std::printf("\n### `routed_w1` beside the all-to-all\n\nDocumented engine; measured at ep8.\n\n");
  std::printf("| Stage | Measured | Predicted |\n|---|---|---|\n");
  std::printf("| ffn | 365.9 -> 327.7 | %.1f -> %.1f |\n", us(*cold, kFfn), us(*warm, kFfn));
  std::printf("| dispatch | - | %.1f -> %.1f |\n", us(*cold, kDispatch), us(*warm, kDispatch));
  std::printf("| combine | 40.5 -> 115.4 | %.1f -> %.1f |\n", us(*cold, kCombine),
              us(*warm, kCombine));
  std::printf("| layer | +36.7 | %+.1f |\n", static_cast<double>(warm->change_ns) / 1000);
}

// Microseconds a step of 43 layers: routed_w1 with a cap, its head of so many MB the region. ffn
// reads it evenly throughout, or first of all.
int64_t CappedUs(const WarmHardware& hardware, uint64_t megabytes, bool first) {
  WarmTimeline timeline = DecodeForward();
  const uint64_t bytes = megabytes * 1000000;
  const uint64_t saves_ns = 38200 * bytes / 134217728;
  timeline.regions[kRoutedW1].bytes = bytes;
  for (WarmLayerKind& kind : timeline.kinds) {
    WarmStage ffn = kind.stages[kFfn];
    ffn.reads = {{kRoutedW1, 0, false}};
    if (first) {
      ffn.duration_ns = 365900 * bytes / 427819008;
      WarmStage rest = kind.stages[kFfn];
      rest.reads.clear();
      rest.resident_ns.reset();
      rest.duration_ns = 365900 - ffn.duration_ns;
      rest.other_bytes = 427819008 - bytes;
      kind.stages.insert(kind.stages.begin() + kFfn + 1, rest);
    } else {
      ffn.other_bytes = 427819008 - bytes;
    }
    ffn.resident_ns = ffn.duration_ns - saves_ns;
    kind.stages[kFfn] = ffn;
  }
  int64_t best = INT64_MAX;
  for (const uint32_t anchor : {kProjB, kHcPost, kGate}) {
    const auto p = PredictWarm(hardware, timeline, kHca, {{anchor, {kRoutedW1}}});
    best = std::min(best, p->change_ns);
  }
  return best * 43 / 1000;
}

void PrintThreeWindows() {
  std::printf("\nRTX PRO 6000, 128 MB: three windows a layer of 26, 35 and 20 MB.\n\n");
  std::printf("| Idle a layer | layer, cold | published windows | planned, region by region |\n");
  std::printf("|---:|---:|---:|---:|\n");
  for (const uint64_t idle_us : {5, 10, 20, 40}) {
    const WarmTimeline timeline = ThreeWindows(idle_us);
    WarmOptions options;
    options.whole_sets = false;
    options.read_anchors = true;
    const auto windows = PredictWarm(ThreeWindowsHardware(), timeline, 0, PublishedWindows());
    const auto plan = PlanWarm(ThreeWindowsHardware(), timeline, options);
    const double cold = static_cast<double>(plan->kinds[0].cold_ns);
    std::printf("| %llu us | %.1f us | %+.1f us, %+.1f %% steps/s | %+.1f us |\n",
                static_cast<unsigned long long>(idle_us), cold / 1000,
                static_cast<double>(windows->change_ns) / 1000,
                100 * (cold / (cold + static_cast<double>(windows->change_ns)) - 1),
                static_cast<double>(plan->kinds[0].change_ns) / 1000);
  }
}

void PrintOtherHardware() {
  WarmHardware quiet = DocumentedHardware();
  quiet.collective_shares_engine = false;
  std::printf("\n### Other hardware\n\nAtlas 800T A2, `w1` with a size cap. Microseconds a step, ");
  std::printf("against no warm.\n\n| Cap | tokens/s | Measured | Predicted, `w1` read evenly | ");
  std::printf("Predicted, `w1` read first |\n|---|---:|---:|---:|---:|\n");
  const std::pair<uint64_t, double> caps[] = {
      {10, 90.7431}, {80, 92.574}, {100, 92.6529}, {120, 92.0725}};
  for (const auto& [megabytes, rate] : caps) {
    std::printf("| %llu MB | %.2f | %+.0f | %+lld | %+lld |\n",
                static_cast<unsigned long long>(megabytes), rate, 1e6 / rate - 1e6 / 90.7114,
                static_cast<long long>(CappedUs(quiet, megabytes, false)),
                static_cast<long long>(CappedUs(quiet, megabytes, true)));
  }
  PrintThreeWindows();

  // 501 MiB a layer at 1792 GB/s; a tail of 5 us in which nothing is read; the head of the next
  // projection, 8 MiB, a byte of which costs a third from L2.
  WarmTimeline gpu;
  gpu.regions.resize(1);
  gpu.regions[0].name = "next_proj_head";
  gpu.regions[0].bytes = 8388608;
  gpu.kinds.resize(1);
  gpu.kinds[0].stages.resize(3);
  WarmStage& rest = gpu.kinds[0].stages[0];
  rest.name = "rest";
  rest.duration_ns = 288500;
  rest.other_bytes = 501 * 1048576 - 8388608;
  rest.has_task_id = true;
  gpu.kinds[0].stages[1].name = "moe_tail";
  gpu.kinds[0].stages[1].duration_ns = 5000;
  WarmStage& proj = gpu.kinds[0].stages[2];
  proj.name = "next_proj";
  proj.duration_ns = 4681;
  proj.resident_ns = 1560;
  proj.reads = {{0, 0, false}};
  gpu.runs = {{{0}, 40}};
  WarmHardware rtx;
  rtx.l2_bytes = 100663296;
  rtx.memory = {1792, 1};
  rtx.engine = {{1792, 1}};
  rtx.engine_hits = {5000, 1};
  rtx.issue_ns = 0;
  const auto plan = PlanWarm(rtx, gpu, WarmOptions());
  std::printf("\nRTX 5090, 96 MiB (ninfer#68 ff.), 8 MiB of the next projection from the MoE's ");
  std::printf("tail: measured +2.5 %%, predicted %+.1f %%.\n",
              -100.0 * static_cast<double>(plan->change_ns) / static_cast<double>(plan->cold_ns));
}

const char* NameOf(WarmParameter parameter) {
  constexpr const char* kNames[] = {"L2, bytes",
                                    "memory, bytes a us",
                                    "engine, bytes a us",
                                    "engine of two streams, bytes a us",
                                    "issue, ns",
                                    "start-up in every forward, ns",
                                    "engine's weight, %",
                                    "what residency saves, %",
                                    "all-to-all on the engine",
                                    "full landing",
                                    "what lands late competes"};
  return kNames[static_cast<size_t>(parameter)];
}

void PrintFlips() {
  std::printf("\n### What the choice rests on\n\nDocumented defaults; the choice of a kind is ");
  std::printf("another one beyond these values.\n\n| Assumption | now |");
  const WarmTimeline timeline = DecodeForward();
  const auto plan = PlanWarm(DocumentedHardware(), timeline, WarmOptions());
  for (const WarmKindPlan& kind : plan->kinds) {
    std::printf(" %s |", std::string(timeline.kinds[kind.kind].name).c_str());
  }
  std::printf("\n|---|---:|---|---|---|\n");
  for (size_t i = 0; i < plan->kinds[0].flips.size(); ++i) {
    const WarmFlip& first = plan->kinds[0].flips[i];
    std::printf("| %s | %llu |", NameOf(first.parameter),
                static_cast<unsigned long long>(first.value));
    for (const WarmKindPlan& kind : plan->kinds) {
      const WarmFlip& flip = kind.flips[i];
      std::string cell;
      if (flip.below.has_value()) cell += "<= " + std::to_string(*flip.below) + " ";
      if (flip.above.has_value()) cell += ">= " + std::to_string(*flip.above);
      std::printf(" %s |", cell.empty() ? "-" : cell.c_str());
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace torqsched

int main() {
  torqsched::PrintTables();
  torqsched::PrintLayers();
  torqsched::PrintContention();
  torqsched::PrintOtherHardware();
  torqsched::PrintFlips();
  return 0;
}
