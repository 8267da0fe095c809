#include "src/residency/density_order.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"
#include "src/residency/keyed_index.h"

namespace torqsched {
namespace {

// A number that falls while the density rises, and stays where it rises little: the length of
// moved * 2^64 / bytes in bits, then its leading bits. It sorts all but near ties without a
// product.
uint64_t RoughKey(uint64_t moved, uint64_t bytes) {
  if (bytes == 0) return 0;
  const absl::uint128 scaled = absl::MakeUint128(moved, 0) / bytes;
  const uint64_t high = absl::Uint128High64(scaled);
  const uint64_t low = absl::Uint128Low64(scaled);
  constexpr int kBits = 56;  // below the leading bit
  uint64_t length = 0;
  if (high != 0) {
    length = 128 - static_cast<uint64_t>(__builtin_clzll(high));
  } else if (low != 0) {
    length = 64 - static_cast<uint64_t>(__builtin_clzll(low));
  }
  uint64_t leading = 0;
  if (length > 0) {
    const absl::uint128 top = scaled << static_cast<int>(128 - length);
    leading = absl::Uint128High64(top) << 1 >> (64 - kBits);
  }
  return std::numeric_limits<uint64_t>::max() - (length << kBits | leading);
}

std::vector<uint32_t> RankPrograms(const Deployment& deployment) {
  std::vector<uint32_t> sorted(deployment.programs.size());
  for (uint32_t p = 0; p < sorted.size(); ++p) sorted[p] = p;
  std::sort(sorted.begin(), sorted.end(), [&deployment](uint32_t a, uint32_t b) {
    return deployment.programs[a].name < deployment.programs[b].name;
  });
  std::vector<uint32_t> ranks(sorted.size());
  for (uint32_t i = 0; i < sorted.size(); ++i) ranks[sorted[i]] = i;
  return ranks;
}

// A class with what decides between near ties close at hand.
struct Rival {
  uint64_t moved = 0;
  uint64_t bytes = 0;  // of one instance
  uint64_t total = 0;
  uint32_t program_rank = 0;
  uint32_t index = 0;
  absl::string_view name;
};

bool Precedes(const Rival& a, const Rival& b) {
  if ((a.bytes == 0) != (b.bytes == 0)) return a.bytes == 0;
  const absl::uint128 left = absl::uint128(a.moved) * b.bytes;
  const absl::uint128 right = absl::uint128(b.moved) * a.bytes;
  if (a.bytes != 0 && left != right) return left > right;
  if (a.total != b.total) return a.total < b.total;
  if (a.program_rank != b.program_rank) return a.program_rank < b.program_rank;
  return a.name < b.name;
}

}  // namespace

std::vector<uint32_t> OrderByDensity(const Deployment& deployment,
                                     const std::vector<ResidencyClass>& classes,
                                     const std::vector<uint32_t>& which) {
  const auto tensor_of = [&](uint32_t index) -> const DeployedTensor& {
    return deployment.programs[classes[index].program].tensors[classes[index].tensor];
  };
  std::vector<KeyedIndex> keyed(which.size());
  for (size_t i = 0; i < which.size(); ++i) {
    const uint64_t bytes = tensor_of(which[i]).bytes;
    keyed[i] = {RoughKey(classes[which[i]].moved_bytes, bytes), which[i]};
  }
  StableSortByKey(&keyed);

  const std::vector<uint32_t> ranks = RankPrograms(deployment);
  std::vector<uint32_t> order;
  order.reserve(keyed.size());
  std::vector<Rival> rivals;
  for (size_t i = 0; i < keyed.size();) {
    const uint64_t key = keyed[i].key;
    const size_t begin = i;
    while (i < keyed.size() && keyed[i].key == key) ++i;
    if (i - begin == 1) {
      order.push_back(keyed[begin].index);
      continue;
    }
    rivals.clear();
    for (size_t j = begin; j < i; ++j) {
      const ResidencyClass& c = classes[keyed[j].index];
      const DeployedTensor& tensor = tensor_of(keyed[j].index);
      rivals.push_back(
          {c.moved_bytes, tensor.bytes, c.bytes, ranks[c.program], keyed[j].index, tensor.name});
    }
    std::sort(rivals.begin(), rivals.end(), Precedes);
    for (const Rival& rival : rivals) order.push_back(rival.index);
  }
  return order;
}

}  // namespace torqsched
