#include "src/lowering/layer_plan.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/lowering/residents.h"
#include "src/residency/plan_residency.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"
#include "src/tiling/plan_tiles.h"

namespace torqsched::lowering {
namespace {

// LoweringOptions::most_programs: a program of more inputs counts as several, as it takes as much.
constexpr uint64_t kInputsOfOne = 4;

class Planner {
 public:
  Planner(const Network& network, const std::vector<LayerShape>& shapes, const Hardware& hardware,
          const LoweringNumbers& numbers, const LoweringOptions& options)
      : network_(network),
        shapes_(shapes),
        usable_(hardware.usable_bytes()),
        rates_{hardware.slices, hardware.dma_bytes, hardware.dma_cycles},
        numbers_(numbers),
        options_(options) {}

  absl::StatusOr<NetworkPlan> Plan() {
    if (absl::Status status = Range(); !status.ok()) return status;
    readers_ = ReadersOf(network_, plan_.first_layer, plan_.end_layer);
    CountConstants();
    absl::Status status = ChooseResidents();
    if (status.ok()) status = Budgets();
    if (!status.ok()) return status;
    for (LayerPlan& layer : plan_.layers) {
      if (status = Fit(&layer); !status.ok()) return status;
    }
    // What has left LRAM since then makes room, never takes it.
    uint64_t programs = 0;
    for (LayerPlan& layer : plan_.layers) {
      layer.placing = PlacingOf(layer.layer);
      Cut(&layer);
      const LayerShape& shape = shapes_[layer.layer];
      layer.tile_bytes = TileBytes(shape, layer.tile, layer.placing, numbers_);
      const uint64_t of_inputs =
          DividedUp(std::max<uint64_t>(1, shape.inputs.size()), kInputsOfOne);
      programs = SaturatingAdd(
          programs, SaturatingMultiply(CountsOf(shape, layer.tile).Programs(), of_inputs));
      if (programs > options_.most_programs) {
        return TooManyPrograms(layer);
      }
    }
    return std::move(plan_);
  }

 private:
  absl::Status Range() {
    const size_t all = network_.layers.size();
    if (all == 0) return FieldError("network.layers", "none; expected at least one");
    if (options_.first_layer >= all) {
      return FieldError("options.first_layer",
                        absl::StrCat(options_.first_layer, "; expected one of ", all, " layers"));
    }
    if (options_.layer_count > all - options_.first_layer) {
      return FieldError("options.layer_count",
                        absl::StrCat(options_.layer_count, " from layer ", options_.first_layer,
                                     " on; expected at most ", all - options_.first_layer));
    }
    if (options_.resident_percent > 100) {
      return FieldError("options.resident_percent",
                        absl::StrCat(options_.resident_percent, "; expected 0 to 100"));
    }
    plan_.first_layer = options_.first_layer;
    plan_.end_layer = options_.layer_count == 0 ? static_cast<uint32_t>(all)
                                                : options_.first_layer + options_.layer_count;
    for (uint32_t l = plan_.first_layer; l < plan_.end_layer; ++l) {
      LayerPlan& layer = plan_.layers.emplace_back();
      layer.layer = l;
    }
    return OwnBudgets();
  }

  absl::Status OwnBudgets() {
    const size_t all = network_.layers.size();
    std::vector<char> has_budget(all, 0);
    for (size_t i = 0; i < options_.budgets.size(); ++i) {
      const LayerBudget& budget = options_.budgets[i];
      const std::string field = absl::StrCat("options.budgets[", i, "]");
      if (budget.percent > 100 || (budget.percent == 0 && !budget.output_stays.has_value())) {
        return FieldError(absl::StrCat(field, ".percent"),
                          absl::StrCat(budget.percent, "; expected 1 to 100"));
      }
      if (budget.layer >= all) {
        return FieldError(absl::StrCat(field, ".layer"),
                          absl::StrCat(budget.layer, "; expected one of ", all, " layers"));
      }
      if (std::exchange(has_budget[budget.layer], 1)) {
        return FieldError(absl::StrCat(field, ".layer"),
                          absl::StrCat(budget.layer, " once more; expected one budget a layer"));
      }
      if (budget.percent == 0 || !IsPlanned(budget.layer)) continue;
      LayerPlan& layer = plan_.layers[budget.layer - plan_.first_layer];
      layer.own_budget = true;
      layer.budget_bytes = PartOf(usable_, budget.percent, 100);
    }
    return absl::OkStatus();
  }

  bool IsPlanned(uint32_t layer) const {
    return layer >= plan_.first_layer && layer < plan_.end_layer;
  }

  // Weights of these layers, those that several share once, wherever their owner is.
  void CountConstants() {
    const std::vector<uint32_t> owners = WeightOwnersOf(network_);
    std::vector<char> counted(network_.layers.size(), 0);
    for (const LayerPlan& plan : plan_.layers) {
      const uint32_t owner = owners[plan.layer];
      if (counted[owner]) continue;
      counted[owner] = 1;
      const NetworkLayer& layer = network_.layers[owner];
      plan_.constant_bytes =
          SaturatingAdd(plan_.constant_bytes, layer.weight_bytes + layer.scale_bytes);
    }
  }

  // Outputs that only these layers read are candidates; residency planning takes what saves most.
  absl::Status ChooseResidents() {
    std::vector<uint64_t> resident(network_.layers.size(), 0);
    const uint64_t share = PartOf(usable_, options_.resident_percent, 100);
    absl::Status status = share == 0 ? absl::OkStatus() : PlanResidents(share, &resident);
    for (const LayerBudget& budget : options_.budgets) {
      const uint32_t l = budget.layer;
      if (!IsPlanned(l) || !budget.output_stays.has_value() || readers_.leaves[l]) continue;
      resident[l] = *budget.output_stays ? shapes_[l].OutBytes() : 0;
    }
    residents_.emplace(shapes_, std::move(resident), readers_.last);
    return status;
  }

  absl::Status PlanResidents(uint64_t share, std::vector<uint64_t>* resident) const {
    Deployment deployment;
    deployment.target = {share, 0, true};
    std::deque<std::string> names;
    DeployedProgram& program = deployment.programs.emplace_back();
    std::vector<uint32_t> tensor_of(network_.layers.size(), ~uint32_t{0});
    std::vector<uint32_t> layer_of;
    for (const LayerPlan& plan : plan_.layers) {
      const uint32_t l = plan.layer;
      const uint64_t bytes = shapes_[l].OutBytes();
      if (bytes == 0 || readers_.leaves[l]) continue;
      tensor_of[l] = static_cast<uint32_t>(layer_of.size());
      layer_of.push_back(l);
      names.push_back(absl::StrCat(l));
      program.tensors.push_back({names.back(), TensorRole::kActivation, bytes, bytes});
    }
    for (const LayerPlan& plan : plan_.layers) {
      for (const InputWindow& input : shapes_[plan.layer].inputs) {
        if (input.producer == kNetworkInput) continue;
        const uint32_t tensor = tensor_of[input.producer];
        if (tensor == ~uint32_t{0}) continue;
        program.accesses.push_back({tensor, 0, plan.layer, false});
        uint64_t& moved = *program.tensors[tensor].moved_bytes;
        moved = SaturatingAdd(moved, input.bytes);
      }
      const uint32_t tensor = tensor_of[plan.layer];
      if (tensor != ~uint32_t{0}) program.accesses.push_back({tensor, 0, plan.layer, true});
    }
    const absl::StatusOr<ResidencyAnswer> answer = PlanResidency(deployment, {}, {});
    if (!answer.ok()) return answer.status();
    for (size_t t = 0; t < layer_of.size(); ++t) {
      if (answer->plan.programs[0].tiers[t] == Tier::kSram) {
        (*resident)[layer_of[t]] = shapes_[layer_of[t]].OutBytes();
      }
    }
    return absl::OkStatus();
  }

  absl::Status Budgets() {
    TilingRequest request;
    request.hardware = {usable_, numbers_.granule, numbers_.code_buffer_bytes};
    request.constant_bytes = plan_.constant_bytes;
    request.loop_percent = options_.loop_percent;
    request.contraction_percent = options_.contraction_percent;
    request.strategy = options_.strategy;
    for (const LayerPlan& plan : plan_.layers) {
      const LayerShape& shape = shapes_[plan.layer];
      TileLoop& loop = request.loops.emplace_back();
      loop.name = network_.layers[plan.layer].name;
      loop.convolution = shape.convolution;
      loop.contraction = shape.form == LayerForm::kContraction && !shape.convolution;
      if (!loop.contraction) continue;
      loop.whole_row_bytes = WholeRowBytes(plan.layer, NothingResident(plan.layer));
    }
    const absl::StatusOr<TilePlan> budgets = PlanTiles(request);
    if (!budgets.ok()) return budgets.status();
    plan_.convolutions = budgets->convolutions;
    for (size_t i = 0; i < plan_.layers.size(); ++i) {
      plan_.layers[i].reason = budgets->loops[i].reason;
      if (!plan_.layers[i].own_budget) plan_.layers[i].budget_bytes = budgets->loops[i].bytes;
    }
    return absl::OkStatus();
  }

  // With what stays in LRAM now.
  Placing PlacingOf(uint32_t layer) const {
    Placing placing;
    for (const InputWindow& input : shapes_[layer].inputs) {
      const bool inside =
          input.producer >= 0 && static_cast<uint32_t>(input.producer) >= plan_.first_layer;
      placing.resident_input_bytes.push_back(inside ? residents_->bytes(input.producer) : 0);
    }
    placing.resident_output_bytes = residents_->bytes(layer);
    return placing;
  }

  // Makes room until the layer has a tile: one activation after the other leaves, after some of
  // them more and more at once, of which those too many come back.
  absl::Status Fit(LayerPlan* plan) {
    constexpr size_t kOneByOne = 16;
    residents_->Enter(plan->layer, InputsMakeRoom(*plan));
    if (Enough(plan)) return absl::OkStatus();
    size_t few = 0, step = 1;  // so many are not enough
    size_t spilled = 0;
    do {
      if (few >= kOneByOne) step *= 2;
      few = spilled;
      const size_t more = residents_->Spill(step);
      if (more == 0) return RefuseSize(*plan);
      spilled += more;
    } while (!Enough(plan));
    while (spilled - few > 1) {
      const size_t middle = few + (spilled - few) / 2;
      residents_->Unspill(spilled - middle);
      if (Enough(plan)) {
        spilled = middle;
      } else {
        residents_->Spill(spilled - middle);
        few = middle;
      }
    }
    Enough(plan);
    return absl::OkStatus();
  }

  // Whether the layer has a tile that is worth it with what stays in LRAM now.
  bool Enough(LayerPlan* plan) const {
    plan->placing = PlacingOf(plan->layer);
    plan->own_room = usable_ - std::min(usable_, residents_->through_bytes());
    return Cut(plan) && !CouldKeepRows(*plan);
  }

  // By its budget; else, and where that would cut rows that need not be, by all the room there is.
  // A budget of its own is kept if any tile can.
  bool Cut(LayerPlan* plan) const {
    const LayerShape& shape = shapes_[plan->layer];
    const auto choose = [&](uint64_t bytes, bool cut_sums) {
      return ChooseTile(shape, plan->placing, numbers_, rates_, bytes, cut_sums);
    };
    const uint64_t budget = std::min(plan->budget_bytes, plan->own_room);
    std::optional<LayerTile> tile = choose(budget, plan->own_budget);
    if (tile.has_value() && KeepsRows(*plan) && tile->rows < shape.rows) {
      const std::optional<LayerTile> whole = choose(plan->own_room, false);
      if (whole.has_value() && whole->rows == shape.rows) tile = whole;
    }
    if (!tile.has_value()) tile = choose(plan->own_room, false);
    if (!tile.has_value()) tile = choose(plan->own_room, true);
    if (tile.has_value()) plan->tile = *tile;
    return tile.has_value();
  }

  // Of a product, rows are cut only where LRAM alone holds no tile with all of them.
  bool KeepsRows(const LayerPlan& plan) const {
    const LayerShape& shape = shapes_[plan.layer];
    return shape.form == LayerForm::kContraction && !shape.convolution && !plan.own_budget;
  }
  uint64_t WholeRowBytes(uint32_t layer, const Placing& placing) const {
    return TileBytes(shapes_[layer], SmallestWholeRowTile(shapes_[layer], numbers_), placing,
                     numbers_);
  }
  Placing NothingResident(uint32_t layer) const {
    Placing placing;
    placing.resident_input_bytes.assign(shapes_[layer].inputs.size(), 0);
    return placing;
  }

  // A product whose rows are cut only because of what is resident.
  bool CouldKeepRows(const LayerPlan& plan) const {
    return KeepsRows(plan) && plan.tile.rows < shapes_[plan.layer].rows &&
           WholeRowBytes(plan.layer, NothingResident(plan.layer)) <= usable_;
  }

  // A tile with all rows has all of its inputs, resident or not; others have parts.
  bool InputsMakeRoom(const LayerPlan& plan) const {
    if (!KeepsRows(plan)) return true;
    Placing without_output = PlacingOf(plan.layer);
    without_output.resident_output_bytes = 0;
    return WholeRowBytes(plan.layer, without_output) > usable_;
  }

  absl::Status RefuseSize(const LayerPlan& plan) const {
    const LayerShape& shape = shapes_[plan.layer];
    const LayerTile least = SmallestTile(shape, numbers_);
    return Refuse(plan, absl::StrCat("its smallest tile takes ",
                                     TileBytes(shape, least, plan.placing, numbers_),
                                     " bytes; LRAM holds ", usable_));
  }

  absl::Status TooManyPrograms(const LayerPlan& plan) const {
    const std::string layer = DescribeItem("layer", plan.layer, network_.layers[plan.layer].name);
    return ErrorAt(absl::StatusCode::kInvalidArgument,
                   absl::StrCat(layer, ": more than ", options_.most_programs,
                                " tiles up to here; expected fewer"),
                   {kMostProgramsField, OpIndex(), BufferIndex()});
  }

  absl::Status Refuse(const LayerPlan& plan, absl::string_view message) const {
    return ErrorAt(absl::StatusCode::kInvalidArgument,
                   absl::StrCat(DescribeItem("layer", plan.layer, network_.layers[plan.layer].name),
                                ": ", message),
                   {absl::StrCat("network.layers[", plan.layer, "]"), OpIndex(), BufferIndex()});
  }

  const Network& network_;
  const std::vector<LayerShape>& shapes_;
  const uint64_t usable_;
  const ChipRates rates_;
  const LoweringNumbers& numbers_;
  const LoweringOptions& options_;
  NetworkPlan plan_;
  Readers readers_;
  std::optional<Residents> residents_;
};

}  // namespace

Readers ReadersOf(const Network& network, uint32_t first, uint32_t end) {
  Readers readers;
  readers.last.assign(network.layers.size(), 0);
  readers.leaves.assign(network.layers.size(), 1);
  std::vector<char> within(network.layers.size(), 0), beyond(network.layers.size(), 0);
  for (uint32_t l = 0; l < network.layers.size(); ++l) {
    for (const int32_t input : network.layers[l].inputs) {
      if (input == kNetworkInput) continue;
      if (l >= first && l < end) {
        within[input] = 1;
        readers.last[input] = std::max(readers.last[input], l);
      } else {
        beyond[input] = 1;
      }
    }
  }
  for (uint32_t l = 0; l < network.layers.size(); ++l) {
    readers.leaves[l] = beyond[l] || !within[l];
  }
  return readers;
}

absl::StatusOr<NetworkPlan> PlanLayers(const Network& network,
                                       const std::vector<LayerShape>& shapes,
                                       const Hardware& hardware, const LoweringNumbers& numbers,
                                       const LoweringOptions& options) {
  return Planner(network, shapes, hardware, numbers, options).Plan();
}

}  // namespace torqsched::lowering
