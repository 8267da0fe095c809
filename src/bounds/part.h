// What a bound looks at: the actions of a stream, or those between two of its barriers, as jobs.
//
// Every action takes the stream for some cycles (a program for start_cycles, a joint for none), one
// at a time. A program also runs on a slice for its compute cycles, from its start on at the
// earliest. Needs are those of the action graph, inside the part. Buffers are those that the jobs
// use; whether one is in LRAM before the part's first job or after its last follows from the
// barriers, which keep their places in every order.
//
// What a program does beyond the barrier that ends its part (it is started before the barrier and
// waited for after it) is left out: its start alone is a job here. Room that other buffers need
// throughout the part is taken off the capacity. What a program's wait alone uses (through views)
// is left out as well.
//
// Where transfers do not block, a transfer takes the stream for transfer_issue_cycles only; that it
// goes on beside the stream is left out.
//
// With swaps an order has more transfers, and a buffer may be out between its uses, unless it has a
// fixed offset, is live in or live out: it *stays*.
#ifndef TORQSCHED_SRC_BOUNDS_PART_H_
#define TORQSCHED_SRC_BOUNDS_PART_H_

#include <cstdint>
#include <vector>

#include "src/graph/action_graph.h"
#include "src/graph/problem.h"

namespace torqsched::bounds {

struct PartBuffer {
  uint64_t size = 0;
  bool born_before = false;  // in LRAM, or swapped out, before the first job
  bool dies_after = false;   // likewise after the last
  bool stays = false;        // never swapped out
  // Of a buffer that one load writes, and that its other users read: that load, and what loading it
  // again takes.
  uint32_t loader = 0xffffffff;
  uint64_t reload = 0;
};

struct Job {
  uint64_t stream = 0;   // cycles of the stream
  uint64_t compute = 0;  // cycles of a slice; of a program
  bool program = false;
};

struct Part {
  std::vector<Job> jobs;  // needs point backwards
  Rows<Need> needs;       // by job; their actions are jobs of the part
  Rows<Need> wait_needs;  // by job, what its wait needs
  Rows<uint32_t> uses;    // by job, part buffers
  Rows<uint32_t> users;   // by part buffer, jobs, ascending
  std::vector<PartBuffer> buffers;
  uint64_t capacity = 0;      // bytes of LRAM for the part's buffers
  uint64_t block_cycles = 0;  // of all block transfers that no order avoids
  uint32_t slices = 1;
  bool swaps_allowed = true;
  bool transfers_block = true;

  uint32_t size() const { return static_cast<uint32_t>(jobs.size()); }
};

// By buffer: the load that alone writes it, if all other users of it read it. Linear.
class OnlyLoaders {
 public:
  explicit OnlyLoaders(const ScheduleProblem& problem);

  // Absent: there is none.
  OpIndex of(BufferIndex b) const { return loaders_[b]; }

 private:
  IndexVector<BufferIndex, OpIndex> loaders_;
};

// The whole stream, barriers among the jobs. Linear.
Part WholeStream(const ScheduleProblem& problem, const ActionGraph& graph,
                 const OnlyLoaders& loaders, bool swaps_allowed);

// The parts between barriers, one after the other, and what the barriers themselves take. Linear,
// all parts together.
class PartsBetweenBarriers {
 public:
  PartsBetweenBarriers(const ScheduleProblem& problem, const ActionGraph& graph,
                       const OnlyLoaders& loaders, bool swaps_allowed);

  size_t size() const { return cuts_.size() + 1; }
  uint64_t barrier_cycles() const { return barrier_cycles_; }
  Part Make(size_t part);

 private:
  // The part in which an op is; barriers belong to none, and count to the part before them.
  uint32_t PartOf(OpIndex op) const;
  void MeasureLives();

  const ScheduleProblem& problem_;
  const ActionGraph& graph_;
  const OnlyLoaders& loaders_;
  const bool swaps_allowed_;
  std::vector<uint32_t> cuts_;  // the barriers, as actions
  uint64_t barrier_cycles_ = 0;
  // By buffer: the part in which it comes into LRAM and that in which it goes.
  std::vector<uint32_t> first_part_;
  std::vector<uint32_t> last_part_;
  std::vector<uint64_t> through_bytes_;  // by part, live before and after it
  std::vector<uint32_t> local_;          // by buffer, while a part is made
};

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_PART_H_
