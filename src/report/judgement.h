// What measured rounds show about a warm, for people: a verdict with its reasons as sentences,
// tables, and a picture of the rounds.
//
// Times are microseconds where the unit is a nanosecond, and units otherwise.
#ifndef TORQSCHED_SRC_REPORT_JUDGEMENT_H_
#define TORQSCHED_SRC_REPORT_JUDGEMENT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "src/warm/judgement.h"

namespace torqsched {
namespace report {

// A question and its answer; what is pointed to outlives it.
struct JudgementCase {
  const WarmMeasurement* measurement = nullptr;
  const JudgeOptions* options = nullptr;
  const WarmJudgement* judgement = nullptr;
};

// The verdict, why, what was measured by card and arm, what changed by card, how fast the warm's
// issues were, and what is suspicious with what to do about it. Of many cards those that decide or
// stand out; no line is wider than kColumns, unless the title makes it so.
std::string JudgementSummary(absl::string_view title, const JudgementCase& judged);

// An SVG document of fixed width, a panel a card, at most 8: the rounds of both arms, where each
// one's start-up ends, and its median with the interval around it. Of many rounds a pixel has the
// least, the middle and the most. At most some thousand points a panel, however many rounds there
// are. The same input gives the same bytes.
std::string JudgementSvg(absl::string_view title, const JudgementCase& judged);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_JUDGEMENT_H_
