// Requests of torqsched_plan_warm and torqsched_judge_warm for tests of the C interface, as
// messages, and what must hold of any answer to them.
#ifndef TORQSCHED_TESTS_CAPI_WARM_REQUESTS_H_
#define TORQSCHED_TESTS_CAPI_WARM_REQUESTS_H_

#include <cstdint>
#include <string>

#include "torqsched/v1/judge.pb.h"
#include "torqsched/v1/warm.pb.h"

namespace torqsched {
namespace testing {

// Up to three kinds of `stages` stages at most, all different for another seed: regions of every
// sort (dynamic, not flat, with a shape, shared), reads side by side and of a part, stages that
// need all vector cores, collectives, anchors of both sorts; hardware and options now and then as
// they are by default. Every third seed has stages that run at once, every fourth asks for flips,
// every second for traces, every fifth chooses sets one by one.
v1::PlanWarmRequest RandomWarm(uint64_t seed, uint32_t stages);

// One to three cards of up to `rounds` rounds: with a gain, a loss or none, with start-ups, tails
// and drifts here and there; some with durations, a bound, interleaved arms or options.
v1::JudgeWarmRequest RandomJudgement(uint64_t seed, uint32_t rounds);

// What of an answer can be seen to be wrong at a glance, with no simulation: lists that do not
// match the request, orders, sums, numbers out of their range, verdicts without a plan or against
// it. Empty: nothing. Linear, but for sorting.
std::string WrongAtAGlance(const v1::PlanWarmRequest& request,
                           const v1::PlanWarmResponse& response);
std::string WrongAtAGlance(const v1::JudgeWarmRequest& request,
                           const v1::JudgeWarmResponse& response);

}  // namespace testing
}  // namespace torqsched

#endif  // TORQSCHED_TESTS_CAPI_WARM_REQUESTS_H_
