// Offsets for buffers whose live ranges are known: the question and the answer as plain types.
//
// Times and offsets are unsigned 64-bit numbers; what a time unit is only the caller knows. A
// buffer takes the bytes [offset, offset + size) while it is live. Two buffers that are live at the
// same time must not share a byte.
//
// Source: docs/semantics.md, section 8.
#ifndef TORQSCHED_SRC_ALLOCATION_ALLOCATION_H_
#define TORQSCHED_SRC_ALLOCATION_ALLOCATION_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace torqsched {

// Half-open: the times [lower, upper), empty where both are equal.
struct TimeRange {
  uint64_t lower = 0;
  uint64_t upper = 0;
};

// Half-open: the bytes [begin, end).
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct AllocationBuffer {
  uint64_t size = 0;       // bytes; 0: takes no room, conflicts with nothing, still gets an offset
  uint64_t alignment = 1;  // bytes, at least 1; its offset is a multiple of the larger of this and
                           // the problem's
  TimeRange live;          // empty: takes no room
  std::vector<TimeRange> gaps;           // parts of `live` in which it is out, any order
  std::optional<uint64_t> fixed_offset;  // lies there, whatever its alignment
  std::optional<uint64_t> hint;          // is tried there first; binds nothing
};

// `buffer` is a view of `of`: its first byte is byte `offset` of `of`, all of it lies inside, and
// `of` stays live as long as any of its views. A buffer is a view of one other at most; views of
// views are views of the root. A view's own alignment binds nothing: it lies where its root puts
// it.
struct AllocationAlias {
  uint32_t buffer = 0;
  uint32_t of = 0;
  uint64_t offset = 0;
};

struct BufferPair {
  uint32_t first = 0;
  uint32_t second = 0;
};

struct AllocationProblem {
  std::vector<AllocationBuffer> buffers;
  uint64_t alignment = 1;            // bytes, at least 1
  std::optional<uint64_t> capacity;  // bytes: every buffer ends at or below; absent: no limit
  std::vector<ByteRange> reserved;   // bytes that no buffer may use at any time
  std::vector<uint64_t> boundaries;  // offsets that no buffer may straddle: LRAM of several regions
  std::vector<AllocationAlias> aliases;
  // Have the same offset, and may share bytes at any time. A view at another offset than its root's
  // cannot be in such a pair.
  std::vector<BufferPair> same_offset;
  // Share no byte although they are not live together. A view stands for its root here. Binds
  // nothing where either has no bytes, or a root that is never live.
  std::vector<BufferPair> separate;
};

enum class Objective : uint8_t {
  kFit,    // any placement within the capacity
  kLeast,  // the least height, as far as the limits go
};

struct AllocationOptions {
  Objective objective = Objective::kFit;
  uint64_t node_limit = 2000000;  // search nodes of the whole call: the deterministic limit
  bool shrink_conflict = true;    // of what is refused, name as few buffers as the limits allow
  std::optional<uint64_t> time_limit_ms;  // of wall time; an answer that it cut short says so
};

enum class AllocationVerdict : uint8_t {
  kPlaced,      // all buffers have their offsets, within the capacity
  kInfeasible,  // proven: no placement within the capacity exists
  kUndecided,   // none was found within the limits, and none was excluded
};

struct AllocationStatistics {
  uint64_t decodes = 0;   // greedy placements made
  uint64_t nodes = 0;     // of all searches together
  uint64_t searches = 0;  // heights searched for, in parts apart; restarts of one do not count
};

struct AllocationAnswer {
  AllocationVerdict verdict = AllocationVerdict::kUndecided;
  // By buffer. Placed: within the capacity. Undecided: the best placement known, which ends above
  // the capacity; empty where even that was not found. Infeasible: empty.
  std::vector<uint64_t> offsets;
  uint64_t height = 0;        // where the highest of `offsets` ends; 0 where there are none
  uint64_t lower_bound = 0;   // no placement ends below; the largest value if that is more
  bool proven_least = false;  // placed, and no placement ends below `height`
  // Infeasible: buffers, ascending, that cannot be placed within the capacity even alone.
  std::vector<uint32_t> conflict;
  bool conflict_minimal = false;  // shown: without any one of them the others can
  bool limit_hit = false;         // the node or the time limit ended the work early
  bool time_limit_hit = false;    // it was the time: another run may answer otherwise
  bool cancelled = false;         // the caller's stop ended it
  AllocationStatistics statistics;
};

// Asked now and then on the calling thread; true: stop, keep what there is. May be empty.
using StopFunction = std::function<bool()>;

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_ALLOCATION_H_
