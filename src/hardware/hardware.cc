#include "src/hardware/hardware.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

struct Profile {
  const char* name;
  Hardware (*hardware)();
};

Hardware Sl2610() {
  Hardware h;
  h.lram_bytes = 524288;
  h.lram_reserved_bytes = 1280;
  h.alignment = 8;
  h.slices = 2;
  h.small_buffer_bytes = 8192;
  h.start_cycles = 1;
  h.dma_bytes = 832;
  h.dma_cycles = 175;
  h.block_bytes = 640;
  h.clock_hz = 800000000;
  return h;
}

// A new chip is one more entry here.
constexpr Profile kProfiles[] = {{"sl2610", &Sl2610}};

absl::Status HardwareError(absl::string_view field, absl::string_view message) {
  return ErrorAt(absl::StatusCode::kInvalidArgument,
                 absl::StrCat("hardware.", field, ": ", message),
                 {absl::StrCat("hardware.", field), OpIndex(), BufferIndex()});
}

absl::Status CheckRegions(const Hardware& h) {
  const std::vector<uint64_t>& regions = h.region_bytes;
  if (regions.empty()) return absl::OkStatus();
  if (regions.size() > kMostRegions) {
    return HardwareError("region_bytes",
                         absl::StrCat(regions.size(), " regions; expected at most ", kMostRegions));
  }
  uint64_t sum = 0;
  bool fits = true;
  for (size_t i = 0; i < regions.size(); ++i) {
    if (regions[i] == 0) {
      return HardwareError(absl::StrCat("region_bytes[", i, "]"), "0; expected at least 1");
    }
    fits = fits && CheckedAdd(&sum, regions[i]);
  }
  if (fits && sum == h.usable_bytes()) return absl::OkStatus();
  return HardwareError(
      "region_bytes",
      absl::StrCat("the regions have ",
                   fits ? absl::StrCat(sum) : std::string("more than 2^64 - 1"),
                   " bytes; expected all ", h.usable_bytes(), " bytes of usable LRAM"));
}

}  // namespace

absl::StatusOr<Hardware> ProfileNamed(absl::string_view name) {
  std::string known;
  for (const Profile& profile : kProfiles) {
    if (name == profile.name) return profile.hardware();
    absl::StrAppend(&known, known.empty() ? "" : ", ", profile.name);
  }
  return ErrorAt(absl::StatusCode::kNotFound,
                 absl::StrCat("hardware.profile: no profile '",
                              absl::Utf8SafeCEscape(name.substr(0, 60)), "'; known: ", known),
                 {"hardware.profile", OpIndex(), BufferIndex()});
}

absl::Status CheckHardware(const Hardware& h) {
  if (h.lram_reserved_bytes > h.lram_bytes) {
    return HardwareError("lram_reserved_bytes",
                         absl::StrCat(h.lram_reserved_bytes, " reserved of ", h.lram_bytes,
                                      " bytes of LRAM; expected no more than there are"));
  }
  if (h.alignment == 0) return HardwareError("alignment", "0; expected at least 1");
  if (h.slices == 0 || h.slices > kMostSlices) {
    return HardwareError("slices", absl::StrCat(h.slices, "; expected 1 to ", kMostSlices));
  }
  if (h.dma_bytes == 0) return HardwareError("dma_bytes", "0; expected at least 1");
  if (h.dma_engines == 0 || h.dma_engines > kMostEngines) {
    return HardwareError("dma_engines",
                         absl::StrCat(h.dma_engines, "; expected 1 to ", kMostEngines));
  }
  if (h.store_engines > kMostEngines) {
    return HardwareError("store_engines",
                         absl::StrCat(h.store_engines, "; expected at most ", kMostEngines,
                                      ", or 0 where stores share the engines of loads"));
  }
  if (h.block_ops != 0 && TransferCycles(h, h.block_bytes) == UINT64_MAX) {
    return HardwareError("block_bytes", "a block transfer's cycles do not fit 64 bits");
  }
  return CheckRegions(h);
}

LramRegions::LramRegions(const Hardware& hardware) : usable_bytes_(hardware.usable_bytes()) {
  uint64_t begin = 0;
  for (size_t i = 0; i + 1 < hardware.region_bytes.size(); ++i) {
    largest_ = std::max(largest_, hardware.region_bytes[i]);
    begin += hardware.region_bytes[i];
    boundaries_.push_back(begin);
  }
  largest_ = std::max(largest_, usable_bytes_ - begin);
}

bool LramRegions::Hold(const Buffer& buffer) const {
  if (!buffer.has_fixed_offset) return buffer.size <= largest_;
  const auto next = std::upper_bound(boundaries_.begin(), boundaries_.end(), buffer.fixed_offset);
  return SumFits(buffer.fixed_offset, buffer.size,
                 next == boundaries_.end() ? usable_bytes_ : *next);
}

uint64_t TransferCycles(const Hardware& hardware, uint64_t bytes) {
  const absl::uint128 product = absl::uint128(bytes) * hardware.dma_cycles;
  const absl::uint128 cycles =
      product / hardware.dma_bytes + (product % hardware.dma_bytes != 0 ? 1 : 0);
  return absl::Uint128High64(cycles) != 0 ? UINT64_MAX : absl::Uint128Low64(cycles);
}

absl::Status CheckStreamFits(const Stream& stream, const Hardware& hardware) {
  // Beside programs that take all but one percent of the bandwidth.
  const uint32_t slowest = stream.has_dma_shares() ? 100 : 1;
  const uint64_t issue_cycles =
      hardware.non_blocking_transfers ? hardware.transfer_issue_cycles : 0;
  const absl::uint128 block_cycles =
      hardware.block_ops == 0
          ? absl::uint128(0)
          : absl::uint128(TransferCycles(hardware, hardware.block_bytes)) * slowest;
  absl::uint128 total = 0;
  uint64_t control_ops = 0;
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    const OpIndex index(i);
    const Op& op = stream.op(index);
    const bool start = op.kind == OpKind::kStart;
    const auto fail = [&](absl::string_view field, absl::string_view message) {
      return ErrorAt(absl::StatusCode::kInvalidArgument,
                     absl::StrCat(stream.Describe(index), ": ", message),
                     {absl::StrCat("stream.ops[", i, "].", field), index, BufferIndex()});
    };
    if ((start || op.start_without_wait) && op.slice >= hardware.slices) {
      return fail("slice", absl::StrCat("slice ", op.slice, ", but the hardware has ",
                                        hardware.slices, " (counted from 0)"));
    }
    const bool block = op.kind != OpKind::kPure && hardware.block_ops != 0 &&
                       ++control_ops % hardware.block_ops == 0;
    if (op.kind == OpKind::kLoad || op.kind == OpKind::kStore) {
      total += absl::uint128(op.cycles) * slowest + issue_cycles;
    } else {
      total += op.cycles;
    }
    if (start) total += hardware.start_cycles;
    if (block) total += block_cycles;
    if (absl::Uint128High64(total) != 0) {
      return fail("cycles", "the cycles of the stream up to here do not fit 64 bits");
    }
  }
  return absl::OkStatus();
}

}  // namespace torqsched
