// The exact search on small tiles of special kinds, against an enumeration of all orders: loads
// that are alike, buffers that only waits use, stores that swaps make early.
#include <algorithm>
#include <iostream>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/search/exact.h"
#include "tests/reference/exhaustive.h"
#include "tests/reference/random_streams.h"
#include "tests/reference/reference.h"
#include "tests/search/exact_order.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

Buffer Constant(uint64_t size) {
  Buffer buffer = LiveIn(XramBuffer(size));
  buffer.constant = true;
  return buffer;
}

Hardware Chip(uint64_t usable_bytes) {
  Hardware hardware = *ProfileNamed("sl2610");
  hardware.alignment = 1;
  hardware.lram_bytes = hardware.lram_reserved_bytes + usable_bytes;
  return hardware;
}

struct Kind {
  bool code = false;       // each program loads its own code, of one or two sizes
  bool wait_uses = false;  // a wait has a buffer for its start's results
  uint64_t chained = 30;   // percent of the programs that read what the one before has written
  size_t most_programs = 3;
};

// Programs with an input, a result and its store.
void WriteTiles(const Kind& kind, SplitMix64* random, StreamMaker* maker) {
  struct Tile {
    uint32_t code, code_xram, input, input_xram, output, output_xram, wait;
    bool chained;
  };
  SplitMix64& r = *random;
  std::vector<Tile> tiles(r.Between(2, kind.most_programs));
  const uint64_t code_sizes[] = {16 * r.Between(4, 12), 16 * r.Between(4, 12)};
  const bool by_size = r.Percent(50);
  std::vector<uint64_t> code_size;
  for (Tile& tile : tiles) {
    code_size.push_back(code_sizes[r.Percent(80) ? 0 : 1]);
    tile.code_xram = maker->Add(Constant(code_size.back()));
    const Buffer code = LramBuffer(code_size.back());
    tile.code = maker->Add(r.Percent(10) ? LiveOut(code) : code);
    const uint64_t input = 16 * r.Between(2, 20), output = 16 * r.Between(1, 10);
    tile.input_xram = maker->Add(LiveIn(XramBuffer(input)));
    tile.input = maker->Lram(input);
    tile.output = maker->Lram(output);
    tile.output_xram = maker->Add(LiveOut(XramBuffer(output)));
    tile.wait = maker->Lram(16 * r.Between(2, 20));
    tile.chained = r.Percent(kind.chained);
  }
  for (size_t i = 0; i < tiles.size(); ++i) {
    const Tile& tile = tiles[i];
    StreamMaker::Accesses accesses = {Writes(tile.output)};
    if (kind.code) {
      maker->Load(by_size ? code_size[i] / 4 : 20, {Reads(tile.code_xram), Writes(tile.code)});
      accesses.push_back(Reads(tile.code));
      if (i != 0 && r.Percent(10)) accesses.push_back(Reads(tiles[i - 1].code));
    }
    if (tile.chained && i != 0) {
      accesses.push_back(Reads(tiles[i - 1].output));
    } else {
      maker->Load(r.Between(1, 60), {Reads(tile.input_xram), Writes(tile.input)});
      accesses.push_back(Reads(tile.input));
    }
    const uint32_t start = maker->Start(r.Between(5, 150), accesses);
    // Some have it in common.
    const uint32_t wait = r.Percent(50) ? tile.wait : tiles[0].wait;
    if (kind.wait_uses && r.Percent(70)) {
      maker->Wait(start, {maker->View({maker->Alloc(wait)})});
    } else {
      maker->Wait(start);
    }
    if (r.Percent(70)) {
      maker->Store(r.Between(1, 40), {Reads(tile.output), Writes(tile.output_xram)});
    }
  }
}

uint64_t LramBytes(const Stream& stream) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < stream.buffer_count(); ++i) {
    const Buffer& buffer = stream.buffer(BufferIndex(i));
    if (buffer.space == Space::kLram) bytes += buffer.size;
  }
  return bytes;
}

// Whether the enumeration was complete; the search then found the same.
bool Compare(const Stream& stream, const Hardware& hardware, uint32_t evictions) {
  const reference::ExhaustiveAnswer least =
      reference::ExhaustiveOptimum(stream, hardware, 30000, evictions);
  if (!least.complete) return false;
  const std::unique_ptr<const ScheduleProblem> problem = *ScheduleProblem::Make(stream, hardware);
  const ActionGraph graph(*problem);
  ExactOptions options;
  options.swaps = evictions != 0;
  const ExactAnswer answer = SolveExactly(*problem, graph, options);
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.makespan, least.makespan);
  if (options.swaps || !answer.makespan.has_value()) return true;
  const ExactOrder made = OrderOf(stream, graph, answer.entries);
  const reference::Priced priced =
      reference::ReferenceSimulate(stream, hardware, made.order, made.slices);
  EXPECT_EQ(priced.makespan, *answer.makespan);
  EXPECT_LE(priced.peak, hardware.usable_bytes());
  return true;
}

size_t CompareTiles(const Kind& kind, uint64_t seeds, uint32_t evictions) {
  size_t compared = 0;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    SplitMix64 random(seed);
    StreamMaker maker;
    WriteTiles(kind, &random, &maker);
    const Stream stream = maker.Build();
    Hardware hardware = Chip(LramBytes(stream) * random.Between(25, 100) / 100);
    hardware.slices = static_cast<uint32_t>(random.Between(1, 2));
    if (!ScheduleProblem::Make(stream, hardware).ok()) continue;
    if (Compare(stream, hardware, evictions)) ++compared;
  }
  std::cout << compared << " compared\n";
  return compared;
}

TEST(ExactTilesTest, LoadsThatAreAlike) {
  Kind kind;
  kind.code = true;
  kind.most_programs = 4;
  EXPECT_GE(CompareTiles(kind, 300, 0), 200u);
}

TEST(ExactTilesTest, LoadsThatAreAlikeWithSwaps) {
  Kind kind;
  kind.code = true;
  EXPECT_GE(CompareTiles(kind, 200, 4), 80u);
}

TEST(ExactTilesTest, UsersThatOnlyAWaitUses) {
  Kind kind;
  kind.wait_uses = true;
  EXPECT_GE(CompareTiles(kind, 200, 0), 150u);
}

// What one program has written leaves for `middle` and comes back. The store is free if it is made
// while the program before `middle` runs; then there is still room.
TEST(ExactTilesTest, StoresAreMadeBeforeRoomIsNeeded) {
  for (const uint64_t compute : {100u, 1000u, 3000u}) {
    StreamMaker maker;
    const uint32_t kept = maker.Lram(8320), small = maker.Lram(832), middle = maker.Lram(4992);
    const uint32_t first = maker.Lram(64), last = maker.Lram(64);
    const uint32_t xram = maker.Xram(832);
    maker.Program(10, {Writes(kept), Writes(first)});
    maker.Program(compute, {Reads(first), Writes(small)});
    maker.Store(175, {Reads(small), Writes(xram)});
    maker.Load(1050, {Reads(xram), Writes(middle, 0, 832)});
    maker.Program(10, {Reads(middle, 0, 832), Writes(last)});
    maker.Program(10, {Reads(kept), Reads(last)});
    const Stream stream = maker.Build();
    EXPECT_TRUE(Compare(stream, Chip(12000), 2));
  }
}

}  // namespace
}  // namespace torqsched
