#include "src/residency/name_table.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/numeric/int128.h"

namespace torqsched {
namespace {

// Multiplies and folds the halves together, so that every bit moves all others.
uint64_t Mix(uint64_t a, uint64_t b) {
  const absl::uint128 product = absl::uint128(a) * b;
  return absl::Uint128High64(product) ^ absl::Uint128Low64(product);
}

uint64_t HashOf(absl::string_view name) {
  uint64_t hash = Mix(name.size() ^ 0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u);
  for (size_t at = 0; at < name.size(); at += 8) {
    uint64_t chunk = 0;
    std::memcpy(&chunk, name.data() + at, std::min<size_t>(8, name.size() - at));
    hash = Mix(hash ^ chunk, 0x94d049bb133111ebu);
  }
  return Mix(hash, 0x9e3779b97f4a7c15u);
}

}  // namespace

NameTable::NameTable(std::vector<absl::string_view> names) : names_(std::move(names)) {
  int bits = 1;
  while ((size_t{1} << bits) < names_.size()) ++bits;
  shift_ = 64 - bits;
  std::vector<uint64_t> hashes;
  hashes.reserve(names_.size());
  starts_.assign((size_t{1} << bits) + 2, 0);
  for (const absl::string_view name : names_) {
    hashes.push_back(HashOf(name));
    ++starts_[(hashes.back() >> shift_) + 2];
  }
  for (size_t i = 2; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  // starts_[b + 1] is where bucket b begins; once it is filled, where it ends and b + 1 begins.
  sorted_.resize(names_.size());
  for (uint32_t i = 0; i < names_.size(); ++i) {
    sorted_[starts_[(hashes[i] >> shift_) + 1]++] = {hashes[i], i};
  }
  starts_.pop_back();
  SortBuckets();
}

void NameTable::SortBuckets() {
  for (size_t b = 0; b + 1 < starts_.size(); ++b) {
    if (starts_[b + 1] - starts_[b] < 2) continue;
    std::sort(sorted_.begin() + starts_[b], sorted_.begin() + starts_[b + 1],
              [this](const KeyedIndex& a, const KeyedIndex& b) {
                if (a.key != b.key) return a.key < b.key;
                const int order = names_[a.index].compare(names_[b.index]);
                return order != 0 ? order < 0 : a.index < b.index;
              });
  }
}

std::optional<uint32_t> NameTable::Find(absl::string_view name) const {
  const uint64_t hash = HashOf(name);
  const auto begin = sorted_.begin() + starts_[hash >> shift_];
  const auto end = sorted_.begin() + starts_[(hash >> shift_) + 1];
  const auto found = std::partition_point(begin, end, [this, hash, name](const KeyedIndex& item) {
    return item.key != hash ? item.key < hash : names_[item.index] < name;
  });
  if (found == end || found->key != hash || names_[found->index] != name) return std::nullopt;
  return found->index;
}

std::optional<uint32_t> NameTable::FirstRepeated() const {
  std::optional<uint32_t> first;
  for (size_t i = 1; i < sorted_.size(); ++i) {
    const KeyedIndex& item = sorted_[i];
    if (item.key != sorted_[i - 1].key || names_[item.index] != names_[sorted_[i - 1].index]) {
      continue;
    }
    if (!first.has_value() || item.index < *first) first = item.index;
  }
  return first;
}

}  // namespace torqsched
