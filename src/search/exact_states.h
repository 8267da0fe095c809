// Partial answers of one size, each better than all others with the same sets in some time.
//
// A state is a row of words: what is out (sets), where it came from, and its times. Of two states
// with equal sets one *dominates* the other if none of its times is later and it has at least the
// valid copies: whatever goes on from the other one can go on from it, no later. States that are
// dominated are dropped when they come, or marked when a better one comes.
//
// Invariant: of states with equal sets that are not marked, none dominates another. States keep
// their order of arrival; the hash table is only ever asked for one key. Cost of Add: the states
// with the same sets.
#ifndef TORQSCHED_SRC_SEARCH_EXACT_STATES_H_
#define TORQSCHED_SRC_SEARCH_EXACT_STATES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace torqsched {

// The words of a state. After them come its times: the clock; when each slice is free, ascending,
// no earlier than the clock; when each program ends, no earlier than the clock, 0 if it is not out.
enum ExactWord : uint32_t {
  kOutWord,     // actions that are out
  kWaitedWord,  // programs that have been waited for, where waits branch
  kGoneWord,    // live buffers whose contents are not in LRAM
  kCopiedWord,  // buffers with a valid copy in XRAM
  kBoundWord,   // a lower bound of all that goes on from here
  kStepWord,    // the number of the step that made it
  kTimeWord,
};

class ExactStates {
 public:
  explicit ExactStates(size_t times) : words_(kTimeWord + times) {}

  void Clear();
  size_t size() const { return dead_.size(); }
  size_t alive() const { return alive_; }
  size_t words() const { return pool_.size(); }
  const uint64_t* operator[](size_t i) const { return &pool_[i * words_]; }
  bool dead(size_t i) const { return dead_[i]; }
  void Kill(size_t i);

  // Adds a state of kTimeWord + times words, unless another one dominates it.
  bool Add(const uint64_t* state);

 private:
  static constexpr uint32_t kNone = 0xffffffff;

  static bool SameSets(const uint64_t* a, const uint64_t* b);
  bool Dominates(const uint64_t* a, const uint64_t* b) const;
  uint32_t* BucketOf(const uint64_t* state);
  void Grow();

  size_t words_;
  size_t alive_ = 0;
  std::vector<uint64_t> pool_;
  std::vector<bool> dead_;
  std::vector<uint32_t> next_;     // the next state with the same sets
  std::vector<uint32_t> buckets_;  // the newest state with these sets; a power of two of them
  size_t used_buckets_ = 0;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SEARCH_EXACT_STATES_H_
