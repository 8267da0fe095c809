// A layer table, which several calls take.
#ifndef TORQSCHED_SRC_WIRE_NETWORK_WIRE_H_
#define TORQSCHED_SRC_WIRE_NETWORK_WIRE_H_

#include "src/network/network.h"
#include "torqsched/v1/network.pb.h"

namespace torqsched {

// The table as it stands; who uses it checks it. Names are views into the message, which must
// outlive it. Linear.
Network NetworkFromProto(const v1::Network& message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_NETWORK_WIRE_H_
