// The host's callbacks, as the functions that the scheduler calls.
#ifndef TORQSCHED_CAPI_CALLBACKS_H_
#define TORQSCHED_CAPI_CALLBACKS_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "src/schedule/schedule_stream.h"
#include "src/stream/stream.h"
#include "src/wire/oracle_wire.h"
#include "torqsched/torqsched.h"

namespace torqsched {

// Tells the host how far a call is, permille of the work, and the best makespan so far. True: it
// cancelled, and is not asked again.
using ProgressFunction = std::function<bool(uint32_t permille, std::optional<uint64_t> best)>;

// Empty where the callback is NULL. The options must outlive it.
ProgressFunction MakeProgress(const torqsched_session_options& options);

// A callback that is NULL stays an empty function. All arguments must outlive the environment.
CallEnvironment MakeEnvironment(const torqsched_session_options& options, const Stream& stream,
                                OracleRequestWriter* oracle_requests);

}  // namespace torqsched

#endif  // TORQSCHED_CAPI_CALLBACKS_H_
