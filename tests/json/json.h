// JSON for tests' data: a reader of our own, as numbers go up to 2^64 - 1.
#ifndef TORQSCHED_TESTS_JSON_JSON_H_
#define TORQSCHED_TESTS_JSON_JSON_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace torqsched {

struct Json {
  enum class Kind { kNull, kFlag, kNumber, kText, kList, kObject };
  Kind kind = Kind::kNull;
  bool flag = false;
  bool negative = false;  // a number below 0
  uint64_t number = 0;    // its magnitude
  std::string text;
  std::vector<Json> items;                           // of a list
  std::vector<std::pair<std::string, Json>> fields;  // of an object, in order
};

// Just the JSON that the data need: whole numbers, \" \\ \/ \n \t in strings. INVALID_ARGUMENT for
// all else.
absl::StatusOr<Json> ParseJson(absl::string_view text);

// A value as what it should be; the first that is not is noted in error.
class JsonField {
 public:
  JsonField(const Json* json, std::string* error) : json_(json), error_(error) {}

  JsonField operator[](absl::string_view name) const;
  bool has(absl::string_view name) const { return Find(name) != nullptr; }
  uint64_t number() const;   // not below 0
  uint32_t small() const;    // a number of 32 bits
  int32_t position() const;  // the same below 2^31, or -1
  bool flag() const { return Is(Json::Kind::kFlag) && json_->flag; }
  std::string text() const { return Is(Json::Kind::kText) ? json_->text : ""; }
  bool null() const { return json_ != nullptr && json_->kind == Json::Kind::kNull; }
  std::vector<JsonField> items() const;
  std::vector<std::pair<std::string, JsonField>> fields() const;
  void Note(absl::string_view error) const {
    if (error_->empty()) *error_ = std::string(error);
  }

 private:
  const Json* Find(absl::string_view name) const;
  bool Is(Json::Kind kind) const;

  const Json* json_;
  std::string* error_;
};

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_JSON_JSON_H_
