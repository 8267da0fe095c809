// torqsched.v1.Hardware to Hardware and back: a profile's numbers, replaced by those that are set.
#ifndef TORQSCHED_SRC_WIRE_HARDWARE_WIRE_H_
#define TORQSCHED_SRC_WIRE_HARDWARE_WIRE_H_

#include "absl/status/statusor.h"
#include "src/hardware/hardware.h"
#include "torqsched/v1/hardware.pb.h"

namespace torqsched {

// The chip, checked by CheckHardware. No profile: sl2610's numbers stand in for what is unset.
// NOT_FOUND for a profile that does not exist, INVALID_ARGUMENT for a number out of range.
absl::StatusOr<Hardware> HardwareFromProto(const v1::Hardware& message);

// Sets every number that Hardware has, and no profile: what comes back from it is the same chip
// whatever the profiles say.
void HardwareToProto(const Hardware& hardware, v1::Hardware* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_HARDWARE_WIRE_H_
