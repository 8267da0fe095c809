#include "src/residency/check_deployment.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/residency/name_table.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

constexpr size_t kMostItems = std::numeric_limits<uint32_t>::max() - 1;

std::string ProgramText(const Deployment& deployment, size_t program) {
  return DescribeItem("program", static_cast<uint32_t>(program), deployment.programs[program].name);
}

absl::Status InvalidAt(absl::string_view what, size_t program, absl::string_view field,
                       absl::string_view message) {
  return ErrorAt(absl::StatusCode::kInvalidArgument, absl::StrCat(what, ": ", message),
                 {absl::StrCat("programs[", program, "].", field), OpIndex(), BufferIndex()});
}

absl::Status CheckCounts(const Deployment& deployment, size_t p) {
  const DeployedProgram& program = deployment.programs[p];
  if (program.instances == 0) {
    return InvalidProgram(deployment, p, "instances", "0 instances; expected at least 1");
  }
  const std::pair<const char*, size_t> sizes[] = {{"buffers", program.buffers.size()},
                                                  {"tensors", program.tensors.size()},
                                                  {"accesses", program.accesses.size()}};
  for (const auto& [field, size] : sizes) {
    if (size <= kMostItems) continue;
    return InvalidProgram(deployment, p, field,
                          absl::StrCat("too many ", field, "; expected fewer than 2^32 - 1"));
  }
  return absl::OkStatus();
}

absl::Status CheckBuffers(const Deployment& deployment, size_t p) {
  const std::vector<SiteBuffer>& buffers = deployment.programs[p].buffers;
  for (size_t i = 0; i < buffers.size(); ++i) {
    uint64_t end = buffers[i].offset;
    if (buffers[i].accumulator || CheckedAdd(&end, buffers[i].bytes)) continue;
    return InvalidProgram(deployment, p, absl::StrCat("buffers[", i, "].bytes"),
                          absl::StrCat("buffer ", i, " of ", buffers[i].bytes, " bytes at offset ",
                                       buffers[i].offset, " ends beyond 64 bits"));
  }
  return absl::OkStatus();
}

absl::Status CheckAccesses(const Deployment& deployment, size_t p) {
  const DeployedProgram& program = deployment.programs[p];
  const auto unknown = [&](absl::string_view list, absl::string_view what, size_t i,
                           uint32_t tensor) {
    return InvalidProgram(deployment, p, absl::StrCat(list, "[", i, "].tensor"),
                          absl::StrCat(what, " ", i, " to unknown tensor ", tensor, "; there are ",
                                       program.tensors.size(), " tensors"));
  };
  for (size_t i = 0; i < program.accesses.size(); ++i) {
    const uint32_t tensor = program.accesses[i].tensor;
    if (tensor >= program.tensors.size()) return unknown("accesses", "access", i, tensor);
  }
  for (size_t i = 0; i < program.tile_accesses.size(); ++i) {
    const uint32_t tensor = program.tile_accesses[i].tensor;
    if (tensor >= program.tensors.size()) return unknown("tile_accesses", "tile access", i, tensor);
  }
  return absl::OkStatus();
}

// False where the product does not fit 64 bits.
bool TileBytes(const TileAccess& access, uint64_t* bytes) {
  const std::vector<uint64_t>& trips = access.trip_counts;
  *bytes = 0;
  // Whatever the other factors, nothing times something is nothing.
  if (access.block_height == 0 || access.block_width == 0 || access.tile_bytes == 0 ||
      std::find(trips.begin(), trips.end(), 0) != trips.end()) {
    return true;
  }
  *bytes = access.tile_bytes;
  const auto times = [bytes](uint64_t factor) {
    return !__builtin_mul_overflow(*bytes, factor, bytes);
  };
  return times(access.block_height) && times(access.block_width) &&
         std::all_of(trips.begin(), trips.end(), times);
}

absl::Status SumMoved(const Deployment& deployment, size_t p, std::vector<uint64_t>* moved) {
  const DeployedProgram& program = deployment.programs[p];
  moved->resize(program.tensors.size());
  for (size_t t = 0; t < moved->size(); ++t) {
    (*moved)[t] = program.tensors[t].moved_bytes.value_or(0);
  }
  for (size_t i = 0; i < program.tile_accesses.size(); ++i) {
    const TileAccess& access = program.tile_accesses[i];
    const auto field = [i] { return absl::StrCat("tile_accesses[", i, "]"); };
    if (program.tensors[access.tensor].moved_bytes.has_value()) {
      return InvalidTensor(deployment, p, access.tensor, field(),
                           "moved bytes are given and tile accesses, too; expected one of them");
    }
    uint64_t bytes;
    if (!TileBytes(access, &bytes) || !CheckedAdd(&(*moved)[access.tensor], bytes)) {
      return InvalidTensor(deployment, p, access.tensor, field(),
                           "the bytes that it moves do not fit 64 bits");
    }
  }
  return absl::OkStatus();
}

absl::Status MarkCarried(const Deployment& deployment, size_t p, const NameTable& names,
                         std::vector<char>* carried) {
  const DeployedProgram& program = deployment.programs[p];
  const auto is_state = [&program](size_t t) {
    return program.tensors[t].role == TensorRole::kState;
  };
  carried->assign(program.tensors.size(), 0);
  if (!program.carried.has_value()) {
    for (size_t t = 0; t < carried->size(); ++t) (*carried)[t] = is_state(t);
    return absl::OkStatus();
  }
  for (size_t i = 0; i < program.carried->size(); ++i) {
    const absl::string_view name = (*program.carried)[i];
    const std::optional<uint32_t> tensor = names.Find(name);
    const std::string field = absl::StrCat("carried.names[", i, "]");
    if (!tensor.has_value()) {
      const std::string shown = DescribeItem("carried name", static_cast<uint32_t>(i), name);
      return InvalidProgram(deployment, p, field,
                            absl::StrCat(shown, " is that of no tensor; expected a state's"));
    }
    if (!is_state(*tensor)) {
      return InvalidTensor(deployment, p, *tensor, field,
                           "carried, and no state; expected the name of a state");
    }
    (*carried)[*tensor] = 1;
  }
  return absl::OkStatus();
}

absl::Status RepeatedTensor(const Deployment& deployment, size_t p, uint32_t tensor,
                            const NameTable& names) {
  const uint32_t first = *names.Find(deployment.programs[p].tensors[tensor].name);
  return InvalidTensor(deployment, p, tensor, absl::StrCat("tensors[", tensor, "].name"),
                       absl::StrCat("tensor ", first, " has the same name"));
}

}  // namespace

absl::Status InvalidProgram(const Deployment& deployment, size_t program, absl::string_view field,
                            absl::string_view message) {
  return InvalidAt(ProgramText(deployment, program), program, field, message);
}

absl::Status InvalidTensor(const Deployment& deployment, size_t program, size_t tensor,
                           absl::string_view field, absl::string_view message) {
  const absl::string_view name = deployment.programs[program].tensors[tensor].name;
  return InvalidAt(absl::StrCat(ProgramText(deployment, program), ", ",
                                DescribeItem("tensor", static_cast<uint32_t>(tensor), name)),
                   program, field, message);
}

absl::Status CheckProgramNames(const Deployment& deployment) {
  if (deployment.programs.size() > kMostItems) {
    return ErrorAt(absl::StatusCode::kInvalidArgument,
                   "too many programs; expected fewer than 2^32 - 1",
                   {"programs", OpIndex(), BufferIndex()});
  }
  std::vector<absl::string_view> names;
  names.reserve(deployment.programs.size());
  for (const DeployedProgram& program : deployment.programs) names.push_back(program.name);
  const NameTable table(std::move(names));
  const std::optional<uint32_t> repeated = table.FirstRepeated();
  if (!repeated.has_value()) return absl::OkStatus();
  const uint32_t first = *table.Find(deployment.programs[*repeated].name);
  return InvalidProgram(deployment, *repeated, "name",
                        absl::StrCat("program ", first, " has the same name"));
}

absl::StatusOr<TensorNotes> CheckProgram(const Deployment& deployment, size_t p) {
  if (absl::Status status = CheckCounts(deployment, p); !status.ok()) return status;
  std::vector<absl::string_view> tensor_names;
  tensor_names.reserve(deployment.programs[p].tensors.size());
  for (const DeployedTensor& t : deployment.programs[p].tensors) tensor_names.push_back(t.name);
  const NameTable names(std::move(tensor_names));
  if (const std::optional<uint32_t> repeated = names.FirstRepeated()) {
    return RepeatedTensor(deployment, p, *repeated, names);
  }
  if (absl::Status status = CheckAccesses(deployment, p); !status.ok()) return status;
  TensorNotes notes;
  absl::Status status = SumMoved(deployment, p, &notes.moved_bytes);
  if (status.ok()) status = MarkCarried(deployment, p, names, &notes.carried);
  if (status.ok()) status = CheckBuffers(deployment, p);
  if (!status.ok()) return status;
  return notes;
}

}  // namespace torqsched
