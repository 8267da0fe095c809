#include "tools/inputs.h"

#include <cstdio>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/stream_wire.h"
#include "tools/messages.h"

namespace torqsched {
namespace tools {
namespace {

constexpr char kFormats[] = "text|json|binary";

// What the library's messages call what an option sets.
struct NameOfOption {
  absl::string_view name;
  absl::string_view option;
};
constexpr NameOfOption kNamesOfOptions[] = {
    {"hardware.profile", "--hardware"},       {"strategy OPTIMIZE", "--strategy optimize"},
    {"options.cap_percent", "--cap-percent"}, {"options.prefetch_percent", "--prefetch-percent"},
    {"options.candidates", "--candidates"},   {"options.robust", "--robust"},
    {"options.sensitivity", "--sensitivity"},
};

// "--candidates (options.candidates): ..." for "options.candidates: ...".
std::string WithOptionsNamed(absl::string_view message) {
  std::vector<std::pair<absl::string_view, std::string>> replacements;
  for (const NameOfOption& entry : kNamesOfOptions) {
    replacements.emplace_back(entry.name, absl::StrCat(entry.option, " (", entry.name, ")"));
  }
  return absl::StrReplaceAll(message, replacements);
}

Failure NamedFormat(const Arguments& arguments, const std::string& option,
                    std::optional<Format>* format) {
  if (!arguments.Has(option)) return {};
  *format = FormatNamed(arguments.Value(option));
  if (format->has_value()) return {};
  return UsageFailure(absl::StrCat("--", option, ": '", arguments.Value(option),
                                   "' is no format; expected ", kFormats));
}

// Which message to read a stream's file as; null: whichever fits.
Failure StreamMessage(const Arguments& arguments, const LoadedFile& file,
                      const google::protobuf::Message** message) {
  const bool on_line = arguments.Has("message");
  const std::string name = on_line ? arguments.Value("message") : file.declared;
  *message = file.format == Format::kBinary ? &v1::ScheduleRequest::default_instance() : nullptr;
  if (name.empty()) return {};
  *message = MessageNamed(name);
  if (*message == &v1::ScheduleRequest::default_instance() ||
      *message == &v1::Stream::default_instance()) {
    return {};
  }
  const std::string wanted = absl::StrCat("'", name, "'; expected ScheduleRequest or Stream");
  if (on_line) return UsageFailure(absl::StrCat("--message: ", wanted));
  return InputFailure(absl::StrCat(file.path, ": holds a ", wanted));
}

Failure ReadRequest(const Arguments& arguments, const std::string& path,
                    v1::ScheduleRequest* request) {
  LoadedFile file;
  const google::protobuf::Message* message;
  Failure failure = LoadFile(arguments, path, &file);
  if (!failure.failed()) failure = StreamMessage(arguments, file, &message);
  if (failure.failed()) return failure;
  if (message == &v1::Stream::default_instance()) {
    return ParseFile(file, request->mutable_stream());
  }
  failure = ParseFile(file, request);
  if (!failure.failed() || message != nullptr) return failure;
  request->Clear();
  return ParseFile(file, request->mutable_stream()).failed() ? failure : Failure();
}

}  // namespace

OptionSpec HardwareOption() {
  return {"hardware", "NAME|FILE", "the chip, instead of the file's own or sl2610"};
}
OptionSpec TimelineOption() { return {"timeline", "", "draw when everything runs, as text"}; }
OptionSpec SvgOption() { return {"svg", "FILE", "draw when everything runs, as SVG"}; }
OptionSpec OutputOption() { return {"output", "FILE", "write the response here"}; }
OptionSpec FormatOption() { return {"format", "FORMAT", "of the response: text, json or binary"}; }
OptionSpec InputFormatOption() {
  return {"input-format", "FORMAT", "of the files, instead of what their names tell"};
}
OptionSpec MessageOption() {
  return {"message", "NAME", "what STREAM holds: ScheduleRequest or Stream"};
}

Failure FailureFromStatus(const absl::Status& status, const std::string& file) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kResourceExhausted:  // of the request: too much of something
      if (file.empty()) return UsageFailure(WithOptionsNamed(status.message()));
      return InputFailure(absl::StrCat(file, ": ", status.message()));
    default:
      return OurFailure(std::string(status.message()));
  }
}

Failure LoadFile(const Arguments& arguments, const std::string& path, LoadedFile* file) {
  std::optional<Format> format;
  Failure failure = NamedFormat(arguments, "input-format", &format);
  if (!failure.failed()) failure = ReadFile(path, &file->bytes);
  if (failure.failed()) return failure;
  if (!format.has_value()) format = FormatOfFile(path);
  file->path = ShownPath(path);
  file->format = format.has_value() ? *format : GuessFormat(file->bytes);
  if (file->format == Format::kText) file->declared = DeclaredMessage(file->bytes);
  return {};
}

Failure ParseFile(const LoadedFile& file, google::protobuf::Message* message) {
  const absl::Status status = ParseMessage(file.bytes, file.format, message);
  if (status.ok()) return {};
  // "FILE:12:3: message" where the status begins with a place, else "FILE: message".
  const absl::string_view words = status.message();
  const bool place = !words.empty() && absl::ascii_isdigit(words[0]);
  return InputFailure(absl::StrCat(file.path, place ? ":" : ": ", words));
}

Failure CheckDeclared(const LoadedFile& file, const google::protobuf::Message& message) {
  const std::string& wanted = message.GetDescriptor()->full_name();
  if (file.declared.empty() || MessageNamed(file.declared) == MessageNamed(wanted)) return {};
  return InputFailure(
      absl::StrCat(file.path, ": holds a '", file.declared, "'; expected ", wanted));
}

Failure ReadMessage(const Arguments& arguments, const std::string& path,
                    google::protobuf::Message* message) {
  LoadedFile file;
  Failure failure = LoadFile(arguments, path, &file);
  if (!failure.failed()) failure = CheckDeclared(file, *message);
  return failure.failed() ? failure : ParseFile(file, message);
}

Failure ParseTable(const LoadedFile& file, v1::Network* network) {
  Failure failure = CheckDeclared(file, *network);
  if (!failure.failed()) failure = ParseFile(file, network);
  if (failure.failed() || network->layers_size() != 0) return failure;
  return InputFailure(absl::StrCat(file.path, ": no layers; expected a list 'layers'"));
}

Failure ReadLayers(const Arguments& arguments, uint32_t* first, uint32_t* count) {
  if (!arguments.Has("layers")) return {};
  const std::string text = arguments.Value("layers");
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  if (parts.size() == 2 && absl::SimpleAtoi(parts[0], first) && absl::SimpleAtoi(parts[1], count)) {
    return {};
  }
  return UsageFailure(absl::StrCat("--layers: '", text, "'; expected FIRST:COUNT, such as 0:20"));
}

Failure ReadHardware(const Arguments& arguments, v1::Hardware* hardware, std::string* file) {
  const std::string name = arguments.Value("hardware");
  hardware->Clear();
  const bool is_file = FormatOfFile(name).has_value() || name.find('/') != std::string::npos;
  *file = is_file ? name : "";
  if (!is_file) {
    hardware->set_profile(name);
    return {};
  }
  LoadedFile loaded{name, "", Format::kText, ""};
  const Failure failure = ReadFile(name, &loaded.bytes);
  if (failure.failed()) return failure;
  loaded.format = FormatOfFile(name).value_or(GuessFormat(loaded.bytes));
  return ParseFile(loaded, hardware);
}

Failure ReadStream(const Arguments& arguments, const std::string& path, StreamInput* input) {
  input->file = input->hardware_file = ShownPath(path);
  Failure failure = ReadRequest(arguments, path, &input->request);
  if (!failure.failed() && arguments.Has("hardware")) {
    failure = ReadHardware(arguments, input->request.mutable_hardware(), &input->hardware_file);
  }
  if (failure.failed()) return failure;
  absl::StatusOr<Hardware> hardware = HardwareFromProto(input->request.hardware());
  if (!hardware.ok()) return FailureFromStatus(hardware.status(), input->hardware_file);
  input->hardware = *hardware;
  if (!input->request.has_stream()) {
    return InputFailure(absl::StrCat(
        input->file, ": stream: the request has no stream; expected one, which may be empty"));
  }
  absl::StatusOr<Stream> stream = StreamFromProto(input->request.stream());
  if (!stream.ok()) return FailureFromStatus(stream.status(), input->file);
  input->stream = *std::move(stream);
  return {};
}

Failure OutputFormat(const Arguments& arguments, std::optional<Format>* format) {
  const Failure failure = NamedFormat(arguments, "format", format);
  if (failure.failed() || format->has_value() || !arguments.Has("output")) return failure;
  *format = FormatOfFile(arguments.Value("output"));
  if (format->has_value()) return {};
  return UsageFailure(absl::StrCat("cannot tell the format from the name ",
                                   arguments.Value("output"), "; add --format ", kFormats));
}

Failure WriteMessage(const Arguments& arguments, const google::protobuf::Message& message,
                     Format format) {
  const absl::StatusOr<std::string> bytes = PrintMessage(message, format);
  if (!bytes.ok()) return OurFailure(std::string(bytes.status().message()));
  return WriteFile(arguments.Has("output") ? arguments.Value("output") : "-", *bytes);
}

Failure WriteReport(absl::string_view text, bool message_written) {
  if (!message_written) return WriteFile("-", text);
  std::fwrite(text.data(), 1, text.size(), stderr);
  return {};
}

}  // namespace tools
}  // namespace torqsched
