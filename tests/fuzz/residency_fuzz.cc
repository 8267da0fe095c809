// torqsched_plan_residency on any bytes; what can be seen of its answer at a glance must be right.
#include <algorithm>
#include <string>

#include "tests/capi/residency_requests.h"
#include "tests/fuzz/fuzz_call.h"
#include "torqsched/v1/residency.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using torqsched::fuzz::Call;
  using torqsched::fuzz::Found;
  constexpr uint64_t kMostNodes = 2000;  // so that no input takes long
  torqsched::v1::PlanResidencyRequest request;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (request.ParseFromString(bytes)) {
    torqsched::v1::ResidencyOptions* const options = request.mutable_options();
    options->set_node_limit(
        std::min(options->has_node_limit() ? options->node_limit() : kMostNodes, kMostNodes));
    bytes = request.SerializeAsString();
  }
  torqsched::v1::PlanResidencyResponse response;
  if (Call(&torqsched_plan_residency, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
           &response) != TORQSCHED_OK) {
    return 0;
  }
  const std::string wrong = torqsched::testing::WrongAtAGlance(request, response);
  if (!wrong.empty()) Found(wrong);
  return 0;
}
