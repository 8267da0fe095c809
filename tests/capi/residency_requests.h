// Requests of torqsched_plan_residency for tests of the C interface, as messages.
#ifndef TORQSCHED_TESTS_CAPI_RESIDENCY_REQUESTS_H_
#define TORQSCHED_TESTS_CAPI_RESIDENCY_REQUESTS_H_

#include <cstdint>
#include <string>

#include "torqsched/v1/residency.pb.h"

namespace torqsched {
namespace testing {

// Two programs of `tensors` tensors each on two chips, all different for another seed: roles of all
// kinds, accesses, tiles, carried states, SRAM for about half of them. Every third seed asks for
// OPTIMAL, every second for explanations.
v1::PlanResidencyRequest RandomResidency(uint64_t seed, uint32_t tensors);

// A network of `layers` layers, each of which reads the one before and now and then another; some
// with weights, some with a state.
v1::Network RandomNetwork(uint64_t seed, uint32_t layers);

// A network of three layers with one state, "kv" of 4096 bytes, and a stream of it whose LRAM
// buffer holds the state's first half: loaded, used, its new bytes stored. By hand: 440 cycles in
// the input order with everything transferred, 220 with the state on chip. 16 KB of SRAM: the state
// fits.
v1::PlanResidencyRequest NetworkWithStream();

// What of an answer can be seen to be wrong at a glance, with no planning: lists that do not match,
// chips over their capacities, sums that are not those of the classes. Empty: nothing. Linear.
std::string WrongAtAGlance(const v1::PlanResidencyRequest& request,
                           const v1::PlanResidencyResponse& response);

}  // namespace testing
}  // namespace torqsched

#endif  // TORQSCHED_TESTS_CAPI_RESIDENCY_REQUESTS_H_
