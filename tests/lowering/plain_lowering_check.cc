#include "tests/lowering/plain_lowering_check.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "src/lowering/layer_shapes.h"
#include "tests/lowering/byte_set.h"
#include "tests/lowering/tile_needs.h"

namespace torqsched {
namespace {

using lowering::InputWindow;
using lowering::LayerForm;
using lowering::LayerShape;

constexpr size_t kMostFaults = 8;

uint64_t Up(uint64_t a, uint64_t b) { return a / b + (a % b == 0 ? 0 : 1); }

// Where a tile stands, by its name's "/r1/n3".
struct TileKey {
  uint64_t row = 0;
  uint64_t column = 0;
  bool operator<(const TileKey& other) const {
    return row != other.row ? row < other.row : column < other.column;
  }
};

// What the programs of one run of rows and columns, all sums and chunks, touch together.
struct TileTouched {
  std::map<uint32_t, ByteSet> inputs;  // by XRAM buffer, or by LRAM buffer where resident
  ByteSet weights;
  ByteSet state;
  std::optional<std::pair<uint64_t, uint64_t>> output;  // where in the layer's output
  uint64_t programs = 0;
  uint64_t cycles = 0;
};

class Checker {
 public:
  Checker(const Network& network, const Hardware& hardware, const LoweringNumbers& numbers,
          const LoweringOptions& options, const LoweredNetwork& lowered)
      : network_(network),
        hardware_(hardware),
        numbers_(numbers),
        options_(options),
        lowered_(lowered),
        stream_(lowered.stream),
        written_(stream_.buffer_count()),
        origins_(stream_.buffer_count()),
        allocs_(stream_.buffer_count(), kNone),
        outputs_(network.layers.size()) {}

  std::string Check() {
    const auto shapes = lowering::ShapesOf(network_, numbers_, hardware_.usable_bytes());
    if (!shapes.ok()) return "no shapes\n";
    shapes_ = *shapes;
    for (uint32_t b = 0; b < stream_.buffer_count(); ++b) {
      const Buffer& buffer = stream_.buffer(BufferIndex(b));
      if (buffer.live_in) written_[b].Add(0, buffer.size);
      if (buffer.space == Space::kXram) {
        xram_by_name_[std::string(stream_.buffer_name(BufferIndex(b)))] = b;
      }
    }
    first_ = options_.first_layer;
    end_ = options_.layer_count == 0 ? network_.layers.size() : first_ + options_.layer_count;
    if (lowered_.layers.size() != end_ - first_) Fault("another number of layers");
    uint32_t next = 0;
    for (const LoweredLayer& layer : lowered_.layers) {
      if (layer.first_op != next) Fault("ops of no layer");
      next = layer.end_op;
      CheckLayer(layer);
    }
    if (next != stream_.op_count()) Fault("ops of no layer at the end");
    CheckLeaving();
    CheckPeak();
    return faults_;
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff;

  void Fault(const std::string& text) {
    if (++fault_count_ > kMostFaults) return;
    absl::StrAppend(&faults_, layer_ == nullptr ? "" : NameOf(layer_->layer) + ": ", text, "\n");
  }

  std::string NameOf(uint32_t layer) const {
    const absl::string_view name = network_.layers[layer].name;
    return name.empty() ? absl::StrCat("layer ", layer) : std::string(name);
  }

  bool IsXram(uint32_t b) const { return stream_.buffer(BufferIndex(b)).space == Space::kXram; }
  absl::string_view BufferName(uint32_t b) const { return stream_.buffer_name(BufferIndex(b)); }

  void CheckLayer(const LoweredLayer& layer) {
    layer_ = &layer;
    tiles_.clear();
    tile_of_buffer_.clear();
    moved_state_ = ByteSet();
    uint64_t programs = 0, loaded = 0, stored = 0, transfer_cycles = 0, program_cycles = 0;
    for (uint32_t o = layer.first_op; o < layer.end_op; ++o) {
      const OpIndex index(o);
      const Op& op = stream_.op(index);
      CheckOp(index);
      switch (op.kind) {
        case OpKind::kPure:
          if (op.alloc.present()) allocs_[op.alloc.value()] = o;
          break;
        case OpKind::kLoad:
          loaded += Load(index);
          transfer_cycles += op.cycles;
          break;
        case OpKind::kStore:
          stored += Store(index);
          transfer_cycles += op.cycles;
          break;
        case OpKind::kStart:
          Start(index);
          ++programs;
          program_cycles += op.cycles;
          break;
        case OpKind::kWait:
          if (op.partner != OpIndex(o - 1)) Fault("a wait that does not follow its start");
          break;
        case OpKind::kBarrier:
          Fault("a barrier");
      }
      for (const Access& access : stream_.accesses(index)) {
        if (access.writes) written_[access.buffer.value()].Add(access.begin, access.end);
      }
    }
    if (programs != layer.programs || program_cycles != layer.program_cycles ||
        transfer_cycles != layer.transfer_cycles || stored != layer.stored_bytes ||
        loaded != layer.weight_bytes + layer.input_bytes + layer.code_bytes) {
      Fault("its sums are not those of its ops");
    }
    if (layer.code_bytes != programs * numbers_.code_buffer_bytes) Fault("code of no program");
    if (layer.macs != network_.layers[layer.layer].macs) Fault("other macs");
    if (programs != layer.row_tiles * layer.n_tiles * layer.k_tiles * layer.chunks &&
        shapes_[layer.layer].form != LayerForm::kStateWrite) {
      Fault("another number of programs than tiles");
    }
    PlaceOutput();
    CheckTiles();
    CheckState();
    layer_ = nullptr;
  }

  // What holds of any op.
  void CheckOp(OpIndex index) {
    const Op& op = stream_.op(index);
    absl::string_view name = stream_.op_name(index);
    const char* verbs[] = {"alloc ", "load ", "store ", "start ", "wait ", ""};
    const bool verb = absl::ConsumePrefix(&name, verbs[static_cast<size_t>(op.kind)]);
    if (!verb || !absl::StartsWith(name, NameOf(layer_->layer))) {
      Fault(absl::StrCat("'", stream_.op_name(index), "' does not lead back to it"));
    }
    std::set<uint32_t> operands;
    for (const OpIndex operand : stream_.operands(index)) operands.insert(operand.value());
    for (const Access& access : stream_.accesses(index)) {
      const uint32_t b = access.buffer.value();
      if (access.reads && !written_[b].Has(access.begin, access.end)) {
        Fault(absl::StrCat(name, " reads what is not there of ", BufferName(b)));
      }
      if (!IsXram(b) && operands.count(allocs_[b]) == 0) {
        Fault(absl::StrCat(name, " does not need the alloc of ", BufferName(b)));
      }
    }
  }

  void CheckTransfer(OpIndex index, uint64_t bytes) {
    const absl::uint128 product = absl::uint128(bytes) * hardware_.dma_cycles;
    const absl::uint128 cycles = (product + hardware_.dma_bytes - 1) / hardware_.dma_bytes;
    if (stream_.op(index).cycles != cycles) {
      Fault(absl::StrCat(stream_.op_name(index), " takes other cycles than its bytes"));
    }
  }

  uint64_t Load(OpIndex index) {
    uint64_t from = 0, to = 0;
    uint32_t target = kNone;
    std::vector<Access> sources;
    for (const Access& access : stream_.accesses(index)) {
      const uint32_t b = access.buffer.value();
      if (access.reads == access.writes || access.reads != IsXram(b)) Fault("a load the other way");
      (access.reads ? from : to) += access.end - access.begin;
      if (access.reads) sources.push_back(access);
      if (access.writes) target = b;
    }
    if (from < to || sources.empty() || sources.size() > 16 || target == kNone) {
      Fault(absl::StrCat(stream_.op_name(index), " loads ", to, " bytes from ", from));
      return to;
    }
    if (to != stream_.buffer(BufferIndex(target)).size) Fault("a load of a part of its buffer");
    if (origins_[target].empty()) {
      origins_[target] = sources;
    } else {
      Fault(absl::StrCat(BufferName(target), " is loaded twice"));
    }
    CheckTransfer(index, to);
    return to;
  }

  uint64_t Store(OpIndex index) {
    uint64_t from = 0, to = 0;
    const bool moves_state = shapes_[layer_->layer].form == LayerForm::kStateWrite;
    std::optional<TileKey> key;
    Access target;
    for (const Access& access : stream_.accesses(index)) {
      const uint32_t b = access.buffer.value();
      if (access.reads == access.writes || access.writes != IsXram(b))
        Fault("a store the other way");
      (access.reads ? from : to) += access.end - access.begin;
      if (access.writes) target = access;
      if (access.reads && tile_of_buffer_.count(b) != 0) key = tile_of_buffer_[b];
      if (access.reads && moves_state) NoteInput(b, access, &moved_inputs_);
    }
    CheckTransfer(index, to);
    const std::optional<NetworkState>& state = network_.layers[layer_->layer].state;
    if (state.has_value() && BufferName(target.buffer.value()) == state->name) {
      moved_state_.Add(target.begin, target.end);
      if (!moves_state && from != to) Fault("a store of other bytes than it reads");
      return to;
    }
    if (from != to || moves_state || layer_->output_resident || !key.has_value() ||
        BufferName(target.buffer.value()) != NameOf(layer_->layer) + ".out.xram") {
      Fault(absl::StrCat(stream_.op_name(index), " stores what it should not"));
      return to;
    }
    tiles_[*key].output = {target.begin, target.end};
    outputs_[layer_->layer].buffer = target.buffer.value();
    return to;
  }

  // What was loaded into an LRAM buffer, or the resident buffer itself.
  void NoteInput(uint32_t b, const Access& access, std::map<uint32_t, ByteSet>* inputs) {
    if (origins_[b].empty()) {
      (*inputs)[b].Add(access.begin, access.end);
      return;
    }
    for (const Access& source : origins_[b]) {
      (*inputs)[source.buffer.value()].Add(source.begin, source.end);
    }
  }

  TileKey KeyOf(absl::string_view name) const {
    TileKey key;
    absl::ConsumePrefix(&name, "start ");
    absl::ConsumePrefix(&name, NameOf(layer_->layer));
    for (const absl::string_view part : absl::StrSplit(name, '/', absl::SkipEmpty())) {
      uint64_t number = 0;
      for (const char digit : part.substr(1)) number = number * 10 + (digit - '0');
      if (part[0] == 'r') key.row = number;
      if (part[0] == 'n') key.column = number;
    }
    return key;
  }

  void Start(OpIndex index) {
    const Op& op = stream_.op(index);
    const NetworkLayer& table = network_.layers[layer_->layer];
    const TileKey key = KeyOf(stream_.op_name(index));
    TileTouched& tile = tiles_[key];
    ++tile.programs;
    tile.cycles += op.cycles;
    if (op.slice != 0 || op.start_without_wait)
      Fault("a start on another slice, or without a wait");
    uint64_t code = 0, bytes = 0;
    for (const Access& access : stream_.accesses(index)) {
      const uint32_t b = access.buffer.value();
      if (IsXram(b)) Fault("a program that touches XRAM");
      const std::vector<Access>& origin = origins_[b];
      const absl::string_view from = origin.empty() ? "" : BufferName(origin[0].buffer.value());
      if (from == "code") {
        code += access.end - access.begin;
        if (origin[0].begin != next_code_) Fault("the code of another program");
        next_code_ = origin[0].end;
        continue;
      }
      bytes += access.end - access.begin;
      if (access.writes) {
        NoteOutput(key, access, &tile);
      } else if (!origin.empty() && stream_.buffer(origin[0].buffer).constant) {
        for (const Access& source : origin) tile.weights.Add(source.begin, source.end);
      } else if (!origin.empty() && table.state.has_value() && from == table.state->name) {
        for (const Access& source : origin) tile.state.Add(source.begin, source.end);
      } else {
        NoteInput(b, access, &tile.inputs);
      }
    }
    if (code != numbers_.code_buffer_bytes) Fault("not all of its code");
    CheckTileBytes(index);
    CheckRowsCycles(index, bytes);
  }

  // Of the buffers that a program touches, all bytes.
  void CheckTileBytes(OpIndex index) {
    std::set<uint32_t> buffers;
    for (const Access& access : stream_.accesses(index)) buffers.insert(access.buffer.value());
    uint64_t bytes = 0;
    for (const uint32_t b : buffers) bytes += stream_.buffer(BufferIndex(b)).size;
    if (bytes > layer_->tile_bytes) {
      Fault(absl::StrCat(stream_.op_name(index), " takes ", bytes, " of ", layer_->tile_bytes));
    }
  }

  void NoteOutput(const TileKey& key, const Access& access, TileTouched* tile) {
    const uint32_t b = access.buffer.value();
    if (absl::EndsWith(BufferName(b), ".kept")) return;  // of the state
    // Sums and chunks add up in place.
    if (access.reads != (tile->programs > 1)) Fault("an output that does not add up");
    if (!layer_->output_resident) {
      tile_of_buffer_[b] = key;
      return;
    }
    tile->output = {access.begin, access.end};
    outputs_[layer_->layer].buffer = b;
    if (!origins_[b].empty()) Fault("a resident activation that is loaded");
  }

  // Elementwise work goes by bytes, code left out.
  void CheckRowsCycles(OpIndex index, uint64_t bytes) {
    const LayerShape& shape = shapes_[layer_->layer];
    if (shape.form != LayerForm::kRows || shape.macs != 0) return;
    const uint64_t cycles =
        std::max(numbers_.least_program_cycles, Up(bytes, numbers_.elementwise_bytes_per_cycle));
    if (stream_.op(index).cycles != cycles) Fault("other cycles than for its bytes");
  }

  // Reads off where each run of columns begins, and how wide it is.
  void PlaceOutput() {
    const LayerShape& shape = shapes_[layer_->layer];
    OutputPlace& place = outputs_[layer_->layer];
    if (shape.form == LayerForm::kStateWrite) return;
    const uint64_t pixels = shape.rows * shape.pixels;
    ByteSet all;
    uint64_t bytes = 0;
    std::map<uint64_t, std::pair<uint64_t, uint64_t>> blocks;  // by column: begin, end
    for (const auto& [key, tile] : tiles_) {
      if (!tile.output.has_value()) {
        Fault("a tile that writes no output");
        return;
      }
      all.Add(tile.output->first, tile.output->second);
      bytes += tile.output->second - tile.output->first;
      const auto [at, added] = blocks.insert({key.column, *tile.output});
      at->second.first = std::min(at->second.first, tile.output->first);
      at->second.second = std::max(at->second.second, tile.output->second);
    }
    if (!all.Has(0, shape.OutBytes()) || bytes != shape.OutBytes()) {
      Fault("its tiles do not make each byte of its output once");
    }
    place.pixels = pixels;
    uint64_t columns = 0;
    bool empty = false;
    for (const auto& [column, block] : blocks) {
      const uint64_t width = (block.second - block.first) / pixels;
      if (width * pixels != block.second - block.first)
        Fault("a run of columns not in whole pixels");
      place.blocks.push_back({block.first, columns, width});
      columns += width;
      empty |= width == 0;
    }
    place.known = columns * pixels == shape.OutBytes() && !empty;
    if (!place.known) Fault("runs of columns that are no pixel together");
  }

  // Where an input's bytes are: a stored activation, a resident one, the network's input, one that
  // was there before.
  OutputPlace PlaceOf(const InputWindow& input) {
    OutputPlace place;
    if (input.producer >= 0 && static_cast<uint32_t>(input.producer) >= first_) {
      return outputs_[input.producer];
    }
    const std::string name =
        input.producer == kNetworkInput ? "input" : NameOf(input.producer) + ".out.xram";
    place.buffer = xram_by_name_.count(name) != 0 ? xram_by_name_[name] : kNone;
    place.blocks = {{0, 0, input.bytes}};
    place.known = true;
    return place;
  }

  void CheckTiles() {
    const LayerShape& shape = shapes_[layer_->layer];
    const OutputPlace& output = outputs_[layer_->layer];
    if (shape.form == LayerForm::kStateWrite) {
      for (const InputWindow& input : shape.inputs) {
        CheckNeeds(input, {{0, input.bytes}}, moved_inputs_, "its state");
      }
      moved_inputs_.clear();
      return;
    }
    if (!output.known) return;
    std::map<uint64_t, ByteSet> weights_of_rows;
    for (const auto& [key, tile] : tiles_) {
      const OutputPlace::Block& block = output.blocks[key.column];
      TileExtent extent;
      const uint64_t row_bytes = block.width * shape.pixels;
      extent.row = (tile.output->first - block.begin) / row_bytes;
      extent.end_row = (tile.output->second - block.begin) / row_bytes;
      const uint64_t pixel_bytes = shape.OutBytes() / output.pixels;
      extent.column = block.columns * shape.n / pixel_bytes;
      extent.end_column = (block.columns + block.width) * shape.n / pixel_bytes;
      if ((extent.end_row - extent.row) * row_bytes != tile.output->second - tile.output->first) {
        Fault("a tile of parts of rows");
      }
      for (size_t i = 0; i < shape.inputs.size(); ++i) {
        CheckNeeds(shape.inputs[i], NeedsOf(network_.layers[layer_->layer], shape, i, extent),
                   tile.inputs, absl::StrCat("rows ", extent.row, "..", extent.end_row));
      }
      weights_of_rows[shape.weights_by_row ? 0 : key.row].Add(tile.weights);
      CheckCycles(shape, extent, tile);
    }
    for (const auto& [row, weights] : weights_of_rows) {
      if (weights.size() != shape.weight_bytes || !weights.Has(0, shape.weight_bytes)) {
        Fault(absl::StrCat("run ", row, " of rows has not each byte of its weights"));
      }
    }
  }

  void CheckNeeds(const InputWindow& input, const std::vector<ByteRun>& needs,
                  const std::map<uint32_t, ByteSet>& inputs, const std::string& what) {
    const OutputPlace place = PlaceOf(input);
    const auto found = inputs.find(place.buffer);
    for (const ByteRun& need : needs) {
      for (const ByteRun& run : place.Physical(need)) {
        if (found != inputs.end() && found->second.Has(run.begin, run.end)) continue;
        Fault(absl::StrCat("for ", what, " it does not read bytes ", run.begin, " to ", run.end,
                           " of what layer ", input.producer, " made"));
        return;
      }
    }
  }

  // Macs a tile are its part of the outputs, where they divide evenly.
  void CheckCycles(const LayerShape& shape, const TileExtent& extent, const TileTouched& tile) {
    if (shape.form == LayerForm::kRows) return;
    const absl::uint128 outputs = absl::uint128(shape.rows) * shape.n;
    if (shape.macs % outputs != 0) return;
    const uint64_t macs = absl::Uint128Low64(shape.macs / outputs * (extent.end_row - extent.row) *
                                             (extent.end_column - extent.column));
    const uint64_t least = numbers_.least_program_cycles;
    const uint64_t cycles = Up(macs, shape.macs_per_cycle);
    if (tile.programs == 1 ? tile.cycles != std::max(least, cycles)
                           : tile.cycles < std::max(cycles, tile.programs * least) ||
                                 tile.cycles > cycles + tile.programs * (least + 1)) {
      Fault(
          absl::StrCat(tile.cycles, " cycles for ", macs, " macs in ", tile.programs, " programs"));
    }
  }

  // What a step adds is at the end of the state; who reads fewer bytes than all reads the last.
  void CheckState() {
    const LayerShape& shape = shapes_[layer_->layer];
    if (!network_.layers[layer_->layer].state.has_value()) return;
    const NetworkState& state = *network_.layers[layer_->layer].state;
    const uint64_t written = shape.state_written, read = shape.state_read;
    if (moved_state_.size() != written || !moved_state_.Has(state.bytes - written, state.bytes)) {
      Fault("it does not write each byte of its state");
    }
    if (shape.form == LayerForm::kStateWrite) return;
    for (const auto& [key, tile] : tiles_) {
      if (tile.state.size() != read || !tile.state.Has(state.bytes - read, state.bytes)) {
        Fault("it does not read each byte of its state");
      }
    }
  }

  void CheckLeaving() {
    for (uint32_t l = first_; l < end_; ++l) {
      bool within = false, beyond = false;
      for (uint32_t reader = l + 1; reader < network_.layers.size(); ++reader) {
        const std::vector<int32_t>& inputs = network_.layers[reader].inputs;
        const bool reads =
            std::find(inputs.begin(), inputs.end(), static_cast<int32_t>(l)) != inputs.end();
        (reader < end_ ? within : beyond) |= reads;
      }
      if (*network_.layers[l].output_bytes == 0 || (within && !beyond)) continue;
      const std::string name = NameOf(l) + ".out.xram";
      if (xram_by_name_.count(name) == 0 ||
          !stream_.buffer(BufferIndex(xram_by_name_[name])).live_out) {
        Fault(absl::StrCat(NameOf(l), " does not leave"));
      }
    }
    for (uint32_t b = 0; b < stream_.buffer_count(); ++b) {
      const Buffer& buffer = stream_.buffer(BufferIndex(b));
      if (buffer.live_out && !written_[b].Has(0, buffer.size)) {
        Fault(absl::StrCat(BufferName(b), " leaves and is not whole"));
      }
    }
  }

  // Bytes of buffers between their first and last user, in the input order.
  void CheckPeak() {
    std::vector<uint32_t> first(stream_.buffer_count(), kNone), last(stream_.buffer_count(), 0);
    for (uint32_t o = 0; o < stream_.op_count(); ++o) {
      const bool program = stream_.op(OpIndex(o)).kind == OpKind::kStart;
      for (const Access& access : stream_.accesses(OpIndex(o))) {
        const uint32_t b = access.buffer.value();
        if (IsXram(b)) continue;
        first[b] = std::min(first[b], o);
        last[b] = std::max(last[b], program ? o + 1 : o);
      }
    }
    std::vector<int64_t> changes(stream_.op_count() + 2, 0);
    for (uint32_t b = 0; b < stream_.buffer_count(); ++b) {
      if (first[b] == kNone) continue;
      const int64_t size = static_cast<int64_t>(stream_.buffer(BufferIndex(b)).size);
      changes[first[b]] += size;
      changes[last[b] + 1] -= size;
    }
    int64_t live = 0;
    for (uint32_t o = 0; o < stream_.op_count(); ++o) {
      live += changes[o];
      if (live <= static_cast<int64_t>(hardware_.usable_bytes())) continue;
      Fault(absl::StrCat(stream_.op_name(OpIndex(o)), ": ", live, " bytes live at once"));
      return;
    }
  }

  const Network& network_;
  const Hardware& hardware_;
  const LoweringNumbers& numbers_;
  const LoweringOptions& options_;
  const LoweredNetwork& lowered_;
  const Stream& stream_;
  std::vector<LayerShape> shapes_;
  uint32_t first_ = 0, end_ = 0;
  std::vector<ByteSet> written_;              // by buffer
  std::vector<std::vector<Access>> origins_;  // by LRAM buffer: what was loaded into it
  std::vector<uint32_t> allocs_;
  std::vector<OutputPlace> outputs_;  // by layer
  std::map<std::string, uint32_t> xram_by_name_;
  uint64_t next_code_ = 0;

  const LoweredLayer* layer_ = nullptr;
  std::map<TileKey, TileTouched> tiles_;
  std::map<uint32_t, TileKey> tile_of_buffer_;
  std::map<uint32_t, ByteSet> moved_inputs_;
  ByteSet moved_state_;
  std::string faults_;
  size_t fault_count_ = 0;
};

}  // namespace

std::string LoweringFaults(const Network& network, const Hardware& hardware,
                           const LoweringNumbers& numbers, const LoweringOptions& options,
                           const LoweredNetwork& lowered) {
  return Checker(network, hardware, numbers, options, lowered).Check();
}

}  // namespace torqsched
