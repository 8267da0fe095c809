// One walk through the order: whoever is used again after a while leaves a gap behind.
#include "src/lram/offline_gaps.h"

#include <algorithm>
#include <utility>

#include "src/lram/future_accesses.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace offline {
namespace {

constexpr uint32_t kNever = std::numeric_limits<uint32_t>::max();
constexpr int64_t kMostSum = int64_t{1} << 62;

bool MayBeOut(const Buffer& buffer) {
  return !buffer.has_fixed_offset && !buffer.live_in && !buffer.live_out;
}

bool TakesRoom(const Buffer& buffer) { return buffer.space == Space::kLram && buffer.size != 0; }

// A load that reads constants and nothing else: what it wrote can be had from there again.
bool LoadsConstants(const Stream& stream, OpIndex op) {
  if (stream.op(op).kind != OpKind::kLoad) return false;
  bool constant = false;
  for (const Access& access : stream.accesses(op)) {
    if (!access.reads) continue;
    if (!stream.buffer(access.buffer).constant) return false;
    constant = true;
  }
  return constant;
}

class Walk {
 public:
  Walk(const Stream& stream, const Lifetimes& lifetimes, const std::vector<OpIndex>& order,
       Residency* out)
      : stream_(stream),
        lifetimes_(lifetimes),
        order_(order),
        out_(*out),
        future_(stream, order),
        states_(stream.buffer_count()) {}

  void Run() {
    for (const BufferIndex b : lifetimes_.live_in()) {
      if (TakesRoom(stream_.buffer(b))) states_[b].first_use = 0;
    }
    for (position_ = 0; position_ < order_.size(); ++position_) VisitOp(order_[position_]);
    FindLives();
    SortGaps();
    FindNextAccesses();
  }

 private:
  struct BufferState {
    uint32_t first_use = kNever;
    uint32_t last_use = kNever;
    uint32_t running = 0;  // programs that use it
    uint32_t version = 0;  // how many ops have written it
    // Hull of what has been written, and the load of constants that wrote all of it, if any.
    uint64_t written_begin = 0;
    uint64_t written_end = 0;
    OpIndex refill;
  };

  void VisitOp(OpIndex op) {
    const OpKind kind = stream_.op(op).kind;
    if (kind == OpKind::kPure) return;
    for (const BufferIndex b : lifetimes_.uses(op)) {
      if (!TakesRoom(stream_.buffer(b))) continue;
      BeginUse(b);
      if (kind == OpKind::kStart) ++states_[b].running;
    }
    WriteContents(op);
    if (kind != OpKind::kWait) return;
    for (const BufferIndex b : lifetimes_.uses(stream_.op(op).partner)) {
      if (!TakesRoom(stream_.buffer(b))) continue;
      --states_[b].running;
      states_[b].last_use = position_;
    }
  }

  void BeginUse(BufferIndex b) {
    BufferState& state = states_[b];
    if (state.first_use == kNever) state.first_use = position_;
    const bool used_before = state.last_use != kNever;
    if (used_before && state.running == 0 && state.last_use + 1 < position_ &&
        MayBeOut(stream_.buffer(b))) {
      Gap gap;
      gap.buffer = b;
      gap.begin = state.last_use + 1;
      gap.end = position_;
      gap.version = state.version;
      gap.matters = future_.ContentsMatter(b, position_);
      gap.refills = state.refill.present();
      out_.gaps.push_back(gap);
    }
    state.last_use = position_;
  }

  void WriteContents(OpIndex op) {
    const bool refills = LoadsConstants(stream_, op);
    for (const Access& a : stream_.accesses(op)) {
      if (!a.writes || a.begin == a.end || stream_.buffer(a.buffer).space != Space::kLram) continue;
      BufferState& state = states_[a.buffer];
      const bool first = state.written_begin == state.written_end;
      const bool all = first || state.refill == op ||
                       (a.begin <= state.written_begin && a.end >= state.written_end);
      state.refill = refills && all ? op : OpIndex();
      state.written_begin = first ? a.begin : std::min(state.written_begin, a.begin);
      state.written_end = first ? a.end : std::max(state.written_end, a.end);
      ++state.version;
    }
  }

  void FindLives() {
    const uint32_t positions = std::max<uint32_t>(static_cast<uint32_t>(order_.size()), 1);
    out_.positions = positions;
    out_.lives = IndexVector<BufferIndex, Life>(stream_.buffer_count());
    for (uint32_t i = 0; i < stream_.buffer_count(); ++i) {
      const BufferIndex b(i);
      const BufferState& state = states_[b];
      if (state.first_use == kNever) continue;
      const bool stays = stream_.buffer(b).live_out || state.last_use == kNever;
      out_.lives[b] = {state.first_use, stays ? positions : state.last_use + 1};
    }
  }

  // By buffer, and numbers the versions.
  void SortGaps() {
    const Rows<uint32_t> by_buffer =
        GroupBy(stream_.buffer_count(), out_.gaps.size(),
                [this](size_t i) { return out_.gaps[i].buffer.value(); });
    std::vector<Gap> sorted;
    sorted.reserve(out_.gaps.size());
    for (uint32_t i = 0; i < stream_.buffer_count(); ++i) {
      uint32_t version = kNever;  // the last one's
      for (const uint32_t g : by_buffer[i]) {
        Gap gap = out_.gaps[g];
        if (gap.version != version) ++out_.version_count;
        version = gap.version;
        gap.version = out_.version_count - 1;
        sorted.push_back(gap);
      }
    }
    out_.gaps = std::move(sorted);
  }

  // Backwards, with the next access of every buffer at hand.
  void FindNextAccesses() {
    const Rows<uint32_t> by_end =
        GroupBy(out_.positions, out_.gaps.size(), [this](size_t i) { return out_.gaps[i].end; });
    IndexVector<BufferIndex, uint32_t> next(stream_.buffer_count(), kNever);
    for (uint32_t p = static_cast<uint32_t>(order_.size()); p-- > 0;) {
      for (const Access& a : stream_.accesses(order_[p])) next[a.buffer] = p;
      for (const uint32_t g : by_end[p]) out_.gaps[g].next_access = next[out_.gaps[g].buffer];
    }
  }

  const Stream& stream_;
  const Lifetimes& lifetimes_;
  const std::vector<OpIndex>& order_;
  Residency& out_;
  const FutureAccesses future_;
  IndexVector<BufferIndex, BufferState> states_;
  uint32_t position_ = 0;
};

}  // namespace

uint64_t RoundedSize(const Residency& residency, BufferIndex b) {
  const uint64_t size = residency.stream.buffer(b).size;
  uint64_t rounded;
  return CheckedAlignUp(size, residency.hardware.alignment, &rounded) ? rounded : size;
}

Residency FindResidency(const ScheduleProblem& problem, const std::vector<OpIndex>& order,
                        const IndexVector<OpIndex, uint8_t>& slices) {
  const Stream& stream = problem.stream;
  Residency residency{problem, stream, problem.hardware, order, slices, 1, {}, {}, 0, {}, true};
  Walk(stream, problem.lifetimes, order, &residency).Run();
  residency.rounded = IndexVector<BufferIndex, int64_t>(stream.buffer_count(), 0);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < stream.buffer_count(); ++i) {
    const BufferIndex b(i);
    if (residency.lives[b].empty()) continue;
    uint64_t rounded;
    residency.sums_fit =
        residency.sums_fit &&
        CheckedAlignUp(stream.buffer(b).size, problem.hardware.alignment, &rounded) &&
        CheckedAdd(&sum, rounded) && sum <= static_cast<uint64_t>(kMostSum);
    if (!residency.sums_fit) break;
    residency.rounded[b] = static_cast<int64_t>(rounded);
  }
  return residency;
}

}  // namespace offline
}  // namespace torqsched
