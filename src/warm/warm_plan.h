// What warm planning answers: for each kind of layer a verdict for every region that it reads, one
// plan, all that was weighed, what the choice rests on, and the simulated layer for pictures.
//
// Times are nanoseconds from the beginning of the simulated stages. A change is what a layer takes
// with the warms less what it takes without, over the layer and the one that follows it: negative
// is a gain.
#ifndef TORQSCHED_SRC_WARM_WARM_PLAN_H_
#define TORQSCHED_SRC_WARM_WARM_PLAN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/warm/timeline.h"

namespace torqsched {

struct WarmOptions {
  // A set of regions is warmed only where it is predicted to gain as much, a layer, for each of its
  // scopes. Default: 24 us of one of 48 vector cores (facts): the work that a core does not do
  // while it issues a region.
  uint64_t min_gain_ns = 500;
  // The page, "the whole consumer set, not part of it": regions that are read by stages which
  // follow each other are warmed all or none. False: each region by itself.
  bool whole_sets = true;
  // Anchors that are no task id (the tensor a stage writes, the layer's input) also for sets that a
  // task id precedes. The page: "fall back to a throwaway read only when no task id is reachable".
  bool read_anchors = false;
  bool split_scopes = true;  // also weigh two scopes at one anchor
  // TOO_LATE: of what its reader reads of a region it finds less, whatever the anchor.
  uint32_t late_percent = 10;
  // All combinations of anchors and sets are tried where there are at most so many, and the budget
  // suffices; else one set after the other, in the order of their readers (choice_search.h).
  uint64_t exact_combinations = 4096;
  uint32_t anchors_per_set = 6;  // in a search that is not exact: the last ones before the reader
  // The budget of the whole request: stages that are simulated for choices, verdicts and
  // alternatives. Each kind has the part of it that its stages are of all kinds' stages. Beyond it
  // a kind is simulated a few times in any case.
  uint64_t search_stages = 700000;
  // Listed, a kind: the best of them, and no warm.
  uint32_t most_alternatives = 256;
  bool alternatives = true;
  // In addition at most kFlipShares (flips.h) times the budget; a kind that this does not suffice
  // for, or that is searched in windows, has none.
  bool flips = true;
  bool traces = true;
};

enum class WarmVerdict : uint8_t {
  kWarm,
  // Fewer bytes than L2 holds come between its first read in a layer and the read before. (Of a
  // region that a layer reads several times later reads are not looked at: not whether they are
  // cold, nor as what to warm it for.)
  kResident,
  // It, or the set that it belongs to, does not fit L2 (with what else is in flight); or what comes
  // through L2 before it is read evicts it.
  kTooLarge,
  kDynamic,
  kNotFlat,
  kTooLate,   // from no anchor does its reader find enough of it
  kContends,  // it slows other stages by more than it saves
  kNoGain
};

// A region that a kind reads. What is below `weighed` is of the plan where it is warmed, and of the
// best that can be done with its set beside the plan where it was simulated and is not warmed; else
// nothing: a rule decided, or, with kNoGain, the search ended before it.
struct WarmRegionVerdict {
  uint32_t region = 0;
  WarmVerdict verdict = WarmVerdict::kNoGain;
  uint32_t reader = 0;  // the first stage that reads it
  uint64_t bytes = 0;
  // Through L2 before that, since the read of the same byte of it; absent: no layer read it before.
  std::optional<uint64_t> bytes_between;
  uint64_t set_bytes = 0;  // of the regions that are warmed with it or not at all
  // When its reader begins to read it; where it was not weighed, when that stage begins without
  // warms.
  uint64_t read_ns = 0;
  bool weighed = false;
  uint32_t anchor = kLayerEntry;
  std::optional<uint64_t> landed_ns;  // absent: it does not land in the simulated stages
  uint64_t landed_bytes = 0;          // in L2 when its reader begins
  uint64_t hit_bytes = 0;             // that the reader finds, of what was pulled for it
  uint64_t saving_ns = 0;             // of the stages that read the set
  uint64_t cost_ns = 0;               // that all others lose, less what they gain; at least 0
  int64_t change_ns = 0;              // of the set
  uint64_t evicted_bytes = 0;         // that had landed, and that it does not find
};

struct PlannedRegion {
  uint32_t region = 0;
  uint64_t issued_ns = 0;
  std::optional<uint64_t> landed_ns;
  std::optional<uint64_t> read_ns;
  uint64_t pulled_bytes = 0;
  uint64_t landed_bytes = 0;
  uint64_t hit_bytes = 0;
};

struct PlannedScope {
  uint32_t anchor = kLayerEntry;
  bool by_task_id = false;  // else by a throwaway read of what the stage writes
  uint64_t begin_ns = 0;
  std::vector<PlannedRegion> regions;  // in the order of issue, which is that of their readers
};

// One choice of scopes for a kind of layer, whether or not it may be chosen.
struct WarmAlternative {
  std::vector<WarmScope> scopes;  // none: no warm
  int64_t change_ns = 0;
  uint64_t bytes_in_flight = 0;  // at most, of lifetimes that overlap
  bool fits = true;              // these in L2
  // It fits, and is of the anchors, sets and orders that the options allow: a search that is exact
  // has tried it, one that is not may not have.
  bool eligible = true;
};

enum class WarmParameter : uint8_t {
  kL2Bytes,
  kMemoryBandwidth,  // bytes a microsecond, as are the next two
  kEngineBandwidth,  // one stream; those of more scale with it
  kEngineOfTwo,      // two streams together
  kIssueNs,
  kStartupNs,         // now 0 where it is paid once: by every scope from this value on
  kEngineWeight,      // percent of stage_weight
  kHitSaving,         // percent of what all stages save when their regions are resident
  kCollectiveShares,  // 0 or 1
  kLanding,           // 0 partial, 1 full
  kLate               // 0 helps, 1 competes
};

// How far an assumption carries the choice: the nearest value found, above and below, at which
// something else is better than it by the model. Searched in steps of a factor of 2 over
// kFlipDoublings doublings, then by bisection.
struct WarmFlip {
  WarmParameter parameter = WarmParameter::kL2Bytes;
  uint64_t value = 0;  // now
  std::optional<uint64_t> below;
  std::optional<uint64_t> above;
  std::vector<WarmScope> choice_below;  // what is best there; none: no warm
  std::vector<WarmScope> choice_above;
};
constexpr int kFlipDoublings = 6;

struct WarmStageTimes {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
};

struct WarmFlowPoint {
  uint64_t ns = 0;
  uint64_t pulled_bytes = 0;  // by the engine so far
  uint64_t unread_bytes = 0;  // of these, in L2 and waiting for their reader
  uint64_t l2_bytes = 0;  // that have come into L2 so far, by anybody, but at most what it holds
};

struct WarmLandingPoint {
  uint32_t scope = 0;
  uint32_t position = 0;  // in its regions
  uint64_t ns = 0;
  uint64_t bytes = 0;  // that have landed, or were there
};

// The layer, step by step; straight between points.
struct WarmTrace {
  std::vector<WarmStageTimes> stages;  // of the layer
  std::vector<WarmFlowPoint> flow;
  std::vector<WarmLandingPoint> landing;
};

struct WarmKindPlan {
  uint32_t kind = 0;
  uint64_t layers = 0;  // of a forward
  std::vector<PlannedScope> scopes;
  uint64_t bytes_in_flight = 0;
  uint64_t fill_bytes = 0;  // that may be in flight: fewer, unless exactly_full_fits
  uint64_t cold_ns = 0;     // the layer without warms
  uint64_t warm_ns = 0;
  int64_t change_ns = 0;  // of the layer and the next
  bool exact = true;      // all combinations were tried; else a bounded search chose
  uint64_t simulated_stages = 0;
  std::vector<WarmRegionVerdict> verdicts;    // in the order of their first reads
  std::vector<WarmAlternative> alternatives;  // ascending change
  std::vector<WarmFlip> flips;
  std::optional<WarmTrace> without;
  std::optional<WarmTrace> with;
};

struct WarmPlan {
  std::vector<WarmKindPlan> kinds;  // those that a forward has, ascending
  uint64_t cold_ns = 0;             // a forward, all layers one after the other
  uint64_t warm_ns = 0;
  int64_t change_ns = 0;
  std::vector<uint32_t> unread;  // regions that no stage of a forward reads
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WARM_WARM_PLAN_H_
