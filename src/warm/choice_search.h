// Which sets to warm, after which stages, in how many scopes: the choice of one layer kind.
//
// The idea: for each set the options are "cold", and one or two scopes after each candidate anchor.
// Sets with the same anchor share a scope, in the order of their readers. How far it goes depends
// on the kind's share of the request's budget, in simulated stages; the first of these that fits:
//
//   1. All combinations, where there are at most options.exact_combinations, as whole layers.
//   2. Sets one after the other, in the order of their readers, each with the others as they are,
//      until a round changes nothing, at most twice; as whole layers. The last anchors only.
//   3. The same once, in windows around the set, with the sets near it. The more sets there are
//      for half of the share, the fewer anchors of each are tried; none, if need be.
//
// 1 and 2 leave enough of the share for the verdicts (verdicts.h). Kinds of more than kWholeStages
// stages are searched in windows.
//
// The best: the least change of time plus min_gain_ns for each scope of each set; of equals the one
// that is met first, which is cold before warm, one scope before two, later anchors before earlier
// ones. What does not fit L2 with all that is in flight is not chosen. Deterministic.
#ifndef TORQSCHED_SRC_WARM_CHOICE_SEARCH_H_
#define TORQSCHED_SRC_WARM_CHOICE_SEARCH_H_

#include <cstdint>
#include <vector>

#include "src/warm/consumer_sets.h"
#include "src/warm/layer_clock.h"

namespace torqsched::warm {

struct SetOption {
  uint32_t anchor = kLayerEntry;
  bool split = false;  // its regions in turn in two scopes
  uint32_t rank = 0;   // of the anchor among the set's: 0 is the last before the reader
};
constexpr uint32_t kAllAnchors = 0xffffffff;

// By set: its option less one; 0: cold.
using Choice = std::vector<uint32_t>;

struct WeighedChoice {
  Choice choice;
  int64_t ticks = 0;  // change
};

struct ChosenScopes {
  Choice choice;
  std::vector<WarmScope> scopes;
  int64_t ticks = 0;  // change of the whole layer; of a long kind: the sum of its sets' windows
  bool exact = true;
  std::vector<int64_t> gains;  // by set, where they were chosen one by one: what each changed
  std::vector<WeighedChoice> weighed;  // all combinations, where options.alternatives
};

class ChoiceSearch {
 public:
  // With so many simulated stages for choice, verdicts and alternatives.
  ChoiceSearch(const PreparedTimeline& prepared, uint32_t kind, const KindSets& sets,
               const WarmOptions& options, uint64_t share, LayerClock* clock);

  ChosenScopes Search();

  // Choices are simulated as whole layers; else in windows.
  bool whole() const { return mode_ != Mode::kWindows; }
  const std::vector<std::vector<SetOption>>& set_options() const { return set_options_; }
  // Scopes of sets [first, end) of the choice, ascending anchors.
  std::vector<WarmScope> ScopesOf(const Choice& choice, size_t first, size_t end) const;
  std::vector<WarmScope> ScopesOf(const Choice& choice) const {
    return ScopesOf(choice, 0, choice.size());
  }
  bool Fits(const std::vector<WarmScope>& scopes) const;
  // What is simulated for a set: the whole layer, or a part of a long one.
  struct Window {
    uint32_t first = 0;  // stages
    uint32_t end = 0;
    size_t first_set = 0;  // sets that may have a scope there
    size_t end_set = 0;
  };
  // With options of the first so many anchors.
  Window WindowOf(size_t set, uint32_t anchors) const;
  // How many anchors of a set can be tried in so many simulated stages; all in a whole layer.
  uint32_t AnchorsWithin(size_t set, uint64_t stages) const;
  bool FitsIn(const Choice& choice, const Window& window) const;
  // Leaves the result with the clock; false where it would not end.
  bool SimulateIn(const Choice& choice, const Window& window);

 private:
  enum class Mode : uint8_t { kAll, kOneByOne, kWindows };

  void FindOptions();
  void ChooseMode();
  // Simulated stages that the verdicts take at most, as whole layers.
  uint64_t StagesOfVerdicts() const;
  const SetOption& OptionOf(const Choice& choice, size_t set) const {
    return set_options_[set][choice[set] - 1];
  }
  // What an option has to gain, in ticks.
  int64_t PenaltyOf(size_t set, uint32_t option) const;
  int64_t Penalty(const Choice& choice) const;
  void TryAll(ChosenScopes* chosen);
  // The best option of a set beside the others of the choice; *ticks is what it changes.
  uint32_t BestOption(const Choice& choice, size_t set, uint32_t anchors, int64_t* ticks);
  void TryOneByOne(ChosenScopes* chosen);
  void DropWhatDoesNotFit(Choice* choice) const;

  const PreparedTimeline& prepared_;
  const uint32_t kind_;
  const KindSets& sets_;
  const WarmOptions& options_;
  LayerClock& clock_;
  const uint64_t share_;
  std::vector<std::vector<SetOption>> set_options_;
  uint64_t combinations_ = 1;  // where there are more than options allow: some larger number
  Mode mode_ = Mode::kAll;
};

// Stages after which a scope may be issued for a set that is first read by this stage, descending;
// kLayerEntry last; at most so many, of the 1024 stages before it.
std::vector<uint32_t> AnchorsBefore(const WarmLayerKind& kind, uint32_t reader,
                                    const WarmOptions& options, size_t most);

}  // namespace torqsched::warm

#endif  // TORQSCHED_SRC_WARM_CHOICE_SEARCH_H_
