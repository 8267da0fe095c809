#include "src/search/placed_order.h"

#include <algorithm>

#include "src/graph/pure_ops.h"

namespace torqsched::search {
namespace {

class Writer {
 public:
  Writer(const Model& model, PlacedOrder* out)
      : model_(model),
        stream_(model.problem().stream),
        out_(*out),
        pure_(model.problem().stream),
        offset_(model.part_count(), -1),
        in_(model.part_count(), 0),
        users_left_(model.part_count(), 0) {
    out_.slices.assign(stream_.op_count(), 0);
    out_.order.reserve(stream_.op_count());
    for (uint32_t p = 0; p < model.part_count(); ++p) {
      users_left_[PartIndex(p)] = model.part(PartIndex(p)).user_count;
    }
  }

  void Write(const std::vector<Entry>& entries, const std::vector<Decoder::Birth>& births) {
    for (const Decoder::Birth& birth : births) offset_[birth.part] = birth.offset;
    for (const PartIndex p : model_.live_in()) ComeIn(p);
    for (const Entry& entry : entries) WriteEntry(entry);
    pure_.AppendRemaining(&out_.order);
  }

 private:
  // Position of the next entry in the placed stream.
  uint64_t Next() const { return out_.order.size() + out_.placement.swap_transfers.size(); }

  void WriteEntry(const Entry& entry) {
    const ModelAction& action = model_.action(entry.action);
    if (action.op.present()) {
      const OpIndex op = entry.wait ? stream_.op(action.op).partner : action.op;
      pure_.AppendNeeded(op, &out_.order);
      ComeInFor(op, entry.action);
      out_.order.push_back(op);
      if (action.kind == ActionKind::kProgram && !entry.wait) out_.slices[op] = entry.slice;
    } else if (action.swapped.present()) {
      if (!in_[action.swapped]) ComeIn(action.swapped);
      WriteSwap(action);
    }
    if (action.kind == ActionKind::kProgram && !entry.wait) return;
    for (const PartIndex p : model_.uses(entry.action)) EndUse(p);
  }

  void WriteSwap(const ModelAction& action) {
    Placement& placement = out_.placement;
    const bool is_store = action.kind == ActionKind::kStore;
    const BufferIndex buffer = model_.part(action.swapped).buffer;
    placement.swap_transfers.push_back(
        {Next(), is_store, buffer, static_cast<uint64_t>(offset_[action.swapped])});
    ++(is_store ? placement.stores : placement.loads);
    placement.swap_bytes += stream_.buffer(buffer).size;
  }

  // What a program's wait alone uses has its place since the start, and comes in with the wait.
  void ComeInFor(OpIndex op, ActionIndex action) {
    const Run<BufferIndex> uses = model_.problem().lifetimes.uses(op);
    for (const PartIndex p : model_.uses(action)) {
      if (in_[p] || !std::binary_search(uses.begin(), uses.end(), model_.part(p).buffer)) continue;
      ComeIn(p);
    }
  }

  void ComeIn(PartIndex p) {
    in_[p] = 1;
    AddMove(true, p);
    used_ += static_cast<uint64_t>(model_.part(p).size);
    out_.placement.peak = std::max(out_.placement.peak, used_);
  }

  // One that is not the last of its buffer is evicted.
  void EndUse(PartIndex p) {
    const Part& part = model_.part(p);
    if (--users_left_[p] != 0 || part.live_out) return;
    used_ -= static_cast<uint64_t>(part.size);
    if (part.last) return;
    AddMove(false, p);
    ++out_.placement.swaps;
  }

  void AddMove(bool in, PartIndex p) {
    out_.placement.moves.push_back(
        {Next(), in, model_.part(p).buffer, static_cast<uint64_t>(offset_[p])});
  }

  const Model& model_;
  const Stream& stream_;
  PlacedOrder& out_;
  PureOps pure_;
  IndexVector<PartIndex, int64_t> offset_;
  IndexVector<PartIndex, uint8_t> in_;
  IndexVector<PartIndex, uint32_t> users_left_;
  uint64_t used_ = 0;
};

}  // namespace

PlacedOrder PlaceSolution(const Model& model, Placing placing, const Solution& solution) {
  PlacedOrder placed;
  std::vector<Entry> entries;
  std::vector<Decoder::Birth> births;
  Solution played = solution;
  Evaluate(model, placing, &played, &entries, &births);
  Writer(model, &placed).Write(entries, births);
  if (played.violations != 0) {
    placed.placement = Placement();
    placed.placement.failure.reason = FailureReason::kFragmentation;
    return placed;
  }
  placed.placement.placed = true;
  placed.placement.makespan = static_cast<uint64_t>(played.makespan);
  return placed;
}

}  // namespace torqsched::search
