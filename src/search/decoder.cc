#include "src/search/decoder.h"

namespace torqsched::search {
namespace {

constexpr size_t kLookAhead = 32;  // positions
constexpr size_t kMostWishes = 128;
// So that what is hashed of one kind never looks like another kind.
constexpr uint64_t kOfBlocks = uint64_t{5} << 61;
constexpr uint64_t kOfArrivals = uint64_t{7} << 61;

}  // namespace

Decoder::Decoder(const Model& model, Placing placing)
    : model_(model),
      placing_(placing),
      map_(model),
      running_(model.size()),
      slice_ends_(model.slices(), 0),
      buffer_(model.part_count()),
      stamp_(model.part_count(), 0),
      evicted_stamp_(placing == Placing::kSequential ? model.part_count() : 0, 0) {}

void Decoder::NextEpoch() {
  if (++epoch_ != 0) return;
  stamp_.assign(stamp_.size(), 0);
  evicted_stamp_.assign(evicted_stamp_.size(), 0);
  epoch_ = 1;
}

uint32_t Decoder::Reset() {
  DecoderState nothing;
  nothing.slice_ends.assign(model_.slices(), 0);
  Load(nothing, 0);
  births_.clear();
  uint32_t violations = 0;
  for (const PartIndex b : model_.live_in()) {
    const int64_t offset = OffsetFor(b);
    if (offset == LramMap::kNoRoom) ++violations;
    ComeIn(b, offset);
  }
  return violations;
}

void Decoder::Load(const DecoderState& state, Position position) {
  NextEpoch();
  now_ = 0;
  at_ = position;
  steps_ += state.running.size() + state.live.size() + state.evicted.size();
  running_.Clear();
  for (const RunningProgram& r : state.running) running_.Insert(r.program, r.end);
  slice_ends_ = state.slice_ends;
  ops_since_block_ = state.ops_since_block;
  map_.Clear();
  rangeless_.clear();
  rangeless_hash_ = 0;
  arrivals_.clear();
  evicted_.clear();
  for (const DecoderState::Live& l : state.live) {
    ComeIn(l.buffer, l.offset);
    buffer_[l.buffer] = {l.users_left, l.offset, l.copy_valid};
  }
  for (const DecoderState::Live& l : state.evicted) {
    evicted_.push_back(l.buffer);
    evicted_stamp_[l.buffer] = epoch_;
    buffer_[l.buffer] = {l.users_left, l.offset, l.copy_valid};
  }
  births_.clear();
}

void Decoder::Save(DecoderState* state) const {
  steps_ += 4 * running_.size() + 2 * (map_.ranges().size() + evicted_.size());
  state->running.clear();
  state->running.reserve(running_.size());
  for (const RunningProgram& r : running_) state->running.push_back({r.program, r.end - now_});
  state->slice_ends.resize(slice_ends_.size());
  for (size_t s = 0; s < slice_ends_.size(); ++s) {
    state->slice_ends[s] = std::max<int64_t>(0, slice_ends_[s] - now_);
  }
  state->ops_since_block = ops_since_block_;
  state->live.clear();
  state->evicted.clear();
  const auto live_of = [this](PartIndex b) {
    return DecoderState::Live{b, buffer_[b].users_left, buffer_[b].offset, buffer_[b].copy_valid};
  };
  if (placing_ == Placing::kSequential) {
    for (const PartIndex b : arrivals_) state->live.push_back(live_of(b));
    for (const PartIndex b : evicted_) state->evicted.push_back(live_of(b));
    return;
  }
  for (const LramMap::Range& r : map_.ranges()) {
    if (r.buffer.present()) state->live.push_back(live_of(r.buffer));
  }
  for (const PartIndex b : rangeless_) state->live.push_back(live_of(b));
}

uint64_t Decoder::StateHash() const {
  uint64_t hash =
      map_.hash() + rangeless_hash_ + Mix(ops_since_block_ ^ kOfBlocks) + running_.HashAt(now_);
  // Which slice it is does not matter.
  for (const int64_t end : slice_ends_) {
    if (end > now_) hash += Mix(static_cast<uint64_t>(end - now_) ^ uint64_t{3} << 62);
  }
  // Who came in first is the next to go, once something has gone.
  if (placing_ == Placing::kSequential) {
    steps_ += arrivals_.size() + evicted_.size();
    uint64_t place = 0;
    for (const PartIndex b : arrivals_) {
      hash += Mix(kOfArrivals ^ ++place ^ uint64_t{b.value()} << 20 ^
                  uint64_t{buffer_[b].copy_valid} << 60);
    }
    for (const PartIndex b : evicted_) {
      hash += Mix(~(uint64_t{b.value()} << 1 ^ uint64_t{buffer_[b].copy_valid}));
    }
  }
  return hash;
}

Played Decoder::Play(ActionIndex action) {
  const ModelAction& what = model_.action(action);
  const Run<PartIndex> uses = model_.uses(action);
  const int64_t before = now_;
  Played played;
  steps_ += model_.waits_for(action).size() + 2 * uses.size();
  for (const ActionIndex program : model_.waits_for(action)) WaitFor(program);
  bool room = PlaceNew(action);
  while (!room && WaitForFirst()) room = PlaceNew(action);
  if (!room && placing_ == Placing::kSequential) room = PlaceSwapping(action);
  if (!room) played.violations = BreakMemory(uses);
  played.stall = now_ - before;
  ++at_;
  switch (what.kind) {
    case ActionKind::kJoint:
      break;
    case ActionKind::kProgram:
      Start(action);
      if (placing_ == Placing::kSequential) NoteWrites(action);
      break;
    case ActionKind::kLoad:
    case ActionKind::kStore:
    case ActionKind::kBarrier:
      CountOp();
      now_ += what.cycles;
      if (entries_ != nullptr) entries_->push_back({action, false, 0});
      if (placing_ == Placing::kSequential) NoteWrites(action);
      EndUses(uses);
      break;
  }
  WaitForEnded();
  played.cycles = now_ - before;
  return played;
}

Played Decoder::Finish() {
  const int64_t before = now_;
  while (WaitForFirst()) {
  }
  return {now_ - before, now_ - before, 0};
}

void Decoder::CountOp() {
  if (model_.block_ops() == 0 || ++ops_since_block_ != model_.block_ops()) return;
  ops_since_block_ = 0;
  now_ += model_.block_cycles();
}

void Decoder::Start(ActionIndex program) {
  CountOp();
  size_t slice = 0;
  for (size_t s = 1; s < slice_ends_.size(); ++s) {
    if (slice_ends_[s] < slice_ends_[slice]) slice = s;
  }
  // Slices that are idle are alike, whenever they became so.
  if (slice_ends_[slice] <= now_) {
    slice = 0;
    while (slice_ends_[slice] > now_) ++slice;
  }
  slice_ends_[slice] = std::max(now_, slice_ends_[slice]) + model_.action(program).cycles;
  steps_ += running_.Insert(program, slice_ends_[slice]) / 4;
  now_ += model_.start_cycles();
  if (entries_ != nullptr) entries_->push_back({program, false, static_cast<uint8_t>(slice)});
}

bool Decoder::MayWait(ActionIndex program) const {
  if (!model_.action(program).ends_blocked) return true;
  steps_ += model_.graph().wait_needs(program).size();
  for (const Need need : model_.graph().wait_needs(program)) {
    if ((*positions_)[need.action()] >= at_) return false;
    if (need.end() && IsRunning(need.action())) return false;
  }
  return true;
}

// With the programs that must be waited for before it.
void Decoder::WaitFor(ActionIndex program) {
  if (!IsRunning(program)) return;
  to_wait_.assign(1, program);
  while (!to_wait_.empty()) {
    const ActionIndex p = to_wait_.back();
    ++steps_;
    bool blocked = false;
    if (IsRunning(p)) {
      steps_ += model_.graph().wait_needs(p).size();
      for (const Need need : model_.graph().wait_needs(p)) {
        if (!need.end() || !IsRunning(need.action())) continue;
        to_wait_.push_back(need.action());
        blocked = true;
      }
    }
    if (blocked) continue;
    to_wait_.pop_back();
    if (IsRunning(p)) EndProgram(p);
  }
  WaitForEnded();
}

void Decoder::EndProgram(ActionIndex program) {
  const int64_t end = running_.end_of(program);
  steps_ += running_.Erase(program) / 4;
  CountOp();
  now_ = std::max(now_, end);
  if (entries_ != nullptr) entries_->push_back({program, true, 0});
  EndUses(model_.uses(program));
}

void Decoder::WaitForEnded() {
  RunningPrograms::Iterator next = running_.begin();
  while (next != running_.end() && next->end <= now_) {
    ++steps_;
    if (!MayWait(next->program)) {
      ++next;
      continue;
    }
    EndProgram(next->program);
    next = running_.begin();  // others may have waited for this
  }
}

// The one that ends first; false if nothing can be waited for.
bool Decoder::WaitForFirst() {
  for (const RunningProgram& r : running_) {
    ++steps_;
    if (!MayWait(r.program)) continue;
    EndProgram(r.program);
    WaitForEnded();
    return true;
  }
  return false;
}

int64_t Decoder::OffsetFor(PartIndex b) {
  const Part& buffer = model_.part(b);
  steps_ += 8;
  if (buffer.fixed >= 0) {
    return map_.IsFree(buffer.fixed, buffer.size) ? buffer.fixed : LramMap::kNoRoom;
  }
  if (placing_ == Placing::kWanted && wanted_ != nullptr) {
    const int64_t wanted = (*wanted_)[b];
    if (wanted >= 0) {
      if (map_.IsFree(wanted, buffer.size)) return wanted;
      if (order_ != nullptr) return LeastInTheWay(b);
    }
  }
  steps_ += map_.ranges().size();
  return buffer.low_end ? map_.Lowest(buffer) : map_.Highest(buffer);
}

// Of the ends of all gaps the one where it is in the way of nobody for longest: of the buffers that
// the next actions bring in, the first whose wanted range it takes comes as late as can be.
int64_t Decoder::LeastInTheWay(PartIndex b) {
  const Part& buffer = model_.part(b);
  wishes_.clear();
  const size_t last = std::min<size_t>(order_->size(), size_t{at_} + kLookAhead);
  for (size_t p = at_; p < last && wishes_.size() < kMostWishes; ++p) {
    const Run<PartIndex> uses = model_.uses((*order_)[p]);
    steps_ += uses.size();
    for (const PartIndex next : uses) {
      if (wishes_.size() == kMostWishes) break;
      if (next == b || IsLive(next) || (*wanted_)[next] < 0) continue;
      wishes_.push_back({(*wanted_)[next], (*wanted_)[next] + model_.part(next).size});
    }
  }
  int64_t best = LramMap::kNoRoom;
  size_t best_free = 0;
  const auto look_at = [&](int64_t begin) {
    size_t i = 0;
    while (i < wishes_.size() &&
           (wishes_[i].end <= begin || wishes_[i].begin >= begin + buffer.size)) {
      ++i;
    }
    steps_ += i + 1;
    const bool better =
        best == LramMap::kNoRoom || i > best_free || (i == best_free && !buffer.low_end);
    if (!better) return;
    best = begin;
    best_free = i;
  };
  map_.ForEachGap([&](int64_t begin, int64_t end) {
    const int64_t low = map_.Up(begin, buffer.alignment);
    if (low + buffer.size > end) return;
    look_at(low);
    const int64_t high = map_.Down(end - buffer.size, buffer.alignment);
    if (high != low) look_at(high);
  });
  return best;
}

// All of the action's new buffers; false if one finds no room. Those before it are then placed all
// the same where offsets are wanted: so an order that wants what it has got plays as it did. A
// two-ended allocator will see them all at once, so there none is.
bool Decoder::PlaceNew(ActionIndex action) {
  if (placing_ == Placing::kSequential && !evicted_.empty()) return PlaceNewInTurn(action);
  const size_t first = births_.size();
  steps_ += model_.uses(action).size();
  for (const PartIndex b : model_.uses(action)) {
    if (IsLive(b)) continue;
    const int64_t offset = OffsetFor(b);
    if (offset != LramMap::kNoRoom) {
      ComeIn(b, offset);
      continue;
    }
    if (placing_ != Placing::kWanted) TakeBack(first);
    return false;
  }
  return true;
}

// The births from there on did not happen; all of them got a range.
void Decoder::TakeBack(size_t first_birth) {
  while (births_.size() > first_birth) {
    const Birth& birth = births_.back();
    steps_ += 1 + map_.ranges().size() / 16;
    map_.Erase(birth.part, birth.offset);
    stamp_[birth.part] = epoch_ - 1;
    if (placing_ == Placing::kSequential) arrivals_.pop_back();
    births_.pop_back();
  }
}

uint32_t Decoder::BreakMemory(Run<PartIndex> uses) {
  uint32_t violations = 0;
  for (const PartIndex b : uses) {
    if (IsLive(b)) continue;
    const int64_t offset = OffsetFor(b);
    if (offset == LramMap::kNoRoom) ++violations;
    Bring(b, offset);
  }
  return violations;
}

void Decoder::ComeIn(PartIndex b, int64_t offset) {
  stamp_[b] = epoch_;
  buffer_[b] = {model_.part(b).user_count, offset, false};
  if (placing_ == Placing::kSequential) arrivals_.push_back(b);
  births_.push_back({b, offset});
  steps_ += 1 + map_.ranges().size() / 16;
  if (offset != DecoderState::kNoRange) {
    map_.Insert(b, offset, model_.part(b).size);
    return;
  }
  rangeless_.push_back(b);
  rangeless_hash_ += LramMap::HashOf(b, offset);
}

void Decoder::EndUses(Run<PartIndex> uses) {
  for (const PartIndex b : uses) {
    if (--buffer_[b].users_left == 0 && !model_.part(b).live_out) Leave(b);
  }
}

// Its range is free again.
void Decoder::Leave(PartIndex b) {
  stamp_[b] = epoch_ - 1;
  steps_ += 1 + (map_.ranges().size() + arrivals_.size() + rangeless_.size()) / 16;
  if (placing_ == Placing::kSequential) {
    arrivals_.erase(std::find(arrivals_.begin(), arrivals_.end(), b));
  }
  if (buffer_[b].offset != DecoderState::kNoRange) {
    map_.Erase(b, buffer_[b].offset);
    return;
  }
  rangeless_hash_ -= LramMap::HashOf(b, DecoderState::kNoRange);
  rangeless_.erase(std::find(rangeless_.begin(), rangeless_.end(), b));
}

}  // namespace torqsched::search
