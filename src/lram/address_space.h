// Free ranges of LRAM, and the two-ended rule that picks one: small buffers from the bottom, large
// ones from the top, so that small ones do not cut up the room that large ones need.
//
// The free ranges stand in an AVL tree by offset. Each tree node also keeps the largest *usable
// length* below it: what is left of a range once its begin is rounded up to the hardware's
// alignment. A buffer fits in a range, at either end, exactly if its size is at most that length,
// so the lowest and the highest range that hold it are found in one descent. A buffer whose own
// alignment is larger than the hardware's may have to look at several ranges that are long enough;
// one whose alignment is no multiple of the hardware's looks at all, as no length is kept for it.
//
// Memory may consist of several regions: a free range never goes on beyond a boundary between two
// of them, so nothing that is taken does.
//
// Invariants: free ranges are not empty, disjoint, and touch each other at boundaries only, so the
// tree is a function of what is free alone, in whichever order it came about.
//
// Cost: O(log ranges) for each call; O(ranges) at worst where a buffer's alignment is the larger
// one.
//
// Source: docs/semantics.md, section 4.
#ifndef TORQSCHED_SRC_LRAM_ADDRESS_SPACE_H_
#define TORQSCHED_SRC_LRAM_ADDRESS_SPACE_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/stream/stream.h"

namespace torqsched {

class AddressSpace {
 public:
  // Bytes [0, capacity) are free. alignment is the hardware's. boundaries: ascending; those that
  // are no less than the capacity mean nothing.
  AddressSpace(uint64_t capacity, uint64_t alignment, std::vector<uint64_t> boundaries = {});

  // Takes `size` bytes (at least 1), aligned to the larger of both alignments: of the lowest range
  // that holds them its lower end, or of the highest its upper end. Absent if no range holds them.
  std::optional<uint64_t> TakeLowest(uint64_t size, uint64_t alignment);
  std::optional<uint64_t> TakeHighest(uint64_t size, uint64_t alignment);
  // Takes exactly [offset, offset + size); false if any of it is taken or beyond the capacity.
  bool TakeAt(uint64_t offset, uint64_t size);
  // Gives back what one of the above took.
  void Free(uint64_t offset, uint64_t size);

  uint64_t free_bytes() const { return free_bytes_; }
  // O(ranges).
  uint64_t LargestRange() const;
  // Whether any range may hold a buffer of this size at the hardware's alignment. O(1).
  bool MayHold(uint64_t size) const { return size <= nodes_[root_].most_usable; }

 private:
  using Node = uint32_t;
  static constexpr Node kNil = 0;

  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t usable = 0;
    uint64_t most_usable = 0;  // of the subtree
    Node left = kNil;
    Node right = kNil;
    Node parent = kNil;
    int32_t height = 0;
  };

  uint64_t UsableLength(uint64_t begin, uint64_t end) const;
  Node Lowest() const;
  Node Highest() const;
  Node FirstHolding(Node from, uint64_t size) const;
  Node LastHolding(Node from, uint64_t size) const;
  Node Next(Node node) const;
  Node Previous(Node node) const;
  Node LastBeginningUpTo(uint64_t offset) const;
  bool IsBoundary(uint64_t offset) const {
    return std::binary_search(boundaries_.begin(), boundaries_.end(), offset);
  }
  // Cuts [offset, offset + size) out of the range, which holds it.
  void Cut(Node node, uint64_t offset, uint64_t size);
  void SetRange(Node node, uint64_t begin, uint64_t end);
  void Insert(uint64_t begin, uint64_t end);
  void Remove(Node node);
  void Update(Node node);
  void UpdateUp(Node node);
  void RebalanceUp(Node node);
  Node Rotate(Node node, bool to_left);
  void ReplaceChild(Node parent, Node child, Node with);
  int32_t Lean(Node node) const {
    return nodes_[nodes_[node].left].height - nodes_[nodes_[node].right].height;
  }

  const uint64_t alignment_;
  const std::vector<uint64_t> boundaries_;
  uint64_t free_bytes_ = 0;
  Node root_ = kNil;
  std::vector<Range> nodes_;  // nodes_[kNil] is the empty subtree
  std::vector<Node> unused_;
};

// Takes the place of a buffer by the rules: its fixed range, or by its size the lowest or the
// highest range. `size` is what it takes (it may be rounded up), which end it takes is told by its
// own size.
std::optional<uint64_t> TakePlace(AddressSpace* space, const Buffer& buffer, uint64_t size,
                                  uint64_t small_buffer_bytes);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_ADDRESS_SPACE_H_
