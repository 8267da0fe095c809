// Orders that come from outside: what every call that takes one asks of it.
#ifndef TORQSCHED_SRC_STREAM_ORDER_H_
#define TORQSCHED_SRC_STREAM_ORDER_H_

#include <vector>

#include "absl/status/status.h"
#include "src/stream/index.h"
#include "src/stream/stream.h"

namespace torqsched {

// INVALID_ARGUMENT, with a field such as "order[3]", unless the order is a permutation of the ops
// in which no wait comes before its start. Linear.
absl::Status CheckOrder(const Stream& stream, const std::vector<OpIndex>& order);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_STREAM_ORDER_H_
