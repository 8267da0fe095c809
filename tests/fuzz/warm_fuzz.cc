// torqsched_plan_warm on any bytes; what can be seen of its answer at a glance must be right.
#include <algorithm>
#include <cstdint>
#include <string>

#include "tests/capi/warm_requests.h"
#include "tests/fuzz/fuzz_call.h"
#include "torqsched/v1/warm.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using torqsched::fuzz::Call;
  using torqsched::fuzz::Found;
  // So that no input takes long.
  constexpr uint64_t kMostCombinations = 16;
  constexpr uint64_t kMostSearchStages = 500;
  torqsched::v1::PlanWarmRequest request;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (request.ParseFromString(bytes)) {
    torqsched::v1::WarmOptions* const options = request.mutable_options();
    options->set_exact_combinations(std::min(
        options->has_exact_combinations() ? options->exact_combinations() : kMostCombinations,
        kMostCombinations));
    options->set_search_stages(
        std::min(options->has_search_stages() ? options->search_stages() : kMostSearchStages,
                 kMostSearchStages));
    bytes = request.SerializeAsString();
  }
  torqsched::v1::PlanWarmResponse response;
  if (Call(&torqsched_plan_warm, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
           &response) != TORQSCHED_OK) {
    return 0;
  }
  const std::string wrong = torqsched::testing::WrongAtAGlance(request, response);
  if (!wrong.empty()) Found(wrong);
  return 0;
}
