// Which activations stay in LRAM, while layer after layer asks how much room they leave, and sends
// some of them to XRAM where it is too little: the largest first.
#ifndef TORQSCHED_SRC_LOWERING_RESIDENTS_H_
#define TORQSCHED_SRC_LOWERING_RESIDENTS_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "src/lowering/layer_shapes.h"

namespace torqsched::lowering {

class Residents {
 public:
  // bytes: by layer, what stays of its output, 0: nothing does. last_reader: by layer, the last
  // that reads it.
  Residents(const std::vector<LayerShape>& shapes, std::vector<uint64_t> bytes,
            std::vector<uint32_t> last_reader);

  // Layer by layer, ascending. What was spilled before stays so. inputs_leave: what the layer reads
  // may be spilled. O(inputs log layers), and as much for what began or ended to live since.
  void Enter(uint32_t layer, bool inputs_leave);

  // By layer; 0: in XRAM.
  uint64_t bytes(uint32_t layer) const { return bytes_[layer]; }
  // What lives from before the layer that was entered until after it, and is not its own: that it
  // neither reads nor makes.
  uint64_t through_bytes() const { return through_bytes_; }

  // Takes up to `count` of what is through, made, or read and may leave, out of LRAM, the largest
  // first; of equals what is through, the oldest first, before the layer's own. Returns how many.
  // O(log layers) each.
  size_t Spill(size_t count);
  // The last `count` that this layer spilled are back.
  void Unspill(size_t count);

 private:
  // Largest first, then the lower second number.
  using BySize = std::set<std::pair<uint64_t, uint32_t>>;
  static std::pair<uint64_t, uint32_t> Key(uint64_t bytes, uint32_t then) { return {~bytes, then}; }

  void Leave();

  const std::vector<LayerShape>& shapes_;
  std::vector<uint64_t> bytes_;
  const std::vector<uint32_t> last_reader_;
  std::vector<std::vector<uint32_t>> ends_;  // by layer: whose last reader it is
  uint32_t entered_ = 0;
  bool inside_ = false;  // a layer was entered: what is its own is apart
  BySize through_;       // by layer
  BySize own_;           // by position in own_layers_; without what may not leave
  uint64_t through_bytes_ = 0;
  std::vector<uint32_t> own_layers_;  // the layer, then what it reads

  struct Spilled {
    uint32_t layer;
    uint64_t bytes;
    bool own;
    uint32_t then;  // its second number in own_ or through_
  };
  std::vector<Spilled> spilled_;  // by the layer that was entered
};

}  // namespace torqsched::lowering

#endif  // TORQSCHED_SRC_LOWERING_RESIDENTS_H_
