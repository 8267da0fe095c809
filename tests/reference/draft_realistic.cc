// Realistic streams: a network's layers cut into tiles, as a compiler lowers them.
//
// Each tile loads its program's code, its weights and its part of the input, starts, waits and
// stores its part of the output. Some layers keep their output in LRAM for the next one and for
// later ones, some weights stay for all tiles of a layer, some buffers are allocated at the top and
// used in turn, and a host call may stand between two layers.
#include <algorithm>
#include <vector>

#include "tests/reference/draft.h"

namespace torqsched::reference {
namespace {

class Tiler {
 public:
  Tiler(SplitMix64* random, const Shape& shape, uint32_t slices)
      : r_(*random), shape_(shape), slices_(slices) {}

  Draft Make() {
    const bool uniform = r_.Percent(40);
    const uint64_t weight = r_.Between(50, 400);
    dma_percent_ = r_.Between(10, 200);
    allocs_ = r_.Percent(70);
    late_waits_ = r_.Percent(30) ? r_.Below(60) : 0;
    residual_ = r_.Percent(50) ? r_.Below(60) : 0;
    reuse_ = r_.Percent(60) ? 0 : r_.Below(50);
    Buffer constants;
    constants.size = 4000;
    constants.constant = true;
    constants.live_in = true;
    constants_ = draft_.AddBuffer(constants);
    Buffer activations;
    activations.size = 4000;
    activations.live_in = true;
    activations.live_out = true;
    activations_ = draft_.AddBuffer(activations);
    if (r_.Percent(35)) {
      for (uint64_t i = r_.Between(1, 5); i > 0; --i) at_the_top_.push_back(NewBuffer(Size()));
      reuse_ = std::max(reuse_, r_.Between(20, 80));
    }
    const size_t ops = 6 + r_.Below(shape_.most_ops);
    while (draft_.ops.size() < ops) {
      Layer(ops, uniform ? weight : r_.Between(20, 400));
      if (r_.Percent(15)) {
        DraftOp host_call;
        host_call.cycles = r_.Percent(50) ? 0 : r_.Between(1, 200);
        draft_.AddOp(host_call, &r_, 100);
      }
    }
    while (!draft_.in_flight().empty()) draft_.AddWait(draft_.in_flight().front(), &r_);
    return std::move(draft_);
  }

 private:
  struct Made {
    uint32_t buffer = 0;
    std::vector<uint32_t> operands;  // what gives access to it
  };

  uint64_t Size() { return r_.Between(20, 250); }

  // One that was allocated at the top or used before, of about its own size, or a new one.
  Made MakeBuffer(uint64_t size) {
    if (!at_the_top_.empty() && r_.Percent(reuse_)) {
      return at_the_top_[r_.Below(at_the_top_.size())];
    }
    const Made made = NewBuffer(size);
    if (r_.Percent(reuse_)) at_the_top_.push_back(made);
    return made;
  }

  Made NewBuffer(uint64_t size) {
    Buffer b;
    b.space = Space::kLram;
    b.size = size;
    Made made;
    made.buffer = draft_.AddBuffer(b);
    if (allocs_) {
      DraftOp alloc;
      alloc.kind = OpKind::kPure;
      alloc.alloc = made.buffer;
      const uint32_t alloc_op = draft_.AddOp(alloc, &r_, 100);
      made.operands = {alloc_op};
      if (r_.Percent(25)) {
        DraftOp view;
        view.kind = OpKind::kPure;
        view.operands = {alloc_op};
        made.operands = {draft_.AddOp(view, &r_, 100)};
      }
    }
    return made;
  }

  void Transfer(OpKind kind, uint32_t xram, uint64_t offset, const Made& lram) {
    const uint64_t size = draft_.buffers[lram.buffer].size;
    const bool load = kind == OpKind::kLoad;
    DraftOp op;
    op.kind = kind;
    op.cycles = size * dma_percent_ / 400 + 1;
    op.operands = lram.operands;
    op.accesses = {{xram, load, !load, offset, size}, {lram.buffer, !load, load, 0, std::nullopt}};
    draft_.AddOp(op, &r_, 100);
  }

  void Load(uint32_t xram, const Made& to) {
    Transfer(OpKind::kLoad, xram, SomewhereIn(xram, draft_.buffers[to.buffer].size), to);
  }

  uint64_t SomewhereIn(uint32_t xram, uint64_t size) {
    return 50 * r_.Below((draft_.buffers[xram].size - size) / 50);
  }

  void Layer(size_t ops, uint64_t weight) {
    const bool weights_stay = r_.Percent(30);
    const bool output_stays = r_.Percent(35);
    const uint64_t code = r_.Between(4, 24);
    const uint64_t compute = r_.Between(20, 250);
    const uint64_t input = Size();
    const uint64_t output = Size();
    Made weights;
    if (weights_stay) {
      weights = MakeBuffer(weight);
      Load(constants_, weights);
    }
    for (uint64_t tiles = r_.Between(1, 4); tiles > 0 && draft_.ops.size() < ops; --tiles) {
      std::vector<Made> reads;
      reads.push_back(MakeBuffer(code));
      Load(constants_, reads.back());
      if (weights_stay) {
        reads.push_back(weights);
      } else {
        reads.push_back(MakeBuffer(weight));
        Load(constants_, reads.back());
      }
      if (has_kept_ && r_.Percent(80)) {
        reads.push_back(kept_);
      } else {
        reads.push_back(MakeBuffer(input));
        Load(activations_, reads.back());
      }
      if (!earlier_.empty() && r_.Percent(residual_)) {
        reads.push_back(earlier_[r_.Below(earlier_.size())]);
      }
      const Made result = MakeBuffer(output);

      DraftOp start;
      start.kind = OpKind::kStart;
      start.cycles = compute;
      start.slice = static_cast<uint32_t>(r_.Percent(80) ? 0 : r_.Below(slices_));
      for (const Made& read : reads) {
        start.accesses.push_back({read.buffer, true, false, 0, std::nullopt});
        start.operands.insert(start.operands.end(), read.operands.begin(), read.operands.end());
      }
      start.accesses.push_back({result.buffer, false, true, 0, std::nullopt});
      start.operands.insert(start.operands.end(), result.operands.begin(), result.operands.end());
      const uint32_t program = draft_.AddOp(start, &r_, 100);
      if (!r_.Percent(late_waits_)) draft_.AddWait(program, &r_);
      if (output_stays) {
        next_kept_ = result;
        has_next_kept_ = true;
      } else {
        const uint64_t size = draft_.buffers[result.buffer].size;
        Transfer(OpKind::kStore, activations_, SomewhereIn(activations_, size), result);
      }
    }
    if (has_next_kept_) earlier_.push_back(next_kept_);
    has_kept_ = has_next_kept_;
    kept_ = next_kept_;
    has_next_kept_ = false;
  }

  SplitMix64& r_;
  const Shape& shape_;
  const uint32_t slices_;
  Draft draft_;
  uint32_t constants_ = 0;
  uint32_t activations_ = 0;
  Made kept_;  // the output that the layer before left in LRAM
  bool has_kept_ = false;
  Made next_kept_;
  bool has_next_kept_ = false;
  std::vector<Made> earlier_;     // outputs that stayed in LRAM
  std::vector<Made> at_the_top_;  // buffers that are used again
  bool allocs_ = false;
  uint64_t dma_percent_ = 0;
  uint64_t late_waits_ = 0;  // percent
  uint64_t residual_ = 0;    // percent
  uint64_t reuse_ = 0;       // percent
};

}  // namespace

Draft DraftRealistic(SplitMix64* random, const Shape& shape, uint32_t slices) {
  return Tiler(random, shape, slices).Make();
}

}  // namespace torqsched::reference
