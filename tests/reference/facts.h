// Small questions about a stream that several parts of the reference ask, each answered from the
// stream alone, every time.
#ifndef TORQSCHED_TESTS_REFERENCE_FACTS_H_
#define TORQSCHED_TESTS_REFERENCE_FACTS_H_

#include <cstddef>
#include <set>
#include <vector>

#include "src/stream/index.h"
#include "src/stream/stream.h"

namespace torqsched::reference {

// All indices of one kind, to loop over.
template <typename Id>
struct AllIndices {
  struct Iterator {
    size_t i;
    Id operator*() const { return Id(i); }
    Iterator& operator++() {
      ++i;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return i != other.i; }
  };
  size_t count;
  Iterator begin() const { return {0}; }
  Iterator end() const { return {count}; }
};

inline AllIndices<OpIndex> AllOps(const Stream& stream) { return {stream.op_count()}; }
inline AllIndices<BufferIndex> AllBuffers(const Stream& stream) { return {stream.buffer_count()}; }

inline bool IsPure(const Stream& stream, OpIndex op) { return stream.op(op).kind == OpKind::kPure; }
// A start that has a wait. (Section 1: a start without one "is no program".)
inline bool IsProgram(const Stream& stream, OpIndex op) {
  return stream.op(op).kind == OpKind::kStart;
}
inline bool IsLram(const Stream& stream, BufferIndex buffer) {
  return stream.buffer(buffer).space == Space::kLram;
}

// Section 2: "begin and end of a program are its start and its wait, and of any other op the op
// itself."
inline OpIndex EndOf(const Stream& stream, OpIndex op) {
  return IsProgram(stream, op) ? stream.op(op).partner : op;
}

// Accesses to overlapping bytes of one buffer, at least one of them a write. An empty access
// overlaps nothing.
bool Conflict(const Access& a, const Access& b);

// Section 2, for every buffer: its users. XRAM buffers have none.
std::vector<std::set<OpIndex>> UsersOfBuffers(const Stream& stream);

// Pure ops that `op` needs through operands: a pure operand, and what that needs in turn. Other ops
// are not passed through.
std::set<OpIndex> PureOpsNeededBy(const Stream& stream, OpIndex op);

// Section 2: "dies when the last of them has been emitted (a program: its wait)". Out: the ops
// emitted so far, a flag for each op.
bool AllUsersAreOut(const Stream& stream, const std::set<OpIndex>& users,
                    const std::vector<bool>& out);

// Whether an op's accesses of this buffer read (write) it. Reads means: at least a byte.
bool ReadsBytesOf(const Stream& stream, OpIndex op, BufferIndex buffer);
bool Writes(const Stream& stream, OpIndex op, BufferIndex buffer);
bool Accesses(const Stream& stream, OpIndex op, BufferIndex buffer);
// Oracle: "An op overwrites a buffer if it reads none of it and one of its write accesses covers
// all of it".
bool Overwrites(const Stream& stream, OpIndex op, BufferIndex buffer);

// Section 2: "No users: never born, whatever its flags, except one that is both live in and live
// out".
bool IsEverBorn(const Stream& stream, BufferIndex buffer, const std::set<OpIndex>& users);
// Born before the first op.
bool IsBornAtTheStart(const Stream& stream, BufferIndex buffer, const std::set<OpIndex>& users);

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_FACTS_H_
