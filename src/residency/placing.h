// The steps after the activations, each by itself: own tables, reserves, classes, off chip.
#ifndef TORQSCHED_SRC_RESIDENCY_PLACING_H_
#define TORQSCHED_SRC_RESIDENCY_PLACING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "src/residency/deployment.h"
#include "src/residency/facts.h"
#include "src/residency/plan.h"

namespace torqsched {

// What SRAM a program's buffers leave to its activations, by position in facts.chips; 0 where
// tensors cannot live on chip.
std::vector<uint64_t> RoomsBesideBuffers(const ResidencyTarget& target, const ProgramFacts& facts);

// Writes the program's footprints: its buffers, and its activations' peaks.
void SetFootprints(const ProgramFacts& facts, const std::vector<uint64_t>& peaks,
                   PlannedProgram* planned);

// A program's own tables, once whatever the instances: all on chip, if they are wanted there and
// fit, or none. The footprints must be set. INVALID_ARGUMENT where the tables of a chip, or these
// and its footprint, do not fit 64 bits.
absl::Status PlaceTables(const Deployment& deployment, size_t program, const ProgramFacts& facts,
                         bool wanted, PlannedProgram* planned);

// Lists the activations and sets the tiers of all that is decided before there are classes:
// activations and tables. The others are set to DRAM, which SetClassTiers replaces.
void SetTiers(const Deployment& deployment, size_t program, const ProgramFacts& facts,
              const std::vector<char>& spilled, PlannedProgram* planned);

// All chips, with their reserves.
void ListChips(const Deployment& deployment, ResidencyPlan* plan);

// A class for each tensor that is carried or has no tier on chip. INVALID_ARGUMENT where one's
// bytes in all instances do not fit 64 bits.
absl::Status ListClasses(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                         ResidencyPlan* plan);

// The position of a chip in plan.chips, which must have it. Cost: log n.
size_t ChipAt(const ResidencyPlan& plan, uint32_t chip);

// SRAM that a chip has left beyond its reserve and what it holds already; never below 0.
uint64_t SramLeft(const PlannedChip& chip);

// Carried states by density, whole, into what SRAM is left.
void PlaceCarried(const Deployment& deployment, ResidencyPlan* plan);

// Everything that is not on chip by density, whole, into what HBM is left; the rest stays in DRAM.
void PlaceOffChip(const Deployment& deployment, ResidencyPlan* plan);

// From the classes to the tensors' tiers.
void SetClassTiers(ResidencyPlan* plan);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_PLACING_H_
