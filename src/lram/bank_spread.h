// Banks of memory: buffers that are read together had better begin in different ones.
//
// How often they do not is counted in *conflicts*: for each group of items that something reads
// together, the pairs of them whose first bytes are in the same bank. Given offsets that hold, a
// local search lowers that number: an item in conflict, those with the most conflicts first, goes
// to a free offset in the bank where it has the fewest, the lowest one of equals. A few rounds of
// that, until none has anything to gain.
//
// Invariants: before and after, items that are live at a common time share no byte, and none
// crosses a boundary or the capacity; what is not movable stays; conflicts never become more. Same
// input, same output.
//
// What it leaves out: it moves one item at a time, so where memory is full nothing changes, and two
// items never change places. Cost: O(n log n) a round for n items and reads, since what one item
// and what one round may look at is limited; an item that reaches over very many others, or is read
// together with very many, stays where it is.
//
// Source: docs/semantics.md, section 6.
#ifndef TORQSCHED_SRC_LRAM_BANK_SPREAD_H_
#define TORQSCHED_SRC_LRAM_BANK_SPREAD_H_

#include <cstdint>
#include <vector>

#include "src/stream/index.h"

namespace torqsched {

// Bytes [offset, offset + size), taken at the times [begin, end).
struct BankItem {
  uint32_t begin = 0;
  uint32_t end = 0;   // after begin
  uint64_t size = 0;  // at least 1
  uint64_t offset = 0;
  uint64_t alignment = 1;
  bool movable = true;
};

struct BankProblem {
  std::vector<BankItem> items;       // by begin
  Rows<uint32_t> reads;              // each row: items that are read together, without repeats
  uint64_t capacity = 0;             // every item ends at or below
  std::vector<uint64_t> boundaries;  // of regions, ascending
  uint64_t bank_bytes = 1;           // at least 1
  uint64_t first_byte = 0;           // an offset is in bank (first_byte + offset) / bank_bytes
};

uint64_t CountBankConflicts(const BankProblem& problem);

// Changes offsets for fewer conflicts.
void SpreadOverBanks(BankProblem* problem);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_BANK_SPREAD_H_
