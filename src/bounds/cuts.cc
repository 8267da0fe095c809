#include "src/bounds/cuts.h"

#include <algorithm>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/stream/checked.h"

namespace torqsched::bounds {
namespace {

constexpr uint64_t kMostCuts = 64;

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
        const HeadsAndTails& times)
      : part_(part), precedence_(precedence), sharing_(sharing), times_(times) {}

  uint64_t Bound(uint64_t work) {
    ChoosePrograms(std::min(kMostCuts, work / (64 * uint64_t{part_.size()} + 1)));
    for (Cut& cut : cuts_) Prepare(&cut);
    std::vector<uint64_t> begin(cuts_.size());
    uint64_t bound = 0;
    for (size_t i = 0; i < cuts_.size(); ++i) {
      begin[i] = FromStart(cuts_[i]);
      for (size_t k = 0; k < i; ++k) {
        if (!precedence_.Begun(cuts_[k].program, cuts_[i].program)) continue;
        begin[i] = std::max(begin[i], SaturatingAdd(begin[k], Between(cuts_[k], cuts_[i])));
      }
      bound = std::max(bound, SaturatingAdd(begin[i], ToEnd(cuts_[i])));
    }
    return bound;
  }

 private:
  // Of each stretch of programs the one that has most of the stream's work firmly on its sides.
  void ChoosePrograms(uint64_t most) {
    std::vector<uint32_t> programs;
    std::vector<uint64_t> firm(part_.size(), 0);
    for (uint32_t job = 0; job < part_.size(); ++job) {
      if (part_.jobs[job].compute != 0) programs.push_back(job);
      precedence_.ForBegun(job, [&](uint32_t other) {
        firm[job] = SaturatingAdd(firm[job], part_.jobs[other].stream);
        firm[other] = SaturatingAdd(firm[other], part_.jobs[job].stream);
      });
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

  void Prepare(Cut* cut) const {
    const uint32_t x = cut->program;
    cut->room = part_.capacity - std::min(part_.capacity, sharing_.bytes(x));
    cut->after.assign(part_.size(), Side::kAny);
    cut->before.assign(part_.size(), Side::kAny);
    for (uint32_t job = 0; job < part_.size(); ++job) {
      if (job == x || precedence_.Begun(x, job)) {
        cut->after[job] = Side::kFirm;
      } else if (precedence_.Begun(job, x)) {
        cut->before[job] = Side::kFirm;
      } else if (!part_.jobs[job].program) {
        AddCarried(job, cut);
      }
    }
    Arrange(&cut->early);
    Arrange(&cut->late);
    FindPaths(cut);
  }

  // A transfer that neither needs the program nor is needed by it. Of its buffers one is enough.
  void AddCarried(uint32_t job, Cut* cut) const {
    const uint32_t x = cut->program;
    const uint64_t cycles = part_.jobs[job].stream;
    const Run<uint32_t> held = sharing_.held(x);
    for (const uint32_t b : part_.uses[job]) {
      const PartBuffer& buffer = part_.buffers[b];
      if (std::binary_search(held.begin(), held.end(), b)) continue;
      const bool may_be_out = part_.swaps_allowed && !buffer.stays;
      const uint64_t again = !may_be_out ? cycles : buffer.loader == job ? buffer.reload : 0;
      const uint64_t early = std::min(cycles, again);
      bool for_later = false;
      bool from_before = false;
      for (const uint32_t user : part_.users[b]) {
        for_later |= precedence_.Begun(x, user) && precedence_.Ended(job, user);
        from_before |= precedence_.Begun(user, x);
      }
      if (for_later && early != 0 && cut->after[job] == Side::kAny) {
        cut->after[job] = Side::kCarried;
        cut->early.push_back({job, b, buffer.size, early});
      }
      if (from_before && !may_be_out && cycles != 0 && cut->before[job] == Side::kAny) {
        cut->before[job] = Side::kCarried;
        cut->late.push_back({job, b, buffer.size, cycles});
      }
    }
  }

  // Jobs of one buffer get a part of its bytes each; then the list is put in order.
  static void Arrange(std::vector<Carried>* items) {
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
  std::vector<Cut> cuts_;
};

}  // namespace

uint64_t CutsBound(const Part& part, const Precedence& precedence, const Sharing& sharing,
                   const HeadsAndTails& times, uint64_t work) {
  return Chain(part, precedence, sharing, times).Bound(work);
}

}  // namespace torqsched::bounds
