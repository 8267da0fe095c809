// The choice: list schedules under three caps, judged by a real allocation.
//
//   input order: priced, allocated; sets the bar
//   pass 0: for each cap: predicted below the bar, and placed without a swap -> committed, done
//   pass 1: for each cap: placed with swaps -> the fastest, if it is below the bar, is committed
//   else the input order stays
//
// Where swaps are forbidden the input order is not placed if it needs some, and there is no pass 1.
//
// Invariant: what is answered is never slower than the input order by its own measure (the
// prediction where the input order is placed without swaps, the makespan after allocation where it
// is not). Cost: at most 3 list schedules and 7 oracle runs; a schedule is made once and used in
// both passes.
//
// Source: docs/semantics.md, section 5.
#ifndef TORQSCHED_SRC_SCHEDULE_CHOICE_H_
#define TORQSCHED_SRC_SCHEDULE_CHOICE_H_

#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "src/graph/problem.h"
#include "src/schedule/answer.h"
#include "src/schedule/schedule_stream.h"

namespace torqsched {

struct OracleAnswer {
  Placement placement;
  std::optional<SequentialFigures> sequential;  // if the oracle compares itself with it
};

using Oracle = std::function<absl::StatusOr<OracleAnswer>(const Schedule&, bool swaps_allowed)>;

// What the oracle says. An order whose swaps cannot even be counted is one that is not placed, and
// so is one that a host swaps for although it must not; other errors are the oracle's.
absl::StatusOr<OracleAnswer> AskOracle(const Oracle& oracle, const Schedule& schedule,
                                       bool swaps_allowed);

// Any strategy but NONE counts as STREAM_SCHEDULE; options have been checked. Timeline, times of
// statistics and sensitivity are left to the caller.
absl::StatusOr<ScheduleAnswer> ChooseSchedule(const ScheduleProblem& problem,
                                              const ScheduleOptions& options, const Oracle& oracle,
                                              const CallEnvironment& environment);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_CHOICE_H_
