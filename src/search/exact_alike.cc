#include "src/search/exact_alike.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace torqsched {
namespace {

uint32_t LowestOf(ActionMask mask) { return static_cast<uint32_t>(__builtin_ctzll(mask)); }

// An exchange of actions in pairs, and of buffers.
class Exchange {
 public:
  explicit Exchange(const ExactModel& model) : model_(model) {
    for (uint32_t i = 0; i < model.actions.size(); ++i) action_.push_back(i);
    for (uint32_t b = 0; b < model.buffers.size(); ++b) buffer_.push_back(b);
  }

  // Exchanges these two, and what has to change places with them. False: it cannot be.
  bool Make(uint32_t a, uint32_t b) {
    std::vector<std::pair<uint32_t, uint32_t>> pairs = {{a, b}};
    while (!pairs.empty()) {
      const auto [x, y] = pairs.back();
      pairs.pop_back();
      if (action_[x] == y) continue;
      if (action_[x] != x || action_[y] != y || x == y) return false;
      const ExactAction& left = model_.actions[x];
      const ExactAction& right = model_.actions[y];
      if (left.uses.size() != right.uses.size()) return false;
      action_[x] = y;
      action_[y] = x;
      moved_ |= MaskOf(x) | MaskOf(y);
      first_ |= MaskOf(x);
      for (size_t k = 0; k < left.uses.size(); ++k) {
        if (!AddBuffers(left.uses[k], right.uses[k], &pairs)) return false;
      }
    }
    return IsAutomorphism();
  }

  ActionMask moved() const { return moved_; }
  ActionMask first() const { return first_; }  // the part of the first program
  uint32_t Of(uint32_t action) const { return action_[action]; }

 private:
  // Their users change places in the order in which they come.
  bool AddBuffers(uint32_t a, uint32_t b, std::vector<std::pair<uint32_t, uint32_t>>* pairs) {
    if (buffer_[a] == b) return true;
    if (buffer_[a] != a || buffer_[b] != b) return false;
    buffer_[a] = b;
    buffer_[b] = a;
    ActionMask left = model_.buffers[a].users & ~model_.buffers[b].users;
    ActionMask right = model_.buffers[b].users & ~model_.buffers[a].users;
    for (; left != 0 && right != 0; left &= left - 1, right &= right - 1) {
      pairs->push_back({LowestOf(left), LowestOf(right)});
    }
    return left == 0 && right == 0;
  }

  ActionMask Image(ActionMask mask) const {
    ActionMask image = mask & ~moved_;
    ForEachBit(mask & moved_, [&](uint32_t i) { image |= MaskOf(action_[i]); });
    return image;
  }

  bool IsAutomorphism() const {
    for (uint32_t i = 0; i < action_.size(); ++i) {
      if (!Alike(model_.actions[i], model_.actions[action_[i]])) return false;
    }
    for (uint32_t b = 0; b < buffer_.size(); ++b) {
      if (!Alike(model_.buffers[b], model_.buffers[buffer_[b]])) return false;
    }
    return true;
  }

  bool Alike(const ExactAction& a, const ExactAction& b) const {
    return a.kind == b.kind && a.stream_cycles == b.stream_cycles && a.compute == b.compute &&
           Image(a.needs) == b.needs && Image(a.needs_end) == b.needs_end &&
           Image(a.wait_needs) == b.wait_needs && Image(a.wait_needs_end) == b.wait_needs_end;
  }

  // Uses of actions are told by the users of buffers.
  bool Alike(const ExactBuffer& a, const ExactBuffer& b) const {
    return a.bytes == b.bytes && a.live_in == b.live_in && a.live_out == b.live_out &&
           a.may_leave == b.may_leave && a.transfer_cycles == b.transfer_cycles &&
           Image(a.users) == b.users && Image(a.holds) == b.holds && Image(a.waits) == b.waits &&
           Image(a.readers) == b.readers && Image(a.writers) == b.writers &&
           Image(a.covers) == b.covers && Image(a.late_loads) == b.late_loads &&
           Alike(a.refills, b.refills);
  }

  bool Alike(const std::vector<ExactRefill>& a, const std::vector<ExactRefill>& b) const {
    if (a.size() != b.size()) return false;
    for (const ExactRefill& refill : a) {
      const auto has = [&](const ExactRefill& other) {
        return action_[refill.load] == other.load && Image(refill.overwrites) == other.overwrites;
      };
      if (std::none_of(b.begin(), b.end(), has)) return false;
    }
    return true;
  }

  const ExactModel& model_;
  std::vector<uint32_t> action_, buffer_;
  ActionMask moved_ = 0;
  ActionMask first_ = 0;
};

}  // namespace

void OrderAlikeParts(ExactModel* model) {
  std::vector<std::pair<uint32_t, uint32_t>> before;  // an action, and the one that it now needs
  ActionMask done = 0;                                // the parts of all rows so far
  for (size_t p = 0; p < model->programs.size(); ++p) {
    // A row of parts that are alike; each changes places with the next one.
    uint32_t at = model->programs[p];
    if ((done & MaskOf(at)) != 0) continue;
    ActionMask row = 0, last = 0;
    for (size_t q = p + 1; q < model->programs.size(); ++q) {
      Exchange exchange(*model);
      if (!exchange.Make(at, model->programs[q])) continue;
      const ActionMask left = exchange.first(), right = exchange.moved() & ~left;
      if ((row != 0 && left != last) || (right & row) != 0 || (exchange.moved() & done) != 0) {
        continue;
      }
      const uint32_t head = LowestOf(left), next = LowestOf(right);
      if (head >= next || exchange.Of(head) != next) continue;
      before.push_back({next, head});
      row |= exchange.moved();
      last = right;
      at = model->programs[q];
    }
    done |= row;
  }
  for (const auto& [action, needed] : before) model->actions[action].needs |= MaskOf(needed);
}

}  // namespace torqsched
