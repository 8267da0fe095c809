#include "tests/reference/residency/residency_case_io.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/json/json.h"

namespace torqsched::reference {
namespace {

using Field = JsonField;

TensorRole RoleNamed(const Field& field) {
  const std::string name = field.text();
  if (name == "activation") return TensorRole::kActivation;
  if (name == "state") return TensorRole::kState;
  if (name == "weight") return TensorRole::kWeight;
  if (name == "input") return TensorRole::kInput;
  if (name != "output") field.Note(absl::StrCat("unknown role ", name));
  return TensorRole::kOutput;
}

DeployedProgram ReadProgram(const Field& json, std::deque<std::string>* names) {
  const auto keep = [names](const Field& name) {
    names->push_back(name.text());
    return absl::string_view(names->back());
  };
  DeployedProgram program;
  program.name = keep(json["name"]);
  program.instances = json["instances"].number();
  if (!json["carried"].null()) {
    program.carried.emplace();
    for (const Field& name : json["carried"].items()) program.carried->push_back(keep(name));
  }
  for (const Field& b : json["buffers"].items()) {
    program.buffers.push_back({b["chip"].small(), b["site"].small(), b["offset"].number(),
                               b["bytes"].number(), b["accumulator"].flag()});
  }
  std::map<std::string, uint32_t> positions;
  for (const Field& t : json["tensors"].items()) {
    positions.emplace(t["name"].text(), program.tensors.size());
    program.tensors.push_back(
        {keep(t["name"]), RoleNamed(t["role"]), t["bytes"].number(), t["moved_bytes"].number()});
  }
  for (const Field& a : json["accesses"].items()) {
    const auto found = positions.find(a["tensor"].text());
    const uint32_t tensor = found == positions.end() ? 0xffffffff : found->second;
    program.accesses.push_back({tensor, a["chip"].small(), a["phase"].number(), a["store"].flag()});
  }
  return program;
}

std::vector<std::string> ReadExpected(const Field& json) {
  std::vector<std::string> words;
  for (const auto& [program, tiers] : json["tiers"].fields()) {
    for (const auto& [tensor, tier] : tiers.fields()) {
      words.push_back(absl::StrCat("tier ", program, ".", tensor, " ", tier.text()));
    }
  }
  for (const auto& [chip, bytes] : json["reserve"].fields()) {
    words.push_back(absl::StrCat("reserve ", chip, " ", bytes.number()));
  }
  for (const auto& [program, chips] : json["footprint"].fields()) {
    for (const auto& [chip, bytes] : chips.fields()) {
      words.push_back(absl::StrCat("footprint ", program, " ", chip, " ", bytes.number()));
    }
  }
  for (const char* list : {"placed", "off_chip"}) {
    size_t position = 0;
    for (const Field& c : json[list].items()) {
      words.push_back(absl::StrCat(position++, " ", list, " ", c["program"].text(), ".",
                                   c["tensor"].text(), " chip ", c["chip"].number(), " total ",
                                   c["total"].number(), " ", c["tier"].text()));
    }
  }
  std::sort(words.begin(), words.end());
  return words;
}

const char* NameOf(Tier tier) {
  return tier == Tier::kSram ? "SRAM" : tier == Tier::kHbm ? "HBM" : "DRAM";
}

}  // namespace

absl::StatusOr<ResidencyCase> ParseResidencyCase(absl::string_view json) {
  const absl::StatusOr<Json> root = ParseJson(json);
  if (!root.ok()) return root.status();
  std::string error;
  const Field field(&*root, &error);
  ResidencyCase result;
  result.name = field["name"].text();
  result.comment = field["comment"].text();
  const Field target = field["input"]["target"];
  result.deployment.target = {target["sram_bytes"].number(), target["hbm_bytes"].number(),
                              target["crossbar"].flag()};
  for (const Field& program : field["input"]["programs"].items()) {
    result.deployment.programs.push_back(ReadProgram(program, &result.names));
  }
  result.expected = ReadExpected(field["expect"]);
  if (!error.empty()) return absl::InvalidArgumentError(error);
  return result;
}

absl::StatusOr<std::deque<ResidencyCase>> LoadResidencyCases(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  std::deque<ResidencyCase> cases;
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    absl::StatusOr<ResidencyCase> one = ParseResidencyCase(line);
    if (!one.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ", line ", number, ": ", one.status().message()));
    }
    cases.push_back(*std::move(one));
  }
  return cases;
}

std::vector<std::string> WordsOf(const Deployment& deployment, const ResidencyPlan& plan) {
  std::vector<std::string> words;
  const auto name = [&](uint32_t p, uint32_t t) {
    return absl::StrCat(deployment.programs[p].name, ".", deployment.programs[p].tensors[t].name);
  };
  for (uint32_t p = 0; p < plan.programs.size(); ++p) {
    for (uint32_t t = 0; t < plan.programs[p].tiers.size(); ++t) {
      words.push_back(absl::StrCat("tier ", name(p, t), " ", NameOf(plan.programs[p].tiers[t])));
    }
    for (const ChipFootprint& f : plan.programs[p].chips) {
      if (f.footprint_bytes == 0) continue;
      words.push_back(absl::StrCat("footprint ", deployment.programs[p].name, " ", f.chip, " ",
                                   f.footprint_bytes));
    }
  }
  for (const PlannedChip& chip : plan.chips) {
    if (chip.reserve_bytes == 0) continue;
    words.push_back(absl::StrCat("reserve ", chip.chip, " ", chip.reserve_bytes));
  }
  size_t placed = 0, off_chip = 0;
  for (const ResidencyClass& c : plan.classes) {
    words.push_back(absl::StrCat(c.carried ? placed++ : off_chip++,
                                 c.carried ? " placed " : " off_chip ", name(c.program, c.tensor),
                                 " chip ", c.chip, " total ", c.bytes, " ", NameOf(c.tier)));
  }
  std::sort(words.begin(), words.end());
  return words;
}

}  // namespace torqsched::reference
