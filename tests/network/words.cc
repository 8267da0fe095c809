#include "tests/network/words.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace torqsched {
namespace {

const char* NameOf(TensorRole role) {
  switch (role) {
    case TensorRole::kActivation:
      return "activation";
    case TensorRole::kState:
      return "state";
    case TensorRole::kWeight:
      return "weight";
    case TensorRole::kInput:
      return "input";
    case TensorRole::kOutput:
      return "output";
  }
  return "";
}

}  // namespace

std::string TensorWord(TensorRole role, const std::string& name, uint64_t bytes, uint64_t moved) {
  return absl::StrCat(NameOf(role), " '", name, "' ", bytes, " moves ", moved);
}

std::string AccessWord(uint64_t phase, bool store, const std::string& name) {
  return absl::StrCat(phase, store ? " stores " : " loads ", name);
}

std::vector<std::string> WordsOf(const DeployedProgram& program) {
  std::vector<std::string> words;
  if (program.instances != 1) words.push_back(absl::StrCat(program.instances, " instances"));
  if (!program.buffers.empty()) words.push_back("buffers");
  if (!program.tile_accesses.empty()) words.push_back("tile accesses");
  if (program.carried.has_value()) words.push_back("states that are not carried");
  for (const DeployedTensor& t : program.tensors) {
    if (!t.moved_bytes.has_value()) words.push_back("moved bytes are not given:");
    words.push_back(TensorWord(t.role, std::string(t.name), t.bytes, t.moved_bytes.value_or(0)));
  }
  for (const TensorAccess& a : program.accesses) {
    if (a.chip != 0) words.push_back(absl::StrCat("on chip ", a.chip, ":"));
    words.push_back(AccessWord(a.phase, a.store, std::string(program.tensors.at(a.tensor).name)));
  }
  return words;
}

std::string Describe(const Network& network) {
  std::string text;
  for (const NetworkLayer& l : network.layers) {
    absl::StrAppend(&text, "'", l.name, "' inputs ", absl::StrJoin(l.inputs, ","), " of bytes ",
                    absl::StrJoin(l.input_bytes, ","), "; weights ", l.weight_bytes, " + ",
                    l.scale_bytes);
    if (l.index.has_value()) absl::StrAppend(&text, "; index ", *l.index);
    if (l.weight_bytes_read.has_value()) absl::StrAppend(&text, "; read ", *l.weight_bytes_read);
    if (!l.tied_to.empty()) absl::StrAppend(&text, "; tied to '", l.tied_to, "'");
    if (l.state.has_value()) {
      absl::StrAppend(&text, "; state '", l.state->name, "' ", l.state->bytes, " read ",
                      l.state->bytes_read, " written ", l.state->bytes_written);
    }
    if (l.output_bytes.has_value()) absl::StrAppend(&text, "; output ", *l.output_bytes);
    absl::StrAppend(&text, "\n");
  }
  return text;
}

}  // namespace torqsched
