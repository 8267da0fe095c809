// Bytes of the heap that a piece of code takes at most. Linked into a program, it counts what
// operator new and delete do; while nothing is measured, all it costs is a look at a flag.
#ifndef TORQSCHED_BENCH_HEAP_METER_H_
#define TORQSCHED_BENCH_HEAP_METER_H_

#include <cstdint>
#include <functional>

namespace torqsched::bench {

// The most bytes beyond those held when `run` began that were held at once. For one thread.
uint64_t PeakHeapBytes(const std::function<void()>& run);

}  // namespace torqsched::bench

#endif  // TORQSCHED_BENCH_HEAP_METER_H_
