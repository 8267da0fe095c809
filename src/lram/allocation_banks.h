// Banks in an allocation of a stream's buffers: once all are placed, they go to other offsets so
// that buffers that one op reads begin in different banks (bank_spread.h).
//
// Cost: O((n + m) log m) for n accesses and m buffers. Nothing where the hardware has no banks.
//
// Source: docs/semantics.md, section 8.
#ifndef TORQSCHED_SRC_LRAM_ALLOCATION_BANKS_H_
#define TORQSCHED_SRC_LRAM_ALLOCATION_BANKS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "src/allocation/allocation.h"
#include "src/hardware/hardware.h"
#include "src/stream/stream.h"

namespace torqsched {

// What a stream's ops read together, and the hardware's banks.
struct BankReads {
  uint64_t bank_bytes = 0;  // 0: there are no banks
  uint64_t first_byte = 0;  // of usable LRAM
  Rows<uint32_t> buffers;   // a row for each op that reads bytes of two or more LRAM buffers
};

BankReads BankReadsOf(const Stream& stream, const Hardware& hardware);

// MakeLramProblem that also fills *reads, which must outlive it.
std::function<absl::StatusOr<AllocationProblem>(const Stream&, const Hardware&,
                                                const std::vector<OpIndex>&)>
LramProblemAndReads(BankReads* reads);

// Changes offsets of an answer that is placed, for fewer bank conflicts. The problem is LramProblem
// of the same stream, perhaps with constraints added; where those tie buffers to each other,
// nothing changes. Where the least height was looked for, or is proven, no height is added.
void PreferBanks(const AllocationProblem& problem, const AllocationOptions& options,
                 const BankReads& reads, AllocationAnswer* answer);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_ALLOCATION_BANKS_H_
