#include "capi/call.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/schedule/optimize.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"
#include "src/warm/warm_plan.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/judge_wire.h"
#include "src/wire/stream_wire.h"

namespace torqsched {
namespace {

// Bytes that a call takes for each of these. tests/capi/allocation_test.cc holds them
// against measurements, torqsched.h tells them.
constexpr uint64_t kPerRequestByte = 4;
constexpr uint64_t kPerOp = 512;
constexpr uint64_t kPerOpInDetail = 1024;  // with steps or a timeline
constexpr uint64_t kPerBuffer = 320;
constexpr uint64_t kPerOperand = 96;
constexpr uint64_t kPerAccess = 512;
constexpr uint64_t kPerPlacedBuffer = 1024;  // of an allocation
constexpr uint64_t kPerConstraint = 256;  // a gap, a reserved range, a boundary, an alias, a pair
// Of strategy OPTIMIZE: bounds and the search; the states of a complete search, while it has nodes.
constexpr uint64_t kPerOptimizedOp = 1024;
constexpr uint64_t kPerNode = 16;
constexpr uint64_t kMostNodes = 32000000;
constexpr uint64_t kOfOptimize = 64 << 20;

// Of a plan of residency; tests/capi/residency_memory_test.cc.
constexpr uint64_t kPerProgram = 1024;  // or stream
constexpr uint64_t kPerTensor = 512;
constexpr uint64_t kPerTensorAccess = 384;
constexpr uint64_t kPerListed = 512;  // a site buffer, a carried name, a binding
constexpr uint64_t kPerNumber = 32;   // in a list: a trip count, the bytes of an input
constexpr int kTensorsOfALayer = 3;
constexpr int kAccessesOfALayer = 4;  // beside those to its inputs
// Of strategy OPTIMAL: the search; its rows, which have at most so many uses, and so many bytes.
constexpr uint64_t kPerUse = 128;
constexpr uint64_t kPerOptimalTensor = 1024;
constexpr uint64_t kOfOptimalResidency = 384 << 20;

// Of a plan of warms; tests/capi/warm_memory_test.cc.
constexpr uint64_t kPerStage = 2048;  // or kind
constexpr uint64_t kPerRegion = 1024;
constexpr uint64_t kPerRead = 1024;
constexpr uint64_t kPerRun = 512;
// Of each layer of the simulated forward.
constexpr uint64_t kPerLayer = 192;
constexpr uint64_t kPerStageOfALayer = 32;
constexpr uint64_t kPerReadOfALayer = 384;
constexpr uint64_t kMostRepeats = 3;
// Of each choice that is weighed, and of its sets, of which so many are warmed at most.
constexpr uint64_t kPerChoice = 128;
constexpr uint64_t kPerReadOfAChoice = 16;
constexpr uint64_t kPerSetOfAChoice = 40;
constexpr uint64_t kPerSetOfAnAlternative = 48;
constexpr uint64_t kMostSets = 13;
constexpr uint64_t kMoreChoices = 2048;    // than the exact search's
constexpr uint64_t kPerAnchorOfASet = 16;  // choices
constexpr int kMostStagesOfAnExactKind = 256;
constexpr uint64_t kPerFlips = 4096;  // of a kind; for each of its sets
constexpr uint64_t kPerTracedStage = 1024;
constexpr uint64_t kPerTracedRead = 2048;
constexpr uint64_t kPerMeeting = 384;  // of a read with others of the same region
constexpr uint64_t kMostMeetings = 64;

// Of a judgement.
constexpr uint64_t kPerRound = 48;  // or issue
constexpr uint64_t kPerSeries = 1024;
constexpr uint64_t kPerResample = 160;

constexpr uint64_t kMostEstimate = uint64_t{1} << 62;

// Of tile budgets, and of a lowering; tests/capi/lower_memory_test.cc.
constexpr uint64_t kPerLoop = 1024;
constexpr uint64_t kMoreLoops = 2;  // for what a call takes whatever it is asked
constexpr uint64_t kPerLoweredLayer = 8192;
constexpr uint64_t kPerLoweredProgram = 16384;
constexpr uint64_t kPerSearchedProgram = 24576;  // where strategy OPTIMIZE tunes

constexpr torqsched_session_options kDefaults = TORQSCHED_SESSION_OPTIONS_INIT;

absl::Status CheckHasStream(bool has_stream) {
  if (has_stream) return absl::OkStatus();
  return ErrorAt(absl::StatusCode::kInvalidArgument,
                 "stream: the request has no stream; expected one, which may be empty",
                 {"stream", OpIndex(), BufferIndex()});
}

absl::Status BesideAllocation(absl::string_view field) {
  return ErrorAt(absl::StatusCode::kInvalidArgument,
                 absl::StrCat(field, ": beside an allocation; expected one of the two"),
                 {std::string(field), OpIndex(), BufferIndex()});
}

// Counts are below 2^31: nothing here overflows.
uint64_t EstimateStream(const v1::Stream& stream, bool in_detail) {
  uint64_t operands = 0;
  uint64_t accesses = 0;
  for (const v1::Op& op : stream.ops()) {
    operands += static_cast<uint64_t>(op.operands_size());
    accesses += static_cast<uint64_t>(op.accesses_size());
  }
  return (in_detail ? kPerOpInDetail : kPerOp) * static_cast<uint64_t>(stream.ops_size()) +
         kPerBuffer * static_cast<uint64_t>(stream.buffers_size()) + kPerOperand * operands +
         kPerAccess * accesses;
}

// Of strategy OPTIMIZE, whatever the stream.
uint64_t EstimateSearch(const v1::ScheduleOptions& options) {
  const uint64_t nodes = options.has_work_limit() ? options.work_limit() : kDefaultWorkLimit;
  return kPerNode * std::min(nodes, kMostNodes) + kOfOptimize;
}

bool TunesBySearch(const v1::LowerRequest& request) {
  return request.options().has_tuning() &&
         request.options().tuning().schedule().strategy() == v1::STRATEGY_OPTIMIZE;
}

// base ^ exponent, or most where it is more.
uint64_t Power(uint64_t base, uint64_t exponent, uint64_t most) {
  uint64_t power = 1;
  for (; base > 1 && exponent > 0 && power < most; --exponent) {
    power = SaturatingMultiply(power, base);
  }
  return std::min(power, most);
}

// For each read those of the same region, kMostMeetings at most.
uint64_t MeetingsOf(const v1::WarmLayerKind& kind) {
  std::vector<uint32_t> regions;
  for (const v1::WarmStage& stage : kind.stages()) {
    for (const v1::WarmRead& read : stage.reads()) regions.push_back(read.region());
  }
  std::sort(regions.begin(), regions.end());
  uint64_t meetings = 0;
  for (size_t from = 0, to = 0; from < regions.size(); from = to) {
    while (to < regions.size() && regions[to] == regions[from]) ++to;
    meetings += (to - from) * std::min<uint64_t>(to - from, kMostMeetings);
  }
  return meetings;
}

// Bytes of a kind of layer: those that stay, and those of its search, which only one kind has at a
// time.
struct WarmCosts {
  uint64_t kept = 0;
  uint64_t searched = 0;
};

WarmCosts CostsOf(const v1::WarmLayerKind& kind, uint64_t layers, const v1::WarmOptions& options) {
  const WarmOptions defaults;
  const uint64_t exact =
      options.has_exact_combinations() ? options.exact_combinations() : defaults.exact_combinations;
  const uint64_t most =
      options.has_most_alternatives() ? options.most_alternatives() : defaults.most_alternatives;
  const uint64_t stages = static_cast<uint64_t>(kind.stages_size());
  uint64_t anchors = kind.input().empty() ? 0 : 1;
  uint64_t reads = 0;
  uint64_t readers = 0;  // stages
  uint64_t waits = 0;
  for (const v1::WarmStage& stage : kind.stages()) {
    anchors += stage.has_task_id() || !stage.writes().empty() ? 1 : 0;
    reads += static_cast<uint64_t>(stage.reads_size());
    readers += stage.reads_size() != 0 ? 1 : 0;
    waits += static_cast<uint64_t>(stage.after().stages_size());
  }
  const uint64_t sets = options.single_regions() ? reads : readers;
  const uint64_t warmed = std::min(sets, kMostSets);
  uint64_t choices = 1;
  if (kind.stages_size() <= kMostStagesOfAnExactKind) {
    const uint64_t at_most = SaturatingAdd(exact, kMoreChoices);
    const uint64_t split = std::min(sets, reads - sets);  // sets of more than one region
    choices = SaturatingMultiply(Power(anchors + 1, sets - split, at_most),
                                 Power(2 * anchors + 1, split, at_most));
    choices = std::min(at_most, SaturatingAdd(choices, kPerAnchorOfASet * anchors * sets));
  }
  const uint64_t of_choice = kPerChoice + kPerReadOfAChoice * reads;
  WarmCosts costs;
  costs.searched = SaturatingMultiply(choices, of_choice + kPerSetOfAChoice * warmed);
  costs.kept = kPerStage * (stages + 1) + kPerRead * reads + kPerNumber * waits;
  const uint64_t of_layer = kPerLayer + kPerStageOfALayer * stages + kPerReadOfALayer * reads;
  costs.kept = SaturatingAdd(costs.kept, SaturatingMultiply(layers, of_layer));
  costs.kept = SaturatingAdd(
      costs.kept,
      SaturatingMultiply(std::min(choices, most), of_choice + kPerSetOfAnAlternative * warmed));
  if (options.flips()) costs.kept = SaturatingAdd(costs.kept, kPerFlips * (1 + warmed));
  if (options.traces()) {
    costs.kept = SaturatingAdd(costs.kept, kPerTracedStage * stages + kPerTracedRead * reads +
                                               kPerMeeting * MeetingsOf(kind));
  }
  return costs;
}

}  // namespace

const torqsched_session_options& OptionsOf(const torqsched_session* session) {
  return session == nullptr ? kDefaults : session->options;
}

absl::Status ReadRequest(const void* data, size_t size, uint64_t memory_limit,
                         google::protobuf::MessageLite* request) {
  const ParseBudget budget(memory_limit);
  try {
    return ReadMessage(data, size, request);
  } catch (const std::bad_alloc&) {
    if (!budget.exceeded()) throw;
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("the session's memory limit is ", memory_limit,
                   " bytes; the request alone takes more once it is parsed"));
}

absl::Status CheckSubject(const v1::ScheduleRequest& request) {
  return CheckHasStream(request.has_stream());
}

absl::Status CheckSubject(const v1::SimulateRequest& request) {
  return CheckHasStream(request.has_stream());
}

// A list of no buffers is one, too.
absl::Status CheckSubject(const v1::AllocateRequest&) { return absl::OkStatus(); }

absl::Status CheckSubject(const v1::VerifyRequest& request) {
  if (!request.has_allocate_request() && !request.has_allocate_response()) {
    return CheckHasStream(request.has_stream());
  }
  if (request.has_stream()) return BesideAllocation("stream");
  if (request.has_hardware()) return BesideAllocation("hardware");
  if (request.has_schedule()) return BesideAllocation("schedule");
  return absl::OkStatus();
}

// Neither is nothing.
absl::Status CheckSubject(const v1::PlanResidencyRequest&) { return absl::OkStatus(); }

absl::Status CheckSubject(const v1::PlanWarmRequest& request) {
  if (request.has_timeline()) return absl::OkStatus();
  return FieldError("timeline", "the request has none; expected the stages of a forward");
}

// No loops have no budgets.
absl::Status CheckSubject(const v1::PlanTilesRequest&) { return absl::OkStatus(); }

absl::Status CheckSubject(const v1::LowerRequest& request) {
  if (request.has_network()) return absl::OkStatus();
  return FieldError("network", "the request has none; expected a table of layers");
}

// The judge says what is missing.
absl::Status CheckSubject(const v1::JudgeWarmRequest&) { return absl::OkStatus(); }

uint64_t EstimateMemory(const v1::ScheduleRequest& request) {
  const v1::ScheduleOptions& options = request.options();
  const uint64_t stream = EstimateStream(request.stream(), options.explain() || options.timeline());
  if (options.strategy() != v1::STRATEGY_OPTIMIZE) return stream;
  return stream + kPerOptimizedOp * static_cast<uint64_t>(request.stream().ops_size()) +
         EstimateSearch(options);
}

uint64_t EstimateMemory(const v1::SimulateRequest& request) {
  return EstimateStream(request.stream(), request.timeline());
}

uint64_t EstimateMemory(const v1::AllocateRequest& request) {
  uint64_t constraints = static_cast<uint64_t>(request.reserved_size()) +
                         static_cast<uint64_t>(request.aliases_size()) +
                         static_cast<uint64_t>(request.boundaries_size()) +
                         static_cast<uint64_t>(request.same_offset_size()) +
                         static_cast<uint64_t>(request.separate_size());
  for (const v1::AllocationBuffer& buffer : request.buffers()) {
    constraints += static_cast<uint64_t>(buffer.gaps_size());
  }
  const uint64_t buffers = static_cast<uint64_t>(request.buffers_size()) +
                           static_cast<uint64_t>(request.stream().buffers_size());
  return EstimateStream(request.stream(), /*in_detail=*/false) + kPerPlacedBuffer * buffers +
         kPerConstraint * constraints;
}

uint64_t EstimateMemory(const v1::VerifyRequest& request) {
  return EstimateStream(request.stream(), /*in_detail=*/false) +
         EstimateMemory(request.allocate_request());
}

uint64_t EstimateMemory(const v1::PlanResidencyRequest& request) {
  const bool optimal = request.options().strategy() == v1::RESIDENCY_STRATEGY_OPTIMAL;
  const uint64_t per_tensor = kPerTensor + (optimal ? kPerOptimalTensor : 0);
  uint64_t bytes = 0;
  uint64_t tensors = 0, accesses = static_cast<uint64_t>(request.programs_size()) + 1;
  const auto count = [&bytes](uint64_t each, int items) {
    bytes += each * static_cast<uint64_t>(items);
  };
  count(kPerProgram, request.programs_size());
  count(kPerProgram, request.streams_size());
  for (const v1::ResidencyProgram& program : request.programs()) {
    count(per_tensor, program.tensors_size());
    tensors += static_cast<uint64_t>(program.tensors_size());
    accesses += static_cast<uint64_t>(program.accesses_size());
    count(kPerTensorAccess, program.accesses_size());
    count(kPerTensorAccess, program.tile_accesses_size());
    for (const v1::TileAccess& access : program.tile_accesses()) {
      count(kPerNumber, access.trip_counts_size());
    }
    count(kPerListed, program.buffers_size());
    count(kPerListed, program.carried().names_size());
  }
  for (const v1::NetworkLayer& layer : request.network().layers()) {
    count(per_tensor, kTensorsOfALayer);
    tensors += kTensorsOfALayer;
    accesses += kAccessesOfALayer + static_cast<uint64_t>(layer.inputs_size());
    count(kPerTensorAccess, kAccessesOfALayer);
    count(kPerTensorAccess, layer.inputs_size());
    count(kPerNumber, layer.input_bytes_each_size());
  }
  for (const v1::ResidencyStream& stream : request.streams()) {
    bytes += EstimateStream(stream.stream(), /*in_detail=*/false);
    count(kPerListed, stream.bindings_size());
  }
  if (optimal) {
    const uint64_t uses = SaturatingMultiply(tensors, accesses);
    bytes += std::min(kOfOptimalResidency, SaturatingMultiply(kPerUse, uses));
  }
  return bytes;
}

uint64_t EstimateMemory(const v1::PlanWarmRequest& request) {
  const v1::WarmTimeline& timeline = request.timeline();
  uint64_t bytes = 0;
  const auto count = [&bytes](uint64_t each, int items) {
    bytes += each * static_cast<uint64_t>(items);
  };
  count(kPerRegion, timeline.regions_size());
  count(kPerRun, timeline.runs_size());
  for (const v1::WarmRegion& region : timeline.regions()) count(kPerNumber, region.shape_size());
  const size_t kinds = static_cast<size_t>(timeline.kinds_size());
  std::vector<uint64_t> layers(kinds, timeline.runs_size() == 0 ? 1 : 0);
  for (const v1::WarmRun& run : timeline.runs()) {
    count(kPerNumber, run.kinds_size());
    const uint64_t repeats = run.has_repeats() ? run.repeats() : 1;
    for (const uint32_t kind : run.kinds()) {
      if (kind < kinds) layers[kind] += std::min(repeats, kMostRepeats);
    }
  }
  uint64_t searched = 0;
  for (size_t k = 0; k < kinds; ++k) {
    const WarmCosts costs =
        CostsOf(timeline.kinds(static_cast<int>(k)), layers[k], request.options());
    bytes = SaturatingAdd(bytes, costs.kept);
    searched = std::max(searched, costs.searched);
  }
  return std::min(SaturatingAdd(bytes, searched), kMostEstimate);
}

uint64_t EstimateMemory(const v1::JudgeWarmRequest& request) {
  const uint64_t resamples = JudgeOptionsFromProto(request.options()).resamples;
  uint64_t bytes = kPerRound * static_cast<uint64_t>(request.warm_durations_size()) +
                   kPerSeries * static_cast<uint64_t>(request.series_size()) +
                   kPerResample * resamples;
  for (const v1::RoundSeries& series : request.series()) {
    bytes += kPerRound * static_cast<uint64_t>(series.times_size());
  }
  return bytes;
}

uint64_t EstimateMemory(const v1::PlanTilesRequest& request) {
  return kPerLoop * (static_cast<uint64_t>(request.loops_size()) + kMoreLoops);
}

uint64_t EstimateMemory(const v1::LowerRequest& request) {
  uint64_t bytes = 0;
  for (const v1::NetworkLayer& layer : request.network().layers()) {
    bytes += kPerLoweredLayer + kPerTensorAccess * static_cast<uint64_t>(layer.inputs_size()) +
             kPerNumber * static_cast<uint64_t>(layer.input_bytes_each_size());
  }
  if (TunesBySearch(request)) bytes += EstimateSearch(request.options().tuning().schedule());
  return bytes + kPerNumber * static_cast<uint64_t>(request.options().budgets_size());
}

uint64_t MostPrograms(const v1::LowerRequest& request, uint64_t asked, uint64_t memory_limit) {
  if (memory_limit == 0) return asked;
  const uint64_t taken = EstimateMemory(request) + kPerRequestByte * request.ByteSizeLong();
  const uint64_t left = memory_limit - std::min(memory_limit, taken);
  return std::min(asked,
                  left / (TunesBySearch(request) ? kPerSearchedProgram : kPerLoweredProgram));
}

absl::Status CheckMemory(uint64_t estimate, size_t request_size, uint64_t memory_limit) {
  if (memory_limit == 0) return absl::OkStatus();
  estimate += kPerRequestByte * request_size;
  if (estimate <= memory_limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("the session's memory limit is ", memory_limit,
                                                   " bytes; this request is estimated to take ",
                                                   estimate));
}

absl::Status CheckNotInside(const torqsched_session* session) {
  if (!CallFrame::Inside(session)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "a callback called the session that it serves; expected another session, or none");
}

absl::StatusOr<Subject> ReadSubject(const v1::Stream& stream, const v1::Hardware& hardware) {
  absl::StatusOr<Stream> read_stream = StreamFromProto(stream);
  if (!read_stream.ok()) return read_stream.status();
  const absl::StatusOr<Hardware> read_hardware = HardwareFromProto(hardware);
  if (!read_hardware.ok()) return read_hardware.status();
  const absl::Status fits = CheckStreamFits(*read_stream, *read_hardware);
  if (!fits.ok()) return fits;
  return Subject{*std::move(read_stream), *read_hardware};
}

}  // namespace torqsched
