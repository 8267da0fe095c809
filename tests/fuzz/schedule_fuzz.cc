// torqsched_schedule on any bytes; what it answers, torqsched_verify must agree with.
#include <string>

#include "tests/fuzz/fuzz_call.h"
#include "torqsched/v1/schedule.pb.h"
#include "torqsched/v1/verify.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using torqsched::fuzz::Call;
  using torqsched::fuzz::Found;
  torqsched::v1::VerifyRequest check;
  if (Call(&torqsched_schedule, data, size, check.mutable_schedule()) != TORQSCHED_OK) return 0;

  torqsched::v1::ScheduleRequest request;
  if (!request.ParseFromArray(data, static_cast<int>(size))) Found("a request that does not parse");
  check.mutable_stream()->Swap(request.mutable_stream());
  if (request.has_hardware()) check.mutable_hardware()->Swap(request.mutable_hardware());
  const std::string bytes = check.SerializeAsString();
  torqsched::v1::VerifyResponse response;
  const torqsched_code code = Call(
      &torqsched_verify, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), &response);
  if (code != TORQSCHED_OK) Found("an answer that cannot be verified");
  if (response.violations_size() != 0) Found(response.violations(0).message());
  return 0;
}
