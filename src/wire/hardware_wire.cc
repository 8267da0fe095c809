#include "src/wire/hardware_wire.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

constexpr char kDefaultProfile[] = "sl2610";

absl::Status HardwareError(absl::string_view field, absl::string_view message) {
  return ErrorAt(absl::StatusCode::kInvalidArgument,
                 absl::StrCat("hardware.", field, ": ", message),
                 {absl::StrCat("hardware.", field), OpIndex(), BufferIndex()});
}

// What the message can say and Hardware cannot.
absl::Status CheckMessage(const v1::Hardware& message) {
  // Half of a ratio beside half of a profile's is a cost that nobody meant.
  if (message.has_dma_bytes() != message.has_dma_cycles()) {
    return HardwareError(message.has_dma_bytes() ? "dma_cycles" : "dma_bytes",
                         "not set; expected both dma_bytes and dma_cycles or neither");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Hardware> HardwareFromProto(const v1::Hardware& message) {
  const absl::string_view profile = message.profile();
  absl::StatusOr<Hardware> named = ProfileNamed(profile.empty() ? kDefaultProfile : profile);
  if (!named.ok()) return named.status();
  if (absl::Status status = CheckMessage(message); !status.ok()) return status;

  Hardware h = *named;
  if (message.has_lram_bytes()) h.lram_bytes = message.lram_bytes();
  if (message.has_lram_reserved_bytes()) h.lram_reserved_bytes = message.lram_reserved_bytes();
  if (message.has_alignment()) h.alignment = message.alignment();
  if (message.has_slices()) h.slices = message.slices();
  if (message.has_small_buffer_bytes()) h.small_buffer_bytes = message.small_buffer_bytes();
  if (message.has_start_cycles()) h.start_cycles = message.start_cycles();
  if (message.has_dma_bytes()) h.dma_bytes = message.dma_bytes();
  if (message.has_dma_cycles()) h.dma_cycles = message.dma_cycles();
  if (message.has_dma_engines()) h.dma_engines = message.dma_engines();
  if (message.has_block_ops()) h.block_ops = message.block_ops();
  if (message.has_block_bytes()) h.block_bytes = message.block_bytes();
  if (message.has_clock_hz()) h.clock_hz = message.clock_hz();
  if (message.region_bytes_size() != 0) {
    h.region_bytes.assign(message.region_bytes().begin(), message.region_bytes().end());
  }
  if (message.has_bank_bytes()) h.bank_bytes = message.bank_bytes();
  if (message.has_store_engines()) h.store_engines = message.store_engines();
  if (message.has_non_blocking_transfers()) {
    h.non_blocking_transfers = message.non_blocking_transfers();
  }
  if (message.has_transfer_issue_cycles()) {
    h.transfer_issue_cycles = message.transfer_issue_cycles();
  }
  if (absl::Status status = CheckHardware(h); !status.ok()) return status;
  return h;
}

void HardwareToProto(const Hardware& hardware, v1::Hardware* message) {
  message->set_lram_bytes(hardware.lram_bytes);
  message->set_lram_reserved_bytes(hardware.lram_reserved_bytes);
  message->set_alignment(hardware.alignment);
  message->set_slices(hardware.slices);
  message->set_small_buffer_bytes(hardware.small_buffer_bytes);
  message->set_start_cycles(hardware.start_cycles);
  message->set_dma_bytes(hardware.dma_bytes);
  message->set_dma_cycles(hardware.dma_cycles);
  message->set_dma_engines(hardware.dma_engines);
  message->set_block_ops(hardware.block_ops);
  message->set_block_bytes(hardware.block_bytes);
  message->set_clock_hz(hardware.clock_hz);
  message->mutable_region_bytes()->Add(hardware.region_bytes.begin(), hardware.region_bytes.end());
  message->set_bank_bytes(hardware.bank_bytes);
  message->set_store_engines(hardware.store_engines);
  message->set_non_blocking_transfers(hardware.non_blocking_transfers);
  message->set_transfer_issue_cycles(hardware.transfer_issue_cycles);
}

}  // namespace torqsched
