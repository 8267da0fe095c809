#include "src/lram/address_space.h"

#include <algorithm>
#include <utility>

#include "src/stream/checked.h"

namespace torqsched {

AddressSpace::AddressSpace(uint64_t capacity, uint64_t alignment, std::vector<uint64_t> boundaries)
    : alignment_(alignment), boundaries_(std::move(boundaries)), free_bytes_(capacity), nodes_(1) {
  uint64_t begin = 0;
  for (const uint64_t boundary : boundaries_) {
    if (boundary >= capacity) break;
    if (begin < boundary) Insert(begin, boundary);
    begin = boundary;
  }
  if (begin < capacity) Insert(begin, capacity);
}

uint64_t AddressSpace::UsableLength(uint64_t begin, uint64_t end) const {
  uint64_t aligned;
  if (!CheckedAlignUp(begin, alignment_, &aligned) || aligned >= end) return 0;
  return end - aligned;
}

std::optional<uint64_t> AddressSpace::TakeLowest(uint64_t size, uint64_t alignment) {
  alignment = std::max(alignment, alignment_);
  const bool by_length = alignment % alignment_ == 0;
  if (by_length && !MayHold(size)) return std::nullopt;
  for (Node n = by_length ? FirstHolding(root_, size) : Lowest(); n != kNil; n = Next(n)) {
    uint64_t offset;
    if (!CheckedAlignUp(nodes_[n].begin, alignment, &offset)) continue;
    if (!SumFits(offset, size, nodes_[n].end)) continue;
    Cut(n, offset, size);
    return offset;
  }
  return std::nullopt;
}

std::optional<uint64_t> AddressSpace::TakeHighest(uint64_t size, uint64_t alignment) {
  alignment = std::max(alignment, alignment_);
  const bool by_length = alignment % alignment_ == 0;
  if (by_length && !MayHold(size)) return std::nullopt;
  for (Node n = by_length ? LastHolding(root_, size) : Highest(); n != kNil; n = Previous(n)) {
    if (nodes_[n].end < size) continue;
    const uint64_t offset = AlignDown(nodes_[n].end - size, alignment);
    if (offset < nodes_[n].begin) continue;
    Cut(n, offset, size);
    return offset;
  }
  return std::nullopt;
}

bool AddressSpace::TakeAt(uint64_t offset, uint64_t size) {
  const Node n = LastBeginningUpTo(offset);
  if (n == kNil || !SumFits(offset, size, nodes_[n].end)) return false;
  Cut(n, offset, size);
  return true;
}

void AddressSpace::Free(uint64_t offset, uint64_t size) {
  free_bytes_ += size;
  const Node below = LastBeginningUpTo(offset);
  const Node above = below != kNil ? Next(below) : Lowest();
  const bool joins_below = below != kNil && nodes_[below].end == offset && !IsBoundary(offset);
  const bool joins_above =
      above != kNil && nodes_[above].begin == offset + size && !IsBoundary(offset + size);
  if (joins_below && joins_above) {
    const uint64_t end = nodes_[above].end;
    Remove(above);
    SetRange(below, nodes_[below].begin, end);
  } else if (joins_below) {
    SetRange(below, nodes_[below].begin, offset + size);
  } else if (joins_above) {
    SetRange(above, offset, nodes_[above].end);
  } else {
    Insert(offset, offset + size);
  }
}

uint64_t AddressSpace::LargestRange() const {
  uint64_t largest = 0;
  for (Node n = Lowest(); n != kNil; n = Next(n)) {
    largest = std::max(largest, nodes_[n].end - nodes_[n].begin);
  }
  return largest;
}

void AddressSpace::Cut(Node n, uint64_t offset, uint64_t size) {
  free_bytes_ -= size;
  const uint64_t begin = nodes_[n].begin;
  const uint64_t end = nodes_[n].end;
  const uint64_t cut_end = offset + size;
  if (begin == offset && cut_end == end) {
    Remove(n);
  } else if (begin == offset) {
    SetRange(n, cut_end, end);
  } else {
    SetRange(n, begin, offset);
    if (cut_end != end) Insert(cut_end, end);
  }
}

AddressSpace::Node AddressSpace::Lowest() const {
  Node n = root_;
  while (nodes_[n].left != kNil) n = nodes_[n].left;
  return n;
}

AddressSpace::Node AddressSpace::Highest() const {
  Node n = root_;
  while (nodes_[n].right != kNil) n = nodes_[n].right;
  return n;
}

AddressSpace::Node AddressSpace::FirstHolding(Node n, uint64_t size) const {
  while (n != kNil) {
    if (nodes_[nodes_[n].left].most_usable >= size) {
      n = nodes_[n].left;
    } else if (nodes_[n].usable >= size) {
      return n;
    } else {
      n = nodes_[n].right;
    }
  }
  return kNil;
}

AddressSpace::Node AddressSpace::LastHolding(Node n, uint64_t size) const {
  while (n != kNil) {
    if (nodes_[nodes_[n].right].most_usable >= size) {
      n = nodes_[n].right;
    } else if (nodes_[n].usable >= size) {
      return n;
    } else {
      n = nodes_[n].left;
    }
  }
  return kNil;
}

AddressSpace::Node AddressSpace::Next(Node n) const {
  if (nodes_[n].right != kNil) {
    n = nodes_[n].right;
    while (nodes_[n].left != kNil) n = nodes_[n].left;
    return n;
  }
  while (nodes_[n].parent != kNil && nodes_[nodes_[n].parent].right == n) n = nodes_[n].parent;
  return nodes_[n].parent;
}

AddressSpace::Node AddressSpace::Previous(Node n) const {
  if (nodes_[n].left != kNil) {
    n = nodes_[n].left;
    while (nodes_[n].right != kNil) n = nodes_[n].right;
    return n;
  }
  while (nodes_[n].parent != kNil && nodes_[nodes_[n].parent].left == n) n = nodes_[n].parent;
  return nodes_[n].parent;
}

AddressSpace::Node AddressSpace::LastBeginningUpTo(uint64_t offset) const {
  Node found = kNil;
  for (Node n = root_; n != kNil;) {
    if (nodes_[n].begin <= offset) {
      found = n;
      n = nodes_[n].right;
    } else {
      n = nodes_[n].left;
    }
  }
  return found;
}

void AddressSpace::SetRange(Node n, uint64_t begin, uint64_t end) {
  nodes_[n].begin = begin;
  nodes_[n].end = end;
  nodes_[n].usable = UsableLength(begin, end);
  UpdateUp(n);
}

void AddressSpace::Insert(uint64_t begin, uint64_t end) {
  Node n;
  if (unused_.empty()) {
    n = static_cast<Node>(nodes_.size());
    nodes_.emplace_back();
  } else {
    n = unused_.back();
    unused_.pop_back();
  }
  Node parent = kNil;
  bool left = false;
  for (Node at = root_; at != kNil; at = left ? nodes_[at].left : nodes_[at].right) {
    parent = at;
    left = begin < nodes_[at].begin;
  }
  nodes_[n] = Range();
  nodes_[n].begin = begin;
  nodes_[n].end = end;
  nodes_[n].usable = UsableLength(begin, end);
  nodes_[n].parent = parent;
  if (parent == kNil) {
    root_ = n;
  } else {
    (left ? nodes_[parent].left : nodes_[parent].right) = n;
  }
  RebalanceUp(n);
}

void AddressSpace::Remove(Node n) {
  if (nodes_[n].left != kNil && nodes_[n].right != kNil) {
    // The next range takes this node's place in the tree, and its own node goes.
    Node next = nodes_[n].right;
    while (nodes_[next].left != kNil) next = nodes_[next].left;
    const Node from = nodes_[next].parent == n ? next : nodes_[next].parent;
    ReplaceChild(nodes_[next].parent, next, nodes_[next].right);
    nodes_[next].left = nodes_[n].left;
    nodes_[next].right = nodes_[n].right;
    if (nodes_[next].left != kNil) nodes_[nodes_[next].left].parent = next;
    if (nodes_[next].right != kNil) nodes_[nodes_[next].right].parent = next;
    ReplaceChild(nodes_[n].parent, n, next);
    // It stands where n stood, so what is above still remembers n's figures.
    nodes_[next].height = nodes_[n].height;
    nodes_[next].most_usable = nodes_[n].most_usable;
    RebalanceUp(from);
    RebalanceUp(next);
  } else {
    const Node child = nodes_[n].left != kNil ? nodes_[n].left : nodes_[n].right;
    const Node parent = nodes_[n].parent;
    ReplaceChild(parent, n, child);
    RebalanceUp(parent);
  }
  unused_.push_back(n);
}

void AddressSpace::ReplaceChild(Node parent, Node child, Node with) {
  if (parent == kNil) {
    root_ = with;
  } else if (nodes_[parent].left == child) {
    nodes_[parent].left = with;
  } else {
    nodes_[parent].right = with;
  }
  if (with != kNil) nodes_[with].parent = parent;
}

void AddressSpace::Update(Node n) {
  const Range& left = nodes_[nodes_[n].left];
  const Range& right = nodes_[nodes_[n].right];
  nodes_[n].height = 1 + std::max(left.height, right.height);
  nodes_[n].most_usable = std::max({nodes_[n].usable, left.most_usable, right.most_usable});
}

void AddressSpace::UpdateUp(Node n) {
  for (; n != kNil; n = nodes_[n].parent) {
    const uint64_t before = nodes_[n].most_usable;
    Update(n);
    if (nodes_[n].most_usable == before) break;
  }
}

void AddressSpace::RebalanceUp(Node n) {
  while (n != kNil) {
    const uint64_t usable_before = nodes_[n].most_usable;
    const int32_t height_before = nodes_[n].height;
    Update(n);
    const int32_t lean = Lean(n);
    Node top = n;
    if (lean > 1) {
      if (Lean(nodes_[n].left) < 0) Rotate(nodes_[n].left, true);
      top = Rotate(n, false);
    } else if (lean < -1) {
      if (Lean(nodes_[n].right) > 0) Rotate(nodes_[n].right, false);
      top = Rotate(n, true);
    }
    if (nodes_[top].height == height_before && nodes_[top].most_usable == usable_before) break;
    n = nodes_[top].parent;
  }
}

AddressSpace::Node AddressSpace::Rotate(Node n, bool to_left) {
  const Node up = to_left ? nodes_[n].right : nodes_[n].left;
  const Node across = to_left ? nodes_[up].left : nodes_[up].right;
  ReplaceChild(nodes_[n].parent, n, up);
  (to_left ? nodes_[n].right : nodes_[n].left) = across;
  if (across != kNil) nodes_[across].parent = n;
  (to_left ? nodes_[up].left : nodes_[up].right) = n;
  nodes_[n].parent = up;
  Update(n);
  Update(up);
  return up;
}

std::optional<uint64_t> TakePlace(AddressSpace* space, const Buffer& buffer, uint64_t size,
                                  uint64_t small_buffer_bytes) {
  if (buffer.has_fixed_offset) {
    if (!space->TakeAt(buffer.fixed_offset, size)) return std::nullopt;
    return buffer.fixed_offset;
  }
  return buffer.size < small_buffer_bytes ? space->TakeLowest(size, buffer.alignment)
                                          : space->TakeHighest(size, buffer.alignment);
}

}  // namespace torqsched
