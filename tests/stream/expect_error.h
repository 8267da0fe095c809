// What an error must say, and where it must say that it lies.
#ifndef TORQSCHED_TESTS_STREAM_EXPECT_ERROR_H_
#define TORQSCHED_TESTS_STREAM_EXPECT_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {

inline void ExpectError(const absl::Status& status, absl::StatusCode code,
                        const std::string& message, const ErrorPlace& place) {
  EXPECT_EQ(status.code(), code);
  EXPECT_EQ(std::string(status.message()), message);
  const ErrorPlace actual = PlaceOf(status);
  EXPECT_EQ(actual.field, place.field);
  EXPECT_EQ(actual.op, place.op);
  EXPECT_EQ(actual.buffer, place.buffer);
}

inline void ExpectInvalid(const absl::Status& status, const std::string& message,
                          const ErrorPlace& place) {
  ExpectError(status, absl::StatusCode::kInvalidArgument, message, place);
}

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_STREAM_EXPECT_ERROR_H_
