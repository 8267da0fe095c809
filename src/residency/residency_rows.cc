#include "src/residency/residency_rows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/residency/activation_sweep.h"
#include "src/residency/placing.h"

namespace torqsched {
namespace {

// Collects items and uses row by row, and turns them around at the end.
class Builder {
 public:
  Builder(const Deployment& deployment, const std::vector<ProgramFacts>& facts, ResidencyItems* out)
      : deployment_(deployment), facts_(facts), out_(out) {}

  uint64_t uses() const { return uses_.size(); }

  uint32_t AddItem(uint64_t value, uint64_t count) {
    out_->problem.items.push_back({value, count});
    return static_cast<uint32_t>(out_->problem.items.size() - 1);
  }
  uint32_t AddRow(uint64_t capacity) {
    out_->problem.capacities.push_back(capacity);
    return static_cast<uint32_t>(out_->problem.capacities.size() - 1);
  }
  void AddUse(uint32_t row, uint32_t item, uint64_t bytes) {
    if (bytes > 0) uses_.push_back({row, item, bytes});
  }

  // Items of carried states, and for each chip which they are and what one piece takes.
  void AddCarried(bool split) {
    out_->of_tensor.resize(facts_.size());
    for (uint32_t p = 0; p < facts_.size(); ++p) {
      const DeployedProgram& program = deployment_.programs[p];
      out_->of_tensor[p].assign(program.tensors.size(), kNoItem);
      for (uint32_t t = 0; t < program.tensors.size(); ++t) {
        if (!facts_[p].carried[t]) continue;
        const uint64_t pieces = split ? program.instances : 1;
        const uint64_t in_piece = split ? 1 : program.instances;
        const uint32_t item = AddItem(facts_[p].moved_bytes[t] * in_piece, pieces);
        out_->of_tensor[p][t] = item;
        const uint32_t chip = facts_[p].chips[facts_[p].HomeOf(t)];
        const uint64_t bytes = program.tensors[t].bytes * in_piece;
        if (bytes > 0) carried_on_[chip].emplace_back(item, bytes);
      }
    }
  }
  // A row for carried states alone, beside one program's buffers or another's: the least room.
  void AddBareRow(uint32_t chip, uint64_t room) {
    const auto [at, is_new] = bare_rows_.emplace(chip, 0);
    if (is_new) {
      at->second = AddRow(room);
      UseCarried(at->second, chip);
    }
    uint64_t& capacity = out_->problem.capacities[at->second];
    capacity = std::min(capacity, room);
  }
  void UseCarried(uint32_t row, uint32_t chip) {
    const auto found = carried_on_.find(chip);
    if (found == carried_on_.end()) return;
    for (const auto& [item, bytes] : found->second) AddUse(row, item, bytes);
  }

  void Finish() {
    // Rows came one after the other, so each item's uses come by row.
    std::vector<uint32_t> begins(out_->problem.items.size() + 1, 0);
    for (const Use& use : uses_) ++begins[use.item + 1];
    for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    std::vector<uint32_t> filled(begins.begin(), begins.end() - 1);
    std::vector<KeepUse> by_item(uses_.size());
    for (const Use& use : uses_) by_item[filled[use.item]++] = {use.row, use.bytes};
    out_->problem.uses.Adopt(std::move(begins), std::move(by_item));
  }

 private:
  struct Use {
    uint32_t row = 0;
    uint32_t item = 0;
    uint64_t bytes = 0;
  };

  const Deployment& deployment_;
  const std::vector<ProgramFacts>& facts_;
  ResidencyItems* out_;
  std::vector<Use> uses_;
  std::map<uint32_t, uint32_t> bare_rows_;                                     // by chip
  std::map<uint32_t, std::vector<std::pair<uint32_t, uint64_t>>> carried_on_;  // item, bytes
};

// One program's own tables: what they are worth together, and their bytes by chip.
struct Tables {
  bool any = false;
  bool can_fit = true;
  uint64_t value = 0;
  std::vector<uint64_t> bytes;
};

Tables SumTables(const Deployment& deployment, size_t p, const ProgramFacts& facts) {
  const DeployedProgram& program = deployment.programs[p];
  Tables tables;
  tables.bytes.assign(facts.chips.size(), 0);
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    if (program.tensors[t].role != TensorRole::kState || facts.carried[t]) continue;
    const uint32_t home = facts.HomeOf(t);
    tables.any = true;
    tables.value += facts.moved_bytes[t] * program.instances;
    tables.bytes[home] += program.tensors[t].bytes;  // fits: DENSITY has summed it
    if (facts.buffer_bytes[home] > deployment.target.sram_bytes) tables.can_fit = false;
  }
  return tables;
}

// The sets of activations live together on a chip that no other such set contains: wherever one of
// the live ends before the next begins. True: go on; visit says whether.
template <typename Visit>
bool ForEachLargestSet(const ProgramFacts& facts, const ActivationSweep& sweep, size_t chip,
                       const Visit& visit) {
  const std::vector<LiveActivation>& all = facts.activations;
  const Run<uint32_t> begins = sweep.ByBegin(chip);
  const Run<uint32_t> ends = sweep.ByEnd(chip);
  std::vector<uint32_t> live;
  size_t ended = 0;
  for (size_t i = 0; i < begins.size(); ++i) {
    if (all[begins[i]].bytes > 0) live.push_back(begins[i]);
    if (i + 1 == begins.size()) return visit(live);
    // Who ends before the next one begins has begun already.
    const uint64_t next = all[begins[i + 1]].begin;
    if (all[ends[ended]].end >= next) continue;
    if (!visit(live)) return false;
    while (all[ends[ended]].end < next) ++ended;
    live.erase(std::remove_if(live.begin(), live.end(),
                              [&all, next](uint32_t a) { return all[a].end < next; }),
               live.end());
  }
  return true;
}

bool AddProgramRows(const Deployment& deployment, const ProgramFacts& facts, const Tables& tables,
                    const std::vector<uint32_t>& items, uint32_t tables_item, uint64_t* looks,
                    Builder* builder) {
  const ActivationSweep sweep(facts);
  const std::vector<uint64_t> rooms = RoomsBesideBuffers(deployment.target, facts);
  for (size_t chip = 0; chip < facts.chips.size(); ++chip) {
    const auto add = [&](const std::vector<uint32_t>& live) {
      *looks += live.size();
      if (*looks > kMostLooks || builder->uses() > kMostUses) return false;
      if (live.empty() && (tables_item == kNoItem || tables.bytes[chip] == 0)) {
        builder->AddBareRow(facts.chips[chip], rooms[chip]);
        return true;
      }
      const uint32_t row = builder->AddRow(rooms[chip]);
      for (const uint32_t a : live) builder->AddUse(row, items[a], facts.activations[a].bytes);
      if (tables_item != kNoItem) builder->AddUse(row, tables_item, tables.bytes[chip]);
      builder->UseCarried(row, facts.chips[chip]);
      return true;
    };
    // Without activations, tables and carried states still have to fit beside the buffers.
    if (sweep.ByBegin(chip).empty() ? !add({}) : !ForEachLargestSet(facts, sweep, chip, add)) {
      return false;
    }
  }
  return true;
}

// HBM of each chip, and who may be in it instead of on chip.
void AddHbm(const Deployment& deployment, const std::vector<ProgramFacts>& facts, uint64_t worth,
            Builder* builder, ResidencyItems* items) {
  std::map<uint32_t, uint32_t> row_of_chip;
  items->of_hbm.resize(facts.size());
  for (size_t p = 0; p < facts.size(); ++p) {
    const DeployedProgram& program = deployment.programs[p];
    std::vector<uint32_t> on_chip = items->of_tensor[p];
    for (size_t i = 0; i < facts[p].activations.size(); ++i) {
      on_chip[facts[p].activations[i].tensor] = items->of_activation[p][i];
    }
    items->of_hbm[p].assign(program.tensors.size(), kNoItem);
    for (size_t t = 0; t < program.tensors.size(); ++t) {
      const TensorRole role = program.tensors[t].role;
      if (role == TensorRole::kActivation && facts[p].chips_of[t].empty()) continue;  // on chip
      if (role == TensorRole::kState && !facts[p].carried[t]) on_chip[t] = items->of_tables[p];
      uint64_t bytes;  // that do not fit 64 bits fit no HBM
      if (__builtin_mul_overflow(program.tensors[t].bytes, program.instances, &bytes)) continue;
      const uint64_t value = facts[p].moved_bytes[t] * program.instances * worth;
      const uint32_t item = builder->AddItem(value, 1);
      items->of_hbm[p][t] = item;
      const uint32_t chip = facts[p].chips[facts[p].HomeOf(t)];
      const auto [at, is_new] = row_of_chip.emplace(chip, 0);
      if (is_new) at->second = builder->AddRow(deployment.target.hbm_bytes);
      builder->AddUse(at->second, item, bytes);
      if (on_chip[t] == kNoItem) continue;
      const uint32_t either = builder->AddRow(1);
      builder->AddUse(either, item, 1);
      builder->AddUse(either, on_chip[t], 1);
    }
  }
}

}  // namespace

bool ListAllItems(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                  bool split_instances, const KeepWorth& worth, ResidencyItems* items) {
  Builder builder(deployment, facts, items);
  builder.AddCarried(split_instances);
  items->of_activation.resize(facts.size());
  items->of_tables.assign(facts.size(), kNoItem);
  uint64_t looks = 0;
  for (size_t p = 0; p < facts.size(); ++p) {
    for (const LiveActivation& a : facts[p].activations) {
      const uint64_t value = facts[p].moved_bytes[a.tensor] * deployment.programs[p].instances;
      items->of_activation[p].push_back(builder.AddItem(value, 1));
    }
    const Tables tables = SumTables(deployment, p, facts[p]);
    if (tables.any && tables.can_fit) items->of_tables[p] = builder.AddItem(tables.value, 1);
    if (!AddProgramRows(deployment, facts[p], tables, items->of_activation[p], items->of_tables[p],
                        &looks, &builder)) {
      return false;
    }
  }
  for (KeepItem& item : items->problem.items) item.value *= worth.sram;
  if (worth.hbm > 0) AddHbm(deployment, facts, worth.hbm, &builder, items);
  if (builder.uses() > kMostUses) return false;
  builder.Finish();
  return true;
}

ResidencyItems ListCarriedItems(const Deployment& deployment,
                                const std::vector<ProgramFacts>& facts, const ResidencyPlan& plan,
                                bool split_instances) {
  ResidencyItems items;
  Builder builder(deployment, facts, &items);
  builder.AddCarried(split_instances);
  items.of_tables.assign(facts.size(), kNoItem);
  for (const PlannedChip& planned : plan.chips) {
    PlannedChip empty = planned;
    empty.carried_bytes = 0;
    builder.UseCarried(builder.AddRow(SramLeft(empty)), planned.chip);
  }
  builder.Finish();
  return items;
}

}  // namespace torqsched
