// Random streams of a few tiles in an LRAM that is barely large enough: what bounds that count
// bytes are about.
#ifndef TORQSCHED_TESTS_BOUNDS_TIGHT_STREAMS_H_
#define TORQSCHED_TESTS_BOUNDS_TIGHT_STREAMS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "src/hardware/hardware.h"
#include "src/stream/stream.h"
#include "tests/reference/random_streams.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {

struct TightStream {
  std::unique_ptr<StreamMaker> maker;  // owns the names
  Stream stream;
  Hardware hardware;
};

// `tiles` programs, each with one or two loads of constants, an output that the next one may read,
// that is stored, or both; some inputs are shared by all tiles, some transfers go through XRAM.
class TightStreams {
 public:
  TightStreams(uint64_t seed, uint32_t tiles) : r_(seed), tiles_(tiles) {}

  TightStream Make() {
    TightStream made;
    made.maker = std::make_unique<StreamMaker>();
    StreamMaker& maker = *made.maker;
    constants_ = maker.Add([] {
      Buffer b = XramBuffer(1000);
      b.constant = true;
      return b;
    }());
    results_ = maker.Add(LiveOut(XramBuffer(1000)));
    AddBuffers(&maker);
    for (uint32_t i = 0; i < tiles_; ++i) AddTile(i, &maker);
    made.stream = maker.Build();
    made.hardware = MakeHardware();
    return made;
  }

 private:
  struct Tile {
    std::vector<uint32_t> inputs;
    uint32_t output = 0;
    uint64_t bytes = 0;
  };

  uint64_t Size() { return r_.Between(1, 8) * 10; }

  void AddBuffers(StreamMaker* maker) {
    shared_ = r_.Percent(30);
    const uint64_t shared_size = Size();
    if (shared_) shared_buffer_ = maker->Lram(shared_size);
    for (uint32_t i = 0; i < tiles_; ++i) {
      Tile tile;
      for (uint64_t k = r_.Between(1, 2); k > 0; --k) {
        const uint64_t size = Size();
        Buffer b = LramBuffer(size);
        if (r_.Percent(8)) b = LiveOut(b);
        tile.inputs.push_back(maker->Add(b));
        tile.bytes += size;
      }
      const uint64_t size = Size();
      tile.output = maker->Lram(size);
      tile.bytes += size + (shared_ ? shared_size : 0);
      largest_ = std::max(largest_, tile.bytes + largest_output_);
      largest_output_ = std::max(largest_output_, size);
      list_.push_back(tile);
    }
    chained_ = r_.Below(101);
    stored_ = r_.Below(101);
    apart_ = r_.Percent(20);
    if (apart_) chained_ = 0;
    if (r_.Percent(20)) barrier_at_ = r_.Below(tiles_);
  }

  void AddTile(uint32_t i, StreamMaker* maker) {
    Tile& tile = list_[i];
    if (i == barrier_at_) maker->Barrier(r_.Below(20));
    if (i == 0 && shared_) Load(shared_buffer_, maker);
    for (const uint32_t input : tile.inputs) Load(input, maker);
    std::vector<AccessSpec> accesses;
    for (const uint32_t input : tile.inputs) accesses.push_back(Reads(input));
    if (shared_) accesses.push_back(Reads(shared_buffer_));
    if (i > 0 && r_.Percent(chained_)) accesses.push_back(Reads(list_[i - 1].output));
    accesses.push_back(Writes(tile.output));
    const uint32_t start = maker->Start(r_.Below(100), accesses);
    if (apart_ && open_ != UINT32_MAX) maker->Wait(open_);
    open_ = UINT32_MAX;
    if (apart_ && i + 1 < tiles_) {
      open_ = start;
      return;
    }
    maker->Wait(start);
    if (r_.Percent(stored_)) {
      maker->Store(r_.Below(60), {Reads(tile.output), Writes(results_, i * 10, 10)});
    }
  }

  void Load(uint32_t buffer, StreamMaker* maker) {
    const bool from_results = r_.Percent(15);
    const AccessSpec source =
        from_results ? Reads(results_, r_.Below(tiles_) * 10, 10) : Reads(constants_);
    maker->Load(r_.Below(60), {source, Writes(buffer)});
  }

  Hardware MakeHardware() {
    Hardware h;
    h.slices = static_cast<uint32_t>(r_.Percent(10) ? r_.Between(4, 64) : r_.Between(1, 3));
    h.start_cycles = r_.Percent(50) ? 1 : r_.Below(9);
    h.lram_bytes = largest_ + r_.Below(largest_);
    h.dma_bytes = r_.Between(1, 3);
    h.dma_cycles = r_.Between(0, 3);
    if (r_.Percent(15)) {
      h.block_ops = r_.Between(1, 6);
      h.block_bytes = r_.Below(20);
    }
    return h;
  }

  reference::SplitMix64 r_;
  const uint32_t tiles_;
  uint32_t constants_ = 0;
  uint32_t results_ = 0;
  bool shared_ = false;
  uint32_t shared_buffer_ = 0;
  std::vector<Tile> list_;
  uint64_t largest_ = 0;  // bytes of a tile beside the output before it
  uint64_t largest_output_ = 0;
  uint64_t chained_ = 0;
  uint64_t stored_ = 0;
  bool apart_ = false;  // a tile is waited for after the next one's start
  uint64_t barrier_at_ = UINT64_MAX;
  uint32_t open_ = UINT32_MAX;  // a start that has not been waited for
};

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_BOUNDS_TIGHT_STREAMS_H_
