#include "src/search/exact_model.h"

#include <algorithm>

#include "src/graph/order_clock.h"
#include "src/search/exact.h"
#include "src/search/exact_alike.h"
#include "src/search/exact_spares.h"

namespace torqsched {
namespace {

// Sums of times stay below 2^63 where all cycles together stay below this.
constexpr uint64_t kMostCycles = uint64_t{1} << 56;
// Sums of sizes likewise.
constexpr uint64_t kMostBytes = uint64_t{1} << 62;

class ModelMaker {
 public:
  ModelMaker(const ScheduleProblem& problem, const ActionGraph& graph)
      : problem_(problem), stream_(problem.stream), graph_(graph) {}

  ExactModel Make() {
    const Hardware& hardware = problem_.hardware;
    model_.block_ops = hardware.block_ops;
    if (hardware.block_ops != 0) {
      model_.block_cycles = TransferCycles(hardware, hardware.block_bytes);
      model_.waits_branch = true;
    }
    for (uint32_t i = 0; i < graph_.size(); ++i) AddAction(ActionIndex(i));
    AddBuffers();
    const size_t programs = std::max<size_t>(model_.programs.size(), 1);
    model_.slices = static_cast<uint32_t>(std::min<size_t>(hardware.slices, programs));
    OrderAlikeParts(&model_);
    FillAncestors();
    FillTails();
    FindSpares(false, &model_);
    return std::move(model_);
  }

 private:
  void AddAction(ActionIndex index) {
    const Action& action = graph_.action(index);
    ExactAction made;
    made.kind = action.kind;
    made.stream_cycles = action.cycles;
    AddNeeds(graph_.needs(index), &made.needs, &made.needs_end);
    if (action.kind == ActionKind::kProgram) {
      made.stream_cycles = problem_.hardware.start_cycles;
      made.compute = action.cycles;
      made.program = static_cast<uint32_t>(model_.programs.size());
      model_.programs.push_back(index.value());
      AddNeeds(graph_.wait_needs(index), &made.wait_needs, &made.wait_needs_end);
      model_.waits_branch |= made.wait_needs != 0;
    }
    model_.actions.push_back(made);
  }

  void AddNeeds(Run<Need> needs, ActionMask* all, ActionMask* ends) {
    for (const Need need : needs) {
      const ActionMask mask = MaskOf(need.action().value());
      *all |= mask;
      if (need.end()) *ends |= mask;
    }
  }

  void AddBuffers() {
    model_.capacity = problem_.hardware.usable_bytes();
    std::vector<bool> live_in(stream_.buffer_count(), false);
    for (const BufferIndex b : problem_.lifetimes.live_in()) live_in[b.value()] = true;
    for (uint32_t i = 0; i < stream_.buffer_count(); ++i) {
      const BufferIndex b(i);
      const Buffer& buffer = stream_.buffer(b);
      if (buffer.space != Space::kLram || buffer.size == 0) continue;
      if (!graph_.users(b).empty()) {
        AddBuffer(b, live_in[i]);
      } else if (live_in[i]) {
        TakeAway(buffer.size);
      }
    }
    uint64_t left = model_.capacity;
    for (const ExactBuffer& buffer : model_.buffers) {
      if (!buffer.live_in) continue;
      model_.fits_at_first = model_.fits_at_first && buffer.bytes <= left;
      left -= std::min(left, buffer.bytes);
    }
  }

  void TakeAway(uint64_t bytes) {
    model_.fits_at_first = model_.fits_at_first && bytes <= model_.capacity;
    model_.capacity -= std::min(model_.capacity, bytes);
  }

  void AddBuffer(BufferIndex b, bool live_in) {
    const uint32_t number = static_cast<uint32_t>(model_.buffers.size());
    ExactBuffer buffer;
    buffer.bytes = stream_.buffer(b).size;
    buffer.live_in = live_in;
    buffer.live_out = stream_.buffer(b).live_out;
    for (const ActionIndex user : graph_.users(b)) {
      ExactAction& action = model_.actions[user.value()];
      const OpIndex op = graph_.action(user).op;
      const ActionMask mask = MaskOf(user.value());
      if (Uses(op, b)) {
        buffer.users |= mask;
        action.uses.push_back(number);
      } else {
        action.wait_uses.push_back(number);
        buffer.waits |= mask;
        model_.waits_branch = true;
      }
      if (action.kind == ActionKind::kProgram) buffer.holds |= mask;
    }
    buffer.transfer_cycles = TransferCycles(problem_.hardware, buffer.bytes);
    buffer.may_leave = !buffer.live_in && !buffer.live_out && !stream_.buffer(b).has_fixed_offset;
    if (buffer.may_leave && buffer.transfer_cycles > kMostCycles / 64) model_.swaps_apply = false;
    AddContents(b, &buffer);
    model_.buffers.push_back(buffer);
  }

  // All bytes of the buffer that an op writes lie in one range. A load from constants counts as a
  // refill where OFFLINE takes it for one: reads of no bytes may be of anything.
  void AddContents(BufferIndex b, ExactBuffer* buffer) {
    struct Written {
      ActionMask action = 0;
      uint64_t begin = ~uint64_t{0}, end = 0;
    };
    std::vector<Written> all;
    std::vector<uint32_t> refills;  // of all
    for (const ActionIndex user : graph_.users(b)) {
      const OpIndex op = graph_.action(user).op;
      Written written{MaskOf(user.value())};
      bool covers = false, reads = false, constant = false, other = false;
      for (const Access& access : stream_.accesses(op)) {
        const bool from_constant = stream_.buffer(access.buffer).constant;
        constant |= access.reads && from_constant;
        if (access.begin == access.end) continue;
        other |= access.reads && !from_constant;
        if (access.buffer != b) continue;
        reads |= access.reads;
        if (!access.writes) continue;
        written.begin = std::min(written.begin, access.begin);
        written.end = std::max(written.end, access.end);
        covers |= access.begin == 0 && access.end == buffer->bytes;
      }
      if (reads) buffer->readers |= written.action;
      if (covers && !reads) buffer->covers |= written.action;
      if (written.begin >= written.end) continue;
      buffer->writers |= written.action;
      if (graph_.action(user).kind == ActionKind::kLoad && constant && !other) {
        refills.push_back(static_cast<uint32_t>(all.size()));
      }
      all.push_back(written);
    }
    for (const uint32_t i : refills) {
      ExactRefill refill;
      refill.load = static_cast<uint32_t>(__builtin_ctzll(all[i].action));
      for (const Written& w : all) {
        if (w.begin >= all[i].begin && w.end <= all[i].end) refill.overwrites |= w.action;
      }
      buffer->refills.push_back(refill);
      if (MayBeLate(refill.load, *buffer)) buffer->late_loads |= all[i].action;
    }
  }

  bool MayBeLate(uint32_t index, const ExactBuffer& buffer) const {
    const ExactAction& load = model_.actions[index];
    if (graph_.uses(ActionIndex(index)).size() != 1) return false;
    if (load.stream_cycles > buffer.transfer_cycles) return false;
    if ((buffer.covers & MaskOf(index)) == 0) return false;
    for (uint32_t i = 0; i < model_.actions.size(); ++i) {
      const ExactAction& action = model_.actions[i];
      if ((action.wait_needs & MaskOf(index)) != 0) return false;
      const bool needs = (action.needs & MaskOf(index)) != 0;
      if (needs && (buffer.accessors() & MaskOf(i)) == 0) return false;
    }
    return true;
  }

  bool Uses(OpIndex op, BufferIndex b) const {
    const Run<BufferIndex> uses = problem_.lifetimes.uses(op);
    return std::binary_search(uses.begin(), uses.end(), b);
  }

  // Needs point backwards, so what stands before is known.
  void FillAncestors() {
    for (ExactAction& action : model_.actions) {
      action.ancestors = action.needs;
      ForEachBit(action.needs, [&](uint32_t i) {
        const ExactAction& need = model_.actions[i];
        action.ancestors |= need.ancestors;
        action.end_ancestors |= need.end_ancestors;
        const bool ends = need.kind != ActionKind::kProgram || (action.needs_end & MaskOf(i)) != 0;
        if (!ends) return;
        action.end_ancestors |= MaskOf(i);
        ForEachBit(need.wait_needs, [&](uint32_t k) {
          action.ancestors |= MaskOf(k) | model_.actions[k].ancestors;
        });
      });
    }
  }

  // All descendants have higher numbers.
  void FillTails() {
    for (size_t i = 0; i < model_.actions.size(); ++i) model_.by_tail.push_back(i);
    for (size_t i = model_.actions.size(); i-- > 0;) {
      ExactAction& action = model_.actions[i];
      ActionMask after = 0, after_end = 0;
      for (size_t j = i + 1; j < model_.actions.size(); ++j) {
        if ((model_.actions[j].ancestors & MaskOf(i)) != 0) after |= MaskOf(j);
        if ((model_.actions[j].end_ancestors & MaskOf(i)) != 0) after_end |= MaskOf(j);
      }
      action.tail = TailOf(after);
      if (action.kind != ActionKind::kProgram) continue;
      action.end_tail = TailOf(after_end);
      const uint64_t rest = action.compute - std::min(action.compute, action.stream_cycles);
      action.tail = std::max(action.tail, rest + action.end_tail);
    }
    const std::vector<ExactAction>& actions = model_.actions;
    model_.programs_by_tail = model_.programs;
    std::stable_sort(model_.by_tail.begin(), model_.by_tail.end(),
                     [&](uint32_t a, uint32_t b) { return actions[a].tail > actions[b].tail; });
    std::stable_sort(
        model_.programs_by_tail.begin(), model_.programs_by_tail.end(),
        [&](uint32_t a, uint32_t b) { return actions[a].end_tail > actions[b].end_tail; });
  }

  // The least time that these actions take, one after the other on the stream and beside each other
  // on the slices, each with its tail.
  uint64_t TailOf(ActionMask after) const {
    std::vector<std::pair<uint64_t, uint64_t>> stream, slices;  // tail, cycles
    ForEachBit(after, [&](uint32_t j) {
      const ExactAction& action = model_.actions[j];
      stream.push_back({action.tail, action.stream_cycles});
      if (action.kind != ActionKind::kProgram) return;
      slices.push_back({action.end_tail, action.compute});
    });
    return std::max(OneMachine(&stream, 1), OneMachine(&slices, model_.slices));
  }

  static uint64_t OneMachine(std::vector<std::pair<uint64_t, uint64_t>>* jobs, uint64_t machines) {
    std::sort(jobs->rbegin(), jobs->rend());
    uint64_t sum = 0, longest = 0;
    for (const auto& [tail, cycles] : *jobs) {
      sum += cycles;
      longest = std::max(longest, (sum + machines - 1) / machines + tail);
    }
    return longest;
  }

  const ScheduleProblem& problem_;
  const Stream& stream_;
  const ActionGraph& graph_;
  ExactModel model_;
};

// Whether bytes and cycles of all actions together are few enough.
bool SumsFit(const ScheduleProblem& problem, const ActionGraph& graph) {
  const Hardware& hardware = problem.hardware;
  uint64_t bytes = 0, cycles = 0;
  const auto add_cycles = [&](uint64_t more) {
    cycles += std::min(more, kMostCycles);
    return cycles < kMostCycles;
  };
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const ActionIndex action(i);
    for (const BufferIndex b : graph.uses(action)) {
      bytes += std::min(problem.stream.buffer(b).size, kMostBytes);
      if (bytes >= kMostBytes) return false;
    }
    if (!add_cycles(graph.action(action).cycles) || !add_cycles(hardware.start_cycles)) {
      return false;
    }
  }
  // Ops that are not pure are at most twice as many as actions.
  const uint64_t blocks = hardware.block_ops == 0 ? 0 : 2 * graph.size();
  for (uint64_t i = 0; i < blocks; ++i) {
    if (!add_cycles(TransferCycles(hardware, hardware.block_bytes))) return false;
  }
  return true;
}

}  // namespace

std::optional<ExactModel> MakeExactModel(const ScheduleProblem& problem, const ActionGraph& graph) {
  if (graph.size() > kMostExactActions || !SumsFit(problem, graph)) return std::nullopt;
  if (!PlainOrderClock::Suffices(problem.stream, problem.hardware)) return std::nullopt;
  return ModelMaker(problem, graph).Make();
}

MaskSum::MaskSum(const std::vector<uint64_t>& values) : tables_((values.size() + 7) / 8) {
  for (size_t i = 0; i < tables_.size(); ++i) {
    for (uint32_t mask = 1; mask < 256; ++mask) {
      const size_t lowest = 8 * i + static_cast<size_t>(__builtin_ctz(mask));
      const uint64_t value = lowest < values.size() ? values[lowest] : 0;
      tables_[i][mask] = tables_[i][mask & (mask - 1)] + value;
    }
  }
}

}  // namespace torqsched
