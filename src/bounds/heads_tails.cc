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

uint64_t OutAt(const Part& part, const HeadsAndTails& times, Need need) {
  const uint32_t job = need.action().value();
  if (!need.end()) return StreamEnd(part, times, job);
  uint64_t out = EndOf(part, times, job);
  for (const Need first : part.wait_needs[job]) {
    const uint32_t other = first.action().value();
    out = std::max(out, first.end() ? EndOf(part, times, other) : StreamEnd(part, times, other));
  }
  return out;
}

uint64_t PathHead(const Part& part, const HeadsAndTails& times, uint32_t job) {
  uint64_t head = 0;
  for (const Need need : part.needs[job]) head = std::max(head, OutAt(part, times, need));
  return head;
}

// What follows the end of `need` when `rest` follows it.
void RaiseTail(const Part& part, Need need, uint64_t rest, HeadsAndTails* times) {
  const uint32_t job = need.action().value();
  uint64_t& tail = need.end() && part.jobs[job].program ? times->end_tail[job] : times->tail[job];
  tail = std::max(tail, rest);
}

// The tail of a job is known: what it needs has it, and the job itself, behind it.
void PassBack(const Part& part, uint32_t job, HeadsAndTails* times) {
  const uint64_t rest = SaturatingAdd(part.jobs[job].stream, times->tail[job]);
  for (const Need need : part.needs[job]) {
    RaiseTail(part, need, rest, times);
    if (!need.end()) continue;
    for (const Need first : part.wait_needs[need.action().value()]) {
      RaiseTail(part, first, rest, times);
    }
  }
}

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
  for (uint32_t job = 0; job < part.size(); ++job) times.head[job] = PathHead(part, times, job);
  for (uint32_t job = part.size(); job-- > 0;) {
    JoinTails(part, job, &times);
    PassBack(part, job, &times);
  }
  return times;
}

HeadsAndTails FullHeadsAndTails(const Part& part, const Precedence& precedence, uint64_t work) {
  HeadsAndTails times = Zeros(part);
  const uint64_t reach = std::min<uint64_t>(precedence.span(), work / (uint64_t{part.size()} + 1));
  Nearest heads(reach);
  for (uint32_t job = 0; job < part.size(); ++job) {
    times.head[job] =
        std::max(PathHead(part, times, job), HeadByResources(part, precedence, heads, job));
    heads.Add(times.head[job], job);
  }
  Nearest tails(reach);
  Nearest end_tails(reach);
  for (uint32_t job = part.size(); job-- > 0;) {
    RaiseTailsByResources(part, precedence, tails, job, &times);
    RaiseTailsBySlices(part, precedence, end_tails, job, &times);
    JoinTails(part, job, &times);
    PassBack(part, job, &times);
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
