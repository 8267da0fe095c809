#include "src/warm/simulator.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace torqsched::warm {
namespace {

constexpr uint32_t kNone = 0xffffffff;
constexpr int64_t kNever = kMostTicks;
// Stages that are looked at for one that may begin out of order.
constexpr uint32_t kLookAhead = 64;

}  // namespace

const SimulationResult& Simulator::Run(const std::vector<SimulatedLayer>& layers,
                                       SimulationTrace* trace) {
  trace_ = trace;
  Reset(layers);
  StartStages();
  Note();
  while (!LayerDone()) {
    LookAtStages();
    LookAtScopes();
    ShareBus();
    const int64_t ticks = std::max(NextEvent(), LeastStep());
    if (ticks >= kNever || now_ > kMostTicks / 2 - ticks) return result_;
    if (clock_ > kMostTicks - GrainsAtRate(ticks, clock_rate_)) return result_;
    Advance(ticks);
    Finish();
    StartStages();
    Note();
  }
  // Stages that run at once may both count what they find at one byte.
  for (WarmOutcome& outcome : result_.outcomes) {
    const int64_t size = instances_[outcome.instance].size;
    outcome.pulled = std::min(outcome.pulled, size);
    outcome.hit = std::min(outcome.hit, outcome.pulled);
  }
  result_.end = now_;
  result_.finished = true;
  return result_;
}

void Simulator::Reset(const std::vector<SimulatedLayer>& layers) {
  quiet_events_ = 0;
  layers_ = &layers;
  ++epoch_;
  now_ = 0;
  capacity_ = GrainsOf(prepared_.hardware.l2_bytes);
  // What is exactly as large as L2 is there to its first byte, give or take one for rounding.
  if (prepared_.hardware.exactly_full_fits) capacity_ += GrainsOf(1);
  first_clock_ = clock_ = 0;
  unread_ = 0;
  issue_free_at_ = 0;
  layer_ = 0;
  next_stage_ = 0;
  ended_in_layer_ = 0;
  running_count_ = 0;
  scopes_.clear();
  instance_count_ = 0;
  result_.finished = false;
  result_.end = 0;
  result_.outcomes.clear();
  result_.pulled = 0;
  result_.most_unread = 0;
  times_base_.clear();
  slot_base_.clear();
  bytes_at_.clear();
  size_t stages = 0;
  size_t slots = 0;
  uint64_t bytes = 0;
  for (const SimulatedLayer& layer : layers) {
    const PreparedKind& kind = prepared_.kinds[layer.kind];
    times_base_.push_back(static_cast<uint32_t>(stages));
    slot_base_.push_back(static_cast<uint32_t>(slots));
    bytes_at_.push_back(bytes);
    stages += layer.end_stage - layer.first_stage;
    slots += kind.regions.size();
    const uint64_t end =
        layer.end_stage < kind.stages.size() ? kind.bytes_before[layer.end_stage] : kind.bytes;
    bytes += end - kind.bytes_before[layer.first_stage];
  }
  result_.stages.assign(stages, StageTimes());
  if (slots_.size() < slots) slots_.resize(slots);
  if (shared_slots_.empty()) shared_slots_.resize(prepared_.timeline->regions.size());
  EnterLayer();
}

void Simulator::EnterLayer() {
  if (LayerDone()) return;
  const SimulatedLayer& layer = (*layers_)[layer_];
  next_stage_ = layer.first_stage;
  ended_in_layer_ = 0;
  begun_.assign(layer.end_stage - layer.first_stage, 0);
  ended_.assign(layer.end_stage - layer.first_stage, 0);
  by_anchor_.resize(layer.scopes.size());
  std::iota(by_anchor_.begin(), by_anchor_.end(), 0);
  std::stable_sort(by_anchor_.begin(), by_anchor_.end(), [&layer](uint32_t a, uint32_t b) {
    return layer.scopes[a].anchor < layer.scopes[b].anchor;
  });
  if (layer.first_stage == 0) StartScopes(kLayerEntry);
}

bool Simulator::LayerDone() const { return layer_ == layers_->size(); }

// What the forward's repetition leaves of a region when the simulated layers begin.
uint32_t Simulator::NewInstance(uint32_t layer_index, uint32_t local, uint32_t region) {
  if (instance_count_ == instances_.size()) instances_.emplace_back();
  Instance& instance = instances_[instance_count_];
  instance.contents.Clear();
  instance.outcome = kNone;
  instance.size = GrainsOf(prepared_.timeline->regions[region].bytes);
  const SimulatedLayer& layer = (*layers_)[layer_index];
  const PreparedKind& kind = prepared_.kinds[layer.kind];
  if (local != kNotRead) {
    const uint64_t here = kind.bytes_before[layer.first_stage];
    const uint64_t first_read = kind.bytes_before[kind.first_reader[local]];
    std::optional<uint64_t> age;
    if (kind.first_reader[local] < layer.first_stage) {
      age = here - first_read;
    } else if (kind.gaps[local].has_value()) {
      const uint64_t before = bytes_at_[layer_index] + (first_read - here);
      age = *kind.gaps[local] - std::min(*kind.gaps[local], before);
    }
    if (age.has_value() && *age < prepared_.hardware.l2_bytes) {
      const int64_t clock = first_clock_ - GrainsOf(*age);
      instance.contents.Touch({0, instance.size, clock, clock + instance.size, false});
    }
  }
  return static_cast<uint32_t>(instance_count_++);
}

uint32_t Simulator::InstanceOf(uint32_t layer, uint32_t local, uint32_t region) {
  Slot own;
  const bool per_layer = prepared_.timeline->regions[region].per_layer;
  Slot* slot = &own;
  if (!per_layer) slot = &shared_slots_[region];
  if (per_layer && local != kNotRead) slot = &slots_[slot_base_[layer] + local];
  if (slot->epoch != epoch_) *slot = {epoch_, NewInstance(layer, local, region)};
  return slot->instance;
}

// The scopes of the running layer that are anchored here begin. Their cores take turns at issuing.
void Simulator::StartScopes(uint32_t anchor) {
  const auto anchored_before = [this](uint32_t scope, uint32_t at) {
    return (*layers_)[layer_].scopes[scope].anchor < at;
  };
  const auto first =
      std::lower_bound(by_anchor_.begin(), by_anchor_.end(), anchor, anchored_before);
  const size_t first_scope = scopes_.size();
  const std::vector<WarmScope>& scopes = (*layers_)[layer_].scopes;
  const PreparedKind& kind = prepared_.kinds[(*layers_)[layer_].kind];
  size_t most_regions = 0;
  for (auto i = first; i != by_anchor_.end() && scopes[*i].anchor == anchor; ++i) {
    Scope scope;
    scope.first_outcome = static_cast<uint32_t>(result_.outcomes.size());
    scope.regions = static_cast<uint32_t>(scopes[*i].regions.size());
    for (uint32_t j = 0; j < scope.regions; ++j) {
      WarmOutcome outcome;
      outcome.layer = layer_;
      outcome.scope = *i;
      outcome.position = j;
      outcome.region = scopes[*i].regions[j];
      outcome.instance = InstanceOf(layer_, LocalOf(kind, outcome.region), outcome.region);
      instances_[outcome.instance].outcome = static_cast<uint32_t>(result_.outcomes.size());
      result_.outcomes.push_back(outcome);
    }
    most_regions = std::max<size_t>(most_regions, scope.regions);
    scopes_.push_back(scope);
  }
  if (first_scope == scopes_.size()) return;
  const WarmHardware& hardware = prepared_.hardware;
  const uint64_t startup = hardware.startup == WarmStartup::kOnce ? 0 : hardware.startup_ns;
  issue_free_at_ = std::max(issue_free_at_, now_ + TicksOf(startup));
  for (uint32_t j = 0; j < most_regions; ++j) {
    for (size_t i = first_scope; i < scopes_.size(); ++i) {
      if (j >= scopes_[i].regions) continue;
      issue_free_at_ += TicksOf(hardware.issue_ns);
      result_.outcomes[scopes_[i].first_outcome + j].issued = issue_free_at_;
    }
  }
}

bool Simulator::TryStart(uint32_t stage_index) {
  const SimulatedLayer& layer = (*layers_)[layer_];
  const PreparedKind& kind = prepared_.kinds[layer.kind];
  const WarmStage& stage = prepared_.timeline->kinds[layer.kind].stages[stage_index];
  const auto has_ended = [&](uint32_t s) {
    return s < layer.first_stage || ended_[s - layer.first_stage] != 0;
  };
  const bool in_order = prepared_.timeline->parallel_stages == 1 || !stage.after.has_value();
  if (in_order && stage_index > 0 && !has_ended(stage_index - 1)) return false;
  if (!in_order && !std::all_of(stage.after->begin(), stage.after->end(), has_ended)) return false;
  if (stage.all_vector_cores && now_ < issue_free_at_) {
    waits_for_issue_ = true;
    return false;
  }
  begun_[stage_index - layer.first_stage] = 1;
  if (running_count_ == running_.size()) running_.emplace_back();
  Running& running = running_[running_count_++];
  running.layer = layer_;
  running.stage = stage_index;
  running.times = times_base_[layer_] + stage_index - layer.first_stage;
  running.ready = &kind.stages[stage_index];
  running.group = running.ready->first_group;
  result_.stages[running.times].begin = now_;
  EnterGroup(&running);
  return true;
}

void Simulator::StartStages() {
  waits_for_issue_ = false;
  while (!LayerDone()) {
    const SimulatedLayer& layer = (*layers_)[layer_];
    if (ended_in_layer_ == layer.end_stage - layer.first_stage) {
      ++layer_;
      EnterLayer();
      continue;
    }
    uint32_t looked_at = 0;
    for (uint32_t s = next_stage_; s < layer.end_stage && looked_at < kLookAhead;
         ++s, ++looked_at) {
      if (running_count_ == prepared_.timeline->parallel_stages) break;
      if (begun_[s - layer.first_stage] != 0) continue;
      if (!TryStart(s) && prepared_.timeline->parallel_stages == 1) break;
    }
    while (next_stage_ < layer.end_stage && begun_[next_stage_ - layer.first_stage] != 0) {
      ++next_stage_;
    }
    // Stages that last no time end at once, and others may follow.
    bool ended = false;
    for (size_t i = 0; i < running_count_;) {
      if (running_[i].done < running_[i].size) {
        ++i;
        continue;
      }
      EndStage(i);
      ended = true;
    }
    if (!ended) return;
  }
}

// Two that chase each other, or a byte's age that slides along L2's edge, can meet in ever shorter
// steps. So where many events in a row have begun and ended nothing, what is closer than a step
// that doubles from event to event is taken together: at most some two hundred events for each
// beginning or end, and what is off by that is no more than the last step.
int64_t Simulator::LeastStep() {
  constexpr uint64_t kQuietEvents = 128;
  const uint64_t quiet = quiet_events_++;
  return quiet < kQuietEvents ? 1 : int64_t{1} << std::min<uint64_t>(quiet - kQuietEvents, 60);
}

void Simulator::EnterGroup(Running* running) {
  quiet_events_ = 0;
  const PreparedKind& kind = prepared_.kinds[(*layers_)[running->layer].kind];
  running->members.clear();
  running->done = 0;
  if (running->ready->groups == 0) {
    running->size = running->ready->units;
    if (running->size == 0) clock_ += running->ready->other_grains;
    return;
  }
  const PreparedGroup& group = kind.groups[running->group];
  running->size = group.grains;
  for (uint32_t i = group.first_read; i < group.first_read + group.reads; ++i) {
    Member member;
    member.read = &kind.reads[i];
    const uint32_t local = member.read->local;
    member.instance = InstanceOf(running->layer, local, kind.regions[local]);
    BeginReading(&member);
    running->members.push_back(member);
  }
}

void Simulator::BeginReading(Member* member) {
  const Instance& instance = instances_[member->instance];
  if (instance.outcome == kNone) return;
  WarmOutcome& outcome = result_.outcomes[instance.outcome];
  int64_t in_l2 = 0;
  int64_t landed = 0;
  for (const TouchedPiece& piece : instance.contents.pieces()) {
    const int64_t end = std::min(piece.end, member->read->grains);
    const int64_t begin = FirstInL2(piece);
    if (end <= begin) continue;
    in_l2 += end - begin;
    if (piece.by_engine) landed += end - begin;
  }
  if (outcome.read_begin < 0) {
    outcome.read_begin = now_;
    outcome.pulled_before = outcome.pulled;
    outcome.landed_before = landed;
  }
  member->forced_cold =
      prepared_.hardware.landing == WarmLanding::kFull && in_l2 < member->read->grains;
}

void Simulator::EndStage(size_t index) {
  Running& running = running_[index];
  if (running.ready->groups > 0 &&
      running.group + 1 < running.ready->first_group + running.ready->groups) {
    ++running.group;
    EnterGroup(&running);
    return;
  }
  quiet_events_ = 0;
  const uint32_t layer = running.layer;
  const uint32_t stage = running.stage;
  result_.stages[running.times].end = now_;
  ended_[stage - (*layers_)[layer].first_stage] = 1;
  ++ended_in_layer_;
  std::swap(running_[index], running_[running_count_ - 1]);
  --running_count_;
  StartScopes(stage);
}

void Simulator::AdvanceScope(Scope* scope, int64_t ticks, int64_t clock_after) {
  if (scope->flow == Flow::kIdle) return;
  WarmOutcome& outcome = result_.outcomes[scope->first_outcome + scope->current];
  scope->moved = GrainsAtRate(ticks, scope->rate);
  const bool at_reader = scope->flow == Flow::kHelps || scope->flow == Flow::kCompetes;
  if (scope->flow == Flow::kPulls || at_reader) {
    outcome.pulled += scope->moved;
    result_.pulled += scope->moved;
  }
  if (at_reader || scope->flow == Flow::kChases) return;
  Instance& instance = instances_[outcome.instance];
  const int64_t from = scope->position;
  scope->position = std::min(instance.size, from + scope->moved);
  if (scope->flow == Flow::kPasses) return;
  instance.contents.Touch({from, scope->position, clock_, clock_after, true});
  unread_ += scope->position - from;
}

// A scope at the place of its reader, once that has moved on.
void Simulator::SettleScope(Scope* scope, int64_t clock_after) {
  const bool in_vain = scope->flow == Flow::kCompetes;
  if (scope->flow != Flow::kHelps && scope->flow != Flow::kChases && !in_vain) return;
  WarmOutcome& outcome = result_.outcomes[scope->first_outcome + scope->current];
  Instance& instance = instances_[outcome.instance];
  const Running& reader = *scope->reader;
  const int64_t at =
      static_cast<int64_t>(Scale(reader.done, scope->member->read->grains, reader.size));
  if (scope->flow == Flow::kChases) {
    scope->position = std::min(at, scope->position + scope->moved);
    return;
  }
  const int64_t from = scope->position;
  const int64_t to = std::min(instance.size, from + scope->moved);
  scope->position = std::max(at, to);
  if (!in_vain) outcome.hit += std::max<int64_t>(0, std::min(at, to) - from);
  const int64_t fresh = std::max(at, from);  // where what is ahead of the reader begins
  if (to <= fresh) return;
  // What is ahead was pulled last.
  const int64_t came_in = static_cast<int64_t>(
      Scale(static_cast<uint64_t>(clock_after - clock_), to - fresh, to - from));
  instance.contents.Touch({fresh, to, clock_after - came_in, clock_after, true});
  unread_ += to - fresh;
}

void Simulator::AdvanceRunning(Running* running, int64_t ticks, int64_t clock_after) {
  const absl::uint128 scaled = absl::uint128(static_cast<uint64_t>(ticks)) << kRatioBits;
  const int64_t step = static_cast<int64_t>(Cut(scaled / running->cost, kMostTicks));
  running->done = std::min(running->size, running->done + step);
  for (Member& member : running->members) {
    const int64_t grains = member.read->grains;
    const int64_t from = member.position;
    const int64_t to = running->members.size() == 1
                           ? running->done
                           : static_cast<int64_t>(Scale(running->done, grains, running->size));
    Instance& instance = instances_[member.instance];
    if (member.touched && member.piece.by_engine) {
      unread_ -= to - from;
      if (member.hit) result_.outcomes[instance.outcome].hit += to - from;
    }
    instance.contents.Touch({from, to, clock_, clock_after, false});
  }
}

void Simulator::Advance(int64_t ticks) {
  const int64_t clock_after = clock_ + GrainsAtRate(ticks, clock_rate_);
  for (Scope& scope : scopes_) AdvanceScope(&scope, ticks, clock_after);
  for (size_t i = 0; i < running_count_; ++i) AdvanceRunning(&running_[i], ticks, clock_after);
  for (Scope& scope : scopes_) SettleScope(&scope, clock_after);
  clock_ = clock_after;
  now_ += ticks;
  result_.most_unread = std::max(result_.most_unread, unread_);
}

void Simulator::Finish() {
  for (size_t i = 0; i < scopes_.size();) {
    Scope& scope = scopes_[i];
    if (scope.flow != Flow::kIdle) {
      const uint32_t at = scope.first_outcome + scope.current;
      WarmOutcome& outcome = result_.outcomes[at];
      if (trace_ != nullptr) trace_->landing.push_back({at, now_, scope.position});
      if (scope.position >= instances_[outcome.instance].size) {
        outcome.landed = now_;
        quiet_events_ = 0;
        ++scope.current;
        scope.position = 0;
      }
    }
    if (scope.current < scope.regions) {
      ++i;
    } else {
      scopes_.erase(scopes_.begin() + static_cast<int64_t>(i));
    }
  }
  for (size_t i = 0; i < running_count_;) {
    Running& running = running_[i];
    const size_t before = running_count_;
    if (running.done >= running.size) EndStage(i);
    if (running_count_ == before && running.done < running.size) ++i;
  }
}

void Simulator::Note() {
  if (trace_ == nullptr) return;
  trace_->flow.push_back({now_, result_.pulled, unread_, clock_ - first_clock_});
}

}  // namespace torqsched::warm
