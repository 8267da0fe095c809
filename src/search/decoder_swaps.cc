// The part of the decoder that swaps as the SEQUENTIAL oracle does, so that what a search predicts
// is what that oracle says: the same victims, in the order in which they came in, the same stores
// and loads.
//
// Before it swaps for an action the decoder waits for all programs (decoder.h), so only what the
// action itself uses may not go. An action's allocs come before it, one by one, and pin nothing.
//
// Source: docs/semantics.md, section 6.
#include <algorithm>

#include "src/search/decoder.h"

namespace torqsched::search {

// The parts that the action has to bring in: new ones with an alloc apart; then those that are out,
// then new ones, both by index.
void Decoder::CollectToPlace(ActionIndex action) {
  allocated_.clear();
  to_place_.clear();
  for (const bool out : {true, false}) {
    const Run<PartIndex> uses = model_.uses(action);
    steps_ += uses.size();
    for (size_t i = 0; i < uses.size(); ++i) {
      if (IsLive(uses[i]) || IsEvicted(uses[i]) != out) continue;
      (!out && i < model_.alloc_count(action) ? allocated_ : to_place_).push_back(uses[i]);
    }
    if (out) std::sort(to_place_.begin(), to_place_.end());
  }
}

// Without swaps: all of them, or none. What is out comes back only when all have room: that may
// take loads.
bool Decoder::PlaceNewInTurn(ActionIndex action) {
  CollectToPlace(action);
  allocated_.insert(allocated_.end(), to_place_.begin(), to_place_.end());
  tried_.clear();
  for (const PartIndex b : allocated_) {
    const int64_t offset = OffsetFor(b);
    if (offset == LramMap::kNoRoom) break;
    steps_ += 2 + map_.ranges().size() / 8;
    map_.Insert(b, offset, model_.part(b).size);
    tried_.push_back({b, offset});
  }
  for (const Birth& birth : tried_) map_.Erase(birth.part, birth.offset);
  if (tried_.size() != allocated_.size()) return false;
  for (const Birth& birth : tried_) Bring(birth.part, birth.offset);
  return true;
}

bool Decoder::PlaceSwapping(ActionIndex action) {
  CollectToPlace(action);
  for (const PartIndex b : allocated_) {
    if (!PlaceAllSwapping({b}, Run<PartIndex>())) return false;
  }
  // Allocs may have sent away what the action needs.
  CollectToPlace(action);
  return PlaceAllSwapping(to_place_, model_.uses(action));
}

bool Decoder::PlaceAllSwapping(const std::vector<PartIndex>& parts, Run<PartIndex> pinned) {
  int64_t need = 0;
  for (const PartIndex b : parts) need += model_.part(b).size;
  while (need > model_.capacity() - map_.used()) {
    if (!EvictOne(pinned)) return false;
  }
  for (const PartIndex b : parts) {
    int64_t offset = OffsetFor(b);
    while (offset == LramMap::kNoRoom) {
      if (!EvictOne(pinned)) return false;
      offset = OffsetFor(b);
    }
    Bring(b, offset);
  }
  return true;
}

// New, or back from XRAM.
void Decoder::Bring(PartIndex b, int64_t offset) {
  if (placing_ == Placing::kSequential && IsEvicted(b)) {
    ComeBack(b, offset);
  } else {
    ComeIn(b, offset);
  }
}

bool Decoder::UsedByRunning(PartIndex b) const {
  for (const RunningProgram& r : running_) {
    steps_ += 1 + model_.uses(r.program).size() / 4;
    const Run<PartIndex> uses = model_.uses(r.program);
    if (std::find(uses.begin(), uses.end(), b) != uses.end()) return true;
  }
  return false;
}

// The first that came in of those that may go.
bool Decoder::EvictOne(Run<PartIndex> pinned) {
  for (const PartIndex b : arrivals_) {
    steps_ += 1 + pinned.size() / 4;
    const Part& part = model_.part(b);
    if (part.fixed >= 0 || part.live_in || part.live_out) continue;
    if (std::find(pinned.begin(), pinned.end(), b) != pinned.end() || UsedByRunning(b)) continue;
    if (!buffer_[b].copy_valid && ContentsMatter(b)) {
      SwapTransfer(b);
      buffer_[b].copy_valid = true;
    }
    Leave(b);
    evicted_.push_back(b);
    evicted_stamp_[b] = epoch_;
    return true;
  }
  return false;
}

void Decoder::ComeBack(PartIndex b, int64_t offset) {
  const BufferState state = buffer_[b];
  evicted_stamp_[b] = epoch_ - 1;
  evicted_.erase(std::find(evicted_.begin(), evicted_.end(), b));
  ComeIn(b, offset);
  buffer_[b].users_left = state.users_left;
  buffer_[b].copy_valid = state.copy_valid;
  if (NextNeedsContents(b)) SwapTransfer(b);
}

void Decoder::SwapTransfer(PartIndex b) {
  CountOp();
  now_ += model_.swap_cycles(b);
}

void Decoder::NoteWrites(ActionIndex action) {
  const Run<PartIndex> uses = model_.uses(action);
  for (size_t i = 0; i < uses.size(); ++i) {
    if (model_.use_modes(action)[i].writes) buffer_[uses[i]].copy_valid = false;
  }
}

// Its accesses from the action on that is being played, by position.
void Decoder::CollectLaterUses(PartIndex b) {
  later_uses_.clear();
  for (const ActionIndex user : model_.users(b)) {
    const Position position = (*positions_)[user];
    if (position < at_) continue;
    const Run<PartIndex> uses = model_.uses(user);
    steps_ += 4 + uses.size() / 4;
    const size_t i = static_cast<size_t>(std::find(uses.begin(), uses.end(), b) - uses.begin());
    const UseMode mode = model_.use_modes(user)[i];
    if (mode.accesses) later_uses_.push_back({position, mode});
  }
  std::sort(later_uses_.begin(), later_uses_.end(),
            [](const LaterUse& x, const LaterUse& y) { return x.position < y.position; });
}

bool Decoder::NextNeedsContents(PartIndex b) {
  CollectLaterUses(b);
  return !later_uses_.empty() && !later_uses_.front().mode.overwrites;
}

bool Decoder::ContentsMatter(PartIndex b) {
  CollectLaterUses(b);
  for (const LaterUse& use : later_uses_) {
    if (use.mode.reads) return true;
    if (use.mode.overwrites) return false;
  }
  return false;
}

}  // namespace torqsched::search
