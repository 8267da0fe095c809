// Several thousand small random streams and orders of them: the checker finds a dependence
// violation exactly where comparing all pairs finds one.
#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "tests/verify/brute_force.h"
#include "tests/verify/scene.h"

namespace torqsched {
namespace {

class RandomStreams {
 public:
  explicit RandomStreams(uint32_t seed) : random_(seed) {}

  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  // Two LRAM buffers and one in XRAM, up to 12 ops of all kinds.
  Stream Make() {
    Scene scene;
    scene.Lram("a", 8);
    scene.Lram("b", 6);
    scene.Xram("x", 8);
    std::vector<uint32_t> running;
    const uint32_t ops = 2 + Below(9);
    uint32_t count = 0;
    while (count < ops) {
      const std::vector<uint32_t> operands = Operands(count);
      switch (Below(8)) {
        case 0:
          Below(2) == 0 ? scene.View(operands) : scene.Alloc(Below(2), operands);
          break;
        case 1:
          scene.Load(1, {Reads(2, Below(4), Below(5)), Writes(Below(2), Below(3), Below(4))},
                     operands);
          break;
        case 2:
          scene.Store(1, {Reads(Below(2), Below(3), Below(4)), Writes(2, Below(4), Below(5))},
                      operands);
          break;
        case 3:
          scene.Barrier(1, Below(2) == 0 ? std::vector<AccessSpec>{} : Accesses(), operands);
          break;
        case 4:
        case 5:
          running.push_back(scene.Start(1, Accesses(), operands));
          break;
        default:
          if (running.empty()) continue;
          const uint32_t which = Below(static_cast<uint32_t>(running.size()));
          scene.Wait(running[which], operands);
          running.erase(running.begin() + which);
      }
      ++count;
    }
    for (const uint32_t start : running) {
      if (Below(4) != 0) scene.Wait(start);
    }
    return scene.Build();
  }

  // Anything from a slightly changed input order to a shuffle.
  std::vector<OpIndex> Reorder(const Stream& stream) {
    std::vector<OpIndex> order = InputOrder(stream).order;
    const uint32_t count = static_cast<uint32_t>(order.size());
    if (Below(8) == 0) {
      std::shuffle(order.begin(), order.end(), random_);
      return order;
    }
    for (uint32_t moves = 1 + Below(3); moves > 0; --moves) {
      const uint32_t from = Below(count);
      const uint32_t to = std::min(count - 1, from + Below(4));
      if (Below(2) == 0) {
        std::rotate(order.begin() + from, order.begin() + to, order.begin() + to + 1);
      } else {
        std::swap(order[from], order[to]);
      }
    }
    return order;
  }

 private:
  std::vector<uint32_t> Operands(uint32_t count) {
    std::vector<uint32_t> operands;
    if (count == 0 || Below(3) != 0) return operands;
    for (uint32_t n = Below(3); n > 0; --n) operands.push_back(Below(count));
    return operands;
  }
  std::vector<AccessSpec> Accesses() {
    std::vector<AccessSpec> accesses;
    for (uint32_t n = Below(4); n > 0; --n) {
      AccessSpec access = Reads(Below(3), Below(4), Below(3));
      access.writes = Below(2) == 0;
      access.reads = !access.writes || Below(4) == 0;
      accesses.push_back(access);
    }
    return accesses;
  }

  std::mt19937 random_;
};

TEST(RandomOrders, DependenceViolationsAreThoseOfAllPairs) {
  RandomStreams streams(20);
  const Hardware hardware = SmallChip();
  int valid = 0;
  int invalid = 0;
  for (int i = 0; i < 6000; ++i) {
    const Stream stream = streams.Make();
    for (int j = 0; j < 3; ++j) {
      Claim claim = InputOrder(stream);
      claim.order = streams.Reorder(stream);
      std::set<Fault> memory;
      bool other = false;
      const Verification verification = Verify(stream, hardware, claim);
      for (const Violation& violation : verification.violations) {
        ASSERT_EQ(violation.kind, ViolationKind::kDependence);
        if (violation.buffer.present()) {
          EXPECT_TRUE(memory.insert({violation.op.value(), violation.buffer.value()}).second);
        } else {
          other = true;
        }
      }
      ASSERT_EQ(memory, BruteMemoryFaults(stream, claim.order)) << "stream " << i;
      ASSERT_EQ(other, BruteOtherFault(stream, claim.order)) << "stream " << i;
      verification.violations.empty() ? ++valid : ++invalid;
    }
  }
  // Enough of both that agreeing means something.
  EXPECT_GT(valid, 1000);
  EXPECT_GT(invalid, 1000);
}

}  // namespace
}  // namespace torqsched
