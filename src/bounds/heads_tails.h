// How early each job can begin, and how much must follow it.
//
// The *head* of a job is a time before which it cannot begin; its *tail* is what the makespan is at
// least later than the end of the job's stream cycles; a program's *end tail* likewise counts from
// the end of its compute cycles.
//
// Along needs: a job begins when what it needs is out. By resources: of the jobs that must be over
// before job j begins take those whose head is at least r. Their stream cycles come one after the
// other, none before r, so j begins no earlier than r plus their sum; those of them that are
// programs have run on `slices` slices, so neither before r plus their compute divided by the
// slices. With every r at which a head is. Tails are the same from the other side. Heads of later
// jobs use those of earlier ones, so both arguments feed each other.
//
// Cost: linear along needs (n log n where waits need more than their programs); by resources jobs
// times the span of the precedence, or what the work allows: a job then looks at the nearest ones
// before, or after, it only.
//
// Source: Carlier and Pinson (heads and tails); docs/semantics.md, section 3, for the clock.
#ifndef TORQSCHED_SRC_BOUNDS_HEADS_TAILS_H_
#define TORQSCHED_SRC_BOUNDS_HEADS_TAILS_H_

#include <cstdint>
#include <vector>

#include "src/bounds/part.h"
#include "src/bounds/precedence.h"
#include "src/bounds/work.h"

namespace torqsched::bounds {

struct HeadsAndTails {
  std::vector<uint64_t> head;
  std::vector<uint64_t> tail;
  std::vector<uint64_t> end_tail;  // of programs
};

// Along needs only.
HeadsAndTails PathHeadsAndTails(const Part& part);

// Along needs and by resources.
HeadsAndTails FullHeadsAndTails(const Part& part, const Precedence& precedence, Work* work);

// The longest way through one job: its head, itself, its tail.
uint64_t LongestThroughOne(const Part& part, const HeadsAndTails& times);

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_HEADS_TAILS_H_
