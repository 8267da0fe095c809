#include "src/search/swap_trials.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "src/graph/order_clock.h"
#include "src/lram/offline.h"
#include "src/lram/sequential.h"
#include "src/search/oracle_nodes.h"

namespace torqsched::search {
namespace {

// Ops or successors that are looked at for a node.
constexpr uint64_t kOpsPerNode = 64;

class Trials {
 public:
  Trials(const ScheduleProblem& problem, bool ours, const PlacedOrder& start)
      : problem_(problem), ours_(ours), best_(start) {}

  SwapTrials Run(uint64_t nodes, const std::function<bool(uint64_t nodes)>& stop) {
    bool improved = true;
    while (improved) {
      improved = false;
      for (const OpIndex wait : LongestWaits()) {
        // A look at the order, whether or not the oracle is asked.
        out_.nodes += 1 + best_.order.size() / kOpsPerNode;
        if (out_.nodes >= nodes || stop(out_.nodes)) return std::move(out_);
        improved |= Try(wait);
      }
    }
    return std::move(out_);
  }

 private:
  // The waits that the stream stalls at, the longest first; swaps are not looked at.
  std::vector<OpIndex> LongestWaits() {
    std::vector<std::pair<uint64_t, uint32_t>> stalls;
    OrderClock clock(problem_, problem_.hardware);
    for (uint32_t p = 0; p < best_.order.size(); ++p) {
      const OpIndex op = best_.order[p];
      const uint64_t before = clock.now();
      clock.Run(op, best_.slices[op]);
      const bool wait = problem_.stream.op(op).kind == OpKind::kWait;
      if (wait && clock.now() != before) stalls.push_back({clock.now() - before, p});
    }
    std::sort(stalls.begin(), stalls.end(), [](const auto& x, const auto& y) {
      return x.first != y.first ? x.first > y.first : x.second < y.second;
    });
    out_.nodes += best_.order.size();
    std::vector<OpIndex> waits;
    for (const auto& stall : stalls) waits.push_back(best_.order[stall.second]);
    return waits;
  }

  // What follows the wait comes before it, up to the first op that takes time. Whether the order is
  // better so, and was kept.
  bool Try(OpIndex wait) {
    const std::vector<OpIndex>& order = best_.order;
    const size_t at =
        static_cast<size_t>(std::find(order.begin(), order.end(), wait) - order.begin());
    size_t next = at + 1;
    while (next < order.size() && problem_.stream.op(order[next]).kind == OpKind::kPure) ++next;
    if (next == order.size()) return false;
    const OpKind kind = problem_.stream.op(order[next]).kind;
    if (kind == OpKind::kWait || kind == OpKind::kBarrier) return false;
    for (size_t p = at + 1; p <= next; ++p) {
      if (Needs(order[p], wait)) return false;
    }
    PlacedOrder changed = best_;
    std::rotate(changed.order.begin() + at, changed.order.begin() + at + 1,
                changed.order.begin() + next + 1);
    if (!Place(&changed) || changed.placement.makespan >= best_.placement.makespan) return false;
    best_ = changed;
    out_.better = std::move(changed);
    return true;
  }

  // Whether the op needs the wait, directly or through helpers of the graph.
  bool Needs(OpIndex op, OpIndex wait) {
    to_look_at_.assign(1, wait.value());
    seen_.clear();
    uint64_t looked_at = 0;
    bool needs = false;
    while (!to_look_at_.empty() && !needs) {
      const uint32_t node = to_look_at_.back();
      to_look_at_.pop_back();
      for (const uint32_t successor : problem_.graph.successors(node)) {
        ++looked_at;
        needs |= successor == op.value();
        const bool helper = successor >= problem_.stream.op_count();
        if (helper && seen_.insert(successor).second) to_look_at_.push_back(successor);
      }
    }
    out_.nodes += looked_at / kOpsPerNode;
    return needs;
  }

  bool Place(PlacedOrder* changed) {
    if (ours_) {
      OfflinePlacement both =
          PlaceOffline(problem_, changed->order, changed->slices, /*swaps_allowed=*/true);
      changed->placement = std::move(both.placement);
      out_.nodes += NodesOfOffline(problem_, both.sequential);
    } else {
      absl::StatusOr<Placement> placement =
          PlaceSequentially(problem_, changed->order, changed->slices, /*swaps_allowed=*/true);
      out_.nodes += NodesOfSequential(problem_);
      if (!placement.ok()) return false;
      changed->placement = *std::move(placement);
    }
    return changed->placement.placed;
  }

  const ScheduleProblem& problem_;
  const bool ours_;
  PlacedOrder best_;
  SwapTrials out_;
  std::vector<uint32_t> to_look_at_;
  std::set<uint32_t> seen_;
};

}  // namespace

SwapTrials TrySwaps(const ScheduleProblem& problem, const PlacedOrder& start, bool ours,
                    uint64_t nodes, const std::function<bool(uint64_t nodes)>& stop) {
  return Trials(problem, ours, start).Run(nodes, stop);
}

}  // namespace torqsched::search
