#include "src/search/exact_split.h"

#include <algorithm>
#include <iterator>

namespace torqsched {

ExactSplit::ExactSplit(const ExactModel& model) {
  if (model.slices != 2 || model.programs.size() > kMostPrograms) return;
  for (const uint32_t program : model.programs) compute_.push_back(model.actions[program].compute);
  sums_.resize(size_t{1} << compute_.size());
  sums_[0].push_back(0);
}

uint64_t ExactSplit::Ends(uint32_t programs, uint64_t first, uint64_t second) {
  const std::vector<uint64_t>& sums = SumsOf(programs);
  const uint64_t all = sums.back();
  // The first slice ends the later, the more it has; the second one the earlier.
  const auto at = std::partition_point(sums.begin(), sums.end(), [&](uint64_t sum) {
    return sum != all && first + sum < second + (all - sum);
  });
  uint64_t end = first + *at;
  if (at != sums.begin()) end = std::min(end, second + (all - *(at - 1)));
  return end;
}

// Those of the set without its last program, and those with that program: two ascending rows.
const std::vector<uint64_t>& ExactSplit::SumsOf(uint32_t programs) {
  uint32_t known = programs;
  while (sums_[known].empty()) known &= ~(uint32_t{1} << (31 - __builtin_clz(known)));
  while (known != programs) {
    const uint32_t next = static_cast<uint32_t>(__builtin_ctz(programs & ~known));
    const std::vector<uint64_t>& less = sums_[known];
    known |= uint32_t{1} << next;
    std::vector<uint64_t> with = less;
    for (uint64_t& sum : with) sum += compute_[next];
    std::vector<uint64_t>& sums = sums_[known];
    sums.reserve(2 * less.size());
    std::merge(less.begin(), less.end(), with.begin(), with.end(), std::back_inserter(sums));
    sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
  }
  return sums_[programs];
}

}  // namespace torqsched
