// What residency planning answers: a tier for every tensor, what each chip holds, why the rest is
// off chip, and how good it is.
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

constexpr uint32_t kNoClass = 0xffffffff;

// Why a tensor is off chip.
enum class OffChipReason : uint8_t {
  kNoTensorsOnChip,   // no crossbar, or no SRAM
  kNeverOnChip,       // weights, inputs and outputs are no candidates
  kSpilled,           // an activation: too much is live with it
  kTablesDoNotFit,    // an own table: all of its program's are on chip, or none
  kCarriedDoesNotFit  // a carried state, or some of its instances
};

// Why a class is off chip, and what it would have taken to keep it.
struct OffChipExplanation {
  uint32_t which = 0;  // position in plan.classes
  OffChipReason reason = OffChipReason::kNeverOnChip;
  // Where it is short of room: a carried state's own chip, an activation's or the tables' worst.
  uint32_t chip = 0;
  // A spilled activation: the first phase in which most is live on that chip.
  uint64_t phase = 0;
  // So much more SRAM on that chip would have kept it (of a carried state, the instances that are
  // off chip). Of DENSITY's plan, beside what goes before it: an activation beside those that
  // stayed, tables beside their program's footprint, a carried state beside the reserve and what is
  // denser and on chip (more SRAM goes first to what is denser and off it). 0: an activation that
  // would fit, as DENSITY spilled others later. Of an optimal plan, beside all that is on chip; 0:
  // it moves nothing, or the search ended early. The largest value where it does not fit 64 bits.
  uint64_t bytes_short = 0;
  // A carried state: the other class that took room on its chip last before its turn, in the order
  // of density; of an optimal plan, last of all. kNoClass: none did.
  uint32_t preferred = kNoClass;
  // The density of `preferred` as it is: moved_bytes / bytes, of one instance.
  uint64_t preferred_moved_bytes = 0;
  uint64_t preferred_bytes = 0;
};

// Bytes that all tensors move in a step in all instances, by the tier that they move in.
struct TierTraffic {
  uint64_t sram = 0;
  uint64_t hbm = 0;
  uint64_t dram = 0;
};

// What strategy OPTIMAL answers: a plan, and how good it is.
struct OptimalResidency {
  ResidencyPlan plan;
  uint64_t moved_off_chip = 0;          // bytes a step
  uint64_t lower_bound = 0;             // no plan moves fewer
  bool proven = false;                  // moved_off_chip == lower_bound
  uint64_t density_moved_off_chip = 0;  // what DENSITY's plan moves
  uint64_t moved_in_hbm = 0;            // of moved_off_chip
  uint64_t hbm_upper_bound = 0;         // of these off-chip classes HBM can serve no more
  bool hbm_proven = false;              // moved_in_hbm == hbm_upper_bound
  uint64_t nodes = 0;                   // spent, in all searches
  bool joint = true;                    // activations and tables were searched, too

  // With bandwidths: the time of the transfers at each tier, rounded up, and of all together.
  TierTraffic traffic;
  uint64_t sram_time = 0;
  uint64_t hbm_time = 0;
  uint64_t dram_time = 0;
  uint64_t time = 0;
  uint64_t density_time = 0;
  uint64_t time_lower_bound = 0;  // no plan takes less
  bool time_proven = false;       // before rounding, time is the bound
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_PLAN_H_
