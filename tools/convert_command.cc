// torqsched convert: one message, another format.
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/message.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/messages.h"

namespace torqsched {
namespace tools {
namespace {

// The message that the file holds: --message, else a text's header line, else a ScheduleRequest.
Failure MessageToConvert(const Arguments& arguments,
                         std::unique_ptr<google::protobuf::Message>* out,
                         const std::string& declared) {
  const std::string name = arguments.Has("message") ? arguments.Value("message")
                           : declared.empty()       ? "ScheduleRequest"
                                                    : declared;
  const google::protobuf::Message* known = MessageNamed(name);
  if (known == nullptr) {
    const std::string line = absl::StrCat("'", name, "' is no message; known: ", KnownMessages());
    if (arguments.Has("message")) return UsageFailure(absl::StrCat("--message: ", line));
    return InputFailure(absl::StrCat(ShownPath(arguments.operands()[0]), ": ", line));
  }
  out->reset(known->New());
  return {};
}

}  // namespace

CommandSpec ConvertSpec() {
  OptionSpec message = MessageOption();
  message.help = "what FILE holds, such as ScheduleResponse";
  OptionSpec output = OutputOption();
  output.help = "write it here, not to standard output";
  OptionSpec format = FormatOption();
  format.help = "of the output: text (default), json or binary";
  return {"convert",
          "FILE",
          "\nWrites a message in another format. FILE '-' is standard input.\n"
          "\n"
          "Text says in its header line '# proto-message: NAME' what it holds; anything\n"
          "else is taken for a ScheduleRequest, unless --message says otherwise.\n"
          "Endings: .txtpb .textproto .pbtxt text; .json JSON; .binpb .pb .bin binary.\n",
          1,
          1,
          {output, format, InputFormatOption(), message}};
}

Failure RunConvert(const Arguments& arguments) {
  std::optional<Format> format;
  Failure failure = OutputFormat(arguments, &format);
  LoadedFile file;
  if (!failure.failed()) failure = LoadFile(arguments, arguments.operands()[0], &file);
  if (failure.failed()) return failure;
  std::unique_ptr<google::protobuf::Message> message;
  failure = MessageToConvert(arguments, &message, file.declared);
  if (!failure.failed()) failure = ParseFile(file, message.get());
  if (failure.failed()) return failure;
  return WriteMessage(arguments, *message, format.value_or(Format::kText));
}

}  // namespace tools
}  // namespace torqsched
