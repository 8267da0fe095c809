// torqsched allocate: an offset for every buffer, or the proof that there is none.
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "src/allocation/allocate.h"
#include "src/lram/allocation_banks.h"
#include "src/report/allocation.h"
#include "src/wire/allocate_wire.h"
#include "tools/allocation_csv.h"
#include "tools/allocation_input.h"
#include "tools/commands.h"
#include "tools/inputs.h"

namespace torqsched {
namespace tools {
namespace {

// Whether the answer is to be written as CSV; else *format has the format of the message, if one is
// to be written.
Failure AnswerFormat(const Arguments& arguments, bool* csv, std::optional<Format>* format) {
  *csv = arguments.Has("format") ? arguments.Value("format") == "csv"
                                 : absl::EndsWith(arguments.Value("output"), ".csv");
  return *csv ? Failure() : OutputFormat(arguments, format);
}

// What the command line sets, in place of what the file says.
Failure ReadOptions(const Arguments& arguments, v1::AllocateRequest* request) {
  std::optional<uint64_t> nodes, time_limit;
  Failure failure = ReadAllocationLimits(arguments, request);
  if (!failure.failed()) failure = arguments.Number("nodes", &nodes);
  if (!failure.failed()) failure = arguments.Number("time-limit-ms", &time_limit);
  if (failure.failed()) return failure;
  v1::AllocateOptions* const options = request->mutable_options();
  if (arguments.Has("least")) options->set_objective(v1::OBJECTIVE_LEAST);
  if (nodes.has_value()) options->set_node_limit(*nodes);
  if (time_limit.has_value()) options->set_time_limit_ms(*time_limit);
  return {};
}

Failure WriteCsv(const Arguments& arguments, const AllocationInput& input,
                 const AllocationProblem& problem, const std::vector<uint64_t>& offsets) {
  const auto name = [&input](uint32_t b) { return AllocationBufferName(input.request, b); };
  return WriteFile(arguments.Has("output") ? arguments.Value("output") : "-",
                   input.is_csv ? PrintAllocationCsv(input.table, offsets)
                                : PrintAllocationCsv(problem, name, offsets));
}

Failure WriteAnswer(const Arguments& arguments, const AllocationAnswer& answer, Format format) {
  v1::AllocateResponse response;
  AllocationAnswerToProto(answer, &response);
  return WriteMessage(arguments, response, format);
}

}  // namespace

CommandSpec AllocateSpec() {
  return {"allocate",
          "INPUT",
          "\nGives every buffer an offset, or proves that not all fit. INPUT is MiniMalloc's\n"
          "CSV (id,lower,upper,size[,alignment,gaps,offset,hint]; an offset there is fixed,\n"
          "a column 'end' for 'upper' is inclusive), an AllocateRequest, or a stream, whose\n"
          "LRAM buffers are placed for its input order. Prints a summary, and with -o or\n"
          "--format the response, or the CSV with offsets (the summary then goes to\n"
          "standard error). Exit status 1 if not placed: 'INPUT: does not fit ...'.\n",
          1,
          1,
          {CapacityOption(),
           AlignmentOption(),
           {"least", "", "find the least height, also where there is a capacity"},
           {"nodes", "N", "search at most so many nodes (2000000)"},
           {"time-limit-ms", "N", "take at most so long (no limit)"},
           HardwareOption(),
           {"output", "FILE", "write the response here, or a CSV (.csv)"},
           {"format", "FORMAT", "of the response: text, json, binary or csv"},
           {"input-format", "FORMAT", "of INPUT: text, json, binary or csv"},
           {"message", "NAME", "INPUT's: AllocateRequest, ScheduleRequest, Stream"}}};
}

Failure RunAllocate(const Arguments& arguments) {
  bool csv = false;
  std::optional<Format> format;
  AllocationInput input;
  Failure failure = AnswerFormat(arguments, &csv, &format);
  if (!failure.failed()) failure = ReadAllocation(arguments, arguments.operands()[0], &input);
  if (!failure.failed()) failure = ReadOptions(arguments, &input.request);
  if (failure.failed()) return failure;

  BankReads reads;
  const absl::StatusOr<ParsedAllocation> parsed =
      AllocationFromProto(input.request, LramProblemAndReads(&reads));
  if (!parsed.ok()) return AllocationFailure(input, parsed.status());
  absl::StatusOr<AllocationAnswer> answer = Allocate(parsed->problem, parsed->options);
  if (!answer.ok()) return AllocationFailure(input, answer.status());
  PreferBanks(parsed->problem, parsed->options, reads, &*answer);

  const bool placed = answer->verdict == AllocationVerdict::kPlaced;
  if (format.has_value()) failure = WriteAnswer(arguments, *answer, *format);
  if (csv && placed) failure = WriteCsv(arguments, input, parsed->problem, answer->offsets);
  if (failure.failed()) return failure;
  const report::AllocationCase allocation = {
      &parsed->problem, &parsed->options, &*answer,
      [&input](uint32_t b) { return DescribeAllocationBuffer(input.request, b); }};
  failure =
      WriteReport(report::AllocationSummary(input.file, allocation), csv || format.has_value());
  if (failure.failed() || placed) return failure;
  return InputFailure(absl::StrCat(input.file, ": ", report::WhyNotPlaced(allocation)));
}

}  // namespace tools
}  // namespace torqsched
