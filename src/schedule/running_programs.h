// The programs that have been started and not waited for: which ends first, which wait comes next,
// which slice is free. O(log n) each.
#ifndef TORQSCHED_SRC_SCHEDULE_RUNNING_PROGRAMS_H_
#define TORQSCHED_SRC_SCHEDULE_RUNNING_PROGRAMS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "src/graph/order_clock.h"
#include "src/stream/stream.h"

namespace torqsched {

class RunningPrograms {
 public:
  RunningPrograms(const Stream& stream, uint32_t slices)
      : stream_(stream), slices_(slices), program_(stream.op_count()) {
    free_slices_ = slices == 64 ? ~uint64_t{0} : (uint64_t{1} << slices) - 1;
  }

  bool any() const { return running_ != 0; }
  // Bit s: every program that was started on slice s has been waited for.
  uint64_t free_slices() const { return free_slices_; }

  // The lowest free slice, else the slice that ends first (tie: lowest).
  uint32_t SliceForNext(const OrderClock& clock) const {
    if (free_slices_ != 0) return static_cast<uint32_t>(__builtin_ctzll(free_slices_));
    uint32_t first = 0;
    for (uint32_t s = 1; s < slices_; ++s) {
      if (clock.slice_end(s) < clock.slice_end(first)) first = s;
    }
    return first;
  }

  void Start(OpIndex start, uint32_t slice, uint64_t end) {
    program_[start] = {end, static_cast<uint8_t>(slice), true};
    ++running_;
    ++on_slice_[slice];
    free_slices_ &= ~(uint64_t{1} << slice);
    Push(&by_end_, start);
  }

  void WaitIsReady(OpIndex wait) { Push(&ready_waits_, stream_.op(wait).partner); }
  bool any_ready_wait() const { return !ready_waits_.empty(); }

  // The end of the running program that ends first. There must be one.
  uint64_t EarliestEnd() {
    while (!program_[std::get<2>(by_end_.front())].running) Pop(&by_end_);
    return std::get<0>(by_end_.front());
  }

  // Takes the ready wait whose program ends first (tie: lowest slice, then the older start).
  OpIndex TakeFirstWait() {
    const OpIndex start = std::get<2>(ready_waits_.front());
    Pop(&ready_waits_);
    Program& program = program_[start];
    program.running = false;
    --running_;
    if (--on_slice_[program.slice] == 0) free_slices_ |= uint64_t{1} << program.slice;
    return stream_.op(start).partner;
  }

 private:
  struct Program {
    uint64_t end = 0;
    uint8_t slice = 0;
    bool running = false;
  };
  using Entry = std::tuple<uint64_t, uint8_t, OpIndex>;  // end, slice, start
  using Heap = std::vector<Entry>;                       // the least in front

  struct Later {
    bool operator()(const Entry& a, const Entry& b) const { return b < a; }
  };

  void Push(Heap* heap, OpIndex start) {
    heap->push_back({program_[start].end, program_[start].slice, start});
    std::push_heap(heap->begin(), heap->end(), Later());
  }
  static void Pop(Heap* heap) {
    std::pop_heap(heap->begin(), heap->end(), Later());
    heap->pop_back();
  }

  const Stream& stream_;
  const uint32_t slices_;
  IndexVector<OpIndex, Program> program_;  // by start
  Heap by_end_;                            // programs that were waited for leave it late
  Heap ready_waits_;
  size_t running_ = 0;
  uint64_t free_slices_ = 0;
  std::array<uint32_t, kMostSlices> on_slice_{};  // programs started and not waited for
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_RUNNING_PROGRAMS_H_
