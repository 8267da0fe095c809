#include "src/lram/offline_plan.h"

#include <algorithm>
#include <limits>

#include "absl/numeric/int128.h"
#include "src/graph/order_clock.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace offline {
namespace {

// A plan's evictions and returns by position.
struct Boundaries {
  Boundaries(const Residency& residency, const Plan& plan)
      : leaves(GroupBy(residency.positions, plan.size(), [&](size_t i) { return plan[i].leave; })),
        returns(GroupBy(residency.positions, plan.size(), [&](size_t i) { return plan[i].back; })) {
  }
  Rows<uint32_t> leaves;
  Rows<uint32_t> returns;
};

}  // namespace

Plan WholeGaps(const Residency& residency, const std::vector<uint8_t>& evicted) {
  Plan plan;
  for (uint32_t g = 0; g < evicted.size(); ++g) {
    if (!evicted[g]) continue;
    Out out;
    out.gap = g;
    out.leave = residency.gaps[g].begin;
    out.back = residency.gaps[g].end;
    plan.push_back(out);
  }
  return plan;
}

void SettleTransfers(const Residency& residency, Plan* plan) {
  for (size_t i = 0; i < plan->size(); ++i) {
    Out& out = (*plan)[i];
    const Gap& gap = residency.gaps[out.gap];
    // What matters at a later gap of a version matters at all of its earlier ones.
    const bool copied = i != 0 && residency.gaps[(*plan)[i - 1].gap].version == gap.version;
    out.stores = gap.needs_copy() && !copied;
    const bool leaves_again = i + 1 < plan->size() &&
                              residency.gaps[(*plan)[i + 1].gap].buffer == gap.buffer &&
                              residency.gaps[(*plan)[i + 1].gap].begin <= gap.next_access;
    out.loads = gap.matters && !leaves_again;
  }
}

std::optional<Price> PriceOf(const Residency& residency, const Plan& plan,
                             std::vector<uint64_t>* slack) {
  if (slack != nullptr) slack->assign(residency.positions, 0);
  const Boundaries boundaries(residency, plan);
  OrderClock clock(residency.problem);
  Price price;
  bool too_long = false;  // a single transfer
  const auto transfer = [&](const Out& out, bool is_store) {
    const uint64_t size = residency.stream.buffer(residency.gaps[out.gap].buffer).size;
    const uint64_t cycles = TransferCycles(residency.hardware, size);
    too_long |= cycles == std::numeric_limits<uint64_t>::max();
    price.swap_bytes = SaturatingAdd(price.swap_bytes, size);
    clock.Swap(is_store, cycles);
  };
  for (uint32_t p = 0; p < residency.order.size(); ++p) {
    if (!boundaries.leaves[p].empty() || !boundaries.returns[p].empty()) clock.BuffersMove();
    for (const uint32_t i : boundaries.leaves[p]) {
      if (plan[i].stores) transfer(plan[i], /*is_store=*/true);
    }
    for (const uint32_t i : boundaries.returns[p]) {
      if (plan[i].loads) transfer(plan[i], /*is_store=*/false);
    }
    const OpIndex op = residency.order[p];
    const Ran ran = clock.Run(op, residency.slices[op]);
    const bool waits = residency.stream.op(op).kind == OpKind::kWait;
    if (slack != nullptr && waits) (*slack)[p] = ran.end - ran.begin;
  }
  if (too_long || clock.overflowed()) return std::nullopt;
  price.makespan = clock.makespan();
  return price;
}

std::vector<Stay> StaysOf(const Residency& residency, const Plan& plan) {
  std::vector<Stay> stays;
  size_t next = 0;
  for (uint32_t i = 0; i < residency.lives.size(); ++i) {
    const BufferIndex b(i);
    const Life& life = residency.lives[b];
    if (life.empty()) continue;
    uint32_t begin = life.begin;
    for (; next < plan.size() && residency.gaps[plan[next].gap].buffer == b; ++next) {
      stays.push_back({b, begin, plan[next].leave});
      begin = plan[next].back;
    }
    stays.push_back({b, begin, life.end});
  }
  return stays;
}

namespace {

// Writes moves and transfers boundary by boundary.
class PlacementWriter {
 public:
  PlacementWriter(const Residency& residency, const Plan& plan, const std::vector<Stay>& stays,
                  const std::vector<uint64_t>& offsets)
      : residency_(residency), plan_(plan), stays_(stays), offsets_(offsets) {}

  Placement Write(const Price& price) {
    const Rows<uint32_t> comes =
        GroupBy(residency_.positions, stays_.size(), [this](size_t i) { return stays_[i].begin; });
    const Rows<uint32_t> leaves = GroupBy(residency_.positions + size_t{1}, stays_.size(),
                                          [this](size_t i) { return stays_[i].end; });
    FindOuts();
    for (uint32_t p = 0; p < residency_.positions; ++p) {
      // Whoever died with the op before has given its range back already.
      for (const uint32_t s : leaves[p]) in_use_ -= RoundedSize(residency_, stays_[s].buffer);
      for (const uint32_t s : leaves[p]) {
        if (out_after_[s] != kNoOut) Leave(s);
      }
      for (const uint32_t s : comes[p]) ComeIn(s);
      ++entry_;
    }
    placement_.placed = true;
    placement_.swap_bytes = price.swap_bytes;
    placement_.makespan = price.makespan;
    placement_.peak = absl::Uint128High64(peak_) != 0 ? std::numeric_limits<uint64_t>::max()
                                                      : absl::Uint128Low64(peak_);
    return std::move(placement_);
  }

 private:
  static constexpr uint32_t kNoOut = std::numeric_limits<uint32_t>::max();

  void FindOuts() {
    out_after_.assign(stays_.size(), kNoOut);
    size_t next = 0;
    for (size_t s = 0; s < stays_.size() && next < plan_.size(); ++s) {
      if (residency_.gaps[plan_[next].gap].buffer != stays_[s].buffer) continue;
      out_after_[s] = static_cast<uint32_t>(next++);
    }
  }

  void Transfer(bool is_store, BufferIndex b, uint64_t offset) {
    placement_.swap_transfers.push_back({entry_++, is_store, b, offset});
    ++(is_store ? placement_.stores : placement_.loads);
  }

  void Leave(uint32_t s) {
    const BufferIndex b = stays_[s].buffer;
    if (plan_[out_after_[s]].stores) Transfer(/*is_store=*/true, b, offsets_[s]);
    placement_.moves.push_back({entry_, false, b, offsets_[s]});
    ++placement_.swaps;
  }

  void ComeIn(uint32_t s) {
    const BufferIndex b = stays_[s].buffer;
    in_use_ += RoundedSize(residency_, b);
    peak_ = std::max(peak_, in_use_);
    placement_.moves.push_back({entry_, true, b, offsets_[s]});
    const bool returns = s != 0 && stays_[s - 1].buffer == b;
    if (returns && plan_[out_after_[s - 1]].loads) Transfer(/*is_store=*/false, b, offsets_[s]);
  }

  const Residency& residency_;
  const Plan& plan_;
  const std::vector<Stay>& stays_;
  const std::vector<uint64_t>& offsets_;
  Placement placement_;
  std::vector<uint32_t> out_after_;  // by stay: the out that ends it
  uint64_t entry_ = 0;               // of the placed stream
  absl::uint128 in_use_ = 0;
  absl::uint128 peak_ = 0;
};

}  // namespace

Placement PlacementOf(const Residency& residency, const Plan& plan, const std::vector<Stay>& stays,
                      const std::vector<uint64_t>& offsets, const Price& price) {
  return PlacementWriter(residency, plan, stays, offsets).Write(price);
}

}  // namespace offline
}  // namespace torqsched
