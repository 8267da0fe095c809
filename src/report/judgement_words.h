// How the summary and the picture of a judgement say things: times, changes, which cards to show,
// and a sentence for every reason and every flag.
#ifndef TORQSCHED_SRC_REPORT_JUDGEMENT_WORDS_H_
#define TORQSCHED_SRC_REPORT_JUDGEMENT_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "src/report/judgement.h"

namespace torqsched {
namespace report {

// How times are written: in multiples of the measurement's units.
struct TimeScale {
  uint64_t divisor = 1;
  int decimals = 0;
  absl::string_view unit = "units";
};

// For times of about this size: so many decimals that a part in ten thousand shows.
TimeScale ScaleFor(const JudgementCase& judged, uint64_t time);
// For the rounds of the card that decides.
TimeScale ScaleOfRounds(const JudgementCase& judged);
// The same, or as much coarser as makes the largest time fit so many columns, if any does.
TimeScale ScaleThatFits(const JudgementCase& judged, uint64_t largest, size_t columns);

uint64_t Magnitude(int64_t value);
// "34,423.7", "34,423.7 us"; "-561.6", "+12.0", "0.0".
std::string TimeNumber(const TimeScale& scale, uint64_t time);
std::string TimeText(const TimeScale& scale, uint64_t time);
std::string ChangeNumber(const TimeScale& scale, int64_t change);
// "-1.63"; "+>9,999" beyond that; "-" where whole is 0.
std::string ChangePercent(int64_t change, uint64_t whole);

// "ship", "do not ship", "measure more: about 400 more rounds of each arm would settle it".
std::string VerdictText(const WarmJudgement& judgement);

// "without", "with".
absl::string_view ArmName(bool warmed);

// Of the card at this position in judgement.cards.
const SeriesJudgement& SeriesOf(const WarmJudgement& judgement, size_t position, bool warmed);

// Positions in judgement.cards, ascending, of at most so many: the card that decides, then those
// that have a flag or a reason, then the lowest numbers.
std::vector<size_t> CardsToShow(const WarmJudgement& judgement, size_t most);

// What led to the verdict, and what is suspicious with what to do about it: sentences.
std::string ReasonText(const JudgementCase& judged, const GivenReason& reason);
std::string FlagText(const JudgementCase& judged, const RaisedFlag& flag);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_JUDGEMENT_WORDS_H_
