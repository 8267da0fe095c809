// Writes one layer after the other as ops: tile by tile, in the order of its tile's loops.
//
// What a tile loads stays until another tile of the layer needs other bytes: weights while rows
// change, inputs while columns change, a chunk while tiles abreast take turns. Names lead back to
// the layer: "l0.q_proj/r1/n3.w" is what its second run of rows and fourth run of columns loads of
// the weights.
#ifndef TORQSCHED_SRC_LOWERING_LAYER_WRITER_H_
#define TORQSCHED_SRC_LOWERING_LAYER_WRITER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "src/lowering/activation_layout.h"
#include "src/lowering/layer_plan.h"
#include "src/lowering/stream_writer.h"

namespace torqsched::lowering {

class LayerWriter {
 public:
  LayerWriter(const Network& network, const std::vector<LayerShape>& shapes,
              const NetworkPlan& plan, const LoweringNumbers& numbers, StreamWriter* writer);

  // All layers of the plan.
  std::vector<LoweredLayer> WriteAll();

 private:
  static constexpr uint32_t kNoBuffer = 0xffffffff;

  // Where the tile stands in the loops.
  struct Tile {
    uint64_t row = 0, end_row = 0;
    uint64_t column = 0, end_column = 0;
    uint64_t sum = 0, end_sum = 0;  // of k
    uint64_t chunk = 0;
    size_t block = 0;  // which run of columns
    size_t lane = 0;   // among tiles abreast
    std::string name;
  };
  // What a tile has in LRAM of an operand.
  struct Held {
    bool valid = false;
    uint64_t key[4] = {};  // which part of the operand
    uint32_t buffer = kNoBuffer;
    Touch touch;  // as the program reads it
  };

  void Write(const LayerPlan& plan);
  void WriteTiles();
  void WriteSums(const TileCounts& counts, size_t first_row, size_t rows, size_t block);
  void WriteTile(const Tile& tile);
  void WriteStateMove();
  std::string TileName(const Tile& tile, const TileCounts& counts, size_t row, size_t sum) const;

  Touch Code(const Tile& tile);
  void Weights(const Tile& tile);
  void Input(size_t i, const Tile& tile);
  void State(const Tile& tile);
  void Output(const Tile& tile, bool first, bool last, std::vector<Touch>* touches);
  uint64_t Cycles(const Tile& tile, const std::vector<Touch>& touches) const;
  uint64_t MacsOf(const Tile& tile) const;

  // Of an input, logically: bytes of rows, and, of a contraction, elements [sum, end_sum) of the k
  // of some groups.
  struct InputPart {
    ByteRange window;
    uint64_t first_group = 0, end_group = 1;
    uint64_t sum = 0, end_sum = 1;
    bool cut = false;  // not all of what is summed
  };
  InputPart PartOfInput(size_t i, const Tile& tile) const;
  Ranges RangesOf(const InputWindow& window, const InputPart& part) const;
  // Of a chunked operand of so many bytes.
  ByteRange Chunk(uint64_t bytes, const Tile& tile) const;
  // Loads ranges of an XRAM buffer into a buffer of their own, which is then held.
  void Hold(absl::string_view name, uint32_t from, const Ranges& ranges, Held* held);

  uint32_t WeightBuffer();
  uint32_t StateBuffer();
  uint32_t ActivationInXram(int32_t producer);
  std::string NameOf(uint32_t layer) const;

  const Network& network_;
  const std::vector<LayerShape>& shapes_;
  const NetworkPlan& plan_;
  const LoweringNumbers& numbers_;
  StreamWriter& writer_;
  const Readers readers_;

  uint32_t code_buffer_ = 0;
  uint64_t programs_ = 0;
  const std::vector<uint32_t> weight_owners_;
  std::vector<uint32_t> weight_buffers_;  // by owner
  std::map<std::string, uint32_t> state_buffers_;
  std::vector<uint32_t> xram_;  // by layer
  uint32_t network_input_ = kNoBuffer;
  std::vector<uint32_t> resident_;  // by layer
  std::vector<ActivationLayout> layouts_;

  // Of the layer that is written.
  const LayerPlan* layer_ = nullptr;
  const LayerShape* shape_ = nullptr;
  LoweredLayer lowered_;
  std::string name_;
  Held weights_;
  Held state_;
  // Of tiles abreast each has rows of its own; what all read is the first lane's.
  struct Lane {
    std::vector<Held> inputs;
    uint32_t out_tile = kNoBuffer;
  };
  Held& HeldInput(size_t i, const Tile& tile);
  std::vector<Lane> lanes_;
};

}  // namespace torqsched::lowering

#endif  // TORQSCHED_SRC_LOWERING_LAYER_WRITER_H_
