#include "tests/search/blocks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/reference/random_streams.h"
#include "tests/search/block_writer.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

constexpr uint64_t kCodeBytes = 5120;
constexpr size_t kFewestPrograms = 3;
constexpr size_t kMostPrograms = 10;

// What is drawn for a whole block before it is written.
struct Plan {
  size_t programs = kFewestPrograms;
  bool code = false;       // each program loads its code
  bool parts = true;       // weights and inputs that could come in one load come in two
  uint64_t tile = 0;       // bytes, about, of what a program reads
  uint64_t compute = 100;  // percent of what the transfers of such a tile take
  uint64_t jitter = 0;     // percent that sizes and cycles vary by
};

class BlockMaker {
 public:
  BlockMaker(SplitMix64 random, const Plan& plan, BlockWriter* writer)
      : r_(random), plan_(plan), w_(*writer) {}

  void Make(BlockShape shape) {
    switch (shape) {
      case BlockShape::kTiles:
        return Tiles();
      case BlockShape::kBarriers:
        return Barriers();
      case BlockShape::kBranches:
        return Branches();
      case BlockShape::kChain:
        return Chain();
      case BlockShape::kConvolution:
        return Convolution();
      case BlockShape::kDecode:
        return Decode();
      case BlockShape::kExperts:
        return Experts();
      case BlockShape::kHead:
        return Head();
      case BlockShape::kLargeTiles:
        return LargeTiles();
    }
  }

 private:
  uint64_t About(uint64_t value) {
    return value * r_.Between(100 - plan_.jitter, 100 + plan_.jitter) / 100;
  }
  // A size of so many percent of a tile, a multiple of 32 bytes.
  uint64_t Bytes(uint64_t percent) {
    return std::max<uint64_t>(About(plan_.tile) * percent / 100 / 32, 2) * 32;
  }
  // percent: how much work it is beside the block's other programs.
  uint64_t Cycles(uint64_t percent) {
    const uint64_t transfers = plan_.tile * 175 / 832;
    const uint64_t cycles = About(transfers) * plan_.compute / 100 * percent / 100;
    return std::min<uint64_t>(std::max<uint64_t>(cycles, 500), 30000);
  }

  void Program(uint64_t percent, std::vector<Part> reads, const std::vector<Part>& writes) {
    if (plan_.code) reads.push_back({w_.LoadConstant(kCodeBytes)});
    w_.Program(Cycles(percent), reads, writes);
  }

  // Loads what it reads (from `xram`, from this place), starts, waits, stores what it wrote.
  void Tile(uint64_t weights, uint64_t input, uint64_t output, std::vector<Part> reads) {
    if (!plan_.parts) {
      input += weights;
      weights = 0;
    }
    if (weights != 0) reads.push_back({w_.LoadConstant(weights)});
    const uint32_t in_xram = w_.Xram(input);
    const uint32_t in = w_.Lram(input);
    w_.Load({in}, in_xram, 0);
    reads.push_back({in});
    const uint32_t out = w_.Lram(output);
    Program(100, reads, {{out}});
    w_.Store({out}, w_.Xram(output), 0);
  }

  void Tiles() {
    const bool shared = plan_.parts && r_.Percent(40);  // weights that stay for all tiles
    const uint64_t weights = Bytes(50);
    std::vector<Part> reads;
    if (shared) reads.push_back({w_.LoadConstant(weights)});
    const uint64_t output = r_.Between(20, 90);
    for (size_t i = 0; i < plan_.programs; ++i) {
      Tile(shared ? 0 : Bytes(50), Bytes(50), Bytes(output), reads);
    }
  }

  void Barriers() {
    for (size_t i = 0; i < plan_.programs; ++i) {
      if (i != 0 && (i == plan_.programs / 2 || r_.Percent(25))) {
        w_.Barrier(r_.Percent(50) ? 0 : r_.Between(100, 4000));
      }
      Tile(Bytes(40), Bytes(50), Bytes(50), {});
    }
  }

  void Branches() {
    const uint64_t bytes = Bytes(40);
    const uint32_t in = w_.Lram(bytes);
    w_.Load({in}, w_.Xram(bytes), 0);
    const size_t branches = plan_.programs >= 5 && r_.Percent(50) ? 3 : 2;
    std::vector<Part> ends;
    for (size_t branch = 0; branch < branches; ++branch) {
      // All programs but the one at the end, spread over the branches.
      const size_t inner = plan_.programs - 1;
      const size_t count = inner / branches + (branch < inner % branches ? 1 : 0);
      uint32_t at = in;
      for (size_t i = 0; i < count; ++i) at = Link(at, r_.Between(40, 200));
      if (count != 0) ends.push_back({at});
    }
    const uint64_t output = Bytes(30);
    const uint32_t out = w_.Lram(output);
    Program(60, ends, {{out}});
    w_.Store({out}, w_.Xram(output), 0);
  }

  // One program that reads weights and this buffer; what it writes.
  uint32_t Link(uint32_t in, uint64_t percent) {
    std::vector<Part> reads = {{in}, {w_.LoadConstant(Bytes(60))}};
    const uint32_t out = w_.Lram(Bytes(r_.Between(15, 45)));
    Program(percent, reads, {{out}});
    return out;
  }

  void Chain() {
    const uint64_t bytes = Bytes(40);
    uint32_t at = w_.Lram(bytes);
    w_.Load({at}, w_.Xram(bytes), 0);
    uint64_t spilled = 0;
    for (size_t i = 0; i < plan_.programs; ++i) {
      at = Link(at, r_.Between(50, 200));
      // Some results are wanted outside, too.
      if (plan_.parts && i + 1 < plan_.programs && r_.Percent(20) && spilled++ < 2) StoreAll(at);
    }
    StoreAll(at);
  }

  void StoreAll(uint32_t lram) {
    const uint64_t bytes = w_.SizeOf({lram});
    w_.Store({lram}, w_.Xram(bytes), 0);
  }

  // Two layers. The first reads rows of a picture in XRAM, each tile a halo more, and leaves its
  // output in LRAM, in one piece; the second reads overlapping rows of that.
  void Convolution() {
    const size_t first = (plan_.programs + 1) / 2;
    const size_t second = plan_.programs - first;
    const uint64_t row = std::max<uint64_t>(Bytes(5) / 32, 1) * 32;
    const uint64_t rows = 3 * first * second;
    const uint32_t picture = w_.Xram(row * (rows + 2));
    const uint32_t middle = w_.Lram(row * rows);
    std::vector<Part> weights = {{w_.LoadConstant(Bytes(20))}};
    for (size_t i = 0; i < first; ++i) {
      const uint64_t tile_rows = rows / first;
      const uint32_t in = w_.Lram(row * (tile_rows + 2));
      w_.Load({in}, picture, row * tile_rows * i);
      std::vector<Part> reads = weights;
      reads.push_back({in});
      Program(100, reads, {{middle, row * tile_rows * i, row * tile_rows}});
    }
    weights = {{w_.LoadConstant(Bytes(20))}};
    for (size_t i = 0; i < second; ++i) {
      const uint64_t tile_rows = rows / second;
      const uint64_t begin = i == 0 ? 0 : tile_rows * i - 1;
      const uint64_t end = std::min(tile_rows * (i + 1) + 1, rows);
      const uint32_t out = w_.Lram(row * tile_rows);
      std::vector<Part> reads = weights;
      reads.push_back({middle, row * begin, row * (end - begin)});
      Program(100, reads, {{out}});
      StoreAll(out);
    }
  }

  // Layers of a matrix by a vector, two or three column tiles each; only weights are large.
  void Decode() {
    uint64_t vector = 32 * r_.Between(8, 60);
    uint32_t x = w_.Lram(vector);
    w_.Load({x}, w_.Xram(vector), 0);
    for (size_t left = plan_.programs; left != 0;) {
      size_t tiles = std::min<size_t>(left, r_.Between(1, 3));
      if (left - tiles == 1 && tiles > 1) --tiles;
      vector = 32 * r_.Between(4, 30);
      const uint32_t y = w_.Lram(vector * tiles);
      for (size_t i = 0; i < tiles; ++i) {
        const uint32_t weights = w_.LoadConstant(Bytes(100));
        Program(r_.Between(40, 160), {{x}, {weights}}, {{y, vector * i, vector}});
      }
      x = y;
      left -= tiles;
    }
    StoreAll(x);
  }

  // A router, experts of one or two programs, and the sum of what they say.
  void Experts() {
    const uint64_t vector = 32 * r_.Between(16, 120);
    const uint32_t x = w_.Lram(vector);
    w_.Load({x}, w_.Xram(vector), 0);
    const uint32_t routed = w_.Lram(vector / 2);
    Program(30, {{x}, {w_.LoadConstant(Bytes(20))}}, {{routed}});
    std::vector<Part> ends = {{routed}};
    for (size_t left = plan_.programs - 2; left != 0;) {
      const size_t depth = std::min<size_t>(left, r_.Between(1, 2));
      uint32_t at = x;
      for (size_t i = 0; i < depth; ++i) {
        const uint32_t weights = w_.LoadConstant(Bytes(100));
        const uint32_t out = w_.Lram(i + 1 == depth ? vector : 2 * vector);
        Program(r_.Between(60, 140), {{at}, {routed}, {weights}}, {{out}});
        at = out;
      }
      ends.push_back({at});
      left -= depth;
    }
    const uint32_t sum = w_.Lram(vector);
    Program(20, ends, {{sum}});
    StoreAll(sum);
  }

  void Head() {
    const uint64_t vector = 32 * r_.Between(16, 160);
    const uint32_t x = w_.Lram(vector);
    w_.Load({x}, w_.Xram(vector), 0);
    const bool one_output = !plan_.parts || r_.Percent(40);
    const uint64_t columns = 32 * r_.Between(4, 40);
    const uint32_t y = one_output ? w_.Lram(columns * plan_.programs) : 0;
    for (size_t i = 0; i < plan_.programs; ++i) {
      const uint32_t weights = w_.LoadConstant(Bytes(100));
      if (one_output) {
        Program(100, {{x}, {weights}}, {{y, columns * i, columns}});
        continue;
      }
      const uint32_t out = w_.Lram(columns);
      Program(100, {{x}, {weights}}, {{out}});
      StoreAll(out);
    }
    if (one_output) StoreAll(y);
  }

  void LargeTiles() {
    for (size_t i = 0; i < plan_.programs; ++i) {
      Tile(Bytes(40), Bytes(35), Bytes(r_.Between(10, 25)), {});
    }
  }

  SplitMix64 r_;
  const Plan& plan_;
  BlockWriter& w_;
};

Plan DrawPlan(BlockShape shape, SplitMix64* r) {
  Plan plan;
  plan.programs = r->Between(kFewestPrograms, kMostPrograms);
  plan.code = r->Percent(35);
  plan.tile = r->Between(8, 100) * 1024;
  if (shape == BlockShape::kLargeTiles) plan.tile = r->Between(290, 420) * 1024;
  const uint64_t computes[] = {30, 60, 90, 120, 160, 250};
  plan.compute = computes[r->Below(6)];
  plan.jitter = r->Percent(30) ? 0 : r->Between(5, 60);
  if (shape == BlockShape::kLargeTiles) plan.jitter /= 4;
  return plan;
}

uint64_t UsableBytes(BlockLram lram, const BlockWriter& writer, const Hardware& hardware) {
  uint64_t bytes = hardware.usable_bytes();
  if (lram == BlockLram::kTight) bytes = writer.need() * 13 / 10;
  if (lram == BlockLram::kDouble) bytes = writer.need() * 2;
  if (lram == BlockLram::kAmple) bytes = writer.need() * 4;
  return std::max(bytes, writer.peak());
}

}  // namespace

const char* NameOf(BlockShape shape) {
  static const char* const kNames[] = {"tiles",   "barriers",    "branches",
                                       "chain",   "convolution", "decode",
                                       "experts", "head",        "large tiles"};
  return kNames[static_cast<int>(shape)];
}

const char* NameOf(BlockLram lram) {
  static const char* const kNames[] = {"1.3", "2", "4", "chip"};
  return kNames[static_cast<int>(lram)];
}

Block MakeBlock(BlockShape shape, BlockLram lram, uint64_t seed, size_t most_actions) {
  Block block;
  block.hardware = *ProfileNamed("sl2610");
  SplitMix64 random(seed * kBlockShapes + static_cast<uint64_t>(shape));
  random.Next();
  Plan plan = DrawPlan(shape, &random);
  for (;;) {
    BlockWriter writer(block.hardware);
    BlockMaker(random, plan, &writer).Make(shape);
    if (writer.actions() <= most_actions || !(plan.code || plan.parts)) {
      block.actions = writer.actions();
      block.programs = writer.programs();
      block.stream = writer.Build(&block.names);
      block.hardware.lram_bytes =
          UsableBytes(lram, writer, block.hardware) + block.hardware.lram_reserved_bytes;
      return block;
    }
    if (plan.programs > kFewestPrograms) {
      --plan.programs;
    } else if (plan.code) {
      plan.code = false;
    } else {
      plan.parts = false;
    }
  }
}

}  // namespace torqsched
