// Streams for tests of the C interface: the scheduler's worked example, and streams made from a
// seed.
#ifndef TORQSCHED_TESTS_CAPI_STREAMS_H_
#define TORQSCHED_TESTS_CAPI_STREAMS_H_

#include <cstdint>
#include <string>

#include "torqsched/v1/allocate.pb.h"
#include "torqsched/v1/schedule.pb.h"
#include "torqsched/v1/stream.pb.h"

namespace torqsched {
namespace testing {

// Appends to the stream; return the position of what was added.
uint32_t AddBuffer(v1::Stream* stream, const std::string& name, v1::Space space, uint64_t size);
uint32_t AddOp(v1::Stream* stream, const std::string& name, v1::OpKind kind, uint64_t cycles);
// Of the last op.
void AddAccess(v1::Stream* stream, uint32_t buffer, v1::AccessMode mode);

// Worked example 1 of docs/semantics.md: 410 cycles in the input order, 250 in the best.
v1::ScheduleRequest WorkedExample();

// `programs` programs with their weights, a chain of outputs and some stores, all different for
// another seed, in LRAM that is too small for all of them at once. Every range is used whole, the
// input order is free of races.
v1::ScheduleRequest RandomRequest(uint64_t seed, uint32_t programs);

// `count` buffers that are live here and there, all different for another seed; some with gaps, an
// alignment, a fixed offset or a hint, some parts of others or in place of each other. A third of
// the seeds has more capacity than needed, a third little, a third none.
v1::AllocateRequest RandomAllocation(uint64_t seed, uint32_t count);

// Numbers from a seed that are the same on every machine (SplitMix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t Below(uint64_t limit) { return Next() % limit; }

 private:
  uint64_t state_;
};

}  // namespace testing
}  // namespace torqsched

#endif  // TORQSCHED_TESTS_CAPI_STREAMS_H_
