// The schema against the image that is committed (capi/schema.binpb, made by
// scripts/schema_image.sh): what was written with that one is still read, and means the same.
#include <fstream>
#include <iterator>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/compatibility/schema_check.h"
#include "torqsched/v1/allocate.pb.h"
#include "torqsched/v1/error.pb.h"
#include "torqsched/v1/judge.pb.h"
#include "torqsched/v1/lower.pb.h"
#include "torqsched/v1/oracle.pb.h"
#include "torqsched/v1/residency.pb.h"
#include "torqsched/v1/schedule.pb.h"
#include "torqsched/v1/simulate.pb.h"
#include "torqsched/v1/tiling.pb.h"
#include "torqsched/v1/verify.pb.h"
#include "torqsched/v1/warm.pb.h"

namespace torqsched {
namespace compatibility {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptorProto;
using google::protobuf::FileDescriptorProto;
using google::protobuf::FileDescriptorSet;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

FileDescriptorSet Committed() {
  std::ifstream file("capi/schema.binpb", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  FileDescriptorSet image;
  EXPECT_TRUE(image.ParseFromString(bytes) && image.file_size() > 0);
  return image;
}

// The generated schema, with every file of it linked in.
const DescriptorPool& Generated() {
  v1::AllocateRequest::descriptor();
  v1::Error::descriptor();
  v1::JudgeWarmRequest::descriptor();
  v1::LowerRequest::descriptor();
  v1::OracleRequest::descriptor();
  v1::PlanResidencyRequest::descriptor();
  v1::PlanTilesRequest::descriptor();
  v1::PlanWarmRequest::descriptor();
  v1::ScheduleRequest::descriptor();
  v1::SimulateRequest::descriptor();
  v1::VerifyRequest::descriptor();
  return *DescriptorPool::generated_pool();
}

TEST(Schema, ReadsAllThatTheCommittedOneWrote) {
  EXPECT_THAT(BreakingChanges(Committed(), Generated()), IsEmpty());
}

// What is not in the image is not protected: an addition goes in with the change that makes it.
TEST(Schema, HasNothingThatTheCommittedOneLacks) {
  const FileDescriptorSet image = Committed();
  DescriptorPool committed;
  FileDescriptorSet generated;
  for (const FileDescriptorProto& file : image.file()) {
    ASSERT_NE(committed.BuildFile(file), nullptr);
    const auto* const linked = Generated().FindFileByName(file.name());
    ASSERT_NE(linked, nullptr) << file.name() << " is not linked in: see Generated()";
    FileDescriptorProto* now = generated.add_file();
    linked->CopyTo(now);
    linked->CopyJsonNameTo(now);
  }
  EXPECT_THAT(BreakingChanges(generated, committed), IsEmpty()) << "run scripts/schema_image.sh";
}

// A schema of one message and one enum, for the checker itself.
FileDescriptorSet Small() {
  FileDescriptorSet set;
  FileDescriptorProto& file = *set.add_file();
  file.set_name("small.proto");
  file.set_package("small");
  file.set_syntax("proto3");
  auto& message = *file.add_message_type();
  message.set_name("Thing");
  auto& field = *message.add_field();
  field.set_name("size");
  field.set_number(3);
  field.set_type(FieldDescriptorProto::TYPE_UINT64);
  field.set_label(FieldDescriptorProto::LABEL_OPTIONAL);
  auto& kind = *file.add_enum_type();
  kind.set_name("Kind");
  auto& value = *kind.add_value();
  value.set_name("KIND_UNSPECIFIED");
  value.set_number(0);
  return set;
}

std::vector<std::string> AfterChange(const FileDescriptorSet& changed) {
  DescriptorPool now;
  EXPECT_NE(now.BuildFile(changed.file(0)), nullptr);
  return BreakingChanges(Small(), now);
}

TEST(BreakingChanges, AreNoneInTheSameSchemaOrALargerOne) {
  FileDescriptorSet larger = Small();
  EXPECT_THAT(AfterChange(larger), IsEmpty());
  auto& field = *larger.mutable_file(0)->mutable_message_type(0)->add_field();
  field = larger.file(0).message_type(0).field(0);
  field.set_name("alignment");
  field.set_number(4);
  auto& value = *larger.mutable_file(0)->mutable_enum_type(0)->add_value();
  value.set_name("KIND_NEW");
  value.set_number(1);
  EXPECT_THAT(AfterChange(larger), IsEmpty());
}

TEST(BreakingChanges, AreRenamedRetypedRepeatedAndLostFields) {
  const auto with = [](auto change) {
    FileDescriptorSet set = Small();
    change(set.mutable_file(0)->mutable_message_type(0)->mutable_field(0));
    return AfterChange(set);
  };
  EXPECT_THAT(with([](FieldDescriptorProto* field) { field->set_name("bytes"); }),
              ElementsAre(HasSubstr("small.Thing field 3: size, JSON size, uint64 became bytes")));
  EXPECT_THAT(
      with([](FieldDescriptorProto* field) { field->set_type(FieldDescriptorProto::TYPE_INT64); }),
      ElementsAre(HasSubstr("uint64 became size, JSON size, int64")));
  EXPECT_THAT(with([](FieldDescriptorProto* field) {
                field->set_label(FieldDescriptorProto::LABEL_REPEATED);
              }),
              ElementsAre(HasSubstr("uint64, repeated")));
  EXPECT_THAT(with([](FieldDescriptorProto* field) { field->set_number(5); }),
              ElementsAre("small.Thing field 3 is gone: size"));
}

TEST(BreakingChanges, AreLostMessagesEnumsAndRenamedValues) {
  FileDescriptorSet set = Small();
  set.mutable_file(0)->mutable_enum_type(0)->mutable_value(0)->set_name("KIND_NONE");
  EXPECT_THAT(AfterChange(set),
              ElementsAre("small.Kind value 0: KIND_UNSPECIFIED became KIND_NONE"));
  set.mutable_file(0)->clear_enum_type();
  set.mutable_file(0)->clear_message_type();
  EXPECT_THAT(AfterChange(set),
              ElementsAre("message small.Thing is gone", "enum small.Kind is gone"));
}

}  // namespace
}  // namespace compatibility
}  // namespace torqsched
