// torqsched.v1.Stream to Stream, and back: the one conversion whose cost grows with the request.
//
// Two passes over the message: the first counts, so that the second fills arrays that are large
// enough from the start and allocates nothing for an op. Names are not copied.
#ifndef TORQSCHED_SRC_WIRE_STREAM_WIRE_H_
#define TORQSCHED_SRC_WIRE_STREAM_WIRE_H_

#include "absl/status/statusor.h"
#include "src/stream/stream.h"
#include "torqsched/v1/stream.pb.h"

namespace torqsched {

// The stream that the message describes, or INVALID_ARGUMENT with the place of the first thing
// wrong. Names in it are views into the message, which must outlive it. Linear.
absl::StatusOr<Stream> StreamFromProto(const v1::Stream& message);

// Fills an empty message, from which the same stream comes back. Linear.
void StreamToProto(const Stream& stream, v1::Stream* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_STREAM_WIRE_H_
