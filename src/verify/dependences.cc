// Operands and programs are looked up, barriers are two running extremes, memory is a tree of
// maxima for each buffer. See the header for why maxima are enough.
#include "src/verify/dependences.h"

#include <algorithm>
#include <limits>

#include "src/verify/latest_ends.h"

namespace torqsched::verify {
namespace {

// An op and where it ends, ordered by where; none is less than all.
struct Latest {
  uint64_t end = 0;  // one more than the position
  OpIndex op;

  bool present() const { return end != 0; }

  friend bool operator<(const Latest& a, const Latest& b) { return a.end < b.end; }
};

void CheckOperands(const Stream& stream, const Positions& position, Findings* findings) {
  // Which op was last reported to lack this operand: an operand may be listed twice.
  IndexVector<OpIndex, OpIndex> reported(stream.op_count());
  for (size_t i = 0; i < stream.op_count(); ++i) {
    const OpIndex op(i);
    for (const OpIndex operand : stream.operands(op)) {
      if (position[operand] < position[op] || reported[operand] == op) continue;
      reported[operand] = op;
      if (stream.op(op).kind == OpKind::kWait && stream.op(op).partner == operand) continue;
      findings->Add(ViolationKind::kDependence, op, BufferIndex(), "comes before its operand ",
                    stream.Describe(operand));
    }
  }
}

bool CheckPrograms(const Stream& stream, const Positions& position, Findings* findings) {
  bool kept = true;
  for (size_t i = 0; i < stream.op_count(); ++i) {
    const OpIndex wait(i);
    if (stream.op(wait).kind != OpKind::kWait) continue;
    const OpIndex start = stream.op(wait).partner;
    if (position[start] < position[wait]) continue;
    kept = false;
    findings->Add(ViolationKind::kDependence, wait, BufferIndex(), "comes before its start ",
                  stream.Describe(start));
  }
  return kept;
}

void CheckBarriers(const Stream& stream, const Positions& position, Findings* findings) {
  const size_t count = stream.op_count();
  Latest latest;  // of the barriers so far
  for (size_t i = 0; i < count; ++i) {
    const OpIndex op(i);
    const OpKind kind = stream.op(op).kind;
    if (kind == OpKind::kPure) continue;
    if (latest.end > position[op]) {
      findings->Add(ViolationKind::kDependence, op, BufferIndex(), "comes before barrier ",
                    stream.Describe(latest.op), ", which is older");
    }
    if (kind == OpKind::kBarrier) latest = std::max(latest, Latest{uint64_t{position[op]} + 1, op});
  }
  uint32_t earliest = std::numeric_limits<uint32_t>::max();  // of the barriers from here on
  OpIndex earliest_op;
  for (size_t i = count; i-- > 0;) {
    const OpIndex op(i);
    const OpKind kind = stream.op(op).kind;
    if (kind == OpKind::kPure) continue;
    // Two barriers that change places have been reported above.
    if (kind != OpKind::kBarrier && position[op] > earliest) {
      findings->Add(ViolationKind::kDependence, op, BufferIndex(), "comes after barrier ",
                    stream.Describe(earliest_op), ", which is younger");
    }
    if (kind == OpKind::kBarrier && position[op] < earliest) {
      earliest = position[op];
      earliest_op = op;
    }
  }
}

const char* Verb(bool reads, bool writes) {
  return reads && writes ? "reads and writes" : writes ? "writes" : "reads";
}

// The older ops that touched one buffer, and when the last of them ends.
class MemorySweep {
 public:
  MemorySweep(const Stream& stream, const Cells& cells, const Positions& position,
              Findings* findings)
      : stream_(stream), cells_(cells), position_(position), findings_(findings) {}

  void Sweep(BufferIndex buffer) {
    const Run<Touch> touches = cells_.touches(buffer);
    bool written = false;
    for (const Touch& touch : touches) written |= touch.writes;
    if (!written) return;  // nothing conflicts
    readers_.Reset(cells_.count(buffer));
    writers_.Reset(cells_.count(buffer));
    for (const Touch* first = touches.begin(); first != touches.end();) {
      const Touch* last = first;
      while (last != touches.end() && last->op == first->op) ++last;
      Step(buffer, {first, last});
      first = last;
    }
  }

 private:
  // The accesses of one op are all compared before any is entered: an op is not its own past.
  void Step(BufferIndex buffer, Run<Touch> touches) {
    const OpIndex op = touches[0].op;
    Latest latest;
    const Touch* late = nullptr;
    for (const Touch& touch : touches) {
      Latest older = writers_.Max(touch.cells);
      if (touch.writes) older = std::max(older, readers_.Max(touch.cells));
      if (older.end <= latest.end) continue;
      latest = older;
      late = &touch;
    }
    if (latest.end > position_[op]) {
      findings_->Add(ViolationKind::kDependence, op, buffer, Verb(late->reads, late->writes),
                     " bytes of it before the end of ", stream_.Describe(latest.op),
                     ", which is older and conflicts");
    }
    const Latest mine{uint64_t{EndPosition(stream_, position_, op)} + 1, op};
    for (const Touch& touch : touches) {
      if (touch.reads) readers_.Raise(touch.cells, mine);
      if (touch.writes) writers_.Raise(touch.cells, mine);
    }
  }

  const Stream& stream_;
  const Cells& cells_;
  const Positions& position_;
  Findings* const findings_;
  LatestEnds<Latest> readers_;
  LatestEnds<Latest> writers_;
};

}  // namespace

bool CheckDependences(const Stream& stream, const Cells& cells, const Positions& position,
                      Findings* findings) {
  CheckOperands(stream, position, findings);
  const bool programs_kept = CheckPrograms(stream, position, findings);
  CheckBarriers(stream, position, findings);
  MemorySweep sweep(stream, cells, position, findings);
  for (size_t b = 0; b < stream.buffer_count(); ++b) sweep.Sweep(BufferIndex(b));
  return programs_kept;
}

}  // namespace torqsched::verify
