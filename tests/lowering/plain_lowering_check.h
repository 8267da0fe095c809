// A second, literal look at a lowered stream: op by op, with the bytes that each touches.
//
// Nothing of the writer, of layouts, windows or tiles is used. Where a tile's rows and columns lie
// is read off the bytes that it writes; what it needs for them follows from the table (a
// convolution's kernel, line by line; a product's rows and groups); whether that is what it read is
// asked of the ranges of its loads. Shapes alone (rows, columns, groups) are the library's, as
// layer_shapes_test has them.
#ifndef TORQSCHED_TESTS_LOWERING_PLAIN_LOWERING_CHECK_H_
#define TORQSCHED_TESTS_LOWERING_PLAIN_LOWERING_CHECK_H_

#include <string>

#include "src/hardware/hardware.h"
#include "src/lowering/lowering.h"
#include "src/network/network.h"

namespace torqsched {

// What is wrong, a line each, some at most; empty: nothing.
std::string LoweringFaults(const Network& network, const Hardware& hardware,
                           const LoweringNumbers& numbers, const LoweringOptions& options,
                           const LoweredNetwork& lowered);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_LOWERING_PLAIN_LOWERING_CHECK_H_
