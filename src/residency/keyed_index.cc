#include "src/residency/keyed_index.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace torqsched {
namespace {

constexpr size_t kDigits = 8;
constexpr size_t kValues = 256;
// Below this, counting digits costs more than comparing.
constexpr size_t kFewItems = 128;

uint8_t Digit(uint64_t key, size_t digit) { return static_cast<uint8_t>(key >> (8 * digit)); }

}  // namespace

void StableSortByKey(std::vector<KeyedIndex>* items) {
  const auto less = [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; };
  if (items->size() < kFewItems) {
    std::stable_sort(items->begin(), items->end(), less);
    return;
  }
  if (std::is_sorted(items->begin(), items->end(), less)) return;
  uint64_t different = 0;
  for (const KeyedIndex& item : *items) different |= item.key ^ items->front().key;
  std::vector<KeyedIndex> sorted(items->size());
  for (size_t d = 0; d < kDigits; ++d) {
    if (Digit(different, d) == 0) continue;  // all share it: it sorts nothing
    std::array<size_t, kValues> begins{};
    for (const KeyedIndex& item : *items) ++begins[Digit(item.key, d)];
    size_t begin = 0;
    for (size_t& count : begins) {
      const size_t next = begin + count;
      count = begin;
      begin = next;
    }
    for (const KeyedIndex& item : *items) sorted[begins[Digit(item.key, d)]++] = item;
    items->swap(sorted);
  }
}

}  // namespace torqsched
