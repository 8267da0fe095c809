#include "src/lram/offline_timing.h"

#include <algorithm>
#include <tuple>

#include "src/stream/position_tree.h"

namespace torqsched {
namespace offline {
namespace {

constexpr uint32_t kNone = PositionTree::kNone;
constexpr uint64_t kMostSlack = uint64_t{1}
                                << 61;  // what the tree can hold; more than any transfer

class Hider {
 public:
  Hider(const Residency& residency, const std::vector<int64_t>& excess, Plan* plan)
      : residency_(residency),
        plan_(*plan),
        excess_(ExcessWith(excess)),
        slack_(SlackOf()),
        hides_at_(HidingWaits()) {}

  void Run() {
    struct Wish {
      uint64_t cycles;
      uint32_t out;
      bool is_store;
    };
    std::vector<Wish> wishes;
    for (uint32_t i = 0; i < plan_.size(); ++i) {
      const BufferIndex b = residency_.gaps[plan_[i].gap].buffer;
      const uint64_t cycles = TransferCycles(residency_.hardware, residency_.stream.buffer(b).size);
      if (cycles > kMostSlack) continue;
      if (plan_[i].stores) wishes.push_back({cycles, i, true});
      if (plan_[i].loads) wishes.push_back({cycles, i, false});
    }
    std::sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) {
      return std::make_tuple(b.cycles, a.out, a.is_store) <
             std::make_tuple(a.cycles, b.out, b.is_store);
    });
    // Those first that are hidden where they stand: they need no room for it.
    std::vector<Wish> open;
    for (const Wish& wish : wishes) {
      const Out& out = plan_[wish.out];
      if (!TakeSlack(hides_at_[wish.is_store ? out.leave : out.back], wish.cycles)) {
        open.push_back(wish);
      }
    }
    for (const Wish& wish : open) {
      // A part that is hidden is better than nothing.
      for (const uint64_t enough : {wish.cycles, wish.cycles / 2, wish.cycles / 4}) {
        if (enough == 0) break;
        const bool hidden = wish.is_store ? StoreLater(&plan_[wish.out], enough)
                                          : LoadEarlier(&plan_[wish.out], enough);
        if (hidden) break;
      }
    }
  }

 private:
  std::vector<int64_t> ExcessWith(std::vector<int64_t> excess) const {
    std::vector<int64_t> change(excess.size() + 1, 0);
    for (const Out& out : plan_) {
      const int64_t size = residency_.rounded[residency_.gaps[out.gap].buffer];
      change[out.leave] -= size;
      change[out.back] += size;
    }
    int64_t sum = 0;
    for (size_t p = 0; p < excess.size(); ++p) {
      sum += change[p];
      excess[p] += sum;
    }
    return excess;
  }

  std::vector<int64_t> SlackOf() const {
    std::vector<uint64_t> slack;
    PriceOf(residency_, {}, &slack);
    std::vector<int64_t> values(slack.size());
    for (size_t p = 0; p < slack.size(); ++p) {
      values[p] = static_cast<int64_t>(std::min(slack[p], kMostSlack));
    }
    return values;
  }

  // By position: the wait that hides what stands there, if only transfers come before it.
  std::vector<uint32_t> HidingWaits() const {
    std::vector<uint32_t> waits(residency_.positions + size_t{1}, kNone);
    uint32_t wait = kNone;
    for (uint32_t p = static_cast<uint32_t>(residency_.order.size()); p-- > 0;) {
      const OpKind kind = residency_.stream.op(residency_.order[p]).kind;
      if (kind == OpKind::kWait) wait = p;
      if (kind == OpKind::kStart || kind == OpKind::kBarrier) wait = kNone;
      waits[p] = wait;
    }
    return waits;
  }

  bool TakeSlack(uint32_t wait, uint64_t cycles) {
    if (wait == kNone) return false;
    const int64_t wanted = static_cast<int64_t>(cycles);
    if (slack_.Most(wait, wait + 1) < wanted) return false;
    slack_.Add(wait, wait + 1, -wanted);
    return true;
  }

  void UseUp(uint32_t wait, uint64_t cycles) {
    const int64_t left = slack_.Most(wait, wait + 1);
    slack_.Add(wait, wait + 1, -std::min(left, static_cast<int64_t>(cycles)));
  }

  int64_t SizeOf(const Out& out) const {
    return residency_.rounded[residency_.gaps[out.gap].buffer];
  }
  uint64_t CyclesOf(const Out& out) const {
    return TransferCycles(residency_.hardware,
                          residency_.stream.buffer(residency_.gaps[out.gap].buffer).size);
  }

  // To the earliest wait that has enough slack.
  bool StoreLater(Out* out, uint64_t enough) {
    const int64_t size = SizeOf(*out);
    const uint32_t full = excess_.FirstAbove(out->leave, out->back, -size);
    const uint32_t latest = full == kNone ? out->back - 1 : full;  // it has to be gone there
    const uint32_t wait =
        slack_.FirstAbove(out->leave + 1, latest + 1, static_cast<int64_t>(enough) - 1);
    if (wait == kNone) return false;
    excess_.Add(out->leave, wait, size);
    out->leave = wait;
    UseUp(wait, CyclesOf(*out));
    return true;
  }

  // To the latest wait that has.
  bool LoadEarlier(Out* out, uint64_t enough) {
    const int64_t size = SizeOf(*out);
    const uint32_t full = excess_.LastAbove(out->leave, out->back, -size);
    const uint32_t earliest = full == kNone ? out->leave + 1 : full + 1;
    const uint32_t wait = slack_.LastAbove(earliest, out->back, static_cast<int64_t>(enough) - 1);
    if (wait == kNone) return false;
    excess_.Add(wait, out->back, size);
    out->back = wait;
    UseUp(wait, CyclesOf(*out));
    return true;
  }

  const Residency& residency_;
  Plan& plan_;
  PositionTree excess_;
  PositionTree slack_;  // what is left of it
  const std::vector<uint32_t> hides_at_;
};

}  // namespace

void HideTransfers(const Residency& residency, const std::vector<int64_t>& excess, Plan* plan) {
  if (!plan->empty()) Hider(residency, excess, plan).Run();
}

}  // namespace offline
}  // namespace torqsched
