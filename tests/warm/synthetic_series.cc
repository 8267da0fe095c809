#include "tests/warm/synthetic_series.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace torqsched {
namespace {

constexpr double kPi = 3.14159265358979323846;

bool In(Arms arms, bool warmed) {
  return arms == Arms::kBoth || arms == (warmed ? Arms::kWith : Arms::kWithout);
}

double CardBase(const Scene& scene, Dice* dice) {
  return scene.base * (1 + 0.005 * dice->Normal());
}

class Series {
 public:
  Series(const Scene& scene, bool warmed, double base, Dice* dice)
      : scene_(scene), warmed_(warmed), base_(base), dice_(*dice) {
    line_ = dice_.Between(-scene.drift, scene.drift);
    wave_ = dice_.Between(-scene.drift, scene.drift) / 2;
    phase_ = dice_.Between(0, 2 * kPi);
    noise_ = dice_.Normal();
  }

  uint64_t Round(uint64_t round) {
    const double rho = scene_.correlation;
    if (round > 0) noise_ = rho * noise_ + std::sqrt(1 - rho * rho) * dice_.Normal();
    const double at = static_cast<double>(round) / static_cast<double>(scene_.rounds);
    double time = base_ * std::exp(scene_.noise * noise_);
    time *= 1 + line_ * at + wave_ * std::sin(phase_ + 2 * kPi * at);
    const Tail& tail = warmed_ ? scene_.tail_with : scene_.tail_without;
    if (dice_.Uniform() < tail.chance) time *= 1 + dice_.Exponential(tail.mean_share);
    return static_cast<uint64_t>(time + Stalls(round));
  }

 private:
  double Stalls(uint64_t round) {
    const StartUp& start = scene_.start_up;
    if (start.chance == 0 || !In(start.arms, warmed_)) return 0;
    const double issues = static_cast<double>(round * scene_.issues_per_round);
    const double chance =
        start.floor + (start.chance - start.floor) * std::exp(-issues / start.fade_issues);
    if (chance < 1e-6) return 0;
    double sum = 0;
    for (uint64_t i = 0; i < scene_.issues_per_round; ++i) {
      if (dice_.Uniform() < chance) sum += dice_.Between(200e3, 300e3);
    }
    return sum;
  }

  const Scene& scene_;
  bool warmed_;
  double base_;
  Dice& dice_;
  double line_;
  double wave_;
  double phase_;
  double noise_;
};

}  // namespace

// Own distributions: those of <random> differ from library to library.
double Dice::Uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) / 9007199254740992.0; }

double Dice::Normal() {
  return std::sqrt(-2 * std::log(Uniform())) * std::cos(2 * kPi * Uniform());
}

double Dice::Exponential(double mean) { return -mean * std::log(Uniform()); }

WarmMeasurement MakeMeasurement(const Scene& scene, uint64_t seed) {
  Dice dice(seed);
  WarmMeasurement measurement;
  const uint32_t slow_card = static_cast<uint32_t>(dice.Uniform() * scene.cards);
  for (uint32_t card = 0; card < scene.cards; ++card) {
    const double base = CardBase(scene, &dice);
    for (const bool warmed : {false, true}) {
      const bool slow = card == slow_card && In(scene.slow, warmed);
      const double level = base * (warmed ? 1 + scene.effect : 1) * (slow ? scene.slow_factor : 1);
      Series series(scene, warmed, level, &dice);
      RoundSeries rounds;
      rounds.card = card;
      rounds.warmed = warmed;
      for (uint64_t r = 0; r < scene.rounds; ++r) rounds.times.push_back(series.Round(r));
      measurement.series.push_back(std::move(rounds));
    }
  }
  measurement.warm_bytes = kPairBytes;
  measurement.issues_per_round = scene.issues_per_round;
  for (uint64_t i = 0; i < scene.timed_rounds * scene.issues_per_round; ++i) {
    double issue = scene.issue * std::exp(0.05 * dice.Normal());
    const double chance =
        scene.start_up.chance * std::exp(-static_cast<double>(i) / scene.start_up.fade_issues);
    if (dice.Uniform() < chance) issue += dice.Between(200e3, 300e3);
    measurement.warm_durations.push_back(static_cast<uint64_t>(issue));
  }
  return measurement;
}

double TrueBase(const Scene& scene, uint64_t seed) {
  Dice dice(seed);
  dice.Uniform();  // the slow card
  return CardBase(scene, &dice);
}

}  // namespace torqsched
