// Who uses which LRAM buffer, hence when each is born and dies; and the programs in input order.
//
// An op that is not pure uses a buffer if it accesses it, or needs its alloc through pure ops only
// (a view of it). A program's uses stand on its start; it uses them until its wait. A buffer is
// born when the first of its users is emitted and dies when the last has been.
//
// XRAM buffers are left out of all lists here. Buffers of no bytes are in them (a load into one may
// be urgent), but never among those that are live in: they take no room.
//
// Cost: linear in ops, operands and accesses plus the relation itself; a stream in which views
// multiply the relation beyond kMostUses is refused.
//
// Source: docs/semantics.md, section 2.
#ifndef TORQSCHED_SRC_GRAPH_LIFETIMES_H_
#define TORQSCHED_SRC_GRAPH_LIFETIMES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/hardware/hardware.h"
#include "src/stream/stream.h"

namespace torqsched {

class Lifetimes {
 public:
  // How many pairs of user and buffer a stream may have beyond 16 for each op, operand and access.
  static constexpr size_t kMostUses = size_t{1} << 24;

  // INVALID_ARGUMENT, naming op and buffer, if a used LRAM buffer is larger than usable LRAM, or
  // than each of its regions, or its fixed range ends beyond it or lies in two regions.
  // RESOURCE_EXHAUSTED beyond kMostUses.
  static absl::StatusOr<Lifetimes> Build(const Stream& stream, const Hardware& hardware);

  // The LRAM buffers that this op uses, ascending. Empty for pure ops.
  Run<BufferIndex> uses(OpIndex op) const { return uses_[op.value()]; }
  // The ops that use this buffer, ascending; a program by its start.
  Run<OpIndex> users(BufferIndex buffer) const { return users_[buffer.value()]; }
  size_t use_count() const { return uses_.item_count(); }

  // The starts that have a wait, in input order. An ordinal is a position in this list.
  const std::vector<OpIndex>& programs() const { return programs_; }
  // Buffers that are live before the first op, ascending: live in, and used or live out as well.
  const std::vector<BufferIndex>& live_in() const { return live_in_; }

 private:
  Rows<BufferIndex> uses_;
  Rows<OpIndex> users_;
  std::vector<OpIndex> programs_;
  std::vector<BufferIndex> live_in_;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_GRAPH_LIFETIMES_H_
