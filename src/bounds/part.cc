#include "src/bounds/part.h"

#include <algorithm>
#include <utility>

#include "src/stream/checked.h"

namespace torqsched::bounds {
namespace {

constexpr uint32_t kNone = 0xffffffff;

bool Stays(const Buffer& b) { return b.has_fixed_offset || b.live_in || b.live_out; }

// Whether the action uses the buffer as soon as it begins: a program's wait may use more.
bool UsesAtOnce(const ScheduleProblem& problem, const Action& action, BufferIndex b) {
  if (action.kind != ActionKind::kProgram) return true;
  const Run<BufferIndex> uses = problem.lifetimes.uses(action.op);
  return std::binary_search(uses.begin(), uses.end(), b);
}

// The ops of an action that is no joint: those that block transfers count.
uint64_t OpsOf(const Action& action) {
  return action.kind == ActionKind::kJoint ? 0 : action.kind == ActionKind::kProgram ? 2 : 1;
}

uint64_t BlockCycles(const Hardware& hardware, uint64_t ops) {
  if (hardware.block_ops == 0) return 0;
  return SaturatingMultiply(ops / hardware.block_ops,
                            TransferCycles(hardware, hardware.block_bytes));
}

// The jobs [first, last) of the graph with their needs; `from` and `to` are ops: a program whose
// wait is not before `to` is only a start here.
class PartMaker {
 public:
  PartMaker(const ScheduleProblem& problem, const ActionGraph& graph, uint32_t first, uint32_t last)
      : problem_(problem), graph_(graph), first_(first), last_(last) {}

  uint64_t AddJobs(uint32_t end_op, Part* part) const {
    uint64_t ops = 0;
    part->jobs.reserve(last_ - first_);
    for (uint32_t i = first_; i < last_; ++i) {
      const Action& action = graph_.action(ActionIndex(i));
      Job job;
      job.stream = action.cycles;
      const bool transfer = action.kind == ActionKind::kLoad || action.kind == ActionKind::kStore;
      if (transfer && problem_.hardware.non_blocking_transfers) {
        job.stream = problem_.hardware.transfer_issue_cycles;
      }
      ops += OpsOf(action);
      if (action.kind == ActionKind::kProgram) {
        job.stream = problem_.hardware.start_cycles;
        if (problem_.stream.op(action.op).partner.value() < end_op) {
          job.program = true;
          job.compute = action.cycles;
        } else {
          --ops;
        }
      }
      part->jobs.push_back(job);
      AddNeeds(graph_.needs(ActionIndex(i)), &part->needs);
      AddNeeds(graph_.wait_needs(ActionIndex(i)), &part->wait_needs);
    }
    return ops;
  }

 private:
  void AddNeeds(Run<Need> needs, Rows<Need>* rows) const {
    for (const Need need : needs) {
      const uint32_t action = need.action().value();
      if (action < first_ || action >= last_) continue;
      rows->Add(Need(ActionIndex(action - first_), need.end()));
    }
    rows->EndRow();
  }

  const ScheduleProblem& problem_;
  const ActionGraph& graph_;
  const uint32_t first_;
  const uint32_t last_;
};

// Whose reload is known once `job`, which is this op, turns out to be its loader.
void SetLoader(const ScheduleProblem& problem, const OnlyLoaders& loaders, OpIndex op, uint32_t job,
               BufferIndex b, PartBuffer* buffer) {
  if (!op.present() || loaders.of(b) != op) return;
  buffer->loader = job;
  buffer->reload = TransferCycles(problem.hardware, buffer->size);
}

// Who uses each of the part's buffers, from what each job uses.
void FillUsers(Part* part) {
  std::vector<uint32_t> begins(part->buffers.size() + 1, 0);
  for (uint32_t j = 0; j < part->size(); ++j) {
    for (const uint32_t b : part->uses[j]) ++begins[b];
  }
  uint32_t total = 0;
  for (uint32_t& begin : begins) total += std::exchange(begin, total);
  std::vector<uint32_t> users(total);
  std::vector<uint32_t> fill = begins;
  for (uint32_t j = 0; j < part->size(); ++j) {
    for (const uint32_t b : part->uses[j]) users[fill[b]++] = j;
  }
  part->users.Adopt(std::move(begins), std::move(users));
}

}  // namespace

OnlyLoaders::OnlyLoaders(const ScheduleProblem& problem)
    : loaders_(problem.stream.buffer_count(), OpIndex()) {
  const Stream& stream = problem.stream;
  IndexVector<BufferIndex, uint32_t> accessors(stream.buffer_count(), 0);
  IndexVector<BufferIndex, uint8_t> spoiled(stream.buffer_count(), 0);
  std::vector<std::pair<BufferIndex, bool>> accessed;  // and whether it is written
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    const OpIndex op(i);
    accessed.clear();
    for (const Access& access : stream.accesses(op)) {
      if (access.begin == access.end) continue;
      if (access.reads) accessed.push_back({access.buffer, false});
      if (access.writes) accessed.push_back({access.buffer, true});
    }
    std::sort(accessed.begin(), accessed.end());
    accessed.erase(std::unique(accessed.begin(), accessed.end()), accessed.end());
    for (size_t k = 0; k < accessed.size(); ++k) {
      const auto& [b, writes] = accessed[k];
      ++accessors[b];
      if (!writes) continue;
      const bool reads_too = k > 0 && accessed[k - 1].first == b;
      spoiled[b] |= reads_too || loaders_[b].present() || stream.op(op).kind != OpKind::kLoad;
      loaders_[b] = op;
    }
  }
  for (uint32_t b = 0; b < stream.buffer_count(); ++b) {
    const BufferIndex buffer(b);
    // A view uses it too, and who knows for what.
    const bool all_access = accessors[buffer] == problem.lifetimes.users(buffer).size();
    if (spoiled[buffer] != 0 || !all_access) loaders_[buffer] = OpIndex();
  }
}

Part WholeStream(const ScheduleProblem& problem, const ActionGraph& graph,
                 const OnlyLoaders& loaders, bool swaps_allowed) {
  Part part;
  const uint32_t actions = static_cast<uint32_t>(graph.size());
  const uint64_t ops = PartMaker(problem, graph, 0, actions).AddJobs(kNone, &part);
  part.capacity = problem.hardware.usable_bytes();
  part.block_cycles = BlockCycles(problem.hardware, ops);
  part.slices = problem.hardware.slices;
  part.swaps_allowed = swaps_allowed;
  part.transfers_block = !problem.hardware.non_blocking_transfers;
  std::vector<uint32_t> local(problem.stream.buffer_count(), kNone);
  for (uint32_t b = 0; b < problem.stream.buffer_count(); ++b) {
    const Buffer& buffer = problem.stream.buffer(BufferIndex(b));
    if (buffer.space != Space::kLram) continue;
    if (graph.users(BufferIndex(b)).empty()) {
      // Never born, unless it is live throughout.
      if (buffer.live_in && buffer.live_out) {
        part.capacity -= std::min(part.capacity, buffer.size);
      }
      continue;
    }
    local[b] = static_cast<uint32_t>(part.buffers.size());
    part.buffers.push_back({buffer.size, buffer.live_in, buffer.live_out, Stays(buffer)});
  }
  for (uint32_t i = 0; i < actions; ++i) {
    for (const BufferIndex b : graph.uses(ActionIndex(i))) {
      if (!UsesAtOnce(problem, graph.action(ActionIndex(i)), b)) continue;
      SetLoader(problem, loaders, graph.action(ActionIndex(i)).op, i, b,
                &part.buffers[local[b.value()]]);
      part.uses.Add(local[b.value()]);
    }
    part.uses.EndRow();
  }
  FillUsers(&part);
  return part;
}

PartsBetweenBarriers::PartsBetweenBarriers(const ScheduleProblem& problem, const ActionGraph& graph,
                                           const OnlyLoaders& loaders, bool swaps_allowed)
    : problem_(problem), graph_(graph), loaders_(loaders), swaps_allowed_(swaps_allowed) {
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const Action& action = graph.action(ActionIndex(i));
    if (action.kind != ActionKind::kBarrier) continue;
    cuts_.push_back(i);
    barrier_cycles_ = SaturatingAdd(barrier_cycles_, action.cycles);
  }
  MeasureLives();
}

uint32_t PartsBetweenBarriers::PartOf(OpIndex op) const {
  const auto cut = std::lower_bound(cuts_.begin(), cuts_.end(), op, [&](uint32_t c, OpIndex o) {
    return graph_.action(ActionIndex(c)).op < o;
  });
  return static_cast<uint32_t>(cut - cuts_.begin());
}

void PartsBetweenBarriers::MeasureLives() {
  const size_t buffers = problem_.stream.buffer_count();
  const uint32_t parts = static_cast<uint32_t>(size());
  first_part_.assign(buffers, kNone);
  last_part_.assign(buffers, 0);
  through_bytes_.assign(parts + 1, 0);
  local_.assign(buffers, kNone);
  std::vector<uint64_t> begins(parts + 1, 0);
  std::vector<uint64_t> ends(parts + 1, 0);
  for (uint32_t b = 0; b < buffers; ++b) {
    const Buffer& buffer = problem_.stream.buffer(BufferIndex(b));
    const Run<ActionIndex> users = graph_.users(BufferIndex(b));
    const bool throughout = buffer.live_in && buffer.live_out;
    if (buffer.space != Space::kLram || (users.empty() && !throughout)) continue;
    // Positions are counted from 1, so that "before the first part" is 0.
    uint32_t first = kNone;
    uint32_t last = 0;
    for (const ActionIndex user : users) {
      const Action& action = graph_.action(user);
      const bool program = action.kind == ActionKind::kProgram;
      const OpIndex end = program ? problem_.stream.op(action.op).partner : action.op;
      // A barrier stands after its part and before the next: what it uses is live at both ends.
      const bool barrier = action.kind == ActionKind::kBarrier;
      first = std::min(first,
                       PartOf(UsesAtOnce(problem_, action, BufferIndex(b)) ? action.op : end) + 1);
      last = std::max(last, PartOf(end) + (barrier ? 2 : 1));
    }
    if (buffer.live_in) first = 0;
    if (buffer.live_out) last = parts + 1;
    first_part_[b] = first;
    last_part_[b] = last;
    if (swaps_allowed_ && !Stays(buffer)) continue;
    if (first == kNone || last <= first + 1) continue;
    begins[first] = SaturatingAdd(begins[first], buffer.size);
    ends[last - 1] = SaturatingAdd(ends[last - 1], buffer.size);
  }
  // through_bytes_[p]: of part p, at position p + 1.
  uint64_t live = 0;
  for (uint32_t p = 0; p < parts; ++p) {
    live = SaturatingAdd(live, begins[p]);
    live -= std::min(live, ends[p]);
    through_bytes_[p] = live;
  }
}

Part PartsBetweenBarriers::Make(size_t index) {
  Part part;
  const uint32_t first = index == 0 ? 0 : cuts_[index - 1] + 1;
  const bool is_last = index == cuts_.size();
  const uint32_t last = is_last ? static_cast<uint32_t>(graph_.size()) : cuts_[index];
  const uint32_t end_op = is_last ? kNone : graph_.action(ActionIndex(last)).op.value();
  const uint64_t ops = PartMaker(problem_, graph_, first, last).AddJobs(end_op, &part);
  part.block_cycles = BlockCycles(problem_.hardware, ops);
  part.slices = problem_.hardware.slices;
  part.swaps_allowed = swaps_allowed_;
  part.transfers_block = !problem_.hardware.non_blocking_transfers;
  uint64_t through = through_bytes_[index];
  std::vector<uint32_t> used;
  const uint32_t position = static_cast<uint32_t>(index) + 1;
  for (uint32_t i = first; i < last; ++i) {
    for (const BufferIndex b : graph_.uses(ActionIndex(i))) {
      if (!UsesAtOnce(problem_, graph_.action(ActionIndex(i)), b)) continue;
      uint32_t& local = local_[b.value()];
      if (local == kNone) {
        const Buffer& buffer = problem_.stream.buffer(b);
        PartBuffer added{buffer.size,
                         first_part_[b.value()]<position, last_part_[b.value()]> position,
                         Stays(buffer)};
        local = static_cast<uint32_t>(part.buffers.size());
        part.buffers.push_back(added);
        used.push_back(b.value());
        const bool counted = !swaps_allowed_ || added.stays;
        if (added.born_before && added.dies_after && counted)
          through -= std::min(through, added.size);
      }
      SetLoader(problem_, loaders_, graph_.action(ActionIndex(i)).op, i - first, b,
                &part.buffers[local]);
      part.uses.Add(local);
    }
    part.uses.EndRow();
  }
  for (const uint32_t b : used) local_[b] = kNone;
  const uint64_t usable = problem_.hardware.usable_bytes();
  part.capacity = usable - std::min(usable, through);
  FillUsers(&part);
  return part;
}

}  // namespace torqsched::bounds
