// torqsched_judge_warm on any bytes; what can be seen of its answer at a glance must be right.
#include <cstdint>
#include <string>

#include "tests/capi/warm_requests.h"
#include "tests/fuzz/fuzz_call.h"
#include "torqsched/v1/judge.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using torqsched::fuzz::Call;
  using torqsched::fuzz::Found;
  torqsched::v1::JudgeWarmRequest request;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (request.ParseFromString(bytes)) {
    request.mutable_options()->set_resamples(200);  // so that no input takes long
    bytes = request.SerializeAsString();
  }
  torqsched::v1::JudgeWarmResponse response;
  if (Call(&torqsched_judge_warm, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
           &response) != TORQSCHED_OK) {
    return 0;
  }
  const std::string wrong = torqsched::testing::WrongAtAGlance(request, response);
  if (!wrong.empty()) Found(wrong);
  return 0;
}
