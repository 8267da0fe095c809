// Did a warm pay off? The question and the answer as plain types.
//
// Rounds of one benchmark are timed twice, with and without the warm: two arms. Times are unsigned
// numbers in a unit of the caller's, nanoseconds by default; a round of at least 10,000 units keeps
// what is lost by rounding to whole units below one part in 10,000. A change is with minus without:
// a gain is negative. ppm: parts in a million.
//
// Source: the public page on L2 warms that docs/warm.md names, "Measuring a warm" and "The
// benchmark loop flatters a warm"; "the source" below.
#ifndef TORQSCHED_SRC_WARM_JUDGEMENT_H_
#define TORQSCHED_SRC_WARM_JUDGEMENT_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace torqsched {

// One arm of one card. Every card has exactly one series of each arm.
struct RoundSeries {
  uint32_t card = 0;
  bool warmed = false;
  std::vector<uint64_t> times;  // by round, in order, warm-up rounds too; from 1 to 2^60 - 1 each
};

struct WarmMeasurement {
  std::vector<RoundSeries> series;  // at least two, in any order
  uint64_t warm_bytes = 0;          // that one issue pulls; 0: not known
  std::vector<uint64_t>
      warm_durations;             // of issues, in order, from the first round on; may be empty
  uint64_t issues_per_round = 0;  // of warm_durations; 0: not known
  // What the standalone kernels leave to gain: the most that a warm can recover of one round. The
  // source: what a stage takes in the network minus what it takes alone, summed over a round.
  std::optional<uint64_t> standalone_bound;
};

struct JudgeOptions {
  uint32_t confidence_percent = 95;  // of every interval, two-sided; 50 to 99
  // For each series: 50 of 2000 lie beyond each end of a 95 % interval, whose half width then
  // differs by some 3 % from seed to seed. Fewer where there are more than 2,000 series.
  uint32_t resamples = 2000;  // 200 to 100,000
  uint64_t seed = 1;
  // Half a percent of a round, by median and by mean: half of the least that the source calls a win
  // (-1.08 %), above what others measured and called null (-0.26 % to +0.46 %, in facts.json).
  uint32_t least_gain_ppm = 5000;  // at most 1,000,000; 0: any gain
  // A level that moves by the least gain from its first third to its last. In both arms, in
  // opposite directions, that moves their medians apart by about the least gain, which alone never
  // ships.
  uint32_t most_drift_ppm = 5000;
  // At fewer the bootstrap's blocks are of one round.
  uint32_t least_rounds = 50;  // of an arm, after its start-up; at least 2
  // What the memory can do at best, bytes a second. No default: it is the chip's. 0: not known.
  uint64_t memory_bandwidth = 0;
  uint64_t units_per_second = 1000000000;  // time units; at least 1
  // "It often returns in ~35 us": often, not always. One issue in ten that finds its own leftovers
  // is more than a clock's errors.
  uint32_t most_leftover_ppm = 100000;
  // A tail eats the gain where mean or p90 keep less than this of the median's. The source warns of
  // one that kept 64 % (-1.04 % of -1.63 %).
  uint32_t tail_keeps_ppm = 750000;
  // Slower than the middle card by this: cards of one kind are within a few percent.
  uint32_t slow_card_ppm = 50000;
  // Round i of both arms of a card ran next to each other in time, so that what drifts drifts in
  // both. Then a card's two series are equally long and are resampled together. Not assumed: the
  // source runs one process with the warm, and another without.
  bool interleaved = false;
};

// Of what was measured, with an interval around it.
struct Estimate {
  uint64_t value = 0;
  uint64_t low = 0;
  uint64_t high = 0;
};

// With minus without.
struct Change {
  int64_t value = 0;
  int64_t low = 0;
  int64_t high = 0;
};

struct SeriesJudgement {
  uint32_t card = 0;
  bool warmed = false;
  uint64_t rounds = 0;
  uint64_t first_steady_round = 0;  // the start-up phase is what comes before; at most half
  uint64_t rounds_used = 0;         // from there on
  bool steady = true;               // of what is used: its level does not move
  int64_t level_change = 0;         // where it does: its last third's level minus its first's
  uint32_t blocks = 0;              // that were resampled: fewer where rounds are correlated
  Estimate median;                  // the least time that half of the rounds do not exceed
  Estimate mean;                    // rounded down
  Estimate p90;                     // the least time that nine rounds in ten do not exceed
};

struct CardJudgement {
  uint32_t card = 0;
  bool slow_without = false;  // far slower than the other cards without the warm
  bool slow_with = false;
  Change median;
  Change mean;
  Change p90;
  // The upper end of the mean's change that decides: as if two more rounds with the warm had been
  // as slow as its slowest. Rare slow rounds are known only as far as they were seen; where few
  // were, the 97.5 % limit of their number is about two above what a bootstrap takes for it
  // (Poisson: of 1 seen 5.6 instead of 3.0, of 5 seen 11.7 instead of 9.4).
  int64_t cautious_mean_high = 0;
};

// What the durations of the warm's issues say, after the start-up phase.
struct AchievedBandwidth {
  uint64_t first_issue = 0;  // that counts
  uint64_t issues = 0;       // that count; 0: no durations, or bytes not known
  uint64_t median_duration = 0;
  uint64_t best_duration = 0;
  uint64_t median = 0;           // bytes a second, the largest value where it does not fit
  uint64_t best = 0;             // likewise
  uint64_t leftover_issues = 0;  // faster than the memory; 0 where its bandwidth is not known
};

enum class JudgeFlag : uint8_t {
  // Issues returned faster than the memory can deliver: they found what an earlier round had left.
  // measured: the median issue's bandwidth, bytes a second; limit: the memory's.
  kFasterThanMemory,
  // Whether the warm was cold is not known: no durations, no bytes or no memory bandwidth.
  kColdNotShown,
  // On the deciding card. measured: the mean's change; limit: the median's.
  kTailEatsMean,
  // On the deciding card. measured: the p90's change; limit: the median's.
  kTailEatsP90,
  // measured: the least gain that the interval allows; limit: the standalone bound.
  kGainAboveStandalone,
  // An arm of the deciding card. measured: rounds used; limit: the least.
  kTooFewRounds,
  // An arm of any card: what is used of it still moves. measured: by how much; limit: the most.
  kNeverSteady,
  // Any card and arm. measured: its median; limit: what counts as slow.
  kSlowCard,
  // The deciding card does gain, this one surely loses more than the least gain. measured: the
  // least loss that the interval allows; limit: the least gain.
  kCardsDisagree,
};

struct RaisedFlag {
  JudgeFlag flag = JudgeFlag::kColdNotShown;
  uint32_t card = 0;    // of no meaning for kFasterThanMemory and kColdNotShown
  bool warmed = false;  // the arm, for flags of one arm
  int64_t measured = 0;
  int64_t limit = 0;
};

enum class ShipVerdict : uint8_t { kMeasureMore, kShip, kDoNotShip };

// What decided, all on the deciding card but for the cards that disagree.
enum class ShipReason : uint8_t {
  kGainIsSure,            // ship. measured: the median's change, upper end; limit: minus least gain
  kMedianGainsTooLittle,  // do not. measured: the median's change, lower end; limit: likewise
  kMeanGainsTooLittle,    // do not. measured: the mean's change, lower end; limit: likewise
  kTailEatsGain,     // do not. The tail is sure (flag kTailEatsMean). measured: the mean's change;
                     // limit: likewise
  kMedianUndecided,  // more. measured: width of the median's interval; limit: what would do
  kMeanUndecided,    // more. measured: width of the mean's interval; limit: likewise
  kFoundItsLeftovers,  // measure cold: flag kFasterThanMemory, with its numbers
  kImpossibleGain,     // flag kGainAboveStandalone, with its numbers
  kTooFewRounds,       // more: flag kTooFewRounds, with its numbers
  kNeverSteady,        // warm up longer: flag kNeverSteady, with its numbers
  kCardsDisagree,      // look at that card: flag kCardsDisagree, with its numbers
};

struct GivenReason {
  ShipReason reason = ShipReason::kMedianUndecided;
  uint32_t card = 0;
  bool warmed = false;
  int64_t measured = 0;
  int64_t limit = 0;
};

struct WarmJudgement {
  std::vector<SeriesJudgement> series;  // by card, ascending; first without, then with
  std::vector<CardJudgement> cards;     // ascending
  // The source: "on multiple cards, take the fastest rank's median". The least sum of both arms'
  // medians; the lowest number among equals.
  uint32_t deciding_card = 0;
  uint64_t least_gain = 0;  // time units: least_gain_ppm of its median without the warm
  AchievedBandwidth bandwidth;
  std::vector<RaisedFlag> flags;  // in the order of JudgeFlag, then by card, then by arm
  ShipVerdict verdict = ShipVerdict::kMeasureMore;
  std::vector<GivenReason> reasons;  // all that led to the verdict, in the order of ShipReason
  // Measure more: about so many further rounds of each arm would settle it, if what was seen is the
  // truth. Absent where rounds alone would not.
  std::optional<uint64_t> more_rounds;
  uint32_t resamples = 0;  // made, for each series
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WARM_JUDGEMENT_H_
