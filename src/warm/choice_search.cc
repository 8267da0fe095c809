#include "src/warm/choice_search.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "src/stream/checked.h"

namespace torqsched::warm {
namespace {

constexpr size_t kNearSets = 16;      // on each side, that a window looks at
constexpr uint32_t kTailStages = 8;   // of a window, after its set's last reader
constexpr uint32_t kLookBack = 1024;  // stages before a reader
constexpr int kRounds = 2;
constexpr uint64_t kMostPenaltyNs = uint64_t{1} << 40;

// Ascending order of time: the layer's entry is before all stages.
uint64_t AnchorOrder(uint32_t anchor) { return anchor == kLayerEntry ? 0 : uint64_t{anchor} + 1; }

}  // namespace

std::vector<uint32_t> AnchorsBefore(const WarmLayerKind& kind, uint32_t reader,
                                    const WarmOptions& options, size_t most) {
  std::vector<uint32_t> ids;
  std::vector<uint32_t> any;
  const uint32_t until = reader - std::min(reader, kLookBack);
  for (uint32_t s = reader; s-- > until && (options.read_anchors ? any : ids).size() < most;) {
    const WarmStage& stage = kind.stages[s];
    if (stage.has_task_id) ids.push_back(s);
    if ((stage.has_task_id || !stage.writes.empty()) && any.size() < most) any.push_back(s);
  }
  if (!options.read_anchors && !ids.empty()) return ids;
  if (!kind.input.empty() && until == 0 && any.size() < most) any.push_back(kLayerEntry);
  return any;
}

ChoiceSearch::ChoiceSearch(const PreparedTimeline& prepared, uint32_t kind, const KindSets& sets,
                           const WarmOptions& options, uint64_t share, LayerClock* clock)
    : prepared_(prepared),
      kind_(kind),
      sets_(sets),
      options_(options),
      clock_(*clock),
      share_(share) {
  FindOptions();
  ChooseMode();
}

void ChoiceSearch::FindOptions() {
  const WarmLayerKind& layer = prepared_.timeline->kinds[kind_];
  for (const ConsumerSet& set : sets_.sets) {
    std::vector<SetOption> found;
    if (set.fits) {
      const bool all = clock_.is_short() && combinations_ <= options_.exact_combinations;
      const size_t most = all ? kWholeStages + 1 : options_.anchors_per_set;
      const std::vector<uint32_t> anchors = AnchorsBefore(layer, set.first_reader, options_, most);
      for (const bool split : {false, true}) {
        if (split && (!options_.split_scopes || set.regions.size() < 2)) continue;
        for (uint32_t i = 0; i < anchors.size(); ++i) found.push_back({anchors[i], split, i});
      }
    }
    combinations_ = SaturatingMultiply(combinations_, found.size() + 1);
    set_options_.push_back(std::move(found));
  }
}

void ChoiceSearch::ChooseMode() {
  const uint64_t whole = clock_.whole_stages();
  const auto fits = [this](uint64_t stages) {
    return SaturatingAdd(stages, StagesOfVerdicts()) <= share_;
  };
  if (clock_.is_short() && combinations_ <= options_.exact_combinations &&
      fits(combinations_ == 1 ? 0 : SaturatingMultiply(combinations_, whole))) {
    return;
  }
  uint64_t simulations = 0;
  for (std::vector<SetOption>& found : set_options_) {
    found.erase(std::remove_if(found.begin(), found.end(),
                               [this](const SetOption& option) {
                                 return option.rank >= options_.anchors_per_set;
                               }),
                found.end());
    simulations += found.empty() ? 0 : found.size() + 1;
  }
  const bool one_by_one = clock_.is_short() && fits(SaturatingMultiply(simulations, whole));
  mode_ = one_by_one ? Mode::kOneByOne : Mode::kWindows;
}

uint64_t ChoiceSearch::StagesOfVerdicts() const {
  uint64_t simulations = 0;
  for (size_t i = 0; i < sets_.sets.size(); ++i) {
    const uint64_t options =
        sets_.sets[i].fits ? set_options_[i].size() : uint64_t{options_.anchors_per_set};
    simulations = SaturatingAdd(simulations, options + 1);
  }
  return SaturatingMultiply(simulations, clock_.whole_stages());
}

std::vector<WarmScope> ChoiceSearch::ScopesOf(const Choice& choice, size_t first,
                                              size_t end) const {
  // Sets that share an anchor share a scope; what is split off has one of its own.
  std::vector<std::pair<uint64_t, size_t>> warm;  // anchors in the order of time, sets
  for (size_t i = first; i < end; ++i) {
    if (choice[i] != 0) warm.emplace_back(AnchorOrder(OptionOf(choice, i).anchor), i);
  }
  std::sort(warm.begin(), warm.end());
  std::vector<WarmScope> scopes;
  for (size_t from = 0; from < warm.size();) {
    size_t to = from;
    WarmScope shared{OptionOf(choice, warm[from].second).anchor, {}};
    std::vector<WarmScope> seconds;
    for (; to < warm.size() && warm[to].first == warm[from].first; ++to) {
      const bool split = OptionOf(choice, warm[to].second).split;
      if (split) seconds.push_back({shared.anchor, {}});
      const std::vector<uint32_t>& regions = sets_.sets[warm[to].second].regions;
      for (size_t j = 0; j < regions.size(); ++j) {
        (split && j % 2 == 1 ? seconds.back() : shared).regions.push_back(regions[j]);
      }
    }
    scopes.push_back(std::move(shared));
    for (WarmScope& second : seconds) scopes.push_back(std::move(second));
    from = to;
  }
  return scopes;
}

bool ChoiceSearch::Fits(const std::vector<WarmScope>& scopes) const {
  return FitsL2(prepared_.hardware, BytesInFlight(prepared_, kind_, scopes));
}

int64_t ChoiceSearch::PenaltyOf(size_t set, uint32_t option) const {
  if (option == 0) return 0;
  const uint64_t scopes = set_options_[set][option - 1].split ? 2 : 1;
  return TicksOf(std::min(SaturatingMultiply(options_.min_gain_ns, scopes), kMostPenaltyNs));
}

int64_t ChoiceSearch::Penalty(const Choice& choice) const {
  int64_t penalty = 0;
  for (size_t i = 0; i < choice.size(); ++i) penalty += PenaltyOf(i, choice[i]);
  return penalty;
}

void ChoiceSearch::TryAll(ChosenScopes* chosen) {
  Choice choice(sets_.sets.size(), 0);
  int64_t best = 0;
  for (;;) {
    // The next combination: the last set's option runs fastest.
    size_t i = choice.size();
    while (i > 0 && choice[i - 1] == set_options_[i - 1].size()) choice[--i] = 0;
    if (i == 0) return;
    ++choice[i - 1];
    std::vector<WarmScope> scopes = ScopesOf(choice);
    if (!Fits(scopes)) continue;
    const int64_t ticks = clock_.Change(scopes);
    if (options_.alternatives) chosen->weighed.push_back({choice, ticks});
    if (ticks + Penalty(choice) >= best) continue;
    best = ticks + Penalty(choice);
    chosen->choice = choice;
    chosen->ticks = ticks;
  }
}

ChoiceSearch::Window ChoiceSearch::WindowOf(size_t set, uint32_t anchors) const {
  Window window;
  window.first_set = set > kNearSets ? set - kNearSets : 0;
  window.end_set = std::min(sets_.sets.size(), set + kNearSets + 1);
  const uint32_t stages = static_cast<uint32_t>(prepared_.kinds[kind_].stages.size());
  window.end = std::min(stages, sets_.sets[set].last_reader + 1 + kTailStages);
  window.first = sets_.sets[set].first_reader;
  const auto reach = [&window](uint32_t anchor) {
    window.first = std::min(window.first, anchor == kLayerEntry ? 0 : anchor);
  };
  for (const SetOption& option : set_options_[set]) {
    if (option.rank < anchors) reach(option.anchor);
  }
  return window;
}

uint32_t ChoiceSearch::AnchorsWithin(size_t set, uint64_t stages) const {
  if (whole()) return kAllAnchors;
  uint32_t anchors = 0;
  for (const SetOption& option : set_options_[set]) anchors = std::max(anchors, option.rank + 1);
  for (; anchors > 0; --anchors) {
    uint64_t simulations = 1;
    for (const SetOption& option : set_options_[set]) simulations += option.rank < anchors ? 1 : 0;
    const Window window = WindowOf(set, anchors);
    if (simulations * (window.end - window.first) <= stages) break;
  }
  return anchors;
}

bool ChoiceSearch::FitsIn(const Choice& choice, const Window& window) const {
  return Fits(whole() ? ScopesOf(choice) : ScopesOf(choice, window.first_set, window.end_set));
}

bool ChoiceSearch::SimulateIn(const Choice& choice, const Window& window) {
  if (whole()) return clock_.Simulate(ScopesOf(choice), nullptr).finished;
  const std::vector<WarmScope> scopes = ScopesOf(choice, window.first_set, window.end_set);
  return clock_.SimulatePart(window.first, window.end, scopes).finished;
}

uint32_t ChoiceSearch::BestOption(const Choice& choice, size_t set, uint32_t anchors,
                                  int64_t* ticks) {
  Choice trial = choice;
  const Window window = WindowOf(set, anchors);
  trial[set] = 0;
  if (!SimulateIn(trial, window)) return 0;
  const int64_t without = clock_.result().end;
  uint32_t best = 0;
  *ticks = 0;
  for (uint32_t option = 1; option <= set_options_[set].size(); ++option) {
    if (set_options_[set][option - 1].rank >= anchors) continue;
    trial[set] = option;
    if (!FitsIn(trial, window) || !SimulateIn(trial, window)) continue;
    const int64_t change = clock_.result().end - without;
    if (change + PenaltyOf(set, option) >= *ticks + PenaltyOf(set, best)) continue;
    best = option;
    *ticks = change;
  }
  return best;
}

void ChoiceSearch::TryOneByOne(ChosenScopes* chosen) {
  chosen->exact = clock_.is_short() && combinations_ == 1;  // there is nothing to try
  const uint64_t until =
      SaturatingAdd(clock_.simulated_stages(), whole() ? share_ - StagesOfVerdicts() : share_ / 2);
  chosen->gains.assign(sets_.sets.size(), 0);
  for (int round = 0; round < (whole() ? kRounds : 1); ++round) {
    bool changed = false;
    for (size_t i = 0; i < sets_.sets.size(); ++i) {
      if (set_options_[i].empty() || clock_.simulated_stages() >= until) continue;
      const uint64_t stages = until - clock_.simulated_stages();
      if (whole() && (set_options_[i].size() + 1) * clock_.whole_stages() > stages) continue;
      const uint64_t left = stages / (sets_.sets.size() - i);
      int64_t ticks = 0;
      const uint32_t best = BestOption(chosen->choice, i, AnchorsWithin(i, left), &ticks);
      changed |= best != chosen->choice[i];
      chosen->choice[i] = best;
      chosen->gains[i] = ticks;
    }
    if (!changed) break;
  }
  DropWhatDoesNotFit(&chosen->choice);
}

// Windows see the sets near them only: what is in flight beyond these may not fit with them. A set
// goes that begins when there is no room for it; its regions count until the last of them is read.
void ChoiceSearch::DropWhatDoesNotFit(Choice* choice) const {
  if (Fits(ScopesOf(*choice))) return;
  const PreparedKind& kind = prepared_.kinds[kind_];
  std::vector<std::pair<uint64_t, size_t>> begins;
  for (size_t i = 0; i < choice->size(); ++i) {
    if ((*choice)[i] != 0) begins.emplace_back(AnchorOrder(OptionOf(*choice, i).anchor), i);
  }
  std::sort(begins.begin(), begins.end());
  using End = std::pair<uint64_t, uint64_t>;  // order of time, bytes
  std::priority_queue<End, std::vector<End>, std::greater<End>> ends;
  uint64_t in_flight = 0;
  for (const auto& [begin, i] : begins) {
    while (!ends.empty() && ends.top().first <= begin) {
      in_flight -= ends.top().second;
      ends.pop();
    }
    const ConsumerSet& set = sets_.sets[i];
    if (!FitsL2(prepared_.hardware, SaturatingAdd(in_flight, set.bytes))) {
      (*choice)[i] = 0;
      continue;
    }
    uint64_t end = 0;
    for (const uint32_t region : set.regions) {
      end = std::max(end, AnchorOrder(kind.last_reader[LocalOf(kind, region)]));
    }
    in_flight += set.bytes;
    ends.emplace(end, set.bytes);
  }
}

ChosenScopes ChoiceSearch::Search() {
  ChosenScopes chosen;
  chosen.choice.assign(sets_.sets.size(), 0);
  if (mode_ == Mode::kAll) {
    TryAll(&chosen);
  } else {
    TryOneByOne(&chosen);
  }
  chosen.scopes = ScopesOf(chosen.choice);
  return chosen;
}

}  // namespace torqsched::warm
