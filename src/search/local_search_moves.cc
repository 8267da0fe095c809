// The moves of the local search: what each changes in the order, or in the offsets that are wanted.
#include <algorithm>
#include <utility>

#include "src/search/local_search.h"

namespace torqsched::search {
namespace {

constexpr uint32_t kLongestReach = 160;   // positions that a move spans
constexpr uint32_t kLongestGroup = 1000;  // that one spans which moves all users of a part
// A move spans up to 4 positions, doubled up to one time less than that.
constexpr uint32_t kFarDoublings = 6;
constexpr uint32_t kNearDoublings = 4;
constexpr uint32_t kNearPrograms = 4;  // so many programs from each other two are exchanged at most

}  // namespace

uint32_t LocalSearch::RandomDistance() {
  // Near places more often than far ones: as many up to 4 as up to 8, 16, ...
  const uint32_t most = 4u << random_.Below(reach_ == Reach::kFar ? kFarDoublings : kNearDoublings);
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
    if (slots_[p].violations == 0) continue;
    steps_ += step;
    return last_violation_ = p;
  }
  steps_ += size;
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
  steps_ += model_.users(part).size();
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
  steps_ += model_.users(b).size();
  for (const ActionIndex user : model_.users(b)) first = std::min(first, position_[user]);
  if (buffer.live_in || first == size) return false;
  changed_buffer_ = b;
  saved_offset_ = std::exchange(wanted_[b], offset);
  low_ = first;
  high_ = first;
  saved_.assign(1, order_[first]);
  return true;
}

// Two programs near each other, and the transfers that are there for them alone, take each other's
// places. Tiles get into another order so, which no move of one of them could do where memory is
// full.
bool LocalSearch::ProposeExchange() {
  const Position size = static_cast<Position>(model_.size());
  const ActionIndex first = NextProgram(random_.Below(size), 1);
  if (!first.present()) return false;
  const ActionIndex second = NextProgram(position_[first] + 1, 1 + random_.Below(kNearPrograms));
  if (!second.present() || position_[second] >= model_.action(first).segment_end) return false;
  Position low = size;
  Position high = 0;
  for (const ActionIndex program : {first, second}) {
    const Run<ActionIndex> members = groups_.members(program);
    if (members.size() > kLongestReach) return false;
    for (const ActionIndex member : members) {
      low = std::min(low, position_[member]);
      high = std::max(high, position_[member]);
    }
  }
  if (high - low > kLongestReach) return false;
  CollectRoles(first, &roles_[0]);
  CollectRoles(second, &roles_[1]);
  scratch_.clear();
  for (Position p = low; p <= high; ++p) {
    const ActionIndex program = groups_.program_of(order_[p]);
    if (program == first || program == second) {
      EmitOther(order_[p], program == first);
    } else {
      scratch_.push_back(order_[p]);
    }
  }
  return Permute(low, high);
}

// The how-manieth program from there on; absent if there is none within reach.
ActionIndex LocalSearch::NextProgram(Position from, uint32_t how_manieth) const {
  const Position end =
      std::min<Position>(static_cast<Position>(model_.size()), from + kLongestReach);
  for (Position p = from; p < end; ++p) {
    if (model_.action(order_[p]).kind == ActionKind::kProgram && --how_manieth == 0) {
      return order_[p];
    }
  }
  return ActionIndex();
}

// The program's group as it stands in the order.
void LocalSearch::CollectRoles(ActionIndex program, Roles* roles) {
  for (Role& role : *roles) role = Role();
  for (const ActionIndex member : groups_.members(program)) {
    (*roles)[RoleOf(member)].actions.push_back(member);
  }
  for (Role& role : *roles) {
    std::sort(role.actions.begin(), role.actions.end(),
              [this](ActionIndex x, ActionIndex y) { return position_[x] < position_[y]; });
  }
}

size_t LocalSearch::RoleOf(ActionIndex member) const {
  switch (model_.action(member).kind) {
    case ActionKind::kProgram:
      return 1;
    case ActionKind::kStore:
      return 2;
    default:
      return 0;
  }
}

// To scratch_, in the place of that member of a group, what the other group has in its role. Where
// one has more of a kind, they come together; where it has none, at the program.
void LocalSearch::EmitOther(ActionIndex member, bool of_first) {
  Roles& own = roles_[of_first ? 0 : 1];
  const Roles& other = roles_[of_first ? 1 : 0];
  const size_t role = RoleOf(member);
  const auto emit = [this](const Role& from, size_t begin, size_t end) {
    for (size_t i = begin; i < std::min(end, from.actions.size()); ++i) {
      scratch_.push_back(from.actions[i]);
    }
  };
  if (role == 1 && own[0].actions.empty()) emit(other[0], 0, SIZE_MAX);
  const size_t place = own[role].taken++;
  const bool last = own[role].taken == own[role].actions.size();
  emit(other[role], place, last ? SIZE_MAX : place + 1);
  if (role == 1 && own[2].actions.empty()) emit(other[2], 0, SIZE_MAX);
}

// The actions of these positions come in the order that scratch_ has, but each behind what it needs
// there. False: nothing changes.
bool LocalSearch::Permute(Position low, Position high) {
  saved_.assign(order_.begin() + low, order_.begin() + high + 1);
  ++mark_epoch_;
  Position at = low;
  for (const ActionIndex action : scratch_) {
    stack_.assign(1, action);
    while (!stack_.empty()) {
      const ActionIndex top = stack_.back();
      const size_t height = stack_.size();
      if (mark_[top] != mark_epoch_) {
        steps_ += model_.predecessors(top).size();
        for (const ActionIndex needed : model_.predecessors(top)) {
          const bool there = position_[needed] >= low && position_[needed] <= high;
          if (there && mark_[needed] != mark_epoch_) stack_.push_back(needed);
        }
        if (stack_.size() != height) continue;
        mark_[top] = mark_epoch_;
        order_[at++] = top;
      }
      stack_.pop_back();
    }
  }
  return NoteChange(low, high);
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
    steps_ += model_.predecessors(order_[p]).size();
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
  steps_ += model_.users(part).size();
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
    steps_ += model_.predecessors(action).size();
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
    steps_ += model_.successors(order_[p]).size();
    for (const ActionIndex needing : model_.successors(order_[p])) {
      if (position_[needing] <= to) mark_[needing] = mark_epoch_;
    }
  }
  return Reorder(from, to, /*marked_first=*/false);
}

// Of the positions low to high the marked actions come first, or last. False: nothing changes.
bool LocalSearch::Reorder(Position low, Position high, bool marked_first) {
  saved_.assign(order_.begin() + low, order_.begin() + high + 1);
  std::stable_partition(order_.begin() + low, order_.begin() + high + 1,
                        [&](ActionIndex a) { return (mark_[a] == mark_epoch_) == marked_first; });
  return NoteChange(low, high);
}

// What stands at these positions has changed; it was saved_. False: it has not.
bool LocalSearch::NoteChange(Position low, Position high) {
  work_.nodes += (high - low) / 8;
  low_ = low;
  high_ = high;
  size_t same = 0;
  while (low_ <= high && order_[low_] == saved_[same]) ++low_, ++same;
  if (low_ > high) return false;
  saved_.erase(saved_.begin(), saved_.begin() + same);
  while (order_[high_] == saved_[high_ - low_]) --high_;
  saved_.resize(high_ - low_ + 1);
  for (Position p = low_; p <= high_; ++p) position_[order_[p]] = p;
  return true;
}

}  // namespace torqsched::search
