// The complete search: is there a placement within a capacity?
//
// A node picks a section none of whose lowest bodies has room below itself for anybody that is
// still unplaced, so whatever comes later lies above. One child a lowest body, which is placed
// where it is; the last child is a *hole*: none of them is, so each lies on somebody who is still
// unplaced and rises to the least end of those. This is complete: a placement in which no body can
// move down has one of these forms.
//
// Sections that share no unplaced body with others are a part of their own; parts are searched one
// after the other, the tightest first, and a part that is solved is not touched again.
//
// Which section and which body come first decides everything, and no rule is good everywhere: a
// single pair of rules is heavy-tailed. So searches are short, and are restarted with the next pair
// of rules; rounds of searches have larger and larger limits. Each search of a round remembers
// which sections and bodies failed in the rounds before.
//
// No recursion: frames are on a stack of their own. Cost: the limit, in nodes (children tried).
#ifndef TORQSCHED_SRC_ALLOCATION_VALLEY_SEARCH_H_
#define TORQSCHED_SRC_ALLOCATION_VALLEY_SEARCH_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "src/allocation/allocate.h"
#include "src/allocation/budget.h"
#include "src/allocation/packing.h"
#include "src/allocation/search_result.h"
#include "src/allocation/valley_state.h"

namespace torqsched {

class ValleySearch {
 public:
  // The packing must outlive it.
  ValleySearch(const Packing& packing, uint64_t capacity, const SearchRules& rules);

  // Restarts until it is decided, or the budget is used up.
  SearchResult Run(Budget* budget);
  // By body; after kFound.
  const std::vector<uint64_t>& offsets() const { return state_.offsets(); }

 private:
  enum class SectionRule : uint8_t {
    kSumAndFailures,    // the largest unplaced sum times failures there
    kSumPerCandidate,   // the same, by how many lowest bodies there are
    kFailures,          // the most failures
    kFewestCandidates,  // the fewest lowest bodies
  };
  enum class ValueOrder : uint8_t {
    kSize,
    kLength,             // the most sections
    kLengthAndFailures,  // times failures of that body
    kLiveSums,           // the largest total of unplaced sums over its sections
  };
  // Which child comes next of a branch, or which part of a split.
  struct Frame {
    bool is_split = false;
    uint32_t first = 0;  // choices_ or parts_ [first, last)
    uint32_t last = 0;
    uint32_t next = 0;
    bool hole = false;  // a branch's last child
    uint32_t section = 0;
    ValleyState::Mark mark;
    uint32_t part_first = 0;  // a branch's sections [part_first, part_last)
    uint32_t part_last = 0;
  };
  struct Part {
    uint32_t first;  // sections [first, last)
    uint32_t last;
    uint64_t slack;  // of its tightest section
  };
  struct Weights {  // how often a body's placement, or a section, failed
    std::vector<uint32_t> body;
    std::vector<uint32_t> section;
  };

  enum class Status : uint8_t { kOpen, kSolved, kFailed };  // of the part that was entered last

  void FindClasses();
  SearchResult RunPart(const Part& part, Budget* budget);
  SearchResult Search(const Part& part, uint64_t node_limit, Budget* budget);
  Status Enter(const Part& part);
  Status TryNext(Frame* frame);
  Status Return(Status status);
  void FindParts(const Part& whole);
  uint32_t UnplacedIn(const Part& part) const;
  void PushBranch(const Part& part);
  uint32_t PickSection(const Part& part);
  bool IsEligible(uint32_t section) const;
  uint64_t SectionKey(uint32_t section);
  uint64_t ValueKey(uint32_t body);
  bool OpenHole(const Frame& frame);
  uint64_t Blur(uint64_t key);

  const Packing& packing_;
  const SearchRules rules_;
  ValleyState state_;
  std::vector<uint32_t> class_of_;     // by body: equal for identical ones
  std::vector<uint64_t> class_stamp_;  // by class: the last branch that has it
  uint64_t branches_ = 0;
  std::vector<uint64_t> length_;  // by body: sections
  std::vector<Weights> weights_;  // by search of a round
  Weights* weight_ = nullptr;     // of the search that runs
  SectionRule section_rule_ = SectionRule::kSumAndFailures;
  ValueOrder value_order_ = ValueOrder::kSize;
  bool noisy_ = false;
  uint64_t noise_ = 1;

  std::vector<Frame> frames_;
  std::vector<uint32_t> choices_;
  std::vector<Part> parts_;
  struct Ranked {
    uint64_t key;
    uint64_t floor;
    uint32_t section;
  };
  std::vector<Ranked> ranked_;  // a heap
  std::vector<std::pair<uint64_t, uint32_t>> keyed_;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_VALLEY_SEARCH_H_
