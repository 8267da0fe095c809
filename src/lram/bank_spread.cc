#include "src/lram/bank_spread.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "src/stream/checked.h"

namespace torqsched {
namespace {

constexpr int kRounds = 4;
constexpr uint64_t kWorkOfAnItem = uint64_t{1} << 16;  // at most, in a round
constexpr uint64_t kWorkPerItem = 64;                  // of all together, in a round
constexpr uint64_t kLeastWork = uint64_t{1} << 18;     // of all together, however few they are

uint64_t BankOf(const BankProblem& problem, uint64_t offset) {
  return (problem.first_byte + offset) / problem.bank_bytes;
}

// Calls visit(items, same) for each run of items of a row that are in the same bank.
template <typename Visit>
void ForEachBank(const BankProblem& problem, Run<uint32_t> row,
                 std::vector<std::pair<uint64_t, uint32_t>>* banks, Visit visit) {
  banks->clear();
  for (const uint32_t item : row) {
    banks->push_back({BankOf(problem, problem.items[item].offset), item});
  }
  std::sort(banks->begin(), banks->end());
  for (size_t first = 0; first < banks->size();) {
    size_t last = first + 1;
    while (last < banks->size() && (*banks)[last].first == (*banks)[first].first) ++last;
    visit(banks->data() + first, last - first);
    first = last;
  }
}

// Which items are live in a range of times: a binary tree over the items by begin that knows the
// latest end below each node.
class LiveItems {
 public:
  explicit LiveItems(const std::vector<BankItem>& items) : items_(items) {
    while (width_ < items.size()) width_ *= 2;
    latest_.assign(2 * width_, 0);
    for (size_t i = 0; i < items.size(); ++i) latest_[width_ + i] = items[i].end;
    for (size_t n = width_ - 1; n > 0; --n) {
      latest_[n] = std::max(latest_[2 * n], latest_[2 * n + 1]);
    }
  }

  // All but `item` that are live at a time of its own; false if they are more than `most`.
  bool Beside(uint32_t item, size_t most, std::vector<uint32_t>* beside) const {
    const auto after =
        std::lower_bound(items_.begin(), items_.end(), items_[item].end,
                         [](const BankItem& other, uint32_t end) { return other.begin < end; });
    beside->clear();
    Collect(1, 0, width_, static_cast<size_t>(after - items_.begin()), item, most, beside);
    return beside->size() <= most;
  }

 private:
  void Collect(size_t node, size_t first, size_t last, size_t limit, uint32_t item, size_t most,
               std::vector<uint32_t>* beside) const {
    if (first >= limit || latest_[node] <= items_[item].begin || beside->size() > most) return;
    if (last - first == 1) {
      if (first != item) beside->push_back(static_cast<uint32_t>(first));
      return;
    }
    const size_t middle = first + (last - first) / 2;
    Collect(2 * node, first, middle, limit, item, most, beside);
    Collect(2 * node + 1, middle, last, limit, item, most, beside);
  }

  const std::vector<BankItem>& items_;
  size_t width_ = 1;
  std::vector<uint64_t> latest_;
};

class Spreader {
 public:
  explicit Spreader(BankProblem* problem)
      : problem_(*problem), items_(problem->items), live_(problem->items) {
    ListReadsOfItems();
  }

  void Run() {
    for (int round = 0; round < kRounds; ++round) {
      work_left_ = kLeastWork + kWorkPerItem * (items_.size() + problem_.reads.item_count());
      bool moved = false;
      for (const uint32_t item : InConflict()) moved |= TryMove(item);
      if (!moved) return;
    }
  }

 private:
  void ListReadsOfItems() {
    const Rows<uint32_t>& reads = problem_.reads;
    std::vector<uint32_t> begins(items_.size() + 1, 0);
    for (size_t row = 0; row < reads.row_count(); ++row) {
      for (const uint32_t item : reads[row]) ++begins[item + 1];
    }
    for (size_t i = 0; i < items_.size(); ++i) begins[i + 1] += begins[i];
    std::vector<uint32_t> next(begins.begin(), begins.end() - 1);
    std::vector<uint32_t> rows(reads.item_count());
    for (size_t row = 0; row < reads.row_count(); ++row) {
      for (const uint32_t item : reads[row]) rows[next[item]++] = static_cast<uint32_t>(row);
    }
    rows_of_item_.Adopt(std::move(begins), std::move(rows));
  }

  // The movable items that have conflicts, most first, then by number.
  std::vector<uint32_t> InConflict() {
    std::vector<uint64_t> conflicts(items_.size(), 0);
    for (size_t row = 0; row < problem_.reads.row_count(); ++row) {
      ForEachBank(problem_, problem_.reads[row], &banks_,
                  [&](const std::pair<uint64_t, uint32_t>* same, size_t count) {
                    for (size_t i = 0; i < count; ++i) conflicts[same[i].second] += count - 1;
                  });
    }
    std::vector<uint32_t> list;
    for (uint32_t i = 0; i < items_.size(); ++i) {
      if (conflicts[i] != 0 && items_[i].movable) list.push_back(i);
    }
    std::stable_sort(list.begin(), list.end(),
                     [&](uint32_t a, uint32_t b) { return conflicts[a] > conflicts[b]; });
    return list;
  }

  // Counts work; false where that is more than this item, or all of them, may take.
  bool Spend(uint64_t work) {
    if (work > item_left_ || work > work_left_) return false;
    item_left_ -= work;
    work_left_ -= work;
    return true;
  }

  bool TryMove(uint32_t item) {
    item_left_ = kWorkOfAnItem;
    if (!WeighBanks(item)) return false;
    best_weight_ = WeightOf(BankOf(problem_, items_[item].offset));
    best_offset_.reset();
    if (best_weight_ == 0) return false;  // others have moved
    if (!ListTaken(item)) return false;
    LookForPlace(items_[item]);
    if (!best_offset_.has_value()) return false;
    items_[item].offset = *best_offset_;
    return true;
  }

  // How many conflicts the item would have in each bank where it would have any.
  bool WeighBanks(uint32_t item) {
    weights_.clear();
    for (const uint32_t row : rows_of_item_[item]) {
      if (!Spend(problem_.reads[row].size())) return false;
      for (const uint32_t other : problem_.reads[row]) {
        if (other != item) weights_.push_back({BankOf(problem_, items_[other].offset), 1});
      }
    }
    std::sort(weights_.begin(), weights_.end());
    size_t kept = 0;
    for (size_t i = 0; i < weights_.size(); ++i) {
      if (kept != 0 && weights_[kept - 1].first == weights_[i].first) {
        ++weights_[kept - 1].second;
      } else {
        weights_[kept++] = weights_[i];
      }
    }
    weights_.resize(kept);
    return true;
  }

  uint64_t WeightOf(uint64_t bank) const {
    const auto found =
        std::lower_bound(weights_.begin(), weights_.end(), std::make_pair(bank, uint64_t{0}));
    return found != weights_.end() && found->first == bank ? found->second : 0;
  }

  // The bytes that are taken at some time while the item is live, by begin.
  bool ListTaken(uint32_t item) {
    if (!live_.Beside(item, std::min(item_left_, work_left_), &beside_)) return false;
    if (!Spend(beside_.size())) return false;
    taken_.clear();
    for (const uint32_t other : beside_) {
      taken_.push_back({items_[other].offset, items_[other].offset + items_[other].size});
    }
    std::sort(taken_.begin(), taken_.end());
    return true;
  }

  void LookForPlace(const BankItem& item) {
    uint64_t free_from = 0;
    for (const auto& [begin, end] : taken_) {
      if (free_from < begin) LookInGap(item, free_from, begin);
      free_from = std::max(free_from, end);
    }
    if (free_from < problem_.capacity) LookInGap(item, free_from, problem_.capacity);
  }

  // A gap may reach over several regions.
  void LookInGap(const BankItem& item, uint64_t begin, uint64_t end) {
    const std::vector<uint64_t>& boundaries = problem_.boundaries;
    auto next = std::upper_bound(boundaries.begin(), boundaries.end(), begin);
    while (begin < end && end - begin >= item.size && best_weight_ != 0 && Spend(1)) {
      const uint64_t region_end = next == boundaries.end() ? end : std::min(end, *next++);
      LookInRange(item, begin, region_end);
      begin = region_end;
    }
  }

  // Each bank that the item can begin in is looked at once, by its lowest aligned offset. All but
  // the last one looked at have a weight, so they are no more than there are weights.
  void LookInRange(const BankItem& item, uint64_t begin, uint64_t end) {
    if (end - begin < item.size) return;
    const uint64_t last = end - item.size;
    uint64_t offset;
    if (!CheckedAlignUp(begin, item.alignment, &offset)) return;
    while (offset <= last) {
      const uint64_t weight = WeightOf(BankOf(problem_, offset));
      if (weight < best_weight_) {
        best_weight_ = weight;
        best_offset_ = offset;
      }
      if (best_weight_ == 0) return;
      const uint64_t bank_left =
          problem_.bank_bytes - (problem_.first_byte + offset) % problem_.bank_bytes;
      if (!CheckedAdd(&offset, bank_left)) return;
      if (!CheckedAlignUp(offset, item.alignment, &offset)) return;
    }
  }

  BankProblem& problem_;
  std::vector<BankItem>& items_;
  const LiveItems live_;
  Rows<uint32_t> rows_of_item_;  // of problem_.reads
  uint64_t work_left_ = 0;       // of the round
  // Of the item that is looked at.
  uint64_t item_left_ = 0;                              // work
  std::vector<std::pair<uint64_t, uint64_t>> weights_;  // bank, conflicts; by bank
  std::vector<uint32_t> beside_;
  std::vector<std::pair<uint64_t, uint64_t>> taken_;  // begin, end
  uint64_t best_weight_ = 0;
  std::optional<uint64_t> best_offset_;
  std::vector<std::pair<uint64_t, uint32_t>> banks_;
};

}  // namespace

uint64_t CountBankConflicts(const BankProblem& problem) {
  std::vector<std::pair<uint64_t, uint32_t>> banks;
  uint64_t conflicts = 0;
  for (size_t row = 0; row < problem.reads.row_count(); ++row) {
    ForEachBank(problem, problem.reads[row], &banks,
                [&](const std::pair<uint64_t, uint32_t>*, uint64_t count) {
                  conflicts += count * (count - 1) / 2;
                });
  }
  return conflicts;
}

void SpreadOverBanks(BankProblem* problem) { Spreader(problem).Run(); }

}  // namespace torqsched
