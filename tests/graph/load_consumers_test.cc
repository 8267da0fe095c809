// Whom a load loads for: against a literal scan on random streams, and scenes.
#include "src/graph/load_consumers.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/reference/random_streams.h"
#include "tests/reference/reference.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

constexpr uint32_t kNone = LoadConsumers::kNone;

std::vector<BufferIndex> Destinations(const Stream& stream, OpIndex load) {
  std::vector<BufferIndex> destinations;
  for (const Access& a : stream.accesses(load)) {
    if (a.writes && stream.buffer(a.buffer).space == Space::kLram) destinations.push_back(a.buffer);
  }
  return destinations;
}

// The first program after the load that reads a byte of a destination.
OpIndex Consumer(const Stream& stream, OpIndex load) {
  for (uint32_t i = load.value() + 1; i < stream.op_count(); ++i) {
    if (stream.op(OpIndex(i)).kind != OpKind::kStart) continue;
    for (const Access& a : stream.accesses(OpIndex(i))) {
      for (const BufferIndex b : Destinations(stream, load)) {
        if (a.buffer == b && a.reads && a.begin < a.end) return OpIndex(i);
      }
    }
  }
  return OpIndex();
}

bool AnOlderProgramUsesADestination(const Stream& stream, OpIndex load, OpIndex consumer) {
  for (uint32_t i = 0; consumer.present() && i < consumer.value(); ++i) {
    if (stream.op(OpIndex(i)).kind != OpKind::kStart) continue;
    const std::set<BufferIndex> uses = reference::ReferenceUses(stream, OpIndex(i));
    for (const BufferIndex b : Destinations(stream, load)) {
      if (uses.count(b) != 0 && stream.buffer(b).size != 0) return true;
    }
  }
  return false;
}

std::string Wrong(const Stream& stream, const LoadConsumers& consumers) {
  std::string wrong;
  std::vector<uint32_t> ordinal(stream.op_count(), kNone);
  uint32_t programs = 0;
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    if (stream.op(OpIndex(i)).kind == OpKind::kStart) ordinal[i] = programs++;
    if (consumers.ordinal(OpIndex(i)) != ordinal[i]) wrong += "ordinal " + std::to_string(i) + "\n";
  }
  std::set<uint32_t> numbers;  // all of 0 .. sharing_count-1, each once
  size_t sharing = 0;
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    const OpIndex op(i);
    const std::vector<BufferIndex> listed = ToVector(consumers.destinations(op));
    std::vector<BufferIndex> written;
    if (stream.op(op).kind == OpKind::kLoad) written = Destinations(stream, op);
    const std::set<BufferIndex> once(written.begin(), written.end());
    if (listed != std::vector<BufferIndex>(once.begin(), once.end())) {
      wrong += "destinations of " + std::to_string(i) + "\n";
    }
    if (stream.op(op).kind != OpKind::kLoad) continue;
    const OpIndex consumer = Consumer(stream, op);
    if (consumers.consumer(op) != (consumer.present() ? ordinal[consumer.value()] : kNone)) {
      wrong += "consumer of " + std::to_string(i) + "\n";
    }
    const bool shares = AnOlderProgramUsesADestination(stream, op, consumer);
    if ((consumers.sharing(op) != kNone) != shares) {
      wrong += "sharing of " + std::to_string(i) + "\n";
    }
    if (shares) {
      numbers.insert(consumers.sharing(op));
      ++sharing;
    }
  }
  if (consumers.sharing_count() != sharing || numbers.size() != sharing ||
      (sharing != 0 && *numbers.rbegin() != sharing - 1)) {
    wrong += "numbers of those that share\n";
  }
  return wrong;
}

TEST(LoadConsumers, OfRandomStreamsAreThoseOfALiteralScan) {
  int failures = 0;
  for (uint64_t seed = 500000; seed < 503000 && failures < 3; ++seed) {
    const reference::RandomStream random = reference::MakeRandomStream(seed, reference::Shape());
    const absl::StatusOr<Lifetimes> lifetimes = Lifetimes::Build(random.stream, random.hardware);
    ASSERT_TRUE(lifetimes.ok()) << lifetimes.status();
    const std::string wrong = Wrong(random.stream, LoadConsumers(random.stream, *lifetimes));
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << "\n" << wrong << reference::DumpStream(seed, random);
  }
}

TEST(LoadConsumers, AreTheFirstProgramsAfterTheLoadThatReadAByte) {
  StreamMaker maker;
  maker.Lram(8);
  maker.Lram(8);
  maker.Xram(8);
  maker.Program(1, {Reads(0)});                             // ordinal 0: older
  const uint32_t a = maker.Load(1, {Reads(2), Writes(0)});  // read by 3 at last
  const uint32_t both = maker.Load(1, {Writes(1), Writes(0, 0, 4)});
  maker.Program(1, {Writes(0), Reads(2)});           // ordinal 1: only writes
  maker.Program(1, {Reads(0, 4, 0), Reads(1)});      // ordinal 2: no byte of 0
  maker.Program(1, {Reads(0, 7, 1)});                // ordinal 3
  const uint32_t late = maker.Load(1, {Writes(0)});  // nobody
  const Stream stream = maker.Build();
  Hardware hardware;
  hardware.lram_bytes = 100;
  const absl::StatusOr<Lifetimes> lifetimes = Lifetimes::Build(stream, hardware);
  ASSERT_TRUE(lifetimes.ok()) << lifetimes.status();
  const LoadConsumers consumers(stream, *lifetimes);
  EXPECT_EQ(consumers.consumer(OpIndex(a)), 3u);
  EXPECT_EQ(consumers.consumer(OpIndex(both)), 2u);
  EXPECT_EQ(consumers.consumer(OpIndex(late)), kNone);
  EXPECT_EQ(consumers.sharing_count(), 2u);
  EXPECT_LT(consumers.sharing(OpIndex(a)), 2u);
  EXPECT_LT(consumers.sharing(OpIndex(both)), 2u);
  EXPECT_NE(consumers.sharing(OpIndex(a)), consumers.sharing(OpIndex(both)));
  EXPECT_EQ(consumers.sharing(OpIndex(late)), kNone);
}

}  // namespace
}  // namespace torqsched
