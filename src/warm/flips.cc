#include "src/warm/flips.h"

#include <algorithm>
#include <utility>

#include "src/stream/checked.h"
#include "src/warm/choice_search.h"

namespace torqsched::warm {
namespace {

constexpr uint64_t kNsPerUs = 1000;
constexpr int kBisections = 8;
constexpr uint64_t kFirstStartup = 1000;  // ns, where none is paid
constexpr int kStartupDoublings = 10;
constexpr uint64_t kLeastChoices = 50;  // of all parameters together, but for odd numbers

bool IsSwitch(WarmParameter parameter) {
  return parameter == WarmParameter::kCollectiveShares || parameter == WarmParameter::kLanding ||
         parameter == WarmParameter::kLate;
}

// Bytes a microsecond.
uint64_t PerUs(const WarmBandwidth& bandwidth) {
  return std::max<uint64_t>(1, Scale(bandwidth.bytes, kNsPerUs, bandwidth.ns));
}

struct Assumptions {
  WarmHardware hardware;
  uint64_t saving_percent = 100;
};

uint64_t ValueOf(const WarmHardware& hardware, WarmParameter parameter) {
  switch (parameter) {
    case WarmParameter::kL2Bytes:
      return hardware.l2_bytes;
    case WarmParameter::kMemoryBandwidth:
      return PerUs(hardware.memory);
    case WarmParameter::kEngineBandwidth:
      return PerUs(hardware.engine[0]);
    case WarmParameter::kEngineOfTwo:
      return PerUs(hardware.engine[std::min<size_t>(1, hardware.engine.size() - 1)]);
    case WarmParameter::kIssueNs:
      return hardware.issue_ns;
    case WarmParameter::kStartupNs:
      return hardware.startup == WarmStartup::kOnce ? 0 : hardware.startup_ns;
    case WarmParameter::kEngineWeight:
      return uint64_t{hardware.engine_weight} * 100 / hardware.stage_weight;
    case WarmParameter::kHitSaving:
      return 100;
    case WarmParameter::kCollectiveShares:
      return hardware.collective_shares_engine ? 1 : 0;
    case WarmParameter::kLanding:
      return hardware.landing == WarmLanding::kFull ? 1 : 0;
    case WarmParameter::kLate:
      return hardware.late == WarmLate::kCompetes ? 1 : 0;
  }
  return 0;
}

Assumptions With(const WarmHardware& hardware, WarmParameter parameter, uint64_t value) {
  Assumptions changed{hardware, 100};
  WarmHardware& h = changed.hardware;
  const WarmBandwidth per_us{value, kNsPerUs};
  switch (parameter) {
    case WarmParameter::kL2Bytes:
      h.l2_bytes = value;
      break;
    case WarmParameter::kMemoryBandwidth:
      h.memory = per_us;
      break;
    case WarmParameter::kEngineBandwidth:
      for (WarmBandwidth& engine : h.engine) {
        engine = {std::max<uint64_t>(1, Scale(PerUs(engine), value, PerUs(hardware.engine[0]))),
                  kNsPerUs};
      }
      break;
    case WarmParameter::kEngineOfTwo:
      h.engine.resize(std::max<size_t>(2, h.engine.size()), h.engine.back());
      h.engine[1] = per_us;
      break;
    case WarmParameter::kIssueNs:
      h.issue_ns = value;
      break;
    case WarmParameter::kStartupNs:
      h.startup = WarmStartup::kEveryForward;
      h.startup_ns = value;
      break;
    case WarmParameter::kEngineWeight:
      h.stage_weight = 100;
      h.engine_weight = static_cast<uint32_t>(value);
      break;
    case WarmParameter::kHitSaving:
      changed.saving_percent = value;
      break;
    case WarmParameter::kCollectiveShares:
      h.collective_shares_engine = value != 0;
      break;
    case WarmParameter::kLanding:
      h.landing = value != 0 ? WarmLanding::kFull : WarmLanding::kPartial;
      break;
    case WarmParameter::kLate:
      h.late = value != 0 ? WarmLate::kCompetes : WarmLate::kHelps;
      break;
  }
  return changed;
}

class FlipFinder {
 public:
  FlipFinder(const WarmHardware& hardware, const WarmOptions& options, const FlipQuestion& question,
             PreparedTimeline* prepared, Simulator* simulator)
      : original_(hardware),
        prepared_(*prepared),
        question_(question),
        options_(options),
        priced_({question.kind, question.next_kind}),
        most_stages_(SaturatingMultiply(kFlipShares, question.share)),
        clock_(prepared_, question.kind, question.next_kind, simulator) {
    options_.alternatives = false;
  }

  bool spent() const { return clock_.simulated_stages() > most_stages_; }

  WarmFlip Find(WarmParameter parameter) {
    WarmFlip flip;
    flip.parameter = parameter;
    flip.value = ValueOf(original_, parameter);
    if (IsSwitch(parameter)) {
      const uint64_t other = 1 - flip.value;
      std::vector<WarmScope> there = ChoiceAt(parameter, other);
      if (Same(there)) return flip;
      (other > flip.value ? flip.above : flip.below) = other;
      (other > flip.value ? flip.choice_above : flip.choice_below) = std::move(there);
      return flip;
    }
    Search(parameter, flip.value, true, &flip.above, &flip.choice_above);
    Search(parameter, flip.value, false, &flip.below, &flip.choice_below);
    return flip;
  }

 private:
  std::vector<WarmScope> ChoiceAt(WarmParameter parameter, uint64_t value) {
    if (spent()) return *question_.chosen;
    const Assumptions changed = With(original_, parameter, value);
    Reprice(changed.hardware, changed.saving_percent, priced_, &prepared_);
    clock_.Forget();
    const KindSets sets = FindSets(prepared_, question_.kind, options_);
    return ChoiceSearch(prepared_, question_.kind, sets, options_, question_.share, &clock_)
        .Search()
        .scopes;
  }

  bool Same(const std::vector<WarmScope>& scopes) const {
    const std::vector<WarmScope>& chosen = *question_.chosen;
    return std::equal(scopes.begin(), scopes.end(), chosen.begin(), chosen.end(),
                      [](const WarmScope& a, const WarmScope& b) {
                        return a.anchor == b.anchor && a.regions == b.regions;
                      });
  }

  void Search(WarmParameter parameter, uint64_t value, bool up, std::optional<uint64_t>* found,
              std::vector<WarmScope>* choice) {
    const bool startup = parameter == WarmParameter::kStartupNs && value == 0;
    uint64_t same = value;
    uint64_t other = value;
    bool differs = false;
    for (int i = 0; !differs && i < (startup ? kStartupDoublings : kFlipDoublings); ++i) {
      if (up) {
        other = startup && i == 0 ? kFirstStartup : other * 2;
      } else {
        other /= 2;
      }
      // As far as a hardware's numbers go; from nothing there is no way on.
      const bool weight = parameter == WarmParameter::kEngineWeight;
      if (other == same || other == 0 || (weight && other > 1000)) return;
      std::vector<WarmScope> there = ChoiceAt(parameter, other);
      differs = !Same(there);
      if (differs) *choice = std::move(there);
      if (!differs) same = other;
    }
    if (!differs) return;
    for (int i = 0; i < kBisections; ++i) {
      const uint64_t middle = same < other ? same + (other - same) / 2 : other + (same - other) / 2;
      if (middle == same || middle == other) break;
      std::vector<WarmScope> there = ChoiceAt(parameter, middle);
      if (Same(there)) {
        same = middle;
      } else {
        other = middle;
        *choice = std::move(there);
      }
    }
    *found = other;
  }

  const WarmHardware original_;
  PreparedTimeline& prepared_;
  const FlipQuestion& question_;
  WarmOptions options_;
  const std::vector<uint32_t> priced_;
  const uint64_t most_stages_;
  LayerClock clock_;
};

}  // namespace

std::vector<WarmFlip> FlipsOf(const WarmHardware& hardware, const WarmOptions& options,
                              const FlipQuestion& question, PreparedTimeline* prepared,
                              Simulator* simulator) {
  constexpr WarmParameter kAll[] = {WarmParameter::kL2Bytes,
                                    WarmParameter::kMemoryBandwidth,
                                    WarmParameter::kEngineBandwidth,
                                    WarmParameter::kEngineOfTwo,
                                    WarmParameter::kIssueNs,
                                    WarmParameter::kStartupNs,
                                    WarmParameter::kEngineWeight,
                                    WarmParameter::kHitSaving,
                                    WarmParameter::kCollectiveShares,
                                    WarmParameter::kLanding,
                                    WarmParameter::kLate};
  if (SaturatingMultiply(kLeastChoices, question.choice_stages) >
      SaturatingMultiply(kFlipShares, question.share)) {
    return {};
  }
  FlipFinder finder(hardware, options, question, prepared, simulator);
  std::vector<WarmFlip> flips;
  for (const WarmParameter parameter : kAll) {
    flips.push_back(finder.Find(parameter));
    if (finder.spent()) return {};
  }
  return flips;
}

}  // namespace torqsched::warm
