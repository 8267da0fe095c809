// Names to positions, for names that should all differ.
//
// Sorted by a hash, then by name: no input makes it slower than n log n, and nothing depends on the
// hash but the time.
#ifndef TORQSCHED_SRC_RESIDENCY_NAME_TABLE_H_
#define TORQSCHED_SRC_RESIDENCY_NAME_TABLE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "src/residency/keyed_index.h"

namespace torqsched {

class NameTable {
 public:
  // Fewer than 2^32 - 1 names, whose bytes must outlive the table.
  explicit NameTable(std::vector<absl::string_view> names);

  // The lowest position with this name. Cost: log n.
  std::optional<uint32_t> Find(absl::string_view name) const;
  // The lowest position whose name a lower position has, too. Cost: linear.
  std::optional<uint32_t> FirstRepeated() const;

 private:
  void SortBuckets();

  const std::vector<absl::string_view> names_;
  std::vector<KeyedIndex> sorted_;  // key: the name's hash; then by name, then by position
  std::vector<uint32_t> starts_;    // by the hash's upper bits: where they begin in sorted_
  int shift_ = 0;                   // hash >> shift_: the upper bits
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_NAME_TABLE_H_
