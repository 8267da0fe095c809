#include "src/allocation/greedy.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/numeric/int128.h"
#include "src/allocation/live_bound.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

constexpr int kOrders = 4;
constexpr uint64_t kLooksPerNode = 64;  // pieces looked at that cost as much as a search node
constexpr uint64_t kLeastLooks = 500000000;

// Largest values of runs of a fixed array: a table of runs of 2^k.
class RangeMaximum {
 public:
  explicit RangeMaximum(std::vector<uint64_t> values) {
    rows_.push_back(std::move(values));
    for (size_t width = 1; 2 * width <= rows_[0].size(); width *= 2) {
      const std::vector<uint64_t>& below = rows_.back();
      std::vector<uint64_t> row(below.size() - width);
      for (size_t i = 0; i < row.size(); ++i) row[i] = std::max(below[i], below[i + width]);
      rows_.push_back(std::move(row));
    }
  }
  // Of [first, last), not empty.
  uint64_t Of(uint32_t first, uint32_t last) const {
    const int k = 31 - __builtin_clz(last - first);
    return std::max(rows_[k][first], rows_[k][last - (uint32_t{1} << k)]);
  }

 private:
  std::vector<std::vector<uint64_t>> rows_;
};

}  // namespace

Greedy::Greedy(const Packing& packing, std::vector<uint64_t> hints)
    : packing_(packing), hints_(std::move(hints)), decoder_(packing) {
  FindPressure();
}

void Greedy::FindPressure() {
  const size_t n = packing_.bodies.size();
  std::vector<uint64_t> sums;
  sums.reserve(packing_.sections);
  for (const absl::uint128 sum : LiveSums(packing_)) sums.push_back(absl::Uint128Low64(sum));
  const RangeMaximum largest(std::move(sums));
  pressure_.assign(n, 0);
  length_.assign(n, 0);
  for (size_t b = 0; b < n; ++b) {
    for (const Piece& piece : packing_.pieces[b]) {
      length_[b] += piece.last - piece.first;
      pressure_[b] = std::max(pressure_[b], largest.Of(piece.first, piece.last));
    }
  }
}

Greedy::Order Greedy::MakeOrder(int which) const {
  Order order;
  order.bodies.resize(packing_.bodies.size());
  std::iota(order.bodies.begin(), order.bodies.end(), 0);
  order.fit = which == 0 || which == 3 ? FitRule::kFirst : FitRule::kBest;
  const auto key = [&](uint32_t b) {
    const uint64_t size = packing_.bodies[b].rounded;
    switch (which) {
      case 0:
        return std::make_tuple(pressure_[b], size, length_[b]);
      case 2:
        return std::make_tuple(length_[b], size, pressure_[b]);
      default:
        return std::make_tuple(pressure_[b], length_[b], size);
    }
  };
  std::sort(order.bodies.begin(), order.bodies.end(), [&](uint32_t a, uint32_t b) {
    const auto x = key(a);
    const auto y = key(b);
    return x != y ? x > y : a < b;
  });
  return order;
}

bool Greedy::Decode(Order* order, const std::vector<uint64_t>* hints, Budget* budget) {
  const uint64_t before = decoder_.looked_at();
  // The first is made whatever it costs, within reason.
  const uint64_t most_looks = std::max(decodes_ == 0 ? kLeastLooks : 0,
                                       SaturatingMultiply(budget->left(), kLooksPerNode) / 2);
  decoder_.Decode(order->bodies, order->fit, hints, most_looks, budget, &current_);
  ++decodes_;
  order->height = current_.height;
  const bool better = current_.height < best_.height;
  if (better) best_ = current_;
  return budget->Spend((decoder_.looked_at() - before + packing_.bodies.size()) / kLooksPerNode +
                       1);
}

void Greedy::DecodeAll(uint64_t target, Budget* budget) {
  if (!hints_.empty()) {
    DecodeHinted(budget);
    if (budget->spent() || best_.height <= target) return;
  }
  for (int which = 0; which < kOrders; ++which) {
    orders_.push_back(MakeOrder(which));
    if (!Decode(&orders_.back(), nullptr, budget) || best_.height <= target) return;
  }
}

void Greedy::DecodeHinted(Budget* budget) {
  // Those with a hint first, from below, so that the others fill what they leave.
  Order order = MakeOrder(0);
  std::stable_sort(order.bodies.begin(), order.bodies.end(),
                   [this](uint32_t a, uint32_t b) { return hints_[a] < hints_[b]; });
  Decode(&order, &hints_, budget);
}

void Greedy::TurnWheel(uint64_t target, uint64_t rounds, Budget* budget) {
  std::stable_sort(orders_.begin(), orders_.end(),
                   [](const Order& a, const Order& b) { return a.height < b.height; });
  for (const Order& order : orders_) {
    if (best_.height <= target || budget->spent()) return;
    TurnOne(order, target, rounds, budget);
  }
}

void Greedy::TurnOne(const Order& start, uint64_t target, uint64_t rounds, Budget* budget) {
  Order order = start;
  const size_t n = order.bodies.size();
  std::vector<std::pair<uint64_t, uint32_t>> place(n);  // key, body
  // Positions are scaled, so that several bodies that come earlier stay apart.
  std::vector<uint64_t> key(n);
  for (size_t i = 0; i < n; ++i) key[order.bodies[i]] = (i + 1) << 24;
  uint64_t least = kNoOffset;
  if (!Decode(&order, nullptr, budget)) return;
  for (uint64_t round = 0; round < rounds && best_.height > target; ++round) {
    for (uint32_t b = 0; b < n; ++b) {
      const bool above = current_.offsets[b] + packing_.bodies[b].size > target;
      if (above) key[b] = key[b] / 10 * 3;
      place[b] = {key[b], b};
    }
    std::sort(place.begin(), place.end());
    for (size_t i = 0; i < n; ++i) order.bodies[i] = place[i].second;
    if (!Decode(&order, nullptr, budget)) return;
    if (order.height < least) {
      least = order.height;
      round = 0;
    }
  }
}

}  // namespace torqsched
