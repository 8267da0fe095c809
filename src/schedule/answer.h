// What a schedule request asks for and what is answered, as plain types.
#ifndef TORQSCHED_SRC_SCHEDULE_ANSWER_H_
#define TORQSCHED_SRC_SCHEDULE_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/bounds/bound.h"
#include "src/stream/index.h"
#include "src/stream/placement.h"

namespace torqsched {

enum class Strategy : uint8_t {
  kNone,            // the input order, allocated and priced
  kStreamSchedule,  // the list scheduler and the choice
  kOptimize,        // a search that starts from what kStreamSchedule answers
};

enum class OracleKind : uint8_t {
  kSequential,  // modelled on the Torq compiler's own allocator
  kHost,        // the caller's callback
  kOffline,     // knows the whole order before it places anything; never worse than kSequential
};

struct ScheduleOptions {
  Strategy strategy = Strategy::kStreamSchedule;
  OracleKind oracle = OracleKind::kSequential;
  uint64_t cap_percent = 100;             // of usable LRAM, the first cap; at most 100
  uint64_t prefetch_percent = 40;         // of the cap, for loads of far programs; at most 100
  uint64_t urgent_starts = 4;             // how many programs to come count as near
  uint64_t candidates = 32;               // ready actions looked at per rule and step; at least 1
  bool explain = false;                   // record the steps
  bool timeline = false;                  // record when everything runs
  std::optional<uint64_t> work_limit;     // of kOptimize, nodes; absent: the default
  std::optional<uint64_t> time_limit_ms;  // of kOptimize; absent: none
  bool swaps_forbidden = false;           // an order that needs swaps is not placed
  bool sensitivity = false;               // price the answer on eight other chips
  bool robust = false;  // of kOptimize: the worst of those prices decides, not the nominal one
};

// Why a rule did not emit anything in a step.
enum class Skip : uint8_t {
  kNotReached,     // an older rule applied
  kApplied,        // this is the rule that applied
  kNoneReady,      // nothing of this kind is ready
  kNoSliceFree,    // rule 2
  kNoneFits,       // rules 2 and 3: none of the candidates fits
  kProgramSooner,  // rule 3: a program ends before the transfer could begin
  kNoneRunning,    // rule 4
  kNoWaitReady,    // rule 4: programs run, but none of their waits is ready
};

// One step of the list scheduler.
struct Step {
  uint64_t t_before = 0;
  uint64_t t_after = 0;
  uint64_t free_slices = 0;  // bit s: slice s is free before the step
  OpIndex op;          // the action; the pure ops that it brought along precede it in the order
  uint32_t slice = 0;  // of a start
  uint64_t program_end = 0;  // of a start: when it ends
  uint8_t rule = 0;          // 1 to 5
  bool fits = true;          // false: emitted although its buffers do not fit
  bool urgent = false;       // of a load under rule 3
  Skip skip[5] = {};         // why rules 1 to 5 did not apply, or that they did
  uint64_t live_after = 0;   // bytes
};

// An order of all ops, and the slice that each start gets.
struct Schedule {
  std::vector<OpIndex> order;
  IndexVector<OpIndex, uint8_t> slice;  // of starts that have a wait; 0 elsewhere
  uint64_t makespan = 0;                // predicted: no swaps
  uint64_t peak = 0;                    // most live bytes at once, not rounded
  std::vector<Step> steps;              // only if asked for
};

enum class Verdict : uint8_t {
  kSameOrder,   // tried before in this pass
  kNotFaster,   // predicted, or in pass 1 allocated, no faster than the bar
  kNotPlaced,   // the oracle could not place it
  kNotFastest,  // placed, but another of pass 1 was as fast or faster
  kCommitted,
};

// What SEQUENTIAL says about an order that OFFLINE is asked about.
struct SequentialFigures {
  bool placed = false;
  uint64_t swaps = 0;     // 0 where not placed
  uint64_t makespan = 0;  // after allocation; likewise
};

// The pass of orders that a search found, which are made under no cap.
constexpr uint32_t kSearchPass = 2;

struct Attempt {
  uint32_t pass = 0;  // 0: no swaps; 1: with swaps; or kSearchPass
  uint64_t cap = 0;   // bytes
  uint64_t predicted = 0;
  std::optional<bool> placed;        // absent: the oracle was not asked
  std::optional<uint64_t> swaps;     // absent: not placed or not asked
  std::optional<uint64_t> makespan;  // after allocation; likewise
  Verdict verdict = Verdict::kNotPlaced;
  PlacementFailure failure;                     // where not placed
  std::optional<SequentialFigures> sequential;  // absent: OFFLINE was not asked
};

enum class Source : uint8_t { kInput, kList, kSearch };

// What an order takes, swaps included, on a chip whose transfers or programs take some percent more
// or fewer cycles.
struct Sensitivity {
  int32_t dma_percent = 0;  // off: -20, -10, 10 or 20, the other one 0
  int32_t compute_percent = 0;
  uint64_t makespan = 0;  // the largest value where it does not fit
};

// What one thing of the timeline ran on.
enum class Lane : uint8_t { kStream, kDma, kSlice };

struct Span {
  Lane lane = Lane::kStream;
  uint32_t slice = 0;  // of a program
  uint64_t begin = 0;  // cycles
  uint64_t end = 0;
  OpIndex op;          // absent: a transfer that is no op of the stream
  BufferIndex buffer;  // of a swap
  bool is_store = false;
  uint32_t engine = 0;  // of a transfer; those of stores follow those of loads, if they are others
};

struct Statistics {
  uint64_t dma_cycles = 0;             // of loads, stores and swaps together
  uint64_t compute_cycles = 0;         // of programs
  uint64_t overlap_cycles = 0;         // DMA at work while at least one slice is
  uint64_t idle_cycles = 0;            // neither DMA nor a slice is at work
  std::vector<uint64_t> slice_cycles;  // busy, of each slice
  uint64_t oracle_runs = 0;
  uint64_t list_schedules = 0;
  uint64_t scheduler_steps = 0;      // of all list schedules together
  uint64_t search_nodes = 0;         // of kOptimize: what work_limit counts
  uint64_t search_moves = 0;         // changes of an order that were tried
  uint64_t search_improvements = 0;  // of them those that made the best order better
};

struct ScheduleAnswer {
  // The order is placed, and none can be shorter.
  bool MeetsBound() const { return placement.placed && placement.makespan <= lower_bound.cycles; }

  Source source = Source::kInput;
  std::optional<uint32_t> pass;  // absent: the input order stays
  std::optional<uint64_t> cap;
  Schedule schedule;    // for the input order: makespan and peak as given
  Placement placement;  // of that order; not placed where the oracle could place nothing
  uint64_t input_makespan = 0;
  std::optional<uint64_t> input_allocated_makespan;  // absent: the input order cannot be placed
  uint64_t input_swaps = 0;
  std::optional<SequentialFigures> input_sequential;  // absent: the oracle is not OFFLINE
  uint64_t input_peak = 0;                            // of live bytes, not rounded
  std::optional<uint64_t> bar;  // what a schedule had to beat; absent: nothing
  LowerBound lower_bound;       // no order of these ops can be shorter
  std::vector<Bound> bounds;    // all that were computed, by kind; lower_bound is one of them
  std::vector<Attempt> attempts;
  std::vector<Span> timeline;  // by begin; only if asked for
  Statistics statistics;
  std::vector<Sensitivity> sensitivity;  // eight, DMA first; only if asked for
  bool work_limit_reached = false;
  bool time_limit_reached = false;
  bool cancelled = false;
};

// The price of one order, without allocation.
struct Simulation {
  uint64_t makespan = 0;
  uint64_t peak_live_bytes = 0;  // not rounded
  LowerBound lower_bound;
  std::vector<Span> timeline;  // only if asked for
  Statistics statistics;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_ANSWER_H_
