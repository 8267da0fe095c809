#include "src/bounds/precedence.h"

#include <algorithm>

namespace torqsched::bounds {

Precedence::Precedence(const Part& part, Work* work) : jobs_(part.size()) {
  uint64_t rows = jobs_;  // that are made or looked at
  for (uint32_t job = 0; job < jobs_; ++job) {
    for (const Need need : part.needs[job]) {
      rows += 1 + (need.end() ? part.wait_needs[need.action().value()].size() : 0);
      split_ |= !need.end() && part.jobs[need.action().value()].program;
    }
    for (const Need need : part.wait_needs[job]) {
      split_ |= !need.end() && part.jobs[need.action().value()].program;
    }
  }
  rows = rows * (split_ ? 2 : 1) + 1;
  const uint64_t most_words = work->left() / rows;
  if (most_words == 0) {
    split_ = false;  // nothing is said at all
    row_words_ = 0;
    span_ = 0;
    return;
  }
  span_ =
      static_cast<uint32_t>(std::min<uint64_t>(most_words * 64, (uint64_t{jobs_} + 63) / 64 * 64));
  row_words_ = span_ / 64 + 1;
  work->Charge(rows * row_words_);
  ended_.assign(jobs_ * row_words_, 0);
  if (split_) begun_.assign(jobs_ * row_words_, 0);
  for (uint32_t job = 0; job < jobs_; ++job) {
    for (const Need need : part.needs[job]) AddNeed(part, need, job);
  }
}

void Precedence::Or(const Words& source, uint32_t from, Words* words, uint32_t to) {
  const uint64_t* row = Row(source, from);
  uint64_t* target = Row(words, to);
  const uint32_t from_base = Base(from);
  const uint32_t to_base = Base(to);
  const size_t used = (from - from_base + 63) / 64;
  size_t skipped = (to_base - from_base) / 64;
  for (size_t w = skipped; w < used; ++w) target[w - skipped] |= row[w];
}

void Precedence::AddNeed(const Part& part, Need need, uint32_t to) {
  const uint32_t from = need.action().value();
  const bool ended = need.end() || !part.jobs[from].program;
  Or(ended_, from, &ended_, to);
  if (ended) Set(&ended_, from, to);
  if (split_) {
    Or(begun_, from, &begun_, to);
    Set(&begun_, from, to);
  }
  if (!need.end()) return;
  for (const Need first : part.wait_needs[from]) {
    const uint32_t other = first.action().value();
    if (other >= to) continue;
    Or(ended_, other, &ended_, to);
    if (first.end() || !part.jobs[other].program) Set(&ended_, other, to);
    if (split_) {
      Or(begun_, other, &begun_, to);
      Set(&begun_, other, to);
    }
  }
}

}  // namespace torqsched::bounds
