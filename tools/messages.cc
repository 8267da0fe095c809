#include "tools/messages.h"

#include <algorithm>
#include <climits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "tools/json_position.h"
#include "torqsched/v1/allocate.pb.h"
#include "torqsched/v1/error.pb.h"
#include "torqsched/v1/judge.pb.h"
#include "torqsched/v1/lower.pb.h"
#include "torqsched/v1/network.pb.h"
#include "torqsched/v1/oracle.pb.h"
#include "torqsched/v1/residency.pb.h"
#include "torqsched/v1/schedule.pb.h"
#include "torqsched/v1/simulate.pb.h"
#include "torqsched/v1/tiling.pb.h"
#include "torqsched/v1/verify.pb.h"
#include "torqsched/v1/warm.pb.h"

namespace torqsched {
namespace tools {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

constexpr absl::string_view kPackage = "torqsched.v1.";
constexpr absl::string_view kMessageHeader = "# proto-message:";
constexpr size_t kColumns = 100;

std::vector<const Message*> Messages() {
  return {&v1::Stream::default_instance(),
          &v1::Hardware::default_instance(),
          &v1::ScheduleRequest::default_instance(),
          &v1::ScheduleResponse::default_instance(),
          &v1::SimulateRequest::default_instance(),
          &v1::SimulateResponse::default_instance(),
          &v1::VerifyRequest::default_instance(),
          &v1::VerifyResponse::default_instance(),
          &v1::AllocateRequest::default_instance(),
          &v1::AllocateResponse::default_instance(),
          &v1::PlanResidencyRequest::default_instance(),
          &v1::PlanResidencyResponse::default_instance(),
          &v1::PlanWarmRequest::default_instance(),
          &v1::PlanWarmResponse::default_instance(),
          &v1::JudgeWarmRequest::default_instance(),
          &v1::JudgeWarmResponse::default_instance(),
          &v1::PlanTilesRequest::default_instance(),
          &v1::PlanTilesResponse::default_instance(),
          &v1::LowerRequest::default_instance(),
          &v1::LowerResponse::default_instance(),
          &v1::Network::default_instance(),
          &v1::OracleRequest::default_instance(),
          &v1::OracleResponse::default_instance(),
          &v1::Placement::default_instance(),
          &v1::Error::default_instance()};
}

absl::Status ErrorAtPosition(TextPosition position, absl::string_view message) {
  return absl::InvalidArgumentError(
      position.line == 0 ? std::string(message)
                         : absl::StrCat(position.line, ":", position.column, ": ", message));
}

// ---- Text ----

// Keeps the first error.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (!status_.ok()) return;
    // Counted from 0; -1 where the place is not known.
    const TextPosition position{static_cast<size_t>(line + 1), static_cast<size_t>(column + 1)};
    status_ = ErrorAtPosition(position, message);
  }
  void AddWarning(int, int, const std::string&) override {}

  const absl::Status& status() const { return status_; }

 private:
  absl::Status status_;
};

// Whether every string of the message is UTF-8. Text that has neither escapes nor bytes beyond
// ASCII need not be asked.
bool StringsAreUtf8(absl::string_view text, const Message& message) {
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](char c) { return c != '\\' && absl::ascii_isascii(c); });
  if (plain) return true;
  const std::unique_ptr<Message> copy(message.New());
  return copy->ParseFromString(message.SerializeAsString());  // refuses other strings
}

absl::Status ParseText(absl::string_view text, Message* message) {
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  FirstError errors;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  if (!parser.Parse(&stream, message)) {
    return errors.status().ok() ? absl::InvalidArgumentError("no text format") : errors.status();
  }
  if (!StringsAreUtf8(text, *message)) return absl::InvalidArgumentError("a string is no UTF-8");
  return absl::OkStatus();
}

class TextPrinter {
 public:
  TextPrinter() { printer_.SetUseUtf8StringEscaping(true); }

  std::string Print(const Message& message) const {
    std::string out;
    Fields(message, 0, &out);
    return out;
  }

 private:
  static std::vector<const FieldDescriptor*> Set(const Message& message) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    return fields;
  }

  std::string Value(const Message& message, const FieldDescriptor* field, int index) const {
    std::string value;
    printer_.PrintFieldValueToString(message, field, index, &value);
    return value;
  }

  std::vector<const Message*> Parts(const Message& message, const FieldDescriptor* field) const {
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    if (!field->is_repeated()) return {&reflection.GetMessage(message, field)};
    std::vector<const Message*> parts;
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      parts.push_back(&reflection.GetRepeatedMessage(message, field, i));
    }
    return parts;
  }

  std::vector<std::string> Values(const Message& message, const FieldDescriptor* field) const {
    if (!field->is_repeated()) return {Value(message, field, -1)};
    std::vector<std::string> values;
    for (int i = 0; i < message.GetReflection()->FieldSize(message, field); ++i) {
      values.push_back(Value(message, field, i));
    }
    return values;
  }

  // The message's fields on one line; false, with *out of no use, as soon as that exceeds room.
  bool Line(const Message& message, size_t room, std::string* out) const {
    for (const FieldDescriptor* field : Set(message)) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        for (const Message* part : Parts(message, field)) {
          absl::StrAppend(out, out->empty() ? "" : " ", field->name(), " {");
          std::string inner;
          if (out->size() > room || !Line(*part, room - out->size(), &inner)) return false;
          absl::StrAppend(out, inner.empty() ? "" : " ", inner, inner.empty() ? "}" : " }");
        }
      } else {
        // A list that is far too long is not written out to find that.
        if (field->is_repeated() &&
            static_cast<size_t>(message.GetReflection()->FieldSize(message, field)) > room) {
          return false;
        }
        absl::StrAppend(out, out->empty() ? "" : " ", field->name(), ": ",
                        field->is_repeated() ? "[" : "");
        const char* separator = "";
        for (const std::string& value : Values(message, field)) {
          absl::StrAppend(out, separator, value);
          separator = ", ";
        }
        absl::StrAppend(out, field->is_repeated() ? "]" : "");
      }
      if (out->size() > room) return false;
    }
    return true;
  }

  void Fields(const Message& message, size_t indent, std::string* out) const {
    const std::string margin(indent, ' ');
    std::string line;  // of scalars, which share lines unless they are the outermost message's
    const auto flush = [&] {
      if (!line.empty()) absl::StrAppend(out, margin, line, "\n");
      line.clear();
    };
    for (const FieldDescriptor* field : Set(message)) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        flush();
        for (const Message* part : Parts(message, field)) {
          Part(field->name(), *part, indent, out);
        }
      } else if (field->is_repeated()) {
        flush();
        List(field->name(), Values(message, field), indent, out);
      } else {
        const std::string text = absl::StrCat(field->name(), ": ", Value(message, field, -1));
        if (indent == 0 || indent + line.size() + 1 + text.size() > kColumns) flush();
        absl::StrAppend(&line, line.empty() ? "" : " ", text);
      }
    }
    flush();
  }

  void Part(const std::string& name, const Message& part, size_t indent, std::string* out) const {
    const std::string margin(indent, ' ');
    const size_t around = indent + name.size() + 5;  // " { " and " }"
    std::string line;
    absl::StrAppend(out, margin, name, " {");
    if (around < kColumns && Line(part, kColumns - around, &line)) {
      absl::StrAppend(out, line.empty() ? "" : " ", line, line.empty() ? "}\n" : " }\n");
      return;
    }
    *out += "\n";
    Fields(part, indent + 2, out);
    absl::StrAppend(out, margin, "}\n");
  }

  static void List(const std::string& name, const std::vector<std::string>& values, size_t indent,
                   std::string* out) {
    const std::string margin(indent, ' ');
    absl::StrAppend(out, margin, name, ": [");
    size_t column = indent + name.size() + 3;
    size_t length = column + 1;
    for (const std::string& value : values) length += value.size() + 2;
    const bool wrap = length > kColumns + 2;
    if (wrap) column = kColumns;
    for (size_t i = 0; i < values.size(); ++i) {
      if (wrap && column + values[i].size() + 2 > kColumns) {
        absl::StrAppend(out, "\n", margin, "  ");
        column = indent + 2;
      } else if (i != 0) {
        *out += " ";
        ++column;
      }
      const char* end = i + 1 == values.size() ? "" : ",";
      absl::StrAppend(out, values[i], end);
      column += values[i].size() + 1;
    }
    absl::StrAppend(out, wrap ? absl::StrCat("\n", margin) : "", "]\n");
  }

  TextFormat::Printer printer_;
};

std::string PrintText(const Message& message) {
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  return absl::StrCat("# proto-file: ", type.file()->name(), "\n", kMessageHeader, " ",
                      type.full_name(), "\n", TextPrinter().Print(message));
}

// ---- JSON ----

// The reader's own words: "(stream.ops[1]) kinda: Cannot find field.", or "Expected ...", then two
// lines that show a piece of the text.
absl::Status JsonError(absl::string_view text, absl::string_view words) {
  const absl::string_view first = words.substr(0, words.find('\n'));
  if (first.size() != words.size()) return ErrorAtPosition(FindJsonSyntaxError(text), first);
  const size_t colon = first.find(": ");
  std::string path(first.substr(0, colon));
  path.erase(std::remove(path.begin(), path.end(), '('), path.end());
  for (size_t at; (at = path.find(") ")) != std::string::npos;) path.replace(at, 2, ".");
  path.erase(std::remove(path.begin(), path.end(), ')'), path.end());
  return ErrorAtPosition(FindJsonPath(text, path), absl::StripPrefix(first, ": "));
}

absl::Status ParseJson(absl::string_view text, Message* message) {
  // Layer tables carry notes, totals and lists of edges that are not in the schema.
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = message->GetDescriptor() == v1::Network::descriptor();
  const auto status =
      google::protobuf::util::JsonStringToMessage({text.data(), text.size()}, message, options);
  if (status.ok()) return absl::OkStatus();
  return JsonError(text, {status.message().data(), status.message().size()});
}

// ---- Binary ----

std::string PrintBinary(const Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

}  // namespace

const Message* MessageNamed(absl::string_view name) {
  name = absl::StripPrefix(name, kPackage);
  for (const Message* message : Messages()) {
    const std::string& known = message->GetDescriptor()->name();
    if (name == absl::string_view(known)) return message;
  }
  return nullptr;
}

std::string KnownMessages() {
  std::string names;
  for (const Message* message : Messages()) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", message->GetDescriptor()->name());
  }
  return names;
}

std::string DeclaredMessage(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text.substr(0, 4096), '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!line.empty() && line[0] != '#') break;
    if (absl::StartsWith(line, kMessageHeader)) {
      line.remove_prefix(kMessageHeader.size());
      return std::string(absl::StripAsciiWhitespace(line));
    }
  }
  return "";
}

absl::Status ParseMessage(absl::string_view bytes, Format format, Message* message) {
  if (bytes.size() > INT_MAX) {
    return absl::InvalidArgumentError("larger than 2 GiB, which is the most a message may have");
  }
  switch (format) {
    case Format::kText:
      return ParseText(bytes, message);
    case Format::kJson:
      return ParseJson(bytes, message);
    case Format::kBinary:
      break;
  }
  if (message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no ", message->GetDescriptor()->full_name(), " in binary format"));
}

absl::StatusOr<std::string> PrintMessage(const Message& message, Format format) {
  switch (format) {
    case Format::kText:
      return PrintText(message);
    case Format::kBinary:
      if (message.ByteSizeLong() > INT_MAX) break;
      return PrintBinary(message);
    case Format::kJson: {
      google::protobuf::util::JsonPrintOptions options;
      options.add_whitespace = true;
      options.preserve_proto_field_names = true;
      std::string text;
      if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok()) break;
      return text;
    }
  }
  return absl::ResourceExhaustedError("the message is larger than its format allows");
}

}  // namespace tools
}  // namespace torqsched
