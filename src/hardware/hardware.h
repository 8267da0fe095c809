// The chip, as plain numbers: what a profile is, what a transfer costs, what must fit.
//
// Nothing else in the library knows a chip by name: a custom chip is a Hardware with other numbers.
// The numbers of sl2610 are public facts of the Torq compiler (its LRAM, transfer model and clock).
#ifndef TORQSCHED_SRC_HARDWARE_HARDWARE_H_
#define TORQSCHED_SRC_HARDWARE_HARDWARE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/stream/stream.h"

namespace torqsched {

constexpr uint32_t kMostSlices = 64;
constexpr uint32_t kMostEngines = 64;
constexpr size_t kMostRegions = 4096;

struct Hardware {
  uint64_t lram_bytes = 0;
  uint64_t lram_reserved_bytes = 0;  // from offset 0; the rest is usable
  uint64_t alignment = 1;            // of offsets, bytes, at least 1
  uint32_t slices = 1;               // 1 to kMostSlices
  uint64_t small_buffer_bytes = 0;   // a smaller buffer goes to the lowest free range
  uint64_t start_cycles = 0;         // what a start costs the stream
  uint64_t dma_bytes = 1;            // dma_bytes take dma_cycles cycles, as a ratio
  uint64_t dma_cycles = 1;
  // DMA engines, 1 to kMostEngines. Stores have store_engines of their own, at most as many; 0:
  // they share dma_engines with the loads.
  uint32_t dma_engines = 1;
  uint32_t store_engines = 0;
  bool non_blocking_transfers = false;  // the stream goes on while a transfer runs
  uint64_t transfer_issue_cycles = 0;   // what such a transfer costs the stream
  uint64_t block_ops = 0;               // a block transfer before every so many ops; 0: none
  uint64_t block_bytes = 0;             // size of that transfer
  uint64_t clock_hz = 0;                // for people only; 0: unknown
  // Usable LRAM consists of regions of so many bytes, one after the other; no buffer lies in two of
  // them. Their sum is usable_bytes(); empty: one region. At most kMostRegions.
  std::vector<uint64_t> region_bytes;
  uint64_t bank_bytes = 0;  // LRAM is cut into banks of so many bytes; 0: it has none

  uint64_t usable_bytes() const { return lram_bytes - lram_reserved_bytes; }
};

// The chip of this name ("sl2610"), or NOT_FOUND that lists the names there are.
absl::StatusOr<Hardware> ProfileNamed(absl::string_view name);

// INVALID_ARGUMENT with the field ("hardware.slices") where a number is out of range.
absl::Status CheckHardware(const Hardware& hardware);

// The regions of usable LRAM, made ready for questions. The hardware must be one that CheckHardware
// accepts.
class LramRegions {
 public:
  explicit LramRegions(const Hardware& hardware);

  // Where one region ends and the next begins, ascending offsets; empty where there is one region.
  const std::vector<uint64_t>& boundaries() const { return boundaries_; }
  // Bytes of the largest region.
  uint64_t largest() const { return largest_; }
  // Whether the buffer has a place where nothing else is in LRAM: a fixed one lies in one region as
  // it is, any other is no larger than the largest region. O(log regions).
  bool Hold(const Buffer& buffer) const;

 private:
  const uint64_t usable_bytes_;
  std::vector<uint64_t> boundaries_;
  uint64_t largest_ = 0;
};

// Cycles of a DMA transfer: ceil(bytes * dma_cycles / dma_bytes), computed exactly; the largest
// value where that would not fit 64 bits.
uint64_t TransferCycles(const Hardware& hardware, uint64_t bytes);

// Whether this chip has the slices that the stream's starts name, and whether all cycles together
// fit 64 bits (so that no clock that runs these ops in any order overflows): a transfer's at the
// slowest that it may get, and what it costs to issue. Linear. Sizes of LRAM buffers are checked
// with their users, in graph/lifetimes.h.
absl::Status CheckStreamFits(const Stream& stream, const Hardware& hardware);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_HARDWARE_HARDWARE_H_
