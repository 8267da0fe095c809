// What a binding without the header has copied down: sizes, offsets and numbers of the C interface.
// capi/layout.txt is the committed list; members may be added at the end of a structure that begins
// with its size, and codes and levels at the end of theirs: then a line is added there, none
// changed.
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "torqsched/torqsched.h"

namespace {

#define STRUCTURE(type) absl::StrAppend(&text, #type, " ", sizeof(type), " bytes\n")
#define MEMBER(type, member)                                                       \
  absl::StrAppend(&text, #type ".", #member, " at ", offsetof(type, member), ", ", \
                  sizeof(type::member), " bytes", Kind<decltype(type::member)>(), "\n")
#define NUMBER(name) absl::StrAppend(&text, #name " = ", name, "\n")

template <typename T>
const char* Kind() {
  if (std::is_pointer<T>::value) return ", pointer";
  if (std::is_floating_point<T>::value) return ", floating point";
  return std::is_signed<T>::value ? ", signed" : ", unsigned";
}

std::string Layout() {
  std::string text;
  STRUCTURE(torqsched_code);
  STRUCTURE(torqsched_buffer);
  MEMBER(torqsched_buffer, data);
  MEMBER(torqsched_buffer, size);
  STRUCTURE(torqsched_progress);
  MEMBER(torqsched_progress, struct_size);
  MEMBER(torqsched_progress, fraction);
  MEMBER(torqsched_progress, best_makespan);
  MEMBER(torqsched_progress, has_best);
  STRUCTURE(torqsched_session_options);
  MEMBER(torqsched_session_options, struct_size);
  MEMBER(torqsched_session_options, user);
  MEMBER(torqsched_session_options, log);
  MEMBER(torqsched_session_options, progress);
  MEMBER(torqsched_session_options, oracle);
  MEMBER(torqsched_session_options, memory_limit_bytes);
  MEMBER(torqsched_session_options, worker_threads);
  MEMBER(torqsched_session_options, reuse_arenas);
  NUMBER(TORQSCHED_ABI_VERSION);
  NUMBER(TORQSCHED_OK);
  NUMBER(TORQSCHED_CANCELLED);
  NUMBER(TORQSCHED_UNKNOWN);
  NUMBER(TORQSCHED_INVALID_ARGUMENT);
  NUMBER(TORQSCHED_DEADLINE_EXCEEDED);
  NUMBER(TORQSCHED_NOT_FOUND);
  NUMBER(TORQSCHED_ALREADY_EXISTS);
  NUMBER(TORQSCHED_PERMISSION_DENIED);
  NUMBER(TORQSCHED_RESOURCE_EXHAUSTED);
  NUMBER(TORQSCHED_FAILED_PRECONDITION);
  NUMBER(TORQSCHED_ABORTED);
  NUMBER(TORQSCHED_OUT_OF_RANGE);
  NUMBER(TORQSCHED_UNIMPLEMENTED);
  NUMBER(TORQSCHED_INTERNAL);
  NUMBER(TORQSCHED_UNAVAILABLE);
  NUMBER(TORQSCHED_DATA_LOSS);
  NUMBER(TORQSCHED_UNAUTHENTICATED);
  NUMBER(TORQSCHED_LOG_DEBUG);
  NUMBER(TORQSCHED_LOG_INFO);
  NUMBER(TORQSCHED_LOG_WARNING);
  NUMBER(TORQSCHED_LOG_ERROR);
  return text;
}

TEST(Layout, IsTheCommittedOne) {
  std::ifstream file("capi/layout.txt");
  const std::string committed((std::istreambuf_iterator<char>(file)),
                              std::istreambuf_iterator<char>());
  EXPECT_EQ(committed, Layout()) << "if a member was added at the end, add it to capi/layout.txt";
}

// The signatures, which no list of names shows: after a change this does not compile.
TEST(Layout, SignaturesAreTheCommittedOnes) {
  using Call = torqsched_code (*)(const torqsched_session*, const void*, size_t, torqsched_buffer*);
  for (const Call call : {&torqsched_schedule, &torqsched_simulate, &torqsched_allocate,
                          &torqsched_verify, &torqsched_plan_residency, &torqsched_plan_warm,
                          &torqsched_judge_warm, &torqsched_plan_tiles, &torqsched_lower}) {
    EXPECT_NE(call, nullptr);
  }
  torqsched_code (*session_new)(const torqsched_session_options*, torqsched_session**,
                                torqsched_buffer*) = &torqsched_session_new;
  void (*session_free)(torqsched_session*) = &torqsched_session_free;
  void (*buffer_free)(torqsched_buffer*) = &torqsched_buffer_free;
  torqsched_code (*buffer_assign)(torqsched_buffer*, const void*, size_t) =
      &torqsched_buffer_assign;
  const char* (*code_name)(torqsched_code) = &torqsched_code_name;
  const char* (*version)() = &torqsched_version;
  uint32_t (*abi_version)() = &torqsched_abi_version;
  torqsched_code (*check_abi)(uint32_t) = &torqsched_check_abi;
  EXPECT_TRUE(session_new && session_free && buffer_free && buffer_assign && code_name && version &&
              abi_version && check_abi);

  int (*progress)(void*, const torqsched_progress*) = torqsched_progress_callback{};
  int (*oracle)(void*, const void*, size_t, torqsched_buffer*) = torqsched_oracle_callback{};
  void (*log)(void*, int32_t, const char*) = torqsched_log_callback{};
  EXPECT_TRUE(!progress && !oracle && !log);
}

}  // namespace
