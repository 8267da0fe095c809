#include "src/allocation/equal_sums.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace torqsched {
namespace {

constexpr size_t kMostPairs = 1024;

struct Part {
  int64_t sum;
  uint64_t terms;
};

bool IsLess(const Part& a, const Part& b) {
  return a.sum != b.sum ? a.sum < b.sum : a.terms < b.terms;
}

int32_t Log2(uint64_t number) {
  return number == 0 ? 0 : static_cast<int32_t>(63 - __builtin_clzll(number));
}

// Parts of one term, of two, and so on, of each number of terms all or none; by sum.
std::vector<Part> ListSmallParts(const std::vector<uint64_t>& terms, size_t most_parts) {
  const size_t count = std::min(terms.size(), kMostTerms);
  std::vector<Part> parts;
  for (size_t i = 0; i < count; ++i) {
    parts.push_back({static_cast<int64_t>(terms[i]), uint64_t{1} << i});
  }
  size_t begin = 0;
  for (size_t size = 2; size < terms.size() && begin < parts.size(); ++size) {
    const size_t end = parts.size();
    for (size_t p = begin; p < end && parts.size() <= most_parts; ++p) {
      const Part part = parts[p];
      const size_t next = kMostTerms - static_cast<size_t>(__builtin_clzll(part.terms));
      for (size_t i = next; i < count; ++i) {
        parts.push_back({part.sum + static_cast<int64_t>(terms[i]), part.terms | uint64_t{1} << i});
      }
    }
    if (parts.size() > most_parts) {
      parts.resize(end);
      break;
    }
    begin = end;
  }
  std::sort(parts.begin(), parts.end(), IsLess);
  return parts;
}

// All parts, none and all among them, by sum.
std::vector<Part> ListAllParts(const std::vector<int64_t>& terms) {
  std::vector<Part> parts = {{0, 0}};
  std::vector<Part> with;
  std::vector<Part> merged;
  for (size_t i = 0; i < terms.size(); ++i) {
    with = parts;
    for (Part& part : with) part = {part.sum + terms[i], part.terms | uint64_t{1} << i};
    merged.resize(2 * parts.size());
    std::merge(parts.begin(), parts.end(), with.begin(), with.end(), merged.begin(), IsLess);
    parts.swap(merged);
  }
  return parts;
}

class Finder {
 public:
  Finder(const std::vector<uint64_t>& left, const std::vector<uint64_t>& right)
      : left_(left),
        right_(right),
        total_(std::accumulate(left.begin(), left.end(), uint64_t{0})) {}

  void FindAll();
  void FindSmall(size_t most_parts);
  std::vector<EqualSums> pairs() && { return std::move(pairs_); }

 private:
  // What is left over has equal sums, too; the smaller of the two decides.
  uint64_t Smaller(uint64_t sum) const {
    return std::max<uint64_t>(1, std::min(sum, total_ - sum));
  }

  uint64_t SumOf(uint64_t terms) const {
    uint64_t sum = 0;
    for (; terms != 0; terms &= terms - 1) sum += left_[__builtin_ctzll(terms)];
    return sum;
  }

  // Parts of terms up to twice the sum, neither none nor all: logarithm.
  static int32_t LogParts(const std::vector<uint64_t>& terms, uint64_t sum) {
    const auto count =
        std::count_if(terms.begin(), terms.end(), [sum](uint64_t term) { return term <= 2 * sum; });
    if (count > 10) return static_cast<int32_t>(count);
    const bool all = count == static_cast<int64_t>(terms.size());
    return Log2(std::max(1, (1 << count) - (all ? 2 : 1)));
  }

  const std::vector<uint64_t>& left_;
  const std::vector<uint64_t>& right_;
  const uint64_t total_;
  std::vector<EqualSums> pairs_;
};

void Finder::FindAll() {
  const size_t count = left_.size() + right_.size();
  const size_t half = count / 2;
  std::vector<int64_t> halves[2];
  for (size_t i = 0; i < count; ++i) {
    halves[i < half ? 0 : 1].push_back(i < left_.size()
                                           ? static_cast<int64_t>(left_[i])
                                           : -static_cast<int64_t>(right_[i - left_.size()]));
  }
  const std::vector<Part> low = ListAllParts(halves[0]);
  const std::vector<Part> high = ListAllParts(halves[1]);
  const uint64_t all = (uint64_t{1} << count) - 1;
  size_t end = high.size();
  for (const Part& part : low) {
    while (end > 0 && high[end - 1].sum > -part.sum) --end;
    for (size_t at = end; at > 0 && high[at - 1].sum == -part.sum; --at) {
      const uint64_t terms = part.terms | high[at - 1].terms << half;
      if (terms == 0 || terms == all) continue;
      if (pairs_.size() == kMostPairs) return;
      const uint64_t left = terms & ((uint64_t{1} << left_.size()) - 1);
      const uint64_t sum = Smaller(SumOf(left));
      // Each pair comes with its rest: half as many are different.
      const int32_t chance = LogParts(left_, sum) + LogParts(right_, sum) - 1 - Log2(sum);
      pairs_.push_back({left, terms >> left_.size(), chance});
    }
  }
}

int32_t LogAround(const std::vector<Part>& parts, uint64_t sum) {
  const auto less = [](const Part& part, uint64_t at) {
    return static_cast<uint64_t>(part.sum) < at;
  };
  const auto begin = std::lower_bound(parts.begin(), parts.end(), sum - sum / 2, less);
  return Log2(
      static_cast<uint64_t>(std::lower_bound(begin, parts.end(), 2 * sum + 1, less) - begin));
}

void Finder::FindSmall(size_t most_parts) {
  const std::vector<Part> lefts = ListSmallParts(left_, most_parts);
  const std::vector<Part> rights = ListSmallParts(right_, most_parts);
  auto from = rights.begin();
  for (const Part& part : lefts) {
    while (from != rights.end() && from->sum < part.sum) ++from;
    if (from == rights.end()) return;
    if (from->sum != part.sum) continue;
    const uint64_t sum = Smaller(static_cast<uint64_t>(part.sum));
    const int32_t chance = LogAround(lefts, sum) + LogAround(rights, sum) - Log2(sum);
    for (auto at = from; at != rights.end() && at->sum == part.sum; ++at) {
      if (pairs_.size() == kMostPairs) return;
      pairs_.push_back({part.terms, at->terms, chance});
    }
  }
}

int CountTerms(const EqualSums& pair) {
  return __builtin_popcountll(pair.left) + __builtin_popcountll(pair.right);
}

}  // namespace

std::vector<EqualSums> FindEqualSums(const std::vector<uint64_t>& left,
                                     const std::vector<uint64_t>& right, uint32_t effort) {
  Finder finder(left, right);
  if (ListsAll(left.size() + right.size(), effort)) {
    finder.FindAll();
  } else {
    finder.FindSmall(size_t{1} << effort);
  }
  std::vector<EqualSums> pairs = std::move(finder).pairs();
  std::sort(pairs.begin(), pairs.end(), [](const EqualSums& a, const EqualSums& b) {
    if (CountTerms(a) != CountTerms(b)) return CountTerms(a) < CountTerms(b);
    return a.left != b.left ? a.left < b.left : a.right < b.right;
  });
  return pairs;
}

}  // namespace torqsched
