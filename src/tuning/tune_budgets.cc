#include "src/tuning/tune_budgets.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/lowering/layer_shapes.h"
#include "src/lowering/lower.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

// Lowerings for each trial that may be scheduled: most of the others are the same stream again.
constexpr uint64_t kLoweringsPerTrial = 8;
constexpr uint32_t kShares[] = {10, 15, 20, 25, 30, 40, 50, 60, 75, 100};
constexpr uint32_t kResident[] = {0, 20, 30, 40, 50, 60};
constexpr int kMostRounds = 4;
// What is tried of single layers once those above change nothing more.
constexpr uint32_t kFineShares[] = {5, 7, 12, 17, 22, 27, 35, 45, 55, 67};

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

// Layers that are alike in all that a tile depends on but where their inputs are.
std::string KindOf(const Network& network, const NetworkLayer& layer) {
  std::string kind =
      absl::StrCat(layer.op, " ", layer.macs, " ", layer.weight_elements, " ", layer.weight_bytes,
                   " ", layer.scale_bytes, " ", layer.output_bytes.value_or(0), " ",
                   layer.weight_bytes_read.value_or(UINT64_MAX), " ", layer.weight_type, " ",
                   layer.cin, " ", layer.cout, " ", layer.kernel, " ", layer.stride, " ",
                   layer.groups, " ", layer.in_hw, " ", layer.out_hw);
  for (size_t i = 0; i < layer.inputs.size(); ++i) {
    const int32_t from = layer.inputs[i];
    const uint64_t all = from == kNetworkInput ? 0 : *network.layers[from].output_bytes;
    absl::StrAppend(&kind, " ", layer.input_bytes.empty() ? all : layer.input_bytes[i]);
  }
  if (layer.state.has_value()) {
    absl::StrAppend(&kind, " state ", layer.state->bytes_read, " ", layer.state->bytes_written);
  }
  return kind;
}

class Tuner {
 public:
  Tuner(const Network& network, const Hardware& hardware, const LoweringNumbers& numbers,
        const TuningOptions& options, const CallEnvironment& environment)
      : network_(network),
        hardware_(hardware),
        numbers_(numbers),
        options_(options),
        environment_(environment) {}

  absl::StatusOr<TunedBudgets> Tune() {
    absl::Status status = TryFirst();
    if (!status.ok()) return status;
    AllAlike();
    for (const absl::Span<const uint32_t> shares :
         {absl::Span<const uint32_t>(kShares), absl::Span<const uint32_t>(kFineShares)}) {
      for (int round = 0; round < kMostRounds && !Spent(); ++round) {
        if (!LayerByLayer(shares)) break;
      }
    }
    tuned_.cancelled = stopped_;
    tuned_.limit_reached = Spent() && !stopped_;
    tuned_.groups = groups_.size();
    return std::move(tuned_);
  }

 private:
  // Layers of one kind, and the cycles of all of them in the default.
  struct Group {
    std::vector<uint32_t> layers;
    uint64_t cycles = 0;
    uint64_t order = 0;
  };

  bool Spent() const {
    return tuned_.trials >= options_.most_trials || lowerings_ >= MostLowerings() ||
           ops_ >= options_.most_ops || stopped_;
  }
  uint64_t MostLowerings() const {
    return SaturatingMultiply(options_.most_trials, kLoweringsPerTrial);
  }

  absl::Status TryFirst() {
    const auto lowered = LowerNetwork(network_, hardware_, numbers_, options_.lowering);
    if (!lowered.ok()) return lowered.status();
    FindGroups(*lowered);
    const auto answer = ScheduleStream(lowered->stream, hardware_, options_.schedule, {});
    if (!answer.ok()) return answer.status();
    tuned_.first.lowering = options_.lowering;
    if (answer->placement.placed) tuned_.first.makespan = answer->placement.makespan;
    tuned_.best = tuned_.first;
    tuned_.trials = lowerings_ = 1;
    ops_ = lowered->stream.op_count();
    IsNew(*lowered);
    NoteResidents(*lowered);
    return absl::OkStatus();
  }

  void FindGroups(const LoweredNetwork& lowered) {
    std::map<std::string, size_t> known;
    for (const LoweredLayer& layer : lowered.layers) {
      if (layer.programs == 0) continue;
      const auto [found, added] =
          known.emplace(KindOf(network_, network_.layers[layer.layer]), groups_.size());
      if (added) groups_.emplace_back().order = groups_.size();
      Group& group = groups_[found->second];
      group.layers.push_back(layer.layer);
      group.cycles = SaturatingAdd(group.cycles, layer.program_cycles + layer.transfer_cycles);
    }
    std::sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) {
      return a.cycles != b.cycles ? a.cycles > b.cycles : a.order < b.order;
    });
  }

  // Whether this is better than the best so far, which it then is.
  bool Try(const LoweringOptions& lowering) {
    if (Spent()) return false;
    ++lowerings_;
    const auto lowered = LowerNetwork(network_, hardware_, numbers_, lowering);
    const bool better = lowered.ok() && IsNew(*lowered) && IsFaster(lowering, *lowered);
    Report();
    return better;
  }

  bool IsFaster(const LoweringOptions& lowering, const LoweredNetwork& lowered) {
    ++tuned_.trials;
    ops_ += lowered.stream.op_count();
    const auto answer = ScheduleStream(lowered.stream, hardware_, options_.schedule, {});
    if (!answer.ok() || !answer->placement.placed) return false;
    const uint64_t makespan = answer->placement.makespan;
    if (makespan >= tuned_.best.makespan.value_or(kNever)) return false;
    tuned_.best.lowering = lowering;
    tuned_.best.makespan = makespan;
    NoteResidents(lowered);
    return true;
  }

  // Other budgets often make the same tiles. Where no number of any layer differs, the price hardly
  // does; a fingerprint that two share by chance costs a trial, nothing else.
  bool IsNew(const LoweredNetwork& lowered) {
    uint64_t print = 0;
    const auto mix = [&print](uint64_t number) {
      print = (print ^ number) * 0x9e3779b97f4a7c15;  // odd, so that nothing is lost
      print ^= print >> 32;
    };
    for (const LoweredLayer& l : lowered.layers) {
      for (const uint64_t number :
           {l.row_tiles, l.n_tiles, l.k_tiles, l.chunks, l.tile_bytes, l.weight_bytes,
            l.input_bytes, l.stored_bytes, l.program_cycles, l.transfer_cycles,
            uint64_t{l.rows_outer} << 1 | uint64_t{l.output_resident}}) {
        mix(number);
      }
    }
    return tried_.insert(print).second;
  }

  void NoteResidents(const LoweredNetwork& lowered) {
    stays_.assign(network_.layers.size(), 0);
    for (const LoweredLayer& layer : lowered.layers) stays_[layer.layer] = layer.output_resident;
  }

  void Report() {
    if (environment_.progress == nullptr) return;
    const auto permille = [](uint64_t done, uint64_t most) {
      return lowering::PartOf(1000, std::min(done, most), std::max<uint64_t>(most, 1));
    };
    const uint64_t done =
        std::max({permille(tuned_.trials, options_.most_trials),
                  permille(lowerings_, MostLowerings()), permille(ops_, options_.most_ops)});
    stopped_ |= environment_.progress(static_cast<uint32_t>(std::min<uint64_t>(done, 999)),
                                      tuned_.best.makespan);
  }

  void AllAlike() {
    TryEach(kResident, &LoweringOptions::resident_percent);
    TryEach(kShares, &LoweringOptions::loop_percent);
    TryEach(kShares, &LoweringOptions::contraction_percent);
  }

  // One option of all layers, the others as they are in the best.
  bool TryEach(absl::Span<const uint32_t> percents, uint32_t LoweringOptions::*option) {
    bool better = false;
    for (const uint32_t percent : percents) {
      LoweringOptions lowering = tuned_.best.lowering;
      if (percent == lowering.*option) continue;
      lowering.*option = percent;
      better |= Try(lowering);
    }
    return better;
  }

  bool LayerByLayer(absl::Span<const uint32_t> shares) {
    bool better = false;
    for (const Group& group : groups_) {
      const LoweringOptions before = tuned_.best.lowering;
      for (const uint32_t percent : shares) {
        if (Spent()) return better;
        better |= Try(With(before, group, [percent](LayerBudget* b) { b->percent = percent; }));
      }
      better |= OtherPlaces(group);
    }
    return TryEach(kResident, &LoweringOptions::resident_percent) || better;
  }

  // Outputs that stay in LRAM leave it, others stay, where that is another lowering at all.
  bool OtherPlaces(const Group& group) {
    bool better = false;
    for (const bool stays : {false, true}) {
      const bool differs = std::any_of(group.layers.begin(), group.layers.end(),
                                       [&](uint32_t l) { return (stays_[l] != 0) != stays; });
      if (!differs || Spent()) continue;
      better |= Try(
          With(tuned_.best.lowering, group, [stays](LayerBudget* b) { b->output_stays = stays; }));
    }
    return better;
  }

  static LoweringOptions With(LoweringOptions lowering, const Group& group,
                              absl::FunctionRef<void(LayerBudget*)> change) {
    std::map<uint32_t, LayerBudget> budgets;
    for (const LayerBudget& budget : lowering.budgets) budgets[budget.layer] = budget;
    for (const uint32_t layer : group.layers) {
      LayerBudget& budget = budgets[layer];
      budget.layer = layer;
      change(&budget);
    }
    lowering.budgets.clear();
    for (const auto& [layer, budget] : budgets) lowering.budgets.push_back(budget);
    return lowering;
  }

  const Network& network_;
  const Hardware& hardware_;
  const LoweringNumbers& numbers_;
  const TuningOptions& options_;
  const CallEnvironment& environment_;
  std::vector<Group> groups_;
  TunedBudgets tuned_;
  std::vector<char> stays_;   // by layer: its output does, in the best
  std::set<uint64_t> tried_;  // fingerprints
  uint64_t lowerings_ = 0;
  uint64_t ops_ = 0;
  bool stopped_ = false;
};

}  // namespace

absl::StatusOr<TunedBudgets> TuneBudgets(const Network& network, const Hardware& hardware,
                                         const LoweringNumbers& numbers,
                                         const TuningOptions& options,
                                         const CallEnvironment& environment) {
  return Tuner(network, hardware, numbers, options, environment).Tune();
}

}  // namespace torqsched
