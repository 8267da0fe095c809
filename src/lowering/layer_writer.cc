#include "src/lowering/layer_writer.h"

#include <algorithm>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/stream/checked.h"

namespace torqsched::lowering {
LayerWriter::LayerWriter(const Network& network, const std::vector<LayerShape>& shapes,
                         const NetworkPlan& plan, const LoweringNumbers& numbers,
                         StreamWriter* writer)
    : network_(network),
      shapes_(shapes),
      plan_(plan),
      numbers_(numbers),
      writer_(*writer),
      readers_(ReadersOf(network, plan.first_layer, plan.end_layer)),
      weight_owners_(WeightOwnersOf(network)),
      weight_buffers_(network.layers.size(), kNoBuffer),
      xram_(network.layers.size(), kNoBuffer),
      resident_(network.layers.size(), kNoBuffer),
      layouts_(network.layers.size()) {
  for (uint32_t l = 0; l < network.layers.size(); ++l) {
    const LayerShape& shape = shapes[l];
    const uint64_t pixels = shape.rows * shape.pixels;
    if (shape.OutBytes() != 0) {
      layouts_[l] = ActivationLayout(1, {0, shape.OutBytes()});
      if (pixels != 0 && shape.OutBytes() % pixels == 0) {
        layouts_[l] = ActivationLayout(pixels, {0, shape.OutBytes() / pixels});
      }
    }
  }
}

// Every op and buffer of a tile has it in its name: a long one would multiply the request's bytes.
std::string LayerWriter::NameOf(uint32_t layer) const {
  constexpr size_t kMostBytes = 128;
  const absl::string_view name = network_.layers[layer].name;
  if (name.empty()) return absl::StrCat("layer ", layer);
  if (name.size() <= kMostBytes) return std::string(name);
  size_t end = kMostBytes;  // not within a character of several bytes
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return absl::StrCat(name.substr(0, end), "...");
}

std::vector<LoweredLayer> LayerWriter::WriteAll() {
  uint64_t programs = 0;
  for (const LayerPlan& plan : plan_.layers) {
    if (shapes_[plan.layer].form == LayerForm::kStateWrite) continue;
    programs += CountsOf(shapes_[plan.layer], plan.tile).Programs();
  }
  code_buffer_ = writer_.AddXram("code", programs * numbers_.code_buffer_bytes, true, false, true);
  std::vector<LoweredLayer> layers;
  for (const LayerPlan& plan : plan_.layers) {
    Write(plan);
    layers.push_back(lowered_);
  }
  return layers;
}

void LayerWriter::Write(const LayerPlan& plan) {
  layer_ = &plan;
  shape_ = &shapes_[plan.layer];
  name_ = NameOf(plan.layer);
  weights_ = Held();
  state_ = Held();
  lanes_.assign(plan.tile.abreast, Lane());
  for (Lane& lane : lanes_) lane.inputs.resize(shape_->inputs.size());
  const TileCounts counts = CountsOf(*shape_, plan.tile);
  lowered_ = LoweredLayer();
  lowered_.layer = plan.layer;
  lowered_.budget_bytes = plan.budget_bytes;
  lowered_.reason = plan.reason;
  lowered_.own_budget = plan.own_budget;
  lowered_.tile_bytes = plan.tile_bytes;
  lowered_.row_tiles = counts.row_tiles;
  lowered_.n_tiles = counts.n_tiles;
  lowered_.k_tiles = counts.k_tiles;
  lowered_.chunks = counts.chunks;
  lowered_.abreast = plan.tile.abreast;
  lowered_.rows_outer = plan.tile.rows_outer;
  lowered_.output_resident = plan.placing.resident_output_bytes != 0;
  lowered_.first_op = writer_.op_count();
  if (shape_->form == LayerForm::kStateWrite) {
    WriteStateMove();
  } else {
    WriteTiles();
  }
  lowered_.end_op = writer_.op_count();
  // What was loaded beyond once each.
  uint64_t once = shape_->weight_bytes;
  if (shape_->form != LayerForm::kStateWrite) once += shape_->state_read;
  for (size_t i = 0; i < shape_->inputs.size(); ++i) {
    if (plan.placing.resident_input_bytes[i] == 0) once += shape_->inputs[i].bytes;
  }
  const uint64_t all = lowered_.weight_bytes + lowered_.input_bytes;
  lowered_.again_bytes = all - std::min(all, once);
}

// Runs of columns are the blocks that the output is laid out in.
void LayerWriter::WriteTiles() {
  const LayerShape& shape = *shape_;
  const LayerTile& cut = layer_->tile;
  const TileCounts counts = CountsOf(shape, cut);
  const uint32_t l = layer_->layer;
  const uint64_t pixels = shape.rows * shape.pixels;
  const uint64_t pixel_bytes = shape.OutBytes() / pixels;
  if (counts.n_tiles > 1) {
    std::vector<uint64_t> blocks;
    for (uint64_t n = 0; n < shape.n; n += cut.n) blocks.push_back(PartOf(pixel_bytes, n, shape.n));
    blocks.push_back(pixel_bytes);
    layouts_[l] = ActivationLayout(pixels, std::move(blocks));
  }
  if (layer_->placing.resident_output_bytes != 0) {
    resident_[l] = writer_.AddLram(absl::StrCat(name_, ".out"), shape.OutBytes());
  }
  const size_t steps = DividedUp(counts.row_tiles, cut.abreast);
  const size_t outer = cut.rows_outer ? steps : counts.n_tiles;
  const size_t inner = cut.rows_outer ? counts.n_tiles : steps;
  for (size_t o = 0; o < outer; ++o) {
    for (size_t i = 0; i < inner; ++i) {
      const size_t first_row = (cut.rows_outer ? o : i) * cut.abreast;
      const size_t rows = std::min<size_t>(cut.abreast, counts.row_tiles - first_row);
      WriteSums(counts, first_row, rows, cut.rows_outer ? i : o);
    }
  }
}

// Some runs of rows of one run of columns, from sum to sum or chunk to chunk together.
void LayerWriter::WriteSums(const TileCounts& counts, size_t first_row, size_t rows, size_t block) {
  const LayerShape& shape = *shape_;
  const LayerTile& cut = layer_->tile;
  for (size_t s = 0; s < counts.k_tiles * counts.chunks; ++s) {
    for (size_t lane = 0; lane < rows; ++lane) {
      Tile tile;
      tile.lane = lane;
      tile.row = (first_row + lane) * cut.rows;
      tile.end_row = std::min(shape.rows, tile.row + cut.rows);
      tile.block = block;
      tile.column = block * cut.n;
      tile.end_column = std::min(shape.n, tile.column + cut.n);
      tile.chunk = counts.chunks > 1 ? s : 0;
      tile.sum = counts.k_tiles > 1 ? s * cut.k : 0;
      tile.end_sum = std::min(shape.k, tile.sum + cut.k);
      tile.name = TileName(tile, counts, first_row + lane, s);
      WriteTile(tile);
    }
  }
}

std::string LayerWriter::TileName(const Tile& tile, const TileCounts& counts, size_t row,
                                  size_t sum) const {
  std::string name = name_;
  if (counts.row_tiles > 1) absl::StrAppend(&name, "/r", row);
  if (counts.n_tiles > 1) absl::StrAppend(&name, "/n", tile.block);
  if (counts.k_tiles > 1) absl::StrAppend(&name, "/k", sum);
  if (counts.chunks > 1) absl::StrAppend(&name, "/c", sum);
  return name;
}

void LayerWriter::WriteTile(const Tile& tile) {
  const bool first = tile.sum == 0 && tile.chunk == 0;
  const bool last = tile.end_sum == shape_->k && tile.chunk + 1 == layer_->tile.chunks;
  std::vector<Touch> touches = {Code(tile)};
  Weights(tile);
  for (size_t i = 0; i < shape_->inputs.size(); ++i) Input(i, tile);
  State(tile);
  if (weights_.valid) touches.push_back(weights_.touch);
  for (size_t i = 0; i < shape_->inputs.size(); ++i) {
    const Held& input = HeldInput(i, tile);
    if (input.valid) touches.push_back(input.touch);
  }
  if (state_.valid) touches.push_back(state_.touch);
  Output(tile, first, last, &touches);
}

Touch LayerWriter::Code(const Tile& tile) {
  const uint64_t bytes = numbers_.code_buffer_bytes;
  const std::string name = absl::StrCat(tile.name, ".code");
  const uint32_t buffer = writer_.AddLram(name, bytes);
  const ByteRange from = {programs_ * bytes, (programs_ + 1) * bytes};
  lowered_.transfer_cycles += writer_.Load(
      name, bytes, {{code_buffer_, Mode::kRead, {from}}, {buffer, Mode::kWrite, {{0, bytes}}}});
  lowered_.code_bytes += bytes;
  ++programs_;
  return {buffer, Mode::kRead, {{0, bytes}}};
}

void LayerWriter::Hold(absl::string_view name, uint32_t from, const Ranges& ranges, Held* held) {
  held->buffer = writer_.AddLram(name, ranges.bytes);
  held->touch = {held->buffer, Mode::kRead, {{0, ranges.bytes}}};
  held->valid = true;
  lowered_.transfer_cycles += writer_.Load(
      name, ranges.bytes,
      {{from, Mode::kRead, ranges.ranges}, {held->buffer, Mode::kWrite, {{0, ranges.bytes}}}});
}

// The weights' blocks follow each other as the tiles read them: columns, then sums.
void LayerWriter::Weights(const Tile& tile) {
  if (shape_->weight_bytes == 0) return;
  const uint64_t all = shape_->weight_bytes;
  ByteRange range = {0, all};
  uint64_t key[4] = {};
  if (shape_->form == LayerForm::kContraction) {
    const uint64_t begin = PartOf(all, tile.column, shape_->n);
    const uint64_t part = PartOf(all, tile.end_column, shape_->n) - begin;
    range = {begin + PartOf(part, tile.sum, shape_->k),
             begin + PartOf(part, tile.end_sum, shape_->k)};
    key[0] = tile.column;
    key[1] = tile.sum;
  } else if (shape_->weights_by_row) {
    range = {PartOf(all, tile.row, shape_->rows), PartOf(all, tile.end_row, shape_->rows)};
    key[0] = tile.row;
  } else if (shape_->form == LayerForm::kRows) {
    range = Chunk(all, tile);
    key[0] = tile.chunk;
  }
  if (weights_.valid && std::equal(key, key + 4, weights_.key)) return;
  weights_.valid = false;
  if (range.size() == 0) return;
  Ranges ranges;
  ranges.ranges = {range};
  ranges.bytes = range.size();
  Hold(absl::StrCat(tile.name, ".w"), WeightBuffer(), ranges, &weights_);
  std::copy(key, key + 4, weights_.key);
  lowered_.weight_bytes += ranges.bytes;
}

ByteRange LayerWriter::Chunk(uint64_t bytes, const Tile& tile) const {
  const uint64_t chunks = layer_->tile.chunks;
  return {PartOf(bytes, tile.chunk, chunks), PartOf(bytes, tile.chunk + 1, chunks)};
}

LayerWriter::InputPart LayerWriter::PartOfInput(size_t i, const Tile& tile) const {
  const LayerShape& shape = *shape_;
  const InputWindow& window = shape.inputs[i];
  InputPart part;
  part.window =
      window.chunked ? Chunk(window.bytes, tile) : WindowOf(window, tile.row, tile.end_row);
  if (i != 0 || shape.form != LayerForm::kContraction || window.whole) return part;
  const uint64_t per_group = shape.n / shape.groups;
  part.first_group = tile.column / per_group;
  part.end_group = DividedUp(tile.end_column, per_group);
  part.sum = tile.sum;
  part.end_sum = tile.end_sum;
  part.cut = part.end_group - part.first_group < shape.groups || part.end_sum - part.sum < shape.k;
  return part;
}

Ranges LayerWriter::RangesOf(const InputWindow& window, const InputPart& part) const {
  const ActivationLayout given(1, {0, window.bytes});
  const ActivationLayout& layout =
      window.producer == kNetworkInput ? given : layouts_[window.producer];
  if (!part.cut || part.window.size() == 0) return layout.Window(part.window);
  const uint64_t k = shape_->k;
  if (window.unit == 0) {
    Ranges all = layout.Window(part.window);
    all.bytes = PartOf(all.bytes, part.end_sum, k) - PartOf(all.bytes, part.sum, k);
    all.exact = false;
    return all;
  }
  // Of the first group to the last; between them lies what is summed in other tiles.
  const uint64_t columns = shape_->groups * k;
  Ranges ranges = layout.Window(part.window, window.unit, part.first_group * k + part.sum,
                                (part.end_group - 1) * k + part.end_sum, columns);
  const uint64_t groups = part.end_group - part.first_group;
  if (groups > 1 && part.end_sum - part.sum < k) {
    const uint64_t of_unit = PartUp(window.unit, groups * (part.end_sum - part.sum), columns);
    ranges.bytes = part.window.size() / window.unit * of_unit;
    ranges.exact = false;
  }
  return ranges;
}

LayerWriter::Held& LayerWriter::HeldInput(size_t i, const Tile& tile) {
  const InputWindow& window = shape_->inputs[i];
  return lanes_[window.chunked || window.whole ? 0 : tile.lane].inputs[i];
}

void LayerWriter::Input(size_t i, const Tile& tile) {
  const InputWindow& window = shape_->inputs[i];
  Held& held = HeldInput(i, tile);
  const InputPart part = PartOfInput(i, tile);
  const Ranges ranges = RangesOf(window, part);
  if (ranges.bytes == 0) {
    held.valid = false;
    return;
  }
  if (layer_->placing.resident_input_bytes[i] != 0) {
    held.valid = true;
    held.touch = {resident_[window.producer], Mode::kRead, ranges.ranges};
    return;
  }
  const uint64_t key[4] = {part.window.begin, part.window.end,
                           part.first_group * shape_->k + part.sum,
                           (part.end_group - 1) * shape_->k + part.end_sum};
  if (held.valid && std::equal(key, key + 4, held.key)) return;
  const std::string name =
      absl::StrCat(tile.name, ".in", shape_->inputs.size() > 1 ? absl::StrCat(i) : "");
  Hold(name, ActivationInXram(window.producer), ranges, &held);
  std::copy(key, key + 4, held.key);
  lowered_.input_bytes += ranges.bytes;
}

void LayerWriter::State(const Tile& tile) {
  if (shape_->state_read == 0) return;
  const bool chunked = shape_->form == LayerForm::kAttention;
  ByteRange range = chunked ? Chunk(shape_->state_read, tile) : ByteRange{0, shape_->state_read};
  // The last that there are: what a step adds is written at the end.
  const uint64_t skipped = network_.layers[layer_->layer].state->bytes - shape_->state_read;
  range.begin += skipped;
  range.end += skipped;
  if (state_.valid && state_.key[0] == range.begin && state_.key[1] == range.end) return;
  state_.valid = false;
  if (range.size() == 0) return;
  Ranges ranges;
  ranges.ranges = {range};
  ranges.bytes = range.size();
  Hold(absl::StrCat(tile.name, ".state"), StateBuffer(), ranges, &state_);
  state_.key[0] = range.begin;
  state_.key[1] = range.end;
  lowered_.input_bytes += ranges.bytes;
}

void LayerWriter::Output(const Tile& tile, bool first, bool last, std::vector<Touch>* touches) {
  const uint32_t l = layer_->layer;
  const ByteRange range =
      layouts_[l].Tile(tile.row * shape_->pixels, tile.end_row * shape_->pixels, tile.block);
  const Mode mode = first ? Mode::kWrite : Mode::kReadWrite;
  const bool resident = resident_[l] != kNoBuffer;
  uint32_t& out_tile = lanes_[tile.lane].out_tile;
  if (!resident && first) {
    out_tile = writer_.AddLram(absl::StrCat(tile.name, ".out"), range.size());
  }
  const ByteRange here = resident ? range : ByteRange{0, range.size()};
  touches->push_back({resident ? resident_[l] : out_tile, mode, {here}});
  // What the last tile of the layer keeps for the next step.
  uint32_t kept = kNoBuffer;
  const bool keeps = last && shape_->state_written != 0 && tile.end_row == shape_->rows &&
                     tile.end_column == shape_->n;
  if (keeps) {
    kept = writer_.AddLram(absl::StrCat(tile.name, ".kept"), shape_->state_written);
    touches->push_back({kept, Mode::kWrite, {{0, shape_->state_written}}});
  }
  const uint64_t cycles = Cycles(tile, *touches);
  writer_.Run(tile.name, cycles, std::move(*touches));
  ++lowered_.programs;
  lowered_.macs += MacsOf(tile);
  lowered_.program_cycles += cycles;
  if (last && !resident) {
    lowered_.transfer_cycles +=
        writer_.Store(absl::StrCat(tile.name, ".out"), range.size(),
                      {{out_tile, Mode::kRead, {here}},
                       {ActivationInXram(static_cast<int32_t>(l)), Mode::kWrite, {range}}});
    lowered_.stored_bytes += range.size();
  }
  if (!keeps) return;
  const uint64_t bytes = network_.layers[l].state->bytes;
  lowered_.transfer_cycles +=
      writer_.Store(absl::StrCat(tile.name, ".kept"), shape_->state_written,
                    {{kept, Mode::kRead, {{0, shape_->state_written}}},
                     {StateBuffer(), Mode::kWrite, {{bytes - shape_->state_written, bytes}}}});
  lowered_.stored_bytes += shape_->state_written;
}

// Parts of consecutive tiles sum up to the layer's.
uint64_t LayerWriter::MacsOf(const Tile& tile) const {
  const LayerShape& shape = *shape_;
  const auto part = [](uint64_t whole, uint64_t begin, uint64_t end, uint64_t all) {
    return PartOf(whole, end, all) - PartOf(whole, begin, all);
  };
  uint64_t macs = part(shape.macs, tile.row, tile.end_row, shape.rows);
  macs = part(macs, tile.column, tile.end_column, shape.n);
  macs = part(macs, tile.sum, tile.end_sum, shape.k);
  return part(macs, tile.chunk, tile.chunk + 1, layer_->tile.chunks);
}

uint64_t LayerWriter::Cycles(const Tile& tile, const std::vector<Touch>& touches) const {
  uint64_t cycles = DividedUp(MacsOf(tile), shape_->macs_per_cycle);
  if (shape_->form == LayerForm::kRows) {
    uint64_t bytes = 0;
    for (size_t i = 1; i < touches.size(); ++i) {  // without code
      for (const ByteRange& range : touches[i].ranges) bytes += range.size();
    }
    cycles = std::max(cycles, DividedUp(bytes, numbers_.elementwise_bytes_per_cycle));
  }
  return std::max(cycles, numbers_.least_program_cycles);
}

// Inputs one after the other, each in its chunks, into the bytes that the layer writes of its
// state.
void LayerWriter::WriteStateMove() {
  const uint32_t state = StateBuffer();
  const uint64_t chunks = layer_->tile.chunks;
  const uint64_t end = network_.layers[layer_->layer].state->bytes;
  const uint64_t written = shape_->state_written;
  uint64_t all = 0, done = 0;
  for (const InputWindow& window : shape_->inputs) all += window.bytes;
  for (size_t i = 0; i < shape_->inputs.size(); ++i) {
    for (uint64_t c = 0; c < chunks; ++c) {
      Tile tile;
      tile.chunk = c;
      tile.name = name_;
      if (shape_->inputs.size() > 1) absl::StrAppend(&tile.name, "/", i);
      if (chunks > 1) absl::StrAppend(&tile.name, "/c", c);
      const uint64_t bytes = Chunk(shape_->inputs[i].bytes, tile).size();
      const ByteRange to = {end - written + PartOf(written, done, all),
                            end - written + PartOf(written, done + bytes, all)};
      done += bytes;
      Input(i, tile);
      const Held& held = HeldInput(i, tile);
      if (to.size() == 0 || !held.valid) continue;
      // What is written may be fewer bytes than what is read, or more.
      lowered_.transfer_cycles +=
          writer_.Store(tile.name, to.size(), {held.touch, {state, Mode::kWrite, {to}}});
      lowered_.stored_bytes += to.size();
    }
  }
}

uint32_t LayerWriter::WeightBuffer() {
  const uint32_t owner = weight_owners_[layer_->layer];
  uint32_t& buffer = weight_buffers_[owner];
  if (buffer == kNoBuffer) {
    const NetworkLayer& of = network_.layers[owner];
    buffer = writer_.AddXram(absl::StrCat(NameOf(owner), ".weights"),
                             of.weight_bytes + of.scale_bytes, true, false, true);
  }
  // More may be read than there is.
  if (writer_.SizeOf(buffer) < shape_->weight_bytes) writer_.Grow(buffer, shape_->weight_bytes);
  return buffer;
}

uint32_t LayerWriter::StateBuffer() {
  const NetworkState& state = *network_.layers[layer_->layer].state;
  const auto [found, added] = state_buffers_.emplace(std::string(state.name), 0);
  if (added) found->second = writer_.AddXram(state.name, state.bytes, true, true, false);
  return found->second;
}

uint32_t LayerWriter::ActivationInXram(int32_t producer) {
  if (producer == kNetworkInput) {
    if (network_input_ != kNoBuffer) return network_input_;
    uint64_t most = 0;
    for (const LayerPlan& plan : plan_.layers) {
      for (const InputWindow& window : shapes_[plan.layer].inputs) {
        if (window.producer == kNetworkInput) most = std::max(most, window.bytes);
      }
    }
    network_input_ = writer_.AddXram("input", most, true, false, false);
    return network_input_;
  }
  uint32_t& buffer = xram_[producer];
  if (buffer == kNoBuffer) {
    const bool inside = static_cast<uint32_t>(producer) >= plan_.first_layer;
    buffer =
        writer_.AddXram(absl::StrCat(NameOf(producer), ".out.xram"), shapes_[producer].OutBytes(),
                        !inside, inside && readers_.leaves[producer], false);
  }
  return buffer;
}

}  // namespace torqsched::lowering
