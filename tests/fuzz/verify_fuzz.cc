// torqsched_verify on any bytes: the claims that it checks may be anything.
#include "tests/fuzz/fuzz_call.h"
#include "torqsched/v1/verify.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  torqsched::v1::VerifyResponse response;
  torqsched::fuzz::Call(&torqsched_verify, data, size, &response);
  return 0;
}
