#include "tests/residency/random_deployments.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

// What makes one deployment differ from another in kind; drawn first.
struct Mood {
  uint64_t largest = 40;  // bytes of a tensor
  uint64_t chips = 2;
  uint64_t phases = 6;
  bool few_densities = false;
  bool far_chips = false;  // chip numbers up to 65,535
  bool tiles = false;
};

class Maker {
 public:
  Maker(const DeploymentShape& shape, uint64_t seed) : shape_(shape), random_(seed) {}

  RandomDeployment Make() {
    mood_.largest = random_.Percent(20) ? 3 : 40;
    if (shape_.huge && random_.Percent(15)) mood_.largest = UINT64_MAX >> random_.Below(6);
    mood_.chips = 1 + random_.Below(4);
    mood_.phases = 1 + random_.Below(10);
    mood_.few_densities = random_.Percent(40);
    mood_.far_chips = random_.Percent(20);
    mood_.tiles = random_.Percent(25) && shape_.tiles;
    ResidencyTarget& target = result_.deployment.target;
    target.crossbar = random_.Percent(90);
    target.sram_bytes = random_.Percent(6) ? 0 : Scaled(6);
    target.hbm_bytes = random_.Percent(30) ? 0 : Scaled(8);
    const uint64_t programs = random_.Below(shape_.most_programs + 1);
    for (uint64_t p = 0; p < programs; ++p) AddProgram(p);
    if (shape_.mistakes && random_.Percent(8)) AddMistake();
    return std::move(result_);
  }

 private:
  // Up to `times` tensors' worth.
  uint64_t Scaled(uint64_t times) {
    if (mood_.largest > UINT64_MAX / 64) return UINT64_MAX - (random_.Next() >> random_.Below(60));
    return random_.Below(mood_.largest * times) + 1;
  }
  absl::string_view Keep(std::string name) {
    result_.names.push_back(std::move(name));
    return result_.names.back();
  }
  uint32_t Chip() {
    const uint64_t chip = random_.Below(mood_.chips);
    return static_cast<uint32_t>(mood_.far_chips ? 65535 - 17 * chip : chip);
  }
  uint64_t TensorBytes() {
    if (random_.Percent(10)) return 0;
    if (mood_.largest < 64) return 1 + random_.Below(mood_.largest);
    return mood_.largest >> random_.Below(64);
  }

  // Names whose order is neither that of positions nor that of letters without case.
  std::string Name(uint64_t i) {
    static const char* const kStems[] = {"b", "B", "a", "layer", "\xc3\xa9", ""};
    return absl::StrCat(kStems[random_.Below(6)], i * 7 % 11, ".", i);
  }

  void AddProgram(uint64_t p) {
    DeployedProgram program;
    program.name = Keep(Name(p));
    program.instances = random_.Percent(40) ? 1 : 1 + random_.Below(4);
    for (uint64_t i = random_.Below(4); i > 0; --i) {
      SiteBuffer buffer;
      buffer.chip = Chip();
      buffer.site = static_cast<uint32_t>(random_.Below(2));
      buffer.offset = random_.Below(std::min<uint64_t>(mood_.largest, UINT64_MAX / 4));
      buffer.bytes = TensorBytes();
      buffer.accumulator = random_.Percent(20);
      program.buffers.push_back(buffer);
    }
    const uint64_t tensors = random_.Below(shape_.most_tensors + 1);
    for (uint64_t t = 0; t < tensors; ++t) AddTensor(t, &program);
    AddAccesses(&program);
    ChooseCarried(&program);
    result_.deployment.programs.push_back(std::move(program));
  }

  void AddTensor(uint64_t t, DeployedProgram* program) {
    static constexpr TensorRole kRoles[] = {
        TensorRole::kActivation, TensorRole::kActivation, TensorRole::kActivation,
        TensorRole::kState,      TensorRole::kState,      TensorRole::kState,
        TensorRole::kWeight,     TensorRole::kInput,      TensorRole::kOutput};
    DeployedTensor tensor;
    tensor.name = Keep(Name(t));
    tensor.role = kRoles[random_.Below(9)];
    tensor.bytes = TensorBytes();
    if (mood_.tiles && random_.Percent(60)) {
      AddTiles(t, program);
    } else if (mood_.few_densities && mood_.largest < 64) {
      tensor.moved_bytes = tensor.bytes * random_.Below(3);
    } else {
      tensor.moved_bytes = mood_.largest < 64 ? random_.Below(100) : TensorBytes();
    }
    program->tensors.push_back(tensor);
  }

  void AddTiles(uint64_t t, DeployedProgram* program) {
    for (uint64_t i = random_.Below(3); i > 0; --i) {
      TileAccess access;
      access.tensor = static_cast<uint32_t>(t);
      access.block_height = random_.Below(4);
      access.block_width = 1 + random_.Below(3);
      access.tile_bytes = TensorBytes();
      for (uint64_t loop = random_.Below(3); loop > 0; --loop) {
        access.trip_counts.push_back(random_.Below(5));
      }
      program->tile_accesses.push_back(access);
    }
  }

  void AddAccesses(DeployedProgram* program) {
    if (program->tensors.empty()) return;
    const bool in_phase_order = random_.Percent(50);
    for (uint64_t i = random_.Below(3 * program->tensors.size() + 1); i > 0; --i) {
      TensorAccess access;
      access.tensor = static_cast<uint32_t>(random_.Below(program->tensors.size()));
      access.chip = Chip();
      access.phase = random_.Below(mood_.phases);
      if (random_.Percent(2)) access.phase = UINT64_MAX - access.phase;
      access.store = random_.Percent(40);
      program->accesses.push_back(access);
    }
    if (!in_phase_order) return;
    std::stable_sort(
        program->accesses.begin(), program->accesses.end(),
        [](const TensorAccess& a, const TensorAccess& b) { return a.phase < b.phase; });
  }

  void ChooseCarried(DeployedProgram* program) {
    if (random_.Percent(35)) return;
    program->carried.emplace();
    const uint64_t percent = random_.Below(3) * 45;
    for (const DeployedTensor& tensor : program->tensors) {
      if (tensor.role != TensorRole::kState || !random_.Percent(percent)) continue;
      program->carried->push_back(tensor.name);
      if (random_.Percent(5)) program->carried->push_back(tensor.name);
    }
  }

  void AddMistake() {
    std::vector<DeployedProgram>& programs = result_.deployment.programs;
    if (programs.empty()) return;
    DeployedProgram& program = programs[random_.Below(programs.size())];
    const size_t n = program.tensors.size();
    switch (random_.Below(6)) {
      case 0:
        program.instances = 0;
        break;
      case 1:
        program.name = programs[random_.Below(programs.size())].name;
        break;
      case 2:
        if (n > 0) program.tensors[random_.Below(n)].name = program.tensors[0].name;
        break;
      case 3:
        program.accesses.push_back({static_cast<uint32_t>(n + random_.Below(2)), 0, 0, false});
        break;
      case 4:
        if (!program.carried.has_value()) program.carried.emplace();
        program.carried->push_back(n > 0 ? program.tensors[random_.Below(n)].name : "no");
        break;
      default:
        if (n == 0) break;
        program.tile_accesses.push_back(
            {static_cast<uint32_t>(random_.Below(n + 1)), 1, 2, uint64_t{1} << 62, {1, 2}});
    }
  }

  const DeploymentShape shape_;
  SplitMix64 random_;
  Mood mood_;
  RandomDeployment result_;
};

const char* RoleText(TensorRole role) {
  static const char* const kTexts[] = {"activation", "state", "weight", "input", "output"};
  return kTexts[static_cast<int>(role)];
}

}  // namespace

RandomDeployment MakeRandomDeployment(const DeploymentShape& shape, uint64_t seed) {
  return Maker(shape, seed).Make();
}

RandomDeployment MakeLargeDeployment(uint32_t tensors, uint64_t sram_per_tensor, uint64_t seed) {
  SplitMix64 random(seed);
  RandomDeployment result;
  const uint64_t n = tensors / 4;
  result.deployment.target = {n * sram_per_tensor, n * 65536, true};
  for (int p = 0; p < 4; ++p) {
    DeployedProgram program;
    result.names.push_back(absl::StrCat("program", p));
    program.name = result.names.back();
    program.instances = 1 + random.Below(40);
    for (uint32_t chip = 0; chip < 4; ++chip) program.buffers.push_back({chip, 0, 0, n, false});
    program.carried.emplace();
    for (uint64_t t = 0; t < n; ++t) {
      result.names.push_back(absl::StrCat("model.layer", t % 97, ".tensor", t));
      const uint64_t kind = random.Below(10);
      const TensorRole role = kind < 5   ? TensorRole::kActivation
                              : kind < 8 ? TensorRole::kState
                                         : TensorRole::kWeight;
      program.tensors.push_back(
          {result.names.back(), role, 1 + random.Below(65536), random.Below(1 << 20)});
      if (kind == 5 || kind == 6) program.carried->push_back(result.names.back());
    }
    for (uint64_t i = 0; i < n * 22 / 10; ++i) {
      const uint64_t near = i * 10 / 22;
      const uint64_t tensor = near - std::min(near, random.Below(n / 8 + 1));
      program.accesses.push_back({static_cast<uint32_t>(tensor),
                                  static_cast<uint32_t>(random.Below(4)), i / 2, i % 2 == 0});
    }
    result.deployment.programs.push_back(std::move(program));
  }
  return result;
}

std::string Describe(const Deployment& deployment) {
  const ResidencyTarget& target = deployment.target;
  std::string out = absl::StrCat("sram ", target.sram_bytes, " hbm ", target.hbm_bytes,
                                 target.crossbar ? " crossbar\n" : "\n");
  for (const DeployedProgram& program : deployment.programs) {
    absl::StrAppend(&out, "program '", program.name, "' x", program.instances);
    if (program.carried.has_value()) {
      absl::StrAppend(&out, " carried {", absl::StrJoin(*program.carried, " "), "}");
    }
    absl::StrAppend(&out, "\n");
    for (const SiteBuffer& b : program.buffers) {
      absl::StrAppend(&out, "  buffer chip ", b.chip, " site ", b.site, " ", b.offset, "+", b.bytes,
                      b.accumulator ? " accumulator\n" : "\n");
    }
    for (const DeployedTensor& t : program.tensors) {
      absl::StrAppend(&out, "  ", RoleText(t.role), " '", t.name, "' ", t.bytes, " moved ",
                      t.moved_bytes.has_value() ? absl::StrCat(*t.moved_bytes) : "by tiles", "\n");
    }
    for (const TensorAccess& a : program.accesses) {
      absl::StrAppend(&out, "  ", a.store ? "store " : "load ", a.tensor, " chip ", a.chip,
                      " phase ", a.phase, "\n");
    }
    for (const TileAccess& a : program.tile_accesses) {
      absl::StrAppend(&out, "  tiles of ", a.tensor, " ", a.block_height, "x", a.block_width, "x",
                      a.tile_bytes, " trips ", absl::StrJoin(a.trip_counts, "x"), "\n");
    }
  }
  return out;
}

}  // namespace torqsched
