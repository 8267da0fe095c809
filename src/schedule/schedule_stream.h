// The whole scheduling call: validation, graph, list schedules, oracle, choice.
#ifndef TORQSCHED_SRC_SCHEDULE_SCHEDULE_STREAM_H_
#define TORQSCHED_SRC_SCHEDULE_SCHEDULE_STREAM_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"

namespace torqsched {

// The host's own allocator: places the order, with or without swaps, or says that it cannot.
using HostOracle =
    std::function<absl::StatusOr<Placement>(const Schedule& candidate, bool swaps_allowed)>;

// What a call may tell the outside while it runs. Every function may be empty; they are called on
// the calling thread only.
struct CallEnvironment {
  HostOracle host_oracle;
  // permille of the work done, best makespan so far; true: stop, keep what there is.
  std::function<bool(uint32_t permille, std::optional<uint64_t> best_makespan)> progress;
  std::function<void(absl::string_view message)> log;
  uint32_t worker_threads = 1;  // that the call may use, its own included; at least 1
};

// INVALID_ARGUMENT with a field such as "options.cap_percent" where a number is out of range, or
// what is set takes another strategy; FAILED_PRECONDITION where the host's oracle is asked for and
// there is none.
absl::Status CheckOptions(const ScheduleOptions& options, bool has_host_oracle);

// Orders the stream, gives each start a slice, and has an oracle check it. Never answers with an
// order that is slower than the input order by its own measure. INVALID_ARGUMENT where the stream,
// the hardware or the options are wrong; CANCELLED where progress stopped the call before the input
// order was priced. Cost: near-linear in the stream, times at most 3 list schedules and 7 oracle
// runs; with OPTIMIZE the work that it is allowed comes on top.
absl::StatusOr<ScheduleAnswer> ScheduleStream(const Stream& stream, const Hardware& hardware,
                                              const ScheduleOptions& options,
                                              const CallEnvironment& environment);

// Prices one order of the stream without allocation. order empty: the input order; slices empty:
// the input's. INVALID_ARGUMENT if order is no permutation of the ops, or a wait comes before its
// start; where transfers do not block the stream, also if it breaks any other dependence.
absl::StatusOr<Simulation> SimulateStream(const Stream& stream, const Hardware& hardware,
                                          const std::vector<OpIndex>& order,
                                          const IndexVector<OpIndex, uint8_t>& slices,
                                          bool timeline);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_SCHEDULE_STREAM_H_
