#include "src/bounds/cuts.h"

#include <algorithm>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/stream/checked.h"

namespace torqsched::bounds {
namespace {

constexpr uint64_t kMostCuts = 64;
constexpr uint64_t kPairsOfStep = 4;  // looks at bits that lie side by side

// How a job stands to a cut.
enum class Side : uint8_t {
  kAny,      // before or after, for all that is known
  kFirm,     // on the side that is asked for
  kCarried,  // there as well, unless LRAM carries its buffer over the cut
};

// A job whose buffer may be carried over a cut. Jobs of one buffer share its bytes.
struct Carried {
  uint32_t job = 0;
  uint32_t buffer = 0;
  uint64_t bytes = 0;
  uint64_t cycles = 0;  // that are then on the other side
};

struct Cut {
  uint32_t program = 0;
  uint64_t room = 0;            // bytes beside what the program holds
  std::vector<Side> after;      // by job: whether it is after the cut
  std::vector<Side> before;     // by job
  std::vector<Carried> early;   // of jobs after it, most cycles a byte first
  std::vector<Carried> late;    // of jobs before it
  std::vector<uint64_t> paths;  // by job, from the cut to its begin; 0: does not need it
};

// The most cycles that buffers in so many bytes carry, of jobs that `counts` accepts.
template <typename F>
uint64_t MostCarried(const std::vector<Carried>& items, uint64_t room, F counts) {
  uint64_t carried = 0;
  for (const Carried& item : items) {
    if (!counts(item.job)) continue;
    if (item.bytes <= room) {
      room -= item.bytes;
      carried = SaturatingAdd(carried, item.cycles);
      continue;
    }
    const absl::uint128 part = absl::uint128(item.cycles) * room / item.bytes;
    return SaturatingAdd(carried, static_cast<uint64_t>(part) + 1);
  }
  return carried;
}

class Chain {
 public:
  Chain(const Part& part, const Precedence& precedence, const Sharing& sharing,
        const HeadsAndTails& times, Work* work)
      : part_(part), precedence_(precedence), sharing_(sharing), times_(times), work_(*work) {}

  uint64_t Bound() {
    Work for_cuts(work_.limit() / 2, &work_);
    Work for_pairs(work_.limit() / 4, &work_);
    ChoosePrograms(std::min(kMostCuts, work_.limit() / (64 * uint64_t{part_.size()} + 1)));
    while (prepared_ < cuts_.size() && Prepare(&cuts_[prepared_], &for_cuts)) ++prepared_;
    std::vector<uint64_t> begin(prepared_);
    uint64_t bound = 0;
    for (size_t i = 0; i < prepared_; ++i) {
      begin[i] = FromStart(cuts_[i]);
      for (size_t k = 0; k < i; ++k) {
        if (!precedence_.Begun(cuts_[k].program, cuts_[i].program)) continue;
        if (!for_pairs.Take(StepsBetween(cuts_[k], cuts_[i]))) continue;
        begin[i] = std::max(begin[i], SaturatingAdd(begin[k], Between(cuts_[k], cuts_[i])));
      }
      bound = std::max(bound, SaturatingAdd(begin[i], ToEnd(cuts_[i])));
    }
    return bound;
  }

 private:
  // Of each stretch of programs the one that has most of the stream's work firmly on its sides, as
  // far as the work allows to find out.
  void ChoosePrograms(uint64_t most) {
    Work work(work_.limit() / 4, &work_);
    std::vector<uint32_t> programs;
    std::vector<uint64_t> firm(part_.size(), 0);
    bool counting = true;
    for (uint32_t job = 0; job < part_.size(); ++job) {
      if (part_.jobs[job].compute != 0) programs.push_back(job);
      if (!counting) continue;
      uint64_t count = 0;
      precedence_.ForBegun(job, [&](uint32_t other) {
        firm[job] = SaturatingAdd(firm[job], part_.jobs[other].stream);
        firm[other] = SaturatingAdd(firm[other], part_.jobs[job].stream);
        ++count;
      });
      counting = work.Charge(count / kPairsOfStep);
    }
    const size_t count = static_cast<size_t>(std::min<uint64_t>(most, programs.size()));
    for (size_t i = 0; i < count; ++i) {
      Cut cut;
      const size_t first = i * programs.size() / count;
      const size_t end = (i + 1) * programs.size() / count;
      cut.program = *std::max_element(programs.begin() + first, programs.begin() + end,
                                      [&](uint32_t a, uint32_t b) { return firm[a] < firm[b]; });
      cuts_.push_back(cut);
    }
  }

  // What a buffer is at a cut.
  struct AtCut {
    bool held = false;    // by the program
    bool before = false;  // a user has begun before it
    bool after = false;   // a user begins after it
    bool read = false;    // one that needs its only loader
  };

  // False: the work ended.
  bool Prepare(Cut* cut, Work* work) {
    const uint64_t uses = part_.uses.item_count();
    if (!work->Take(4 * part_.size() + 2 * uses + part_.needs.item_count())) return false;
    const uint32_t x = cut->program;
    cut->room = sharing_.capacity() - std::min(sharing_.capacity(), sharing_.bytes(x));
    cut->after.assign(part_.size(), Side::kAny);
    cut->before.assign(part_.size(), Side::kAny);
    at_cut_.assign(part_.buffers.size(), AtCut());
    for (const uint32_t b : sharing_.held(x)) at_cut_[b].held = true;
    for (uint32_t job = 0; job < part_.size(); ++job) {
      if (job == x || precedence_.Begun(x, job)) {
        cut->after[job] = Side::kFirm;
        if (job != x) NoteAfter(job);
      } else if (precedence_.Begun(job, x)) {
        cut->before[job] = Side::kFirm;
        for (const uint32_t b : part_.uses[job]) at_cut_[b].before = true;
      }
    }
    for (uint32_t job = 0; job < part_.size(); ++job) {
      const bool any = cut->after[job] == Side::kAny && cut->before[job] == Side::kAny;
      if (any && !part_.jobs[job].program) AddCarried(job, cut);
    }
    work->Charge(Arrange(&cut->early) + Arrange(&cut->late));
    FindPaths(cut);
    return true;
  }

  void NoteAfter(uint32_t job) {
    for (const uint32_t b : part_.uses[job]) {
      at_cut_[b].after = true;
      const uint32_t loader = part_.buffers[b].loader;
      if (loader < job) at_cut_[b].read = at_cut_[b].read || precedence_.Ended(loader, job);
    }
  }

  // A transfer that neither needs the program nor is needed by it. Of its buffers one is enough.
  // Without swaps a buffer lies in LRAM at the cut if it has users on both sides of it.
  void AddCarried(uint32_t job, Cut* cut) const {
    const uint64_t cycles = part_.jobs[job].stream;
    for (const uint32_t b : part_.uses[job]) {
      const PartBuffer& buffer = part_.buffers[b];
      const AtCut& at = at_cut_[b];
      if (at.held || sharing_.everywhere(b)) continue;
      const bool may_be_out = part_.swaps_allowed && !buffer.stays;
      const bool reloaded = buffer.loader == job && at.read;
      const uint64_t early = !may_be_out ? (at.after ? cycles : 0)
                             : reloaded  ? std::min(cycles, buffer.reload)
                                         : 0;
      if (early != 0 && cut->after[job] == Side::kAny) {
        cut->after[job] = Side::kCarried;
        cut->early.push_back({job, b, buffer.size, early});
      }
      if (at.before && !may_be_out && cycles != 0 && cut->before[job] == Side::kAny) {
        cut->before[job] = Side::kCarried;
        cut->late.push_back({job, b, buffer.size, cycles});
      }
    }
  }

  // Jobs of one buffer get a part of its bytes each; then the list is put in order. Returns the
  // steps of that.
  static uint64_t Arrange(std::vector<Carried>* items) {
    std::stable_sort(items->begin(), items->end(),
                     [](const Carried& a, const Carried& b) { return a.buffer < b.buffer; });
    for (size_t i = 0; i < items->size();) {
      size_t end = i;
      while (end < items->size() && (*items)[end].buffer == (*items)[i].buffer) ++end;
      const uint64_t jobs = end - i;
      for (; i < end; ++i) (*items)[i].bytes /= jobs;
    }
    std::stable_sort(items->begin(), items->end(), [](const Carried& a, const Carried& b) {
      return absl::uint128(a.cycles) * b.bytes > absl::uint128(b.cycles) * a.bytes;
    });
    uint64_t steps = 0;
    for (size_t left = items->size(); left > 1; left /= 2) steps += 2 * items->size();
    return steps;
  }

  void FindPaths(Cut* cut) const {
    std::vector<uint64_t>& paths = cut->paths;
    paths.assign(part_.size(), 0);
    const auto out = [&](uint32_t job, bool end) {
      const Job& j = part_.jobs[job];
      return SaturatingAdd(paths[job], end ? std::max(j.stream, j.compute) : j.stream);
    };
    for (uint32_t job = cut->program + 1; job < part_.size(); ++job) {
      for (const Need need : part_.needs[job]) {
        const uint32_t other = need.action().value();
        if (other != cut->program && paths[other] == 0) continue;
        paths[job] = std::max(paths[job], out(other, need.end()));
      }
    }
  }

  uint64_t FromStart(const Cut& y) const {
    uint64_t stream = 0;
    for (uint32_t job = 0; job < part_.size(); ++job) {
      if (y.before[job] != Side::kAny) stream = SaturatingAdd(stream, part_.jobs[job].stream);
    }
    const uint64_t late = MostCarried(y.late, y.room, [](uint32_t) { return true; });
    return std::max(times_.head[y.program], stream - std::min(stream, late));
  }

  uint64_t ToEnd(const Cut& x) const {
    uint64_t stream = 0;
    for (uint32_t job = 0; job < part_.size(); ++job) {
      if (x.after[job] == Side::kFirm) stream = SaturatingAdd(stream, part_.jobs[job].stream);
    }
    for (const Carried& item : x.early) stream = SaturatingAdd(stream, item.cycles);
    const uint64_t early = MostCarried(x.early, x.room, [](uint32_t) { return true; });
    const Job& j = part_.jobs[x.program];
    return std::max({SaturatingAdd(j.stream, times_.tail[x.program]),
                     SaturatingAdd(j.compute, times_.end_tail[x.program]),
                     stream - std::min(stream, early)});
  }

  uint64_t StepsBetween(const Cut& x, const Cut& y) const {
    const uint64_t carried = part_.swaps_allowed ? 0 : x.early.size() + y.late.size();
    return y.program - x.program + carried;
  }

  uint64_t Between(const Cut& x, const Cut& y) const {
    uint64_t stream = 0;
    uint64_t compute = 0;
    const bool swaps = part_.swaps_allowed;
    const auto behind_x = [&](uint32_t job) {
      return swaps ? x.after[job] == Side::kFirm : x.after[job] != Side::kAny;
    };
    const auto before_y = [&](uint32_t job) {
      return swaps ? y.before[job] == Side::kFirm : y.before[job] != Side::kAny;
    };
    for (uint32_t job = x.program; job < y.program; ++job) {
      if (!behind_x(job) || !before_y(job)) continue;
      stream = SaturatingAdd(stream, part_.jobs[job].stream);
      const bool over = part_.jobs[job].program && precedence_.Ended(job, y.program);
      if (over) compute = SaturatingAdd(compute, part_.jobs[job].compute);
    }
    if (!swaps) {
      const uint64_t early = MostCarried(x.early, x.room, before_y);
      const uint64_t late = MostCarried(y.late, y.room, behind_x);
      stream -= std::min(stream, SaturatingAdd(early, late));
    }
    const uint64_t each = compute / part_.slices + (compute % part_.slices != 0 ? 1 : 0);
    return std::max({x.paths[y.program], stream, each});
  }

  const Part& part_;
  const Precedence& precedence_;
  const Sharing& sharing_;
  const HeadsAndTails& times_;
  Work& work_;
  std::vector<Cut> cuts_;
  size_t prepared_ = 0;        // of the cuts, the first
  std::vector<AtCut> at_cut_;  // by buffer, while a cut is prepared
};

}  // namespace

uint64_t CutsBound(const Part& part, const Precedence& precedence, const Sharing& sharing,
                   const HeadsAndTails& times, Work* work) {
  return Chain(part, precedence, sharing, times, work).Bound();
}

}  // namespace torqsched::bounds
