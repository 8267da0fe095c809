// What became of residency planning, for people: in lines, in a table, and as pictures of the SRAM.
//
// The summary says how full each chip is and what each tier moves; the table says of each tensor
// where it is and why. The pictures show the bytes in one chip's SRAM over the phases of one
// program, stacked, under the line that is the SRAM's size; what was spilled is drawn above the
// rest, where it would have been, so that one sees why it was.
#ifndef TORQSCHED_SRC_REPORT_RESIDENCY_H_
#define TORQSCHED_SRC_REPORT_RESIDENCY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "src/residency/bound_stream.h"
#include "src/residency/deployment.h"
#include "src/residency/plan.h"

namespace torqsched {
namespace report {

// A deployment and its plan; what is pointed to outlives it.
struct ResidencyCase {
  const Deployment* deployment = nullptr;
  const ResidencyPlan* plan = nullptr;
  // How good the plan is; its own plan is not looked at. Null: strategy DENSITY.
  const OptimalResidency* optimal = nullptr;
  // As ExplainOffChip says. Null: the table does not say why a tensor is off chip.
  const std::vector<OffChipExplanation>* off_chip = nullptr;
  // By program, by tensor: bytes that it moves a step in one instance.
  const std::vector<std::vector<uint64_t>>* moved_bytes = nullptr;
  absl::string_view time_unit = "units of time";  // of the bandwidths: "cycles", "ns"
};

// Some lines: programs, tensors, chips; what each tier holds and moves; what strategy OPTIMAL
// proved; and a row a chip.
std::string ResidencySummary(absl::string_view title, const ResidencyCase& residency);

// A row a tensor: its bytes and moved bytes in one instance, how many there are, its tier, and why.
// First those that are off chip and might have been on it, then those on chip, then weights, inputs
// and outputs; of each those first that move most. Beyond most_rows: "and 1,234 more".
std::string ResidencyTable(const ResidencyCase& residency, size_t most_rows);

// A line a stream: how many transfers the plan drops, how many stay, what is to be reserved beside
// it. Streams and what became of them, in one order.
std::string BoundStreamFacts(const std::vector<StreamOfProgram>& streams,
                             const std::vector<BoundStream>& bound);

// Of each stream at most so many transfers that stay, and why; empty where none do.
std::string KeptTransfersText(const std::vector<StreamOfProgram>& streams,
                              const std::vector<BoundStream>& bound, size_t most_a_stream);

// At most 4 pictures in ASCII, `width` cells long (20 to 1,000), each of a program on a chip:
//
//               |     ..........
//        64 KiB |--------------------
//               |***************.....
//               |***************.....
//               |====================
//               |####################
//             0 +--------------------
//         phase  0    1    2    3
//
// Those that come nearest to the SRAM's size, or furthest beyond it, are first.
std::string SramPhasesText(const ResidencyCase& residency, size_t width);

// The same as an SVG document of fixed width, with at most 12 pictures. Tensors of some height are
// boxes of their own, with names; the others are drawn together. At most some thousand shapes,
// however many tensors and phases there are. The same input gives the same bytes.
std::string SramPhasesSvg(const ResidencyCase& residency);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_RESIDENCY_H_
