// What a measurement must be before it is judged.
#ifndef TORQSCHED_SRC_WARM_JUDGE_CHECK_H_
#define TORQSCHED_SRC_WARM_JUDGE_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/warm/judgement.h"

namespace torqsched {

// Positions in measurement.series.
struct CardSeries {
  uint32_t card = 0;
  size_t without = 0;
  size_t with = 0;
};

absl::Status CheckJudgeOptions(const JudgeOptions& options);

// The cards, ascending, each with both arms. INVALID_ARGUMENT as JudgeWarm says. Cost: n log n in
// series, linear in times.
absl::StatusOr<std::vector<CardSeries>> CheckMeasurement(const WarmMeasurement& measurement,
                                                         bool interleaved);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WARM_JUDGE_CHECK_H_
