#include "src/lowering/check_lowering.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/lowering/layer_shapes.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

// Disjoint runs of bytes, none touching another.
class ByteSet {
 public:
  void Add(uint64_t begin, uint64_t end) {
    if (begin >= end) return;
    auto next = runs_.upper_bound(begin);
    if (next != runs_.begin() && std::prev(next)->second >= begin) {
      --next;
      begin = next->first;
    }
    while (next != runs_.end() && next->first <= end) {
      end = std::max(end, next->second);
      next = runs_.erase(next);
    }
    runs_[begin] = end;
  }
  bool Has(uint64_t begin, uint64_t end) const {
    if (begin >= end) return true;
    const auto next = runs_.upper_bound(begin);
    return next != runs_.begin() && std::prev(next)->second >= end;
  }
  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const auto& [begin, end] : runs_) sum += end - begin;
    return sum;
  }

 private:
  std::map<uint64_t, uint64_t> runs_;
};

class Checker {
 public:
  Checker(const Network& network, const LoweredNetwork& lowered)
      : network_(network),
        lowered_(lowered),
        stream_(lowered.stream),
        weight_owners_(lowering::WeightOwnersOf(network)) {
    written_.resize(stream_.buffer_count());
    makers_.assign(stream_.buffer_count(), kNobody);
    for (size_t b = 0; b < written_.size(); ++b) {
      const Buffer& buffer = stream_.buffer(BufferIndex(b));
      if (buffer.live_in) written_[b].Add(0, buffer.size);
    }
  }

  absl::Status Check() {
    uint32_t next = 0;
    for (const LoweredLayer& layer : lowered_.layers) {
      if (layer.layer >= network_.layers.size() || layer.first_op != next || layer.end_op < next ||
          layer.end_op > stream_.op_count()) {
        return absl::InternalError(absl::StrCat("lowering: layer ", layer.layer,
                                                ": its ops do not follow the last one's"));
      }
      next = layer.end_op;
      if (absl::Status status = CheckLayer(layer); !status.ok()) return status;
    }
    if (next != stream_.op_count()) return absl::InternalError("lowering: ops of no layer");
    for (size_t b = 0; b < written_.size(); ++b) {
      const Buffer& buffer = stream_.buffer(BufferIndex(b));
      if (!buffer.live_out || written_[b].Has(0, buffer.size)) continue;
      return absl::InternalError(absl::StrCat("lowering: ", stream_.Describe(BufferIndex(b)),
                                              " leaves and is not written whole"));
    }
    return absl::OkStatus();
  }

 private:
  // What a layer's ops touch, by buffer.
  struct Touched {
    std::map<uint32_t, ByteSet> weights;  // read: constants but code
    std::map<uint32_t, ByteSet> state;    // read
    std::map<uint32_t, ByteSet> stored;   // of XRAM, written
    std::map<uint32_t, ByteSet> made;     // of LRAM, written by programs
    std::set<uint32_t> producers;         // earlier layers whose bytes it reads
    uint64_t loaded_bytes = 0;
    uint64_t stored_bytes = 0;
    uint64_t programs = 0;
  };

  absl::Status CheckLayer(const LoweredLayer& layer) {
    Touched touched;
    for (uint32_t o = layer.first_op; o < layer.end_op; ++o) {
      if (absl::Status status = Walk(layer, OpIndex(o), &touched); !status.ok()) return status;
    }
    if (layer.programs != touched.programs ||
        layer.weight_bytes + layer.input_bytes + layer.code_bytes != touched.loaded_bytes ||
        layer.stored_bytes != touched.stored_bytes) {
      return Wrong(layer, "its sums are not those of its ops");
    }
    absl::Status status = CheckSums(layer, touched);
    if (status.ok()) status = CheckInputs(layer, touched);
    if (status.ok()) status = CheckOutput(layer, touched);
    return status;
  }

  absl::Status Walk(const LoweredLayer& layer, OpIndex o, Touched* touched) {
    const Op& op = stream_.op(o);
    uint64_t from = 0, to = 0;  // bytes on a transfer's sides
    for (const Access& access : stream_.accesses(o)) {
      const uint32_t b = access.buffer.value();
      if (access.reads && !written_[b].Has(access.begin, access.end)) {
        return Wrong(layer,
                     absl::StrCat(stream_.Describe(o), " reads bytes of ",
                                  stream_.Describe(access.buffer), " that nobody has written"));
      }
      (access.writes ? to : from) += access.end - access.begin;
      Note(layer, op, access, touched);
    }
    // A program's outputs are there when it has ended; no op between start and wait reads them.
    for (const Access& access : stream_.accesses(o)) {
      if (!access.writes) continue;
      written_[access.buffer.value()].Add(access.begin, access.end);
      if (op.kind != OpKind::kLoad) makers_[access.buffer.value()] = layer.layer;
    }
    const bool to_state = op.kind == OpKind::kStore && layer.programs == 0;
    if ((op.kind == OpKind::kLoad || op.kind == OpKind::kStore) && from < to && !to_state) {
      return Wrong(layer,
                   absl::StrCat(stream_.Describe(o), " reads ", from, " bytes and writes ", to));
    }
    if (op.kind == OpKind::kLoad) touched->loaded_bytes += to;
    if (op.kind == OpKind::kStore) touched->stored_bytes += to;
    if (op.kind == OpKind::kStart) ++touched->programs;
    return absl::OkStatus();
  }

  void Note(const LoweredLayer& layer, const Op& op, const Access& access, Touched* touched) {
    const uint32_t b = access.buffer.value();
    const Buffer& buffer = stream_.buffer(access.buffer);
    if (buffer.constant) {
      if (stream_.buffer_name(access.buffer) != "code") {
        touched->weights[b].Add(access.begin, access.end);
      }
    } else if (buffer.space == Space::kXram) {
      if (access.writes) touched->stored[b].Add(access.begin, access.end);
      if (access.reads && IsState(layer, access.buffer)) {
        touched->state[b].Add(access.begin, access.end);
      }
    } else if (access.writes && op.kind == OpKind::kStart) {
      touched->made[b].Add(access.begin, access.end);
    }
    if (access.reads && makers_[b] != kNobody && makers_[b] != layer.layer) {
      touched->producers.insert(makers_[b]);
    }
  }

  bool IsState(const LoweredLayer& layer, BufferIndex buffer) const {
    const std::optional<NetworkState>& state = network_.layers[layer.layer].state;
    const Buffer& b = stream_.buffer(buffer);
    return state.has_value() && b.live_in && b.live_out &&
           stream_.buffer_name(buffer) == state->name;
  }

  absl::Status CheckSums(const LoweredLayer& layer, const Touched& touched) const {
    const NetworkLayer& table = network_.layers[layer.layer];
    if (layer.macs != table.macs) {
      return Wrong(layer, absl::StrCat(layer.macs, " macs; the table says ", table.macs));
    }
    const NetworkLayer& owner = network_.layers[weight_owners_[layer.layer]];
    uint64_t weights = table.weight_bytes + table.scale_bytes;
    if (weights == 0) weights = owner.weight_bytes + owner.scale_bytes;
    weights = table.weight_bytes_read.value_or(weights);
    // An embedding that does not say how much reads what its output takes.
    const bool embedding = table.op == "embedding" && !table.weight_bytes_read.has_value();
    const uint64_t loaded = BytesOf(touched.weights);
    if (embedding ? loaded > weights : loaded != weights) {
      return Wrong(layer, absl::StrCat("loads ", loaded, " bytes of its ", weights, " of weights"));
    }
    const NetworkState state = table.state.value_or(NetworkState());
    const uint64_t read = std::min(state.bytes_read, state.bytes);
    if (table.op != "state_write" && BytesOf(touched.state) != read) {
      return Wrong(layer, absl::StrCat("loads ", BytesOf(touched.state), " bytes of its ", read,
                                       " of state"));
    }
    return absl::OkStatus();
  }

  absl::Status CheckInputs(const LoweredLayer& layer, const Touched& touched) const {
    const NetworkLayer& table = network_.layers[layer.layer];
    for (size_t i = 0; i < table.inputs.size(); ++i) {
      const int32_t producer = table.inputs[i];
      if (producer == kNetworkInput) continue;
      const bool inside = static_cast<uint32_t>(producer) >= lowered_.layers[0].layer;
      const uint64_t bytes = table.input_bytes.empty()
                                 ? network_.layers[producer].output_bytes.value_or(0)
                                 : table.input_bytes[i];
      if (!inside || bytes == 0 || touched.producers.count(producer) != 0) continue;
      return Wrong(layer,
                   absl::StrCat("reads nothing of ",
                                DescribeItem("layer", producer, network_.layers[producer].name)));
    }
    return absl::OkStatus();
  }

  // All of its output is made, and where it leaves LRAM stored; of its state what it writes.
  absl::Status CheckOutput(const LoweredLayer& layer, const Touched& touched) const {
    const NetworkLayer& table = network_.layers[layer.layer];
    uint64_t output = 0, state = 0;
    for (const auto& [b, set] : touched.stored) {
      (IsState(layer, BufferIndex(b)) ? state : output) += set.bytes();
    }
    if (layer.output_resident) {
      // In a buffer as large as the output; what is kept of a state is in another.
      for (const auto& [b, set] : touched.made) {
        if (stream_.buffer(BufferIndex(b)).size != table.output_bytes.value_or(0)) continue;
        output = std::max(output, set.bytes());
      }
    }
    if (output != table.output_bytes.value_or(0)) {
      return Wrong(layer, absl::StrCat("makes ", output, " bytes of its output"));
    }
    const NetworkState of = table.state.value_or(NetworkState());
    if (state != std::min(of.bytes_written, of.bytes)) {
      return Wrong(layer, absl::StrCat("writes ", state, " bytes of its state"));
    }
    return absl::OkStatus();
  }

  static uint64_t BytesOf(const std::map<uint32_t, ByteSet>& sets) {
    uint64_t bytes = 0;
    for (const auto& [b, set] : sets) bytes += set.bytes();
    return bytes;
  }

  absl::Status Wrong(const LoweredLayer& layer, absl::string_view message) const {
    return absl::InternalError(absl::StrCat(
        "lowering: ", DescribeItem("layer", layer.layer, network_.layers[layer.layer].name), ": ",
        message));
  }

  static constexpr uint32_t kNobody = 0xffffffff;

  const Network& network_;
  const LoweredNetwork& lowered_;
  const Stream& stream_;
  const std::vector<uint32_t> weight_owners_;
  std::vector<ByteSet> written_;  // by buffer
  std::vector<uint32_t> makers_;  // by buffer: the layer that computed or stored it
};

}  // namespace

absl::Status CheckLowering(const Network& network, const LoweredNetwork& lowered) {
  return Checker(network, lowered).Check();
}

}  // namespace torqsched
