// Random placed streams with random swaps, good and bad: a contents violation is reported exactly
// where some byte that is read has another version than in the input order.
#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/verify/brute_force.h"
#include "tests/verify/scene.h"

namespace torqsched {
namespace {

constexpr uint32_t kBuffers = 3;
constexpr uint32_t kXram = 3;
constexpr uint32_t kConstant = 4;

class RandomSwaps {
 public:
  explicit RandomSwaps(uint32_t seed) : random_(seed) {}

  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  Stream Make() {
    Scene scene;
    for (uint32_t b = 0; b < kBuffers; ++b) scene.Lram("b", 8);
    scene.Xram("x", 8);
    Buffer constant;
    constant.size = 8;
    constant.constant = true;
    scene.Add("constant", constant);
    for (uint32_t ops = 4 + Below(12); ops > 0; --ops) {
      const uint32_t b = Below(kBuffers);
      switch (Below(4)) {
        case 0:
          scene.Load(1, {Reads(Below(3) == 0 ? kXram : kConstant), Piece(b, false)});
          break;
        case 1:
          scene.Store(1, {Piece(b, true)});
          break;
        case 2:
          scene.Barrier(1, {Piece(b, true), Piece(Below(kBuffers), false)});
          break;
        default: {
          const uint32_t start = scene.Start(
              1, {Piece(b, true), Piece(Below(kBuffers), false), Piece(Below(kBuffers), true)});
          scene.Wait(start);
        }
      }
    }
    return scene.Build();
  }

  // An order that keeps all dependences: neighbours change places where that is allowed.
  std::vector<OpIndex> Reorder(const Stream& stream) {
    std::vector<OpIndex> order = InputOrder(stream).order;
    for (int tries = 0; tries < 20; ++tries) {
      const uint32_t i = Below(static_cast<uint32_t>(order.size()) - 1);
      std::swap(order[i], order[i + 1]);
      if (!BruteMemoryFaults(stream, order).empty() || BruteOtherFault(stream, order)) {
        std::swap(order[i], order[i + 1]);
      }
    }
    return order;
  }

  // Each buffer has a place of its own. Anything that no running program uses may go, with or
  // without a store; what is needed and out comes back, with or without a load.
  void Place(const Stream& stream, const std::vector<OpIndex>& order, Answer* answer) {
    std::vector<uint32_t> last(kBuffers, 0);
    for (uint32_t p = 0; p < order.size(); ++p) {
      for (const Access& a : stream.accesses(order[p])) {
        const Op& op = stream.op(order[p]);
        const OpIndex end = op.kind == OpKind::kStart ? op.partner : order[p];
        if (a.buffer.value() < kBuffers) {
          last[a.buffer.value()] = std::max(last[a.buffer.value()], PositionOf(order, end));
        }
      }
    }
    std::vector<bool> in(kBuffers, false), born(kBuffers, false);
    std::vector<int> running(kBuffers, 0);
    for (uint32_t p = 0; p < order.size(); ++p) {
      for (uint32_t b = 0; b < kBuffers; ++b) {
        if (!in[b] || running[b] > 0 || last[b] < p || Below(3) != 0) continue;
        Below(3) == 0 ? answer->Out(b) : answer->StoreOut(b);
        in[b] = false;
      }
      const OpIndex op = order[p];
      std::set<uint32_t> used;
      for (const Access& a : stream.accesses(op)) {
        if (a.buffer.value() < kBuffers) used.insert(a.buffer.value());
      }
      for (const uint32_t b : used) {
        if (in[b]) continue;
        born[b] && Below(3) != 0 ? answer->LoadBack(b, 8 * b) : answer->In(b, 8 * b);
        in[b] = born[b] = true;
      }
      answer->Run(op.value());
      const Op& what = stream.op(op);
      if (what.kind == OpKind::kStart) {
        for (const uint32_t b : used) ++running[b];
      } else if (what.kind == OpKind::kWait) {
        std::set<uint32_t> held;
        for (const Access& a : stream.accesses(what.partner)) {
          if (a.buffer.value() < kBuffers) held.insert(a.buffer.value());
        }
        for (const uint32_t b : held) --running[b];
      }
    }
  }

 private:
  AccessSpec Piece(uint32_t b, bool reads) {
    const uint32_t begin = Below(2) == 0 ? 0 : Below(8);
    const uint32_t size = Below(2) == 0 ? 8 - begin : Below(9 - begin);
    return reads ? Reads(b, begin, size) : Writes(b, begin, size);
  }

  std::mt19937 random_;
};

TEST(RandomContents, ViolationsAreTheReadsOfAnotherVersion) {
  RandomSwaps swaps(7);
  int good = 0;
  int bad = 0;
  for (int i = 0; i < 4000; ++i) {
    const Stream stream = swaps.Make();
    const std::vector<OpIndex> order = swaps.Reorder(stream);
    Answer answer(stream);
    swaps.Place(stream, order, &answer);
    const Verification verification = answer.CheckWithoutNumbers(SmallChip());
    std::set<Fault> found;
    for (const Violation& violation : verification.violations) {
      ASSERT_EQ(violation.kind, ViolationKind::kContents) << Listed(verification);
      EXPECT_TRUE(found.insert({violation.op.value(), violation.buffer.value()}).second);
    }
    ASSERT_EQ(found, BruteContentFaults(stream, order, answer.placement))
        << "stream " << i << Listed(verification);
    if (answer.placement.swaps > 0) found.empty() ? ++good : ++bad;
  }
  EXPECT_GT(good, 500);
  EXPECT_GT(bad, 500);
}

}  // namespace
}  // namespace torqsched
