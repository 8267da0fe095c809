#include "tests/json/json.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace torqsched {
namespace {

class JsonReader {
 public:
  explicit JsonReader(absl::string_view text) : text_(text) {}

  bool ReadAll(Json* json) { return Read(json, 0) && Next() == '\0'; }
  size_t position() const { return at_; }

 private:
  static constexpr int kDeepest = 16;

  char Next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
      ++at_;
    }
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
    json->negative = TakeWord("-");
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

}  // namespace

absl::StatusOr<Json> ParseJson(absl::string_view text) {
  Json json;
  JsonReader reader(text);
  if (reader.ReadAll(&json)) return json;
  return absl::InvalidArgumentError(absl::StrCat("not JSON at byte ", reader.position()));
}

JsonField JsonField::operator[](absl::string_view name) const {
  const Json* found = Find(name);
  if (found == nullptr) Note(absl::StrCat("no field ", name));
  return JsonField(found, error_);
}

uint64_t JsonField::number() const {
  if (!Is(Json::Kind::kNumber)) return 0;
  if (json_->negative) Note("a number below 0");
  return json_->number;
}

uint32_t JsonField::small() const {
  if (number() > 0xffffffff) Note("more than 32 bits");
  return static_cast<uint32_t>(number());
}

int32_t JsonField::position() const {
  if (!Is(Json::Kind::kNumber)) return 0;
  if (json_->negative && json_->number == 1) return -1;
  if (number() > 0x7fffffff) Note("more than 31 bits");
  return static_cast<int32_t>(number());
}

std::vector<JsonField> JsonField::items() const {
  std::vector<JsonField> items;
  if (!Is(Json::Kind::kList)) return items;
  for (const Json& item : json_->items) items.push_back(JsonField(&item, error_));
  return items;
}

std::vector<std::pair<std::string, JsonField>> JsonField::fields() const {
  std::vector<std::pair<std::string, JsonField>> fields;
  if (!Is(Json::Kind::kObject)) return fields;
  for (const auto& [key, value] : json_->fields)
    fields.emplace_back(key, JsonField(&value, error_));
  return fields;
}

const Json* JsonField::Find(absl::string_view name) const {
  if (json_ == nullptr) return nullptr;
  for (const auto& [key, value] : json_->fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

bool JsonField::Is(Json::Kind kind) const {
  if (json_ != nullptr && json_->kind == kind) return true;
  Note("a value of another type than expected");
  return false;
}

}  // namespace torqsched
