// The quick part of the ladder: greedy decodes in several orders, then the squeaky wheel.
//
// Bodies come by what makes them hard to place: the largest live sum among their sections
// (*pressure*), size, length. No single order is good everywhere. The squeaky wheel then repeats a
// decode: whoever ended above the target comes earlier next time, its position times 3/10.
#ifndef TORQSCHED_SRC_ALLOCATION_GREEDY_H_
#define TORQSCHED_SRC_ALLOCATION_GREEDY_H_

#include <cstdint>
#include <vector>

#include "src/allocation/budget.h"
#include "src/allocation/decode.h"
#include "src/allocation/packing.h"

namespace torqsched {

class Greedy {
 public:
  // The packing must outlive it. hints: by body, kNoOffset where there is none; or empty.
  Greedy(const Packing& packing, std::vector<uint64_t> hints);

  // Decodes in all orders until one ends at or below the target, or the budget is used up (the
  // first is always made). The best is in best().
  void DecodeAll(uint64_t target, Budget* budget);
  // About `rounds` decodes after the last that was better, for each order.
  void TurnWheel(uint64_t target, uint64_t rounds, Budget* budget);

  const Decoding& best() const { return best_; }
  uint64_t decodes() const { return decodes_; }

 private:
  struct Order {
    std::vector<uint32_t> bodies;
    FitRule fit = FitRule::kFirst;
    uint64_t height = kNoOffset;
  };

  void FindPressure();
  Order MakeOrder(int which) const;
  void DecodeHinted(Budget* budget);
  bool Decode(Order* order, const std::vector<uint64_t>* hints, Budget* budget);
  void TurnOne(const Order& order, uint64_t target, uint64_t rounds, Budget* budget);

  const Packing& packing_;
  const std::vector<uint64_t> hints_;
  Decoder decoder_;
  std::vector<uint64_t> pressure_;  // by body
  std::vector<uint64_t> length_;    // by body
  std::vector<Order> orders_;
  Decoding current_;
  Decoding best_;
  uint64_t decodes_ = 0;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_GREEDY_H_
