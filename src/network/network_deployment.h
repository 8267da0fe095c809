// A network as residency planning wants it: one program, a phase a layer, tensors with who touches
// them when.
#ifndef TORQSCHED_SRC_NETWORK_NETWORK_DEPLOYMENT_H_
#define TORQSCHED_SRC_NETWORK_NETWORK_DEPLOYMENT_H_

#include "absl/status/statusor.h"
#include "src/network/deployed_network.h"
#include "src/network/network.h"

namespace torqsched {

// The program has the network's name, or "network". Layer i is phase i. An unnamed layer is called
// "layer 12".
//
// Tensors, in this order: the network's input where a layer reads it ("input", as large as the most
// that one layer reads of it); then, layer by layer, its weights where it has any and is not tied
// to another layer ("NAME weights", scales included), its state where it is the first to name it
// ("NAME state", by the state's name), its output where it has bytes ("NAME output": an activation
// where a layer reads it, else an output). No two have one name.
//
// A layer's accesses, in this order: a load of each tensor among its inputs, of the weights that it
// uses, of its state where it reads bytes of it; then a store of its state where it writes bytes of
// it, and of its output. What a tensor moves a step is always given: all that its layers say that
// they read and write of it.
//
// INVALID_ARGUMENT, with a field such as "network.layers[5].inputs[1]" and a message that names the
// layer, where the table is malformed (see network.h), or where what a tensor moves does not fit 64
// bits. First of all names are held against each other, then layers are looked at one by one, then
// sums are made. Cost: O(n log n), n being layers, inputs and bytes of names. Memory: linear.
absl::StatusOr<NetworkDeployment> DeployNetwork(const Network& network);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_NETWORK_NETWORK_DEPLOYMENT_H_
