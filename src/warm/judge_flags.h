// What is odd about a measurement. Each flag says a fact with its numbers; what follows from it is
// the verdict's business.
#ifndef TORQSCHED_SRC_WARM_JUDGE_FLAGS_H_
#define TORQSCHED_SRC_WARM_JUDGE_FLAGS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/warm/judge_card.h"
#include "src/warm/judgement.h"

namespace torqsched {

// The bandwidth of the warm's issues after the start-up phase: from first_steady_round on where it
// is known how many a round has, else from where the durations themselves are steady; all of them
// where nothing would be left.
AchievedBandwidth MeasureBandwidth(const WarmMeasurement& measurement, const JudgeOptions& options,
                                   uint64_t first_steady_round);

// Marks the cards that are slow. Far slower than the middle card of the same arm, the faster of two
// middle ones.
void MarkSlowCards(uint32_t slow_card_ppm, std::vector<CardEvidence>* cards);

// By JudgeFlag, then card, then arm. `deciding`: position in cards, which are ascending.
std::vector<RaisedFlag> RaiseFlags(const WarmMeasurement& measurement, const JudgeOptions& options,
                                   const std::vector<CardEvidence>& cards, size_t deciding,
                                   uint64_t least_gain, const AchievedBandwidth& bandwidth);

// What the medians of an arm, one a card, must exceed to be slow.
uint64_t SlowLimit(std::vector<uint64_t> medians, uint32_t slow_card_ppm);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WARM_JUDGE_FLAGS_H_
