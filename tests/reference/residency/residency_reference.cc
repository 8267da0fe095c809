#include "tests/reference/residency/residency_reference.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"

namespace torqsched::reference {
namespace {

using Wide = absl::uint128;

bool Fits64(Wide value) { return absl::Uint128High64(value) == 0; }

struct Live {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Thrown nowhere: the first error is kept, and all steps after it are left out.
class Planner {
 public:
  explicit Planner(const Deployment& deployment) : d_(deployment) {}

  ResidencyAnswer Plan() {
    plan_.programs.resize(d_.programs.size());
    moved_.resize(d_.programs.size());
    carried_.resize(d_.programs.size());
    footprint_.resize(d_.programs.size());
    CheckProgramNames();
    for (size_t p = 0; p < d_.programs.size() && error_.empty(); ++p) CheckAll(p);
    for (size_t p = 0; p < d_.programs.size() && error_.empty(); ++p) {
      PlaceActivations(p);
      if (error_.empty()) PlaceTables(p);
    }
    if (error_.empty()) Reserve();
    if (error_.empty()) MakeClasses();
    if (error_.empty()) PlaceClasses();
    return {error_, error_.empty() ? plan_ : ResidencyPlan()};
  }

 private:
  bool CanHold() const { return d_.target.crossbar && d_.target.sram_bytes > 0; }

  void Error(size_t p, const std::string& field) {
    if (error_.empty()) error_ = absl::StrCat("programs[", p, "].", field);
  }

  void CheckProgramNames() {
    for (size_t p = 0; p < d_.programs.size(); ++p) {
      for (size_t q = 0; q < p; ++q) {
        if (d_.programs[p].name == d_.programs[q].name) Error(p, "name");
      }
    }
  }

  void CheckAll(size_t p) {
    const DeployedProgram& program = d_.programs[p];
    if (program.instances == 0) Error(p, "instances");
    for (size_t t = 0; t < program.tensors.size(); ++t) {
      for (size_t u = 0; u < t; ++u) {
        if (program.tensors[t].name == program.tensors[u].name) {
          Error(p, absl::StrCat("tensors[", t, "].name"));
        }
      }
    }
    for (size_t i = 0; i < program.accesses.size(); ++i) {
      if (program.accesses[i].tensor >= program.tensors.size()) {
        Error(p, absl::StrCat("accesses[", i, "].tensor"));
      }
    }
    for (size_t i = 0; i < program.tile_accesses.size(); ++i) {
      if (program.tile_accesses[i].tensor >= program.tensors.size()) {
        Error(p, absl::StrCat("tile_accesses[", i, "].tensor"));
      }
    }
    if (!error_.empty()) return;
    CountMoved(p);
    FindCarried(p);
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      const SiteBuffer& b = program.buffers[i];
      if (!b.accumulator && !Fits64(Wide(b.offset) + b.bytes)) {
        Error(p, absl::StrCat("buffers[", i, "].bytes"));
      }
    }
    if (error_.empty()) BufferFootprints(p);
  }

  void CountMoved(size_t p) {
    const DeployedProgram& program = d_.programs[p];
    for (const DeployedTensor& tensor : program.tensors) {
      moved_[p].push_back(tensor.moved_bytes.value_or(0));
    }
    for (size_t i = 0; i < program.tile_accesses.size(); ++i) {
      const TileAccess& a = program.tile_accesses[i];
      const std::string field = absl::StrCat("tile_accesses[", i, "]");
      if (program.tensors[a.tensor].moved_bytes.has_value()) Error(p, field);
      std::vector<uint64_t> factors = a.trip_counts;
      factors.insert(factors.end(), {a.block_height, a.block_width, a.tile_bytes});
      // Smallest first, so that a product is 0 before it is too large.
      std::sort(factors.begin(), factors.end());
      Wide product = 1;
      for (const uint64_t factor : factors) {
        product *= factor;
        if (!Fits64(product)) {
          Error(p, field);
          return;
        }
      }
      if (!Fits64(product + moved_[p][a.tensor])) {
        Error(p, field);
        return;
      }
      moved_[p][a.tensor] += absl::Uint128Low64(product);
    }
  }

  void FindCarried(size_t p) {
    const DeployedProgram& program = d_.programs[p];
    for (const DeployedTensor& tensor : program.tensors) {
      carried_[p].push_back(!program.carried.has_value() && tensor.role == TensorRole::kState);
    }
    if (!program.carried.has_value()) return;
    for (size_t i = 0; i < program.carried->size(); ++i) {
      bool found = false;
      for (size_t t = 0; t < program.tensors.size(); ++t) {
        if (program.tensors[t].name != (*program.carried)[i]) continue;
        if (program.tensors[t].role != TensorRole::kState) continue;
        carried_[p][t] = true;
        found = true;
      }
      if (!found) Error(p, absl::StrCat("carried.names[", i, "]"));
    }
  }

  // Step 1, and an entry for every chip that the program names.
  void BufferFootprints(size_t p) {
    const DeployedProgram& program = d_.programs[p];
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> site_end;
    for (const SiteBuffer& b : program.buffers) {
      footprint_[p][b.chip].chip = b.chip;
      if (b.accumulator) continue;
      uint64_t& end = site_end[{b.chip, b.site}];
      end = std::max(end, b.offset + b.bytes);
    }
    for (const TensorAccess& a : program.accesses) footprint_[p][a.chip].chip = a.chip;
    for (size_t t = 0; t < program.tensors.size(); ++t) {
      if (ChipsOf(p, t).empty()) footprint_[p][0].chip = 0;
    }
    for (const auto& [site, end] : site_end) {
      uint64_t& bytes = footprint_[p][site.first].buffer_bytes;
      if (!Fits64(Wide(bytes) + end)) Error(p, "buffers");
      bytes += end;
    }
  }

  std::set<uint32_t> ChipsOf(size_t p, size_t t) const {
    std::set<uint32_t> chips;
    for (const TensorAccess& a : d_.programs[p].accesses) {
      if (a.tensor == t) chips.insert(a.chip);
    }
    return chips;
  }

  uint32_t HomeOf(size_t p, size_t t) const {
    const std::set<uint32_t> chips = ChipsOf(p, t);
    return chips.empty() ? 0 : *chips.begin();
  }

  std::optional<Live> RangeOf(size_t p, size_t t) const {
    std::vector<uint64_t> stores, all;
    for (const TensorAccess& a : d_.programs[p].accesses) {
      if (a.tensor != t) continue;
      all.push_back(a.phase);
      if (a.store) stores.push_back(a.phase);
    }
    if (all.empty()) return std::nullopt;
    Live live;
    live.begin = all.front();
    if (!stores.empty()) {
      live.begin = std::min(live.begin, *std::min_element(stores.begin(), stores.end()));
    }
    live.end = *std::max_element(all.begin(), all.end());
    return live;
  }

  // Step 2 and 3.
  void PlaceActivations(size_t p) {
    const DeployedProgram& program = d_.programs[p];
    std::map<uint32_t, Live> ranges;  // of activations that somebody accesses
    for (uint32_t t = 0; t < program.tensors.size(); ++t) {
      if (program.tensors[t].role != TensorRole::kActivation) continue;
      if (const std::optional<Live> live = RangeOf(p, t)) ranges[t] = *live;
    }
    std::set<uint32_t> spilled;
    if (CanHold()) {
      for (const auto& [chip, footprint] : footprint_[p]) SpillOn(p, chip, ranges, &spilled);
    }
    if (!error_.empty()) return;
    for (auto& [chip, footprint] : footprint_[p]) {
      for (const auto& [at, ignored] : ranges) {
        uint64_t live = 0;
        for (const auto& [t, range] : ranges) {
          const uint64_t phase = ranges[at].begin;
          if (CanHold() && spilled.count(t) == 0 && ChipsOf(p, t).count(chip) > 0 &&
              range.begin <= phase && phase <= range.end) {
            live += program.tensors[t].bytes;
          }
        }
        footprint.activation_bytes = std::max(footprint.activation_bytes, live);
      }
      footprint.footprint_bytes = footprint.buffer_bytes + footprint.activation_bytes;
    }
    SetTiers(p, ranges, spilled);
  }

  void SetTiers(size_t p, const std::map<uint32_t, Live>& ranges,
                const std::set<uint32_t>& spilled) {
    const DeployedProgram& program = d_.programs[p];
    plan_.programs[p].tiers.assign(program.tensors.size(), Tier::kDram);
    for (uint32_t t = 0; t < program.tensors.size(); ++t) {
      if (program.tensors[t].role != TensorRole::kActivation) continue;
      PlannedActivation activation;
      activation.tensor = t;
      activation.spilled = spilled.count(t) > 0;
      if (const auto range = ranges.find(t); range != ranges.end()) {
        activation.accessed = true;
        activation.first_phase = range->second.begin;
        activation.last_phase = range->second.end;
      }
      plan_.programs[p].activations.push_back(activation);
      if (CanHold() && !activation.spilled) plan_.programs[p].tiers[t] = Tier::kSram;
    }
  }

  // One chip: while there is a phase with too many bytes, the first such phase loses one.
  void SpillOn(size_t p, uint32_t chip, const std::map<uint32_t, Live>& ranges,
               std::set<uint32_t>* spilled) {
    const DeployedProgram& program = d_.programs[p];
    const uint64_t buffers = footprint_[p][chip].buffer_bytes;
    const uint64_t room = d_.target.sram_bytes < buffers ? 0 : d_.target.sram_bytes - buffers;
    std::set<uint64_t> phases;
    for (const auto& [t, range] : ranges) {
      if (ChipsOf(p, t).count(chip) > 0) phases.insert(range.begin);
    }
    bool again = true;
    while (again && error_.empty()) {
      again = false;
      for (const uint64_t phase : phases) {
        std::vector<uint32_t> live;
        Wide sum = 0;
        // Those that were live before the phase first, then those that begin, by index: it says
        // whose bytes are too many.
        for (const bool begins : {false, true}) {
          for (const auto& [t, range] : ranges) {
            if (ChipsOf(p, t).count(chip) == 0 || spilled->count(t) > 0) continue;
            if (range.begin > phase || range.end < phase) continue;
            if ((range.begin == phase) != begins) continue;
            live.push_back(t);
            sum += program.tensors[t].bytes;
            if (!Fits64(sum)) {
              Error(p, absl::StrCat("tensors[", t, "].bytes"));
              return;
            }
          }
        }
        if (sum <= room) continue;
        const auto worst = std::min_element(live.begin(), live.end(), [&](uint32_t a, uint32_t b) {
          const auto rank = [&](uint32_t t) {
            return std::make_tuple(~ranges.at(t).end, ~program.tensors[t].bytes, t);
          };
          return rank(a) < rank(b);
        });
        spilled->insert(*worst);
        again = true;
        break;
      }
    }
  }

  // Step 4.
  void PlaceTables(size_t p) {
    const DeployedProgram& program = d_.programs[p];
    std::map<uint32_t, uint64_t> tables;
    for (size_t t = 0; t < program.tensors.size() && CanHold(); ++t) {
      if (program.tensors[t].role != TensorRole::kState || carried_[p][t]) continue;
      uint64_t& bytes = tables[HomeOf(p, t)];
      if (!Fits64(Wide(bytes) + program.tensors[t].bytes)) {
        Error(p, absl::StrCat("tensors[", t, "].bytes"));
      }
      bytes += program.tensors[t].bytes;
    }
    bool fit = !tables.empty();
    for (const auto& [chip, bytes] : tables) {
      const Wide sum = Wide(footprint_[p][chip].footprint_bytes) + bytes;
      if (!Fits64(sum)) Error(p, "tensors");
      fit = fit && sum <= d_.target.sram_bytes;
    }
    plan_.programs[p].tables_on_chip = fit;
    for (size_t t = 0; t < program.tensors.size() && fit; ++t) {
      if (program.tensors[t].role == TensorRole::kState && !carried_[p][t]) {
        plan_.programs[p].tiers[t] = Tier::kSram;
      }
    }
    for (auto& [chip, footprint] : footprint_[p]) {
      if (fit && tables.count(chip) > 0) footprint.table_bytes = tables[chip];
      plan_.programs[p].chips.push_back(footprint);
    }
  }

  // Step 5.
  void Reserve() {
    std::map<uint32_t, uint64_t> reserve;
    for (const PlannedProgram& program : plan_.programs) {
      for (const ChipFootprint& f : program.chips) {
        reserve[f.chip] = std::max(reserve[f.chip], f.footprint_bytes + f.table_bytes);
      }
    }
    for (const auto& [chip, bytes] : reserve) {
      plan_.chips.push_back({chip, CanHold() ? d_.target.sram_bytes : 0, bytes, 0, 0});
    }
  }

  void MakeClasses() {
    for (uint32_t p = 0; p < d_.programs.size(); ++p) {
      const DeployedProgram& program = d_.programs[p];
      for (uint32_t t = 0; t < program.tensors.size(); ++t) {
        if (plan_.programs[p].tiers[t] == Tier::kSram) continue;
        const Wide total = Wide(program.tensors[t].bytes) * program.instances;
        if (!Fits64(total)) Error(p, absl::StrCat("tensors[", t, "].bytes"));
        plan_.classes.push_back({p, t, HomeOf(p, t), Tier::kDram, carried_[p][t],
                                 absl::Uint128Low64(total), moved_[p][t], 0});
      }
    }
  }

  bool Before(const ResidencyClass& a, const ResidencyClass& b) const {
    const DeployedTensor& ta = d_.programs[a.program].tensors[a.tensor];
    const DeployedTensor& tb = d_.programs[b.program].tensors[b.tensor];
    const auto names = [&](const ResidencyClass& c, const DeployedTensor& t) {
      return std::make_pair(std::string(d_.programs[c.program].name), std::string(t.name));
    };
    if (ta.bytes == 0 && tb.bytes == 0) return names(a, ta) < names(b, tb);
    if (ta.bytes == 0 || tb.bytes == 0) return ta.bytes == 0;
    const Wide left = Wide(a.moved_bytes) * tb.bytes;
    const Wide right = Wide(b.moved_bytes) * ta.bytes;
    if (left != right) return left > right;
    if (a.bytes != b.bytes) return a.bytes < b.bytes;
    return names(a, ta) < names(b, tb);
  }

  PlannedChip& ChipOf(const ResidencyClass& c) {
    return *std::find_if(plan_.chips.begin(), plan_.chips.end(),
                         [&c](const PlannedChip& chip) { return chip.chip == c.chip; });
  }

  // Step 6 and 7: the next in order is looked for anew each time.
  void PlaceClasses() {
    for (const bool on_chip : {true, false}) {
      std::vector<ResidencyClass*> left;
      for (ResidencyClass& c : plan_.classes) {
        if (on_chip ? c.carried : c.tier != Tier::kSram) left.push_back(&c);
      }
      while (!left.empty()) {
        const auto next = std::min_element(
            left.begin(), left.end(),
            [this](const ResidencyClass* a, const ResidencyClass* b) { return Before(*a, *b); });
        ResidencyClass& c = **next;
        left.erase(next);
        PlannedChip& chip = ChipOf(c);
        if (on_chip && CanHold() &&
            (c.bytes == 0 ||
             Wide(chip.reserve_bytes) + chip.carried_bytes + c.bytes <= d_.target.sram_bytes)) {
          c.tier = Tier::kSram;
          c.instances_on_chip = d_.programs[c.program].instances;
          chip.carried_bytes += c.bytes;
        }
        if (!on_chip && d_.target.hbm_bytes > 0 &&
            Wide(chip.hbm_bytes) + c.bytes <= d_.target.hbm_bytes) {
          c.tier = Tier::kHbm;
          chip.hbm_bytes += c.bytes;
        }
      }
    }
    for (const ResidencyClass& c : plan_.classes) {
      plan_.programs[c.program].tiers[c.tensor] = c.tier;
    }
  }

  const Deployment& d_;
  std::string error_;
  ResidencyPlan plan_;
  std::vector<std::vector<uint64_t>> moved_;
  std::vector<std::vector<bool>> carried_;
  std::vector<std::map<uint32_t, ChipFootprint>> footprint_;
};

const char* NameOf(Tier tier) {
  return tier == Tier::kSram ? "SRAM" : tier == Tier::kHbm ? "HBM" : "DRAM";
}

std::string Text(const ResidencyClass& c) {
  return absl::StrCat("class ", c.program, ".", c.tensor, " chip ", c.chip, " ", NameOf(c.tier),
                      c.carried ? " carried" : "", " bytes ", c.bytes, " moved ", c.moved_bytes,
                      " instances ", c.instances_on_chip);
}
std::string Text(const PlannedChip& c) {
  return absl::StrCat("chip ", c.chip, " sram ", c.sram_bytes, " reserve ", c.reserve_bytes,
                      " carried ", c.carried_bytes, " hbm ", c.hbm_bytes);
}
std::string Text(const ChipFootprint& f) {
  return absl::StrCat("footprint on ", f.chip, ": buffers ", f.buffer_bytes, " activations ",
                      f.activation_bytes, " sum ", f.footprint_bytes, " tables ", f.table_bytes);
}
std::string Text(const PlannedActivation& a) {
  return absl::StrCat("activation ", a.tensor, a.accessed ? " accessed" : "",
                      a.spilled ? " spilled" : "", " ", a.first_phase, "..", a.last_phase);
}
std::string Text(Tier tier) { return NameOf(tier); }

template <typename T>
void Compare(const std::string& what, const std::vector<T>& expected, const std::vector<T>& actual,
             std::string* out) {
  if (expected.size() != actual.size()) {
    absl::StrAppend(out, what, ": ", expected.size(), " expected, ", actual.size(), " there\n");
    return;
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (Text(expected[i]) == Text(actual[i])) continue;
    absl::StrAppend(out, what, "[", i, "]: expected ", Text(expected[i]), ", is ", Text(actual[i]),
                    "\n");
  }
}

}  // namespace

ResidencyAnswer PlanResidency(const Deployment& deployment) { return Planner(deployment).Plan(); }

std::string Differences(const ResidencyPlan& expected, const ResidencyPlan& actual) {
  std::string out;
  Compare("classes", expected.classes, actual.classes, &out);
  Compare("chips", expected.chips, actual.chips, &out);
  if (expected.programs.size() != actual.programs.size()) return absl::StrCat(out, "programs\n");
  for (size_t p = 0; p < expected.programs.size(); ++p) {
    const PlannedProgram& e = expected.programs[p];
    const PlannedProgram& a = actual.programs[p];
    const std::string what = absl::StrCat("programs[", p, "].");
    Compare(what + "tiers", e.tiers, a.tiers, &out);
    Compare(what + "chips", e.chips, a.chips, &out);
    Compare(what + "activations", e.activations, a.activations, &out);
    if (e.tables_on_chip != a.tables_on_chip) absl::StrAppend(&out, what, "tables_on_chip\n");
  }
  return out;
}

}  // namespace torqsched::reference
