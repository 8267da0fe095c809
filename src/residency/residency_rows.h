// A deployment as a KeepProblem: what may be on chip, and the rows of bytes that it needs there.
#ifndef TORQSCHED_SRC_RESIDENCY_RESIDENCY_ROWS_H_
#define TORQSCHED_SRC_RESIDENCY_RESIDENCY_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/residency/deployment.h"
#include "src/residency/facts.h"
#include "src/residency/keep.h"
#include "src/residency/plan.h"
#include "src/residency/transfer_time.h"

namespace torqsched {

constexpr uint32_t kNoItem = 0xffffffff;

// More uses of rows than this are not listed, nor looked at, where most would be in sets that
// others contain, more than kMostLooks.
constexpr uint64_t kMostUses = 4000000;
constexpr uint64_t kMostLooks = 4 * kMostUses;

// Which item of the problem stands for what.
struct ResidencyItems {
  KeepProblem problem;
  // By program, by position in facts.activations; empty where activations stay as they are.
  std::vector<std::vector<uint32_t>> of_activation;
  std::vector<uint32_t> of_tables;               // by program; kNoItem: none that could be chosen
  std::vector<std::vector<uint32_t>> of_tensor;  // by program, by tensor: of a carried state
  std::vector<std::vector<uint32_t>> of_hbm;     // by program, by tensor: it is in HBM; or empty
};

// What keeping is worth. By traffic: a byte moved on chip is worth 1. By time: what it saves
// against DRAM, and HBM is something to keep in, too; no tensor is kept twice.
struct KeepWorth {
  uint64_t sram = 1;
  uint64_t hbm = 0;  // 0: HBM is left out
};

// Activations, tables and carried states together; a row for each chip, program and phase at which
// as much as possible is live; with HBM, a row for each chip of it, and one for each tensor. False:
// too many uses, *items is of no use. HBM only where instances are not split.
bool ListAllItems(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                  bool split_instances, const KeepWorth& worth, ResidencyItems* items);

// Carried states alone, with a row for each chip of a plan: what is left beyond its reserve.
ResidencyItems ListCarriedItems(const Deployment& deployment,
                                const std::vector<ProgramFacts>& facts, const ResidencyPlan& plan,
                                bool split_instances);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_RESIDENCY_ROWS_H_
