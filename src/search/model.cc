#include "src/search/model.h"

#include <algorithm>

#include "src/stream/checked.h"

namespace torqsched::search {
namespace {

constexpr uint64_t kLargest = uint64_t{1} << 59;

}  // namespace

std::unique_ptr<const Model> Model::Make(const ScheduleProblem& problem, const ActionGraph& graph,
                                         const std::vector<Split>& splits,
                                         const Estimate& estimate) {
  std::unique_ptr<Model> model(new Model(problem, graph, estimate));
  if (!model->FillActions() || !model->FillParts()) return nullptr;
  model->FillUses();
  for (const Split& split : splits) model->MakeSplit(split);
  model->FillSegments();
  model->FillUsers();
  model->FillOrderRelations();
  return model;
}

// Rounded up to whole cycles. At most kLargest / 2 comes in or is meant.
int64_t Model::Estimated(ActionKind kind, uint64_t cycles) const {
  const bool transfer = kind == ActionKind::kLoad || kind == ActionKind::kStore;
  const int64_t percent = transfer                       ? estimate_.dma_percent
                          : kind == ActionKind::kProgram ? estimate_.compute_percent
                                                         : 0;
  const int64_t whole = static_cast<int64_t>(std::min(cycles, kLargest / 2));
  return percent == 0 ? whole
                      : whole + (whole / 100 * percent + (whole % 100 * percent + 99) / 100);
}

bool Model::FillActions() {
  const Hardware& hardware = problem_.hardware;
  slices_ = hardware.slices;
  block_ops_ = hardware.block_ops;
  const uint64_t block = block_ops_ == 0 ? 0 : TransferCycles(hardware, hardware.block_bytes);
  if (block > kLargest || hardware.start_cycles > kLargest) return false;
  block_cycles_ = static_cast<int64_t>(block);
  start_cycles_ = static_cast<int64_t>(hardware.start_cycles);
  uint64_t total = 0;
  uint32_t segment = 0;
  for (uint32_t i = 0; i < graph_.size(); ++i) {
    const Action& from = graph_.action(ActionIndex(i));
    total = SaturatingAdd(total, SaturatingAdd(from.cycles, SaturatingMultiply(2, block)));
    total = SaturatingAdd(total, hardware.start_cycles);
    if (total > kLargest) return false;
    ModelAction action;
    action.kind = from.kind;
    action.ends_blocked = !graph_.wait_needs(ActionIndex(i)).empty();
    action.cycles = Estimated(from.kind, from.cycles);
    action.op = from.op;
    if (from.kind == ActionKind::kProgram) {
      longest_program_ = std::max(longest_program_, action.cycles);
    }
    actions_.push_back(action);
    if (from.kind == ActionKind::kBarrier) ++segment;
    segment_.push_back(segment);
    if (from.kind == ActionKind::kBarrier) ++segment;  // it is a segment of its own
  }
  return true;
}

bool Model::FillParts() {
  const Stream& stream = problem_.stream;
  const Hardware& hardware = problem_.hardware;
  if (hardware.usable_bytes() > kLargest || hardware.alignment > kLargest) return false;
  capacity_ = static_cast<int64_t>(hardware.usable_bytes());
  const int64_t unit = static_cast<int64_t>(hardware.alignment);
  aligned_ = capacity_ % unit == 0;
  const LramRegions regions(hardware);
  for (const uint64_t boundary : regions.boundaries()) {
    boundaries_.push_back(static_cast<int64_t>(boundary));
    aligned_ &= boundaries_.back() % unit == 0;
  }
  uint64_t total = 0;
  uint64_t swaps = 0;  // cycles
  for (uint32_t i = 0; i < stream.buffer_count(); ++i) {
    const BufferIndex b(i);
    const Buffer& from = stream.buffer(b);
    Part part;
    part.buffer = b;
    const bool used = !graph_.users(b).empty() || (from.live_in && from.live_out);
    if (from.space == Space::kLram && from.size != 0 && used) {
      uint64_t size = 0;
      if (!CheckedAlignUp(from.size, hardware.alignment, &size)) return false;
      total = SaturatingAdd(total, size);
      if (total > kLargest || from.alignment > kLargest) return false;
      const uint64_t transfer =
          SaturatingAdd(TransferCycles(hardware, from.size), static_cast<uint64_t>(block_cycles_));
      swaps = SaturatingAdd(swaps, SaturatingMultiply(2 * graph_.users(b).size(), transfer));
      part.size = static_cast<int64_t>(size);
      part.alignment = static_cast<int64_t>(std::max(hardware.alignment, from.alignment));
      if (from.has_fixed_offset) part.fixed = static_cast<int64_t>(from.fixed_offset);
      part.low_end = from.size < hardware.small_buffer_bytes;
      part.live_in = from.live_in;
      part.live_out = from.live_out;
      aligned_ &= part.alignment == unit && (part.fixed < 0 || part.fixed % unit == 0);
      if (part.live_in) live_in_.push_back(PartIndex(i));
    }
    parts_.push_back(part);
  }
  swaps_countable_ = swaps <= kLargest;
  return true;
}

void Model::FillUses() {
  uses_of_.assign(actions_.size(), {});
  for (uint32_t i = 0; i < graph_.size(); ++i) {
    const ActionIndex a(i);
    for (const BufferIndex b : graph_.uses(a)) {
      if (parts_[PartIndex(b.value())].size != 0) uses_of_[a].push_back(PartIndex(b.value()));
    }
  }
}

ActionIndex Model::AddSwap(ActionKind kind, PartIndex part, uint32_t segment) {
  ModelAction action;
  action.kind = kind;
  if (kind != ActionKind::kJoint) {
    action.cycles = swap_cycles(part);
    action.swapped = part;
  }
  const ActionIndex index(actions_.size());
  actions_.push_back(action);
  segment_.push_back(segment);
  uses_of_.push_back({});
  if (kind != ActionKind::kJoint) uses_of_[index].push_back(part);
  return index;
}

void Model::MakeSplit(const Split& split) {
  const PartIndex part(parts_.size());
  parts_.push_back(parts_[split.part]);
  parts_[split.part].live_out = false;
  parts_[split.part].last = false;
  parts_[part].live_in = false;
  std::vector<ActionIndex> earlier;
  for (uint32_t i = 0; i < actions_.size(); ++i) {
    const ActionIndex a(i);
    std::vector<PartIndex>& uses = uses_of_[a];
    const auto at = std::find(uses.begin(), uses.end(), split.part);
    if (at == uses.end()) continue;
    if (std::binary_search(split.later.begin(), split.later.end(), a)) {
      *at = part;
    } else {
      earlier.push_back(a);
    }
  }
  // The chain between the users of both: all that is earlier, store, load, all that is later.
  ActionIndex begin;
  ActionIndex end;
  const uint32_t store_segment = 2 * split.barriers_before_store;
  const uint32_t load_segment = 2 * split.barriers_before_load;
  if (split.store) begin = end = AddSwap(ActionKind::kStore, split.part, store_segment);
  if (split.load) {
    end = AddSwap(ActionKind::kLoad, part, load_segment);
    if (split.store) {
      added_needs_.push_back({end, Need(begin, false)});
    } else {
      begin = end;
    }
  }
  if (!begin.present()) begin = end = AddSwap(ActionKind::kJoint, part, load_segment);
  for (const ActionIndex a : earlier) added_needs_.push_back({begin, Need(a, true)});
  for (const ActionIndex a : split.later) added_needs_.push_back({a, Need(end, false)});
}

void Model::FillSegments() {
  uint32_t count = 0;
  for (const uint32_t s : segment_) count = std::max(count, s + 1);
  std::vector<Position> begins(count + 1, 0);
  for (const uint32_t s : segment_) ++begins[s];
  Position total = 0;
  for (Position& begin : begins) total += std::exchange(begin, total);
  for (uint32_t i = 0; i < actions_.size(); ++i) {
    const ActionIndex a(i);
    actions_[a].segment_begin = begins[segment_[a]];
    actions_[a].segment_end = begins[segment_[a] + 1];
  }
}

void Model::FillUsers() {
  std::vector<std::vector<ActionIndex>> users(parts_.size());
  for (uint32_t i = 0; i < actions_.size(); ++i) {
    for (const PartIndex p : uses_of_[ActionIndex(i)]) {
      uses_.Add(p);
      use_modes_.Add(ModeOf(ActionIndex(i), p));
      users[p.value()].push_back(ActionIndex(i));
    }
    uses_.EndRow();
    use_modes_.EndRow();
  }
  for (uint32_t p = 0; p < parts_.size(); ++p) {
    for (const ActionIndex a : users[p]) users_.Add(a);
    users_.EndRow();
    parts_[PartIndex(p)].user_count = static_cast<uint32_t>(users[p].size());
  }
}

UseMode Model::ModeOf(ActionIndex a, PartIndex p) const {
  UseMode mode;
  if (!actions_[a].op.present()) return mode;
  const Stream& stream = problem_.stream;
  bool covers = false;
  for (const Access& access : stream.accesses(actions_[a].op)) {
    if (access.buffer != parts_[p].buffer) continue;
    mode.accesses = true;
    mode.reads |= access.reads && access.begin != access.end;
    mode.writes |= access.writes;
    covers |= access.writes && access.begin == 0 && access.end == stream.buffer(access.buffer).size;
  }
  mode.overwrites = covers && !mode.reads;
  return mode;
}

void Model::FillOrderRelations() {
  std::stable_sort(added_needs_.begin(), added_needs_.end(),
                   [](const Needed& a, const Needed& b) { return a.action < b.action; });
  size_t added = 0;
  std::vector<ActionIndex> before;
  std::vector<std::pair<ActionIndex, ActionIndex>> pairs;
  for (uint32_t i = 0; i < actions_.size(); ++i) {
    const ActionIndex a(i);
    before.clear();
    const auto add = [&](Need need) {
      before.push_back(need.action());
      if (!need.end() || actions_[need.action()].kind != ActionKind::kProgram) return;
      waits_for_.Add(need.action());
      for (const Need more : graph_.wait_needs(need.action())) before.push_back(more.action());
    };
    if (i < graph_.size()) {
      for (const Need need : graph_.needs(a)) add(need);
    }
    for (; added < added_needs_.size() && added_needs_[added].action == a; ++added) {
      add(added_needs_[added].need);
    }
    waits_for_.EndRow();
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    for (const ActionIndex b : before) {
      if (segment_[a] == segment_[b]) {
        predecessors_.Add(b);
        pairs.push_back({b, a});
      }
    }
    predecessors_.EndRow();
  }
  std::sort(pairs.begin(), pairs.end());
  size_t next = 0;
  for (uint32_t i = 0; i < actions_.size(); ++i) {
    for (; next < pairs.size() && pairs[next].first == ActionIndex(i); ++next) {
      successors_.Add(pairs[next].second);
    }
    successors_.EndRow();
  }
  uses_of_ = {};
  added_needs_ = {};
}

}  // namespace torqsched::search
