// Requests for the benchmarks: real streams, repeated until they have enough ops.
#ifndef TORQSCHED_BENCH_STREAMS_H_
#define TORQSCHED_BENCH_STREAMS_H_

#include <cstddef>
#include <string>

#include "torqsched/v1/schedule.pb.h"

namespace torqsched::bench {

// The request in testdata/streams/NAME (.txtpb or .binpb). Ends the process if it is not there.
v1::ScheduleRequest LoadRequest(const std::string& name);

// The request's stream one after the other, as often as it takes to have at least `ops` ops, then
// cut between two copies. Each copy has LRAM buffers of its own; XRAM buffers are shared, as a
// decoder shares its caches from token to token.
v1::ScheduleRequest Repeat(const v1::ScheduleRequest& request, size_t ops);

}  // namespace torqsched::bench

#endif  // TORQSCHED_BENCH_STREAMS_H_
