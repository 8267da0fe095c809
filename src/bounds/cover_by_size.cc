#include "src/bounds/cover_by_size.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/stream/checked.h"

namespace torqsched::bounds {
namespace {

constexpr size_t kMostSizes = 64;  // that are tried as B

// By job, the bytes of the largest program that it meets although both hold a common buffer; the
// largest value where nobody looked.
std::vector<uint64_t> LargestSharers(const Part& part, const Sharing& sharing, uint64_t work) {
  std::vector<std::pair<uint32_t, uint32_t>> holders;  // buffer, job
  for (uint32_t job = 0; job < part.size(); ++job) {
    for (const uint32_t b : sharing.held(job)) holders.push_back({b, job});
  }
  std::sort(holders.begin(), holders.end());
  std::vector<uint64_t> largest(part.size(), 0);
  for (size_t first = 0; first < holders.size();) {
    size_t end = first;
    while (end < holders.size() && holders[end].first == holders[first].first) ++end;
    const uint64_t pairs = uint64_t{end - first} * (end - first);
    const bool look = pairs <= work;
    if (look) work -= pairs;
    for (size_t i = first; i < end; ++i) {
      uint64_t& most = largest[holders[i].second];
      if (!look) most = UINT64_MAX;
      for (size_t k = first; k < end && look; ++k) {
        const uint32_t program = holders[k].second;
        if (part.jobs[program].compute == 0 || sharing.bytes(program) <= most) continue;
        if (sharing.Meet(holders[i].second, program)) most = sharing.bytes(program);
      }
    }
    first = end;
  }
  return largest;
}

// Of programs that hold at least `least` bytes.
uint64_t BoundOf(const Part& part, const Sharing& sharing, const std::vector<uint64_t>& sharers,
                 uint64_t least) {
  uint64_t smallest = UINT64_MAX;
  for (uint32_t job = 0; job < part.size(); ++job) {
    const bool counts = part.jobs[job].compute != 0 && sharing.bytes(job) >= least;
    if (counts) smallest = std::min(smallest, sharing.bytes(job));
  }
  const auto may_meet = [&](uint32_t job) {
    return sharers[job] >= least || SumFits(smallest, sharing.bytes(job), part.capacity);
  };
  absl::uint128 alone = 0;
  absl::uint128 together = 0;
  for (uint32_t job = 0; job < part.size(); ++job) {
    const Job& j = part.jobs[job];
    if (j.compute != 0 && sharing.bytes(job) >= least) {
      (may_meet(job) ? together : alone) += j.compute;
    } else if (!j.program && !may_meet(job)) {
      alone += j.stream;
    }
  }
  const absl::uint128 sum = alone + (together + (part.slices - 1)) / part.slices;
  return static_cast<uint64_t>(std::min<absl::uint128>(sum, UINT64_MAX));
}

}  // namespace

uint64_t CoverBySizeBound(const Part& part, const Sharing& sharing, uint64_t work) {
  std::vector<uint64_t> sizes;
  for (uint32_t job = 0; job < part.size(); ++job) {
    // Any two programs of no more than half of LRAM fit.
    const uint64_t bytes = sharing.bytes(job);
    if (part.jobs[job].compute != 0 && bytes > part.capacity / 2) sizes.push_back(bytes);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.empty()) return 0;
  const std::vector<uint64_t> sharers = LargestSharers(part, sharing, work);
  const size_t count = std::min(sizes.size(), kMostSizes);
  uint64_t best = 0;
  for (size_t i = 0; i < count; ++i) {
    best = std::max(best, BoundOf(part, sharing, sharers, sizes[i * sizes.size() / count]));
  }
  return best;
}

}  // namespace torqsched::bounds
