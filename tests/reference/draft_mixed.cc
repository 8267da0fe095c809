// Mixed streams: every op kind, every kind of buffer, in any combination that is valid.
//
// A few percentages are drawn first and hold for the whole stream, so that some streams are all
// transfers, some all programs, some full of barriers or views.
#include <algorithm>
#include <vector>

#include "tests/reference/draft.h"

namespace torqsched::reference {
namespace {

class Mixer {
 public:
  Mixer(SplitMix64* random, const Shape& shape, uint32_t slices)
      : r_(*random), shape_(shape), slices_(slices) {}

  Draft Make() {
    MakeBuffers();
    zero_cycles_ = r_.Percent(15) ? 60 : 10;
    patience_ = r_.Below(101);
    views_ = r_.Percent(30) ? 0 : r_.Below(40);
    compute_ = r_.Percent(50) ? 60 : 300;
    partial_ = r_.Below(70);
    const uint64_t pure = r_.Percent(30) ? 0 : r_.Below(30);
    const uint64_t barrier = r_.Percent(50) ? r_.Below(3) : r_.Below(20);
    const uint64_t load = 5 + r_.Below(30);
    const uint64_t store = r_.Below(20);
    const uint64_t start = 5 + r_.Below(35);
    const uint64_t wait = 5 + r_.Below(35);
    if (r_.Percent(25)) AllocsFirst();
    const size_t ops = 2 + r_.Below(shape_.most_ops);
    while (draft_.ops.size() < ops) {
      uint64_t roll = r_.Below(pure + barrier + load + store + start + wait);
      const auto is = [&roll](uint64_t weight) {
        if (roll < weight) return true;
        roll -= weight;
        return false;
      };
      if (is(pure)) {
        AddPure();
      } else if (is(barrier)) {
        AddBarrier();
      } else if (is(load)) {
        AddTransfer(OpKind::kLoad);
      } else if (is(store)) {
        AddTransfer(OpKind::kStore);
      } else if (is(start)) {
        AddStart();
      } else if (!draft_.in_flight().empty()) {
        WaitForOne();
      }
    }
    // Some starts are never waited for: they were barriers all along.
    while (!draft_.in_flight().empty()) {
      if (r_.Percent(8)) break;
      WaitForOne();
    }
    if (r_.Percent(15)) AddPure();
    return std::move(draft_);
  }

 private:
  void MakeBuffers() {
    const uint64_t xram = 1 + r_.Below(3);
    for (uint64_t i = 0; i < xram; ++i) {
      Buffer b;
      b.size = r_.Between(1, 500);
      b.constant = r_.Percent(20);
      b.live_in = b.constant || r_.Percent(50);
      xram_.push_back(draft_.AddBuffer(b));
    }
    const uint64_t lram = 1 + r_.Below(shape_.most_buffers);
    const uint64_t alignment = r_.Below(40);
    const uint64_t live = r_.Percent(50) ? 0 : r_.Below(30);
    const bool alike = r_.Percent(20);  // sizes that tie
    for (uint64_t i = 0; i < lram; ++i) {
      Buffer b;
      b.space = Space::kLram;
      b.size = alike ? 40 * r_.Between(1, 3) : r_.Percent(40) ? r_.Between(1, 70) : r_.Below(300);
      if (r_.Percent(4)) b.size = 0;
      if (r_.Percent(alignment)) {
        const uint64_t choices[] = {2, 3, 8, 12, 16, 32, 64, 100};
        b.alignment = choices[r_.Below(8)];
      }
      b.live_in = r_.Percent(live);
      b.live_out = r_.Percent(live);
      lram_.push_back(draft_.AddBuffer(b));
    }
  }

  uint64_t Cycles(uint64_t most) { return r_.Percent(zero_cycles_) ? 0 : r_.Between(1, most); }

  uint32_t AnyOf(const std::vector<uint32_t>& items) { return items[r_.Below(items.size())]; }

  AccessSpec MakeAccess(uint32_t buffer, bool reads, bool writes) {
    const uint64_t size = draft_.buffers[buffer].size;
    AccessSpec access;
    access.buffer = buffer;
    access.reads = reads;
    access.writes = writes && !draft_.buffers[buffer].constant;
    if (!access.reads && !access.writes) access.reads = true;
    if (r_.Below(200) == 0) {
      access.offset = r_.Below(size + 1);
      access.size = 0;
    } else if (r_.Percent(partial_)) {
      access.offset = r_.Percent(30) ? 0 : r_.Below(size + 1);
      if (r_.Percent(60)) access.size = r_.Below(size - access.offset + 1);
    } else if (r_.Percent(30)) {
      access.size = size;
    }
    return access;
  }

  // Either mode, sometimes both at once.
  AccessSpec AnyAccess(uint32_t buffer, uint64_t write_percent) {
    const bool writes = r_.Percent(write_percent);
    return MakeAccess(buffer, !writes || r_.Percent(15), writes);
  }

  // Some of the pure ops that allocate or view what is accessed, and now and then any older op.
  void AddOperands(DraftOp* op) {
    for (const AccessSpec& access : op->accesses) {
      for (uint32_t pure : pures_) {
        if (draft_.ops[pure].alloc == access.buffer && r_.Percent(70)) op->operands.push_back(pure);
      }
    }
    if (!pures_.empty() && r_.Percent(views_)) op->operands.push_back(AnyOf(pures_));
    if (!draft_.ops.empty() && r_.Percent(8)) {
      op->operands.push_back(static_cast<uint32_t>(r_.Below(draft_.ops.size())));
    }
  }

  void AllocsFirst() {
    for (uint32_t buffer : lram_) {
      if (r_.Percent(80)) AddAlloc(buffer);
    }
  }

  void AddAlloc(uint32_t buffer) {
    DraftOp op;
    op.kind = OpKind::kPure;
    op.alloc = buffer;
    pures_.push_back(draft_.AddOp(op, &r_, patience_));
    allocated_.push_back(buffer);
  }

  void AddPure() {
    const uint32_t buffer = r_.Percent(4) ? AnyOf(xram_) : AnyOf(lram_);
    const bool again = std::find(allocated_.begin(), allocated_.end(), buffer) != allocated_.end();
    if (r_.Percent(50) && (!again || r_.Percent(3))) {
      AddAlloc(buffer);
      return;
    }
    DraftOp view;
    view.kind = OpKind::kPure;
    for (uint64_t i = r_.Below(4); i > 0 && !pures_.empty(); --i) {
      view.operands.push_back(AnyOf(pures_));
    }
    if (!draft_.ops.empty() && r_.Percent(10)) {
      view.operands.push_back(static_cast<uint32_t>(r_.Below(draft_.ops.size())));
    }
    pures_.push_back(draft_.AddOp(view, &r_, patience_));
  }

  void AddBarrier() {
    DraftOp op;
    op.kind = OpKind::kBarrier;
    op.cycles = r_.Percent(40) ? 0 : Cycles(60);
    for (uint64_t i = r_.Below(3); i > 0; --i) {
      op.accesses.push_back(AnyAccess(r_.Percent(70) ? AnyOf(lram_) : AnyOf(xram_), 40));
    }
    AddOperands(&op);
    draft_.AddOp(op, &r_, patience_);
  }

  void AddTransfer(OpKind kind) {
    DraftOp op;
    op.kind = kind;
    op.cycles = Cycles(60);
    const bool load = kind == OpKind::kLoad;
    for (uint64_t i = r_.Percent(75) ? 1 : r_.Between(1, 3); i > 0; --i) {
      if (r_.Percent(85)) op.accesses.push_back(MakeAccess(AnyOf(xram_), load, !load));
    }
    for (uint64_t i = r_.Percent(75) ? 1 : r_.Between(2, 3); i > 0; --i) {
      // One draw a statement: C++ leaves the order of arguments to the compiler.
      const uint32_t buffer = AnyOf(lram_);
      const bool reads = !load || r_.Percent(4);
      const bool writes = load || r_.Percent(4);
      op.accesses.push_back(MakeAccess(buffer, reads, writes));
    }
    AddOperands(&op);
    draft_.AddOp(op, &r_, patience_);
  }

  void AddStart() {
    DraftOp op;
    op.kind = OpKind::kStart;
    op.cycles = Cycles(compute_);
    if (!r_.Percent(20)) op.slice = static_cast<uint32_t>(r_.Below(slices_));
    for (uint64_t i = r_.Below(4); i > 0; --i) op.accesses.push_back(AnyAccess(AnyOf(lram_), 35));
    if (r_.Percent(80)) op.accesses.push_back(AnyAccess(AnyOf(lram_), 100));
    if (r_.Percent(8)) op.accesses.push_back(AnyAccess(AnyOf(xram_), 30));
    AddOperands(&op);
    draft_.AddOp(op, &r_, patience_);
  }

  void WaitForOne() {
    const std::vector<uint32_t>& programs = draft_.in_flight();
    draft_.AddWait(r_.Percent(50) ? programs.front() : AnyOf(programs), &r_);
  }

  SplitMix64& r_;
  const Shape& shape_;
  const uint32_t slices_;
  Draft draft_;
  std::vector<uint32_t> xram_;
  std::vector<uint32_t> lram_;
  std::vector<uint32_t> pures_;
  std::vector<uint32_t> allocated_;
  uint64_t zero_cycles_ = 0;  // percent
  uint64_t patience_ = 0;     // percent
  uint64_t views_ = 0;        // percent
  uint64_t partial_ = 0;      // percent
  uint64_t compute_ = 0;      // most cycles of a program
};

}  // namespace

Draft DraftMixed(SplitMix64* random, const Shape& shape, uint32_t slices) {
  return Mixer(random, shape, slices).Make();
}

}  // namespace torqsched::reference
