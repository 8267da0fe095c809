// Memory of the messages of a call.
//
// A call's request and response live in one protobuf arena. Two things are added to what protobuf
// does by itself. A session may keep the arena's first block for its next call (ArenaPool). And
// where the session has a memory limit, blocks beyond it are refused: protobuf has no limit of its
// own, and a hostile request of a few bytes an op grows many times over when parsed. An arena's
// allocation hook has no argument, so the limit travels in a thread-local pointer that is set while
// the message is parsed (ParseBudget).
#ifndef TORQSCHED_CAPI_MEMORY_H_
#define TORQSCHED_CAPI_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "google/protobuf/arena.h"

namespace torqsched {

// Memory that an arena begins with.
struct ArenaBlock {
  std::unique_ptr<char[]> data;
  size_t size = 0;  // bytes
};

// Blocks that wait for the next call. Safe from several threads, none of which waits for another:
// where the pool is busy, a call does without it. (So does one in a forked child whose parent's
// threads were at it.)
class ArenaPool {
 public:
  static constexpr size_t kMostBlocks = 8;
  static constexpr size_t kLargestBlock = size_t{64} << 20;

  // The largest that waits; none (size 0) if nothing does, or the pool is busy.
  ArenaBlock Take();
  // Gives back a block whose arena came to use so many bytes. One that was too small is replaced
  // by one that would have done. Never throws: what cannot be kept is freed.
  void Give(ArenaBlock block, size_t used) noexcept;

 private:
  std::mutex mutex_;
  std::vector<ArenaBlock> blocks_;
};

// Limits what arenas of CallArena may allocate on this thread while it exists.
class ParseBudget {
 public:
  explicit ParseBudget(uint64_t bytes);  // 0: no limit
  ~ParseBudget();
  ParseBudget(const ParseBudget&) = delete;
  ParseBudget& operator=(const ParseBudget&) = delete;

  // Whether a block was refused: the std::bad_alloc that came of it was not the system's.
  bool exceeded() const { return exceeded_; }

 private:
  friend void* AllocateBlock(size_t size);
  uint64_t left_;
  bool limited_;
  bool exceeded_ = false;
  ParseBudget* outer_;  // of the call whose callback made this call
};

// The arena of one call. pool may be null.
class CallArena {
 public:
  explicit CallArena(ArenaPool* pool);
  ~CallArena();
  CallArena(const CallArena&) = delete;
  CallArena& operator=(const CallArena&) = delete;

  google::protobuf::Arena* get() { return arena_.get(); }

 private:
  ArenaPool* const pool_;
  ArenaBlock first_;
  std::unique_ptr<google::protobuf::Arena> arena_;
};

}  // namespace torqsched

#endif  // TORQSCHED_CAPI_MEMORY_H_
