// How much the exact search has done: what it may not exceed, and whom it asks whether to go on.
#ifndef TORQSCHED_SRC_SEARCH_EXACT_WORK_H_
#define TORQSCHED_SRC_SEARCH_EXACT_WORK_H_

#include <algorithm>
#include <cstdint>

#include "src/search/exact.h"

namespace torqsched {

class ExactWork {
 public:
  // However much is allowed: what is kept of each node takes memory.
  static constexpr uint64_t kMostNodes = 4000000;
  static constexpr uint64_t kNodesBetweenQuestions = 2048;

  // The options must outlive it.
  explicit ExactWork(const ExactOptions& options)
      : options_(options), limit_(std::min(options.node_limit, kMostNodes)) {}

  // A node was made.
  void Add() {
    if (++nodes_ % kNodesBetweenQuestions != 0 || !options_.stop) return;
    stopped_ = stopped_ || options_.stop(nodes_);
  }
  bool done() const { return stopped_ || nodes_ >= limit_; }
  uint64_t nodes() const { return nodes_; }

 private:
  const ExactOptions& options_;
  const uint64_t limit_;
  uint64_t nodes_ = 0;
  bool stopped_ = false;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SEARCH_EXACT_WORK_H_
