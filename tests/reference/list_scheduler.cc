// Section 4, rule by rule.
//
// The state is what the section names: the ops that are out, the clock, the buffers that are born
// and dead, the list of ranges, the running programs. Whatever can be asked of the stream instead
// (which programs come next, what is ready) is asked in every step anew.
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "tests/reference/arithmetic.h"
#include "tests/reference/facts.h"
#include "tests/reference/range_list.h"
#include "tests/reference/reference.h"
#include "tests/reference/simulate.h"

namespace torqsched::reference {
namespace {

struct Running {
  OpIndex start;
  uint32_t slice = 0;
  uint64_t end = 0;
};

class ListScheduler {
 public:
  ListScheduler(const Stream& stream, const Hardware& hardware, const ScheduleOptions& options,
                uint64_t cap)
      : stream_(stream),
        hardware_(hardware),
        options_(options),
        cap_(cap),
        prefetch_cap_(Narrow(Wide(cap) * options.prefetch_percent / 100)),
        needs_(ReferenceNeeds(stream)),
        users_(UsersOfBuffers(stream)),
        clock_(stream, hardware),
        space_(cap, hardware.region_bytes),
        out_(stream.op_count(), false) {
    for (OpIndex op : AllOps(stream)) uses_.push_back(ReferenceUses(stream, op));
    schedule_.slice.assign(stream.op_count(), 0);
  }

  Schedule Run() {
    // Section 2: "Live-in: born before the first op, by index, placed like any others."
    for (BufferIndex buffer : AllBuffers(stream_)) {
      if (IsBornAtTheStart(stream_, buffer, users_[buffer.value()])) Bear(buffer);
    }
    while (ActionsAreLeft()) OneStep();
    // "Pure ops that nobody needs follow at the end, in input order."
    for (OpIndex op : AllOps(stream_)) {
      if (!out_[op.value()]) Put(op);
    }
    schedule_.makespan = clock_.makespan();
    schedule_.peak = Narrow(peak_);
    return schedule_;
  }

 private:
  // ---- what is ready -------------------------------------------------------------------------

  bool ActionsAreLeft() const {
    for (OpIndex op : AllOps(stream_)) {
      if (!IsPure(stream_, op) && !out_[op.value()]) return true;
    }
    return false;
  }

  // "ready: all actions that it needs are out."
  bool AllItNeedsIsOut(OpIndex op) const {
    if (IsPure(stream_, op) || out_[op.value()]) return false;
    for (OpIndex needed : AllOps(stream_)) {
      if (needs_[op.value()][needed.value()] && !IsPure(stream_, needed) && !out_[needed.value()]) {
        return false;
      }
    }
    return true;
  }

  // Oldest first.
  std::vector<OpIndex> ReadyOf(std::set<OpKind> kinds) const {
    std::vector<OpIndex> ready;
    for (OpIndex op : AllOps(stream_)) {
      if (kinds.count(stream_.op(op).kind) != 0 && ready_[op.value()]) ready.push_back(op);
    }
    return ready;
  }

  // "the `candidates` oldest"
  std::vector<OpIndex> Candidates(std::set<OpKind> kinds) const {
    std::vector<OpIndex> ready = ReadyOf(kinds);
    if (ready.size() > options_.candidates) ready.resize(options_.candidates);
    return ready;
  }

  // "a slice is free when every program started on it has been waited for." Lowest number first.
  std::vector<uint32_t> FreeSlices() const {
    std::vector<uint32_t> free;
    for (uint32_t slice = 0; slice < hardware_.slices; ++slice) {
      bool taken = false;
      for (const Running& program : running_) taken |= program.slice == slice;
      if (!taken) free.push_back(slice);
    }
    return free;
  }

  uint64_t EarliestEnd() const {
    uint64_t earliest = UINT64_MAX;
    for (const Running& program : running_) earliest = std::min(earliest, program.end);
    return earliest;
  }

  // ---- room ----------------------------------------------------------------------------------

  // "An action *creates*, of the LRAM buffers that it uses, those not yet born, in order of index."
  std::vector<BufferIndex> Creates(OpIndex op) const {
    std::vector<BufferIndex> created;
    for (BufferIndex buffer : uses_[op.value()]) {
      if (born_.count(buffer) == 0) created.push_back(buffer);
    }
    return created;
  }

  // "A buffer smaller than small_buffer_bytes takes the lowest free range that holds it; any other
  // takes the highest, at its upper end. Offsets are multiples of the larger of the hardware's and
  // the buffer's alignment; sizes are not rounded. A fixed-offset buffer takes exactly its range."
  RangeList::Wish WishOf(BufferIndex buffer) const {
    const Buffer& b = stream_.buffer(buffer);
    RangeList::Wish wish;
    wish.size = b.size;
    wish.alignment = std::max(hardware_.alignment, b.alignment);
    wish.lowest = b.size < hardware_.small_buffer_bytes;
    if (b.has_fixed_offset) wish.fixed = b.fixed_offset;
    return wish;
  }

  // Whether a range is found; it is taken in `space`. "A zero-sized buffer ... takes no room."
  bool TakeRange(BufferIndex buffer, RangeList* space) const {
    const uint64_t size = stream_.buffer(buffer).size;
    if (size == 0) return true;
    const std::optional<uint64_t> offset = space->Find(WishOf(buffer));
    if (offset.has_value()) space->Take(buffer, *offset, size);
    return offset.has_value();
  }

  // "live is the sum of the sizes of the born, not yet dead, LRAM buffers."
  Wide Live() const {
    Wide live = 0;
    for (BufferIndex buffer : born_) {
      if (dead_.count(buffer) == 0) live += stream_.buffer(buffer).size;
    }
    return live;
  }

  // "It *fits* under a limit L if live + created bytes + reserve <= L and every created buffer gets
  // a range (all tried together, in that order, then undone)."
  bool Fits(OpIndex op, uint64_t limit, Wide reserve) const {
    Wide bytes = Live() + reserve;
    for (BufferIndex buffer : Creates(op)) bytes += stream_.buffer(buffer).size;
    if (bytes > limit) return false;
    RangeList trial = space_;
    for (BufferIndex buffer : Creates(op)) {
      if (!TakeRange(buffer, &trial)) return false;
    }
    return true;
  }

  // ---- rule 3 --------------------------------------------------------------------------------

  // "its destinations are the LRAM buffers that it writes"
  std::set<BufferIndex> Destinations(OpIndex load) const {
    std::set<BufferIndex> destinations;
    for (const Access& access : stream_.accesses(load)) {
      if (IsLram(stream_, access.buffer) && access.writes) destinations.insert(access.buffer);
    }
    return destinations;
  }

  // In input order.
  std::vector<OpIndex> ProgramsNotStarted() const {
    std::vector<OpIndex> programs;
    for (OpIndex op : AllOps(stream_)) {
      if (IsProgram(stream_, op) && !out_[op.value()]) programs.push_back(op);
    }
    return programs;
  }

  // "urgent: a destination is touched by one of the next `urgent_starts` programs that have not
  // started (input order)."
  bool Urgent(OpIndex load) const {
    std::vector<OpIndex> next = ProgramsNotStarted();
    if (next.size() > options_.urgent_starts) next.resize(options_.urgent_starts);
    const std::set<BufferIndex> destinations = Destinations(load);
    for (OpIndex program : next) {
      for (BufferIndex destination : destinations) {
        // "a program touches the buffers that it uses (section 2)"
        if (uses_[program.value()].count(destination) != 0) return true;
      }
    }
    return false;
  }

  // "its consumer: the first program after it in the input order that reads any byte of a
  // destination."
  OpIndex Consumer(OpIndex load) const {
    const std::set<BufferIndex> destinations = Destinations(load);
    for (OpIndex op : AllOps(stream_)) {
      if (!(load < op) || !IsProgram(stream_, op)) continue;
      for (BufferIndex destination : destinations) {
        if (ReadsBytesOf(stream_, op, destination)) return op;
      }
    }
    return OpIndex();
  }

  // "its reserve: the largest, over the programs not yet started that are older than its consumer,
  // of the bytes of the LRAM buffers that program touches which are not born yet, the load's own
  // destinations left out. No consumer: 0."
  Wide Reserve(OpIndex load) const {
    const OpIndex consumer = Consumer(load);
    if (!consumer.present()) return 0;
    const std::set<BufferIndex> own = Destinations(load);
    Wide largest = 0;
    for (OpIndex program : ProgramsNotStarted()) {
      if (!(program < consumer)) continue;
      Wide bytes = 0;
      for (BufferIndex buffer : uses_[program.value()]) {
        if (born_.count(buffer) == 0 && own.count(buffer) == 0) {
          bytes += stream_.buffer(buffer).size;
        }
      }
      largest = std::max(largest, bytes);
    }
    return largest;
  }

  // ---- the rules -----------------------------------------------------------------------------

  // "A step, first rule that applies"
  void OneStep() {
    step_ = Step();
    step_.t_before = clock_.t;
    ready_.clear();
    for (OpIndex op : AllOps(stream_)) ready_.push_back(AllItNeedsIsOut(op));
    for (uint32_t slice : FreeSlices()) step_.free_slices |= uint64_t{1} << slice;
    if (Rule1() || Rule2() || Rule3() || Rule4()) return;
    Rule5();
  }

  bool Apply(uint8_t rule, OpIndex op, uint32_t slice = 0) {
    step_.rule = rule;
    step_.skip[rule - 1] = Skip::kApplied;
    EmitAction(op, slice);
    return true;
  }

  bool SkipRule(uint8_t rule, Skip why) {
    step_.skip[rule - 1] = why;
    return false;
  }

  // "1. the oldest ready barrier: emit it."
  bool Rule1() {
    const std::vector<OpIndex> barriers = ReadyOf({OpKind::kBarrier});
    if (barriers.empty()) return SkipRule(1, Skip::kNoneReady);
    return Apply(1, barriers.front());
  }

  // "2. a slice is free (lowest number first): among the `candidates` oldest ready starts, the
  // first that fits under `cap` with reserve 0: emit it on that slice. If none fits and no program
  // is running and a start is ready: emit the oldest ready start all the same."
  bool Rule2() {
    const std::vector<uint32_t> free = FreeSlices();
    if (free.empty()) return SkipRule(2, Skip::kNoSliceFree);
    const std::vector<OpIndex> starts = Candidates({OpKind::kStart});
    for (OpIndex start : starts) {
      if (Fits(start, cap_, 0)) return Apply(2, start, free.front());
    }
    if (starts.empty()) return SkipRule(2, Skip::kNoneReady);
    if (running_.empty()) return Apply(2, starts.front(), free.front());
    return SkipRule(2, Skip::kNoneFits);
  }

  // "3. DMA: among the `candidates` oldest ready loads and stores together, the first that fits; a
  // store always does. A load fits under `cap` if it is *urgent*, else under `prefetch_cap`, in
  // both cases with its reserve. ... Emit it if no program is running, or it begins no later than
  // the earliest end of a running program." Where transfers block, they all begin alike: now.
  bool Rule3() {
    const std::vector<OpIndex> transfers = Candidates({OpKind::kLoad, OpKind::kStore});
    if (transfers.empty()) return SkipRule(3, Skip::kNoneReady);
    bool one_is_late = false;
    for (OpIndex transfer : transfers) {
      if (!running_.empty() && clock_.TransferBegin(transfer) > EarliestEnd()) {
        one_is_late = true;
        continue;
      }
      const bool load = stream_.op(transfer).kind == OpKind::kLoad;
      const bool urgent = load && Urgent(transfer);
      if (load && !Fits(transfer, urgent ? cap_ : prefetch_cap_, Reserve(transfer))) continue;
      step_.urgent = urgent;
      return Apply(3, transfer);
    }
    return SkipRule(3, one_is_late ? Skip::kProgramSooner : Skip::kNoneFits);
  }

  // "4. a program is running (started, not waited for): emit the wait of the one that ends first
  // (tie: lowest slice, then the older start), among those whose wait is ready."
  bool Rule4() {
    if (running_.empty()) return SkipRule(4, Skip::kNoneRunning);
    const Running* first = nullptr;
    for (const Running& program : running_) {
      if (!ready_[stream_.op(program.start).partner.value()]) continue;
      if (first == nullptr || program.end < first->end ||
          (program.end == first->end &&
           (program.slice < first->slice ||
            (program.slice == first->slice && program.start < first->start)))) {
        first = &program;
      }
    }
    if (first == nullptr) return SkipRule(4, Skip::kNoWaitReady);
    return Apply(4, stream_.op(first->start).partner);
  }

  // "5. the oldest ready load or store; else the oldest ready action of any kind. A start that
  // comes out here while no slice is free queues on the slice that ends first (tie: lowest)".
  // Before it: "A start takes the lowest free slice, under rule 5 too."
  void Rule5() {
    std::vector<OpIndex> ready = ReadyOf({OpKind::kLoad, OpKind::kStore});
    if (ready.empty()) {
      ready =
          ReadyOf({OpKind::kLoad, OpKind::kStore, OpKind::kStart, OpKind::kWait, OpKind::kBarrier});
    }
    const std::vector<uint32_t> free = FreeSlices();
    uint32_t slice = 0;
    if (!free.empty()) {
      slice = free.front();
    } else {
      for (uint32_t s = 1; s < hardware_.slices; ++s) {
        if (clock_.slice_end[s] < clock_.slice_end[slice]) slice = s;
      }
    }
    Apply(5, ready.front(), slice);  // without races something is always ready
  }

  // ---- emitting ------------------------------------------------------------------------------

  void Put(OpIndex op) {
    schedule_.order.push_back(op);
    out_[op.value()] = true;
  }

  // Born now, with a range if there is one: "one that finds no range holds none", and "counts in
  // `live`". Returns whether it has its range.
  bool Bear(BufferIndex buffer) {
    born_.insert(buffer);
    const bool found = TakeRange(buffer, &space_);
    peak_ = std::max(peak_, Live());
    return found;
  }

  void EmitAction(OpIndex op, uint32_t slice) {
    step_.op = op;
    // "Emitting an action first emits, oldest first, each pure op that it needs and that is not out
    // yet."
    for (OpIndex pure : AllOps(stream_)) {
      if (IsPure(stream_, pure) && needs_[op.value()][pure.value()] && !out_[pure.value()]) {
        Put(pure);
      }
    }
    // "An action emitted without fitting: its new buffers are tried one by one, by index; one that
    // finds no range holds none." One that fits gets them all in the same way.
    for (BufferIndex buffer : Creates(op)) {
      if (!Bear(buffer)) step_.fits = false;
    }
    if (Live() > cap_) step_.fits = false;
    Put(op);
    // "Then the clock moves as in section 3"
    clock_.Run(op, slice);
    if (IsProgram(stream_, op)) {
      schedule_.slice[op] = static_cast<uint8_t>(slice);
      running_.push_back({op, slice, clock_.program_end[op]});
      step_.slice = slice;
      step_.program_end = clock_.program_end[op];
    }
    if (stream_.op(op).kind == OpKind::kWait) {
      const OpIndex start = stream_.op(op).partner;
      running_.erase(
          std::remove_if(running_.begin(), running_.end(),
                         [start](const Running& program) { return program.start == start; }),
          running_.end());
    }
    // "and the buffers whose last user this was die." Live-out ones never do.
    for (BufferIndex buffer : AllBuffers(stream_)) {
      if (born_.count(buffer) == 0 || dead_.count(buffer) != 0) continue;
      if (stream_.buffer(buffer).live_out) continue;
      if (!AllUsersAreOut(stream_, users_[buffer.value()], out_)) continue;
      dead_.insert(buffer);
      space_.Free(buffer);
    }
    if (options_.explain) {
      step_.t_after = clock_.t;
      step_.live_after = Narrow(Live());
      schedule_.steps.push_back(step_);
    }
  }

  const Stream& stream_;
  const Hardware& hardware_;
  const ScheduleOptions& options_;
  const uint64_t cap_;
  const uint64_t prefetch_cap_;
  const std::vector<std::vector<bool>> needs_;
  const std::vector<std::set<OpIndex>> users_;  // of each buffer
  std::vector<std::set<BufferIndex>> uses_;     // of each op

  SimpleClock clock_;
  RangeList space_;
  std::vector<bool> out_;    // of each op
  std::vector<bool> ready_;  // of each op, before the step
  std::set<BufferIndex> born_;
  std::set<BufferIndex> dead_;
  std::vector<Running> running_;
  Wide peak_ = 0;
  Step step_;
  Schedule schedule_;
};

}  // namespace

Schedule ReferenceListSchedule(const Stream& stream, const Hardware& hardware,
                               const ScheduleOptions& options, uint64_t cap) {
  return ListScheduler(stream, hardware, options, cap).Run();
}

}  // namespace torqsched::reference
