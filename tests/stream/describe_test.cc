// How messages name ops and buffers, and how an error carries its place.
#include <string>

#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "src/stream/stream.h"
#include "tests/stream/expect_error.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

std::string Described(const std::string& name) {
  StreamMaker maker;
  maker.Lram(8, name);
  return maker.Build().Describe(BufferIndex(0));
}

TEST(Describe, WithoutANameTheNumberIsEnough) {
  StreamMaker maker;
  maker.Lram(8);
  maker.View({});
  const Stream stream = maker.Build();
  EXPECT_EQ(stream.Describe(BufferIndex(0)), "buffer 0");
  EXPECT_EQ(stream.Describe(OpIndex(0)), "op 0");
}

TEST(Describe, WhatDoesNotExistIsNamedByItsNumber) {
  StreamMaker maker;
  const Stream stream = maker.Build();
  EXPECT_EQ(stream.Describe(BufferIndex(3)), "buffer 3");
  EXPECT_EQ(stream.Describe(OpIndex(12)), "op 12");
}

TEST(Describe, EscapesWhatDoesNotPrintAndKeepsUtf8) {
  EXPECT_EQ(Described("w 'a' \"b\" \\ \n\t\x01 gr\xc3\xb6\xc3\x9f"
                      "e"),
            "buffer 0 'w \\'a\\' \\\"b\\\" \\\\ \\n\\t\\001 gr\xc3\xb6\xc3\x9f"
            "e'");
}

TEST(Describe, CutsNamesBeyond120Bytes) {
  const std::string fits(120, 'a');
  EXPECT_EQ(Described(fits), "buffer 0 '" + fits + "'");
  EXPECT_EQ(Described(fits + "b"), "buffer 0 '" + fits + "...'");
}

TEST(Describe, NeverCutsInsideALetter) {
  const std::string two = "\xc3\xb6";
  const std::string three = "\xe2\x82\xac";
  const std::string four = "\xf0\x9f\x9a\x80";
  for (const std::string& letter : {two, three, four}) {
    for (size_t inside = 1; inside < letter.size(); ++inside) {
      const std::string before(120 - inside, 'a');
      EXPECT_EQ(Described(before + letter + "tail"), "buffer 0 '" + before + "...'");
    }
    const std::string before(120 - letter.size(), 'a');
    EXPECT_EQ(Described(before + letter), "buffer 0 '" + before + letter + "'");
    EXPECT_EQ(Described(before + letter + "tail"), "buffer 0 '" + before + letter + "...'");
  }
}

TEST(Error, CarriesWhatApplies) {
  const absl::Status all = ErrorAt(absl::StatusCode::kOutOfRange, "too much",
                                   {"stream.ops[3].cycles", OpIndex(3), BufferIndex(0)});
  ExpectError(all, absl::StatusCode::kOutOfRange, "too much",
              {"stream.ops[3].cycles", OpIndex(3), BufferIndex(0)});
  const absl::Status field = ErrorAt(absl::StatusCode::kInvalidArgument, "m",
                                     {"options.candidates", OpIndex(), BufferIndex()});
  ExpectInvalid(field, "m", {"options.candidates", OpIndex(), BufferIndex()});
}

TEST(Error, OfSomebodyElseHasNoPlace) {
  ExpectError(absl::InternalError("m"), absl::StatusCode::kInternal, "m",
              {"", OpIndex(), BufferIndex()});
}

}  // namespace
}  // namespace torqsched
