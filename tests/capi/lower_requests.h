// Requests of torqsched_plan_tiles and torqsched_lower for tests of the C interface, as messages,
// and what must hold of any answer to them.
#ifndef TORQSCHED_TESTS_CAPI_LOWER_REQUESTS_H_
#define TORQSCHED_TESTS_CAPI_LOWER_REQUESTS_H_

#include <cstdint>
#include <string>

#include "torqsched/v1/lower.pb.h"
#include "torqsched/v1/network.pb.h"
#include "torqsched/v1/tiling.pb.h"

namespace torqsched {
namespace testing {

// Loops of every sort: contractions by shape or by the bytes of their rows, convolutions, folded
// converts; a chip of some KiB to MiB, percents and strategies, all different for another seed.
v1::PlanTilesRequest RandomTiles(uint64_t seed, uint32_t loops);

// `rows` x `sums` by `sums` x `columns` of bytes. input: a layer's position, or -1.
v1::NetworkLayer MakeProduct(const std::string& name, int32_t input, uint64_t rows,
                             uint64_t columns, uint64_t sums);
// Of square images of bytes, with a kernel of k x k and zeros around, so that sides stay as they
// are.
v1::NetworkLayer MakeConvolution(const std::string& name, int32_t input, uint64_t side,
                                 uint64_t cin, uint64_t cout, uint64_t k);

// `layers` products one after the other, each of `rows` x `width` by `width` x `width`.
v1::LowerRequest Products(uint32_t layers, uint64_t rows, uint64_t width);

// A layer of each op that is no copy, each of which reads an earlier one; two touch one state, one
// is tied to another. Eight layers.
v1::LowerRequest OneOfEach();

// A sound table of `layers` layers of all sorts, two more at most, on a chip with little LRAM, any
// budgets; all different for another seed.
v1::LowerRequest RandomLowering(uint64_t seed, uint32_t layers);

// What of an answer can be seen to be wrong at a glance, with nothing cut or lowered again: lists
// that do not match the request, sums, numbers out of their range. Empty: nothing. Linear.
std::string WrongAtAGlance(const v1::PlanTilesRequest& request,
                           const v1::PlanTilesResponse& response);
std::string WrongAtAGlance(const v1::LowerRequest& request, const v1::LowerResponse& response);

}  // namespace testing
}  // namespace torqsched

#endif  // TORQSCHED_TESTS_CAPI_LOWER_REQUESTS_H_
