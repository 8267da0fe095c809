#include "tests/lowering/tile_needs.h"

#include <algorithm>
#include <set>

#include "absl/numeric/int128.h"

namespace torqsched {
namespace {

using lowering::InputWindow;
using lowering::LayerForm;
using lowering::LayerShape;

uint64_t Part(uint64_t whole, uint64_t at, uint64_t all, bool up) {
  return absl::Uint128Low64((absl::uint128(whole) * at + (up ? all - 1 : 0)) / all);
}

// The groups of columns, as parts [begin, end) of so many bytes.
ByteRun GroupsOf(const LayerShape& shape, const TileExtent& tile, uint64_t bytes) {
  const uint64_t per_group = shape.n / shape.groups;
  const uint64_t first = tile.column / per_group, last = (tile.end_column - 1) / per_group;
  return {Part(bytes, first, shape.groups, false), Part(bytes, last + 1, shape.groups, true)};
}

// Lines of an image, one by one, as in layer_shapes_test; of each pixel the groups' channels.
std::vector<ByteRun> ImageNeeds(const NetworkLayer& layer, const LayerShape& shape,
                                const TileExtent& tile) {
  const int64_t last_row = (layer.out_hw - 1) * layer.stride + layer.kernel;
  const int64_t zeros = std::max<int64_t>(0, last_row - static_cast<int64_t>(layer.in_hw));
  const int64_t above = (zeros + 1) / 2;
  std::set<uint64_t> lines;
  for (uint64_t row = tile.row; row < tile.end_row; ++row) {
    for (uint64_t y = 0; y < layer.kernel; ++y) {
      const int64_t line = static_cast<int64_t>(row * layer.stride + y) - above;
      if (line >= 0 && line < static_cast<int64_t>(layer.in_hw)) lines.insert(line);
    }
  }
  const uint64_t pixel = shape.inputs[0].bytes / layer.in_hw / layer.in_hw;
  const ByteRun channels = GroupsOf(shape, tile, pixel);
  std::vector<ByteRun> needs;
  for (const uint64_t line : lines) {
    const uint64_t begin = line * layer.in_hw;
    if (channels.end - channels.begin == pixel) {
      needs.push_back({begin * pixel, (begin + layer.in_hw) * pixel});
      continue;
    }
    for (uint64_t x = begin; x < begin + layer.in_hw; ++x) {
      needs.push_back({x * pixel + channels.begin, x * pixel + channels.end});
    }
  }
  return needs;
}

// A row's k elements wherever its first lies between as many before as its row has too few.
std::vector<ByteRun> SignalNeeds(const NetworkLayer& layer, const LayerShape& shape,
                                 const TileExtent& tile) {
  const uint64_t bytes = shape.inputs[0].bytes;
  if (bytes % shape.rows != 0) return {{0, bytes}};
  const uint64_t elements = *layer.output_bytes * 8 / shape.rows / shape.n;  // bits of one
  const uint64_t sum = shape.k * elements / 8, row = bytes / shape.rows;
  const uint64_t more = sum > row ? sum - row : 0;
  std::vector<ByteRun> needs;
  for (uint64_t r = tile.row; r < tile.end_row; ++r) {
    const uint64_t begin = r * row - std::min(r * row, more);
    needs.push_back({begin, std::min(bytes, r * row + std::max(row, sum))});
  }
  return needs;
}

std::vector<ByteRun> ProductNeeds(const LayerShape& shape, const TileExtent& tile) {
  const uint64_t bytes = shape.inputs[0].bytes;
  if (shape.inputs[0].whole) return {{0, bytes}};
  const uint64_t row = bytes / shape.rows;
  const ByteRun groups = GroupsOf(shape, tile, row);
  std::vector<ByteRun> needs;
  for (uint64_t r = tile.row; r < tile.end_row; ++r) {
    needs.push_back({r * row + groups.begin, r * row + groups.end});
  }
  return needs;
}

}  // namespace

std::vector<ByteRun> OutputPlace::Physical(const ByteRun& logical) const {
  if (blocks.size() == 1) return {{blocks[0].begin + logical.begin, blocks[0].begin + logical.end}};
  uint64_t pixel_bytes = 0;
  for (const Block& block : blocks) pixel_bytes += block.width;
  std::vector<ByteRun> runs;
  for (uint64_t at = logical.begin; at < logical.end;) {
    const uint64_t pixel = at / pixel_bytes, column = at % pixel_bytes;
    // Whole pixels together, block by block; else to the end of this block or of the range.
    const uint64_t whole = column == 0 ? (logical.end - at) / pixel_bytes : 0;
    if (whole > 0) {
      for (const Block& block : blocks) {
        runs.push_back(
            {block.begin + pixel * block.width, block.begin + (pixel + whole) * block.width});
      }
      at += whole * pixel_bytes;
      continue;
    }
    for (const Block& block : blocks) {
      if (column < block.columns || column >= block.columns + block.width) continue;
      const uint64_t bytes = std::min(logical.end - at, block.columns + block.width - column);
      const uint64_t begin = block.begin + pixel * block.width + column - block.columns;
      runs.push_back({begin, begin + bytes});
      at += bytes;
      break;
    }
  }
  return runs;
}

std::vector<ByteRun> NeedsOf(const NetworkLayer& layer, const LayerShape& shape, size_t i,
                             const TileExtent& tile) {
  const InputWindow& input = shape.inputs[i];
  switch (shape.form) {
    case LayerForm::kContraction:
      if (i != 0) return {{0, input.bytes}};
      if (layer.op == "matmul") return ProductNeeds(shape, tile);
      return layer.in_hw != 0 ? ImageNeeds(layer, shape, tile) : SignalNeeds(layer, shape, tile);
    case LayerForm::kAttention:
      if (i != 0) return {{0, input.bytes}};
      break;
    case LayerForm::kRows:
      // What is spread over rows is needed whole; whether it is layer_shapes_test asks.
      if (input.whole) return {{0, input.bytes}};
      break;
    case LayerForm::kStateWrite:
      return {{0, input.bytes}};
  }
  // Rows side by side with the output's.
  return {{Part(input.bytes, tile.row, shape.rows, false),
           Part(input.bytes, tile.end_row, shape.rows, true)}};
}

}  // namespace torqsched
