// torqsched verify: does a response do what its stream says?
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/report/text.h"
#include "src/verify/verify.h"
#include "src/wire/verify_wire.h"
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

}  // namespace

CommandSpec VerifySpec() {
  return {"verify",
          "STREAM RESPONSE",
          "\nChecks a ScheduleResponse against its stream, with a checker that shares nothing\n"
          "with the scheduler. Prints each violation on a line; exit status 1 if there is\n"
          "any. With -o or --format a VerifyResponse, and the lines on standard error.\n",
          2,
          2,
          {HardwareOption(), OutputOption(), FormatOption(), InputFormatOption(), MessageOption()}};
}

Failure RunVerify(const Arguments& arguments) {
  std::optional<Format> format;
  StreamInput input;
  v1::ScheduleResponse response;
  const std::string& path = arguments.operands()[1];
  Failure failure = OutputFormat(arguments, &format);
  if (!failure.failed()) failure = ReadStream(arguments, arguments.operands()[0], &input);
  if (!failure.failed()) failure = ReadMessage(arguments, path, &response);
  if (failure.failed()) return failure;

  const absl::StatusOr<ParsedClaim> parsed = ClaimFromProto(response);
  if (!parsed.ok()) return FailureFromStatus(parsed.status(), ShownPath(path));
  const Verification verification = Verify(input.stream, input.hardware, parsed->claim);
  const bool holds = verification.violations.empty();
  if (format.has_value()) {
    v1::VerifyResponse message;
    VerificationToProto(verification, &message);
    failure = WriteMessage(arguments, message, *format);
    if (failure.failed()) return failure;
  }
  failure = WriteReport(
      holds ? Praise(ShownPath(path), verification) : ViolationLines(ShownPath(path), verification),
      format.has_value());
  if (failure.failed() || holds) return failure;
  const size_t count = verification.violations.size();
  return InputFailure(absl::StrCat(ShownPath(path), ": ", report::Grouped(count), " violation",
                                   count == 1 ? "" : "s", " on this hardware"));
}

}  // namespace tools
}  // namespace torqsched
