// Sets of bytes as sorted runs: for checks, slow and simple.
#ifndef TORQSCHED_TESTS_LOWERING_BYTE_SET_H_
#define TORQSCHED_TESTS_LOWERING_BYTE_SET_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace torqsched {

class ByteSet {
 public:
  void Add(uint64_t begin, uint64_t end) {
    if (begin >= end) return;
    if (!runs_.empty() && runs_.back().first <= begin && begin <= runs_.back().second) {
      runs_.back().second = std::max(runs_.back().second, end);
      return;
    }
    sorted_ = sorted_ && (runs_.empty() || runs_.back().second < begin);
    runs_.push_back({begin, end});
  }
  void Add(const ByteSet& other) {
    for (const auto& [begin, end] : other.runs_) Add(begin, end);
  }

  bool Has(uint64_t begin, uint64_t end) const {
    if (begin >= end) return true;
    Sort();
    auto next = std::upper_bound(runs_.begin(), runs_.end(), std::make_pair(begin, UINT64_MAX));
    return next != runs_.begin() && std::prev(next)->second >= end;
  }
  bool Meets(uint64_t begin, uint64_t end) const {
    return std::any_of(runs_.begin(), runs_.end(), [begin, end](const auto& run) {
      return run.first < end && begin < run.second;
    });
  }
  uint64_t size() const {
    Sort();
    uint64_t bytes = 0;
    for (const auto& [begin, end] : runs_) bytes += end - begin;
    return bytes;
  }
  const std::vector<std::pair<uint64_t, uint64_t>>& runs() const {
    Sort();
    return runs_;
  }

 private:
  void Sort() const {
    if (sorted_) return;
    sorted_ = true;
    std::sort(runs_.begin(), runs_.end());
    size_t kept = 0;
    for (size_t i = 1; i < runs_.size(); ++i) {
      if (runs_[i].first <= runs_[kept].second) {
        runs_[kept].second = std::max(runs_[kept].second, runs_[i].second);
      } else {
        runs_[++kept] = runs_[i];
      }
    }
    runs_.resize(kept + 1);
  }

  mutable std::vector<std::pair<uint64_t, uint64_t>> runs_;
  mutable bool sorted_ = true;
};

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_LOWERING_BYTE_SET_H_
