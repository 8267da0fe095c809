#include "tests/reference/residency/residency_case_io.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace torqsched::reference {
namespace {

struct Json {
  enum class Kind { kNull, kFlag, kNumber, kText, kList, kObject };
  Kind kind = Kind::kNull;
  bool flag = false;
  uint64_t number = 0;
  std::string text;
  std::vector<Json> items;                           // of a list
  std::vector<std::pair<std::string, Json>> fields;  // of an object, in order
};

// Just the JSON that the cases need: whole numbers without a sign, \" \\ \/ \n \t in strings.
class JsonReader {
 public:
  explicit JsonReader(absl::string_view text) : text_(text) {}

  bool ReadAll(Json* json) { return Read(json, 0) && Next() == '\0'; }
  size_t position() const { return at_; }

 private:
  static constexpr int kDeepest = 16;

  char Next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(char c) {
    if (Next() != c) return false;
    ++at_;
    return true;
  }
  bool TakeWord(absl::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool Read(Json* json, int depth) {
    if (depth > kDeepest) return false;
    switch (Next()) {
      case '{':
        json->kind = Json::Kind::kObject;
        return ReadMembers('}', [&] {
          json->fields.emplace_back();
          return ReadText(&json->fields.back().first) && Take(':') &&
                 Read(&json->fields.back().second, depth + 1);
        });
      case '[':
        json->kind = Json::Kind::kList;
        return ReadMembers(']', [&] {
          json->items.emplace_back();
          return Read(&json->items.back(), depth + 1);
        });
      case '"':
        json->kind = Json::Kind::kText;
        return ReadText(&json->text);
      case 't':
      case 'f':
        json->kind = Json::Kind::kFlag;
        json->flag = text_[at_] == 't';
        return TakeWord(json->flag ? "true" : "false");
      case 'n':
        return TakeWord("null");
      default:
        return ReadNumber(json);
    }
  }

  template <typename ReadOne>
  bool ReadMembers(char end, const ReadOne& read_one) {
    ++at_;
    if (Take(end)) return true;
    do {
      if (!read_one()) return false;
    } while (Take(','));
    return Take(end);
  }

  bool ReadNumber(Json* json) {
    json->kind = Json::Kind::kNumber;
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return absl::SimpleAtoi(text_.substr(begin, at_ - begin), &json->number);
  }

  bool ReadText(std::string* text) {
    if (!Take('"')) return false;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      char c = text_[at_];
      if (c == '\\') {
        if (++at_ == text_.size()) return false;
        c = text_[at_];
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
        if (c == 'u') return false;
      }
      text->push_back(c);
    }
    return at_++ < text_.size();
  }

  absl::string_view text_;
  size_t at_ = 0;
};

// A value as what it should be; the first that is not is noted.
class Field {
 public:
  Field(const Json* json, std::string* error) : json_(json), error_(error) {}

  Field operator[](const char* name) const {
    if (json_ != nullptr) {
      for (const auto& [key, value] : json_->fields) {
        if (key == name) return Field(&value, error_);
      }
    }
    Note(absl::StrCat("no field ", name));
    return Field(nullptr, error_);
  }
  uint64_t number() const { return Is(Json::Kind::kNumber) ? json_->number : 0; }
  uint32_t small() const {
    if (number() > 0xffffffff) Note("more than 32 bits");
    return static_cast<uint32_t>(number());
  }
  bool flag() const { return Is(Json::Kind::kFlag) && json_->flag; }
  std::string text() const { return Is(Json::Kind::kText) ? json_->text : ""; }
  bool null() const { return json_ != nullptr && json_->kind == Json::Kind::kNull; }
  std::vector<Field> items() const {
    std::vector<Field> items;
    if (!Is(Json::Kind::kList)) return items;
    for (const Json& item : json_->items) items.push_back(Field(&item, error_));
    return items;
  }
  std::vector<std::pair<std::string, Field>> fields() const {
    std::vector<std::pair<std::string, Field>> fields;
    if (!Is(Json::Kind::kObject)) return fields;
    for (const auto& [key, value] : json_->fields) fields.emplace_back(key, Field(&value, error_));
    return fields;
  }
  void Note(const std::string& error) const {
    if (error_->empty()) *error_ = error;
  }

 private:
  bool Is(Json::Kind kind) const {
    if (json_ != nullptr && json_->kind == kind) return true;
    Note("a value of another type than expected");
    return false;
  }

  const Json* json_;
  std::string* error_;
};

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
  Json root;
  JsonReader reader(json);
  if (!reader.ReadAll(&root)) {
    return absl::InvalidArgumentError(absl::StrCat("not JSON at byte ", reader.position()));
  }
  std::string error;
  const Field field(&root, &error);
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
