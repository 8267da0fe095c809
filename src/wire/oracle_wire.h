// The host oracle: the requests that its callback gets, and what it answers.
//
// Every request of one schedule has the same stream and chip. A serialized message may be put
// together from pieces, so these are serialized once, at the head of a buffer, and each candidate
// overwrites what follows them.
#ifndef TORQSCHED_SRC_WIRE_ORACLE_WIRE_H_
#define TORQSCHED_SRC_WIRE_ORACLE_WIRE_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/placement.h"
#include "src/stream/stream.h"
#include "torqsched/v1/oracle.pb.h"

namespace torqsched {

// Writes the requests of one schedule. Not for use by several threads at once.
class OracleRequestWriter {
 public:
  // message is what stream was made from; all three must outlive the writer. Nothing is serialized
  // before the first Write.
  OracleRequestWriter(const v1::Stream& message, const Stream& stream, const Hardware& hardware);

  // The serialized OracleRequest of this candidate, good until the next call; RESOURCE_EXHAUSTED
  // where it would not fit the 2 GiB that a message may have.
  absl::StatusOr<absl::string_view> Write(const Schedule& candidate, bool swaps_allowed);

 private:
  absl::Status WriteHead();

  const v1::Stream& message_;
  const Stream& stream_;
  const Hardware& hardware_;
  std::string bytes_;
  size_t head_size_ = 0;  // of the stream and the chip in bytes_; 0: not written yet
};

// The placement that the host answered, or INVALID_ARGUMENT where the answer contradicts itself or
// the question; paths start with "oracle_response".
absl::StatusOr<Placement> PlacementFromOracleResponse(const v1::OracleResponse& message,
                                                      const Stream& stream, bool swaps_allowed);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_ORACLE_WIRE_H_
