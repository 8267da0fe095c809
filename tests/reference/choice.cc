// Section 5: three caps, two passes, one answer.
#include <algorithm>
#include <vector>

#include "tests/reference/arithmetic.h"
#include "tests/reference/reference.h"

namespace torqsched::reference {
namespace {

class Choice {
 public:
  Choice(const Stream& stream, const Hardware& hardware, const ScheduleOptions& options)
      : stream_(stream), hardware_(hardware), options_(options) {}

  ScheduleAnswer Run() {
    PriceInput();
    // "Strategy NONE: the input order and slices, allocated and priced, no attempts."
    if (options_.strategy == Strategy::kNone) return answer_;
    for (uint64_t cap : ReferenceCaps(hardware_, options_)) {
      caps_.push_back(cap);
      schedules_.push_back(ReferenceListSchedule(stream_, hardware_, options_, cap));
    }
    // "Where swaps are forbidden there is no pass 1."
    if (!Pass0() && !options_.swaps_forbidden) Pass1();
    return answer_;
  }

 private:
  void PriceInput() {
    Schedule& input = answer_.schedule;
    input.order = InputOrder(stream_);
    input.slice = InputSlices(stream_);
    const Priced priced = ReferenceSimulate(stream_, hardware_, input.order, input.slice);
    input.makespan = priced.makespan;
    input.peak = priced.peak;
    answer_.input_makespan = priced.makespan;
    answer_.input_peak = priced.peak;
    answer_.placement = ReferenceSequential(stream_, hardware_, input.order, input.slice,
                                            !options_.swaps_forbidden);
    // "bar = input, if the oracle places the input order without swaps; else the input order's
    // makespan after allocation, its swaps included". "If the oracle cannot place the input order
    // even with swaps there is no bar".
    if (answer_.placement.placed) {
      answer_.input_allocated_makespan = answer_.placement.makespan;
      answer_.input_swaps = answer_.placement.swaps;
      answer_.bar =
          answer_.placement.swaps == 0 ? answer_.input_makespan : answer_.placement.makespan;
    }
  }

  bool BeatsBar(uint64_t makespan) const {
    return !answer_.bar.has_value() || makespan < *answer_.bar;
  }

  // "Within a pass an order is not tried twice."
  bool TriedInThisPass(size_t k) const {
    for (size_t earlier = 0; earlier < k; ++earlier) {
      if (schedules_[earlier].order == schedules_[k].order) return true;
    }
    return false;
  }

  Attempt NewAttempt(uint32_t pass, size_t k) const {
    Attempt attempt;
    attempt.pass = pass;
    attempt.cap = caps_[k];
    attempt.predicted = schedules_[k].makespan;
    return attempt;
  }

  Placement Ask(size_t k, bool swaps_allowed, Attempt* attempt) const {
    Placement placement = ReferenceSequential(stream_, hardware_, schedules_[k].order,
                                              schedules_[k].slice, swaps_allowed);
    attempt->placed = placement.placed;
    if (placement.placed) {
      attempt->swaps = placement.swaps;
      attempt->makespan = placement.makespan;
    } else {
      attempt->failure = placement.failure;
    }
    return placement;
  }

  void Commit(uint32_t pass, size_t k, const Placement& placement) {
    answer_.source = Source::kList;
    answer_.pass = pass;
    answer_.cap = caps_[k];
    answer_.schedule = schedules_[k];
    answer_.placement = placement;
  }

  // "pass 0: for each cap, in this order: predicted < bar, and the oracle places it with no swap ->
  // commit it, done."
  bool Pass0() {
    for (size_t k = 0; k < caps_.size(); ++k) {
      Attempt attempt = NewAttempt(0, k);
      if (TriedInThisPass(k)) {
        attempt.verdict = Verdict::kSameOrder;
      } else if (!BeatsBar(attempt.predicted)) {
        attempt.verdict = Verdict::kNotFaster;
      } else {
        const Placement placement = Ask(k, /*swaps_allowed=*/false, &attempt);
        attempt.verdict = placement.placed ? Verdict::kCommitted : Verdict::kNotPlaced;
        if (placement.placed) Commit(0, k, placement);
      }
      answer_.attempts.push_back(attempt);
      if (attempt.verdict == Verdict::kCommitted) return true;
    }
    return false;
  }

  // "pass 1: for each cap: the oracle places it with swaps -> makespan after allocation; keep the
  // fastest (the first of equals). faster than bar -> commit it. Else the input order stays."
  void Pass1() {
    std::vector<Attempt> attempts;
    std::vector<Placement> placements;
    size_t fastest = caps_.size();
    for (size_t k = 0; k < caps_.size(); ++k) {
      attempts.push_back(NewAttempt(1, k));
      placements.emplace_back();
      Attempt& attempt = attempts.back();
      if (TriedInThisPass(k)) {
        attempt.verdict = Verdict::kSameOrder;
        continue;
      }
      placements[k] = Ask(k, /*swaps_allowed=*/true, &attempt);
      if (!placements[k].placed) {
        attempt.verdict = Verdict::kNotPlaced;
        continue;
      }
      // "every other placed one not_fastest"
      attempt.verdict = Verdict::kNotFastest;
      if (fastest == caps_.size() || placements[k].makespan < placements[fastest].makespan) {
        fastest = k;
      }
    }
    if (fastest != caps_.size()) {
      // "then the fastest gets committed or not_faster"
      const bool commit = BeatsBar(placements[fastest].makespan);
      attempts[fastest].verdict = commit ? Verdict::kCommitted : Verdict::kNotFaster;
      if (commit) Commit(1, fastest, placements[fastest]);
    }
    answer_.attempts.insert(answer_.attempts.end(), attempts.begin(), attempts.end());
  }

  const Stream& stream_;
  const Hardware& hardware_;
  const ScheduleOptions& options_;
  std::vector<uint64_t> caps_;
  std::vector<Schedule> schedules_;
  ScheduleAnswer answer_;
};

}  // namespace

// "usable = lram_bytes - lram_reserved_bytes; caps = floor(usable * cap_percent * k / 10000) for k
// in 100, 85, 70".
std::vector<uint64_t> ReferenceCaps(const Hardware& hardware, const ScheduleOptions& options) {
  const Wide usable = hardware.lram_bytes - hardware.lram_reserved_bytes;
  std::vector<uint64_t> caps;
  for (uint64_t k : {100, 85, 70}) {
    caps.push_back(Narrow(usable * options.cap_percent * k / 10000));
  }
  return caps;
}

ScheduleAnswer ReferenceScheduleStream(const Stream& stream, const Hardware& hardware,
                                       const ScheduleOptions& options) {
  return Choice(stream, hardware, options).Run();
}

}  // namespace torqsched::reference
