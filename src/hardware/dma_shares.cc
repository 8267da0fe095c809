#include "src/hardware/dma_shares.h"

#include <algorithm>
#include <iterator>

#include "absl/numeric/int128.h"
#include "src/stream/checked.h"
#include "src/stream/stream.h"

namespace torqsched {

void DmaShares::Add(uint64_t begin, uint64_t end, uint32_t percent) {
  if (percent == 0 || begin >= end) return;
  const Steps::iterator last = StepAt(end);
  for (Steps::iterator step = StepAt(begin); step != last; ++step) step->second += percent;
}

// A step that begins there, of the height that there is already.
DmaShares::Steps::iterator DmaShares::StepAt(uint64_t at) {
  const Steps::iterator next = steps_.lower_bound(at);
  if (next != steps_.end() && next->first == at) return next;
  return steps_.emplace_hint(next, at, next == steps_.begin() ? 0 : std::prev(next)->second);
}

std::optional<uint64_t> DmaShares::EndOf(uint64_t begin, uint64_t cycles) const {
  if (steps_.empty() || begin >= steps_.rbegin()->first) {
    return CheckedAdd(&begin, cycles) ? std::optional<uint64_t>(begin) : std::nullopt;
  }
  absl::uint128 work = absl::uint128(cycles) * 100;
  Steps::const_iterator next = steps_.upper_bound(begin);
  uint32_t percent = next == steps_.begin() ? 0 : std::prev(next)->second;
  for (;; ++next) {
    const uint64_t rate = 100 - std::min(percent, kMostDmaShare);
    const absl::uint128 needed = (work + rate - 1) / rate;  // cycles
    if (next == steps_.end() || needed <= next->first - begin) {
      if (absl::Uint128High64(needed) != 0) return std::nullopt;
      if (!CheckedAdd(&begin, absl::Uint128Low64(needed))) return std::nullopt;
      return begin;
    }
    work -= absl::uint128(next->first - begin) * rate;
    begin = next->first;
    percent = next->second;
  }
}

}  // namespace torqsched
