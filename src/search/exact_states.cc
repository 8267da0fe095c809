#include "src/search/exact_states.h"

#include <utility>

#include "src/search/random.h"

namespace torqsched {

void ExactStates::Clear() {
  pool_.clear();
  dead_.clear();
  next_.clear();
  buckets_.assign(64, kNone);
  used_buckets_ = 0;
  alive_ = 0;
}

void ExactStates::Kill(size_t i) {
  if (dead_[i]) return;
  dead_[i] = true;
  --alive_;
}

bool ExactStates::SameSets(const uint64_t* a, const uint64_t* b) {
  return a[kOutWord] == b[kOutWord] && a[kWaitedWord] == b[kWaitedWord] &&
         a[kGoneWord] == b[kGoneWord];
}

bool ExactStates::Dominates(const uint64_t* a, const uint64_t* b) const {
  if ((b[kCopiedWord] & ~a[kCopiedWord]) != 0) return false;
  for (size_t i = kTimeWord; i < words_; ++i) {
    if (a[i] > b[i]) return false;
  }
  return true;
}

uint32_t* ExactStates::BucketOf(const uint64_t* state) {
  const size_t mask = buckets_.size() - 1;
  const uint64_t rest = search::Mix(state[kWaitedWord] + search::Mix(state[kGoneWord]));
  size_t at = search::Mix(state[kOutWord] + rest) & mask;
  while (buckets_[at] != kNone && !SameSets((*this)[buckets_[at]], state)) at = (at + 1) & mask;
  return &buckets_[at];
}

void ExactStates::Grow() {
  std::vector<uint32_t> old(2 * buckets_.size(), kNone);
  std::swap(old, buckets_);
  for (const uint32_t newest : old) {
    if (newest != kNone) *BucketOf((*this)[newest]) = newest;
  }
}

bool ExactStates::Add(const uint64_t* state) {
  if (4 * (used_buckets_ + 1) > 3 * buckets_.size()) Grow();
  uint32_t* bucket = BucketOf(state);
  for (uint32_t at = *bucket; at != kNone; at = next_[at]) {
    if (Dominates((*this)[at], state)) return false;
    if (Dominates(state, (*this)[at])) Kill(at);
  }
  const uint32_t index = static_cast<uint32_t>(dead_.size());
  if (*bucket == kNone) ++used_buckets_;
  pool_.insert(pool_.end(), state, state + words_);
  dead_.push_back(false);
  next_.push_back(*bucket);
  *bucket = index;
  ++alive_;
  return true;
}

}  // namespace torqsched
