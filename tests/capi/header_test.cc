// The header from C++: it compiles, and its macros work there.
#include "gtest/gtest.h"
#include "torqsched/torqsched.h"

namespace {

TEST(Header, FromCxx) {
  const torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  EXPECT_EQ(options.struct_size, sizeof(torqsched_session_options));
  EXPECT_EQ(TORQSCHED_CHECK_HEADER(), TORQSCHED_OK);
  EXPECT_STREQ(torqsched_version(), TORQSCHED_VERSION);
}

TEST(Header, VersionsAgree) {
  const std::string version = std::to_string(TORQSCHED_VERSION_MAJOR) + "." +
                              std::to_string(TORQSCHED_VERSION_MINOR) + "." +
                              std::to_string(TORQSCHED_VERSION_PATCH);
  EXPECT_EQ(version, TORQSCHED_VERSION);
}

TEST(Header, CodeNames) {
  EXPECT_STREQ(torqsched_code_name(TORQSCHED_RESOURCE_EXHAUSTED), "RESOURCE_EXHAUSTED");
  EXPECT_STREQ(torqsched_code_name(-1), "UNKNOWN");
}

}  // namespace
