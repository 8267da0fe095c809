#include "tests/network/network_json.h"

#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/json/json.h"

namespace torqsched {
namespace {

absl::string_view Keep(const JsonField& name, std::deque<std::string>* names) {
  names->push_back(name.text());
  return names->back();
}

NetworkLayer ReadLayer(const JsonField& json, std::deque<std::string>* names) {
  NetworkLayer layer;
  layer.name = Keep(json["name"], names);
  layer.op = Keep(json["op"], names);
  layer.index = json["index"].small();
  for (const JsonField& input : json["inputs"].items()) layer.inputs.push_back(input.position());
  for (const JsonField& bytes : json["input_bytes_each"].items()) {
    layer.input_bytes.push_back(bytes.number());
  }
  layer.output_bytes = json["output_bytes"].number();
  layer.weight_bytes = json["weight_bytes"].number();
  if (json.has("scale_bytes")) layer.scale_bytes = json["scale_bytes"].number();
  if (json.has("bytes_read_per_step")) {
    layer.weight_bytes_read = json["bytes_read_per_step"].number();
  }
  if (json.has("tied_to")) layer.tied_to = Keep(json["tied_to"], names);
  if (json.has("state")) {
    const JsonField state = json["state"];
    layer.state = {Keep(state["name"], names), state["bytes"].number(),
                   state["bytes_read"].number(), state["bytes_written"].number()};
  }
  if (json.has("macs")) layer.macs = json["macs"].number();
  if (json.has("weight_elems")) layer.weight_elements = json["weight_elems"].number();
  if (json.has("weight_dtype")) layer.weight_type = Keep(json["weight_dtype"], names);
  const std::pair<const char*, uint64_t*> dimensions[] = {
      {"cin", &layer.cin},       {"cout", &layer.cout},     {"k", &layer.kernel},
      {"stride", &layer.stride}, {"groups", &layer.groups}, {"in_hw", &layer.in_hw},
      {"out_hw", &layer.out_hw}};
  for (const auto& [field, dimension] : dimensions) {
    if (json.has(field)) *dimension = json[field].number();
  }
  return layer;
}

}  // namespace

absl::StatusOr<NetworkTable> LoadNetwork(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  std::stringstream text;
  text << file.rdbuf();
  const absl::StatusOr<Json> root = ParseJson(text.str());
  std::string error(root.status().message());
  NetworkTable table;
  if (root.ok()) {
    const JsonField json(&*root, &error);
    table.network.name = Keep(json["network"], &table.names);
    if (json.has("weight_dtype")) {
      table.network.weight_type = Keep(json["weight_dtype"], &table.names);
    }
    if (json.has("activation_dtype")) {
      table.network.activation_type = Keep(json["activation_dtype"], &table.names);
    }
    for (const JsonField& layer : json["layers"].items()) {
      table.network.layers.push_back(ReadLayer(layer, &table.names));
    }
    for (const auto& [name, total] : json["totals"].fields()) {
      table.totals[name] = total.number();
    }
  }
  if (!error.empty()) return absl::InvalidArgumentError(absl::StrCat(path, ": ", error));
  return table;
}

}  // namespace torqsched
