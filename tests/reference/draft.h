// A stream that is being made up: plain vectors, until everything fits together.
#ifndef TORQSCHED_TESTS_REFERENCE_DRAFT_H_
#define TORQSCHED_TESTS_REFERENCE_DRAFT_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "src/stream/stream.h"
#include "tests/reference/random_streams.h"

namespace torqsched::reference {

struct DraftOp {
  OpKind kind = OpKind::kBarrier;
  uint64_t cycles = 0;
  uint32_t dma_share = 0;
  std::optional<uint32_t> slice;
  std::optional<uint32_t> start;
  std::optional<uint32_t> alloc;
  std::vector<uint32_t> operands;
  std::vector<AccessSpec> accesses;
};

class Draft {
 public:
  std::vector<Buffer> buffers;
  std::vector<DraftOp> ops;

  uint32_t AddBuffer(const Buffer& buffer);
  // Appends an op. Accesses that conflict with a program in flight are dropped (patience: percent
  // of the times that its wait comes first instead); a transfer that is left with nothing to do has
  // the waits come first.
  uint32_t AddOp(DraftOp op, SplitMix64* random, uint64_t patience);
  uint32_t AddWait(uint32_t start, SplitMix64* random);

  const std::vector<uint32_t>& in_flight() const { return in_flight_; }

  // Dies if the draft is not a valid stream: drafts are.
  Stream Build(std::deque<std::string>* names) const;

 private:
  bool Conflicts(const AccessSpec& access, uint32_t start) const;
  uint64_t EndOf(const AccessSpec& access) const;

  std::vector<uint32_t> in_flight_;  // starts, oldest first
};

// The two styles. Slices of the hardware are chosen before; LRAM is after.
Draft DraftMixed(SplitMix64* random, const Shape& shape, uint32_t slices);
Draft DraftRealistic(SplitMix64* random, const Shape& shape, uint32_t slices);

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_DRAFT_H_
