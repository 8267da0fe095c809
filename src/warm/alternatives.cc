#include "src/warm/alternatives.h"

#include <algorithm>

namespace torqsched::warm {
namespace {

constexpr size_t kMostOrdered = 3;   // regions of a set whose orders are all tried
constexpr size_t kMostExtra = 2048;  // simulations beyond the search's

bool SameScopes(const std::vector<WarmScope>& a, const std::vector<WarmScope>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const WarmScope& x, const WarmScope& y) {
                      return x.anchor == y.anchor && x.regions == y.regions;
                    });
}

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

class Weigher {
 public:
  Weigher(const PreparedTimeline& prepared, uint32_t kind, LayerClock* clock)
      : prepared_(prepared), kind_(kind), clock_(*clock) {}

  WarmAlternative Weigh(std::vector<WarmScope> scopes, bool eligible) {
    const int64_t ticks = clock_.Change(scopes);
    return Describe(std::move(scopes), ticks, eligible);
  }

  WarmAlternative Describe(std::vector<WarmScope> scopes, int64_t ticks, bool eligible) const {
    WarmAlternative alternative;
    alternative.change_ns = RoundedNs(ticks);
    alternative.bytes_in_flight = BytesInFlight(prepared_, kind_, scopes);
    alternative.fits = FitsL2(prepared_.hardware, alternative.bytes_in_flight);
    alternative.eligible = eligible;  // what was chosen from fits
    alternative.scopes = std::move(scopes);
    return alternative;
  }

 private:
  const PreparedTimeline& prepared_;
  const uint32_t kind_;
  LayerClock& clock_;
};

}  // namespace

std::vector<WarmAlternative> AlternativesOf(const PreparedTimeline& prepared, uint32_t kind,
                                            const KindSets& sets, const WarmOptions& options,
                                            const ChosenScopes& chosen, const ChoiceSearch& search,
                                            LayerClock* clock) {
  std::vector<WarmAlternative> found;
  Weigher weigher(prepared, kind, clock);
  for (const WeighedChoice& weighed : chosen.weighed) {
    found.push_back(weigher.Describe(search.ScopesOf(weighed.choice), weighed.ticks, true));
  }
  if (chosen.weighed.empty() && !chosen.scopes.empty()) {
    found.push_back(weigher.Describe(chosen.scopes, chosen.ticks, true));
  }
  const auto is_new = [&found](const std::vector<WarmScope>& scopes) {
    return std::none_of(found.begin(), found.end(), [&scopes](const WarmAlternative& other) {
      return SameScopes(other.scopes, scopes);
    });
  };
  WarmOptions any = options;
  any.read_anchors = true;
  size_t extra = 0;
  for (const ConsumerSet& set : sets.sets) {
    if (!clock->whole()) break;
    const std::vector<uint32_t> anchors =
        AnchorsBefore(prepared.timeline->kinds[kind], set.first_reader, any, kWholeStages + 1);
    for (const uint32_t anchor : anchors) {
      std::vector<std::vector<WarmScope>> choices;
      for (std::vector<uint32_t>& order : OrdersOf(set.regions)) {
        choices.push_back({{anchor, std::move(order)}});
      }
      if (set.regions.size() == 2) {
        choices.push_back({{anchor, {set.regions[0]}}, {anchor, {set.regions[1]}}});
      }
      for (std::vector<WarmScope>& scopes : choices) {
        if (extra >= kMostExtra || !is_new(scopes)) continue;
        ++extra;
        found.push_back(weigher.Weigh(std::move(scopes), false));
      }
    }
  }
  std::stable_sort(
      found.begin(), found.end(),
      [](const WarmAlternative& a, const WarmAlternative& b) { return a.change_ns < b.change_ns; });
  if (found.size() > options.most_alternatives) found.resize(options.most_alternatives);
  const auto none = std::find_if(found.begin(), found.end(),
                                 [](const WarmAlternative& a) { return a.change_ns > 0; });
  found.insert(none, WarmAlternative());
  return found;
}

}  // namespace torqsched::warm
