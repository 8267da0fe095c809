#include "src/residency/activation_sweep.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/residency/check_deployment.h"
#include "src/residency/keyed_index.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

// Activations in a given order, parted by the chips that hold them; the order stays in each part.
Rows<uint32_t> PartByChip(const ProgramFacts& facts, const std::vector<KeyedIndex>& order) {
  std::vector<uint32_t> begins(facts.chips.size() + 1, 0);
  for (const LiveActivation& a : facts.activations) {
    for (const uint32_t chip : facts.chips_of[a.tensor]) ++begins[chip + 1];
  }
  for (size_t c = 0; c + 1 < begins.size(); ++c) begins[c + 1] += begins[c];
  std::vector<uint32_t> items(begins.back());
  std::vector<uint32_t> filled(begins.begin(), begins.end() - 1);
  for (const KeyedIndex& item : order) {
    const LiveActivation& a = facts.activations[item.index];
    for (const uint32_t chip : facts.chips_of[a.tensor]) items[filled[chip]++] = item.index;
  }
  Rows<uint32_t> rows;
  rows.Adopt(std::move(begins), std::move(items));
  return rows;
}

// Those first that move least a byte.
void SortByCost(const ProgramFacts& facts, std::vector<KeyedIndex>* order) {
  const std::vector<LiveActivation>& all = facts.activations;
  std::sort(order->begin(), order->end(), [&](const KeyedIndex& a, const KeyedIndex& b) {
    const LiveActivation& x = all[a.index];
    const LiveActivation& y = all[b.index];
    if (x.bytes == 0 || y.bytes == 0) {  // to spill it makes no room
      return x.bytes != y.bytes ? y.bytes == 0 : a.index < b.index;
    }
    const absl::uint128 left = absl::uint128(facts.moved_bytes[x.tensor]) * y.bytes;
    const absl::uint128 right = absl::uint128(facts.moved_bytes[y.tensor]) * x.bytes;
    return left != right ? left < right : a.index < b.index;
  });
}

}  // namespace

ActivationSweep::ActivationSweep(const ProgramFacts& facts, SpillRule rule) : facts_(facts) {
  const std::vector<LiveActivation>& all = facts.activations;
  std::vector<KeyedIndex> order(all.size());
  for (uint32_t i = 0; i < all.size(); ++i) order[i] = {all[i].begin, i};
  StableSortByKey(&order);
  by_begin_ = PartByChip(facts, order);

  // Who goes first: the furthest end, then the largest, then the lowest. ~ turns a key around.
  for (uint32_t i = 0; i < all.size(); ++i) order[i] = {~all[i].bytes, i};
  StableSortByKey(&order);
  for (KeyedIndex& item : order) item.key = ~all[item.index].end;
  StableSortByKey(&order);
  std::vector<KeyedIndex> by_end(order.rbegin(), order.rend());
  by_end_ = PartByChip(facts, by_end);
  if (rule == SpillRule::kCheapest) SortByCost(facts, &order);
  goes_.resize(all.size());
  goes_at_.resize(all.size());
  for (uint32_t place = 0; place < order.size(); ++place) {
    goes_[place] = order[place].index;
    goes_at_[order[place].index] = place;
  }
}

absl::Status ActivationSweep::Spill(const Deployment& deployment, size_t program,
                                    const std::vector<uint64_t>& rooms,
                                    std::vector<char>* spilled) const {
  spilled->assign(facts_.activations.size(), 0);
  for (size_t chip = 0; chip < facts_.chips.size(); ++chip) {
    absl::Status status = SpillOnChip(deployment, program, chip, rooms[chip], spilled);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ActivationSweep::SpillOnChip(const Deployment& deployment, size_t program, size_t chip,
                                          uint64_t room, std::vector<char>* spilled) const {
  const std::vector<LiveActivation>& all = facts_.activations;
  const Run<uint32_t> begins = by_begin_[chip];
  const Run<uint32_t> ends = by_end_[chip];
  // Those that went on chip, by who goes first; some have ended.
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<uint32_t>> candidates;
  uint64_t live = 0;
  size_t ended = 0;
  for (size_t i = 0; i < begins.size();) {
    const uint64_t phase = all[begins[i]].begin;
    for (; ended < ends.size() && all[ends[ended]].end < phase; ++ended) {
      if (!(*spilled)[ends[ended]]) live -= all[ends[ended]].bytes;
    }
    for (; i < begins.size() && all[begins[i]].begin == phase; ++i) {
      const LiveActivation& a = all[begins[i]];
      if ((*spilled)[begins[i]]) continue;
      if (!CheckedAdd(&live, a.bytes)) {
        return InvalidTensor(deployment, program, a.tensor,
                             absl::StrCat("tensors[", a.tensor, "].bytes"),
                             absl::StrCat("the live bytes on chip ", facts_.chips[chip],
                                          " in phase ", phase, " do not fit 64 bits with it"));
      }
      candidates.push(goes_at_[begins[i]]);
    }
    while (live > room) {
      const uint32_t gone = goes_[candidates.top()];
      candidates.pop();
      if (all[gone].end < phase) continue;
      (*spilled)[gone] = 1;
      live -= all[gone].bytes;
    }
  }
  return absl::OkStatus();
}

std::vector<uint64_t> ActivationSweep::Peaks(const std::vector<char>& spilled) const {
  const std::vector<LiveActivation>& all = facts_.activations;
  std::vector<uint64_t> peaks(facts_.chips.size(), 0);
  for (size_t chip = 0; chip < peaks.size(); ++chip) {
    const Run<uint32_t> ends = by_end_[chip];
    uint64_t live = 0;
    size_t ended = 0;
    for (const uint32_t begun : by_begin_[chip]) {
      if (spilled[begun]) continue;
      for (; ended < ends.size() && all[ends[ended]].end < all[begun].begin; ++ended) {
        if (!spilled[ends[ended]]) live -= all[ends[ended]].bytes;
      }
      live += all[begun].bytes;
      peaks[chip] = std::max(peaks[chip], live);
    }
  }
  return peaks;
}

}  // namespace torqsched
