// torqsched_plan_tiles on any bytes; what can be seen of its answer at a glance must be right.
#include <cstdint>
#include <string>

#include "tests/capi/lower_requests.h"
#include "tests/fuzz/fuzz_call.h"
#include "torqsched/v1/tiling.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using torqsched::fuzz::Found;
  torqsched::v1::PlanTilesResponse response;
  if (torqsched::fuzz::Call(&torqsched_plan_tiles, data, size, &response) != TORQSCHED_OK) return 0;
  torqsched::v1::PlanTilesRequest request;
  if (!request.ParseFromArray(data, static_cast<int>(size))) Found("a request that does not parse");
  const std::string wrong = torqsched::testing::WrongAtAGlance(request, response);
  if (!wrong.empty()) Found(wrong);
  return 0;
}
