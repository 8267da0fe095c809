#include "src/graph/dependence_graph.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/graph/buffer_sweep.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

// For each op whether it is pure and needs no action, directly or through pure ops.
std::vector<bool> PureWithoutActions(const Stream& stream) {
  std::vector<bool> trivial(stream.op_count(), false);
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    if (stream.op(OpIndex(i)).kind != OpKind::kPure) continue;
    bool needs_action = false;
    for (const OpIndex operand : stream.operands(OpIndex(i))) {
      if (!trivial[operand.value()]) needs_action = true;
    }
    trivial[i] = !needs_action;
  }
  return trivial;
}

// Rules 1 to 3: operands, programs, barriers.
void AddOrderEdges(const Stream& stream, std::vector<Edge>* edges) {
  const std::vector<bool> trivial = PureWithoutActions(stream);
  OpIndex barrier;             // the last one
  uint32_t since_barrier = 0;  // the first op after it
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    const Op& op = stream.op(OpIndex(i));
    for (const OpIndex operand : stream.operands(OpIndex(i))) {
      if (!trivial[operand.value()]) edges->push_back({operand.value(), i});
    }
    if (op.kind == OpKind::kPure) continue;
    if (op.kind == OpKind::kWait) edges->push_back({op.partner.value(), i});
    if (barrier.present()) edges->push_back({barrier.value(), i});
    if (op.kind == OpKind::kBarrier) {
      for (uint32_t j = since_barrier; j < i; ++j) {
        if (stream.op(OpIndex(j)).kind != OpKind::kPure) edges->push_back({j, i});
      }
      barrier = OpIndex(i);
      since_barrier = i + 1;
    }
  }
}

// Rule 4: memory. Buffers that no op writes order nothing.
absl::Status AddMemoryEdges(const Stream& stream, std::vector<Edge>* edges, uint32_t* node_count) {
  std::vector<uint32_t> begins(stream.buffer_count() + 1, 0);
  std::vector<bool> written(stream.buffer_count(), false);
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    for (const Access& a : stream.accesses(OpIndex(i))) {
      ++begins[a.buffer.value()];
      if (a.writes) written[a.buffer.value()] = true;
    }
  }
  uint32_t total = 0;
  for (uint32_t b = 0; b < stream.buffer_count(); ++b) {
    const uint32_t count = written[b] && begins[b] > 1 ? begins[b] : 0;
    begins[b] = total;
    total += count;
  }
  begins[stream.buffer_count()] = total;
  std::vector<OpAccess> by_buffer(total);
  std::vector<uint32_t> fill(begins.begin(), begins.end() - 1);
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    for (const Access& a : stream.accesses(OpIndex(i))) {
      const uint32_t b = a.buffer.value();
      if (begins[b] != begins[b + 1]) by_buffer[fill[b]++] = {OpIndex(i), &a};
    }
  }
  BufferSweep sweep(stream, edges);
  for (uint32_t b = 0; b < stream.buffer_count(); ++b) {
    if (begins[b] == begins[b + 1]) continue;
    sweep.Run(BufferIndex(b), by_buffer.data() + begins[b], by_buffer.data() + begins[b + 1]);
  }
  *node_count = sweep.node_count();
  if (sweep.too_large() || edges->size() > std::numeric_limits<uint32_t>::max()) {
    return absl::ResourceExhaustedError(
        "stream: its dependences are too many to be numbered in 32 bits");
  }
  const Race& race = sweep.race();
  if (!race.op.present()) return absl::OkStatus();
  return ErrorAt(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat(stream.Describe(race.op), ": touches bytes of ", stream.Describe(race.buffer),
                   " that ", stream.Describe(race.program), " holds until ",
                   stream.Describe(stream.op(race.program).partner),
                   ", one of the two writing them; expected it after that wait"),
      {absl::StrCat("stream.ops[", race.op.value(), "].accesses"), race.op, race.buffer});
}

}  // namespace

absl::StatusOr<DependenceGraph> DependenceGraph::Build(const Stream& stream) {
  std::vector<Edge> edges;
  edges.reserve(stream.operand_count() + stream.access_count());
  AddOrderEdges(stream, &edges);
  uint32_t node_count = 0;
  const absl::Status status = AddMemoryEdges(stream, &edges, &node_count);
  if (!status.ok()) return status;

  DependenceGraph graph;
  graph.begins_.assign(node_count + 1, 0);
  graph.predecessor_counts_.assign(node_count, 0);
  for (const Edge& e : edges) {
    ++graph.begins_[e.from];
    ++graph.predecessor_counts_[e.to];
  }
  uint32_t total = 0;
  for (uint32_t& begin : graph.begins_) total += std::exchange(begin, total);
  graph.successors_.resize(edges.size());
  std::vector<uint32_t> fill(graph.begins_.begin(), graph.begins_.end() - 1);
  for (const Edge& e : edges) graph.successors_[fill[e.from]++] = e.to;
  return graph;
}

}  // namespace torqsched
