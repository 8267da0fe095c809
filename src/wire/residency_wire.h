// torqsched_plan_residency: programs or a network in, a plan out.
#ifndef TORQSCHED_SRC_WIRE_RESIDENCY_WIRE_H_
#define TORQSCHED_SRC_WIRE_RESIDENCY_WIRE_H_

#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/network/deployed_network.h"
#include "src/network/network.h"
#include "src/residency/answer.h"
#include "src/residency/bound_stream.h"
#include "src/residency/deployment.h"
#include "src/residency/options.h"
#include "torqsched/v1/residency.pb.h"

namespace torqsched {

// Makes a program of a network: DeployNetwork. Handed in, so that this room needs none of it.
using DeployNetworkFunction = std::function<absl::StatusOr<NetworkDeployment>(const Network&)>;

// Names in it are views into the message and into its own network, so it may be moved, not copied.
struct ParsedResidency {
  ParsedResidency() = default;
  ParsedResidency(ParsedResidency&&) = default;
  ParsedResidency& operator=(ParsedResidency&&) = default;

  Deployment deployment;
  ResidencyOptions options;
  std::vector<StreamOfProgram> streams;
  std::optional<NetworkDeployment> network;  // whose program is the deployment's only one
};

// What is asked; the deployment itself is checked by the planners. INVALID_ARGUMENT with a path
// such as "programs[2].tensors[5].role", "streams[1].stream.ops[3].accesses[0]" or
// "network.layers[7].inputs[0]". Linear, besides what deploy_network takes.
absl::StatusOr<ParsedResidency> ResidencyFromProto(const v1::PlanResidencyRequest& message,
                                                   const DeployNetworkFunction& deploy_network);

// What the planner refused, at a place that the request has: where it has a network, its programs
// are none of the request's.
absl::Status ResidencyErrorInRequest(const ParsedResidency& parsed, const absl::Status& status);

// Fills an empty response.
void ResidencyAnswerToProto(const v1::PlanResidencyRequest& request, const ParsedResidency& parsed,
                            const ResidencyAnswer& answer, v1::PlanResidencyResponse* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_RESIDENCY_WIRE_H_
