// From a status to an Error message, and the text that it may hold.
#include "src/wire/error_wire.h"

#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "src/wire/utf8.h"
#include "tests/wire/text.h"

namespace torqsched {
namespace {

TEST(ErrorFromStatus, PlaceBecomesNumbersAndAPath) {
  const absl::Status status =
      ErrorAt(absl::StatusCode::kInvalidArgument, "op 0 'load': too far",
              {"stream.ops[0].accesses[1].size", OpIndex(0), BufferIndex(3)});
  EXPECT_TRUE(IsText(ErrorFromStatus(status), R"pb(
    code: CODE_INVALID_ARGUMENT
    message: "op 0 'load': too far"
    field: "stream.ops[0].accesses[1].size"
    op: 0
    buffer: 3
  )pb"));
}

TEST(ErrorFromStatus, StatusWithoutAPlaceLeavesThePlaceUnset) {
  EXPECT_TRUE(IsText(ErrorFromStatus(absl::CancelledError("stopped")),
                     R"pb(code: CODE_CANCELLED message: "stopped")pb"));
}

TEST(ErrorFromStatus, CodesKeepTheirNumbers) {
  EXPECT_EQ(ErrorFromStatus(absl::NotFoundError("")).code(), v1::CODE_NOT_FOUND);
  EXPECT_EQ(ErrorFromStatus(absl::ResourceExhaustedError("")).code(), v1::CODE_RESOURCE_EXHAUSTED);
  EXPECT_EQ(ErrorFromStatus(absl::InternalError("")).code(), v1::CODE_INTERNAL);
  EXPECT_EQ(ErrorFromStatus(absl::DeadlineExceededError("")).code(), v1::CODE_DEADLINE_EXCEEDED);
}

TEST(ErrorFromStatus, MessageCutInsideALetterCanStillBeParsed) {
  const v1::Error error = ErrorFromStatus(absl::InternalError("name 'caf\xC3...'"));
  EXPECT_EQ(error.message(), "name 'caf?...'");
  v1::Error parsed;
  EXPECT_TRUE(parsed.ParseFromString(error.SerializeAsString()));
}

TEST(ValidUtf8, WellFormedTextStays) {
  const std::string text = "a \xC3\xA9 \xE2\x82\xAC \xED\x9F\xBF \xF0\x9F\x98\x80 \xF4\x8F\xBF\xBF";
  EXPECT_EQ(ValidUtf8(text), text);
  EXPECT_EQ(ValidUtf8(std::string("\0x", 2)), std::string("\0x", 2));
  EXPECT_EQ(ValidUtf8(""), "");
}

TEST(ValidUtf8, EachByteOfNoSequenceBecomesAQuestionMark) {
  EXPECT_EQ(ValidUtf8("a\x80z"), "a?z");                        // a continuation alone
  EXPECT_EQ(ValidUtf8("\xC3"), "?");                            // cut
  EXPECT_EQ(ValidUtf8("\xE2\x82z"), "??z");                     // cut
  EXPECT_EQ(ValidUtf8("\xC0\xAF"), "??");                       // not the shortest form
  EXPECT_EQ(ValidUtf8("\xE0\x9F\xBF"), "???");                  // not the shortest form
  EXPECT_EQ(ValidUtf8("\xED\xA0\x80"), "???");                  // a surrogate
  EXPECT_EQ(ValidUtf8("\xF0\x8F\xBF\xBF"), "????");             // not the shortest form
  EXPECT_EQ(ValidUtf8("\xF4\x90\x80\x80"), "????");             // beyond U+10FFFF
  EXPECT_EQ(ValidUtf8("\xF5\x80\x80\x80\xFF"), "?????");        // no lead byte
  EXPECT_EQ(ValidUtf8("\xF0\x9F\x98\xC3\xA9"), "???\xC3\xA9");  // cut, and goes on after it
}

}  // namespace
}  // namespace torqsched
