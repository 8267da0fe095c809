#include "tests/warm/fixtures.h"

namespace torqsched {
namespace {

struct NamedBytes {
  const char* name;
  uint64_t bytes;
};

constexpr NamedBytes kRegionBytes[kForwardRegions] = {
    {"wq_a", 8388608},          {"wkv", 4194304},           {"wq_b", 33554432},
    {"wo_a", 67108864},         {"wo_b", 33554432},         {"kv_pages", 4194304},
    {"routed_w1", 134217728},   {"routed_w3", 134217728},   {"routed_w2", 134217728},
    {"shared_w1", 8388608},     {"shared_w3", 8388608},     {"shared_w2", 8388608},
    {"hca.cmp_wkv", 4194304},   {"hca.cmp_wgate", 4194304}, {"csa.cmp_wkv", 8388608},
    {"csa.cmp_wgate", 8388608}, {"idx_wq_b", 8388608},      {"weights_proj", 524288},
    {"inner_wkv", 2097152},     {"inner_wgate", 2097152},
};

struct KindFacts {
  const char* name;
  uint64_t resident_ns;        // standalone
  uint64_t cold_ns;            // in the forward without a warm, the middle of the published range
  std::vector<uint32_t> down;  // that q_down+kv_proj reads
  std::vector<uint32_t> up;    // that q_up reads
};

WarmStage Stage(const char* name, uint64_t ns) {
  WarmStage stage;
  stage.name = name;
  stage.duration_ns = ns;
  return stage;
}

std::vector<WarmRead> Reads(const std::vector<uint32_t>& regions) {
  std::vector<WarmRead> reads;
  for (const uint32_t region : regions) reads.push_back({region, 0, false});
  return reads;
}

uint64_t ReadBytes(const WarmStage& stage) {
  uint64_t bytes = 0;
  for (const WarmRead& read : stage.reads) bytes += kRegionBytes[read.region].bytes;
  return bytes;
}

// The kind's penalty for being cold, over its stages by the bytes of weights that they read.
void SpreadPenalty(uint64_t penalty_ns, const std::vector<uint32_t>& weight_stages,
                   WarmLayerKind* kind) {
  uint64_t all = 0;
  for (const uint32_t s : weight_stages) all += ReadBytes(kind->stages[s]);
  for (const uint32_t s : weight_stages) {
    WarmStage& stage = kind->stages[s];
    stage.resident_ns = stage.duration_ns;
    stage.duration_ns += penalty_ns * ReadBytes(stage) / all;
  }
}

void AddMoe(WarmLayerKind* kind) {
  kind->stages[kMoeNorm] = Stage("moe.norm", 6200);
  kind->stages[kGate] = Stage("moe.gate", 33000);
  kind->stages[kGate].other_bytes = 4194304;
  kind->stages[kDispatch] = Stage("dispatch", 30000);
  kind->stages[kDispatch].collective = true;
  // A resident routed_w1 saves 365.9 - 327.7 us; all 427.8 MB at that rate 121.8 us.
  kind->stages[kFfn] = Stage("ffn", 365900);
  kind->stages[kFfn].resident_ns = 365900 - 121762;
  // A loop over the experts reads their three matrices side by side.
  kind->stages[kFfn].reads = {{kRoutedW1, 0, false}, {kRoutedW3, 0, true}, {kRoutedW2, 0, true},
                              {kSharedW1, 0, false}, {kSharedW3, 0, true}, {kSharedW2, 0, true}};
  kind->stages[kCombine] = Stage("combine", 40500);
  kind->stages[kCombine].collective = true;
  kind->stages[kMoePost] = Stage("moe.hc_post", 1400);
}

WarmLayerKind AttentionKind(const KindFacts& facts, uint64_t inputs_us) {
  WarmLayerKind kind;
  kind.name = facts.name;
  kind.input = "x_hc";
  kind.stages.resize(kForwardStages);
  // cases.json's split of 244 us; what this kind's published total has beyond that is after q.
  kind.stages[kHcPre] = Stage("hc_pre", 30000);
  kind.stages[kHcPre].writes = "x_mixed";
  kind.stages[kRmsNorm] = Stage("rms_norm", 6000);
  kind.stages[kRmsNorm].has_task_id = true;
  kind.stages[kRmsNorm].writes = "x_normed";
  kind.stages[kQDown] = Stage("q_down+kv_proj", 26000);
  kind.stages[kQDown].writes = "kv";
  kind.stages[kQDown].reads = Reads(facts.down);
  kind.stages[kQUp] = Stage("q_up", 36000);
  kind.stages[kQUp].reads = Reads(facts.up);
  kind.stages[kQUp].has_task_id = true;
  kind.stages[kQUp].writes = "q";
  kind.stages[kPool] = Stage("pool_or_indexer", 0);
  if (facts.resident_ns > 244000) kind.stages[kPool].duration_ns = facts.resident_ns - 244000;
  kind.stages[kAttnInputs] = Stage("attn_inputs", inputs_us * 1000);
  kind.stages[kAttnInputs].writes = "attn_in";
  kind.stages[kSparseAttn] = Stage("sparse_attn", 70000 - inputs_us * 1000);
  kind.stages[kSparseAttn].reads = Reads({kKv});
  kind.stages[kSparseAttn].resident_ns = kind.stages[kSparseAttn].duration_ns;
  kind.stages[kSparseAttn].all_vector_cores = true;
  kind.stages[kProjA] = Stage("proj_a", 40000);
  kind.stages[kProjA].reads = Reads({kWoA});
  kind.stages[kProjB] = Stage("proj_b", 24000);
  kind.stages[kProjB].reads = Reads({kWoB});
  kind.stages[kProjB].writes = "o";
  kind.stages[kHcPost] = Stage("hc_post", 12000);
  kind.stages[kHcPost].has_task_id = true;
  SpreadPenalty(facts.cold_ns - facts.resident_ns, {kQDown, kQUp, kProjA, kProjB}, &kind);
  return kind;
}

std::vector<WarmRegion> ForwardRegions() {
  std::vector<WarmRegion> regions(kForwardRegions);
  for (uint32_t r = 0; r < kForwardRegions; ++r) {
    regions[r].name = kRegionBytes[r].name;
    regions[r].bytes = kRegionBytes[r].bytes;
  }
  regions[kKv].is_static = false;
  regions[kKv].flat = false;
  return regions;
}

const KindFacts kSwaFacts = {"swa", 243700, 268500, {kWqA, kWkv}, {kWqB}};
const KindFacts kHcaFacts = {"hca", 254500, 279000, {kWqA, kWkv, kHcaCmpWkv, kHcaCmpWgate}, {kWqB}};
const KindFacts kCsaFacts = {
    "csa",
    347000,
    375000,
    {kWqA, kWkv, kCsaCmpWkv, kCsaCmpWgate, kWeightsProj, kInnerWkv, kInnerWgate},
    {kIdxWqB, kWqB}};

}  // namespace

WarmTimeline DecodeForward(uint64_t inputs_us) {
  WarmTimeline timeline;
  timeline.regions = ForwardRegions();
  for (const KindFacts& facts : {kSwaFacts, kHcaFacts, kCsaFacts}) {
    timeline.kinds.push_back(AttentionKind(facts, inputs_us));
    AddMoe(&timeline.kinds.back());
  }
  timeline.runs = {{{kSwa}, 2}, {{kCsa, kHca}, 20}, {{kCsa}, 1}};
  return timeline;
}

WarmTimeline AttentionRow() {
  WarmTimeline timeline = DecodeForward();
  timeline.kinds.resize(1);
  timeline.kinds[0].stages.resize(kMoeNorm);
  timeline.runs = {{{kSwa}, 43}};
  return timeline;
}

WarmTimeline ThreeWindows(uint64_t idle_us) {
  constexpr NamedBytes kRegions[] = {{"o_proj", 18000000},
                                     {"in_proj.head", 8000000},
                                     {"router", 1000000},
                                     {"in_proj.middle", 34000000},
                                     {"in_proj.rest", 8000000}};
  WarmTimeline timeline;
  for (const NamedBytes& from : kRegions) {
    WarmRegion& region = timeline.regions.emplace_back();
    region.name = from.name;
    region.bytes = from.bytes;
  }
  WarmLayerKind& kind = timeline.kinds.emplace_back();
  kind.name = "layer";
  kind.input = "x";
  const auto add = [&kind](const char* name, uint64_t ns) -> WarmStage& {
    kind.stages.push_back(Stage(name, ns));
    kind.stages.back().has_task_id = true;
    return kind.stages.back();
  };
  const auto reads = [&timeline](WarmStage* stage, const std::vector<uint32_t>& regions) {
    uint64_t bytes = 0;
    for (const uint32_t region : regions) bytes += timeline.regions[region].bytes;
    stage->reads = Reads(regions);
    stage->duration_ns = bytes * 288 / 500000;
    stage->resident_ns = stage->duration_ns / 3;
  };
  add("mixer", idle_us * 500);
  reads(&add("o_proj", 0), {kOProj});
  add("norm", idle_us * 250);
  reads(&add("router", 0), {kRouter});
  add("experts", 40000).other_bytes = 70000000;
  add("combine", idle_us * 250);
  reads(&add("in_proj", 0), {kHead, kMiddle, kRemainder});
  timeline.runs = {{{0}, 48}};
  return timeline;
}

WarmHardware ThreeWindowsHardware() {
  WarmHardware hardware;
  hardware.l2_bytes = 134217728;
  hardware.memory = {1792, 1};
  hardware.engine = {{1792, 1}};
  hardware.engine_hits = {5000, 1};
  hardware.issue_ns = 0;
  return hardware;
}

std::vector<WarmScope> PublishedWindows() {
  return {{kLayerEntry, {kOProj, kHead}}, {1, {kRouter, kMiddle}}, {4, {kRemainder}}};
}

WarmHardware DocumentedHardware() { return WarmHardware(); }

WarmHardware BenchHardware() {
  WarmHardware hardware;
  hardware.engine = {{2900, 1}, {2900 * 153, 285}};
  return hardware;
}

WarmHardware TableHardware() {
  WarmHardware hardware;
  hardware.engine = {{800, 1}, {800 * 153, 285}};
  return hardware;
}

}  // namespace torqsched
