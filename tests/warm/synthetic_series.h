// Series of rounds whose truth is known: what a benchmark of a warm would have printed.
//
// A round takes base * (1 + effect, with the warm) * lognormal noise * drift, on every card its own
// base; then its issues' start-up stalls are added, and sometimes it falls into the tail. The noise
// is correlated from round to round (AR(1)). Floating point: this is the world, not the judge.
#ifndef TORQSCHED_TESTS_WARM_SYNTHETIC_SERIES_H_
#define TORQSCHED_TESTS_WARM_SYNTHETIC_SERIES_H_

#include <cstdint>
#include <random>

#include "src/warm/judgement.h"

namespace torqsched {

// Rounds that take longer by an exponentially distributed share with this mean.
struct Tail {
  double chance = 0;
  double mean_share = 0;
};

enum class Arms : uint8_t { kNone, kWithout, kWith, kBoth };

// Issues that block for 200 to 300 us, at first this many; e-fold after fade_issues, down to a
// floor.
struct StartUp {
  double chance = 0;
  double fade_issues = 2000;
  double floor = 0;
  Arms arms = Arms::kWith;  // a start-up of the process, not of the warm, is in other arms, too
};

struct Scene {
  uint32_t cards = 1;
  uint64_t rounds = 500;
  double base = 34.4e6;  // ns
  double noise = 0.005;  // of a round, one standard deviation
  double correlation = 0;
  double drift = 0;   // a line and a wave, each up to this share of a round over the whole series
  double effect = 0;  // -0.02: two percent faster with the warm
  Tail tail_without;
  Tail tail_with;
  StartUp start_up;
  Arms slow = Arms::kNone;  // one card, drawn
  double slow_factor = 1.3;
  double issue = 353e3;  // ns, of a warm; 35e3: it finds its own leftovers
  uint64_t issues_per_round = 86;
  uint64_t timed_rounds = 20;  // whose issues' durations are kept; 0: none
};

// The pair wo_a and wo_b, as the source pulls it.
constexpr uint64_t kPairBytes = 100663296;

// All draws from this seed; the same on every machine up to the last bit of its mathematics.
WarmMeasurement MakeMeasurement(const Scene& scene, uint64_t seed);

// What a round of card 0 takes without the warm, but for noise, drift, tail and start-up.
double TrueBase(const Scene& scene, uint64_t seed);

// Draws for whatever else a test leaves to chance.
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}

  double Uniform();
  double Between(double low, double high) { return low + (high - low) * Uniform(); }
  double Normal();
  double Exponential(double mean);

 private:
  std::mt19937_64 engine_;
};

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_WARM_SYNTHETIC_SERIES_H_
