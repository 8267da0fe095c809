#include "src/bounds/heads_tails.h"

#include <algorithm>
#include <utility>

#include "src/stream/checked.h"

namespace torqsched::bounds {
namespace {

uint64_t StreamEnd(const Part& part, const HeadsAndTails& times, uint32_t job) {
  return SaturatingAdd(times.head[job], part.jobs[job].stream);
}

// When all of it is over at the earliest; what its wait needs apart from the program is left out.
uint64_t EndOf(const Part& part, const HeadsAndTails& times, uint32_t job) {
  const Job& j = part.jobs[job];
  return SaturatingAdd(times.head[job], std::max(j.stream, j.compute));
}

// Along needs. A wait that needs more than its program is looked at once, however many need it.
class Paths {
 public:
  explicit Paths(const Part& part) : part_(part), wait_out_(part.size(), kUnknown) {
    for (uint32_t job = 0; job < part.size(); ++job) {
      const Run<Need> wait_needs = part.wait_needs[job];
      if (wait_needs.empty()) continue;
      uint32_t last = job;
      for (const Need need : wait_needs) last = std::max(last, need.action().value());
      waits_.push_back({last, job});
    }
    std::sort(waits_.begin(), waits_.end());
    wait_tail_.assign(waits_.empty() ? 0 : part.size(), 0);
  }

  // Of a job whose needs have their heads.
  uint64_t Head(const HeadsAndTails& times, uint32_t job) {
    uint64_t head = 0;
    for (const Need need : part_.needs[job]) head = std::max(head, OutAt(times, need));
    return head;
  }

  // Before the tail of a job is asked for: of those after it all are known and have been passed
  // back, so the waits of which it is the last need have theirs.
  void PassBackWaits(uint32_t job, HeadsAndTails* times) {
    for (; !waits_.empty() && waits_.back().first == job; waits_.pop_back()) {
      const uint32_t program = waits_.back().second;
      for (const Need first : part_.wait_needs[program]) {
        RaiseTail(first, wait_tail_[program], times);
      }
    }
  }

  // The tail of a job is known: what it needs has it, and the job itself, behind it.
  void PassBack(uint32_t job, HeadsAndTails* times) {
    const uint64_t rest = SaturatingAdd(part_.jobs[job].stream, times->tail[job]);
    for (const Need need : part_.needs[job]) {
      RaiseTail(need, rest, times);
      const uint32_t other = need.action().value();
      if (!need.end() || part_.wait_needs[other].empty()) continue;
      wait_tail_[other] = std::max(wait_tail_[other], rest);
    }
  }

 private:
  uint64_t OutAt(const HeadsAndTails& times, Need need) {
    const uint32_t job = need.action().value();
    if (!need.end()) return StreamEnd(part_, times, job);
    // A wait comes after all that it needs, so this is as good as what is known later.
    uint64_t& out = wait_out_[job];
    if (out != kUnknown) return out;
    out = EndOf(part_, times, job);
    for (const Need first : part_.wait_needs[job]) {
      const uint32_t other = first.action().value();
      out =
          std::max(out, first.end() ? EndOf(part_, times, other) : StreamEnd(part_, times, other));
    }
    return out;
  }

  // What follows the end of `need` when `rest` follows it.
  void RaiseTail(Need need, uint64_t rest, HeadsAndTails* times) const {
    const uint32_t job = need.action().value();
    const bool by_end = need.end() && part_.jobs[job].program;
    uint64_t& tail = by_end ? times->end_tail[job] : times->tail[job];
    tail = std::max(tail, rest);
  }

  static constexpr uint64_t kUnknown = UINT64_MAX;

  const Part& part_;
  std::vector<uint64_t> wait_out_;                    // by job, when its wait is out
  std::vector<std::pair<uint32_t, uint32_t>> waits_;  // the last job that a wait needs, and whose
  std::vector<uint64_t> wait_tail_;                   // by job, what follows its wait
};

// A program ends no earlier than its compute cycles after its start.
void JoinTails(const Part& part, uint32_t job, HeadsAndTails* times) {
  const Job& j = part.jobs[job];
  if (!j.program) return;
  const uint64_t by_end = SaturatingAdd(j.compute, times->end_tail[job]);
  times->tail[job] = std::max(times->tail[job], by_end - std::min(by_end, j.stream));
}

HeadsAndTails Zeros(const Part& part) {
  HeadsAndTails times;
  times.head.assign(part.size(), 0);
  times.tail.assign(part.size(), 0);
  times.end_tail.assign(part.size(), 0);
  return times;
}

// The last `reach` jobs that were added, by a value, largest first.
class Nearest {
 public:
  explicit Nearest(uint64_t reach) : reach_(reach) {}

  void Add(uint64_t value, uint32_t job) {
    const std::pair<uint64_t, uint32_t> item(value, job);
    items_.insert(std::lower_bound(items_.begin(), items_.end(), item, Larger), item);
    order_.push_back(item);
    if (order_.size() <= reach_) return;
    const auto& oldest = order_[order_.size() - 1 - reach_];
    items_.erase(std::lower_bound(items_.begin(), items_.end(), oldest, Larger));
  }
  const std::vector<std::pair<uint64_t, uint32_t>>& items() const { return items_; }

 private:
  static bool Larger(const std::pair<uint64_t, uint32_t>& a,
                     const std::pair<uint64_t, uint32_t>& b) {
    return a > b;
  }
  const uint64_t reach_;
  std::vector<std::pair<uint64_t, uint32_t>> items_;
  std::vector<std::pair<uint64_t, uint32_t>> order_;
};

// The largest of "value of a job, plus what it and those of larger value take together".
class Sums {
 public:
  explicit Sums(uint32_t machines) : machines_(machines) {}
  void Add(uint64_t value, uint64_t cycles) {
    sum_ = SaturatingAdd(sum_, cycles);
    const uint64_t each = sum_ / machines_ + (sum_ % machines_ != 0 ? 1 : 0);
    largest_ = std::max(largest_, SaturatingAdd(value, each));
  }
  uint64_t largest() const { return largest_; }

 private:
  const uint32_t machines_;
  uint64_t sum_ = 0;
  uint64_t largest_ = 0;
};

uint64_t HeadByResources(const Part& part, const Precedence& precedence, const Nearest& heads,
                         uint32_t job) {
  Sums stream(1);
  Sums slices(part.slices);
  for (const auto& [head, other] : heads.items()) {
    if (!precedence.Begun(other, job)) continue;
    stream.Add(head, part.jobs[other].stream);
    if (part.jobs[other].program && precedence.Ended(other, job)) {
      slices.Add(head, part.jobs[other].compute);
    }
  }
  return std::max(stream.largest(), slices.largest());
}

void RaiseTailsByResources(const Part& part, const Precedence& precedence, const Nearest& tails,
                           uint32_t job, HeadsAndTails* times) {
  const bool program = part.jobs[job].program;
  Sums after_begin(1);
  Sums after_end(1);
  for (const auto& [tail, other] : tails.items()) {
    if (!precedence.Begun(job, other)) continue;
    after_begin.Add(tail, part.jobs[other].stream);
    if (program && precedence.Ended(job, other)) after_end.Add(tail, part.jobs[other].stream);
  }
  times->tail[job] = std::max(times->tail[job], after_begin.largest());
  times->end_tail[job] = std::max(times->end_tail[job], after_end.largest());
}

void RaiseTailsBySlices(const Part& part, const Precedence& precedence, const Nearest& end_tails,
                        uint32_t job, HeadsAndTails* times) {
  Sums after_begin(part.slices);
  Sums after_end(part.slices);
  for (const auto& [tail, other] : end_tails.items()) {
    if (!precedence.Begun(job, other)) continue;
    after_begin.Add(tail, part.jobs[other].compute);
    if (precedence.Ended(job, other)) after_end.Add(tail, part.jobs[other].compute);
  }
  times->tail[job] = std::max(times->tail[job], after_begin.largest());
  times->end_tail[job] = std::max(times->end_tail[job], after_end.largest());
}

}  // namespace

HeadsAndTails PathHeadsAndTails(const Part& part) {
  HeadsAndTails times = Zeros(part);
  Paths paths(part);
  for (uint32_t job = 0; job < part.size(); ++job) times.head[job] = paths.Head(times, job);
  for (uint32_t job = part.size(); job-- > 0;) {
    paths.PassBackWaits(job, &times);
    JoinTails(part, job, &times);
    paths.PassBack(job, &times);
  }
  return times;
}

HeadsAndTails FullHeadsAndTails(const Part& part, const Precedence& precedence, Work* work) {
  HeadsAndTails times = Zeros(part);
  Paths paths(part);
  // Of heads, of tails and of end tails.
  const uint64_t each = 3 * (uint64_t{part.size()} + 1);
  const uint64_t reach = std::min<uint64_t>(precedence.span(), work->left() / each);
  work->Charge(reach * each);
  Nearest heads(reach);
  for (uint32_t job = 0; job < part.size(); ++job) {
    times.head[job] =
        std::max(paths.Head(times, job), HeadByResources(part, precedence, heads, job));
    heads.Add(times.head[job], job);
  }
  Nearest tails(reach);
  Nearest end_tails(reach);
  for (uint32_t job = part.size(); job-- > 0;) {
    paths.PassBackWaits(job, &times);
    RaiseTailsByResources(part, precedence, tails, job, &times);
    RaiseTailsBySlices(part, precedence, end_tails, job, &times);
    JoinTails(part, job, &times);
    paths.PassBack(job, &times);
    tails.Add(times.tail[job], job);
    if (part.jobs[job].program) end_tails.Add(times.end_tail[job], job);
  }
  return times;
}

uint64_t LongestThroughOne(const Part& part, const HeadsAndTails& times) {
  uint64_t longest = 0;
  for (uint32_t job = 0; job < part.size(); ++job) {
    const Job& j = part.jobs[job];
    longest = std::max(longest, SaturatingAdd(StreamEnd(part, times, job), times.tail[job]));
    if (!j.program) continue;
    const uint64_t end = SaturatingAdd(times.head[job], j.compute);
    longest = std::max(longest, SaturatingAdd(end, times.end_tail[job]));
  }
  return longest;
}

}  // namespace torqsched::bounds
