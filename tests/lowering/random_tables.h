// Random tables that are sound: images, matrices, attention, states, ties, in small.
#ifndef TORQSCHED_TESTS_LOWERING_RANDOM_TABLES_H_
#define TORQSCHED_TESTS_LOWERING_RANDOM_TABLES_H_

#include <cstdint>
#include <deque>
#include <string>

#include "src/hardware/hardware.h"
#include "src/lowering/lowering.h"
#include "src/network/network.h"

namespace torqsched {

// To be moved, not copied: a copy's views are of the original's names.
struct RandomTable {
  std::deque<std::string> names;  // owns the names that the network's views point to
  Network network;
  // LRAM of some KiB, so that layers are cut; numbers to match; any options.
  Hardware hardware;
  LoweringNumbers numbers;
  LoweringOptions options;
};

RandomTable MakeRandomTable(uint64_t seed);

// In words, for a failure's report.
std::string Describe(const RandomTable& table);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_LOWERING_RANDOM_TABLES_H_
