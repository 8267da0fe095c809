#include "src/bounds/cover.h"

#include <algorithm>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/bounds/max_flow.h"
#include "src/stream/checked.h"

namespace torqsched::bounds {
namespace {

class Cover {
 public:
  Cover(const Part& part, const Sharing& sharing, Work* work)
      : part_(part), sharing_(sharing), work_(*work) {
    anywhere_ = part.block_cycles;
    for (uint32_t job = 0; job < part.size(); ++job) {
      const Job& j = part.jobs[job];
      stream_ = SaturatingAdd(stream_, j.stream);
      compute_ = SaturatingAdd(compute_, j.compute);
      if (j.compute != 0) programs_.push_back(job);
      if (j.program) {
        anywhere_ = SaturatingAdd(anywhere_, j.stream);
      } else if (j.stream != 0) {
        transfers_.push_back(job);
      }
    }
    stream_ = SaturatingAdd(stream_, part.block_cycles);
  }

  uint64_t Bound() {
    // All sums below are of at most this.
    const uint64_t all = SaturatingMultiply(SaturatingAdd(stream_, compute_), part_.slices);
    if (programs_.empty() || all > UINT64_MAX / 4) return 0;
    LeaveOutSmallPrograms(work_.limit() / 50);
    FindMeetings();
    LimitSlices();
    ChoosePrograms(work_.limit() / 128);
    FindArcs();
    return std::max(BoundOf(Flow(false)), BoundOf(Flow(true)));
  }

 private:
  // Where not all pairs can be looked at, programs that leave half of LRAM free are left out first:
  // any two of them fit. Of the others the largest stay.
  void LeaveOutSmallPrograms(uint64_t pairs) {
    const uint64_t others = programs_.size() + transfers_.size();
    if (programs_.size() <= pairs / others) return;
    std::stable_sort(programs_.begin(), programs_.end(),
                     [&](uint32_t a, uint32_t b) { return sharing_.bytes(a) > sharing_.bytes(b); });
    size_t count = 0;
    const uint64_t half = sharing_.capacity() / 2;
    while (count < pairs / others && sharing_.bytes(programs_[count]) > half) ++count;
    programs_.resize(count);
  }

  // Programs are put in the order of how many others they meet, programs and transfers.
  void FindMeetings() {
    Work work(work_.limit() / 4, &work_);
    columns_ = programs_.size() + transfers_.size();
    column_.assign(part_.size(), 0);
    meets_.assign(programs_.size() * columns_, 0);
    meetings_.assign(part_.size(), 0);
    partners_.assign(part_.size(), 0);
    for (size_t i = 0; i < programs_.size(); ++i) column_[programs_[i]] = i;
    for (size_t t = 0; t < transfers_.size(); ++t) column_[transfers_[t]] = programs_.size() + t;
    for (size_t i = 0; i < programs_.size(); ++i) {
      const uint32_t p = programs_[i];
      for (size_t k = i + 1; k < programs_.size() && part_.slices > 1; ++k) {
        const uint32_t q = programs_[k];
        if (!sharing_.Meet(p, q, &work)) continue;
        meets_[i * columns_ + k] = meets_[k * columns_ + i] = 1;
        ++partners_[p];
        ++partners_[q];
      }
      for (const uint32_t t : transfers_) {
        if (!sharing_.Meet(p, t, &work)) continue;
        meets_[i * columns_ + column_[t]] = 1;
        ++meetings_[p];
      }
    }
    for (const uint32_t p : programs_) meetings_[p] += partners_[p];
    std::stable_sort(programs_.begin(), programs_.end(),
                     [&](uint32_t a, uint32_t b) { return meetings_[a] < meetings_[b]; });
  }

  bool Meets(uint32_t program, uint32_t job) const {
    return meets_[column_[program] * columns_ + column_[job]] != 0;
  }

  // How many programs can run at once at most: 1 where no two meet, 2 where no three do.
  void LimitSlices() {
    slices_ = part_.slices;
    if (slices_ == 1) return;
    bool pairs = false;
    for (const uint32_t p : programs_) pairs |= partners_[p] != 0;
    if (!pairs) {
      slices_ = 1;
    } else if (slices_ > 2 && !AnyThree()) {
      slices_ = 2;
    }
  }

  // Whether three programs meet; true as well where that takes too long to find out.
  bool AnyThree() {
    Work work(work_.limit() / 8, &work_);
    for (size_t i = 0; i < programs_.size(); ++i) {
      for (size_t k = i + 1; k < programs_.size(); ++k) {
        if (!Meets(programs_[i], programs_[k])) continue;
        if (!work.Take(programs_.size() - k)) return true;
        for (size_t l = k + 1; l < programs_.size(); ++l) {
          if (Meets(programs_[i], programs_[l]) && Meets(programs_[k], programs_[l]) &&
              sharing_.Meet(programs_[i], programs_[k], programs_[l], &work)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  // The first programs, as many as the arcs allow.
  void ChoosePrograms(uint64_t arcs) {
    size_t count = 0;
    for (; count < programs_.size() && meetings_[programs_[count]] <= arcs; ++count) {
      arcs -= meetings_[programs_[count]];
    }
    programs_.resize(count);
  }

  // How many of the chosen programs may run beside a transfer at once. beside: those that meet it,
  // by position among the chosen ones.
  uint64_t MostBeside(uint32_t transfer, const std::vector<uint32_t>& beside, Work* work) const {
    if (slices_ == 1 || beside.size() < 2) return std::min<size_t>(beside.size(), 1);
    uint32_t looks = 1000;
    for (size_t i = 0; i < beside.size(); ++i) {
      for (size_t k = i + 1; k < beside.size(); ++k) {
        if (looks-- == 0 || !work->Take(1)) return slices_;
        const uint32_t p = programs_[beside[i]];
        const uint32_t q = programs_[beside[k]];
        if (Meets(p, q) && sharing_.Meet(p, q, transfer, work)) return slices_;
      }
    }
    return 1;
  }

  void FindArcs() {
    Work work(work_.limit() / 8, &work_);
    for (const uint32_t t : transfers_) {
      std::vector<uint32_t> beside;
      for (uint32_t i = 0; i < programs_.size(); ++i) {
        if (Meets(programs_[i], t)) beside.push_back(i);
      }
      most_beside_.push_back(MostBeside(t, beside, &work));
      for (const uint32_t i : beside) beside_.Add(i);
      beside_.EndRow();
    }
  }

  // Twice the weights of the chosen programs; empty where the flow takes too long. one_beside: as
  // if one program at most were beside each transfer.
  //
  // Nodes: source, sink, then left and right of each program, then of each transfer, then of what
  // may meet all.
  std::vector<uint32_t> Flow(bool one_beside) {
    const uint32_t programs = static_cast<uint32_t>(programs_.size());
    const uint32_t transfers = static_cast<uint32_t>(transfers_.size());
    MaxFlow flow(2 + 2 * (programs + transfers + 1));
    const auto left = [](uint32_t i) { return 2 + 2 * i; };
    const auto right = [](uint32_t i) { return 3 + 2 * i; };
    const auto add_node = [&](uint32_t i, uint64_t cycles) {
      flow.AddEdge(0, left(i), cycles);
      flow.AddEdge(right(i), 1, cycles);
    };
    const auto add_arc = [&](uint32_t i, uint32_t k) {
      flow.AddEdge(left(i), right(k), UINT64_MAX / 4);
      flow.AddEdge(left(k), right(i), UINT64_MAX / 4);
    };
    for (uint32_t i = 0; i < programs; ++i) {
      add_node(i, part_.jobs[programs_[i]].compute);
      for (uint32_t k = 0; k < i && slices_ > 1; ++k) {
        if (Meets(programs_[i], programs_[k])) add_arc(i, k);
      }
      add_arc(programs + transfers, i);
    }
    for (uint32_t t = 0; t < transfers; ++t) {
      for (const uint32_t i : beside_[t]) add_arc(programs + t, i);
      const uint64_t most = one_beside ? 1 : most_beside_[t];
      add_node(programs + t, most * part_.jobs[transfers_[t]].stream);
    }
    add_node(programs + transfers, (one_beside ? 1 : slices_) * anywhere_);
    std::vector<uint32_t> weights;
    Work work(work_.limit() / 4, &work_);
    if (!flow.Run(0, 1, &work).has_value()) return weights;
    for (uint32_t i = 0; i < programs; ++i) {
      weights.push_back((flow.OnSourceSide(left(i)) ? 1 : 0) +
                        (flow.OnSourceSide(right(i)) ? 0 : 1));
    }
    return weights;
  }

  // weights: twice what the programs have, of chosen ones.
  uint64_t BoundOf(const std::vector<uint32_t>& weights) const {
    if (weights.empty()) return 0;
    const uint64_t twice_most = std::max<uint64_t>(slices_, 2);
    absl::uint128 sum = absl::uint128(stream_) * twice_most;
    uint64_t largest = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
      sum += absl::uint128(part_.jobs[programs_[i]].compute) * weights[i];
      largest = std::max<uint64_t>(largest, weights[i]);
    }
    sum -= absl::uint128(anywhere_) * std::min(twice_most, slices_ * largest);
    for (size_t t = 0; t < transfers_.size(); ++t) {
      uint64_t beside = 0;
      for (const uint32_t i : beside_[t]) beside = std::max<uint64_t>(beside, weights[i]);
      sum -= absl::uint128(part_.jobs[transfers_[t]].stream) *
             std::min(twice_most, most_beside_[t] * beside);
    }
    return static_cast<uint64_t>((sum + (twice_most - 1)) / twice_most);
  }

  const Part& part_;
  const Sharing& sharing_;
  Work& work_;
  uint32_t slices_ = 1;
  uint64_t stream_ = 0;                // the stream's own work
  uint64_t compute_ = 0;               // of all programs
  uint64_t anywhere_ = 0;              // cycles of starts and block transfers
  std::vector<uint32_t> programs_;     // with compute cycles
  std::vector<uint32_t> transfers_;    // and barriers
  size_t columns_ = 0;                 // of meets_
  std::vector<size_t> column_;         // by job
  std::vector<uint8_t> meets_;         // by the columns of a program and of another job
  std::vector<uint32_t> partners_;     // by job, how many programs a program meets
  std::vector<uint64_t> most_beside_;  // by transfer
  Rows<uint32_t> beside_;              // by transfer, positions of programs that meet it
  std::vector<uint32_t> meetings_;     // by job, how many jobs a program meets
};

}  // namespace

uint64_t CoverBound(const Part& part, const Sharing& sharing, Work* work) {
  return Cover(part, sharing, work).Bound();
}

}  // namespace torqsched::bounds
