// Greedy placements: bodies in a given order, each where it fits best among those before it.
//
// What is placed stands in lists by offset. One list a *block*: a run of sections; blocks overlap
// by half, so that a body no longer than half a block lies in one block as a whole, and only that
// list has to be looked through. There are a few levels of blocks, each a fraction of the one
// above, as long bodies need long blocks and short bodies should not look through long lists. A
// list is put in order when it is looked through, so that those of long blocks, which few bodies
// need, cost little.
//
// Cost of one decode: for each body the pieces of its block, plus an entry for each block of each
// level that one of its pieces meets. Where that becomes too much (many bodies that are all live
// together), those that are left stand on top of what is live with them, a walk down a tree each.
#ifndef TORQSCHED_SRC_ALLOCATION_DECODE_H_
#define TORQSCHED_SRC_ALLOCATION_DECODE_H_

#include <cstdint>
#include <vector>

#include "src/allocation/budget.h"
#include "src/allocation/packing.h"

namespace torqsched {

enum class FitRule : uint8_t {
  kFirst,  // the lowest gap that holds it
  kBest,   // the gap in which it leaves the least; the lowest of those
};

struct Decoding {
  std::vector<uint64_t> offsets;  // by body
  uint64_t height = kNoOffset;    // kNoOffset: a body could not be placed at all
};

class Decoder {
 public:
  // The packing must outlive it.
  explicit Decoder(const Packing& packing);

  // Bodies in this order (each once), fixed ones before all others. hints, where not null, has an
  // offset by body that is taken if it is free and legal, else kNoOffset. It stops looking for gaps
  // after so many looks, or when the budget is spent.
  void Decode(const std::vector<uint32_t>& order, FitRule fit, const std::vector<uint64_t>* hints,
              uint64_t most_looks, Budget* budget, Decoding* decoding);
  // Pieces looked at by all decodes so far: what they cost.
  uint64_t looked_at() const { return looked_at_; }

 private:
  struct Placed {
    uint64_t offset;
    uint64_t end;  // rounded
    uint32_t first;
    uint32_t last;
    uint32_t body;
  };
  struct Block {
    std::vector<Placed> sorted;  // by offset
    std::vector<Placed> fresh;   // not yet in it
  };
  struct Level {
    uint32_t half;  // of a block's length; block k is sections [k * half, (k + 2) * half)
    std::vector<Block> blocks;
  };

  void Clear();
  void StackRest(const std::vector<uint32_t>& order, size_t from, Decoding* decoding) const;
  void Insert(uint32_t body, uint64_t offset);
  const std::vector<Placed>& BlockOf(uint32_t first, uint32_t last);
  uint64_t Insertions(uint32_t half) const;
  bool Meets(uint32_t body, const Placed& placed) const;
  uint64_t Find(uint32_t body, FitRule fit);
  bool IsScattered(uint32_t body) const;
  uint64_t FindScattered(uint32_t body);
  bool IsClear(uint32_t body, uint64_t offset);
  uint64_t Lift(uint32_t body, uint64_t offset) const;

  const Packing& packing_;
  std::vector<Level> levels_;   // from long to short blocks
  std::vector<uint8_t> plain_;  // by body: offsets need only be multiples of the grain
  std::vector<uint32_t> fixed_;
  uint64_t looked_at_ = 0;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_DECODE_H_
