// torqsched_lower on any bytes. The call itself checks which bytes its ops touch; here, what can be
// seen of its answer at a glance must be right, torqsched_simulate must take its stream, and what
// tuning found must be had again without tuning.
#include <algorithm>
#include <cstdint>
#include <string>

#include "google/protobuf/message_lite.h"
#include "tests/capi/lower_requests.h"
#include "tests/fuzz/fuzz_call.h"
#include "torqsched/v1/lower.pb.h"
#include "torqsched/v1/simulate.pb.h"

namespace {

using torqsched::fuzz::Found;
using torqsched::v1::LowerRequest;
using torqsched::v1::LowerResponse;

template <typename Response>
torqsched_code Call(torqsched::fuzz::EntryPoint entry, const google::protobuf::MessageLite& request,
                    Response* response) {
  const std::string bytes = request.SerializeAsString();
  return torqsched::fuzz::Call(entry, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                               response);
}

// So that no input takes long.
void Limit(LowerRequest* request) {
  constexpr uint64_t kMostPrograms = 500;
  constexpr uint64_t kMostTrials = 12;
  constexpr uint64_t kMostOps = 6000;
  constexpr uint64_t kMostNodes = 300;
  torqsched::v1::LowerOptions* const options = request->mutable_options();
  options->set_most_programs(std::min(
      options->has_most_programs() ? options->most_programs() : kMostPrograms, kMostPrograms));
  if (!options->has_tuning()) return;
  torqsched::v1::BudgetTuning* const tuning = options->mutable_tuning();
  tuning->set_most_trials(
      std::min(tuning->has_most_trials() ? tuning->most_trials() : kMostTrials, kMostTrials));
  tuning->set_most_ops(std::min(tuning->has_most_ops() ? tuning->most_ops() : kMostOps, kMostOps));
  torqsched::v1::ScheduleOptions* const schedule = tuning->mutable_schedule();
  schedule->set_work_limit(
      std::min(schedule->has_work_limit() ? schedule->work_limit() : kMostNodes, kMostNodes));
}

uint64_t UsableBytes(const torqsched::v1::Hardware& chip) {
  const uint64_t all = chip.has_lram_bytes() ? chip.lram_bytes() : 524288;
  return all - (chip.has_lram_reserved_bytes() ? chip.lram_reserved_bytes() : 1280);
}

void CheckStream(const LowerRequest& request, const LowerResponse& response) {
  torqsched::v1::SimulateRequest simulate;
  *simulate.mutable_stream() = response.stream();
  *simulate.mutable_hardware() = request.hardware();
  torqsched::v1::SimulateResponse priced;
  if (Call(&torqsched_simulate, simulate, &priced) != TORQSCHED_OK) Found("a stream with no price");
  if (priced.peak_live_bytes() > UsableBytes(request.hardware())) {
    Found("more bytes live at once than LRAM holds");
  }
}

void CheckTuning(LowerRequest request, const LowerResponse& response) {
  *request.mutable_options() = response.tuning().options();
  LowerResponse again;
  if (Call(&torqsched_lower, request, &again) != TORQSCHED_OK) Found("options that are refused");
  if (again.stream().SerializeAsString() != response.stream().SerializeAsString()) {
    Found("options that lead to another stream");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  LowerRequest request;
  LowerResponse response;
  if (!request.ParseFromArray(data, static_cast<int>(size))) {
    torqsched::fuzz::Call(&torqsched_lower, data, size, &response);
    return 0;
  }
  Limit(&request);
  if (Call(&torqsched_lower, request, &response) != TORQSCHED_OK) return 0;
  const std::string wrong = torqsched::testing::WrongAtAGlance(request, response);
  if (!wrong.empty()) Found(wrong);
  CheckStream(request, response);
  if (response.has_tuning()) CheckTuning(request, response);
  return 0;
}
