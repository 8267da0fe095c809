#include "src/allocation/pq_tree.h"

#include <algorithm>

namespace torqsched {

PqTree::PqTree(uint32_t edge_count, const std::vector<uint32_t>& first_edges) {
  nodes_.reserve(edge_count);
  for (uint32_t e = 0; e < edge_count; ++e) Make(Kind::kLeaf);
  root_ = MakeNodeOf(first_edges);
}

uint32_t PqTree::Make(Kind kind) {
  const uint32_t node = static_cast<uint32_t>(nodes_.size());
  nodes_.emplace_back();
  findings_.emplace_back();
  nodes_[node].kind = kind;
  nodes_[node].joined = node;
  return node;
}

uint32_t PqTree::MakeNodeOf(const std::vector<uint32_t>& edges) {
  if (edges.size() == 1) return edges[0];
  const uint32_t node = Make(Kind::kAnyOrder);
  for (const uint32_t edge : edges) Append(node, edge, 1);
  return node;
}

// Two passes: to the root, then all on the way are hung on it.
PqTree::Found PqTree::Find(uint32_t node) {
  bool reversed = false;
  uint32_t root = node;
  for (; nodes_[root].joined != root; root = nodes_[root].joined) reversed ^= nodes_[root].reversed;
  bool left = reversed;
  for (uint32_t at = node; at != root;) {
    Node& passed = nodes_[at];
    const bool own = passed.reversed;
    passed.reversed = left;
    left ^= own;
    at = passed.joined;
    passed.joined = root;
  }
  return {root, reversed};
}

void PqTree::Join(uint32_t node, uint32_t into, bool reversed) {
  nodes_[node].joined = into;
  nodes_[node].reversed = reversed;
}

uint32_t PqTree::ParentOf(uint32_t child) {
  const uint32_t parent = nodes_[child].parent;
  return parent == kNone ? kNone : Find(parent).node;
}

// Sides are those of the parent that is left: 0 towards its first child.
uint32_t PqTree::Sibling(uint32_t child, int side) {
  return nodes_[child].sibling[side ^ static_cast<int>(Find(nodes_[child].parent).reversed)];
}

void PqTree::SetSibling(uint32_t child, int side, uint32_t sibling) {
  nodes_[child].sibling[side ^ static_cast<int>(Find(nodes_[child].parent).reversed)] = sibling;
}

void PqTree::Append(uint32_t parent, uint32_t child, int side) {
  Node& node = nodes_[child];
  const uint32_t last = nodes_[parent].end[side];
  node.parent = parent;
  node.sibling[side] = kNone;
  node.sibling[1 - side] = last;
  if (last == kNone) {
    nodes_[parent].end[1 - side] = child;
  } else {
    SetSibling(last, side, child);
  }
  nodes_[parent].end[side] = child;
  ++nodes_[parent].children;
}

void PqTree::Unlink(uint32_t parent, uint32_t child) {
  const uint32_t beside[2] = {Sibling(child, 0), Sibling(child, 1)};
  for (const int side : {0, 1}) {
    if (beside[side] == kNone) {
      nodes_[parent].end[side] = beside[1 - side];
    } else {
      SetSibling(beside[side], 1 - side, beside[1 - side]);
    }
  }
  --nodes_[parent].children;
  nodes_[child].parent = kNone;
}

// `by`, which has no parent, takes the place of `old`, which has none afterwards.
void PqTree::Substitute(uint32_t old, uint32_t by) {
  const uint32_t parent = ParentOf(old);
  nodes_[by].parent = parent;
  if (parent == kNone) {
    root_ = by;
    return;
  }
  for (const int side : {0, 1}) {
    const uint32_t beside = Sibling(old, side);
    nodes_[by].sibling[side] = beside;
    if (beside == kNone) {
      nodes_[parent].end[side] = by;
    } else {
      SetSibling(beside, 1 - side, by);
    }
  }
  nodes_[old].parent = kNone;
}

// The children of a Q-node take its place in its parent, another.
void PqTree::Splice(uint32_t parent, uint32_t child, bool reversed) {
  const uint32_t beside[2] = {Sibling(child, 0), Sibling(child, 1)};
  const uint32_t ends[2] = {nodes_[child].end[reversed], nodes_[child].end[!reversed]};
  Join(child, parent, reversed);
  for (const int side : {0, 1}) {
    SetSibling(ends[side], side, beside[side]);
    if (beside[side] == kNone) {
      nodes_[parent].end[side] = ends[side];
    } else {
      SetSibling(beside[side], 1 - side, ends[side]);
    }
  }
  nodes_[parent].children += nodes_[child].children - 1;
}

bool PqTree::IsFull(uint32_t node) const {
  return findings_[node].stamp == stamp_ && findings_[node].full;
}

// False: it was touched before.
bool PqTree::Touch(uint32_t node) {
  if (findings_[node].stamp == stamp_) return false;
  findings_[node] = Finding();
  findings_[node].stamp = stamp_;
  return true;
}

// Counts, by node, the children that lead to the edges. By turns from all edges, so that no more
// nodes above their common root are looked at than below it.
bool PqTree::Climb(const std::vector<uint32_t>& edges) {
  ++stamp_;
  queue_.assign(edges.begin(), edges.end());
  for (const uint32_t edge : edges) Touch(edge);
  size_t done = 0;
  for (bool past_root = false; queue_.size() - done + past_root > 1;) {
    if (done == queue_.size()) return false;
    const uint32_t parent = ParentOf(queue_[done++]);
    if (parent == kNone) {
      past_root = true;
      continue;
    }
    if (Touch(parent)) queue_.push_back(parent);
    ++findings_[parent].awaited;
  }
  return true;
}

// Its parent is looked at when all its siblings were. False: more than two partial ones.
bool PqTree::TellParent(uint32_t node) {
  const uint32_t parent = ParentOf(node);
  Finding& to = findings_[parent];
  to.leaves += findings_[node].leaves;
  if (findings_[node].full) {
    findings_[node].next_full = to.first_full;
    to.first_full = node;
    ++to.full_children;
  } else {
    if (to.partials < 2) to.partial[to.partials] = node;
    to.partials = std::min(to.partials + 1, 3);
  }
  if (--to.awaited == 0) bottom_up_.push_back(parent);
  return to.partials < 3;
}

// What is known of the edges themselves.
void PqTree::StartAt(const std::vector<uint32_t>& edges) {
  bottom_up_.assign(edges.begin(), edges.end());
  for (const uint32_t edge : edges) {
    findings_[edge].full = true;
    findings_[edge].leaves = 1;
  }
}

// When all below a node is known. True: it is the common root.
bool PqTree::Conclude(uint32_t node, size_t edges) {
  Finding& finding = findings_[node];
  finding.full |= finding.full_children == nodes_[node].children && finding.full_children > 0;
  return finding.leaves == edges;
}

bool PqTree::Check(const std::vector<uint32_t>& edges) {
  if (!Climb(edges)) return false;
  StartAt(edges);
  for (size_t i = 0; i < bottom_up_.size(); ++i) {
    const uint32_t node = bottom_up_[i];
    if (Conclude(node, edges.size())) {
      bottom_up_.resize(i + 1);
      return JudgeRoot(node);
    }
    if (!JudgeInner(node) || !TellParent(node)) return false;
  }
  return false;
}

// Full children of a node that is not: each alone below a P-node, side by side below a Q-node.
uint32_t PqTree::NumberRuns(uint32_t node, uint32_t next) {
  const bool any_order = nodes_[node].kind == Kind::kAnyOrder;
  for (uint32_t child = findings_[node].first_full; child != kNone;
       child = findings_[child].next_full) {
    if (findings_[child].run != kNone) continue;
    findings_[child].run = next;
    for (int side = any_order ? 2 : 0; side < 2; ++side) {
      for (uint32_t at = Sibling(child, side); at != kNone && IsFull(at); at = Sibling(at, side)) {
        findings_[at].run = next;
      }
    }
    ++next;
  }
  return next;
}

uint32_t PqTree::FindRuns(const std::vector<uint32_t>& edges, std::vector<uint32_t>* runs) {
  runs->assign(edges.size(), 0);
  if (!Climb(edges)) return 1;
  StartAt(edges);
  size_t i = 0;
  for (; i < bottom_up_.size() && !Conclude(bottom_up_[i], edges.size()); ++i) {
    TellParent(bottom_up_[i]);
  }
  uint32_t count = 0;
  if (findings_[bottom_up_[i]].full) findings_[bottom_up_[i]].run = count++;
  for (++i; i-- > 0;) {  // top down
    const uint32_t node = bottom_up_[i];
    if (!findings_[node].full) {
      count = NumberRuns(node, count);
    } else if (findings_[node].run == kNone) {
      findings_[node].run = findings_[ParentOf(node)].run;
    }
  }
  for (size_t e = 0; e < edges.size(); ++e) (*runs)[e] = findings_[edges[e]].run;
  return count;
}

// The children beside the run of full children of a Q-node; false: they are in several runs.
bool PqTree::FindRun(uint32_t node, uint32_t beside[2]) {
  uint32_t length = 1;
  for (const int side : {0, 1}) {
    uint32_t at = Sibling(findings_[node].first_full, side);
    for (; at != kNone && IsFull(at); at = Sibling(at, side)) ++length;
    beside[side] = at;
  }
  return length == findings_[node].full_children;
}

// Whether a node below the root can have its full leaves at one end.
bool PqTree::JudgeInner(uint32_t node) {
  Finding& finding = findings_[node];
  if (finding.full) return true;
  if (finding.partials > 1) return false;
  if (nodes_[node].kind == Kind::kAnyOrder) return true;
  const uint32_t partial = finding.partial[0];  // or none
  if (finding.full_children == 0) {
    finding.full_end = nodes_[node].end[0] == partial ? 0 : 1;
    return nodes_[node].end[finding.full_end] == partial;
  }
  uint32_t beside[2];
  if (!FindRun(node, beside)) return false;
  if (beside[0] != kNone && beside[1] != kNone) return false;
  finding.full_end = beside[0] == kNone ? 0 : 1;
  return partial == kNone || beside[1 - finding.full_end] == partial;
}

bool PqTree::JudgeRoot(uint32_t node) {
  const Finding& finding = findings_[node];
  if (finding.full || nodes_[node].kind == Kind::kAnyOrder) return true;
  const uint32_t* partial = finding.partial;
  if (finding.full_children == 0) {
    return Sibling(partial[0], 0) == partial[1] || Sibling(partial[0], 1) == partial[1];
  }
  uint32_t beside[2];
  if (!FindRun(node, beside)) return false;
  for (int i = 0; i < finding.partials; ++i) {
    if (beside[0] != partial[i] && beside[1] != partial[i]) return false;
  }
  return true;
}

void PqTree::MoveFull(uint32_t from, uint32_t to, int side) {
  for (uint32_t child = findings_[from].first_full; child != kNone;
       child = findings_[child].next_full) {
    Unlink(from, child);
    Append(to, child, side);
  }
}

// A P-node that lost children, without parent: itself, or the child that is left, or none.
uint32_t PqTree::TakeRest(uint32_t node) {
  if (nodes_[node].children == 0) return kNone;
  if (nodes_[node].children > 1) return node;
  const uint32_t child = nodes_[node].end[0];
  Unlink(node, child);
  return child;
}

// Makes a Q-node of a partial one, with its full leaves' nodes at `full_end`.
void PqTree::MakePartial(uint32_t node) {
  const uint32_t partial = findings_[node].partial[0];  // a Q-node already, or none
  if (nodes_[node].kind == Kind::kFixedOrder) {
    if (partial == kNone) return;
    return Splice(node, partial, findings_[partial].full_end != findings_[node].full_end);
  }
  uint32_t made = partial;
  if (partial == kNone) {
    made = Make(Kind::kFixedOrder);
    findings_[made].full_end = 1;
  } else {
    Unlink(node, partial);
  }
  Substitute(node, made);
  const int full_end = findings_[made].full_end;
  MoveFull(node, made, full_end);
  const uint32_t rest = TakeRest(node);
  if (rest != kNone) Append(made, rest, 1 - full_end);
  Finding& above = findings_[ParentOf(made)];
  above.partial[above.partial[0] == node ? 0 : 1] = made;
}

// At a P-node with partial children: the Q-node in which the full ones now stand side by side.
uint32_t PqTree::JoinAtAnyOrderRoot(uint32_t root, uint32_t* inside) {
  const uint32_t made = findings_[root].partial[0];
  const uint32_t other = findings_[root].partial[1];
  const int full_end = findings_[made].full_end;
  *inside = nodes_[made].end[full_end];
  MoveFull(root, made, full_end);
  if (other != kNone) {
    Unlink(root, other);
    Append(made, other, full_end);
    Splice(made, other, findings_[other].full_end != 1 - full_end);
  }
  if (nodes_[root].children == 1) {
    Unlink(root, made);
    Substitute(root, made);
  }
  return made;
}

void PqTree::JoinAtFixedOrderRoot(uint32_t root, uint32_t* inside) {
  const Finding finding = findings_[root];
  *inside = finding.first_full;
  int toward[2];  // on which side of a partial child the full ones are
  for (int i = 0; i < finding.partials; ++i) {
    const uint32_t after = Sibling(finding.partial[i], 1);
    const bool is_run =
        after != kNone &&
        (IsFull(after) || (finding.full_children == 0 && after == finding.partial[1 - i]));
    toward[i] = is_run ? 1 : 0;
    const int full_end = findings_[finding.partial[i]].full_end;
    if (*inside == kNone) *inside = nodes_[finding.partial[i]].end[full_end];
  }
  for (int i = 0; i < finding.partials; ++i) {
    const uint32_t partial = finding.partial[i];
    Splice(root, partial, findings_[partial].full_end != toward[i]);
  }
}

// Reads the run of full children around `inside`, and puts one node in its place.
void PqTree::ReplaceRun(uint32_t parent, uint32_t inside, uint32_t by,
                        std::vector<uint32_t>* order) {
  uint32_t first = inside;
  for (uint32_t at = inside; at != kNone && IsFull(at); at = Sibling(at, 0)) first = at;
  const uint32_t before = Sibling(first, 0);
  uint32_t after = first;
  while (after != kNone && IsFull(after)) {
    const uint32_t next = Sibling(after, 1);
    Read(after, parent, order);
    --nodes_[parent].children;
    after = next;
  }
  Node& node = nodes_[by];
  node.parent = parent;
  node.sibling[0] = before;
  node.sibling[1] = after;
  if (before == kNone) {
    nodes_[parent].end[0] = by;
  } else {
    SetSibling(before, 1, by);
  }
  if (after == kNone) {
    nodes_[parent].end[1] = by;
  } else {
    SetSibling(after, 0, by);
  }
  ++nodes_[parent].children;
}

// Appends the leaves below a node. Its Q-nodes run from now on as the frame does.
void PqTree::Read(uint32_t node, uint32_t frame, std::vector<uint32_t>* order) {
  queue_.assign(1, node);
  while (!queue_.empty()) {
    const uint32_t at = queue_.back();
    queue_.pop_back();
    if (nodes_[at].kind == Kind::kLeaf) {
      order->push_back(at);
      continue;
    }
    for (uint32_t child = nodes_[at].end[1]; child != kNone; child = Sibling(child, 0)) {
      queue_.push_back(child);
    }
    if (nodes_[at].kind == Kind::kFixedOrder) Join(at, frame, false);
  }
}

uint32_t PqTree::Replace(const std::vector<uint32_t>& fresh, std::vector<uint32_t>* order) {
  for (size_t i = 0; i + 1 < bottom_up_.size(); ++i) {
    if (!findings_[bottom_up_[i]].full) MakePartial(bottom_up_[i]);
  }
  const uint32_t root = bottom_up_.back();
  const uint32_t by = fresh.empty() ? kNone : MakeNodeOf(fresh);
  const bool any_order = nodes_[root].kind == Kind::kAnyOrder;
  if (!findings_[root].full && (!any_order || findings_[root].partials > 0)) {
    uint32_t inside = kNone;
    const uint32_t parent = any_order ? JoinAtAnyOrderRoot(root, &inside) : root;
    if (!any_order) JoinAtFixedOrderRoot(root, &inside);
    ReplaceRun(parent, inside, by, order);
    return parent;
  }
  const uint32_t frame = Make(Kind::kFrame);
  if (findings_[root].full) {
    Read(root, frame, order);
    if (by == kNone) {
      root_ = kNone;
    } else {
      Substitute(root, by);
    }
    return frame;
  }
  for (uint32_t child = findings_[root].first_full; child != kNone;
       child = findings_[child].next_full) {
    Unlink(root, child);
    Read(child, frame, order);
  }
  Append(root, by, 1);
  return frame;
}

}  // namespace torqsched
