// What a layer computes, as lowering sees it: rows, columns, what is summed, and which bytes of its
// inputs a run of rows needs. Made from the table, checked against it.
#ifndef TORQSCHED_SRC_LOWERING_LAYER_SHAPES_H_
#define TORQSCHED_SRC_LOWERING_LAYER_SHAPES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/lowering/lowering.h"
#include "src/network/network.h"

namespace torqsched::lowering {

enum class LayerForm : uint8_t {
  kContraction,  // matrix product or convolution: rows by columns, summed over k
  kAttention,    // rows, each against chunks of keys and values
  kRows,         // rows by themselves: elementwise work, norms, copies, an embedding
  kStateWrite    // its inputs go to its state as they are
};

// Which bytes of an input the rows [a, b) need: [a * stride - before, b * stride + after), as far
// as there are such. after may be negative: -after bytes fewer.
struct InputWindow {
  int32_t producer = kNetworkInput;  // a layer, or kNetworkInput
  uint64_t bytes = 0;                // that the layer reads of it: the window's whole
  bool whole = false;                // every tile needs all of it
  bool chunked = false;              // keys or values: cut in chunks, whichever the rows
  uint64_t stride = 0;
  uint64_t before = 0;
  int64_t after = 0;
  // Of what a contraction sums over: each so many bytes are groups * k elements, in this order; a
  // window is whole units. 0: it is not known where summed elements lie.
  uint64_t unit = 0;
};

struct LayerShape {
  LayerForm form = LayerForm::kRows;
  bool convolution = false;
  uint64_t rows = 1;
  uint64_t natural_rows = 0;  // of the model; rows may be parts of these that cutting made
  uint64_t pixels = 1;        // of a row: of an image, its width
  uint64_t n = 1;             // columns of a pixel
  uint64_t k = 1;             // summed, of one group
  uint64_t groups = 1;        // columns come in so many groups, each with inputs of its own
  uint64_t row_bytes = 0;     // of the output; rows * row_bytes are all of it
  uint64_t macs = 0;
  uint64_t macs_per_cycle = 1;
  uint64_t weight_bytes = 0;        // that it reads in a step
  bool weights_by_row = false;      // of kRows: as many weights as outputs, row by row
  std::vector<InputWindow> inputs;  // no producer twice, none without bytes
  uint64_t state_read = 0;          // bytes
  uint64_t state_written = 0;

  uint64_t OutBytes() const { return rows * row_bytes; }
};

// By layer. The table is one that DeployNetwork accepts. INVALID_ARGUMENT with a field such as
// "network.layers[3].macs" and a message that names the layer, where a type, an op or a size that
// lowering needs is missing, not known, zero, not of whole bytes, or contradicts another.
// usable_bytes: what no tile can be larger than. Cost: O(n log n).
absl::StatusOr<std::vector<LayerShape>> ShapesOf(const Network& network,
                                                 const LoweringNumbers& numbers,
                                                 uint64_t usable_bytes);

// Bytes [begin, end) of the input that rows [first, end_row) need.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
};
ByteRange WindowOf(const InputWindow& window, uint64_t first, uint64_t end_row);

// By layer: itself, or the one whose weights it shares. The table is one that DeployNetwork
// accepts. Cost: O(n log n).
std::vector<uint32_t> WeightOwnersOf(const Network& network);

// a / b, rounded up; b at least 1.
inline uint64_t DividedUp(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

// The part of `whole` that is before `at` of `all`, rounded down: parts of consecutive ranges sum
// up to the whole. all at least 1.
uint64_t PartOf(uint64_t whole, uint64_t at, uint64_t all);
uint64_t PartUp(uint64_t whole, uint64_t at, uint64_t all);  // rounded up

}  // namespace torqsched::lowering

#endif  // TORQSCHED_SRC_LOWERING_LAYER_SHAPES_H_
