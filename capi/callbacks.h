// The host's callbacks, as the functions that the scheduler calls.
#ifndef TORQSCHED_CAPI_CALLBACKS_H_
#define TORQSCHED_CAPI_CALLBACKS_H_

#include "src/schedule/schedule_stream.h"
#include "src/stream/stream.h"
#include "src/wire/oracle_wire.h"
#include "torqsched/torqsched.h"

namespace torqsched {

// A callback that is NULL stays an empty function. All arguments must outlive the environment.
CallEnvironment MakeEnvironment(const torqsched_session_options& options, const Stream& stream,
                                OracleRequestWriter* oracle_requests);

}  // namespace torqsched

#endif  // TORQSCHED_CAPI_CALLBACKS_H_
