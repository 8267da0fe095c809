// torqsched_schedule on any bytes; what it answers, torqsched_verify must agree with.
#include <string>

#include "tests/fuzz/fuzz_call.h"
#include "torqsched/v1/schedule.pb.h"
#include "torqsched/v1/verify.pb.h"

namespace {

// A search that a request wants to be long would tell a fuzzer nothing.
constexpr uint64_t kMostNodes = 3000;

// The request with a small work limit; empty: it does not parse, or asks for no search.
std::string Limited(const uint8_t* data, size_t size) {
  torqsched::v1::ScheduleRequest request;
  if (!request.ParseFromArray(data, static_cast<int>(size))) return std::string();
  torqsched::v1::ScheduleOptions* options = request.mutable_options();
  if (options->strategy() != torqsched::v1::STRATEGY_OPTIMIZE) return std::string();
  if (options->has_work_limit() && options->work_limit() <= kMostNodes) return std::string();
  options->set_work_limit(kMostNodes);
  return request.SerializeAsString();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using torqsched::fuzz::Call;
  using torqsched::fuzz::Found;
  const std::string limited = Limited(data, size);
  if (!limited.empty()) {
    data = reinterpret_cast<const uint8_t*>(limited.data());
    size = limited.size();
  }
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
