#include "src/bounds/cover_by_size.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/stream/checked.h"

namespace torqsched::bounds {
namespace {

constexpr size_t kMostSizes = 64;  // that are tried as B

// By buffer, the jobs that hold it, ascending.
Rows<uint32_t> HoldersOf(const Part& part, const Sharing& sharing) {
  std::vector<uint32_t> begins(part.buffers.size() + 1, 0);
  uint32_t total = 0;
  for (uint32_t job = 0; job < part.size(); ++job) {
    for (const uint32_t b : sharing.held(job)) ++begins[b];
  }
  for (uint32_t& begin : begins) total += std::exchange(begin, total);
  std::vector<uint32_t> jobs(total);
  std::vector<uint32_t> fill = begins;
  for (uint32_t job = 0; job < part.size(); ++job) {
    for (const uint32_t b : sharing.held(job)) jobs[fill[b]++] = job;
  }
  Rows<uint32_t> holders;
  holders.Adopt(std::move(begins), std::move(jobs));
  return holders;
}

// By job, the bytes of the largest program that it meets although both hold a common buffer; the
// largest value where nobody looked.
std::vector<uint64_t> LargestSharers(const Part& part, const Sharing& sharing, Work* work) {
  const Rows<uint32_t> holders_of = HoldersOf(part, sharing);
  std::vector<uint64_t> largest(part.size(), 0);
  for (uint32_t b = 0; b < part.buffers.size(); ++b) {
    const Run<uint32_t> holders = holders_of[b];
    const bool look = work->Take(uint64_t{holders.size()} * holders.size());
    for (const uint32_t job : holders) {
      uint64_t& most = largest[job];
      if (!look) most = UINT64_MAX;
      for (size_t k = 0; k < holders.size() && look; ++k) {
        const uint32_t program = holders[k];
        if (part.jobs[program].compute == 0 || sharing.bytes(program) <= most) continue;
        if (sharing.Meet(job, program, work)) most = sharing.bytes(program);
      }
    }
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
    return sharers[job] >= least || SumFits(smallest, sharing.bytes(job), sharing.capacity());
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

uint64_t CoverBySizeBound(const Part& part, const Sharing& sharing, Work* work) {
  std::vector<uint64_t> sizes;
  for (uint32_t job = 0; job < part.size(); ++job) {
    // Any two programs of no more than half of LRAM fit.
    const uint64_t bytes = sharing.bytes(job);
    if (part.jobs[job].compute != 0 && bytes > sharing.capacity() / 2) sizes.push_back(bytes);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.empty()) return 0;
  Work of_sharers(work->limit() / 2, work);
  const std::vector<uint64_t> sharers = LargestSharers(part, sharing, &of_sharers);
  // A walk for each size; the first is free.
  const uint64_t walks = 1 + work->limit() / 2 / part.size();
  const size_t count =
      static_cast<size_t>(std::min<uint64_t>(std::min(sizes.size(), kMostSizes), walks));
  work->Charge((count - 1) * part.size());
  uint64_t best = 0;
  for (size_t i = 0; i < count; ++i) {
    best = std::max(best, BoundOf(part, sharing, sharers, sizes[i * sizes.size() / count]));
  }
  return best;
}

}  // namespace torqsched::bounds
