// torqsched verify: does a response do what its stream, or its allocation, says?
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/report/text.h"
#include "src/verify/allocation.h"
#include "src/verify/stream_allocation.h"
#include "src/verify/verify.h"
#include "src/wire/allocate_wire.h"
#include "src/wire/verify_wire.h"
#include "tools/allocation_input.h"
#include "tools/commands.h"
#include "tools/inputs.h"

namespace torqsched {
namespace tools {
namespace {

std::string ViolationLines(const std::string& file, const Verification& verification) {
  std::string out;
  for (const Violation& violation : verification.violations) {
    absl::StrAppend(&out, file, ": ", violation.message, "\n");
  }
  return out;
}

std::string Praise(const std::string& file, const Verification& verification) {
  std::string out =
      absl::StrCat(file, ": holds. ", report::Grouped(verification.predicted_makespan),
                   " cycles before allocation");
  if (verification.allocated_makespan != 0) {
    absl::StrAppend(&out, ", ", report::Grouped(verification.allocated_makespan), " after");
  } else {
    out += " (it tells no placement in LRAM)";
  }
  return absl::StrCat(out, ", peak ", report::Grouped(verification.peak_live_bytes), " bytes\n");
}

std::string Praise(const std::string& file, const AllocationAnswer& answer,
                   const Verification& verification) {
  if (answer.verdict != AllocationVerdict::kPlaced) {
    return absl::StrCat(
        file, ": no contradiction. ",
        answer.verdict == AllocationVerdict::kInfeasible ? "Infeasible" : "Undecided", ", ",
        report::Grouped(verification.peak_live_bytes), " bytes are live at once\n");
  }
  return absl::StrCat(file, ": holds. Height ", report::Grouped(verification.height), " bytes, ",
                      report::Grouped(verification.peak_live_bytes), " are live at once\n");
}

// What is wrong, or that nothing is; and the message, where one is asked for.
Failure Report(const Arguments& arguments, std::optional<Format> format, const std::string& file,
               const Verification& verification, const std::string& praise,
               absl::string_view basis) {
  const bool holds = verification.violations.empty();
  Failure failure;
  if (format.has_value()) {
    v1::VerifyResponse message;
    VerificationToProto(verification, &message);
    failure = WriteMessage(arguments, message, *format);
    if (failure.failed()) return failure;
  }
  failure = WriteReport(holds ? praise : ViolationLines(file, verification), format.has_value());
  if (failure.failed() || holds) return failure;
  const size_t count = verification.violations.size();
  return InputFailure(
      absl::StrCat(file, ": ", report::Grouped(count), " violation", count == 1 ? "" : "s", basis));
}

Failure RunVerifyAllocation(const Arguments& arguments, std::optional<Format> format) {
  AllocationInput input;
  v1::AllocateResponse response;
  const std::string& path = arguments.operands()[1];
  if (absl::EndsWith(path, ".csv")) {
    return InputFailure(
        absl::StrCat(ShownPath(path),
                     ": a CSV has offsets only, no height, bound or verdict to check; "
                     "write the answer with -o FILE.json"));
  }
  Failure failure = ReadAllocation(arguments, arguments.operands()[0], &input);
  if (!failure.failed()) failure = ReadAllocateResponse(arguments, path, &response);
  if (!failure.failed()) failure = ReadAllocationLimits(arguments, &input.request);
  if (failure.failed()) return failure;

  const absl::StatusOr<ParsedAllocation> parsed =
      AllocationFromProto(input.request, &AllocationToVerify);
  if (!parsed.ok()) return AllocationFailure(input, parsed.status());
  const absl::StatusOr<AllocationAnswer> answer = AllocationAnswerFromProto(response);
  if (!answer.ok()) return FailureFromStatus(answer.status(), ShownPath(path));
  const Verification verification =
      VerifyAllocation(parsed->problem, *answer,
                       [&input](uint32_t b) { return DescribeAllocationBuffer(input.request, b); });
  return Report(arguments, format, ShownPath(path), verification,
                Praise(ShownPath(path), *answer, verification), "");
}

}  // namespace

CommandSpec VerifySpec() {
  return {"verify",
          "STREAM RESPONSE",
          "\nChecks a ScheduleResponse against its stream, or an AllocateResponse against\n"
          "the input of 'allocate', with a checker that shares nothing with what made them.\n"
          "Prints each violation on a line; exit status 1 if there is any. With -o or\n"
          "--format a VerifyResponse, and the lines on standard error. An allocation is\n"
          "told by CSV input, by a header line, or by --message AllocateRequest; its answer\n"
          "cannot be CSV. Give the same --capacity as to 'allocate'.\n",
          2,
          2,
          {HardwareOption(),
           CapacityOption(),
           AlignmentOption(),
           OutputOption(),
           FormatOption(),
           InputFormatOption(),
           {"message", "NAME", "what STREAM holds, such as Stream, AllocateRequest"}}};
}

Failure RunVerify(const Arguments& arguments) {
  std::optional<Format> format;
  StreamInput input;
  v1::ScheduleResponse response;
  const std::string& path = arguments.operands()[1];
  Failure failure = OutputFormat(arguments, &format);
  if (!failure.failed() && IsAllocation(arguments)) return RunVerifyAllocation(arguments, format);
  for (const char* option : {"capacity", "alignment"}) {
    if (!arguments.Has(option)) continue;
    return UsageFailure(absl::StrCat("--", option, " is about an allocation, this is a schedule"));
  }
  if (!failure.failed()) failure = ReadStream(arguments, arguments.operands()[0], &input);
  if (!failure.failed()) failure = ReadMessage(arguments, path, &response);
  if (failure.failed()) return failure;

  const absl::StatusOr<ParsedClaim> parsed = ClaimFromProto(response);
  if (!parsed.ok()) return FailureFromStatus(parsed.status(), ShownPath(path));
  const Verification verification = Verify(input.stream, input.hardware, parsed->claim);
  return Report(arguments, format, ShownPath(path), verification,
                Praise(ShownPath(path), verification), " on this hardware");
}

}  // namespace tools
}  // namespace torqsched
