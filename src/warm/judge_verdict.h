// From the deciding card's intervals and the flags to a verdict with its reasons.
//
// A warm must reach the target, minus the least gain, twice:
//   - the median: its whole interval.
//   - the mean. Where it keeps the median's gain (tail_keeps_ppm), nothing speaks of a new tail:
//   then
//     its value must reach the target, and its cautious upper end be below zero. Otherwise that
//     upper end must reach the target, too. A mean is much less certain than a median; to ask the
//     same of it where both arms have the same tail would ask for many times the rounds.
// It fails where either interval lies above the target; or where a tail is sure that eats so much
// that the mean's value does not reach it.
//
// A level that still moves on the deciding card adds twice what it moved to that end of an interval
// towards which it moves: where the verdict stands all the same, it does not matter.
#ifndef TORQSCHED_SRC_WARM_JUDGE_VERDICT_H_
#define TORQSCHED_SRC_WARM_JUDGE_VERDICT_H_

#include "src/warm/judgement.h"

namespace torqsched {

// Sets verdict, reasons and more_rounds; everything else is there.
void Decide(const JudgeOptions& options, WarmJudgement* judgement);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WARM_JUDGE_VERDICT_H_
