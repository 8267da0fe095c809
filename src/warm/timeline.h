// What warm planning is asked about: the memory system, the regions, and the stages of a forward.
//
// A *warm* is an asynchronous pull of a region of global memory into L2 while other work runs. A
// *scope* is one piece of code that issues warms, on one vector core, after its *anchor*: a stage
// that has ended. A *stage* is one step of the program that runs on the cores. A *layer kind* is a
// list of stages; a forward is a sequence of layers, each of some kind, and forwards follow each
// other. A kind may begin anywhere in the period of a layer: an anchor can only warm what is read
// after it in the same kind.
//
// All lists are in the order of the request, and positions in them name things. Names are views of
// the caller's storage, which must outlive the timeline. Time is in nanoseconds.
//
// Every number of the hardware is an input. Its default is that of an Ascend a2a3, from the public
// page on L2 warms that docs/warm.md names ("the page"), or from what is public beside it
// ("facts").
#ifndef TORQSCHED_SRC_WARM_TIMELINE_H_
#define TORQSCHED_SRC_WARM_TIMELINE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace torqsched {

// So many bytes in so many nanoseconds: {285, 1} is 285 GB/s.
struct WarmBandwidth {
  uint64_t bytes = 1;  // at least 1
  uint64_t ns = 1;     // at least 1
};

// When the start-up of a scope is paid.
enum class WarmStartup : uint8_t {
  kOnce,         // by the first forward of a process, which is not the one that is planned
  kEveryForward  // by every scope, in every forward
};

// What a region that is read before it has landed wholly saves.
enum class WarmLanding : uint8_t {
  kPartial,  // the bytes that have landed
  kFull      // nothing
};

// What a transfer does at the very byte that its reader reads, where the reader is the faster one:
// what has not landed by then.
enum class WarmLate : uint8_t {
  kHelps,    // the reader finds what it brings, and is not slowed by it
  kCompetes  // it is in vain, and takes its part of the bus from the reader
};

struct WarmHardware {
  // The page, "192 MiB on a2a3".
  uint64_t l2_bytes = 201326592;
  // Warms that are alive at one time may fill this share of L2. The page: "fits L2 with room to
  // spare", so a sum that is exactly the share does not fit unless exactly_full_fits.
  uint32_t l2_fill_percent = 100;
  bool exactly_full_fits = false;

  // Global memory, shared by the stages and the engine. No source: the page has no figure, this is
  // the order of what is quoted for the chip.
  WarmBandwidth memory = {1600, 1};

  // What a byte saves that is read from L2, where a stage does not say how long it takes resident.
  // The page: a layer of 146.8 MB takes 243.7 us resident and 265 to 272 us cold: 0.17 ns a kB.
  uint64_t hit_saving_ns = 17;
  uint64_t hit_saving_bytes = 100000;

  // The engine with so many streams at once, all together: entry k - 1 is of k streams, and the
  // last entry of all larger numbers. The page: 285 GB/s alone, 153 GB/s two.
  std::vector<WarmBandwidth> engine = {{285, 1}, {153, 1}};
  // The same over bytes that are in L2 already, however many streams: no memory traffic. The page:
  // 100.7 MB in 35 us is 2.9 TB/s, "hitting its own leftovers".
  WarmBandwidth engine_hits = {2900, 1};
  // Before a fresh scope issues: the page, "about 250 us, paid once".
  uint64_t startup_ns = 250000;
  WarmStartup startup = WarmStartup::kOnce;
  // A region's issue, during which its scope holds a vector core and nothing of it moves. Facts,
  // normal_issue_us: 24 (the page has 27.0 us for a warm of one region and 56.9 us of two).
  uint64_t issue_ns = 24000;
  // Where a stage and the engine both want the bus, they share it stage_weight to engine_weight.
  // No source: equal shares.
  uint32_t stage_weight = 1;
  uint32_t engine_weight = 1;
  // An all-to-all is one more stream of the engine. The page: its engine "is also SDMA".
  bool collective_shares_engine = true;

  WarmLanding landing = WarmLanding::kPartial;
  // No source: the one of the two that reproduces the page's plan with its own numbers
  // (docs/warm.md).
  WarmLate late = WarmLate::kHelps;
};

struct WarmRegion {
  absl::string_view name;  // no other region has it
  uint64_t bytes = 0;      // at least 1
  bool is_static = true;   // its address and size are known when the program is compiled
  // A warm needs a flat source. With a shape, flat is whether all its dimensions but the last are
  // 1, and this is not looked at.
  bool flat = true;
  std::vector<uint64_t> shape;
  std::optional<uint64_t> address;
  // Every layer has a region of its own by this name (a weight); false: all layers read the same.
  bool per_layer = true;
};

// A stage reads a region from its first byte on.
struct WarmRead {
  uint32_t region = 0;  // position in the timeline's regions
  uint64_t bytes = 0;   // 0: all of it
  // Read side by side with the read before it, as a loop over experts does; false: after it.
  bool beside_previous = false;
};

struct WarmStage {
  absl::string_view name;
  uint64_t duration_ns = 0;  // with all its regions cold, and nothing else on the bus
  // With all its regions in L2, at most duration_ns; absent: by hit_saving_ns.
  std::optional<uint64_t> resident_ns;
  std::vector<WarmRead> reads;    // in the order in which it reads
  uint64_t other_bytes = 0;       // that it pulls through L2 beside them, evenly
  bool collective = false;        // an all-to-all: runs on the warm's engine
  bool all_vector_cores = false;  // starts when no scope holds a vector core
  bool has_task_id = false;       // a scope can depend on it
  absl::string_view writes;       // a tensor it writes, for a throwaway read; empty: none
  // Positions of earlier stages of its kind that it waits for; absent: the one before it.
  std::optional<std::vector<uint32_t>> after;
};

struct WarmLayerKind {
  absl::string_view name;
  absl::string_view input;  // the tensor that the layer begins with; empty: none to read
  std::vector<WarmStage> stages;
};

// Layers of these kinds, one after the other, and all of them so many times.
struct WarmRun {
  std::vector<uint32_t> kinds;
  uint64_t repeats = 1;
};

struct WarmTimeline {
  std::vector<WarmRegion> regions;
  std::vector<WarmLayerKind> kinds;
  std::vector<WarmRun> runs;  // a forward
  // Stages that run at once, at most; 1: in their order. At most kMostParallelStages.
  uint32_t parallel_stages = 1;
};

constexpr uint32_t kMostParallelStages = 16;
constexpr uint32_t kMostReadsBeside = 64;  // in one run of reads side by side

// The anchor "at the beginning of the layer".
constexpr uint32_t kLayerEntry = 0xffffffff;

// A scope of a layer kind: after which stage, and what it warms, in the order of issue.
struct WarmScope {
  uint32_t anchor = kLayerEntry;  // position in the kind's stages, or kLayerEntry
  std::vector<uint32_t> regions;  // positions in the timeline's regions
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WARM_TIMELINE_H_
