#include "capi/memory.h"

#include <algorithm>
#include <new>
#include <utility>

namespace torqsched {
namespace {

constexpr size_t kSmallestBlock = 4096;

thread_local ParseBudget* budget = nullptr;

size_t RoundUpToPowerOfTwo(size_t size) {
  size_t rounded = kSmallestBlock;
  while (rounded < size) rounded *= 2;
  return rounded;
}

void FreeBlock(void* block, size_t) { ::operator delete(block); }

}  // namespace

// At namespace scope for ParseBudget's friend declaration; not part of any header.
void* AllocateBlock(size_t size) {
  if (budget != nullptr && budget->limited_) {
    if (size > budget->left_) {
      budget->exceeded_ = true;
      throw std::bad_alloc();
    }
    budget->left_ -= size;
  }
  return ::operator new(size);
}

ParseBudget::ParseBudget(uint64_t bytes) : left_(bytes), limited_(bytes != 0), outer_(budget) {
  budget = this;
}

ParseBudget::~ParseBudget() { budget = outer_; }

ArenaBlock ArenaPool::Take() {
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || blocks_.empty()) return ArenaBlock();
  const auto largest =
      std::max_element(blocks_.begin(), blocks_.end(),
                       [](const ArenaBlock& a, const ArenaBlock& b) { return a.size < b.size; });
  ArenaBlock block = std::move(*largest);
  blocks_.erase(largest);
  return block;
}

void ArenaPool::Give(ArenaBlock block, size_t used) noexcept {
  const size_t wanted = RoundUpToPowerOfTwo(std::min(used, kLargestBlock));
  if (block.size < wanted) {
    block.data.reset();  // first, so that the two never exist at once
    block.data.reset(new (std::nothrow) char[wanted]);
    block.size = wanted;
    if (block.data == nullptr) return;
  }
  try {
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (lock.owns_lock() && blocks_.size() < kMostBlocks) blocks_.push_back(std::move(block));
  } catch (...) {
    // No room for the list: the block is freed.
  }
}

CallArena::CallArena(ArenaPool* pool) : pool_(pool) {
  if (pool_ != nullptr) first_ = pool_->Take();
  google::protobuf::ArenaOptions options;
  options.initial_block = first_.data.get();
  options.initial_block_size = first_.size;
  options.block_alloc = &AllocateBlock;
  options.block_dealloc = &FreeBlock;
  arena_ = std::make_unique<google::protobuf::Arena>(options);
}

CallArena::~CallArena() {
  const size_t used = arena_->SpaceAllocated();
  arena_.reset();
  if (pool_ != nullptr) pool_->Give(std::move(first_), used);
}

}  // namespace torqsched
