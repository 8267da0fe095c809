// How much more work a call may do: search nodes, wall time, and whether the caller still wants it.
//
// Nodes are counted always and alike, so a node limit ends the work at the same place every time.
// The clock and the caller are asked every so many nodes only.
#ifndef TORQSCHED_SRC_ALLOCATION_BUDGET_H_
#define TORQSCHED_SRC_ALLOCATION_BUDGET_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "src/allocation/allocation.h"

namespace torqsched {

class Budget {
 public:
  Budget(const AllocationOptions& options, const StopFunction& stop)
      : limit_(options.node_limit), stop_(stop) {
    if (options.time_limit_ms.has_value()) {
      // Later than this no clock runs.
      const uint64_t most = uint64_t{1000} * 3600 * 24 * 365;
      end_ = Clock::now() + std::chrono::milliseconds(std::min(*options.time_limit_ms, most));
    }
  }

  // Takes nodes, at least 1; false: no more are to be had, now or later.
  bool Spend(uint64_t nodes) {
    if (spent()) return false;
    if (nodes > limit_ - used_) {
      used_ = limit_;
      nodes_spent_ = true;
      return false;
    }
    if (slice_.has_value() && nodes > *slice_) {
      slice_spent_ = true;
      return false;
    }
    if (slice_.has_value()) *slice_ -= nodes;
    used_ += nodes;
    since_look_ += nodes;
    if (since_look_ >= kLookEvery) Look();
    return !spent();
  }
  // From now on at most so many nodes, until CloseSlice.
  void OpenSlice(uint64_t nodes) { slice_ = nodes; }
  void CloseSlice() {
    slice_.reset();
    slice_spent_ = false;
  }
  // Asks the clock and the caller now.
  void Look() {
    since_look_ = 0;
    if (end_.has_value() && Clock::now() >= *end_) time_spent_ = true;
    if (!cancelled_ && stop_ && stop_()) cancelled_ = true;
  }

  bool spent() const { return nodes_spent_ || slice_spent_ || time_spent_ || cancelled_; }
  bool time_spent() const { return time_spent_; }
  bool cancelled() const { return cancelled_; }
  uint64_t used() const { return used_; }
  uint64_t left() const { return limit_ - used_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kLookEvery = 256;

  const uint64_t limit_;
  const StopFunction& stop_;
  std::optional<Clock::time_point> end_;
  uint64_t used_ = 0;
  std::optional<uint64_t> slice_;  // nodes that are left of it
  uint64_t since_look_ = 0;
  bool nodes_spent_ = false;
  bool slice_spent_ = false;
  bool time_spent_ = false;
  bool cancelled_ = false;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_BUDGET_H_
