#include "src/schedule/list_scheduler.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/numeric/int128.h"
#include "src/graph/order_clock.h"
#include "src/graph/pure_ops.h"
#include "src/schedule/live_buffers.h"
#include "src/schedule/ready_actions.h"
#include "src/schedule/running_programs.h"
#include "src/schedule/urgent_window.h"

namespace torqsched {
namespace {

template <typename Sum>
class ListScheduler {
 public:
  ListScheduler(const ScheduleProblem& problem, const ListParameters& parameters, ListWork* work)
      : problem_(problem),
        stream_(problem.stream),
        parameters_(parameters),
        work_(work),
        prefetch_cap_(
            absl::Uint128Low64(absl::uint128(parameters.cap) * parameters.prefetch_percent / 100)),
        clock_(problem),
        ready_(problem),
        pure_(problem.stream),
        running_(problem.stream, problem.hardware.slices),
        urgent_(problem.lifetimes, problem.stream.buffer_count(), parameters.urgent_starts),
        live_(problem, parameters.cap),
        reserves_(problem.consumers.sharing_count()) {
    schedule_.order.reserve(stream_.op_count());
    schedule_.slice.assign(stream_.op_count(), 0);
  }

  Schedule Run() {
    TakeNewWaits();
    for (;;) {
      step_ = Step();
      step_.t_before = clock_.now();
      step_.free_slices = running_.free_slices();
      const bool emitted =
          EmitBarrier() || EmitStart() || EmitTransfer() || EmitWait() || EmitOldest();
      if (!emitted) break;
      ++work_->steps;
      if (parameters_.explain) Record();
    }
    pure_.AppendRemaining(&schedule_.order);
    schedule_.makespan = clock_.makespan();
    schedule_.peak = live_.peak();
    return std::move(schedule_);
  }

 private:
  // Rule 1.
  bool EmitBarrier() {
    const uint32_t barrier = ready_.barriers().First();
    if (barrier == OrderedIndexSet::kNone) return Skipped(1, Skip::kNoneReady);
    CreateAnyway(OpIndex(barrier));
    return Emit(OpIndex(barrier), 1);
  }

  // Rule 2.
  bool EmitStart() {
    if (running_.free_slices() == 0) return Skipped(2, Skip::kNoSliceFree);
    uint32_t start = ready_.starts().First();
    if (start == OrderedIndexSet::kNone) return Skipped(2, Skip::kNoneReady);
    const uint32_t oldest = start;
    for (uint64_t i = 0; i < parameters_.candidates && start != OrderedIndexSet::kNone; ++i) {
      ++work_->fit_tests;
      if (CreateIfFits(OpIndex(start), parameters_.cap, Sum(0))) return Emit(OpIndex(start), 2);
      start = ready_.starts().FirstFrom(start + 1);
    }
    if (running_.any()) return Skipped(2, Skip::kNoneFits);
    CreateAnyway(OpIndex(oldest));
    return Emit(OpIndex(oldest), 2);
  }

  // Rule 3. The stream is asked first: where it is late already, so is every transfer.
  bool EmitTransfer() {
    uint32_t transfer = ready_.transfers().First();
    if (transfer == OrderedIndexSet::kNone) return Skipped(3, Skip::kNoneReady);
    const bool any_runs = running_.any();
    const uint64_t first_end = any_runs ? running_.EarliestEnd() : 0;
    if (any_runs && clock_.now() > first_end) return Skipped(3, Skip::kProgramSooner);
    bool one_is_late = false;
    for (uint64_t i = 0; i < parameters_.candidates && transfer != OrderedIndexSet::kNone;
         ++i, transfer = ready_.transfers().FirstFrom(transfer + 1)) {
      const OpIndex op(transfer);
      if (any_runs && clock_.TransferBegin(op) > first_end) {
        one_is_late = true;
        continue;
      }
      ++work_->fit_tests;
      if (stream_.op(op).kind == OpKind::kStore) {
        CreateAnyway(op);
        return Emit(op, 3);
      }
      if (CreateLoadIfFits(op)) return Emit(op, 3);
    }
    return Skipped(3, one_is_late ? Skip::kProgramSooner : Skip::kNoneFits);
  }

  // Rule 4.
  bool EmitWait() {
    if (!running_.any()) return Skipped(4, Skip::kNoneRunning);
    if (!running_.any_ready_wait()) return Skipped(4, Skip::kNoWaitReady);
    const OpIndex wait = running_.TakeFirstWait();
    CreateAnyway(wait);
    return Emit(wait, 4);
  }

  // Rule 5. Barriers and waits that are ready never get here.
  bool EmitOldest() {
    uint32_t oldest = ready_.transfers().First();
    if (oldest == OrderedIndexSet::kNone) oldest = ready_.starts().First();
    if (oldest == OrderedIndexSet::kNone) return Skipped(5, Skip::kNoneReady);
    CreateAnyway(OpIndex(oldest));
    return Emit(OpIndex(oldest), 5);
  }

  bool Skipped(int rule, Skip why) {
    step_.skip[rule - 1] = why;
    return false;
  }

  bool BytesFit(Sum created, uint64_t limit, Sum reserve) const {
    return live_.live() + created + reserve <= Sum(limit);
  }

  // If the action fits under the limit, its buffers are born.
  bool CreateIfFits(OpIndex op, uint64_t limit, Sum reserve) {
    const Sum created = live_.unborn_bytes(op);
    if (!BytesFit(created, limit, reserve)) return false;
    return created == 0 || live_.CreateIfRoom(op);
  }

  // The action's buffers are born whether they fit or not.
  void CreateAnyway(OpIndex op) {
    if (live_.unborn_bytes(op) == 0) return;
    const bool ranges = live_.CreateAnyway(op);
    step_.fits = ranges && live_.live() <= Sum(parameters_.cap);
  }

  bool CreateLoadIfFits(OpIndex load) {
    const Sum created = live_.unborn_bytes(load);
    if (!BytesFit(created, parameters_.cap, Sum(0))) return false;
    const bool urgent = IsUrgent(load);
    const uint64_t limit = urgent ? parameters_.cap : prefetch_cap_;
    if (!BytesFit(created, limit, Sum(0)) || !ReserveFits(load, created, limit)) return false;
    if (created != 0 && !live_.CreateIfRoom(load)) return false;
    step_.urgent = urgent;
    return true;
  }

  bool IsUrgent(OpIndex load) const {
    for (const BufferIndex b : problem_.consumers.destinations(load)) {
      if (urgent_.Touches(b)) return true;
    }
    return false;
  }

  // Whether the bytes fit with the load's reserve: the largest, over the programs not yet started
  // that are older than its consumer, of the bytes that the program would create, the load's own
  // destinations left out.
  bool ReserveFits(OpIndex load, Sum created, uint64_t limit) {
    const uint32_t consumer = problem_.consumers.consumer(load);
    const size_t first = urgent_.first_not_started();
    if (consumer == LoadConsumers::kNone || consumer <= first) return true;
    if (BytesFit(created, limit, live_.LargestUnborn(first, consumer))) return true;
    const uint32_t sharing = problem_.consumers.sharing(load);
    if (sharing == LoadConsumers::kNone) return false;
    // Programs use the load's own destinations. A reserve never grows, so the last one is an upper
    // bound, and the program that made it mostly still tells that the load does not fit.
    Reserve& reserve = reserves_[sharing];
    if (reserve.known) {
      if (BytesFit(created, limit, reserve.bytes)) return true;
      if (!BytesFit(created, limit, BytesBesideDestinations(load, reserve.program))) return false;
    }
    reserve = ReserveBesideDestinations(load, first, consumer);
    return BytesFit(created, limit, reserve.bytes);
  }

  struct Reserve {
    Sum bytes = 0;       // when it was worked out; no less than it is now
    size_t program = 0;  // ordinal of the program that it was for
    bool known = false;
  };

  // What the program would create, the load's destinations left out; 0 once it has started.
  Sum BytesBesideDestinations(OpIndex load, size_t ordinal) const {
    Sum bytes = live_.UnbornOfProgram(ordinal);
    const ::torqsched::Run<BufferIndex> uses =
        problem_.lifetimes.uses(problem_.lifetimes.programs()[ordinal]);
    for (const BufferIndex b : problem_.consumers.destinations(load)) {
      if (bytes == 0 || live_.born(b)) continue;
      if (std::binary_search(uses.begin(), uses.end(), b)) bytes -= stream_.buffer(b).size;
    }
    return bytes;
  }

  Reserve ReserveBesideDestinations(OpIndex load, size_t first, size_t consumer) {
    Reserve reserve;
    reserve.known = true;
    reserve.program = first;
    for (size_t ordinal = first; ordinal < consumer; ++ordinal) {
      ++work_->reserve_programs;
      const Sum bytes = BytesBesideDestinations(load, ordinal);
      if (bytes > reserve.bytes) {
        reserve.bytes = bytes;
        reserve.program = ordinal;
      }
    }
    return reserve;
  }

  // The action's buffers are born already; the pure ops it needs go first.
  bool Emit(OpIndex index, int rule) {
    step_.rule = static_cast<uint8_t>(rule);
    step_.skip[rule - 1] = Skip::kApplied;
    step_.op = index;
    pure_.AppendNeeded(index, &schedule_.order);
    schedule_.order.push_back(index);
    const Op& op = stream_.op(index);
    switch (op.kind) {
      case OpKind::kLoad:
      case OpKind::kStore:
        clock_.Transfer(index, op.cycles);
        break;
      case OpKind::kBarrier:
        clock_.Barrier(index, op.cycles);
        break;
      case OpKind::kStart:
        StartProgram(index, op.cycles);
        break;
      case OpKind::kWait:
        clock_.Wait(index);
        live_.EndUses(problem_.lifetimes.uses(op.partner));
        break;
      case OpKind::kPure:
        break;
    }
    if (op.kind != OpKind::kStart) live_.EndUses(problem_.lifetimes.uses(index));
    ready_.Out(index);
    TakeNewWaits();
    return true;
  }

  void StartProgram(OpIndex start, uint64_t compute) {
    const uint32_t slice = running_.SliceForNext(clock_);
    const uint64_t end = clock_.Start(start, slice, compute).end;
    running_.Start(start, slice, end);
    schedule_.slice[start] = static_cast<uint8_t>(slice);
    const uint32_t ordinal = problem_.consumers.ordinal(start);
    live_.ProgramStarted(ordinal);
    urgent_.Started(ordinal);
    step_.slice = slice;
    step_.program_end = end;
  }

  void TakeNewWaits() {
    for (const OpIndex wait : ready_.new_waits()) running_.WaitIsReady(wait);
    ready_.new_waits().clear();
  }

  void Record() {
    step_.t_after = clock_.now();
    const Sum live = live_.live();
    step_.live_after = live > Sum(UINT64_MAX) ? UINT64_MAX : static_cast<uint64_t>(live);
    schedule_.steps.push_back(step_);
  }

  const ScheduleProblem& problem_;
  const Stream& stream_;
  const ListParameters& parameters_;
  ListWork* const work_;
  const uint64_t prefetch_cap_;
  OrderClock clock_;
  ReadyActions ready_;
  PureOps pure_;
  RunningPrograms running_;
  UrgentWindow urgent_;
  LiveBuffers<Sum> live_;
  Schedule schedule_;
  Step step_;
  std::vector<Reserve> reserves_;  // of loads whose destinations older programs use
};

// Whether the sizes of all buffers that may ever be live fit a quarter of 64 bits together, so that
// a sum of live, created and reserved bytes fits, too.
bool SizesAreModest(const ScheduleProblem& problem) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max() / 4;
  uint64_t total = 0;
  for (uint32_t i = 0; i < problem.stream.buffer_count(); ++i) {
    const Buffer& buffer = problem.stream.buffer(BufferIndex(i));
    if (buffer.space != Space::kLram) continue;
    if (!SumFits(total, buffer.size, kMost)) return false;
    total += buffer.size;
  }
  return true;
}

}  // namespace

ListParameters ParametersFor(const Hardware& hardware, const ScheduleOptions& options,
                             uint64_t percent) {
  ListParameters parameters;
  parameters.cap = absl::Uint128Low64(absl::uint128(hardware.usable_bytes()) * options.cap_percent *
                                      percent / 10000);
  parameters.prefetch_percent = options.prefetch_percent;
  parameters.urgent_starts = options.urgent_starts;
  parameters.candidates = options.candidates;
  parameters.explain = options.explain;
  return parameters;
}

Schedule ListSchedule(const ScheduleProblem& problem, const ListParameters& parameters,
                      ListWork* work) {
  if (SizesAreModest(problem)) {
    return ListScheduler<uint64_t>(problem, parameters, work).Run();
  }
  return ListScheduler<absl::uint128>(problem, parameters, work).Run();
}

}  // namespace torqsched
