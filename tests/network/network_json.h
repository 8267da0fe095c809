// The layer tables of testdata/networks.
#ifndef TORQSCHED_TESTS_NETWORK_NETWORK_JSON_H_
#define TORQSCHED_TESTS_NETWORK_NETWORK_JSON_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "src/network/network.h"

namespace torqsched {

// To be moved, not copied: a copy's views are of the original's names.
struct NetworkTable {
  std::deque<std::string> names;  // owns the names that the network's views point to
  Network network;
  std::map<std::string, uint64_t> totals;  // that the file states
};

// INVALID_ARGUMENT where the file is not such a table.
absl::StatusOr<NetworkTable> LoadNetwork(const std::string& path);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_NETWORK_NETWORK_JSON_H_
