// What happens to contents later: against a literal scan of the rest of the order.
#include "src/lram/future_accesses.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/reference/random_streams.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

struct Touch {
  bool any = false;
  bool reads = false;   // at least a byte
  bool covers = false;  // one write access covers all of it
  bool overwrites() const { return covers && !reads; }
};

Touch TouchOf(const Stream& stream, OpIndex op, BufferIndex buffer) {
  Touch touch;
  for (const Access& a : stream.accesses(op)) {
    if (a.buffer != buffer) continue;
    touch.any = true;
    touch.reads |= a.reads && a.begin < a.end;
    touch.covers |= a.writes && a.begin == 0 && a.end == stream.buffer(buffer).size;
  }
  return touch;
}

std::string Wrong(const Stream& stream, const std::vector<OpIndex>& order) {
  const FutureAccesses future(stream, order);
  for (uint32_t i = 0; i < stream.buffer_count(); ++i) {
    const BufferIndex b(i);
    if (stream.buffer(b).space != Space::kLram) continue;
    bool matters = false;
    bool needs = false;
    for (uint32_t position = static_cast<uint32_t>(order.size() + 1); position-- > 0;) {
      if (position < order.size()) {
        const Touch touch = TouchOf(stream, order[position], b);
        if (touch.any) needs = !touch.overwrites();
        matters = touch.reads || (!touch.overwrites() && matters);
      }
      if (future.ContentsMatter(b, position) != matters) {
        return stream.Describe(b) + " matters at " + std::to_string(position);
      }
      if (future.NextNeedsContents(b, position) != needs) {
        return stream.Describe(b) + " is needed next at " + std::to_string(position);
      }
    }
  }
  return "";
}

TEST(FutureAccesses, AreThoseOfALiteralScan) {
  int failures = 0;
  for (uint64_t seed = 600000; seed < 602000 && failures < 3; ++seed) {
    const reference::RandomStream random = reference::MakeRandomStream(seed, reference::Shape());
    std::vector<OpIndex> order;
    for (uint32_t i = 0; i < random.stream.op_count(); ++i) order.push_back(OpIndex(i));
    std::string wrong = Wrong(random.stream, order);
    reference::SplitMix64 shuffle(seed);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[shuffle.Below(i)]);
    wrong += Wrong(random.stream, order);
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << "\n" << wrong << reference::DumpStream(seed, random);
  }
}

TEST(FutureAccesses, OneOpMayListABufferManyTimes) {
  StreamMaker maker;
  maker.Lram(8);
  maker.Store(1, {Reads(0)});
  maker.Barrier(0, {Writes(0, 0, 4), Writes(0, 4, 4)});            // covers it in two pieces
  maker.Barrier(0, {Reads(0, 3, 1), Writes(0)});                   // reads a byte of it
  maker.Barrier(0, {Writes(0, 0, 1), Reads(0, 8, 0), Writes(0)});  // overwrites it
  maker.Store(1, {Reads(0)});
  const Stream stream = maker.Build();
  const FutureAccesses future(stream, Ops({0, 1, 2, 3, 4}));
  const std::vector<bool> matters = {true, true, true, false, true, false};
  const std::vector<bool> needs = {true, true, true, false, true, false};
  for (uint32_t i = 0; i <= 5; ++i) {
    EXPECT_EQ(future.ContentsMatter(BufferIndex(0), i), matters[i]) << i;
    EXPECT_EQ(future.NextNeedsContents(BufferIndex(0), i), needs[i]) << i;
  }
}

TEST(FutureAccesses, APartThatIsWrittenComesBackThoughNothingReadsIt) {
  StreamMaker maker;
  maker.Lram(8);
  maker.Load(1, {Writes(0, 0, 4)});
  maker.Load(1, {Writes(0)});
  maker.Store(1, {Reads(0)});
  const Stream stream = maker.Build();
  const FutureAccesses future(stream, Ops({0, 1, 2}));
  EXPECT_FALSE(future.ContentsMatter(BufferIndex(0), 0));
  EXPECT_TRUE(future.NextNeedsContents(BufferIndex(0), 0));
}

}  // namespace
}  // namespace torqsched
