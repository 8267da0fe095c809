// What may be warmed at all: the regions of a layer kind that pass the rules, in sets that are
// warmed all or none; and how many bytes a choice of scopes has in flight.
#ifndef TORQSCHED_SRC_WARM_CONSUMER_SETS_H_
#define TORQSCHED_SRC_WARM_CONSUMER_SETS_H_

#include <cstdint>
#include <vector>

#include "src/warm/prepared.h"
#include "src/warm/warm_plan.h"

namespace torqsched::warm {

struct ConsumerSet {
  std::vector<uint32_t> regions;  // positions in the timeline's regions, as they are first read
  uint32_t first_reader = 0;      // stages
  uint32_t last_reader = 0;       // the last first reader
  uint64_t bytes = 0;
  bool fits = true;  // L2, alone
};

struct KindSets {
  std::vector<ConsumerSet> sets;  // in the order of their readers
  std::vector<WarmVerdict> rule;  // by the kind's regions; kWarm: it passes
  std::vector<uint32_t> set_of;   // by the kind's regions; kNotRead: it is in none
};

// With whole sets: the regions that are first read by stages that follow each other, so many of
// these stages as fit L2 together. Cost: linear in the kind.
KindSets FindSets(const PreparedTimeline& prepared, uint32_t kind, const WarmOptions& options);

// A region is in flight from its anchor to the last stage of the kind that reads it (to the end of
// the layer, if none does after the anchor). Cost: n log n in the regions.
uint64_t BytesInFlight(const PreparedTimeline& prepared, uint32_t kind,
                       const std::vector<WarmScope>& scopes);

bool FitsL2(const WarmHardware& hardware, uint64_t bytes);
// The share of L2 that may be filled, rounded down.
uint64_t FillBytes(const WarmHardware& hardware);

}  // namespace torqsched::warm

#endif  // TORQSCHED_SRC_WARM_CONSUMER_SETS_H_
