#include "src/hardware/dma_shares.h"

#include <algorithm>

#include "absl/numeric/int128.h"
#include "src/stream/checked.h"
#include "src/stream/stream.h"

namespace torqsched {

void DmaShares::Add(uint32_t slice, uint64_t begin, uint64_t end, uint32_t percent) {
  if (percent == 0 || begin >= end) return;
  programs_[slice].push_back({begin, end, percent});
  last_end_ = std::max(last_end_, end);
}

DmaShares::Stretch DmaShares::StretchFrom(uint64_t at) {
  Stretch stretch;
  for (size_t slice = 0; slice < programs_.size(); ++slice) {
    const std::vector<Program>& programs = programs_[slice];
    size_t& p = next_[slice];
    while (p < programs.size() && programs[p].end <= at) ++p;
    if (p == programs.size()) continue;
    const bool computes = programs[p].begin <= at;
    const uint64_t change = computes ? programs[p].end : programs[p].begin;
    if (computes) stretch.percent += programs[p].percent;
    if (!stretch.end.has_value() || change < *stretch.end) stretch.end = change;
  }
  stretch.percent = std::min(stretch.percent, kMostDmaShare);
  return stretch;
}

std::optional<uint64_t> DmaShares::EndOf(uint64_t begin, uint64_t cycles) {
  if (begin >= last_end_ || cycles == 0) {
    return CheckedAdd(&begin, cycles) ? std::optional<uint64_t>(begin) : std::nullopt;
  }
  for (size_t slice = 0; slice < programs_.size(); ++slice) {
    const std::vector<Program>& programs = programs_[slice];
    next_[slice] = std::partition_point(programs.begin(), programs.end(),
                                        [&](const Program& p) { return p.end <= begin; }) -
                   programs.begin();
  }
  absl::uint128 work = absl::uint128(cycles) * 100;
  for (uint64_t at = begin;;) {
    const Stretch stretch = StretchFrom(at);
    const uint64_t rate = 100 - stretch.percent;
    const absl::uint128 needed = (work + rate - 1) / rate;  // cycles
    if (!stretch.end.has_value() || needed <= *stretch.end - at) {
      if (absl::Uint128High64(needed) != 0 || !CheckedAdd(&at, absl::Uint128Low64(needed))) {
        return std::nullopt;
      }
      return at;
    }
    work -= absl::uint128(*stretch.end - at) * rate;
    at = *stretch.end;
  }
}

}  // namespace torqsched
