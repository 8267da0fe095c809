// A partial placement that grows from below, and what follows from it: the search's state.
//
// Bodies are placed in such an order that whatever is placed later, and shares a section, lies
// above. So the state is small: for each unplaced body the least offset that it can still have
// (`least`), for each section its unplaced pieces, the sum of their sizes and what the last scan of
// it saw. All changes are on trails, and Undo takes them back.
//
// What follows from a state (Propagate; each rule a switch):
//   - a section some of whose pieces, stacked from the least offset among them, exceed its limit:
//     fail (section_bound);
//   - a body whose own least offset plus that sum exceeds the limit cannot be the lowest there: it
//     lies on one that can, so it rises to the least end among those (propagate);
//   - a body that would raise nobody is placed at once: nothing can be better off for its absence
//     (place_free).
//
// A section's limit is where the highest-reaching of its bodies may end, rounded: with a capacity
// that is no multiple of the grain only bodies with padding may use its last bytes.
//
// Cost: a change costs the sections of the body that changes, times their unplaced pieces.
#ifndef TORQSCHED_SRC_ALLOCATION_VALLEY_STATE_H_
#define TORQSCHED_SRC_ALLOCATION_VALLEY_STATE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "src/allocation/allocate.h"
#include "src/allocation/packing.h"
#include "src/stream/index.h"

namespace torqsched {

class ValleyState {
 public:
  // The unplaced piece of a body in one section.
  struct Item {
    uint64_t size;  // rounded
    uint32_t body;
    uint32_t member;  // its number among all (body, section) pairs
  };
  // What the last scan of a section's unplaced items found.
  struct Seen {
    uint64_t least = kNoOffset;      // the least offset
    uint64_t second = kNoOffset;     // the next least offset, of another item
    uint64_t least_end = kNoOffset;  // the least end
    uint32_t lowest = 0;             // a body with the least offset
    uint32_t at_least = 0;           // how many items have it
  };
  struct Section {
    uint64_t sum = 0;    // of unplaced items
    uint64_t limit = 0;  // no item ends above
    uint32_t begin = 0;  // items_[begin, begin + count) are unplaced
    uint32_t count = 0;
    Seen seen;
  };
  // A state to go back to: only one in which Propagate had come to its end.
  struct Mark {
    size_t changes = 0;
    size_t scans = 0;
  };

  // The packing must outlive it. Bodies are unplaced, and rise to their first legal offset; call
  // Propagate before anything else.
  ValleyState(const Packing& packing, uint64_t capacity, const SearchRules& rules);

  // Whether a state for this packing takes memory and time that a search can afford.
  static bool IsSmallEnough(const Packing& packing);

  // False: no placement extends this state.
  bool Propagate();
  // Puts an unplaced body at its least offset, and lifts whom it meets. False as above.
  bool Place(uint32_t body);
  // The body lies at `offset` or higher. False as above.
  bool Raise(uint32_t body, uint64_t offset);

  Mark mark() const { return {changes_.size(), scans_.size()}; }
  void Undo(const Mark& mark);

  uint32_t body_count() const { return static_cast<uint32_t>(least_.size()); }
  uint32_t section_count() const { return static_cast<uint32_t>(sections_.size()); }
  bool placed(uint32_t body) const { return placed_[body] != 0; }
  // Of a placed body its offset.
  uint64_t least(uint32_t body) const { return least_[body]; }
  const std::vector<uint64_t>& offsets() const { return least_; }
  bool fixed(uint32_t body) const { return packing_.bodies[body].fixed; }
  const Section& section(uint32_t s) const { return sections_[s]; }
  Run<Item> items(uint32_t s) const {
    const Item* first = items_.data() + sections_[s].begin;
    return {first, first + sections_[s].count};
  }
  // The sections of a body, ascending.
  Run<uint32_t> sections_of(uint32_t body) const {
    return {member_section_.data() + member_begin_[body],
            member_section_.data() + member_begin_[body + 1]};
  }
  // Bodies that are unplaced and may have pieces both up to section s and from s + 1 on.
  uint32_t crossing(uint32_t s) const { return crossing_[s]; }
  // The least end of another unplaced body that shares a section with this one; kNoOffset: none.
  uint64_t LeastNeighbourEnd(uint32_t body) const;
  // No unplaced body can still end at or below this one's least offset where they meet.
  bool IsLow(uint32_t body) const;
  // Counts other work as if so many items had been scanned.
  void Count(uint64_t items) { scanned_ += items; }
  // Items scanned since it was last asked.
  uint64_t TakeScanned() {
    const uint64_t scanned = scanned_;
    scanned_ = 0;
    return scanned;
  }
  // The section in which Propagate or Raise last failed.
  uint32_t failed_section() const { return failed_section_; }

 private:
  struct Change {
    uint64_t least;  // before it; kNoOffset: the body was placed
    uint32_t body;
  };

  void MakeMembers();
  void FindFixedNeighbours();
  bool Lift(uint32_t body, uint64_t* offset) const;
  void MarkDirty(uint32_t s) {
    if (dirty_[s]) return;
    dirty_[s] = 1;
    dirty_list_.push_back(s);
  }
  bool Scan(uint32_t s);
  bool ScanAll();
  void SortItems(const Section& section);
  bool RaiseAllBut(uint32_t s, uint64_t lowest_limit, uint64_t offset);
  bool IsFree(uint32_t body) const;
  void TakeOut(uint32_t body);
  void PutBack(uint32_t body);

  const Packing& packing_;
  const SearchRules rules_;
  std::vector<uint64_t> least_;           // by body
  std::vector<uint64_t> highest_;         // by body: kNoOffset where it fits nowhere
  std::vector<uint8_t> placed_;           // by body
  std::vector<uint8_t> plain_;            // by body: any offset from its least on is legal
  std::vector<uint32_t> member_begin_;    // by body, one more
  std::vector<uint32_t> member_section_;  // by member
  std::vector<uint32_t> member_slot_;     // by member: its position in items_
  std::vector<Item> items_;               // by section; the placed behind the unplaced
  std::vector<Section> sections_;
  std::vector<uint32_t> crossing_;
  struct FixedNeighbour {
    uint32_t body;
    uint64_t size;  // of this body's largest piece where they meet, bytes
    uint64_t end;   // of the fixed one where they meet
  };
  Rows<FixedNeighbour> fixed_neighbours_;  // by body

  std::vector<uint8_t> dirty_;
  std::vector<uint32_t> dirty_list_;
  std::vector<uint32_t> maybe_free_;  // lowest of a section that was scanned
  std::vector<Change> changes_;       // the trail
  struct Scanned {
    uint32_t section;
    Seen seen;  // before
  };
  std::vector<Scanned> scans_;  // the other trail
  std::vector<uint64_t> keys_;  // offsets of the items of the section that is scanned
  uint32_t failed_section_ = 0;
  uint64_t scanned_ = 0;
  bool possible_ = true;  // every body has a legal offset, others aside
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_VALLEY_STATE_H_
