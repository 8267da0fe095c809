// Strategy OPTIMIZE: what STREAM_SCHEDULE answers, made better by search, and proofs of how good it
// is.
//
//   - Few actions: the exact search (src/search/exact.h).
//   - The search over orders and offsets (src/search/optimizer.h). With OFFLINE its offsets are the
//     answer's; with SEQUENTIAL and the host's oracle it places as SEQUENTIAL does, and asks the
//     oracle about what it finds.
//   - Where that could not go (a host refuses what is found, or swaps for it; the chip's clock is
//     another than the search's; numbers are too large for it): orders that the oracle itself
//     prices (src/search/priced_search.h).
//
// Lower bounds (src/bounds) are in the answer already; what meets them ends the search.
//
// Invariant: never slower than STREAM_SCHEDULE's answer, hence than the input order, after
// allocation. With `robust` orders are compared by the worst of nine prices, of equals by what they
// take as they are, in each of these searches but the exact one, which is left out.
//
// Source: docs/search.md.
#ifndef TORQSCHED_SRC_SCHEDULE_OPTIMIZE_H_
#define TORQSCHED_SRC_SCHEDULE_OPTIMIZE_H_

#include <chrono>
#include <cstdint>

#include "absl/status/status.h"
#include "src/graph/problem.h"
#include "src/schedule/answer.h"
#include "src/schedule/choice.h"
#include "src/schedule/schedule_stream.h"

namespace torqsched {

// Nodes, where the request does not say: about a second for a stream of 1,000 ops.
constexpr uint64_t kDefaultWorkLimit = 8000000;

// answer: what ChooseSchedule answered with the same options and the same oracle; becomes what the
// search makes of it. begin: when the call began, which its time limit counts from. Errors are the
// oracle's.
absl::Status OptimizeSchedule(const ScheduleProblem& problem, const ScheduleOptions& options,
                              const Oracle& oracle, const CallEnvironment& environment,
                              std::chrono::steady_clock::time_point begin, ScheduleAnswer* answer);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_OPTIMIZE_H_
