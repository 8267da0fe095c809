// Activations against the room of each chip: who is live together, who has to go.
#ifndef TORQSCHED_SRC_RESIDENCY_ACTIVATION_SWEEP_H_
#define TORQSCHED_SRC_RESIDENCY_ACTIVATION_SWEEP_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "src/residency/deployment.h"
#include "src/residency/facts.h"
#include "src/stream/index.h"

namespace torqsched {

// Who goes where too much is live.
enum class SpillRule : uint8_t {
  kFurthestEnd,  // whose range ends furthest, then the largest, then the lowest: DENSITY's
  kCheapest,     // who moves the fewest bytes a byte, then the lowest
};

// The activations of one program. Everything is by position in facts.activations, and by position
// in facts.chips. The facts must outlive it.
class ActivationSweep {
 public:
  // Cost: linear, by radix; rule kCheapest: O(n log n).
  explicit ActivationSweep(const ProgramFacts& facts, SpillRule rule = SpillRule::kFurthestEnd);

  // Chip by chip, lowest first, phase by phase: where the live bytes exceed the chip's room, who is
  // live goes as the rule says, until they no longer do. (*spilled)[i]: gone
  // from all chips. INVALID_ARGUMENT where live bytes do not fit 64 bits, before a spill.
  // Cost: O(n log n) in activations and the chips that they are on.
  absl::Status Spill(const Deployment& deployment, size_t program,
                     const std::vector<uint64_t>& rooms, std::vector<char>* spilled) const;

  // By chip: the most bytes live together of those that are not spilled, which must fit 64 bits.
  std::vector<uint64_t> Peaks(const std::vector<char>& spilled) const;

  // On one chip, by begin, then by tensor; and by end.
  Run<uint32_t> ByBegin(size_t chip) const { return by_begin_[chip]; }
  Run<uint32_t> ByEnd(size_t chip) const { return by_end_[chip]; }

 private:
  absl::Status SpillOnChip(const Deployment& deployment, size_t program, size_t chip, uint64_t room,
                           std::vector<char>* spilled) const;

  const ProgramFacts& facts_;
  std::vector<uint32_t> goes_at_;     // by activation: its place among who is spilled first
  std::vector<uint32_t> goes_;        // the inverse
  Rows<uint32_t> by_begin_, by_end_;  // by chip
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_ACTIVATION_SWEEP_H_
