// torqsched_simulate on any bytes.
#include "tests/fuzz/fuzz_call.h"
#include "torqsched/v1/simulate.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  torqsched::v1::SimulateResponse response;
  torqsched::fuzz::Call(&torqsched_simulate, data, size, &response);
  return 0;
}
