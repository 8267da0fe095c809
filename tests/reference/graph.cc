// Section 2's edges from all pairs of ops and all pairs of their accesses, and section 1's list of
// what makes an input invalid.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tests/reference/arithmetic.h"
#include "tests/reference/facts.h"
#include "tests/reference/reference.h"

namespace torqsched::reference {
namespace {

// The first conflict between two ops' accesses, or absent.
BufferIndex ConflictingBuffer(const Stream& stream, OpIndex x, OpIndex y) {
  for (const Access& a : stream.accesses(x)) {
    for (const Access& b : stream.accesses(y)) {
      if (Conflict(a, b)) return a.buffer;
    }
  }
  return BufferIndex();
}

// Whether one region has all of the range.
bool LiesInOne(const std::vector<uint64_t>& regions, uint64_t offset, uint64_t size) {
  Wide begin = 0;
  for (const uint64_t bytes : regions) {
    if (begin <= offset && Wide(offset) + size <= begin + bytes) return true;
    begin += bytes;
  }
  return false;
}

}  // namespace

// Section 1: "two conflicting accesses in flight (an op between a program's start and its wait that
// touches bytes the program holds, one of the two writing them: the input order itself races)".
std::vector<Race> ReferenceRaces(const Stream& stream) {
  std::vector<Race> races;
  for (OpIndex start : AllOps(stream)) {
    if (!IsProgram(stream, start)) continue;
    for (OpIndex other : AllOps(stream)) {
      if (!(start < other) || !(other < stream.op(start).partner)) continue;
      const BufferIndex buffer = ConflictingBuffer(stream, start, other);
      if (buffer.present()) races.push_back({start, other, buffer});
    }
  }
  return races;
}

std::set<std::pair<OpIndex, OpIndex>> ReferenceEdges(const Stream& stream) {
  std::set<std::pair<OpIndex, OpIndex>> edges;
  // 1. "operand: B lists A."
  for (OpIndex b : AllOps(stream)) {
    for (OpIndex a : stream.operands(b)) edges.insert({a, b});
  }
  // 2. "program: start P -> wait P."
  for (OpIndex p : AllOps(stream)) {
    if (IsProgram(stream, p)) edges.insert({p, stream.op(p).partner});
  }
  // 3. "barrier: each op since the previous barrier -> the barrier; the barrier -> each op after
  // it, up to the next. Pure ops have operand edges only." The previous and the next barrier are
  // counted in: a barrier "keeps its place".
  for (OpIndex barrier : AllOps(stream)) {
    if (stream.op(barrier).kind != OpKind::kBarrier) continue;
    for (size_t i = barrier.value(); i-- > 0;) {
      const OpIndex older(i);
      if (!IsPure(stream, older)) edges.insert({older, barrier});
      if (stream.op(older).kind == OpKind::kBarrier) break;
    }
    for (size_t i = barrier.value() + 1; i < stream.op_count(); ++i) {
      const OpIndex younger(i);
      if (!IsPure(stream, younger)) edges.insert({barrier, younger});
      if (stream.op(younger).kind == OpKind::kBarrier) break;
    }
  }
  // 4. "memory: for two accesses to overlapping bytes of one buffer, at least one a write, by X
  // (older) and Y: end(X) -> begin(Y)".
  for (OpIndex x : AllOps(stream)) {
    for (OpIndex y : AllOps(stream)) {
      if (x < y && ConflictingBuffer(stream, x, y).present()) edges.insert({EndOf(stream, x), y});
    }
  }
  return edges;
}

std::vector<std::vector<bool>> ReferenceNeeds(const Stream& stream) {
  // Without races every edge goes from an older op to a younger one, so that rows of older ops are
  // complete when a younger op asks for them.
  const std::set<std::pair<OpIndex, OpIndex>> edges = ReferenceEdges(stream);
  const size_t n = stream.op_count();
  std::vector<std::vector<bool>> needs(n, std::vector<bool>(n, false));
  for (OpIndex b : AllOps(stream)) {
    for (const auto& [from, to] : edges) {
      if (!(to == b)) continue;
      needs[b.value()][from.value()] = true;
      for (size_t a = 0; a < n; ++a) {
        if (needs[from.value()][a]) needs[b.value()][a] = true;
      }
    }
  }
  return needs;
}

std::vector<Invalid> ReferenceInvalid(const Stream& stream, const Hardware& hardware,
                                      const ScheduleOptions& options) {
  std::vector<Invalid> wrong;
  // "a slice that the hardware does not have"; "A start without a wait ...: its slice number is
  // checked all the same."
  for (OpIndex op : AllOps(stream)) {
    const bool start = IsProgram(stream, op) || stream.op(op).start_without_wait;
    if (start && stream.op(op).slice >= hardware.slices) {
      wrong.push_back({InvalidKind::kSlice, op, BufferIndex(),
                       absl::StrCat(stream.Describe(op), ": no such slice")});
    }
  }
  // "an LRAM buffer larger than usable LRAM, or a fixed range that ends beyond it (only where it is
  // used)". A buffer that is live throughout without users is in LRAM too, and counts as used.
  const uint64_t usable = hardware.lram_bytes - hardware.lram_reserved_bytes;
  const std::vector<std::set<OpIndex>> users = UsersOfBuffers(stream);
  std::vector<uint64_t> regions = hardware.region_bytes;
  if (regions.empty()) regions = {usable};
  for (BufferIndex buffer : AllBuffers(stream)) {
    const Buffer& b = stream.buffer(buffer);
    const std::set<OpIndex>& its_users = users[buffer.value()];
    if (!IsEverBorn(stream, buffer, its_users)) continue;
    const OpIndex user = its_users.empty() ? OpIndex() : *its_users.begin();
    if (b.size > *std::max_element(regions.begin(), regions.end())) {
      wrong.push_back({InvalidKind::kTooLarge, user, buffer,
                       absl::StrCat(stream.Describe(buffer), ": larger than a region of LRAM")});
    } else if (b.has_fixed_offset && !LiesInOne(regions, b.fixed_offset, b.size)) {
      wrong.push_back({InvalidKind::kFixedBeyond, user, buffer,
                       absl::StrCat(stream.Describe(buffer), ": lies in no region of LRAM")});
    }
  }
  // "options out of range (a percent over 100, candidates 0)".
  if (options.cap_percent > 100 || options.prefetch_percent > 100 || options.candidates == 0) {
    wrong.push_back({InvalidKind::kOption, OpIndex(), BufferIndex(), "option out of range"});
  }
  for (const Race& race : ReferenceRaces(stream)) {
    wrong.push_back(
        {InvalidKind::kRace, race.other, race.buffer,
         absl::StrCat(stream.Describe(race.other), ": races with ", stream.Describe(race.start))});
  }
  // "Every sum is checked; overflow is an error that names the op". The largest number itself
  // counts as overflow.
  // "transfers count a hundredfold where a program takes a share of the bandwidth".
  bool shares = false;
  for (OpIndex op : AllOps(stream)) shares |= stream.op(op).dma_share != 0;
  const uint64_t times = shares ? 100 : 1;
  Wide total = 0;
  uint64_t not_pure = 0;
  for (OpIndex op : AllOps(stream)) {
    const OpKind kind = stream.op(op).kind;
    if (kind == OpKind::kPure) continue;
    const bool transfer = kind == OpKind::kLoad || kind == OpKind::kStore;
    total += Wide(stream.op(op).cycles) * (transfer ? times : 1);
    if (transfer && hardware.non_blocking_transfers) total += hardware.transfer_issue_cycles;
    if (IsProgram(stream, op)) total += hardware.start_cycles;
    if (hardware.block_ops != 0 && ++not_pure % hardware.block_ops == 0) {
      total += Wide(CyclesOfTransfer(hardware, hardware.block_bytes)) * times;
    }
    if (total > UINT64_MAX) {
      wrong.push_back({InvalidKind::kCycles, op, BufferIndex(),
                       absl::StrCat(stream.Describe(op), ": cycles do not fit 64 bits")});
      break;
    }
  }
  return wrong;
}

}  // namespace torqsched::reference
