// What one card's two series show: both arms' statistics, and how they change with the warm.
#ifndef TORQSCHED_SRC_WARM_JUDGE_CARD_H_
#define TORQSCHED_SRC_WARM_JUDGE_CARD_H_

#include <cstdint>

#include "src/warm/judgement.h"

namespace torqsched {

struct CardEvidence {
  SeriesJudgement without;
  SeriesJudgement with;
  CardJudgement card;
  // By how much the mean's, the p90's change exceeds the median's: the lower ends.
  int64_t tail_of_mean_low = 0;
  int64_t tail_of_p90_low = 0;
};

// Both series as CheckMeasurement passes them. Cost and method: judge.h.
CardEvidence JudgeCard(const RoundSeries& without, const RoundSeries& with,
                       const JudgeOptions& options, uint32_t resamples);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WARM_JUDGE_CARD_H_
