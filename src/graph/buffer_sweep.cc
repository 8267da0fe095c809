#include "src/graph/buffer_sweep.h"

#include <algorithm>

namespace torqsched {

BufferSweep::BufferSweep(const Stream& stream, std::vector<Edge>* edges)
    : stream_(stream), edges_(edges), node_count_(static_cast<uint32_t>(stream.op_count())) {}

void BufferSweep::Run(BufferIndex buffer, const OpAccess* begin, const OpAccess* end) {
  buffer_ = buffer;
  cuts_.clear();
  for (const OpAccess* a = begin; a != end; ++a) {
    if (a->access->begin == a->access->end) continue;
    cuts_.push_back(a->access->begin);
    cuts_.push_back(a->access->end);
  }
  if (cuts_.empty()) return;
  std::sort(cuts_.begin(), cuts_.end());
  cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
  const size_t pieces = cuts_.size() - 1;
  size_t leaves = 1;
  while (leaves < pieces) leaves *= 2;
  tree_.assign(2 * leaves, TreeNode());
  cells_.clear();

  for (const OpAccess* a = begin; a != end;) {
    op_ = a->op;
    reads_.clear();
    writes_.clear();
    for (; a != end && a->op == op_; ++a) {
      if (a->access->begin == a->access->end) continue;
      const Pieces range{PieceOf(a->access->begin), PieceOf(a->access->end)};
      (a->access->writes ? writes_ : reads_).push_back(range);
    }
    SweepOp();
  }
}

// All accesses of an op look before any of them leaves its mark: an op does not wait for itself.
// What the op writes counts as written, whether it reads it too or not. Ranges are made disjoint
// first, so that an op that names the same bytes many times pays for them once.
void BufferSweep::SweepOp() {
  MakeDisjoint(&reads_);
  MakeDisjoint(&writes_);
  last_needed_ = kNone;
  const uint32_t leaves = static_cast<uint32_t>(tree_.size() / 2);
  for (const Pieces& range : writes_) {
    range_ = range;
    QueryWrite(1, 0, leaves);
  }
  for (const Pieces& range : reads_) {
    range_ = range;
    QueryRead(1, 0, leaves);
  }
  for (const Pieces& range : reads_) {
    range_ = range;
    ApplyRead(1, 0, leaves);
  }
  for (const Pieces& range : writes_) {
    range_ = range;
    ApplyWrite(1, 0, leaves);
  }
}

void BufferSweep::MakeDisjoint(std::vector<Pieces>* ranges) {
  if (ranges->size() < 2) return;
  std::sort(ranges->begin(), ranges->end(),
            [](const Pieces& a, const Pieces& b) { return a.first < b.first; });
  size_t kept = 0;
  for (const Pieces& range : *ranges) {
    if (kept != 0 && range.first <= (*ranges)[kept - 1].last) {
      (*ranges)[kept - 1].last = std::max((*ranges)[kept - 1].last, range.last);
    } else {
      (*ranges)[kept++] = range;
    }
  }
  ranges->resize(kept);
}

uint32_t BufferSweep::PieceOf(uint64_t byte) const {
  return static_cast<uint32_t>(std::lower_bound(cuts_.begin(), cuts_.end(), byte) - cuts_.begin());
}

uint32_t BufferSweep::EndNode(OpIndex op) const {
  const Op& o = stream_.op(op);
  return o.kind == OpKind::kStart ? o.partner.value() : op.value();
}

OpIndex BufferSweep::LatestOf(uint32_t graph_node) const {
  return graph_node < stream_.op_count() ? OpIndex(graph_node)
                                         : helper_latest_[graph_node - stream_.op_count()];
}

void BufferSweep::QueryRead(uint32_t v, uint32_t lo, uint32_t hi) {
  if (hi <= range_.first || range_.last <= lo) return;
  if (!tree_[v].split || (range_.first <= lo && hi <= range_.last)) {
    Need(Aggregate(v));
    return;
  }
  const uint32_t mid = lo + (hi - lo) / 2;
  QueryRead(2 * v, lo, mid);
  QueryRead(2 * v + 1, mid, hi);
}

void BufferSweep::QueryWrite(uint32_t v, uint32_t lo, uint32_t hi) {
  if (hi <= range_.first || range_.last <= lo) return;
  if (range_.first <= lo && hi <= range_.last) {
    CollectAll(v);
    return;
  }
  if (!tree_[v].split) Split(v);
  HandReadersDown(v);
  const uint32_t mid = lo + (hi - lo) / 2;
  QueryWrite(2 * v, lo, mid);
  QueryWrite(2 * v + 1, mid, hi);
}

void BufferSweep::CollectAll(uint32_t v) {
  const TreeNode& node = tree_[v];
  for (uint32_t c = node.readers; c != kNone; c = cells_[c].next) Need(cells_[c].graph_node);
  if (node.split) {
    CollectAll(2 * v);
    CollectAll(2 * v + 1);
  } else if (node.readers == kNone) {
    Need(node.writer);  // else its readers wait for it
  }
}

void BufferSweep::ApplyRead(uint32_t v, uint32_t lo, uint32_t hi) {
  if (hi <= range_.first || range_.last <= lo) return;
  if (range_.first <= lo && hi <= range_.last) {
    AddReader(v, EndNode(op_));
    return;
  }
  if (!tree_[v].split) Split(v);
  const uint32_t mid = lo + (hi - lo) / 2;
  ApplyRead(2 * v, lo, mid);
  ApplyRead(2 * v + 1, mid, hi);
}

void BufferSweep::ApplyWrite(uint32_t v, uint32_t lo, uint32_t hi) {
  if (hi <= range_.first || range_.last <= lo) return;
  if (range_.first <= lo && hi <= range_.last) {
    tree_[v] = TreeNode();
    tree_[v].writer = EndNode(op_);
    return;
  }
  tree_[v].aggregate = kUnknown;  // QueryWrite has split this node and handed its readers down
  const uint32_t mid = lo + (hi - lo) / 2;
  ApplyWrite(2 * v, lo, mid);
  ApplyWrite(2 * v + 1, mid, hi);
}

uint32_t BufferSweep::Aggregate(uint32_t v) {
  if (!tree_[v].split) return tree_[v].writer;
  if (tree_[v].aggregate != kUnknown) return tree_[v].aggregate;
  const uint32_t left = Aggregate(2 * v);
  const uint32_t right = Aggregate(2 * v + 1);
  uint32_t both = left;
  if (left == kNone) {
    both = right;
  } else if (right != kNone && right != left) {
    both = NewHelper();
    AddToHelper(both, left);
    AddToHelper(both, right);
  }
  tree_[v].aggregate = both;
  return both;
}

void BufferSweep::Split(uint32_t v) {
  for (const uint32_t child : {2 * v, 2 * v + 1}) {
    tree_[child] = TreeNode();
    tree_[child].writer = tree_[v].writer;
  }
  tree_[v].split = true;
  tree_[v].aggregate = kUnknown;
}

void BufferSweep::HandReadersDown(uint32_t v) {
  const uint32_t head = tree_[v].readers;
  if (head == kNone) return;
  uint32_t one = cells_[head].graph_node;
  if (cells_[head].next != kNone) {
    one = NewHelper();
    for (uint32_t c = head; c != kNone; c = cells_[c].next) AddToHelper(one, cells_[c].graph_node);
  }
  AddReader(2 * v, one);
  AddReader(2 * v + 1, one);
  tree_[v].readers = kNone;
}

void BufferSweep::AddReader(uint32_t v, uint32_t graph_node) {
  const uint32_t head = tree_[v].readers;
  if (head != kNone && cells_[head].graph_node == graph_node) return;
  if (cells_.size() >= kUnknown) {
    too_large_ = true;
    return;
  }
  cells_.push_back({graph_node, head});
  tree_[v].readers = static_cast<uint32_t>(cells_.size() - 1);
}

void BufferSweep::Need(uint32_t graph_node) {
  if (graph_node == kNone || graph_node == last_needed_) return;
  last_needed_ = graph_node;
  const OpIndex latest = LatestOf(graph_node);
  if (op_ < latest && (!race_.op.present() || op_ < race_.op)) {
    race_ = {op_, stream_.op(latest).partner, buffer_};
  }
  edges_->push_back({graph_node, op_.value()});
}

uint32_t BufferSweep::NewHelper() {
  if (node_count_ + 1 >= kUnknown) {
    too_large_ = true;
    return node_count_ - 1;  // any node: nobody looks at these edges
  }
  helper_latest_.push_back(OpIndex());
  return node_count_++;
}

void BufferSweep::AddToHelper(uint32_t helper, uint32_t member) {
  if (too_large_) return;
  OpIndex& latest = helper_latest_[helper - stream_.op_count()];
  const OpIndex candidate = LatestOf(member);
  if (!latest.present() || latest < candidate) latest = candidate;
  edges_->push_back({member, helper});
}

}  // namespace torqsched
