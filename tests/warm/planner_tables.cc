#include "tests/warm/planner_tables.h"

#include <algorithm>
#include <cmath>

#include "src/warm/planner.h"
#include "tests/warm/fixtures.h"

namespace torqsched {
namespace {

using Scopes = std::vector<std::vector<WarmScope>>;

constexpr uint64_t kLayersOfKind[] = {2, 20, 21};
constexpr int64_t kForwardUs = 34575;  // the page's base of its two first tables

Scopes InAll(const std::vector<WarmScope>& scopes) { return {scopes, scopes, scopes}; }

// All attention weights that the page's warm had: in CSA without the compressor's.
Scopes AllAt(uint32_t anchor) {
  const std::vector<uint32_t> five = {kWqA, kWkv, kWqB, kWoA, kWoB};
  const std::vector<uint32_t> nine = {kWqA,        kWkv, kIdxWqB, kWeightsProj, kInnerWkv,
                                      kInnerWgate, kWqB, kWoA,    kWoB};
  return {{{anchor, five}}, {{anchor, five}}, {{anchor, nine}}};
}

int64_t OfForward(double percent) {
  return static_cast<int64_t>(std::lround(percent * kForwardUs / 100));
}

}  // namespace

std::vector<MeasuredTable> MeasuredTables() {
  const std::vector<uint32_t> pair = {kWoA, kWoB};
  const WarmScope pair_at_q{kQUp, pair};
  WarmHardware quiet = DocumentedHardware();
  quiet.collective_shares_engine = false;
  return {
      {"Warm sets",
       "issued once q is written, but for the last row; engine at 800 GB/s",
       TableHardware(),
       {{"`wo_b`", -399, InAll({{kQUp, {kWoB}}})},
        {"`wo_b`, `wo_a`", -595, InAll({{kQUp, {kWoB, kWoA}}})},
        {"`wo_a`", -692, InAll({{kQUp, {kWoA}}})},
        {"`wo_a`, `wo_b`", -830, InAll({pair_at_q})},
        {"every attention weight, at `rms_norm`", -128, AllAt(kRmsNorm)}}},
      {"Anchors",
       "`wo_a` and `wo_b`; engine at 800 GB/s",
       TableHardware(),
       {{"layer entry", -63, InAll({{kLayerEntry, pair}})},
        {"`rms_norm`", 770, InAll({{kRmsNorm, pair}})},
        {"`kv`", -13, InAll({{kQDown, pair}})},
        {"`q`", -830, InAll({pair_at_q})},
        {"before sparse attention", 1186, InAll({{kAttnInputs, pair}})}}},
      {"Bytes in flight",
       "older toolchain; the MoE's warm after `proj_b`; documented engine, all-to-all not on it",
       quiet,
       {{"o-projection, 100.7 MB", OfForward(-1.09), InAll({pair_at_q})},
        {"+ `routed_w1`, 134.2 MB", OfForward(-1.63), InAll({pair_at_q, {kProjB, {kRoutedW1}}})},
        {"+ `routed_w1`, `routed_w3`, 268.4 MB", OfForward(3.03),
         InAll({pair_at_q, {kProjB, {kRoutedW1, kRoutedW3}}})}}},
      {"One scope or two",
       "older toolchain; documented engine, as its swimlane shows",
       DocumentedHardware(),
       {{"one", OfForward(-1.08), InAll({pair_at_q})},
        {"two", OfForward(0.66), InAll({{kQUp, {kWoA}}, {kQUp, {kWoB}}})}}},
  };
}

int64_t PredictedUs(const WarmHardware& hardware, const Scopes& scopes) {
  return PredictedUs(hardware, DecodeForward(), scopes);
}

int64_t PredictedUs(const WarmHardware& hardware, const WarmTimeline& timeline,
                    const Scopes& scopes) {
  int64_t ns = 0;
  for (uint32_t kind : {kSwa, kHca, kCsa}) {
    const auto predicted = PredictWarm(hardware, timeline, kind, scopes[kind]);
    if (!predicted.ok()) return INT64_MAX;
    ns += predicted->change_ns * static_cast<int64_t>(kLayersOfKind[kind]);
  }
  return (ns + (ns < 0 ? -500 : 500)) / 1000;
}

int64_t RankCorrelation(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  // Twice the mean rank, so that all is whole.
  const auto ranks = [](const std::vector<int64_t>& values) {
    std::vector<int64_t> twice(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      for (const int64_t other : values) {
        twice[i] += other < values[i] ? 2 : other == values[i] ? 1 : 0;
      }
    }
    return twice;
  };
  const std::vector<int64_t> x = ranks(a);
  const std::vector<int64_t> y = ranks(b);
  const int64_t mean = static_cast<int64_t>(a.size());
  int64_t xy = 0;
  int64_t xx = 0;
  int64_t yy = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx == 0 || yy == 0
             ? 0
             : std::lround(1000.0 * static_cast<double>(xy) /
                           std::sqrt(static_cast<double>(xx) * static_cast<double>(yy)));
}

}  // namespace torqsched
