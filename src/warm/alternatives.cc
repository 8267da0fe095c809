#include "src/warm/alternatives.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace torqsched::warm {
namespace {

constexpr size_t kMostOrdered = 3;   // regions of a set whose orders are all tried
constexpr size_t kMostExtra = 2048;  // simulations beyond the search's

// Each order of each subset but the empty one; of larger sets the whole as it is.
std::vector<std::vector<uint32_t>> OrdersOf(const std::vector<uint32_t>& regions) {
  if (regions.size() > kMostOrdered) return {regions};
  std::vector<std::vector<uint32_t>> orders;
  for (size_t mask = 1; mask < size_t{1} << regions.size(); ++mask) {
    std::vector<size_t> positions;
    for (size_t i = 0; i < regions.size(); ++i) {
      if ((mask >> i & 1) != 0) positions.push_back(i);
    }
    do {
      orders.emplace_back();
      for (const size_t i : positions) orders.back().push_back(regions[i]);
    } while (std::next_permutation(positions.begin(), positions.end()));
  }
  return orders;
}

// How many choices of a set there are at an anchor.
uint64_t ChoicesAtAnchor(size_t regions) {
  constexpr uint64_t kChoices[] = {0, 1, 5, 15};
  return regions > kMostOrdered ? 1 : kChoices[regions];
}

class AlternativeList {
 public:
  AlternativeList(const PreparedTimeline& prepared, uint32_t kind, const KindSets& sets,
                  const WarmOptions& options, const ChoiceSearch& search, LayerClock* clock)
      : prepared_(prepared),
        kind_(kind),
        sets_(sets),
        options_(options),
        search_(search),
        clock_(*clock) {}

  void AddWeighed(const ChosenScopes& chosen) {
    for (const WeighedChoice& weighed : chosen.weighed) {
      Add(search_.ScopesOf(weighed.choice), weighed.ticks, true);
    }
    if (chosen.weighed.empty() && !chosen.scopes.empty()) Add(chosen.scopes, chosen.ticks, true);
    weighed_.resize(found_.size());
    std::iota(weighed_.begin(), weighed_.end(), 0);
    std::sort(weighed_.begin(), weighed_.end(), [this](uint32_t a, uint32_t b) {
      return IsLess(found_[a].scopes, found_[b].scopes);
    });
  }

  // Choices of one set each, as the anchors that so many simulated stages suffice for allow.
  void AddExtras(uint64_t stages) {
    if (!clock_.is_short() || sets_.sets.size() > kMostExtra) return;
    WarmOptions any = options_;
    any.read_anchors = true;
    const WarmLayerKind& kind = prepared_.timeline->kinds[kind_];
    std::vector<std::vector<uint32_t>> anchors;
    for (const ConsumerSet& set : sets_.sets) {
      anchors.push_back(AnchorsBefore(kind, set.first_reader, any, kWholeStages + 1));
    }
    const uint64_t simulations = std::min<uint64_t>(kMostExtra, stages / clock_.whole_stages());
    const size_t most = AnchorsFor(anchors, simulations);
    for (size_t i = 0; i < sets_.sets.size(); ++i) {
      const std::vector<uint32_t> allowed =
          AnchorsBefore(kind, sets_.sets[i].first_reader, options_, kWholeStages + 1);
      for (size_t j = 0; j < std::min(most, anchors[i].size()); ++j) {
        const uint32_t anchor = anchors[i][j];
        const bool may = std::find(allowed.begin(), allowed.end(), anchor) != allowed.end();
        AddAt(sets_.sets[i], anchor, may);
      }
    }
  }

  std::vector<WarmAlternative> Best() && {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const WarmAlternative& a, const WarmAlternative& b) {
                       return a.change_ns < b.change_ns;
                     });
    const size_t most = std::max<size_t>(1, options_.most_alternatives) - 1;
    if (found_.size() > most) found_.resize(most);
    const auto none = std::find_if(found_.begin(), found_.end(),
                                   [](const WarmAlternative& a) { return a.change_ns > 0; });
    found_.insert(none, WarmAlternative());
    return std::move(found_);
  }

 private:
  static bool IsLess(const std::vector<WarmScope>& a, const std::vector<WarmScope>& b) {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(), [](const WarmScope& x, const WarmScope& y) {
          return x.anchor != y.anchor ? x.anchor < y.anchor : x.regions < y.regions;
        });
  }

  bool IsNew(const std::vector<WarmScope>& scopes) const {
    const auto at = std::partition_point(weighed_.begin(), weighed_.end(), [&](uint32_t other) {
      return IsLess(found_[other].scopes, scopes);
    });
    return at == weighed_.end() || IsLess(scopes, found_[*at].scopes);
  }

  // The most anchors of each set that so many simulations suffice for.
  size_t AnchorsFor(const std::vector<std::vector<uint32_t>>& anchors, uint64_t simulations) const {
    uint64_t all = 0;
    for (size_t most = 0; most <= kWholeStages; ++most) {
      for (size_t i = 0; i < anchors.size(); ++i) {
        if (most < anchors[i].size()) all += ChoicesAtAnchor(sets_.sets[i].regions.size());
      }
      if (all > simulations) return most;
    }
    return kWholeStages + 1;
  }

  void AddAt(const ConsumerSet& set, uint32_t anchor, bool may) {
    for (std::vector<uint32_t>& order : OrdersOf(set.regions)) {
      const bool whole = order == set.regions;
      AddExtra({{anchor, std::move(order)}}, may && whole);
    }
    if (set.regions.size() != 2) return;
    AddExtra({{anchor, {set.regions[0]}}, {anchor, {set.regions[1]}}},
             may && options_.split_scopes);
  }

  void AddExtra(std::vector<WarmScope> scopes, bool may) {
    if (!IsNew(scopes)) return;
    const int64_t ticks = clock_.Change(scopes);
    Add(std::move(scopes), ticks, may);
  }

  void Add(std::vector<WarmScope> scopes, int64_t ticks, bool may) {
    WarmAlternative alternative;
    alternative.change_ns = RoundedNs(ticks);
    alternative.bytes_in_flight = BytesInFlight(prepared_, kind_, scopes);
    alternative.fits = FitsL2(prepared_.hardware, alternative.bytes_in_flight);
    alternative.eligible = may && alternative.fits;
    alternative.scopes = std::move(scopes);
    found_.push_back(std::move(alternative));
  }

  const PreparedTimeline& prepared_;
  const uint32_t kind_;
  const KindSets& sets_;
  const WarmOptions& options_;
  const ChoiceSearch& search_;
  LayerClock& clock_;
  std::vector<WarmAlternative> found_;
  std::vector<uint32_t> weighed_;  // the first of found_, by their scopes
};

}  // namespace

std::vector<WarmAlternative> AlternativesOf(const PreparedTimeline& prepared, uint32_t kind,
                                            const KindSets& sets, const WarmOptions& options,
                                            const ChosenScopes& chosen, const ChoiceSearch& search,
                                            uint64_t stages, LayerClock* clock) {
  AlternativeList list(prepared, kind, sets, options, search, clock);
  list.AddWeighed(chosen);
  list.AddExtras(stages);
  return std::move(list).Best();
}

}  // namespace torqsched::warm
