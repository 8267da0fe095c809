#include "src/search/exact_room.h"

#include <utility>

#include "src/search/random.h"

namespace torqsched {
namespace {

// Sets that are looked at whatever the search has done.
constexpr uint64_t kFirstSets = 4096;

}  // namespace

ExactRoom::ExactRoom(const ExactModel& model, ExactWork* work)
    : model_(model), work_(*work), table_(1024) {
  for (const ExactBuffer& buffer : model.buffers) {
    ActionMask needed = buffer.users;
    ForEachBit(buffer.users, [&](uint32_t i) { needed |= model.actions[i].ancestors; });
    to_die_.push_back(needed);
  }
}

bool ExactRoom::IsLost(ActionMask out) {
  out = WithFreeActions(out);
  const uint64_t live = LiveBytes(out);
  if (live + BytesBroughtIn(~out, out) <= model_.capacity) return false;
  const Known known = Find(out)->known;
  if (known != Known::kNothing) return known == Known::kLost;
  if (!MayGoOn()) return false;
  ++sets_;
  work_.Add();
  const bool lost = NothingCanDie(out, live) || AllWaysAreLost(out, live);
  // That a way is not lost is not known where it was not looked at.
  if (lost || MayGoOn()) Remember(out, lost);
  return lost;
}

// As many sets as the search has made states, and some.
bool ExactRoom::MayGoOn() const {
  return !work_.done() && sets_ < kFirstSets + (work_.nodes() - sets_);
}

bool ExactRoom::NothingCanDie(ActionMask out, uint64_t live) const {
  for (size_t b = 0; b < model_.buffers.size(); ++b) {
    const ExactBuffer& buffer = model_.buffers[b];
    if (buffer.live_out || (buffer.users & ~out) == 0) continue;
    if (live + BytesBroughtIn(to_die_[b] & ~out, out) <= model_.capacity) return false;
  }
  return true;
}

bool ExactRoom::AllWaysAreLost(ActionMask out, uint64_t live) {
  for (size_t i = 0; i < model_.actions.size(); ++i) {
    const ExactAction& action = model_.actions[i];
    if ((out & MaskOf(i)) != 0 || !model_.NeedsAreOut(i, out)) continue;
    if (model_.IsOtherSpare(i, out)) continue;
    if (live + BytesOf(action, out) > model_.capacity) continue;
    if (!IsLost(model_.With(i, out))) return false;
  }
  return true;
}

// Where the set is, or would be.
ExactRoom::Entry* ExactRoom::Find(ActionMask out) {
  const size_t mask = table_.size() - 1;
  size_t at = search::Mix(out) & mask;
  while (table_[at].known != Known::kNothing && table_[at].out != out) at = (at + 1) & mask;
  return &table_[at];
}

void ExactRoom::Remember(ActionMask out, bool lost) {
  if (2 * ++known_ > table_.size()) {
    std::vector<Entry> old(2 * table_.size());
    std::swap(old, table_);
    for (const Entry& entry : old) {
      if (entry.known != Known::kNothing) *Find(entry.out) = entry;
    }
  }
  *Find(out) = {out, lost ? Known::kLost : Known::kNotLost};
}

// With all actions that bring nothing in: they only free buffers.
ActionMask ExactRoom::WithFreeActions(ActionMask out) const {
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < model_.actions.size(); ++i) {
      const ExactAction& action = model_.actions[i];
      if ((out & MaskOf(i)) != 0 || !model_.NeedsAreOut(i, out)) continue;
      if (BytesOf(action, out) != 0) continue;
      out = model_.With(i, out);
      more = true;
    }
  }
  return out;
}

uint64_t ExactRoom::BytesOf(const ExactAction& action, ActionMask out) const {
  uint64_t bytes = 0;
  for (const uint32_t b : action.enters) {
    if (!IsBorn(model_.buffers[b], out)) bytes += model_.buffers[b].bytes;
  }
  return bytes;
}

uint64_t ExactRoom::LiveBytes(ActionMask out) const {
  uint64_t bytes = 0;
  for (const ExactBuffer& buffer : model_.buffers) {
    const bool needed = buffer.live_out || (buffer.users & ~out) != 0;
    if (needed && IsBorn(buffer, out)) bytes += buffer.bytes;
  }
  return bytes;
}

uint64_t ExactRoom::BytesBroughtIn(ActionMask actions, ActionMask out) const {
  uint64_t bytes = 0;
  for (const ExactBuffer& buffer : model_.buffers) {
    if ((buffer.users & actions) == 0 || IsBorn(buffer, out)) continue;
    if ((buffer.users & model_.all_spares) == 0) bytes += buffer.bytes;
  }
  for (const ExactSpares& spares : model_.spares)
    bytes += spares.bytes * spares.Missing(actions, out);
  return bytes;
}

}  // namespace torqsched
