// Messages written as text format, so that a test reads like a fixture.
#ifndef TORQSCHED_TESTS_WIRE_TEXT_H_
#define TORQSCHED_TESTS_WIRE_TEXT_H_

#include <string>

#include "google/protobuf/text_format.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"

namespace torqsched {

// The message that the text describes; the test fails where it describes none.
template <typename Message>
Message FromText(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

// Passes where the message is field by field what the text describes; else shows the difference.
template <typename Message>
testing::AssertionResult IsText(const Message& message, const std::string& text) {
  google::protobuf::util::MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  if (differencer.Compare(FromText<Message>(text), message)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << difference << "in\n" << message.DebugString();
}

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_WIRE_TEXT_H_
