// Sorting positions by a 64-bit key: what the planner does most, in linear time.
#ifndef TORQSCHED_SRC_RESIDENCY_KEYED_INDEX_H_
#define TORQSCHED_SRC_RESIDENCY_KEYED_INDEX_H_

#include <cstdint>
#include <vector>

namespace torqsched {

struct KeyedIndex {
  uint64_t key = 0;
  uint32_t index = 0;
};

// By key, ascending; those with one key stay in the order they were in. So sorting by the less
// important key first, then by the more important one, sorts by both. Cost: linear, and less where
// keys are small or share bytes.
void StableSortByKey(std::vector<KeyedIndex>* items);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_KEYED_INDEX_H_
