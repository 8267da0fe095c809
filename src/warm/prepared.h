// A timeline made ready for simulation: costs in fixed point, regions numbered by kind.
//
// What a stage costs. A stage that reads R bytes of regions takes `cold` ns with all of them cold
// and `hit` ns with all of them in L2, alone on the bus. So a byte in L2 costs hit / R, a cold byte
// cold / R. Of a cold byte's cost, 1 / memory bandwidth (or all, if it costs less) is the bus; the
// rest is not. Other bytes are pulled evenly, and their bus time is part of both costs. Where the
// stage gets only a part of the bus, the bus's parts of the costs grow by its inverse, and nothing
// else does. A stage that reads no region is made of units of 1 ns in place of bytes.
#ifndef TORQSCHED_SRC_WARM_PREPARED_H_
#define TORQSCHED_SRC_WARM_PREPARED_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/warm/fixed.h"
#include "src/warm/timeline.h"

namespace torqsched::warm {

struct PreparedRead {
  uint32_t local = 0;  // position in its kind's regions
  int64_t grains = 0;
  uint64_t share = 0;  // of its group, a ratio
};

// Regions that are read side by side.
struct PreparedGroup {
  uint32_t first_read = 0;
  uint32_t reads = 0;
  int64_t grains = 0;
};

struct PreparedStage {
  uint32_t first_group = 0;
  uint32_t groups = 0;
  int64_t units = 0;          // without groups: its ns, in grains; the costs are of a unit
  uint64_t region_bytes = 0;  // all groups
  int64_t other_grains = 0;
  uint64_t hit_cost = 1;  // of a byte of regions, at least 1
  uint64_t cold_cost = 1;
  uint64_t other_ratio = 0;  // other bytes for each byte of regions
  uint64_t other_bus = 0;    // the bus's part of both costs
  uint64_t cold_bus = 0;     // the bus's part of what is cold
  bool collective = false;
  bool all_vector_cores = false;
};

struct PreparedKind {
  std::vector<PreparedStage> stages;
  std::vector<PreparedGroup> groups;
  std::vector<PreparedRead> reads;
  std::vector<uint32_t> regions;  // that it reads, by its first reads' order
  std::vector<uint32_t> sorted;   // positions in regions, by region
  // By position in regions: bytes through L2 between the reads of the same byte, the last one
  // before and the kind's first one (the region's other bytes among them), the most over its
  // layers; absent: nobody read it before.
  std::vector<std::optional<uint64_t>> gaps;
  std::vector<uint32_t> first_reader;  // stage
  std::vector<uint32_t> last_reader;
  uint64_t bytes = 0;                  // through L2, a layer
  std::vector<uint64_t> bytes_before;  // by stage: of the layer's earlier stages
};

// The region's position in the kind's regions; kNotRead: the kind does not read it.
constexpr uint32_t kNotRead = 0xffffffff;
uint32_t LocalOf(const PreparedKind& kind, uint32_t region);

struct PreparedTimeline {
  WarmHardware hardware;
  const WarmTimeline* timeline = nullptr;
  uint64_t saving_percent = 100;  // of what each stage saves when its regions are resident
  uint64_t memory_rate = 1;
  std::vector<uint64_t> engine_rates;  // of each stream, by how many there are, less 1
  uint64_t engine_hit_rate = 1;
  std::vector<PreparedKind> kinds;
  uint64_t forward_bytes = 0;

  uint64_t StreamRate(size_t streams) const {  // streams at least 1
    const size_t listed = std::min(streams, hardware.engine.size());
    return engine_rates[listed - 1] * listed / streams;
  }
};

// Of checked input; the timeline must outlive the result.
PreparedTimeline Prepare(const WarmHardware& hardware, const WarmTimeline& timeline);

// The same timeline on other hardware, on which residency saves so many percent of what it does:
// these kinds of it, and what is the hardware's. Cost: linear in their stages.
void Reprice(const WarmHardware& hardware, uint64_t saving_percent,
             const std::vector<uint32_t>& kinds, PreparedTimeline* prepared);

// The stage's duration with all its regions in L2.
uint64_t ResidentNs(const WarmHardware& hardware, const WarmTimeline& timeline,
                    const WarmStage& stage);

uint64_t BytesOf(const WarmTimeline& timeline, const WarmRead& read);
bool IsFlat(const WarmRegion& region);

}  // namespace torqsched::warm

#endif  // TORQSCHED_SRC_WARM_PREPARED_H_
