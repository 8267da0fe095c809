// What residency planning answers: a tier for every tensor, and what each chip holds.
#ifndef TORQSCHED_SRC_RESIDENCY_PLAN_H_
#define TORQSCHED_SRC_RESIDENCY_PLAN_H_

#include <cstdint>
#include <vector>

namespace torqsched {

enum class Tier : uint8_t { kSram, kHbm, kDram };

// What one program needs of one chip that it names. Bytes.
struct ChipFootprint {
  uint32_t chip = 0;
  uint64_t buffer_bytes = 0;      // over its sites, the highest end of a buffer
  uint64_t activation_bytes = 0;  // the peak of its on-chip activations' live bytes
  uint64_t footprint_bytes = 0;   // the sum of both
  uint64_t table_bytes = 0;       // on-chip own tables that stand here; not in the footprint
};

// An activation. Its range is of no meaning where nobody accesses it.
struct PlannedActivation {
  uint32_t tensor = 0;
  bool accessed = false;
  bool spilled = false;  // on some chip; false where tensors cannot live on chip: none was on it
  uint64_t first_phase = 0;
  uint64_t last_phase = 0;  // inclusive
};

struct PlannedProgram {
  std::vector<Tier> tiers;                     // by tensor
  std::vector<ChipFootprint> chips;            // that it names, ascending
  std::vector<PlannedActivation> activations;  // ascending
  bool tables_on_chip = false;                 // it has own tables, and all are on chip
};

// A tensor of a program in all of its instances: a carried state, or whatever else is off chip.
struct ResidencyClass {
  uint32_t program = 0;
  uint32_t tensor = 0;
  uint32_t chip = 0;  // the lowest that accesses it; 0 if none does
  Tier tier = Tier::kDram;
  bool carried = false;
  uint64_t bytes = 0;        // of all instances
  uint64_t moved_bytes = 0;  // of one instance, a step
  // How many of the program's instances have it on chip: all with tier kSram, else none; where the
  // request lets instances be split also a part of them, and tier is then that of the others.
  uint64_t instances_on_chip = 0;
};

struct PlannedChip {
  uint32_t chip = 0;
  uint64_t sram_bytes = 0;     // 0 where tensors cannot live on chip
  uint64_t reserve_bytes = 0;  // the largest footprint, tables included, of a program; may be above
                               // sram_bytes
  uint64_t carried_bytes = 0;  // held: carried states in SRAM, beyond the reserve
  uint64_t hbm_bytes = 0;      // held: classes in HBM
};

struct ResidencyPlan {
  std::vector<PlannedProgram> programs;  // as in the deployment
  std::vector<ResidencyClass> classes;   // by program, then by tensor
  std::vector<PlannedChip> chips;        // that a program names or a class stands on, ascending
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_PLAN_H_
