#include "tools/allocation_input.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/stream/error.h"
#include "tools/csv.h"
#include "tools/inputs.h"
#include "tools/messages.h"
#include "torqsched/v1/schedule.pb.h"

namespace torqsched {
namespace tools {
namespace {

using google::protobuf::Message;

Failure ReadCsv(const std::string& path, AllocationInput* input) {
  input->is_csv = true;
  const Failure failure = ReadFile(path, &input->text);
  if (failure.failed()) return failure;
  const absl::Status status = ParseAllocationCsv(input->text, &input->request, &input->table);
  if (status.ok()) return {};
  return InputFailure(absl::StrCat(input->file, ":", status.message()));
}

// Which messages to read the file as, the first that fits.
Failure MessagesToTry(const Arguments& arguments, const LoadedFile& file,
                      std::vector<const Message*>* messages) {
  const std::vector<const Message*> all = {&v1::AllocateRequest::default_instance(),
                                           &v1::ScheduleRequest::default_instance(),
                                           &v1::Stream::default_instance()};
  const bool on_line = arguments.Has("message");
  // A header knows better than the command line, which may mean the answer that goes with it.
  const std::string name = file.declared.empty() ? arguments.Value("message") : file.declared;
  if (name.empty()) {
    *messages = all;
    if (file.format == Format::kBinary) messages->resize(1);
    return {};
  }
  for (const Message* message : all) {
    if (MessageNamed(name) == message) *messages = {message};
  }
  if (!messages->empty()) return {};
  const std::string wanted =
      absl::StrCat("'", name, "'; expected AllocateRequest, ScheduleRequest or Stream");
  if (on_line && file.declared.empty()) return UsageFailure(absl::StrCat("--message: ", wanted));
  return InputFailure(absl::StrCat(file.path, ": holds a ", wanted));
}

Failure ParseAs(const LoadedFile& file, const Message* message, v1::AllocateRequest* request) {
  request->Clear();
  if (message == &v1::AllocateRequest::default_instance()) return ParseFile(file, request);
  if (message == &v1::Stream::default_instance()) {
    return ParseFile(file, request->mutable_stream());
  }
  v1::ScheduleRequest schedule;
  const Failure failure = ParseFile(file, &schedule);
  if (failure.failed()) return failure;
  request->mutable_stream()->Swap(schedule.mutable_stream());
  if (schedule.has_hardware()) request->mutable_hardware()->Swap(schedule.mutable_hardware());
  return {};
}

Failure ReadRequest(const Arguments& arguments, const std::string& path,
                    v1::AllocateRequest* request) {
  LoadedFile file;
  std::vector<const Message*> messages;
  Failure failure = LoadFile(arguments, path, &file);
  if (!failure.failed()) failure = MessagesToTry(arguments, file, &messages);
  if (failure.failed()) return failure;
  for (const Message* message : messages) {
    Failure attempt = ParseAs(file, message, request);
    if (!attempt.failed()) return {};
    if (!failure.failed()) failure = std::move(attempt);  // what it was meant to be, most likely
  }
  return failure;
}

// The message that a text file's header names; empty where there is none, and of standard input.
std::string DeclaredIn(const std::string& path) {
  std::string text;
  if (path == "-" || ReadFile(path, &text).failed()) return "";
  if (FormatOfFile(path).value_or(GuessFormat(text)) != Format::kText) return "";
  return DeclaredMessage(text);
}

bool IsAllocationMessage(const std::string& name) {
  const Message* const message = MessageNamed(name);
  return message == &v1::AllocateRequest::default_instance() ||
         message == &v1::AllocateResponse::default_instance();
}

}  // namespace

OptionSpec CapacityOption() {
  return {"capacity", "N", "bytes to fit in (no limit; of a stream: usable LRAM)"};
}
OptionSpec AlignmentOption() { return {"alignment", "N", "of every offset, bytes (1)"}; }

Failure ReadAllocation(const Arguments& arguments, const std::string& path,
                       AllocationInput* input) {
  input->file = ShownPath(path);
  const Failure failure = IsCsvInput(arguments, path)
                              ? ReadCsv(path, input)
                              : ReadRequest(arguments, path, &input->request);
  if (failure.failed()) return failure;
  input->hardware_file = input->file;
  if (!arguments.Has("hardware")) return {};
  return ReadHardware(arguments, input->request.mutable_hardware(), &input->hardware_file);
}

Failure ReadAllocationLimits(const Arguments& arguments, v1::AllocateRequest* request) {
  std::optional<uint64_t> capacity, alignment;
  Failure failure = arguments.Number("capacity", &capacity);
  if (!failure.failed()) failure = arguments.Number("alignment", &alignment);
  if (failure.failed()) return failure;
  if (alignment == uint64_t{0}) return UsageFailure("--alignment: 0; expected at least 1 byte");
  if (capacity.has_value()) request->set_capacity(*capacity);
  if (alignment.has_value()) request->set_alignment(*alignment);
  return {};
}

bool IsAllocation(const Arguments& arguments) {
  if (IsCsvInput(arguments, arguments.operands()[0])) return true;
  if (IsAllocationMessage(arguments.Value("message"))) return true;
  for (const std::string& path : arguments.operands()) {
    if (IsAllocationMessage(DeclaredIn(path))) return true;
  }
  return false;
}

Failure ReadAllocateResponse(const Arguments& arguments, const std::string& path,
                             v1::AllocateResponse* response) {
  if (arguments.Value("input-format") != "csv") return ReadMessage(arguments, path, response);
  LoadedFile file{ShownPath(path), "", Format::kText, ""};
  const Failure failure = ReadFile(path, &file.bytes);
  if (failure.failed()) return failure;
  file.format = FormatOfFile(path).value_or(GuessFormat(file.bytes));
  return ParseFile(file, response);
}

Failure AllocationFailure(const AllocationInput& input, const absl::Status& status) {
  const ErrorPlace place = PlaceOf(status);
  if (absl::StartsWith(place.field, "hardware")) {
    return FailureFromStatus(status, input.hardware_file);
  }
  if (input.is_csv && place.buffer.present() && place.buffer.value() < input.table.lines.size()) {
    return FailureFromStatus(
        status, absl::StrCat(input.file, ":", input.table.lines[place.buffer.value()]));
  }
  return FailureFromStatus(status, input.file);
}

}  // namespace tools
}  // namespace torqsched
