// torqsched_allocate on any bytes; what it answers, torqsched_verify must agree with.
#include <algorithm>
#include <string>

#include "tests/fuzz/fuzz_call.h"
#include "torqsched/v1/allocate.pb.h"
#include "torqsched/v1/verify.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using torqsched::fuzz::Call;
  using torqsched::fuzz::Found;
  constexpr uint64_t kMostNodes = 2000;  // so that no input takes long
  torqsched::v1::AllocateRequest request;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (request.ParseFromString(bytes)) {
    torqsched::v1::AllocateOptions* const options = request.mutable_options();
    options->set_node_limit(
        std::min(options->has_node_limit() ? options->node_limit() : kMostNodes, kMostNodes));
    bytes = request.SerializeAsString();
  }
  torqsched::v1::VerifyRequest check;
  if (Call(&torqsched_allocate, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
           check.mutable_allocate_response()) != TORQSCHED_OK) {
    return 0;
  }
  check.mutable_allocate_request()->Swap(&request);
  bytes = check.SerializeAsString();
  torqsched::v1::VerifyResponse response;
  const torqsched_code code = Call(
      &torqsched_verify, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), &response);
  if (code != TORQSCHED_OK) Found("an answer that cannot be verified");
  if (response.violations_size() != 0) Found(response.violations(0).message());
  return 0;
}
