#include "src/allocation/valley_state.h"

#include <algorithm>

#include "src/stream/checked.h"

namespace torqsched {
namespace {

// What a state may take, in memory and in time a node.
constexpr uint64_t kMostMembers = 1000000;
constexpr uint64_t kMostInSection = 2048;
constexpr uint64_t kMostFixedPairs = 4000000;

}  // namespace

ValleyState::ValleyState(const Packing& packing, uint64_t capacity, const SearchRules& rules)
    : packing_(packing),
      rules_(rules),
      least_(packing.bodies.size(), 0),
      highest_(packing.bodies.size()),
      placed_(packing.bodies.size(), 0),
      plain_(packing.bodies.size()),
      sections_(packing.sections),
      crossing_(packing.sections, 0),
      dirty_(packing.sections, 0) {
  MakeMembers();
  FindFixedNeighbours();
  for (uint32_t b = 0; b < packing.bodies.size(); ++b) {
    const Body& body = packing.bodies[b];
    const uint64_t highest = packing.HighestOffset(body, capacity);
    if (body.fixed) {
      least_[b] = body.offset;
      highest_[b] = SumFits(body.offset, body.size, capacity) &&
                            LiftClear(packing, body, body.offset, body.offset) == body.offset
                        ? body.offset
                        : kNoOffset;
    } else {
      highest_[b] = highest;
    }
    plain_[b] =
        body.alignment == packing.grain && packing.room == nullptr && fixed_neighbours_[b].empty();
    for (uint32_t s = body.first; s + 1 < body.last; ++s) ++crossing_[s];
    if (highest_[b] == kNoOffset) continue;
    for (const uint32_t s : sections_of(b)) {
      sections_[s].limit = std::max(sections_[s].limit, highest_[b] + body.rounded);
    }
  }
  for (uint32_t s = 0; s < packing.sections; ++s) MarkDirty(s);
  for (uint32_t b = 0; b < packing.bodies.size(); ++b) possible_ &= Lift(b, &least_[b]);
}

bool ValleyState::IsSmallEnough(const Packing& packing) {
  uint64_t members = 0;
  for (size_t b = 0; b < packing.bodies.size(); ++b) {
    for (const Piece& piece : packing.pieces[b]) members += piece.last - piece.first;
    if (members > kMostMembers) return false;
  }
  std::vector<uint64_t> fixed(packing.sections, 0);
  std::vector<uint64_t> all(packing.sections, 0);
  for (size_t b = 0; b < packing.bodies.size(); ++b) {
    for (const Piece& piece : packing.pieces[b]) {
      for (uint32_t s = piece.first; s < piece.last; ++s) {
        ++all[s];
        if (packing.bodies[b].fixed) ++fixed[s];
      }
    }
  }
  uint64_t pairs = 0;
  for (uint32_t s = 0; s < packing.sections; ++s) {
    pairs += fixed[s] * all[s];
    if (all[s] > kMostInSection || pairs > kMostFixedPairs) return false;
  }
  return true;
}

void ValleyState::MakeMembers() {
  for (size_t b = 0; b < packing_.bodies.size(); ++b) {
    member_begin_.push_back(static_cast<uint32_t>(member_section_.size()));
    for (const Piece& piece : packing_.pieces[b]) {
      for (uint32_t s = piece.first; s < piece.last; ++s) {
        member_section_.push_back(s);
        ++sections_[s].count;
        sections_[s].sum += piece.rounded;
      }
    }
  }
  member_begin_.push_back(static_cast<uint32_t>(member_section_.size()));
  uint32_t begin = 0;
  for (Section& section : sections_) {
    section.begin = begin;
    begin += section.count;
    section.count = 0;
  }
  items_.resize(member_section_.size());
  member_slot_.resize(member_section_.size());
  uint32_t member = 0;
  for (uint32_t b = 0; b < packing_.bodies.size(); ++b) {
    for (const Piece& piece : packing_.pieces[b]) {
      for (uint32_t s = piece.first; s < piece.last; ++s, ++member) {
        Section& section = sections_[s];
        member_slot_[member] = section.begin + section.count;
        items_[section.begin + section.count++] = {piece.rounded, b, member};
      }
    }
  }
}

void ValleyState::FindFixedNeighbours() {
  const size_t n = packing_.bodies.size();
  std::vector<std::vector<uint32_t>> fixed_in(sections_.size());
  for (uint32_t b = 0; b < n; ++b) {
    if (!packing_.bodies[b].fixed) continue;
    for (const uint32_t s : sections_of(b)) fixed_in[s].push_back(b);
  }
  // Where a body's pieces differ in size, the largest in any shared section counts.
  std::vector<FixedNeighbour> met(n, {0, 0, 0});
  std::vector<uint32_t> order;
  const auto piece_in = [&](uint32_t b, uint32_t s) -> const Piece& {
    const Run<Piece> pieces = packing_.pieces[b];
    const Piece* p = std::upper_bound(pieces.begin(), pieces.end(), s,
                                      [](uint32_t at, const Piece& x) { return at < x.last; });
    return *p;
  };
  for (uint32_t b = 0; b < n; ++b) {
    order.clear();
    if (!packing_.bodies[b].fixed) {
      for (const uint32_t s : sections_of(b)) {
        for (const uint32_t f : fixed_in[s]) {
          if (met[f].size == 0) order.push_back(f);
          met[f].body = f;
          met[f].size = std::max(met[f].size, piece_in(b, s).size);
          met[f].end =
              std::max(met[f].end, SaturatingAdd(packing_.bodies[f].offset, piece_in(f, s).size));
        }
      }
    }
    std::sort(order.begin(), order.end());
    for (const uint32_t f : order) {
      fixed_neighbours_.Add(met[f]);
      met[f] = {0, 0, 0};
    }
    fixed_neighbours_.EndRow();
  }
}

// The least legal offset from *offset on.
bool ValleyState::Lift(uint32_t b, uint64_t* offset) const {
  const Body& body = packing_.bodies[b];
  if (highest_[b] == kNoOffset) return false;
  if (body.fixed) {
    if (*offset > body.offset) return false;
    *offset = body.offset;
    return true;
  }
  if (plain_[b]) {  // ends and offsets are multiples of the grain
    return *offset <= highest_[b];
  }
  for (bool clear = false; !clear;) {
    *offset = LiftClear(packing_, body, *offset, highest_[b]);
    if (*offset == kNoOffset) return false;
    clear = true;
    for (const FixedNeighbour& f : fixed_neighbours_[b]) {
      const uint64_t begin = packing_.bodies[f.body].offset;
      if (*offset >= f.end || *offset + f.size <= begin) continue;
      *offset = f.end;
      clear = false;
    }
  }
  return true;
}

bool ValleyState::Raise(uint32_t body, uint64_t offset) {
  if (least_[body] >= offset) return true;
  if (!Lift(body, &offset)) {
    failed_section_ = sections_of(body)[0];
    return false;
  }
  changes_.push_back({least_[body], body});
  least_[body] = offset;
  const Run<uint32_t> sections = sections_of(body);
  scanned_ += 4 + sections.size() / 4;
  for (const uint32_t s : sections) MarkDirty(s);
  return true;
}

bool ValleyState::Place(uint32_t body) {
  TakeOut(body);
  changes_.push_back({kNoOffset, body});
  for (uint32_t m = member_begin_[body]; m < member_begin_[body + 1]; ++m) {
    const uint32_t s = member_section_[m];
    const uint64_t end = least_[body] + items_[member_slot_[m]].size;
    const Section& section = sections_[s];
    for (uint32_t k = section.begin; k < section.begin + section.count; ++k) {
      const uint32_t other = items_[k].body;
      if (least_[other] < end && !Raise(other, end)) return false;
    }
  }
  return true;
}

void ValleyState::TakeOut(uint32_t body) {
  placed_[body] = 1;
  for (uint32_t m = member_begin_[body]; m < member_begin_[body + 1]; ++m) {
    const uint32_t s = member_section_[m];
    Section& section = sections_[s];
    const uint32_t slot = member_slot_[m];
    const uint32_t last = section.begin + --section.count;
    section.sum -= items_[slot].size;
    std::swap(items_[slot], items_[last]);
    member_slot_[items_[slot].member] = slot;
    member_slot_[items_[last].member] = last;
    MarkDirty(s);
  }
  const Body& b = packing_.bodies[body];
  for (uint32_t s = b.first; s + 1 < b.last; ++s) --crossing_[s];
}

// The last taken out is the first put back, so it stands just behind the unplaced.
void ValleyState::PutBack(uint32_t body) {
  placed_[body] = 0;
  for (uint32_t m = member_begin_[body]; m < member_begin_[body + 1]; ++m) {
    const uint32_t s = member_section_[m];
    sections_[s].sum += items_[member_slot_[m]].size;
    ++sections_[s].count;
  }
  const Body& b = packing_.bodies[body];
  for (uint32_t s = b.first; s + 1 < b.last; ++s) ++crossing_[s];
}

void ValleyState::Undo(const Mark& mark) {
  while (changes_.size() > mark.changes) {
    const Change change = changes_.back();
    changes_.pop_back();
    if (change.least == kNoOffset) {
      PutBack(change.body);
    } else {
      least_[change.body] = change.least;
    }
  }
  for (; scans_.size() > mark.scans; scans_.pop_back()) {
    sections_[scans_.back().section].seen = scans_.back().seen;
  }
  for (const uint32_t s : dirty_list_) dirty_[s] = 0;
  dirty_list_.clear();
}

// Sorts the unplaced items of a section by offset, the highest first. They are nearly sorted from
// the last time, and whoever is placed is mostly the last, so this is about linear.
void ValleyState::SortItems(const Section& section) {
  Item* const items = items_.data() + section.begin;
  if (keys_.size() < section.count) keys_.resize(section.count);
  for (uint32_t i = 0; i < section.count; ++i) {
    const Item item = items[i];
    const uint64_t key = least_[item.body];
    uint32_t at = i;
    for (; at > 0 && keys_[at - 1] < key; --at) {
      keys_[at] = keys_[at - 1];
      items[at] = items[at - 1];
      member_slot_[items[at].member] = section.begin + at;
    }
    keys_[at] = key;
    if (at == i) continue;
    items[at] = item;
    member_slot_[item.member] = section.begin + at;
  }
}

bool ValleyState::Scan(uint32_t s) {
  Section& section = sections_[s];
  scans_.push_back({s, section.seen});
  Seen& seen = section.seen;
  seen = Seen();
  if (section.count == 0) return true;
  SortItems(section);
  scanned_ += section.count;
  const Item* const items = items_.data() + section.begin;
  const uint32_t last = section.count - 1;
  seen.least = keys_[last];
  seen.lowest = items[last].body;
  if (last > 0) seen.second = keys_[last - 1];
  // Whoever begins above cannot be the lowest.
  const uint64_t lowest_limit = section.sum <= section.limit ? section.limit - section.sum : 0;
  uint64_t end_of_lowest = kNoOffset;  // the least end among those that can be the lowest
  uint64_t least_above = kNoOffset;    // the least offset among the others
  uint64_t sum = 0;
  bool stacks_fit = true;
  for (uint32_t i = 0; i <= last; ++i) {
    const uint64_t offset = keys_[i];
    const uint64_t end = offset + items[i].size;
    sum += items[i].size;
    stacks_fit &= SumFits(offset, sum, section.limit);  // those from here up, on top of each other
    seen.least_end = std::min(seen.least_end, end);
    seen.at_least += offset == seen.least ? 1 : 0;
    if (offset > lowest_limit) {
      least_above = offset;
    } else {
      end_of_lowest = std::min(end_of_lowest, end);
    }
  }
  if (rules_.section_bound) {
    if (stacks_fit && packing_.room != nullptr) {
      stacks_fit = SumFits(seen.least, sum + packing_.room->ReservedIn(seen.least, section.limit),
                           section.limit);
    }
    if (!stacks_fit) {
      failed_section_ = s;
      return false;
    }
  }
  if (rules_.place_free && seen.second >= seen.least_end) maybe_free_.push_back(seen.lowest);
  if (!rules_.propagate || least_above >= end_of_lowest) return true;
  if (end_of_lowest == kNoOffset) {
    failed_section_ = s;
    return false;
  }
  return RaiseAllBut(s, lowest_limit, end_of_lowest);
}

bool ValleyState::RaiseAllBut(uint32_t s, uint64_t lowest_limit, uint64_t offset) {
  for (const Item& item : items(s)) {
    if (least_[item.body] > lowest_limit && !Raise(item.body, offset)) return false;
  }
  return true;
}

bool ValleyState::ScanAll() {
  // The first that changed first, so that a section is scanned when most of what changes it has.
  for (size_t next = 0; next < dirty_list_.size(); ++next) {
    const uint32_t s = dirty_list_[next];
    dirty_[s] = 0;
    if (!Scan(s)) {
      dirty_list_.erase(dirty_list_.begin(), dirty_list_.begin() + next + 1);
      return false;
    }
  }
  dirty_list_.clear();
  return true;
}

bool ValleyState::IsFree(uint32_t body) const {
  for (uint32_t m = member_begin_[body]; m < member_begin_[body + 1]; ++m) {
    const Seen& seen = sections_[member_section_[m]].seen;
    if (seen.lowest != body || seen.second < least_[body] + items_[member_slot_[m]].size) {
      return false;
    }
  }
  return true;
}

bool ValleyState::Propagate() {
  if (!possible_) return false;
  maybe_free_.clear();
  for (;;) {
    if (!ScanAll()) return false;
    bool placed = false;
    while (!maybe_free_.empty() && !placed) {
      const uint32_t body = maybe_free_.back();
      maybe_free_.pop_back();
      if (placed_[body] || !IsFree(body)) continue;
      if (!Place(body)) return false;
      placed = true;
    }
    if (!placed) return true;
  }
}

bool ValleyState::IsLow(uint32_t body) const {
  for (const uint32_t s : sections_of(body)) {
    if (sections_[s].seen.least_end <= least_[body]) return false;
  }
  return true;
}

uint64_t ValleyState::LeastNeighbourEnd(uint32_t body) const {
  uint64_t least = kNoOffset;
  for (const uint32_t s : sections_of(body)) {
    if (sections_[s].seen.least_end >= least) continue;
    for (const Item& item : items(s)) {
      if (item.body != body) least = std::min(least, least_[item.body] + item.size);
    }
  }
  return least;
}

}  // namespace torqsched
