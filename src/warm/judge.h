// Judges a warm by the times of rounds with and without it.
//
// A warm changes no value, so only time can show that it works; and a benchmark shows it wrongly in
// several ways, all in the source: a start-up phase that is charged to the warm, a tail that the
// median does not see, cards that wait for each other, and a loop that finds its own leftovers. So:
//
//   1. Start-up: each series is cut where its level has become steady (steady_phase.h), each at its
//      own place: a process without warms has no start-up, and rounds are dear.
//   2. Intervals: median, mean, p90 of each series and their change on each card by a block
//      bootstrap (series_statistics.h): percentiles of the resamples, widened for few blocks. The
//      arms are resampled independently, unless they ran interleaved.
//   3. Flags, each with its numbers (judge_flags.h).
//   4. The verdict, of one card: the fastest, which waits least for others. By both arms together,
//      not by one: the card that was luckiest without the warm would make the warm look worse.
//      SHIP: median and mean both gain the least gain (judge_verdict.h). The mean, for a forward's
//      rounds add up: a gain that its tail eats is none. DO_NOT_SHIP: either surely gains less.
//      Else MEASURE_MORE; likewise where the evidence is of another question (the warm found its
//      leftovers, it gains more than there is), where a level never is steady, or where a card
//      disagrees. p90 raises a flag, no more: one round in ten is in the mean already.
//
// Of a warm without effect about one interval in forty lies below zero; and all of it must lie
// below minus the least gain. What it cannot see: a tail rarer than one round in the series.
//
// Cost: n log n in all rounds, and for each series resamples * (32 log n + 64). Memory: linear.
#ifndef TORQSCHED_SRC_WARM_JUDGE_H_
#define TORQSCHED_SRC_WARM_JUDGE_H_

#include "absl/status/statusor.h"
#include "src/warm/judgement.h"

namespace torqsched {

// INVALID_ARGUMENT, with a field such as "series[3].times[7]", where a time is 0 or above 2^60 - 1,
// a series empty, a card's arm missing or there twice, an option out of its range; where the arms
// are interleaved and a card's differ in length. The same bits on every machine; the order of
// measurement.series makes no difference.
absl::StatusOr<WarmJudgement> JudgeWarm(const WarmMeasurement& measurement,
                                        const JudgeOptions& options);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WARM_JUDGE_H_
