#include "src/search/exact_search.h"

#include <algorithm>
#include <array>
#include <utility>

namespace torqsched {
namespace {

constexpr size_t kFirstWidth = 16;
constexpr size_t kWidening = 8;
constexpr size_t kWideningToProve = 32;
// Of the states of two layers: 128 MB.
constexpr size_t kMostWords = size_t{1} << 24;

}  // namespace

void ExactReleases::Fill(const uint64_t* state) {
  out_ = state[kOutWord];
  waited_ = state[kWaitedWord];
  gone_ = state[kGoneWord];
  const uint64_t clock = state[kTimeWord];
  const uint64_t* ends = state + kTimeWord + 1 + model_.slices;
  ActionMask running = 0;
  by_end_.clear();
  for (const uint32_t program : model_.programs) {
    if ((out_ & MaskOf(program)) == 0) continue;
    const uint64_t end = ends[model_.actions[program].program];
    const bool waited =
        model_.waits_branch ? (state[kWaitedWord] & MaskOf(program)) != 0 : end <= clock;
    if (waited) continue;
    running |= MaskOf(program);
    by_end_.push_back(program);
  }
  turns_.clear();
  turns_.push_back({clock, LiveBytes(running), running});
  if (model_.waits_branch) return;
  const auto end = [&](uint32_t program) { return ends[model_.actions[program].program]; };
  std::sort(by_end_.begin(), by_end_.end(), [&](uint32_t a, uint32_t b) {
    return std::make_pair(end(a), a) < std::make_pair(end(b), b);
  });
  for (const uint32_t program : by_end_) {
    running &= ~MaskOf(program);
    turns_.push_back({end(program), LiveBytes(running), running});
  }
}

uint64_t ExactReleases::LiveBytes(ActionMask running) const {
  uint64_t bytes = 0;
  for (size_t b = 0; b < model_.buffers.size(); ++b) {
    const ExactBuffer& buffer = model_.buffers[b];
    const bool born = buffer.live_in || ((buffer.users & out_) | (buffer.waits & waited_)) != 0;
    const bool needed =
        buffer.live_out || (buffer.users & ~out_) != 0 || (buffer.holds & (running | ~out_)) != 0;
    if (born && needed && !IsOut(b, running)) bytes += buffer.bytes;
  }
  return bytes;
}

// Without its contents a buffer is in LRAM while a program runs that only views it.
bool ExactReleases::IsOut(uint32_t b, ActionMask running) const {
  if (gone_ == 0 || (gone_ & MaskOf(b)) == 0) return false;
  const ExactBuffer& buffer = model_.buffers[b];
  return (buffer.holds & ~buffer.waits & running) == 0;
}

uint64_t ExactReleases::BytesBroughtIn(const std::vector<uint32_t>& uses, const Turn& turn) const {
  uint64_t bytes = 0;
  for (const uint32_t b : uses) {
    const ExactBuffer& buffer = model_.buffers[b];
    const bool born = buffer.live_in || ((buffer.users & out_) | (buffer.waits & waited_)) != 0;
    if (!born || IsOut(b, turn.running)) bytes += buffer.bytes;
  }
  return bytes;
}

const ExactReleases::Turn* ExactReleases::TurnWithout(ActionMask programs) const {
  for (const Turn& turn : turns_) {
    if ((turn.running & programs) == 0) return &turn;
  }
  return nullptr;
}

const ExactReleases::Turn* ExactReleases::RoomFor(const std::vector<uint32_t>& uses,
                                                  const Turn* from) const {
  for (; from != turns_.data() + turns_.size(); ++from) {
    if (HasRoomFor(uses, *from)) return from;
  }
  return nullptr;
}

const ExactReleases::Turn* ExactReleases::TurnFor(const ExactAction& action) const {
  const Turn* turn = TurnWithout(action.needs_end);
  return turn == nullptr ? nullptr : RoomFor(action.enters, turn);
}

ExactSearch::ExactSearch(const ExactModel& model, const ExactOptions& options)
    : model_(model),
      work_(options),
      swaps_(options.swaps),
      bound_(model),
      releases_(model),
      room_(model, &work_),
      enough_(options.upper_bound.value_or(~uint64_t{0})),
      layer_(1 + model.slices + model.programs.size()),
      next_layer_(1 + model.slices + model.programs.size()),
      child_(kTimeWord + 1 + model.slices + model.programs.size(), 0),
      turns_(model.actions.size()) {
  for (const uint32_t program : model.programs) program_mask_ |= MaskOf(program);
  for (uint32_t i = 0; i < model.actions.size(); ++i) {
    if (model.actions[i].kind != ActionKind::kJoint) real_ |= MaskOf(i);
  }
  for (const ExactBuffer& buffer : model.buffers) {
    if (swaps_ && buffer.may_leave) makes_stale_ |= buffer.writers;
  }
}

bool ExactSearch::Run() {
  if (!model_.fits_at_first) return true;
  for (size_t width = kFirstWidth;;) {
    const uint64_t before = enough_;
    const Pass pass = RunPass(width);
    if (pass != Pass::kCut) return pass == Pass::kComplete;
    // Where nothing better was found, there may be nothing better.
    width *= enough_ < before ? kWidening : kWideningToProve;
  }
}

ExactSearch::Pass ExactSearch::RunPass(size_t width) {
  history_.assign(1, ExactStep());  // of the state where nothing is out
  layer_.Clear();
  std::fill(child_.begin(), child_.end(), 0);
  if (model_.actions.empty()) {
    if (enough_ != 0) found_ = true, enough_ = 0;
    return Pass::kComplete;
  }
  layer_.Add(child_.data());
  width_ = width;
  cut_ = false;
  while (layer_.alive() != 0) {
    cut_ = KeepBest(width) || cut_;
    next_layer_.Clear();
    for (uint32_t i = 0; i < layer_.size(); ++i) {
      if (layer_.dead(i) || layer_[i][kBoundWord] >= enough_) continue;
      Expand(i);
      if (MustStop()) return Pass::kLimit;
    }
    std::swap(layer_, next_layer_);
  }
  return cut_ ? Pass::kCut : Pass::kComplete;
}

bool ExactSearch::MustStop() const {
  return work_.done() || layer_.words() + next_layer_.words() > kMostWords;
}

// Marks all but the best; whether there were more.
bool ExactSearch::KeepBest(size_t width) {
  if (layer_.alive() <= width) return false;
  struct Rank {
    uint64_t bound, stream;
    uint32_t index;
  };
  std::vector<Rank> ranks;
  for (uint32_t i = 0; i < layer_.size(); ++i) {
    if (layer_.dead(i)) continue;
    const uint64_t* state = layer_[i];
    const ActionMask left = model_.all() & ~state[kOutWord];
    ranks.push_back({state[kBoundWord], state[kTimeWord] + bound_.StreamCycles(left), i});
  }
  std::sort(ranks.begin(), ranks.end(), [](const Rank& a, const Rank& b) {
    if (a.bound != b.bound) return a.bound < b.bound;
    return a.stream != b.stream ? a.stream < b.stream : a.index < b.index;
  });
  for (size_t i = width; i < ranks.size(); ++i) layer_.Kill(ranks[i].index);
  return true;
}

bool ExactSearch::MayBegin(uint32_t action, const uint64_t* state) const {
  const ExactAction& a = model_.actions[action];
  if ((state[kOutWord] & MaskOf(action)) != 0) return false;
  if (!model_.NeedsAreOut(action, state[kOutWord])) return false;
  if (model_.IsOtherSpare(action, state[kOutWord])) return false;
  if (state[kGoneWord] != 0 && MissesContents(action, state)) return false;
  return !model_.waits_branch || (a.needs_end & program_mask_ & ~state[kWaitedWord]) == 0;
}

void ExactSearch::Expand(uint32_t index) {
  // A copy: swaps add to the layer.
  expanded_.assign(layer_[index], layer_[index] + child_.size());
  const uint64_t* state = expanded_.data();
  releases_.Fill(state);
  uint32_t first = 0;
  uint64_t first_end = ~uint64_t{0};
  for (uint32_t i = 0; i < model_.actions.size(); ++i) {
    turns_[i] = nullptr;
    if (!MayBegin(i, state)) continue;
    const ExactAction& action = model_.actions[i];
    turns_[i] = releases_.TurnFor(action);
    if (turns_[i] == nullptr) continue;
    if (action.kind == ActionKind::kJoint && turns_[i]->time == state[kTimeWord]) {
      return ExpandAction(i, *turns_[i], state);
    }
    const bool transfer = action.kind == ActionKind::kLoad || action.kind == ActionKind::kStore;
    if (!transfer || model_.waits_branch || (makes_stale_ & MaskOf(i)) != 0) continue;
    if (releases_.BytesBroughtIn(action.enters, *turns_[i]) != 0) continue;
    if (turns_[i]->time + action.stream_cycles >= first_end) continue;
    first = i;
    first_end = turns_[i]->time + action.stream_cycles;
  }
  for (uint32_t i = 0; i < model_.actions.size(); ++i) {
    if (turns_[i] == nullptr || (i != first && turns_[i]->time >= first_end)) continue;
    ExpandAction(i, *turns_[i], state);
  }
  if (model_.waits_branch) ExpandWaits(state);
  if (swaps_) ExpandSwaps(state);
}

void ExactSearch::ExpandWaits(const uint64_t* state) {
  const uint64_t* ends = state + kTimeWord + 1 + model_.slices;
  ForEachBit(program_mask_ & state[kOutWord] & ~state[kWaitedWord], [&](uint32_t i) {
    const ExactAction& action = model_.actions[i];
    if ((action.wait_needs & ~state[kOutWord]) != 0) return;
    if ((action.wait_needs_end & program_mask_ & ~state[kWaitedWord]) != 0) return;
    if (!releases_.HasRoomFor(action.wait_uses, releases_.now())) return;
    std::copy(state, state + child_.size(), child_.begin());
    child_[kWaitedWord] |= MaskOf(i);
    if (swaps_) ForgetDead(action.wait_uses);
    const uint64_t time = AfterBlock(state[kTimeWord], state);
    ExactStep step;
    step.kind = ExactStepKind::kWait;
    step.index = static_cast<uint8_t>(i);
    AddChild(std::max(time, ends[action.program]), step);
  });
}

// The clock once the block transfer has been made that this op may bring.
uint64_t ExactSearch::AfterBlock(uint64_t time, const uint64_t* state) const {
  if (model_.block_ops == 0) return time;
  const uint64_t ops = static_cast<uint64_t>(__builtin_popcountll(state[kOutWord] & real_)) +
                       static_cast<uint64_t>(__builtin_popcountll(state[kWaitedWord]));
  return (ops + 1) % model_.block_ops == 0 ? time + model_.block_cycles : time;
}

void ExactSearch::ExpandAction(uint32_t index, const ExactReleases::Turn& turn,
                               const uint64_t* state) {
  const ExactAction& action = model_.actions[index];
  uint64_t time = turn.time;
  if (action.kind != ActionKind::kJoint) time = AfterBlock(time, state);
  if (action.kind != ActionKind::kProgram) return Begin(index, time, state, 0);
  const uint64_t* slices = state + kTimeWord + 1;
  for (uint32_t rank = 0; rank < model_.slices; ++rank) {
    // Slices that are free at the same time are alike.
    if (rank != 0 && std::max(slices[rank], time) == std::max(slices[rank - 1], time)) continue;
    Begin(index, time, state, rank);
  }
}

void ExactSearch::Begin(uint32_t index, uint64_t time, const uint64_t* state, uint32_t slice_rank) {
  const ExactAction& action = model_.actions[index];
  std::copy(state, state + child_.size(), child_.begin());
  child_[kOutWord] = model_.With(index, state[kOutWord]);
  if (swaps_) Touch(index);
  if (action.kind == ActionKind::kProgram) {
    uint64_t* slices = child_.data() + kTimeWord + 1;
    const uint64_t end = std::max(slices[slice_rank], time) + action.compute;
    // The slice moves up to where it belongs.
    uint32_t at = slice_rank;
    for (; at + 1 < model_.slices && slices[at + 1] < end; ++at) slices[at] = slices[at + 1];
    slices[at] = end;
    slices[model_.slices + action.program] = end;
  }
  ExactStep step;
  step.index = static_cast<uint8_t>(index);
  step.slice_rank = static_cast<uint8_t>(slice_rank);
  step.time = time;
  AddChild(time + action.stream_cycles, step);
}

// No time of the child is before its clock.
void ExactSearch::SetClock(uint64_t clock) {
  uint64_t* times = child_.data() + kTimeWord;
  uint64_t* ends = times + 1 + model_.slices;
  times[0] = clock;
  for (uint32_t s = 1; s <= model_.slices; ++s) times[s] = std::max(times[s], clock);
  for (uint32_t p = 0; p < model_.programs.size(); ++p) {
    if ((child_[kOutWord] & MaskOf(model_.programs[p])) != 0) ends[p] = std::max(ends[p], clock);
  }
}

// Sets and returns the child's bound.
uint64_t ExactSearch::BoundChild() {
  const uint64_t* times = child_.data() + kTimeWord;
  child_[kBoundWord] = bound_.From(child_[kOutWord], times[0], times + 1, times + 1 + model_.slices,
                                   CyclesToComeBack(), enough_);
  return child_[kBoundWord];
}

// The child's sets, slices and ends are there; the clock is now this.
void ExactSearch::AddChild(uint64_t clock, ExactStep step) {
  work_.Add();
  SetClock(clock);
  const ActionMask out = child_[kOutWord];
  if (out == model_.all() && (!model_.waits_branch || child_[kWaitedWord] == program_mask_)) {
    return Finish(step);
  }
  if (BoundChild() >= enough_) return;
  if (!swaps_ && !model_.waits_branch && room_.IsLost(out)) return;
  AddToLayer(step, &next_layer_);
}

void ExactSearch::AddToLayer(ExactStep step, ExactStates* layer) {
  step.parent = static_cast<uint32_t>(expanded_[kStepWord]);
  child_[kStepWord] = history_.size();
  if (layer->Add(child_.data())) history_.push_back(step);
}

// The first that is loaded is for the first program that is started, and so on.
void ExactSearch::GiveOutSpares() {
  for (const ExactSpares& spares : model_.spares) {
    std::array<uint8_t, kMostExactActions> load_of{};
    for (const ExactSpares::Pair& pair : spares.pairs) {
      load_of[pair.program] = static_cast<uint8_t>(pair.load);
    }
    size_t load = 0;
    const auto among = [&](size_t i, ActionMask mask) {
      return best_steps_[i].kind == ExactStepKind::kAction &&
             (mask & MaskOf(best_steps_[i].index)) != 0;
    };
    for (size_t i = 0; i < best_steps_.size(); ++i) {
      if (!among(i, spares.programs)) continue;
      while (!among(load, spares.loads)) ++load;
      best_steps_[load++].index = load_of[best_steps_[i].index];
    }
  }
}

void ExactSearch::Finish(ExactStep step) {
  const uint64_t makespan = *std::max_element(child_.begin() + kTimeWord, child_.end());
  if (makespan >= enough_) return;
  enough_ = makespan;
  found_ = true;
  best_steps_.assign(1, step);
  for (uint64_t at = expanded_[kStepWord]; at != 0; at = history_[at].parent) {
    best_steps_.push_back(history_[at]);
  }
  std::reverse(best_steps_.begin(), best_steps_.end());
  GiveOutSpares();
}

}  // namespace torqsched
