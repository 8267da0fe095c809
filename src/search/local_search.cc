#include "src/search/local_search.h"

#include <algorithm>
#include <utility>

namespace torqsched::search {
namespace {

constexpr uint32_t kExchangeOneIn = 16;  // of the moves
constexpr uint64_t kStepsPerNode = 64;
// Of what is live or runs in all checkpoints together, a few dozen bytes each; or so many an
// action.
constexpr uint64_t kMostCheckpointEntries = 1 << 20;
constexpr uint64_t kCheckpointEntriesPerAction = 8;

uint64_t NodesFor(uint64_t actions, uint64_t steps) {
  return std::max(actions, steps / kStepsPerNode);
}

}  // namespace

uint64_t Evaluate(const Model& model, Placing placing, Solution* solution,
                  std::vector<Entry>* entries, std::vector<Decoder::Birth>* births) {
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
  return NodesFor(model.size(), decoder.steps());
}

LocalSearch::LocalSearch(const Model& model, Placing placing, Reach reach, const Solution& start,
                         uint64_t seed)
    : model_(model),
      placing_(placing),
      reach_(reach),
      groups_(model),
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
  violations_ = decoder_.Reset();
  for (Position p = 0; p <= size; ++p) {
    if (p % stride_ == 0) Checkpoint(p);
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
  Charge(size);
}

// Where states are large there are fewer: of those made every other one goes.
void LocalSearch::Checkpoint(Position p) {
  checkpoints_.emplace_back();
  decoder_.Save(&checkpoints_.back());
  checkpoint_entries_ += checkpoints_.back().running.size() + checkpoints_.back().live.size() +
                         checkpoints_.back().evicted.size();
  if (p == 0 || checkpoint_entries_ <=
                    std::max(kMostCheckpointEntries, kCheckpointEntriesPerAction * model_.size())) {
    return;
  }
  size_t kept = 1;
  for (size_t i = 2; i < checkpoints_.size(); i += 2) {
    std::swap(checkpoints_[kept++], checkpoints_[i]);
  }
  checkpoints_.resize(kept);
  stride_ *= 2;
  checkpoint_entries_ /= 2;
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
  Charge(1);  // so that it ends even where no move can be made
  changed_buffer_ = PartIndex();
}

void LocalSearch::Charge(uint64_t actions) {
  const uint64_t steps = steps_ + decoder_.steps();
  work_.nodes += NodesFor(actions, steps - charged_steps_);
  charged_steps_ = steps;
}

void LocalSearch::TryMove() {
  BeginMove();
  if (random_.OneIn(kExchangeOneIn)) {
    if (ProposeExchange()) Judge();
    return;
  }
  const uint32_t kind = random_.Below(16);
  const bool proposed = violations_ != 0 && kind % 2 == 0          ? ProposeAtViolation()
                        : kind < 2 && placing_ == Placing::kWanted ? ProposeOffset()
                        : kind < 14                                ? ProposeAtStall()
                                                                   : ProposeAnywhere();
  if (proposed) Judge();
}

void LocalSearch::Judge() {
  const int64_t threshold = random_.Threshold(warm_);
  const bool played = PlayChange(threshold);
  Charge(after_ - first_);
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
  first_ = low_ - low_ % stride_;
  decoder_.Load(checkpoints_[first_ / stride_], first_);
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
      if (p % stride_ == 0) {
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
  Position checkpoint = low_ / stride_ + 1;
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
