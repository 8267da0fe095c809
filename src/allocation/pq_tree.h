// All orders of a set of edges in which certain subsets are consecutive: a PQ-tree that sweeps over
// a planar graph.
//
// Problem: the edges of a graph that is drawn from left to right without crossings are cut by a
// vertical line that moves to the right. Which orders along the line are possible? Where the line
// passes a vertex, the edges that end there have to be consecutive, and those that begin there take
// their place. If that can be done at every vertex, the graph is planar with the first and the last
// vertex on one face, and the orders in which edges came to their vertices are a drawing.
//
// Idea: leaves are the edges on the line. Children of a P-node may come in any order, those of a
// Q-node in theirs or its reverse; the orders that the tree stands for are exactly those possible.
// `Check` goes up from the leaves that have to be consecutive to their common root: a node whose
// leaves all are among them is *full*; below the root, one with some of them is *partial*, and must
// be able to have them at one of its ends. `Replace` turns partial nodes into Q-nodes and joins
// them into one with their parents, so that the full nodes stand side by side, and puts a node of
// the new edges in their place.
//
// Invariants: nodes have two children or more. A child keeps the number of the Q-node to which it
// came first; as Q-nodes join, a union-find over the numbers leads to the one that is left, and
// tells whether it runs the other way. The same union-find says, at the end, which way the edges of
// each vertex came: as seen from the *frame* in which they were read, a Q-node or a vertex.
//
// Cost: linear in all edges together for all successful reductions, but for the union-find, which
// is logarithmic at worst. A Check that fails costs no more than one that does not. No recursion.
//
// Source: Lempel, Even, Cederbaum, "An algorithm for planarity testing of graphs", 1967 (sweep by
// vertices); Booth, Lueker, "Testing for the consecutive ones property, interval graphs, and graph
// planarity using PQ-tree algorithms", JCSS 13, 1976 (templates); Chiba, Nishizeki, Abe, Ozawa, "A
// linear algorithm for embedding planar graphs using PQ-trees", JCSS 30, 1985 (orders with their
// directions; here the union-find takes the place of direction indicators).
#ifndef TORQSCHED_SRC_ALLOCATION_PQ_TREE_H_
#define TORQSCHED_SRC_ALLOCATION_PQ_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace torqsched {

class PqTree {
 public:
  // Edges are 0 to edge_count - 1, of which these are the first, in any order. At least one.
  PqTree(uint32_t edge_count, const std::vector<uint32_t>& first_edges);

  // Whether these edges of the tree, at least one and no two equal, can be consecutive.
  bool Check(const std::vector<uint32_t>& edges);

  // After a Check that said yes, for the same edges: makes them consecutive, appends them to
  // `order` in their order in the frame that is returned, and puts new edges in their place. There
  // must be new edges unless no others are left.
  uint32_t Replace(const std::vector<uint32_t>& fresh, std::vector<uint32_t>* order);

  // Runs of these edges, at least one: those in one run are consecutive in every possible order.
  // `runs` gets, for each edge, the number of its run. Returns how many there are.
  uint32_t FindRuns(const std::vector<uint32_t>& edges, std::vector<uint32_t>* runs);

  // At the end: what was read in that frame comes in reverse.
  bool IsReversed(uint32_t frame) { return Find(frame).reversed; }

 private:
  static constexpr uint32_t kNone = 0xffffffff;

  enum class Kind : uint8_t { kLeaf, kAnyOrder, kFixedOrder, kFrame };

  struct Node {
    Kind kind = Kind::kLeaf;
    bool reversed = false;                 // as against `joined`
    uint32_t joined = kNone;               // union-find; its own number at a root
    uint32_t parent = kNone;               // as it was; Find leads to what became of it
    uint32_t sibling[2] = {kNone, kNone};  // as seen from `parent`
    uint32_t end[2] = {kNone, kNone};      // first and last child
    uint32_t children = 0;
  };

  // What a Check finds out about a node.
  struct Finding {
    uint32_t stamp = 0;
    uint32_t awaited = 0;        // children that are not looked at yet
    uint32_t leaves = 0;         // of those that have to be consecutive
    uint32_t full_children = 0;  // in a list
    uint32_t first_full = kNone;
    uint32_t next_full = kNone;
    uint32_t partial[2] = {kNone, kNone};
    int partials = 0;  // 3: more than two
    bool full = false;
    uint8_t full_end = 0;  // where a partial Q-node has its full children
    uint32_t run = kNone;
  };

  struct Found {
    uint32_t node;
    bool reversed;
  };

  Found Find(uint32_t node);
  uint32_t Make(Kind kind);
  uint32_t MakeNodeOf(const std::vector<uint32_t>& edges);
  void Join(uint32_t node, uint32_t into, bool reversed);

  uint32_t ParentOf(uint32_t child);
  uint32_t Sibling(uint32_t child, int side);
  void SetSibling(uint32_t child, int side, uint32_t sibling);
  void Append(uint32_t parent, uint32_t child, int side);
  void Unlink(uint32_t parent, uint32_t child);
  void Substitute(uint32_t old, uint32_t by);
  void Splice(uint32_t parent, uint32_t child, bool reversed);

  bool Touch(uint32_t node);
  bool Climb(const std::vector<uint32_t>& edges);
  void StartAt(const std::vector<uint32_t>& edges);
  bool Conclude(uint32_t node, size_t edges);
  bool TellParent(uint32_t node);
  bool IsFull(uint32_t node) const;
  bool JudgeInner(uint32_t node);
  bool JudgeRoot(uint32_t node);
  bool FindRun(uint32_t node, uint32_t beside[2]);
  uint32_t NumberRuns(uint32_t node, uint32_t next);

  void MakePartial(uint32_t node);
  uint32_t TakeRest(uint32_t node);
  void MoveFull(uint32_t from, uint32_t to, int side);
  uint32_t JoinAtAnyOrderRoot(uint32_t root, uint32_t* inside);
  void JoinAtFixedOrderRoot(uint32_t root, uint32_t* inside);
  void ReplaceRun(uint32_t parent, uint32_t inside, uint32_t by, std::vector<uint32_t>* order);
  void Read(uint32_t node, uint32_t frame, std::vector<uint32_t>* order);

  std::vector<Node> nodes_;  // leaves first, by edge
  std::vector<Finding> findings_;
  std::vector<uint32_t> bottom_up_;  // nodes of the last Check, its root last
  std::vector<uint32_t> queue_;
  uint32_t root_ = kNone;
  uint32_t stamp_ = 0;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_PQ_TREE_H_
