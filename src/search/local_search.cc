#include "src/search/local_search.h"

#include <algorithm>
#include <utility>

namespace torqsched::search {
namespace {

constexpr uint32_t kLongestReach = 160;   // positions that a move spans
constexpr uint32_t kLongestGroup = 1000;  // that one spans which moves all users of a part

}  // namespace

void Evaluate(const Model& model, Placing placing, Solution* solution, std::vector<Entry>* entries,
              std::vector<Decoder::Birth>* births) {
  if (solution->offsets.empty()) solution->offsets.assign(model.part_count(), -1);
  IndexVector<ActionIndex, Position> positions(model.size());
  for (Position p = 0; p < model.size(); ++p) positions[solution->order[p]] = p;
  Decoder decoder(model, placing);
  decoder.set_wanted(&solution->offsets);
  decoder.set_order(&solution->order, &positions);
  decoder.set_record(entries);
  solution->violations = decoder.Reset();
  for (const ActionIndex a : solution->order) solution->violations += decoder.Play(a).violations;
  decoder.Finish();
  solution->makespan = decoder.now();
  for (const Decoder::Birth& birth : decoder.births()) {
    solution->offsets[birth.part] = birth.offset;
  }
  if (births != nullptr) *births = decoder.births();
}

LocalSearch::LocalSearch(const Model& model, Placing placing, const Solution& start, uint64_t seed)
    : model_(model),
      placing_(placing),
      random_(seed),
      decoder_(model, placing),
      order_(start.order),
      position_(model.size()),
      wanted_(start.offsets),
      slots_(model.size() + 1),
      mark_(model.size(), 0),
      best_(start) {
  decoder_.set_wanted(&wanted_);
  decoder_.set_order(&order_, &position_);
  PlayAll();
}

void LocalSearch::PlayAll() {
  const Position size = static_cast<Position>(model_.size());
  for (Position p = 0; p < size; ++p) position_[order_[p]] = p;
  checkpoints_.resize(size / kStride + 1);
  violations_ = decoder_.Reset();
  for (Position p = 0; p <= size; ++p) {
    if (p % kStride == 0) decoder_.Save(&checkpoints_[p / kStride]);
    Slot& slot = slots_[p];
    slot.hash = decoder_.StateHash();
    const Played played = p < size ? decoder_.Play(order_[p]) : decoder_.Finish();
    slot.cycles = played.cycles;
    slot.stall = played.stall;
    slot.violations = played.violations;
    violations_ += played.violations;
  }
  makespan_ = decoder_.now();
  for (const Decoder::Birth& birth : decoder_.births()) wanted_[birth.part] = birth.offset;
  work_.nodes += size;
}

void LocalSearch::Improve(uint64_t nodes, int64_t warm) {
  warm_ = warm;
  const uint64_t limit = work_.nodes + nodes;
  if (model_.size() < 2) work_.nodes = limit;  // there is nothing to move
  while (work_.nodes < limit) TryMove();
}

void LocalSearch::Mend(uint64_t nodes, int64_t warm) {
  warm_ = warm;
  const uint64_t limit = work_.nodes + nodes;
  while (work_.nodes < limit && violations_ != 0 && model_.size() >= 2) {
    BeginMove();
    if (ProposeAtViolation()) Judge();
  }
}

const Solution& LocalSearch::best() {
  if (best_is_current_) KeepBest();
  return best_;
}

void LocalSearch::KeepBest() {
  best_.order = order_;
  best_.offsets = wanted_;
  best_.makespan = makespan_;
  best_.violations = violations_;
}

void LocalSearch::BeginMove() {
  ++work_.moves;
  ++work_.nodes;  // so that it ends even where no move can be made
  changed_buffer_ = PartIndex();
}

void LocalSearch::TryMove() {
  BeginMove();
  const uint32_t kind = random_.Below(16);
  const bool proposed = violations_ != 0 && kind % 2 == 0          ? ProposeAtViolation()
                        : kind < 2 && placing_ == Placing::kWanted ? ProposeOffset()
                        : kind < 14                                ? ProposeAtStall()
                                                                   : ProposeAnywhere();
  if (proposed) Judge();
}

uint32_t LocalSearch::RandomDistance() {
  // Near places more often than far ones: about as many between 3 and 6 as between 80 and 160.
  const uint32_t most = 4u << random_.Below(7);
  return 1 + random_.Below(std::min(most, kLongestReach));
}

// The next position from there on, around the end, where the stream stalls; the size if there is
// none near.
Position LocalSearch::FindStall(Position from) const {
  const Position size = static_cast<Position>(model_.size());
  for (Position step = 0; step < 64; ++step) {
    const Position p = from + step < size ? from + step : from + step - size;
    if (p < size && (slots_[p].stall != 0 || slots_[p].violations != 0)) return p;
  }
  return size;
}

bool LocalSearch::ProposeAtStall() {
  const Position size = static_cast<Position>(model_.size());
  const Position stall = FindStall(random_.Below(size));
  if (stall == size) return ProposeAnywhere();
  const uint32_t distance = RandomDistance();
  switch (random_.Below(4)) {
    case 0:
    case 1: {  // fill the stall with something later
      const Position last = std::min<Position>(size - 1, stall + distance);
      return last > stall && PullForward(last, stall);
    }
    case 2:  // put off what stalls
      return PutOff(stall, std::min<Position>(size - 1, stall + distance));
    default: {  // start earlier what it may have waited for
      Position p = stall;
      for (uint32_t skip = random_.Below(3) + 1; p > 0;) {
        --p;
        if (model_.action(order_[p]).kind == ActionKind::kProgram && --skip == 0) break;
        if (stall - p >= kLongestReach) return false;
      }
      return PullForward(p, p > distance ? p - distance : 0);
    }
  }
}

// A position where the memory breaks, at or behind the last one that was found; the size if there
// is none (what is live in breaks it).
Position LocalSearch::FindViolation() {
  const Position size = static_cast<Position>(model_.size());
  for (Position step = 0; step < size; ++step) {
    const Position p = (last_violation_ + step) % size;
    if (slots_[p].violations != 0) return last_violation_ = p;
  }
  return size;
}

// Of a part that is live where the memory breaks the last user comes before, or the first after.
bool LocalSearch::ProposeAtViolation() {
  const Position size = static_cast<Position>(model_.size());
  const Position broken = FindViolation();
  if (broken == size) return ProposeAnywhere();
  const uint32_t distance = RandomDistance();
  const bool later = random_.OneIn(2);
  const Position near =
      later ? std::min(size - 1, broken + distance) : (broken > distance ? broken - distance : 0);
  const Run<PartIndex> uses = model_.uses(order_[near]);
  if (uses.empty()) return false;
  const PartIndex part = uses[random_.Below(uses.size())];
  Position first = size;
  Position last = 0;
  for (const ActionIndex user : model_.users(part)) {
    first = std::min(first, position_[user]);
    last = std::max(last, position_[user]);
  }
  if (first >= broken && last <= broken) return false;
  if (last > broken && (first >= broken || random_.OneIn(2))) {
    if (first < broken && random_.OneIn(2)) return PullUsers(part, broken);
    return last - broken <= kLongestReach && PullForward(last, broken);
  }
  return first < broken && broken - first <= kLongestReach && PutOff(first, broken);
}

bool LocalSearch::ProposeAnywhere() {
  const Position size = static_cast<Position>(model_.size());
  const Position at = random_.Below(size);
  const uint32_t distance = RandomDistance();
  if (random_.OneIn(2)) return PullForward(at, at > distance ? at - distance : 0);
  return PutOff(at, std::min<Position>(size - 1, at + distance));
}

// Another offset for a buffer that comes in near a random position: at an end of another one there.
bool LocalSearch::ProposeOffset() {
  const Position size = static_cast<Position>(model_.size());
  const Position at = random_.Below(size);
  const Run<PartIndex> uses = model_.uses(order_[at]);
  if (uses.empty()) return false;
  const PartIndex b = uses[random_.Below(uses.size())];
  const Part& buffer = model_.part(b);
  if (buffer.fixed >= 0) return false;
  // Who else is used near by.
  const uint32_t distance = RandomDistance();
  const Position other_at =
      random_.OneIn(2) ? (at > distance ? at - distance : 0) : std::min(size - 1, at + distance);
  const Run<PartIndex> others = model_.uses(order_[other_at]);
  int64_t offset = 0;
  if (!others.empty() && !random_.OneIn(8)) {
    const PartIndex o = others[random_.Below(others.size())];
    const int64_t begin = wanted_[o];
    if (o == b || begin < 0) return false;
    switch (random_.Below(4)) {
      case 0:
        offset = begin;
        break;
      case 1:
        offset = begin + model_.part(o).size;
        break;
      case 2:
        offset = begin - buffer.size;
        break;
      default:
        offset = begin + model_.part(o).size - buffer.size;
        break;
    }
  } else {
    offset = random_.OneIn(2) ? 0 : model_.capacity() - buffer.size;
  }
  if (offset < 0 || offset > model_.capacity() - buffer.size || offset == wanted_[b]) return false;
  if (offset % buffer.alignment != 0) return false;
  // It comes in where the first of its users stands.
  Position first = size;
  for (const ActionIndex user : model_.users(b)) first = std::min(first, position_[user]);
  if (buffer.live_in || first == size) return false;
  changed_buffer_ = b;
  saved_offset_ = std::exchange(wanted_[b], offset);
  low_ = first;
  high_ = first;
  saved_.assign(1, order_[first]);
  return true;
}

// The action at `from` comes to `to`, or as near as its segment allows, with what it needs.
bool LocalSearch::PullForward(Position from, Position to) {
  const ActionIndex action = order_[from];
  to = std::max(to, model_.action(action).segment_begin);
  if (to >= from) return false;
  ++mark_epoch_;
  mark_[action] = mark_epoch_;
  MarkNeeded(from, to);
  return Reorder(to, from, /*marked_first=*/true);
}

// Marks what the marked ones of the positions from there back to `to` need.
void LocalSearch::MarkNeeded(Position from, Position to) {
  for (Position p = from + 1; p-- > to;) {
    if (mark_[order_[p]] != mark_epoch_) continue;
    for (const ActionIndex needed : model_.predecessors(order_[p])) {
      if (position_[needed] >= to) mark_[needed] = mark_epoch_;
    }
  }
}

// All later users of a part come to `to`, so that it can leave, with what they need, and with the
// stores that empty LRAM of what they make.
bool LocalSearch::PullUsers(PartIndex part, Position to) {
  Position last = to;
  ++mark_epoch_;
  for (const ActionIndex user : model_.users(part)) {
    const Position p = position_[user];
    if (p <= to) continue;
    if (p - to > kLongestGroup || p >= model_.action(order_[to]).segment_end) return false;
    mark_[user] = mark_epoch_;
    last = std::max(last, p);
  }
  if (last == to) return false;
  MarkNeeded(last, to);
  const Position end = std::min(last + kLongestReach, model_.action(order_[to]).segment_end - 1);
  for (Position p = to; p <= end; ++p) {
    const ActionIndex action = order_[p];
    if (model_.action(action).kind != ActionKind::kStore || mark_[action] == mark_epoch_) continue;
    bool ready = true;
    bool empties = false;
    for (const ActionIndex needed : model_.predecessors(action)) {
      const bool marked = mark_[needed] == mark_epoch_;
      empties |= marked;
      ready &= marked || position_[needed] < to;
    }
    if (!ready || !empties) continue;
    mark_[action] = mark_epoch_;
    last = std::max(last, p);
  }
  return Reorder(to, last, /*marked_first=*/true);
}

bool LocalSearch::PutOff(Position from, Position to) {
  const ActionIndex action = order_[from];
  to = std::min(to, model_.action(action).segment_end - 1);
  if (to <= from) return false;
  ++mark_epoch_;
  mark_[action] = mark_epoch_;
  for (Position p = from; p <= to; ++p) {
    if (mark_[order_[p]] != mark_epoch_) continue;
    for (const ActionIndex needing : model_.successors(order_[p])) {
      if (position_[needing] <= to) mark_[needing] = mark_epoch_;
    }
  }
  return Reorder(from, to, /*marked_first=*/false);
}

// Of the positions low to high the marked actions come first, or last. False: nothing changes.
bool LocalSearch::Reorder(Position low, Position high, bool marked_first) {
  saved_.assign(order_.begin() + low, order_.begin() + high + 1);
  scratch_.clear();
  Position at = low;
  for (const ActionIndex a : saved_) {
    if ((mark_[a] == mark_epoch_) == marked_first) {
      order_[at++] = a;
    } else {
      scratch_.push_back(a);
    }
  }
  std::copy(scratch_.begin(), scratch_.end(), order_.begin() + at);
  low_ = low;
  high_ = high;
  size_t same = 0;
  while (low_ <= high && order_[low_] == saved_[same]) ++low_, ++same;
  if (low_ > high) return false;
  saved_.erase(saved_.begin(), saved_.begin() + same);
  while (order_[high_] == saved_[high_ - low_]) --high_;
  saved_.resize(high_ - low_ + 1);
  for (Position p = low_; p <= high_; ++p) position_[order_[p]] = p;
  work_.nodes += (high - low) / 8;
  return true;
}

void LocalSearch::Judge() {
  const int64_t threshold = random_.Threshold(warm_);
  const bool played = PlayChange(threshold);
  work_.nodes += after_ - first_;
  if (!played || new_violations_ > violations_ ||
      (new_violations_ == violations_ && change_ > threshold)) {
    return Reject();
  }
  // What is left behind may be the best so far.
  if (best_is_current_ && change_ > 0) {
    KeepBest();
    if (changed_buffer_.present()) best_.offsets[changed_buffer_] = saved_offset_;
    std::copy(saved_.begin(), saved_.end(), best_.order.begin() + low_);
    best_is_current_ = false;
  }
  Accept();
  if (best_is_current_) {
    if (change_ < 0) ++work_.improvements;
    return;
  }
  if (violations_ < best_.violations ||
      (violations_ == best_.violations && makespan_ < best_.makespan)) {
    best_is_current_ = true;
    ++work_.improvements;
  }
}

// Plays from the checkpoint before the change until the state is what it was. Sets change_ and
// new_violations_. False if it is too bad to go on, threshold being the largest change of use.
bool LocalSearch::PlayChange(int64_t threshold) {
  const Position size = static_cast<Position>(model_.size());
  const int64_t hopeless = threshold + model_.longest_program();
  first_ = low_ - low_ % kStride;
  decoder_.Load(checkpoints_[first_ / kStride], first_);
  new_slots_.clear();
  new_checkpoint_count_ = 0;
  int64_t old_cycles = 0;
  uint64_t old_violations = 0;
  uint64_t violations = 0;
  Position p = first_;
  for (; p <= size; ++p) {
    uint64_t hash = 0;
    if (p > low_) {
      hash = decoder_.StateHash();
      if (p > high_ && hash == slots_[p].hash) break;
      if (p % kStride == 0) {
        if (new_checkpoints_.size() == new_checkpoint_count_) new_checkpoints_.emplace_back();
        decoder_.Save(&new_checkpoints_[new_checkpoint_count_++]);
      }
    } else {
      hash = slots_[p].hash;
    }
    const Played played = p < size ? decoder_.Play(order_[p]) : decoder_.Finish();
    new_slots_.push_back({played.cycles, played.stall, played.violations, hash});
    old_cycles += slots_[p].cycles;
    old_violations += slots_[p].violations;
    violations += played.violations;
    if (violations > old_violations && violations_ - old_violations + violations > violations_) {
      after_ = p;
      return false;
    }
    if (p > high_ && violations == old_violations && decoder_.now() - old_cycles > hopeless) {
      after_ = p;
      return false;
    }
  }
  after_ = p;
  change_ = decoder_.now() - old_cycles;
  new_violations_ = violations_ - old_violations + violations;
  return true;
}

void LocalSearch::Accept() {
  std::copy(new_slots_.begin(), new_slots_.end(), slots_.begin() + first_);
  Position checkpoint = low_ / kStride + 1;
  for (size_t i = 0; i < new_checkpoint_count_; ++i, ++checkpoint) {
    std::swap(checkpoints_[checkpoint], new_checkpoints_[i]);
  }
  for (const Decoder::Birth& birth : decoder_.births()) wanted_[birth.part] = birth.offset;
  makespan_ += change_;
  violations_ = new_violations_;
}

void LocalSearch::Reject() {
  if (changed_buffer_.present()) wanted_[changed_buffer_] = saved_offset_;
  std::copy(saved_.begin(), saved_.end(), order_.begin() + low_);
  for (Position p = low_; p <= high_; ++p) position_[order_[p]] = p;
}

}  // namespace torqsched::search
