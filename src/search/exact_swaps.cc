// Swaps in the exact search: which buffers may leave LRAM when, what it costs, and when it pays.
//
// A buffer that no running program uses may leave: its contents are stored, unless nothing will
// read them or XRAM has them: from a swap before, or because one load from constants brought all
// that was written. Its contents come back before the next op that accesses it, with a load if they
// are still needed. An op that only views the buffer (a wait, or by an operand) has to have it in
// LRAM, but not its contents; they may stay away. That allows all that the oracles may do, and a
// little more.
//
// The stream *need not pause* where each action that may come next can begin now, with room for it,
// there is room for each return by itself, and waits do not branch. Then most swaps may as well
// come after the next action, and are not tried. For let swaps come first, then the action:
//
//   returns   Where there is room for all that is out beside whatever action comes next, one that
//             the action does not use comes after it, and so does all that comes between them. Else
//             each is tried: it has room now, so it may come before other swaps.
//   a buffer leaves, then comes
//     a load, store, barrier or joint   It goes first. It holds nothing, so the buffer may leave
//             when it is done: the stream has done both when it had before. An action that uses the
//             buffer finds it there, with no return, and what is written over was stored in vain.
//     a program that does not use the buffer   Likewise.
//     a program that writes to it   A copy would become stale: the buffer stays, it had to be back.
//     a program that views or reads it only   It holds the buffer until its end, but a copy remains
//             valid. To store the buffer before, while other programs run, have it back (empty for
//             a view, with a load for a reader), and let it go again at the program's end for
//             nothing, may be worth it. So if there is no copy, the buffer leaving is tried. If
//             there is one, or nothing needs it, the buffer stays, and leaves at that end as well.
//
// Where the stream may pause, or waits branch (a wait is then like an action that holds nothing),
// all returns and all stores are tried. What leaves without a store does so only where room is
// lacking. It takes no time, so it need not come before an action that has room: of those that use
// the buffer the same is true as above. What is out cannot leave; what a running program holds
// leaves at that program's end.
//
// What one load from constants brought does not leave before it was used, if the load could have
// come later: if whoever needs it to be out accesses the buffer, and so finds it back (late_loads).
#include <algorithm>

#include "src/search/exact_search.h"

namespace torqsched {
namespace {

ActionMask Lowest(ActionMask mask) { return mask & (~mask + 1); }
ActionMask Highest(ActionMask mask) {
  return mask == 0 ? 0 : MaskOf(63 - static_cast<size_t>(__builtin_clzll(mask)));
}

// Whether somebody still reads what is in it now.
bool NeedsContents(const ExactBuffer& buffer, ActionMask out) {
  const ActionMask read = Lowest(buffer.readers & ~out);
  const ActionMask cover = Lowest(buffer.covers & ~out);
  return read != 0 && (cover == 0 || read < cover);
}

// Whoever writes over what another one has written comes after it in the input. So of those that
// are out the last one has written all that is left of the others' bytes that it overwrites.
bool IsRefillable(const ExactBuffer& buffer, ActionMask out) {
  const ActionMask written = buffer.writers & out;
  if (written == 0) return true;
  const ActionMask last = Highest(written);
  for (const ExactRefill& refill : buffer.refills) {
    if (MaskOf(refill.load) == last) return (written & ~refill.overwrites) == 0;
  }
  return false;
}

// One load brought what is in it, might as well have come later, and nobody has used it since.
bool IsLoadedTooEarly(const ExactBuffer& buffer, ActionMask out) {
  const ActionMask load = Highest(buffer.writers & out);
  return (load & buffer.late_loads) != 0 && (buffer.users & out & ~(load | (load - 1))) == 0;
}

}  // namespace

bool ExactSearch::MissesContents(uint32_t action, const uint64_t* state) const {
  for (const uint32_t b : model_.actions[action].uses) {
    const ExactBuffer& buffer = model_.buffers[b];
    const bool gone = (state[kGoneWord] & MaskOf(b)) != 0;
    const bool accessed = (buffer.accessors() & MaskOf(action)) != 0;
    if (gone && accessed && NeedsContents(buffer, state[kOutWord])) return true;
  }
  return false;
}

// The action is out in the child: what it accesses is in LRAM, and copies of what it writes are
// stale.
void ExactSearch::Touch(uint32_t index) {
  for (const uint32_t b : model_.actions[index].uses) {
    const ExactBuffer& buffer = model_.buffers[b];
    if ((buffer.accessors() & MaskOf(index)) != 0) child_[kGoneWord] &= ~MaskOf(b);
    const bool stale = (buffer.writers & MaskOf(index)) != 0;
    if (stale || !NeedsContents(buffer, child_[kOutWord])) child_[kCopiedWord] &= ~MaskOf(b);
  }
  ForgetDead(model_.actions[index].uses);
}

// So that states which go on in the same way are compared.
void ExactSearch::ForgetDead(const std::vector<uint32_t>& buffers) {
  for (const uint32_t b : buffers) {
    if (!model_.buffers[b].IsUsedAfter(child_[kOutWord], child_[kWaitedWord])) {
      child_[kGoneWord] &= ~MaskOf(b);
    }
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
  uint64_t held = 0;    // by programs that may come next and do not write them
  uint64_t most = 0;    // bytes that one action brings in
  for (uint32_t i = 0; i < model_.actions.size(); ++i) {
    const ExactAction& action = model_.actions[i];
    if ((out & MaskOf(i)) != 0 || !model_.NeedsAreOut(i, out)) continue;
    for (const uint32_t b : action.uses) {
      wanted |= MaskOf(b) & state[kGoneWord];
      if ((model_.buffers[b].holds & ~model_.buffers[b].writers & MaskOf(i)) != 0)
        held |= MaskOf(b);
    }
    const ExactReleases::Turn* ready = releases_.TurnWithout(action.needs_end);
    if (ready == nullptr) continue;
    any = true;
    lacks_room |= !releases_.HasRoomFor(action.enters, *ready);
    most = std::max(most, releases_.BytesBroughtIn(action.enters, *ready));
    pauses |= ready->time > state[kTimeWord];
  }
  for (uint32_t i = 0; model_.waits_branch && i < model_.actions.size(); ++i) {
    const bool runs = (program_mask_ & out & ~state[kWaitedWord] & MaskOf(i)) != 0;
    if (runs) lacks_room |= !releases_.HasRoomFor(model_.actions[i].wait_uses, releases_.now());
  }
  uint64_t back = 0;  // bytes of all that has to come back
  ForEachBit(state[kGoneWord], [&](uint32_t b) {
    lacks_room |= !releases_.HasRoomFor({b}, releases_.now());
    if (NeedsContents(model_.buffers[b], out)) back += model_.buffers[b].bytes;
  });
  pauses |= lacks_room || !any || model_.waits_branch;
  const bool later = releases_.now().live + most + back <= model_.capacity;
  ForEachBit(state[kGoneWord], [&](uint32_t b) {
    if (!NeedsContents(model_.buffers[b], out)) return;
    if (pauses || !later || (wanted & MaskOf(b)) != 0) BringBack(b, state);
  });
  for (uint32_t b = 0; b < model_.buffers.size(); ++b) {
    if (pauses || (held & MaskOf(b)) != 0) LetGo(b, state, !lacks_room);
  }
}

// waiting: there is room, so that only a store can gain time by coming early.
void ExactSearch::LetGo(uint32_t index, const uint64_t* state, bool waiting) {
  const ExactBuffer& buffer = model_.buffers[index];
  const ActionMask out = state[kOutWord];
  const bool there = ((buffer.users & out) | (buffer.waits & state[kWaitedWord])) != 0 &&
                     (state[kGoneWord] & MaskOf(index)) == 0;
  if (!buffer.may_leave || !there || !buffer.IsUsedAfter(out, state[kWaitedWord])) return;
  const ExactReleases::Turn* turn = releases_.TurnWithout(buffer.holds & ~buffer.waits);
  if (turn == nullptr) return;
  const bool needed = NeedsContents(buffer, out);
  if (needed && IsLoadedTooEarly(buffer, out)) return;
  const bool copied = (state[kCopiedWord] & MaskOf(index)) != 0;
  const bool free = !needed || copied || IsRefillable(buffer, out);
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
  const ExactReleases::Turn* turn = releases_.RoomFor({index}, &releases_.now());
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
  work_.Add();
  SetClock(clock);
  if (BoundChild() >= enough_) return;
  if (layer_.alive() < 2 * width_) {
    AddToLayer(step, &layer_);
  } else {
    cut_ = true;
  }
}

}  // namespace torqsched
