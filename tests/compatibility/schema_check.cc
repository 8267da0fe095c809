#include "tests/compatibility/schema_check.h"

#include "absl/strings/str_cat.h"

namespace torqsched {
namespace compatibility {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

// All that a reader or writer of the field depends on.
std::string Meaning(const FieldDescriptor& field) {
  std::string meaning = absl::StrCat(field.name(), ", JSON ", field.json_name(), ", ",
                                     field.type_name(), field.is_repeated() ? ", repeated" : "",
                                     field.has_presence() ? ", with presence" : "",
                                     field.is_packed() ? ", packed" : "");
  if (field.message_type() != nullptr) {
    absl::StrAppend(&meaning, " ", field.message_type()->full_name());
  }
  if (field.enum_type() != nullptr) absl::StrAppend(&meaning, " ", field.enum_type()->full_name());
  return meaning;
}

void CompareMessage(const Descriptor& before, const DescriptorPool& now,
                    std::vector<std::string>* breaks) {
  const Descriptor* after = now.FindMessageTypeByName(before.full_name());
  if (after == nullptr) {
    breaks->push_back(absl::StrCat("message ", before.full_name(), " is gone"));
    return;
  }
  for (int i = 0; i < before.field_count(); ++i) {
    const FieldDescriptor& field = *before.field(i);
    const FieldDescriptor* other = after->FindFieldByNumber(field.number());
    const std::string place = absl::StrCat(before.full_name(), " field ", field.number());
    if (other == nullptr) {
      breaks->push_back(absl::StrCat(place, " is gone: ", field.name()));
    } else if (Meaning(field) != Meaning(*other)) {
      breaks->push_back(absl::StrCat(place, ": ", Meaning(field), " became ", Meaning(*other)));
    }
  }
}

void CompareEnum(const EnumDescriptor& before, const DescriptorPool& now,
                 std::vector<std::string>* breaks) {
  const EnumDescriptor* after = now.FindEnumTypeByName(before.full_name());
  if (after == nullptr) {
    breaks->push_back(absl::StrCat("enum ", before.full_name(), " is gone"));
    return;
  }
  for (int i = 0; i < before.value_count(); ++i) {
    const EnumValueDescriptor& value = *before.value(i);
    const EnumValueDescriptor* other = after->FindValueByNumber(value.number());
    if (other == nullptr || other->name() != value.name()) {
      breaks->push_back(absl::StrCat(before.full_name(), " value ", value.number(), ": ",
                                     value.name(), " became ",
                                     other == nullptr ? "nothing" : other->name()));
    }
  }
}

}  // namespace

std::vector<std::string> BreakingChanges(const google::protobuf::FileDescriptorSet& before,
                                         const DescriptorPool& now) {
  std::vector<std::string> breaks;
  DescriptorPool pool;
  for (const auto& proto : before.file()) {
    const FileDescriptor* file = pool.BuildFile(proto);
    if (file == nullptr) {
      breaks.push_back(absl::StrCat(proto.name(), " of the earlier schema does not build"));
      continue;
    }
    if (now.FindFileByName(proto.name()) == nullptr) {
      breaks.push_back(absl::StrCat("file ", proto.name(), " is gone"));
    }
    for (int i = 0; i < file->message_type_count(); ++i) {
      CompareMessage(*file->message_type(i), now, &breaks);
    }
    for (int i = 0; i < file->enum_type_count(); ++i) {
      CompareEnum(*file->enum_type(i), now, &breaks);
    }
  }
  return breaks;
}

}  // namespace compatibility
}  // namespace torqsched
