// Swaps in the exact search: which buffers may leave LRAM when, what it costs, and when it pays.
//
// A buffer that no running program uses may leave: its contents are stored, unless nothing will
// read them or XRAM has them: from a swap before, or because one load from constants brought all
// that was written. It comes back before its next user, with a load if its contents are still
// needed. That allows all that the oracles may do, and a little more.
//
// Where no action and no return lacks room and the stream need not pause, a swap may as well come
// after the next action, and is not tried; nor is a return that no next action asks for. What one
// load from constants brought does not leave before it was used: the load could have come later.
#include <algorithm>

#include "src/search/exact_search.h"

namespace torqsched {
namespace {

ActionMask Lowest(ActionMask mask) { return mask & (~mask + 1); }

// Whether somebody still reads what is in it now.
bool NeedsContents(const ExactBuffer& buffer, ActionMask out) {
  const ActionMask read = Lowest(buffer.readers & ~out);
  const ActionMask cover = Lowest(buffer.covers & ~out);
  return read != 0 && (cover == 0 || read < cover);
}

// The actions that wrote what is in it now.
ActionMask WritersOfContents(const ExactBuffer& buffer, ActionMask out) {
  const ActionMask covers = buffer.covers & out;
  const ActionMask written = buffer.writers & out;
  if (covers == 0) return written;
  return written & ~(MaskOf(63 - static_cast<size_t>(__builtin_clzll(covers))) - 1);
}

bool IsRefillable(const ExactBuffer& buffer, ActionMask out) {
  const ActionMask written = WritersOfContents(buffer, out);
  return written == 0 || ((written & (written - 1)) == 0 && (written & ~buffer.refills) == 0);
}

}  // namespace

bool ExactSearch::MissesContents(const ExactAction& action, const uint64_t* state) const {
  for (const uint32_t b : action.uses) {
    const bool gone = (state[kGoneWord] & MaskOf(b)) != 0;
    if (gone && NeedsContents(model_.buffers[b], state[kOutWord])) return true;
  }
  return false;
}

// The action is out in the child: what it uses is in LRAM, and copies of what it writes are stale.
void ExactSearch::ForgetCopies(uint32_t index) {
  for (const uint32_t b : model_.actions[index].uses) {
    child_[kGoneWord] &= ~MaskOf(b);
    const ExactBuffer& buffer = model_.buffers[b];
    const bool stale = (buffer.writers & MaskOf(index)) != 0;
    if (stale || !NeedsContents(buffer, child_[kOutWord])) child_[kCopiedWord] &= ~MaskOf(b);
  }
}

uint64_t ExactSearch::CyclesToComeBack() const {
  uint64_t cycles = 0;
  ForEachBit(child_[kGoneWord], [&](uint32_t b) {
    const ExactBuffer& buffer = model_.buffers[b];
    if (NeedsContents(buffer, child_[kOutWord])) cycles += buffer.transfer_cycles;
  });
  return cycles;
}

void ExactSearch::ExpandSwaps(const uint64_t* state) {
  const ActionMask out = state[kOutWord];
  bool pauses = false, lacks_room = false, any = false;
  uint64_t wanted = 0;  // by actions that may come next
  for (uint32_t i = 0; i < model_.actions.size(); ++i) {
    const ExactAction& action = model_.actions[i];
    if ((out & MaskOf(i)) != 0 || !model_.NeedsAreOut(i, out)) continue;
    for (const uint32_t b : action.uses) wanted |= MaskOf(b) & state[kGoneWord];
    const ExactReleases::Turn* ready = releases_.TurnWithout(action.needs_end);
    if (ready == nullptr) continue;
    any = true;
    const uint64_t bytes = releases_.BytesBroughtIn(action.enters);
    lacks_room |= ready->live + bytes > model_.capacity;
    pauses |= ready->time > state[kTimeWord];
  }
  ForEachBit(state[kGoneWord], [&](uint32_t b) {
    lacks_room |= releases_.now().live + model_.buffers[b].bytes > model_.capacity;
  });
  pauses |= lacks_room || !any || model_.waits_branch;
  ForEachBit(state[kGoneWord], [&](uint32_t b) {
    const bool needed = NeedsContents(model_.buffers[b], out);
    if (needed && (pauses || (wanted & MaskOf(b)) != 0)) BringBack(b, state);
  });
  if (!pauses) return;
  for (uint32_t b = 0; b < model_.buffers.size(); ++b) LetGo(b, state, !lacks_room);
}

// waiting: there is room, so that only a store can gain time by coming early.
void ExactSearch::LetGo(uint32_t index, const uint64_t* state, bool waiting) {
  const ExactBuffer& buffer = model_.buffers[index];
  const ActionMask out = state[kOutWord];
  const bool there = ((buffer.users & out) | (buffer.waits & state[kWaitedWord])) != 0 &&
                     (state[kGoneWord] & MaskOf(index)) == 0;
  if (!buffer.may_leave || !there || (buffer.users & ~out) == 0) return;
  const ExactReleases::Turn* turn = releases_.TurnWithout(buffer.holds);
  if (turn == nullptr) return;
  const bool needed = NeedsContents(buffer, out);
  const bool refillable = IsRefillable(buffer, out);
  const ActionMask load = WritersOfContents(buffer, out);
  const bool unused = needed && refillable && load != 0 && (load & ~buffer.own_loads) == 0 &&
                      (buffer.users & out & ~(load | (load - 1))) == 0;
  if (unused) return;
  const bool free = !needed || refillable || (state[kCopiedWord] & MaskOf(index)) != 0;
  if (free && waiting) return;
  std::copy(state, state + child_.size(), child_.begin());
  child_[kGoneWord] |= MaskOf(index);
  if (needed) child_[kCopiedWord] |= MaskOf(index);
  ExactStep step;
  step.kind = ExactStepKind::kLetGo;
  step.index = static_cast<uint8_t>(index);
  step.time = turn->time;
  AddSwap(turn->time + (free ? 0 : buffer.transfer_cycles), step);
}

void ExactSearch::BringBack(uint32_t index, const uint64_t* state) {
  const ExactBuffer& buffer = model_.buffers[index];
  const ExactReleases::Turn* turn = releases_.RoomFor(buffer.bytes, &releases_.now());
  if (turn == nullptr) return;
  std::copy(state, state + child_.size(), child_.begin());
  child_[kGoneWord] &= ~MaskOf(index);
  ExactStep step;
  step.kind = ExactStepKind::kBringBack;
  step.index = static_cast<uint8_t>(index);
  step.time = turn->time;
  AddSwap(turn->time + buffer.transfer_cycles, step);
}

// The child stays in the layer.
void ExactSearch::AddSwap(uint64_t clock, ExactStep step) {
  ++nodes_;
  SetClock(clock);
  if (BoundChild() >= enough_) return;
  if (layer_.alive() < 2 * width_) {
    AddToLayer(step, &layer_);
  } else {
    cut_ = true;
  }
}

}  // namespace torqsched
