#include "tests/allocation/hazards_io.h"

#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"

namespace torqsched {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

const Value& Field(const Struct& object, const std::string& name) {
  static const Value kNone;
  const auto found = object.fields().find(name);
  return found == object.fields().end() ? kNone : found->second;
}

// 2^64 - 1 is 2^64 as a double: what is beyond 64 bits is the largest value.
uint64_t Number(const Value& value) {
  if (value.kind_case() == Value::kBoolValue) return value.bool_value() ? 1 : 0;
  const double number = value.number_value();
  if (number >= 18446744073709551616.0) return std::numeric_limits<uint64_t>::max();
  return number > 0 ? static_cast<uint64_t>(number) : 0;
}

absl::StatusOr<Struct> Load(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(path);
  std::stringstream text;
  text << file.rdbuf();
  Struct json;
  const auto status = google::protobuf::util::JsonStringToMessage(text.str(), &json);
  if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat(path, ": not JSON"));
  return json;
}

HazardCase ReadHazardCase(const Struct& json) {
  HazardCase result;
  result.id = Field(json, "id").string_value();
  if (Field(json, "capacity").has_number_value()) {
    result.problem.capacity = Number(Field(json, "capacity"));
  }
  if (Field(json, "alignment").has_number_value()) {
    result.problem.alignment = Number(Field(json, "alignment"));
  }
  std::vector<std::pair<uint32_t, const Struct*>> views;
  for (const Value& value : Field(json, "buffers").list_value().values()) {
    const Struct& b = value.struct_value();
    AllocationBuffer buffer;
    buffer.size = Number(Field(b, "size"));
    buffer.live = {Number(Field(b, "lower")), Number(Field(b, "upper"))};
    const auto index = static_cast<uint32_t>(result.problem.buffers.size());
    result.buffer[Field(b, "id").string_value()] = index;
    result.problem.buffers.push_back(buffer);
    if (Field(b, "alias_of").has_string_value()) views.emplace_back(index, &b);
  }
  for (const auto& [view, b] : views) {
    result.problem.aliases.push_back({view, result.buffer[Field(*b, "alias_of").string_value()],
                                      Number(Field(*b, "alias_offset"))});
  }
  for (const auto& [name, offset] : Field(json, "fixed").struct_value().fields()) {
    result.fixed[name] = Number(offset);
  }
  for (const auto& [name, value] : Field(json, "expect").struct_value().fields()) {
    if (value.has_string_value()) {
      result.expect_text[name] = value.string_value();
    } else {
      result.expect[name] = Number(value);
    }
  }
  return result;
}

// The buffers of one op's list: by name ("%buf0"), or as what an earlier op wrote.
void AddTouched(const Struct& op, const char* list,
                const std::map<std::string, std::vector<std::string>>& written,
                std::vector<std::string>* touched) {
  for (const Value& value : Field(op, list).list_value().values()) {
    const Struct& access = value.struct_value();
    if (Field(access, "buffer").has_string_value()) {
      touched->push_back(Field(access, "buffer").string_value().substr(1));
      continue;
    }
    const auto results = written.find(Field(access, "result_of").string_value());
    const uint64_t index = Number(Field(access, "result_index"));
    if (results != written.end() && index < results->second.size()) {
      touched->push_back(results->second[index]);
    }
  }
}

NpuCompilerCase ReadNpuCompilerCase(const Struct& json) {
  NpuCompilerCase result;
  result.name = Field(json, "case").string_value();
  result.capacity = Number(Field(json, "capacity"));
  for (const auto& [name, buffer] : Field(json, "buffers").struct_value().fields()) {
    if (Field(buffer.struct_value(), "space").string_value() != "CMX") continue;
    result.cmx_buffers[name] = Number(Field(buffer.struct_value(), "bytes"));
  }
  std::map<std::string, std::vector<std::string>> written;
  for (const Value& value : Field(json, "ops").list_value().values()) {
    NpuCompilerCase::Op op;
    op.name = Field(value.struct_value(), "name").string_value();
    AddTouched(value.struct_value(), "writes", written, &op.touches);
    written[op.name] = op.touches;
    AddTouched(value.struct_value(), "reads", written, &op.touches);
    result.ops.push_back(std::move(op));
  }
  const Struct& expected = Field(json, "expected").struct_value();
  result.used_bytes = Number(Field(expected, "used_bytes"));
  for (const Value& value : Field(expected, "declared_offsets").list_value().values()) {
    const Struct& declared = value.struct_value();
    result.declared_offsets[Field(declared, "name").string_value()] =
        Number(Field(declared, "offset"));
  }
  return result;
}

}  // namespace

absl::StatusOr<std::vector<HazardCase>> LoadHazardCases(const std::string& path) {
  const absl::StatusOr<Struct> json = Load(path);
  if (!json.ok()) return json.status();
  std::vector<HazardCase> cases;
  for (const Value& value : Field(*json, "allocation").list_value().values()) {
    cases.push_back(ReadHazardCase(value.struct_value()));
  }
  return cases;
}

absl::StatusOr<std::vector<NpuCompilerCase>> LoadNpuCompilerCases(const std::string& path) {
  const absl::StatusOr<Struct> json = Load(path);
  if (!json.ok()) return json.status();
  std::vector<NpuCompilerCase> cases;
  for (const Value& value : Field(*json, "cases").list_value().values()) {
    cases.push_back(ReadNpuCompilerCase(value.struct_value()));
  }
  return cases;
}

}  // namespace torqsched
