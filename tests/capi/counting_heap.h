// A heap that counts, and that fails on demand.
//
// A test that links this has operator new, and malloc at link time (linkopts: --wrap=malloc),
// replaced by versions that do so. For one thread.
#ifndef TORQSCHED_TESTS_CAPI_COUNTING_HEAP_H_
#define TORQSCHED_TESTS_CAPI_COUNTING_HEAP_H_

#include <cstdint>
#include <string>

#include "tests/capi/calls.h"

namespace torqsched {
namespace testing {

struct Heap {
  int64_t fail_in = 0;         // the allocation that fails, counted from 1; 0: none does
  bool keeps_failing = false;  // and all after it
  bool failed = false;         // one has
  int64_t allocations = 0;
  int64_t live = 0;  // of operator new
  int64_t live_bytes = 0;
  int64_t peak_bytes = 0;
};
extern Heap heap;

// What a call takes at most, bytes. The test fails where it is not OK.
uint64_t Peak(const Call& call, const std::string& request);

}  // namespace testing
}  // namespace torqsched

#endif  // TORQSCHED_TESTS_CAPI_COUNTING_HEAP_H_
