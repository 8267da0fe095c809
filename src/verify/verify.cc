// The driver: what can be checked by itself comes first (is it a permutation, does every program
// have a slice), then what needs the order (dependences, lifetimes, price), then what needs the
// placement. A part that rests on one that failed is left out rather than reported twice.
#include "src/verify/verify.h"

#include <algorithm>
#include <limits>

#include "absl/numeric/int128.h"
#include "src/verify/cells.h"
#include "src/verify/dependences.h"
#include "src/verify/findings.h"
#include "src/verify/price.h"
#include "src/verify/replay.h"
#include "src/verify/uses.h"

namespace torqsched {
namespace verify {
namespace {

constexpr uint32_t kNoSlice = std::numeric_limits<uint32_t>::max();

uint64_t Saturated(absl::uint128 value) {
  return absl::Uint128High64(value) != 0 ? std::numeric_limits<uint64_t>::max()
                                         : absl::Uint128Low64(value);
}

// Fills position; false, with every fault reported, unless each op stands in the order once.
bool CheckPermutation(const Stream& stream, const std::vector<OpIndex>& order, Positions* position,
                      Findings* findings) {
  const uint32_t nowhere = std::numeric_limits<uint32_t>::max();
  const auto report = [&](OpIndex op, const auto&... what) {
    findings->Add(ViolationKind::kNotAPermutation, op, BufferIndex(), what...);
  };
  position->assign(stream.op_count(), nowhere);
  bool good = true;
  for (size_t p = 0; p < order.size(); ++p) {
    const OpIndex op = order[p];
    if (op.value() >= stream.op_count()) {
      good = false;
      report(OpIndex(), "the order names op ", op.value(), " at position ", p,
             ", but the stream has ", stream.op_count());
    } else if ((*position)[op] != nowhere) {
      good = false;
      report(op, "stands in the order again at position ", p);
    } else {
      (*position)[op] = static_cast<uint32_t>(p);
    }
  }
  for (size_t i = 0; i < stream.op_count(); ++i) {
    if ((*position)[OpIndex(i)] != nowhere) continue;
    good = false;
    report(OpIndex(i), "is missing in the order");
  }
  return good;
}

uint32_t SliceCount(const Hardware& hardware) { return std::min(hardware.slices, kMostSlices); }

// Fills slices, with 0 where there is no good one; false if a start has not exactly one good slice.
bool CheckSlices(const Stream& stream, const Hardware& hardware, const Claim& claim, Slices* slices,
                 Findings* findings) {
  bool good = true;
  const auto report = [&](OpIndex op, const auto&... what) {
    good = false;
    findings->Add(ViolationKind::kSlice, op, BufferIndex(), what...);
  };
  slices->assign(stream.op_count(), kNoSlice);
  for (const auto& [op, slice] : claim.slices) {
    if (op.value() >= stream.op_count()) {
      report(OpIndex(), "a slice for op ", op.value(), ", but the stream has ", stream.op_count());
    } else if (stream.op(op).kind != OpKind::kStart) {
      report(op, "has a slice, but is no start with a wait");
    } else if ((*slices)[op] != kNoSlice) {
      report(op, "has a slice twice");
    } else {
      (*slices)[op] = 0;
      if (slice >= SliceCount(hardware)) {
        report(op, "runs on slice ", slice, ", but the hardware has ", hardware.slices,
               " (counted from 0)");
      } else {
        (*slices)[op] = slice;
      }
    }
  }
  for (size_t i = 0; i < stream.op_count(); ++i) {
    if (stream.op(OpIndex(i)).kind == OpKind::kStart && (*slices)[OpIndex(i)] == kNoSlice) {
      report(OpIndex(i), "has no slice");
      (*slices)[OpIndex(i)] = 0;
    }
  }
  return good;
}

void Compare(ViolationKind kind, const char* what, std::optional<uint64_t> claimed,
             absl::uint128 found, Findings* findings) {
  if (!claimed.has_value() || *claimed == found) return;
  if (absl::Uint128High64(found) != 0) {
    if (kind == ViolationKind::kPeak && *claimed == UINT64_MAX) return;  // as answers say it
    findings->Add(kind, OpIndex(), BufferIndex(), what, " does not fit 64 bits, claimed is ",
                  *claimed);
    return;
  }
  findings->Add(kind, OpIndex(), BufferIndex(), what, " is ", absl::Uint128Low64(found),
                ", claimed is ", *claimed);
}

// A placement that says that it is none, or that nobody knows its offsets, has no offsets.
void CheckConsistent(const Claim& claim, Findings* findings) {
  const Placement& placement = *claim.placement;
  const bool listed = !placement.moves.empty() || !placement.swap_transfers.empty();
  if (!placement.placed && (listed || placement.swaps != 0)) {
    findings->Add(ViolationKind::kSwap, OpIndex(), BufferIndex(),
                  "the placement is none, but has moves or swaps");
  }
  if (!placement.placed && claim.allocated_makespan.has_value()) {
    findings->Add(ViolationKind::kPrice, OpIndex(), BufferIndex(),
                  "the placement is none, but has a makespan after allocation");
  }
  if (placement.placed && !placement.has_detail && listed) {
    findings->Add(ViolationKind::kSwap, OpIndex(), BufferIndex(),
                  "the placement's offsets are not known, but it has moves or swaps");
  }
  if (placement.placed && placement.failure.reason != FailureReason::kNone) {
    findings->Add(ViolationKind::kPlacement, OpIndex(), BufferIndex(),
                  "the placement has a reason why there is none");
  }
}

void CheckAll(const Stream& stream, const Hardware& hardware, const Claim& claim,
              Verification* result, Findings* findings) {
  Positions position;
  Slices slices;
  const bool permutation = CheckPermutation(stream, claim.order, &position, findings);
  const bool sliced = CheckSlices(stream, hardware, claim, &slices, findings);
  if (!permutation) return;

  const Cells cells(stream);
  const uint64_t found_before = findings->found();
  const bool programs_kept = CheckDependences(stream, cells, position, findings);
  const bool kept = findings->found() == found_before;
  // What an op waits for is a matter of its dependences where transfers do not block.
  const bool has_price = kept || !hardware.non_blocking_transfers;
  const bool priceable = sliced && programs_kept && has_price;
  Uses uses(stream, position);
  const PriceInput pricing{stream, hardware, claim.order, slices, cells, uses};
  const Cycles predicted = has_price ? Price(pricing, nullptr) : 0;
  result->predicted_makespan = Saturated(predicted);
  if (priceable) {
    Compare(ViolationKind::kPrice, "predicted makespan", claim.predicted_makespan, predicted,
            findings);
  }

  const absl::uint128 peak = PeakLiveBytes(stream, uses);
  result->peak_live_bytes = Saturated(peak);
  Compare(ViolationKind::kPeak, "peak of live bytes", claim.peak_live_bytes, peak, findings);

  const Placement* const placement = claim.placement;
  if (placement == nullptr) return;
  CheckConsistent(claim, findings);
  if (!placement->placed || !placement->has_detail) return;
  if (!CheckEntries(stream, *placement, findings)) return;
  ReplayPlacement({stream, hardware, claim.order, position, cells, uses}, *placement, findings);
  const Cycles allocated = has_price ? Price(pricing, placement) : 0;
  result->allocated_makespan = Saturated(allocated);
  if (!priceable) return;
  Compare(ViolationKind::kPrice, "makespan after allocation", claim.allocated_makespan, allocated,
          findings);
  Compare(ViolationKind::kPrice, "the placement's makespan", placement->makespan, allocated,
          findings);
}

}  // namespace
}  // namespace verify

Verification Verify(const Stream& stream, const Hardware& hardware, const Claim& claim) {
  Verification result;
  verify::Findings findings(stream);
  verify::CheckAll(stream, hardware, claim, &result, &findings);
  result.violations = std::move(findings).Take();
  return result;
}

}  // namespace torqsched
