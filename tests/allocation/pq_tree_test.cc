// PQ-trees as a test for planarity: graphs whose vertices are numbered so that each but the first
// has an edge from a lower one, and each but the last one to a higher. What is embedded is checked
// by counting faces (Euler: vertices - edges + faces = 2); what is refused has a known obstacle.
#include "src/allocation/pq_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

struct Edge {
  uint32_t from;  // less than `to`
  uint32_t to;
};

struct Graph {
  uint32_t vertices = 0;
  std::vector<Edge> edges;
};

using Orders = std::vector<std::vector<uint32_t>>;  // by vertex: edges that come in, in order

std::optional<Orders> Embed(const Graph& graph) {
  Orders in(graph.vertices);
  Orders out(graph.vertices);
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    out[graph.edges[e].from].push_back(e);
    in[graph.edges[e].to].push_back(e);
  }
  PqTree tree(static_cast<uint32_t>(graph.edges.size()), out[0]);
  Orders orders(graph.vertices);
  std::vector<uint32_t> frames(graph.vertices);
  for (uint32_t v = 1; v < graph.vertices; ++v) {
    if (!tree.Check(in[v])) return std::nullopt;
    frames[v] = tree.Replace(out[v], &orders[v]);
  }
  for (uint32_t v = 1; v < graph.vertices; ++v) {
    if (tree.IsReversed(frames[v])) std::reverse(orders[v].begin(), orders[v].end());
  }
  return orders;
}

// Faces of the drawing in which edges come to each vertex in these orders. Those that leave follow
// from the order along a line that moves back from the last vertex; empty: they are not
// consecutive there.
std::optional<uint32_t> CountFaces(const Graph& graph, const Orders& in) {
  std::vector<uint32_t> line = in.back();
  Orders around(graph.vertices);  // ends of edges counterclockwise: 2 * edge, + 1 where it comes in
  for (uint32_t v = graph.vertices; v-- > 0;) {
    std::vector<uint32_t> next;
    std::vector<uint32_t> out;
    size_t begin = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      if (graph.edges[line[i]].from != v) {
        next.push_back(line[i]);
        continue;
      }
      if (out.empty()) begin = i;
      if (i != begin + out.size()) return std::nullopt;
      out.push_back(line[i]);
    }
    if (v + 1 < graph.vertices) {
      next.insert(next.begin() + static_cast<ptrdiff_t>(begin), in[v].begin(), in[v].end());
      line = next;
    }
    for (const uint32_t e : out) around[v].push_back(2 * e);
    for (size_t i = in[v].size(); i-- > 0;) around[v].push_back(2 * in[v][i] + 1);
  }
  std::vector<uint32_t> after(2 * graph.edges.size());  // by end: the next around its vertex
  for (const auto& ends : around) {
    for (size_t i = 0; i < ends.size(); ++i) after[ends[i]] = ends[(i + 1) % ends.size()];
  }
  uint32_t faces = 0;
  std::vector<bool> seen(after.size(), false);
  for (uint32_t start = 0; start < after.size(); ++start) {
    if (seen[start]) continue;
    ++faces;
    for (uint32_t at = start; !seen[at]; at = after[at ^ 1]) seen[at] = true;
  }
  return faces;
}

bool IsEmbedded(const Graph& graph) {
  const std::optional<Orders> orders = Embed(graph);
  if (!orders.has_value()) return false;
  const std::optional<uint32_t> faces = CountFaces(graph, *orders);
  EXPECT_TRUE(faces.has_value()) << "edges that leave a vertex are not consecutive";
  if (!faces.has_value()) return false;
  EXPECT_EQ(graph.vertices + *faces, graph.edges.size() + 2);
  return graph.vertices + *faces == graph.edges.size() + 2;
}

// A planar graph with its last vertex on the outer face: the line is known, and grows a vertex at a
// time that takes some consecutive edges. Edges and their directions are shuffled afterwards.
Graph RandomPlanar(uint32_t vertices, SplitMix64* random) {
  Graph graph;
  graph.vertices = vertices;
  std::vector<uint32_t> line(random->Between(1, 6), 0);  // where the edges come from
  for (uint32_t v = 1; v < vertices; ++v) {
    const size_t begin = v + 1 == vertices ? 0 : random->Below(line.size());
    const size_t most = std::min<size_t>(line.size() - begin, 4);
    const size_t count = v + 1 == vertices ? line.size() : random->Between(1, most);
    for (size_t i = begin; i < begin + count; ++i) graph.edges.push_back({line[i], v});
    const auto at = line.erase(line.begin() + static_cast<ptrdiff_t>(begin),
                               line.begin() + static_cast<ptrdiff_t>(begin + count));
    line.insert(at, random->Between(1, line.size() > 40 ? 2 : 4), v);
  }
  for (size_t i = graph.edges.size(); i > 1; --i) {
    std::swap(graph.edges[i - 1], graph.edges[random->Below(i)]);
  }
  return graph;
}

Graph Complete(uint32_t vertices) {
  Graph graph;
  graph.vertices = vertices;
  for (uint32_t to = 1; to < vertices; ++to) {
    for (uint32_t from = 0; from < to; ++from) graph.edges.push_back({from, to});
  }
  return graph;
}

// Even vertices against odd ones.
Graph Bipartite(uint32_t vertices) {
  Graph graph;
  graph.vertices = vertices;
  for (uint32_t to = 1; to < vertices; ++to) {
    for (uint32_t from = 1 - to % 2; from < to; from += 2) graph.edges.push_back({from, to});
  }
  return graph;
}

// One more vertex in the middle of every edge, and every vertex moves up by those below it.
Graph Subdivide(const Graph& graph) {
  Graph fine;
  const uint32_t stride = static_cast<uint32_t>(graph.edges.size()) + 1;
  std::vector<std::pair<uint32_t, uint32_t>> places;  // where a vertex belongs, its old number
  for (uint32_t v = 0; v < graph.vertices; ++v) places.push_back({v * stride, v});
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    places.push_back({graph.edges[e].from * stride + 1 + e, graph.vertices + e});
  }
  std::sort(places.begin(), places.end());
  std::vector<uint32_t> number(places.size());
  for (uint32_t i = 0; i < places.size(); ++i) number[places[i].second] = i;
  fine.vertices = static_cast<uint32_t>(places.size());
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    const uint32_t middle = number[graph.vertices + e];
    fine.edges.push_back({number[graph.edges[e].from], middle});
    fine.edges.push_back({middle, number[graph.edges[e].to]});
  }
  return fine;
}

TEST(PqTreeTest, SmallPlanarGraphsAreEmbedded) {
  EXPECT_TRUE(IsEmbedded({2, {{0, 1}}}));
  EXPECT_TRUE(IsEmbedded({2, {{0, 1}, {0, 1}, {0, 1}}}));
  EXPECT_TRUE(IsEmbedded({3, {{0, 1}, {1, 2}}}));
  EXPECT_TRUE(IsEmbedded(Complete(3)));
  EXPECT_TRUE(IsEmbedded(Complete(4)));
  EXPECT_TRUE(IsEmbedded(Bipartite(5)));  // K3,2
}

TEST(PqTreeTest, TheGraphsOfKuratowskiAreRefused) {
  for (Graph graph : {Complete(5), Bipartite(6), Complete(6), Bipartite(8)}) {
    for (int depth = 0; depth < 3; ++depth, graph = Subdivide(graph)) {
      EXPECT_FALSE(Embed(graph).has_value()) << graph.vertices << " vertices, depth " << depth;
    }
  }
}

// K5 without one edge, and K3,3 without one, are planar; whether first and last vertex are on one
// face depends on the edge.
TEST(PqTreeTest, WithoutAnEdgeTheGraphsOfKuratowskiAreEmbeddedIfTheirEndsShareAFace) {
  for (const Graph& whole : {Complete(5), Bipartite(6)}) {
    for (size_t e = 0; e < whole.edges.size(); ++e) {
      Graph graph = whole;
      const Edge gone = graph.edges[e];
      graph.edges.erase(graph.edges.begin() + static_cast<ptrdiff_t>(e));
      if (gone.to == gone.from + 1) continue;  // a vertex may be left without edges on one side
      const bool ends = gone.from == 0 && gone.to + 1 == graph.vertices;
      EXPECT_EQ(Embed(graph).has_value(), !ends) << gone.from << " to " << gone.to;
      if (!ends) {
        EXPECT_TRUE(IsEmbedded(graph));
      }
    }
  }
}

TEST(PqTreeTest, RandomPlanarGraphsAreEmbedded) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    SplitMix64 random(seed);
    const uint32_t vertices = static_cast<uint32_t>(random.Between(3, seed % 10 == 0 ? 400 : 30));
    ASSERT_TRUE(IsEmbedded(RandomPlanar(vertices, &random))) << "seed " << seed;
  }
}

// With random edges on top: embedded as far as the check of faces agrees; refused where too many.
TEST(PqTreeTest, EdgesAcrossAreEmbeddedRightlyOrRefused) {
  uint32_t refused = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    SplitMix64 random(seed);
    Graph graph = RandomPlanar(static_cast<uint32_t>(random.Between(4, 20)), &random);
    const uint64_t more = random.Between(1, 5);
    for (uint64_t i = 0; i < more; ++i) {
      const uint32_t from = static_cast<uint32_t>(random.Below(graph.vertices - 1));
      graph.edges.push_back(
          {from, static_cast<uint32_t>(random.Between(from + 1, graph.vertices - 1))});
    }
    if (!Embed(graph).has_value()) {
      ++refused;
    } else {
      ASSERT_TRUE(IsEmbedded(graph)) << "seed " << seed;
    }
  }
  EXPECT_GT(refused, 500u);
  EXPECT_LT(refused, 2500u);
}

TEST(PqTreeTest, RandomGraphsWithAnObstacleInsideAreRefused) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SplitMix64 random(seed);
    Graph graph = RandomPlanar(static_cast<uint32_t>(random.Between(8, 40)), &random);
    // K3,3 on six vertices of it, by edges of its own.
    std::vector<uint32_t> six;
    while (six.size() < 6) {
      const uint32_t v = static_cast<uint32_t>(random.Below(graph.vertices));
      if (std::find(six.begin(), six.end(), v) == six.end()) six.push_back(v);
    }
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = 3; j < 6; ++j) {
        graph.edges.push_back({std::min(six[i], six[j]), std::max(six[i], six[j])});
      }
    }
    ASSERT_FALSE(Embed(graph).has_value()) << "seed " << seed;
  }
}

TEST(PqTreeTest, EdgesOfOneRunAreConsecutiveInAnyCase) {
  PqTree tree(8, {0, 1, 2, 3});
  std::vector<uint32_t> runs;
  std::vector<uint32_t> order;
  EXPECT_EQ(tree.FindRuns({0, 1}, &runs), 2u);  // 2 may come between
  EXPECT_EQ(tree.FindRuns({0, 1, 2, 3}, &runs), 1u);
  ASSERT_TRUE(tree.Check({0, 1}));
  tree.Replace({4, 5, 6}, &order);
  EXPECT_EQ(tree.FindRuns({4, 5, 6}, &runs), 1u);
  EXPECT_EQ(tree.FindRuns({4, 5}, &runs), 2u);
  EXPECT_EQ(tree.FindRuns({4, 5, 6, 2}, &runs), 2u);
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(runs[0], runs[2]);
  EXPECT_NE(runs[0], runs[3]);
}

// All orders that are possible, one by one.
class AllOrders {
 public:
  explicit AllOrders(std::vector<uint32_t> edges) {
    std::sort(edges.begin(), edges.end());
    do orders_.push_back(edges);
    while (std::next_permutation(edges.begin(), edges.end()));
  }

  // Where the edges begin in an order in which they are consecutive.
  static std::optional<size_t> Find(const std::vector<uint32_t>& order,
                                    const std::vector<uint32_t>& edges) {
    const auto is_one = [&edges](uint32_t e) {
      return std::find(edges.begin(), edges.end(), e) != edges.end();
    };
    const auto begin = std::find_if(order.begin(), order.end(), is_one);
    if (static_cast<size_t>(order.end() - begin) < edges.size()) return std::nullopt;
    if (!std::all_of(begin, begin + static_cast<ptrdiff_t>(edges.size()), is_one)) {
      return std::nullopt;
    }
    return static_cast<size_t>(begin - order.begin());
  }
  bool CanBeConsecutive(const std::vector<uint32_t>& edges) const {
    return std::any_of(orders_.begin(), orders_.end(),
                       [&edges](const auto& order) { return Find(order, edges).has_value(); });
  }
  bool AreConsecutive(const std::vector<uint32_t>& edges) const {
    return std::all_of(orders_.begin(), orders_.end(),
                       [&edges](const auto& order) { return Find(order, edges).has_value(); });
  }
  bool Has(const std::vector<uint32_t>& part) const {
    return std::any_of(orders_.begin(), orders_.end(), [&part](const auto& order) {
      return std::search(order.begin(), order.end(), part.begin(), part.end()) != order.end();
    });
  }
  void Replace(const std::vector<uint32_t>& edges, std::vector<uint32_t> fresh) {
    std::set<std::vector<uint32_t>> next;
    for (const std::vector<uint32_t>& order : orders_) {
      const std::optional<size_t> at = Find(order, edges);
      if (!at.has_value()) continue;
      const auto begin = order.begin() + static_cast<ptrdiff_t>(*at);
      std::sort(fresh.begin(), fresh.end());
      do {
        std::vector<uint32_t> replaced(order.begin(), begin);
        replaced.insert(replaced.end(), fresh.begin(), fresh.end());
        replaced.insert(replaced.end(), begin + static_cast<ptrdiff_t>(edges.size()), order.end());
        next.insert(replaced);
      } while (std::next_permutation(fresh.begin(), fresh.end()));
    }
    orders_.assign(next.begin(), next.end());
  }

 private:
  std::vector<std::vector<uint32_t>> orders_;
};

TEST(PqTreeTest, ItAgreesWithAListOfAllOrders) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SplitMix64 random(seed);
    std::vector<uint32_t> live(random.Between(2, 7));
    std::iota(live.begin(), live.end(), 0);
    uint32_t next = static_cast<uint32_t>(live.size());
    PqTree tree(100, live);
    AllOrders all(live);
    for (int step = 0; step < 14 && next < 90; ++step) {
      std::vector<uint32_t> edges;
      std::vector<uint32_t> others;
      const uint64_t percent = random.Between(20, 70);
      for (const uint32_t e : live) (random.Percent(percent) ? edges : others).push_back(e);
      if (edges.empty()) continue;
      std::vector<uint32_t> runs;
      const uint32_t count = tree.FindRuns(edges, &runs);
      for (uint32_t run = 0; run < count; ++run) {
        std::vector<uint32_t> together;
        for (size_t i = 0; i < edges.size(); ++i) {
          if (runs[i] == run) together.push_back(edges[i]);
        }
        ASSERT_FALSE(together.empty());
        ASSERT_TRUE(all.AreConsecutive(together)) << "seed " << seed << ", step " << step;
      }
      ASSERT_EQ(tree.Check(edges), all.CanBeConsecutive(edges))
          << "seed " << seed << ", step " << step;
      if (!tree.Check(edges)) continue;
      std::vector<uint32_t> fresh(random.Between(1, std::max<size_t>(1, 7 - others.size())));
      std::iota(fresh.begin(), fresh.end(), next);
      next += static_cast<uint32_t>(fresh.size());
      std::vector<uint32_t> order;
      tree.Replace(fresh, &order);
      ASSERT_TRUE(all.Has(order)) << "seed " << seed << ", step " << step;
      all.Replace(edges, fresh);
      live = others;
      live.insert(live.end(), fresh.begin(), fresh.end());
    }
  }
}

// Linear: 300,000 edges that a recursion would follow to the ground, in well under a second.
TEST(PqTreeTest, DeepTreesTakeNoRecursionAndNoTime) {
  constexpr uint32_t kVertices = 100000;
  Graph graph;
  graph.vertices = kVertices;
  for (uint32_t v = 0; v + 1 < kVertices; ++v) {
    graph.edges.push_back({v, v + 1});
    graph.edges.push_back({v, kVertices - 1});
    graph.edges.push_back({v, std::min(v + 2, kVertices - 1)});
  }
  EXPECT_TRUE(Embed(graph).has_value());
}

}  // namespace
}  // namespace torqsched
