#include "src/warm/verdicts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/stream/checked.h"

namespace torqsched::warm {
namespace {

constexpr uint64_t kStagesOfColdSet = 500;  // that are simulated for its verdict, in windows

// One set beside the others of the choice, warm with an option against cold.
struct Trial {
  int64_t ticks = 0;   // change
  int64_t saving = 0;  // ticks, of the stages that read the set
  std::vector<WarmOutcome> outcomes;
};

class VerdictWriter {
 public:
  VerdictWriter(const PreparedTimeline& prepared, uint32_t kind, const KindSets& sets,
                const WarmOptions& options, const ChosenScopes& chosen, ChoiceSearch* search,
                const SimulatedPlan& plan, uint64_t stages, LayerClock* clock)
      : prepared_(prepared),
        kind_index_(kind),
        kind_(prepared.kinds[kind]),
        sets_(sets),
        options_(options),
        chosen_(chosen),
        search_(*search),
        plan_(plan),
        clock_(*clock),
        until_(SaturatingAdd(clock->simulated_stages(), stages)),
        most_hit_(kind_.regions.size(), 0),
        read_grains_(kind_.regions.size(), 0),
        outcome_of_(kind_.regions.size(), kNotRead) {
    for (size_t i = kind_.reads.size(); i-- > 0;) {
      read_grains_[kind_.reads[i].local] = kind_.reads[i].grains;
    }
    for (uint32_t i = 0; i < plan.outcomes.size(); ++i) {
      outcome_of_[LocalOf(kind_, plan.outcomes[i].region)] = i;
    }
  }

  std::vector<WarmRegionVerdict> Write() {
    for (size_t local = 0; local < kind_.regions.size(); ++local) WriteRule(local);
    for (size_t i = 0; i < sets_.sets.size(); ++i) WriteSet(i);
    return std::move(verdicts_);
  }

 private:
  void WriteRule(size_t local) {
    WarmRegionVerdict verdict;
    verdict.region = kind_.regions[local];
    verdict.verdict = sets_.rule[local];
    verdict.reader = kind_.first_reader[local];
    verdict.read_ns = Whole(plan_.cold[verdict.reader].begin);
    verdict.bytes = prepared_.timeline->regions[verdict.region].bytes;
    verdict.bytes_between = kind_.gaps[local];
    verdict.set_bytes = verdict.bytes;
    verdicts_.push_back(verdict);
  }

  WarmRegionVerdict& VerdictOf(uint32_t region) { return verdicts_[LocalOf(kind_, region)]; }

  void WriteSet(size_t i) {
    const ConsumerSet& set = sets_.sets[i];
    for (const uint32_t region : set.regions) VerdictOf(region).set_bytes = set.bytes;
    if (!set.fits) return WriteTooLarge(i);
    const std::vector<SetOption>& found = search_.set_options()[i];
    if (found.empty()) return Say(set, WarmVerdict::kTooLate);
    if (!search_.whole() && chosen_.choice[i] != 0) return WriteFromPlan(i);
    const uint64_t left = until_ - std::min(until_, clock_.simulated_stages());
    anchors_ = search_.AnchorsWithin(i, std::min(kStagesOfColdSet, left));
    if (anchors_ == 0) return Say(set, WarmVerdict::kNoGain);
    TryCold(i);
    if (chosen_.choice[i] != 0) {
      Trial trial;
      if (Try(i, chosen_.choice[i], &trial)) {
        WriteTrial(i, found[chosen_.choice[i] - 1].anchor, trial);
      }
      return Say(set, WarmVerdict::kWarm);
    }
    WriteCold(i, found);
  }

  // Told of its best anchor among those from which enough of it is found; if there is none, from
  // which enough lands and is evicted; else of any.
  void WriteCold(size_t i, const std::vector<SetOption>& found) {
    const ConsumerSet& set = sets_.sets[i];
    for (const uint32_t region : set.regions) most_hit_[LocalOf(kind_, region)] = 0;
    Trial best;
    uint32_t best_option = 0;
    int best_comes = 0;
    uint64_t read_bytes = 0;
    for (const uint32_t region : set.regions) read_bytes += ReadBytesOf(region);
    for (uint32_t option = 1; option <= found.size(); ++option) {
      Trial trial;
      if (found[option - 1].rank >= anchors_ || !Try(i, option, &trial)) continue;
      const int comes = !IsLate(HitOf(i, trial), read_bytes)       ? 2
                        : !IsLate(EvictedOf(i, trial), read_bytes) ? 1
                                                                   : 0;
      if (best_option != 0 &&
          (best_comes != comes ? best_comes > comes : trial.ticks >= best.ticks)) {
        continue;
      }
      best_option = option;
      best_comes = comes;
      best = std::move(trial);
    }
    if (best_option == 0) return Say(set, WarmVerdict::kTooLarge);
    WriteTrial(i, found[best_option - 1].anchor, best);
    for (const uint32_t region : set.regions) {
      WarmRegionVerdict& verdict = VerdictOf(region);
      const uint64_t bytes = ReadBytesOf(region);
      const bool late = IsLate(most_hit_[LocalOf(kind_, region)], bytes);
      const bool evicted = !IsLate(GrainsOf(verdict.evicted_bytes), bytes);
      verdict.verdict = late && evicted  ? WarmVerdict::kTooLarge
                        : late           ? WarmVerdict::kTooLate
                        : best.ticks > 0 ? WarmVerdict::kContends
                                         : WarmVerdict::kNoGain;
    }
  }

  bool IsLate(int64_t hit, uint64_t bytes) const {
    return absl::uint128(Whole(hit)) * 100 < absl::uint128(bytes) * options_.late_percent;
  }

  // Grains of the set that its readers find; keeps the most of each region.
  int64_t HitOf(size_t i, const Trial& trial) {
    int64_t all = 0;
    for (const WarmOutcome& outcome : trial.outcomes) {
      const uint32_t local = LocalOf(kind_, outcome.region);
      if (sets_.set_of[local] != i) continue;
      most_hit_[local] = std::max(most_hit_[local], outcome.hit);
      all += outcome.hit;
    }
    return all;
  }

  uint64_t ReadBytesOf(uint32_t region) const {
    return Whole(read_grains_[LocalOf(kind_, region)]);
  }

  // Grains of the region that had landed when its reader came, and that it did not find.
  int64_t Evicted(const WarmOutcome& outcome) const {
    const int64_t read = read_grains_[LocalOf(kind_, outcome.region)];
    const int64_t came = std::min(outcome.pulled_before, read);
    // With full landing a part is not looked for.
    if (prepared_.hardware.landing == WarmLanding::kFull && came < read) return 0;
    return std::max<int64_t>(0, came - outcome.hit);
  }

  int64_t EvictedOf(size_t i, const Trial& trial) const {
    int64_t all = 0;
    for (const WarmOutcome& outcome : trial.outcomes) {
      if (sets_.set_of[LocalOf(kind_, outcome.region)] == i) all += Evicted(outcome);
    }
    return all;
  }

  // A warm set, where the search looks at windows: as the whole layer with the plan shows it.
  void WriteFromPlan(size_t i) {
    const ConsumerSet& set = sets_.sets[i];
    Say(set, WarmVerdict::kWarm);
    Trial trial;
    trial.ticks = chosen_.gains[i];
    for (const uint32_t stage : ReadersOf(i)) {
      const StageTimes& a = plan_.cold[stage];
      const StageTimes& b = plan_.warm[stage];
      trial.saving += std::max<int64_t>(0, (a.end - a.begin) - (b.end - b.begin));
    }
    begin_ = 0;
    for (const uint32_t region : set.regions) {
      const uint32_t outcome = outcome_of_[LocalOf(kind_, region)];
      if (outcome != kNotRead) trial.outcomes.push_back(plan_.outcomes[outcome]);
    }
    WriteTrial(i, search_.set_options()[i][chosen_.choice[i] - 1].anchor, trial);
  }

  // It would not be chosen; what it would do is told of its best anchor.
  void WriteTooLarge(size_t i) {
    const ConsumerSet& set = sets_.sets[i];
    Say(set, WarmVerdict::kTooLarge);
    if (!search_.whole()) return;
    anchors_ = kAllAnchors;
    TryCold(i);
    Trial best;
    std::optional<uint32_t> best_anchor;
    const std::vector<uint32_t> anchors =
        AnchorsBefore(prepared_.timeline->kinds[kind_index_], set.first_reader, options_,
                      options_.anchors_per_set);
    for (const uint32_t anchor : anchors) {
      std::vector<WarmScope> scopes = chosen_.scopes;
      scopes.push_back({anchor, set.regions});
      if (!clock_.Simulate(scopes, nullptr).finished) continue;
      Trial trial = TrialNow(i);
      if (best_anchor.has_value() && trial.ticks >= best.ticks) continue;
      best_anchor = anchor;
      best = std::move(trial);
    }
    if (best_anchor.has_value()) WriteTrial(i, *best_anchor, best);
  }

  void Say(const ConsumerSet& set, WarmVerdict what) {
    for (const uint32_t region : set.regions) VerdictOf(region).verdict = what;
  }

  // What there is without the set.
  void TryCold(size_t i) {
    Choice choice = chosen_.choice;
    choice[i] = 0;
    window_ = search_.WindowOf(i, anchors_);
    search_.SimulateIn(choice, window_);
    cold_end_ = clock_.result().end;
    cold_stages_ = clock_.result().stages;
    first_ = search_.whole() ? 0 : window_.first;
    begin_ = plan_.cold[first_].begin;
  }

  // False where the option does not fit beside the others.
  bool Try(size_t i, uint32_t option, Trial* trial) {
    Choice choice = chosen_.choice;
    choice[i] = option;
    if (!search_.FitsIn(choice, window_) || !search_.SimulateIn(choice, window_)) return false;
    *trial = TrialNow(i);
    return true;
  }

  // Of the last simulation.
  Trial TrialNow(size_t i) const {
    Trial trial;
    trial.ticks = clock_.result().end - cold_end_;
    trial.outcomes = clock_.result().outcomes;
    const std::vector<StageTimes>& warm = clock_.result().stages;
    for (const uint32_t stage : ReadersOf(i)) {
      const StageTimes& a = cold_stages_[stage - first_];
      const StageTimes& b = warm[stage - first_];
      trial.saving += std::max<int64_t>(0, (a.end - a.begin) - (b.end - b.begin));
    }
    return trial;
  }

  std::vector<uint32_t> ReadersOf(size_t i) const {
    std::vector<uint32_t> readers;
    for (const uint32_t region : sets_.sets[i].regions) {
      readers.push_back(kind_.first_reader[LocalOf(kind_, region)]);
    }
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    return readers;
  }

  void WriteTrial(size_t i, uint32_t anchor, const Trial& trial) {
    for (const WarmOutcome& outcome : trial.outcomes) {
      if (sets_.set_of[LocalOf(kind_, outcome.region)] != i) continue;
      WarmRegionVerdict& verdict = VerdictOf(outcome.region);
      verdict.weighed = true;
      verdict.anchor = anchor;
      verdict.read_ns = outcome.read_begin >= 0 ? Whole(begin_ + outcome.read_begin) : 0;
      if (outcome.landed >= 0) verdict.landed_ns = Whole(begin_ + outcome.landed);
      verdict.landed_bytes = Whole(outcome.landed_before);
      verdict.hit_bytes = Whole(outcome.hit);
      verdict.evicted_bytes = Whole(Evicted(outcome));
      verdict.saving_ns = Whole(trial.saving);
      verdict.cost_ns = Whole(std::max<int64_t>(0, trial.ticks + trial.saving));
      verdict.change_ns = RoundedNs(trial.ticks);
    }
  }

  const PreparedTimeline& prepared_;
  const uint32_t kind_index_;
  const PreparedKind& kind_;
  const KindSets& sets_;
  const WarmOptions& options_;
  const ChosenScopes& chosen_;
  ChoiceSearch& search_;
  const SimulatedPlan& plan_;
  LayerClock& clock_;
  const uint64_t until_;              // simulated stages, in windows
  std::vector<int64_t> most_hit_;     // grains, by the kind's regions
  std::vector<int64_t> read_grains_;  // that its first reader reads of it
  std::vector<uint32_t> outcome_of_;  // position in the plan's outcomes
  // Of the set that is looked at:
  uint32_t anchors_ = 0;
  ChoiceSearch::Window window_;
  uint32_t first_ = 0;  // stage of the simulation
  int64_t begin_ = 0;   // when it begins, in the layer
  int64_t cold_end_ = 0;
  std::vector<StageTimes> cold_stages_;
  std::vector<WarmRegionVerdict> verdicts_;
};

}  // namespace

std::vector<WarmRegionVerdict> VerdictsOf(const PreparedTimeline& prepared, uint32_t kind,
                                          const KindSets& sets, const WarmOptions& options,
                                          const ChosenScopes& chosen, const SimulatedPlan& plan,
                                          uint64_t stages, ChoiceSearch* search,
                                          LayerClock* clock) {
  return VerdictWriter(prepared, kind, sets, options, chosen, search, plan, stages, clock).Write();
}

}  // namespace torqsched::warm
