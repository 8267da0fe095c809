// Timelines that the warm planner is tested with.
//
// The decode forward of DeepSeek V4-Flash. Published: the totals of the three kinds of attention
// layer, resident and cold (the page: 243.7 / 254.5 / 347.0 us standalone, 265-272 / 274-284 /
// 374-376 us in the forward), the sizes of the weights, single stages of the MoE (ffn 365.9 us, of
// which a resident routed_w1 saves 38.2; combine 40.5, gate 33, dispatch 30, norm 6.2), and 43
// layers. Illustrative: how an attention layer's total splits into stages. The split is the last
// entry of cases.json. What HCA and CSA take beyond SWA is one stage without weights after q
// (pooling; indexer scores and top-k); their further weights are read where the model's source
// (hw-native-sys/pypto-lib, decode_csa.py, decode_hca.py) reads them, beside the projections that
// they share an input with. Penalties for being cold are the published totals' differences, spread
// over the weights by the byte.
//
// One cut is ours: the 70 us of "sparse_attn" are 48 us of its inputs and 22 us of its kernel, for
// the page has an anchor between the two. The kernel needs all vector cores, and the page has it
// undelayed by a scope of two regions that begins at q ("each attention block lands within a few
// microseconds of its standalone speed"): so it begins no sooner than two issues, 48 us, after q.
// That it needs all vector cores is ours, too (planner_tables_test says how far these go).
#ifndef TORQSCHED_TESTS_WARM_FIXTURES_H_
#define TORQSCHED_TESTS_WARM_FIXTURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/warm/timeline.h"

namespace torqsched {

// Positions of the stages that all kinds of the forward have.
enum ForwardStage : uint32_t {
  kHcPre,
  kRmsNorm,
  kQDown,
  kQUp,
  kPool,  // of SWA: no time
  kAttnInputs,
  kSparseAttn,
  kProjA,
  kProjB,
  kHcPost,
  kMoeNorm,
  kGate,
  kDispatch,
  kFfn,
  kCombine,
  kMoePost,
  kForwardStages
};

enum ForwardRegion : uint32_t {
  kWqA,
  kWkv,
  kWqB,
  kWoA,
  kWoB,
  kKv,
  kRoutedW1,
  kRoutedW3,
  kRoutedW2,
  kSharedW1,
  kSharedW3,
  kSharedW2,
  kHcaCmpWkv,
  kHcaCmpWgate,
  kCsaCmpWkv,
  kCsaCmpWgate,
  kIdxWqB,
  kWeightsProj,
  kInnerWkv,
  kInnerWgate,
  kForwardRegions
};

enum ForwardKind : uint32_t { kSwa, kHca, kCsa };

// 2 SWA layers, 21 CSA and 20 HCA in turn: so that the layers' published times and 477 us a MoE sum
// up to the page's forward (34575 us) within 0.3 %.
// The cut of the 70 us, in us before the kernel, is 48 unless given.
WarmTimeline DecodeForward(uint64_t inputs_us = 48);

// The row of cases.json as it is, 43 times, without MoE: one kind.
WarmTimeline AttentionRow();

// A layer on a GPU with 128 MB of L2 (facts.json, RTX PRO 6000: three windows a layer), rotated to
// begin where the mixer does, so that the next layer's first projection is its last stage.
// Published: the budgets (26, 35 and 20 MB), what they hold (o_proj and the 8 MB head of the next
// first projection; the router and the next part of it; the remainder), and the projection, 50 MB
// in 28.8 us. Ours: its split into 8, 34 and 8 MB, a router of 1 MB, a byte costs a third from L2,
// the bus at 1,792 GB/s, and all other times: idle_us in which nothing is read (half of it the
// mixer, a quarter each before the router and after the experts), experts of 70 MB in 40 us.
WarmTimeline ThreeWindows(uint64_t idle_us);
WarmHardware ThreeWindowsHardware();
enum ThreeWindowsRegion : uint32_t { kOProj, kHead, kRouter, kMiddle, kRemainder };
// The published windows: after the first projection, after o_proj, after the experts.
std::vector<WarmScope> PublishedWindows();

// The documented defaults; and with the bandwidth of cases.json's "o_proj_pair_at_q".
WarmHardware DocumentedHardware();
WarmHardware BenchHardware();
// What the page's first two tables are predicted with: an engine of 800 GB/s, which is fitted:
// between the documented stream (285 GB/s) and what a warm that hits its own leftovers shows (2.9
// TB/s), both of which the source says the bench loop mixes. Any of 575 to 1,100 GB/s gives the
// same best rows and signs; docs/warm.md lists the other free numbers (see planner_tables_test).
WarmHardware TableHardware();

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_WARM_FIXTURES_H_
