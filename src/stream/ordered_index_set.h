// A set of small integers that answers "the least member" and "the next one" in O(log64 n).
//
// A tree of 64-bit words: a bit of the lowest level is a member, a bit of any other level says that
// the word below it is not empty. Three or four levels serve a million. Members may be inserted and
// erased in any order; the order of iteration is theirs, never that of insertion.
#ifndef TORQSCHED_SRC_STREAM_ORDERED_INDEX_SET_H_
#define TORQSCHED_SRC_STREAM_ORDERED_INDEX_SET_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace torqsched {

class OrderedIndexSet {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  // For members 0 .. universe-1.
  explicit OrderedIndexSet(size_t universe = 0) { Grow(universe); }

  // Makes room for members below universe; keeps the members there are.
  void Grow(size_t universe) {
    size_t words = (universe + 63) / 64;
    size_t level = 0;
    do {
      if (level == levels_.size()) {
        levels_.emplace_back();
        if (level != 0) levels_[level].push_back(AnyIn(level - 1, 0) ? 1 : 0);
      }
      std::vector<uint64_t>& bits = levels_[level];
      if (bits.size() < words) bits.resize(words, 0);
      if (bits.empty()) bits.push_back(0);
      words = (bits.size() + 63) / 64;
      ++level;
    } while (levels_[level - 1].size() > 1);
    universe_ = universe > universe_ ? universe : universe_;
  }
  size_t universe() const { return universe_; }

  void Insert(uint32_t member) {
    for (std::vector<uint64_t>& bits : levels_) {
      uint64_t& word = bits[member / 64];
      const bool was_empty = word == 0;
      word |= uint64_t{1} << (member % 64);
      if (!was_empty) return;
      member /= 64;
    }
  }

  void Erase(uint32_t member) {
    for (std::vector<uint64_t>& bits : levels_) {
      uint64_t& word = bits[member / 64];
      word &= ~(uint64_t{1} << (member % 64));
      if (word != 0) return;
      member /= 64;
    }
  }

  bool Contains(uint32_t member) const {
    return (levels_[0][member / 64] >> (member % 64) & 1) != 0;
  }

  bool empty() const { return levels_.back()[0] == 0; }

  // The least member, or kNone.
  uint32_t First() const { return empty() ? kNone : Descend(levels_.size() - 1, 0); }

  // The least member not below from, or kNone.
  uint32_t FirstFrom(uint32_t from) const {
    size_t position = from;
    for (size_t level = 0; level < levels_.size(); ++level) {
      const size_t word = position / 64;
      if (word >= levels_[level].size()) return kNone;
      const uint64_t rest = levels_[level][word] >> (position % 64);
      if (rest != 0) {
        const size_t found = position + static_cast<size_t>(__builtin_ctzll(rest));
        return level == 0 ? static_cast<uint32_t>(found) : Descend(level - 1, found);
      }
      position = word + 1;
    }
    return kNone;
  }

 private:
  bool AnyIn(size_t level, size_t word) const {
    return word < levels_[level].size() && levels_[level][word] != 0;
  }

  // The least member below word `word` of `level`, which is not empty.
  uint32_t Descend(size_t level, size_t word) const {
    for (;; --level) {
      word = word * 64 + static_cast<size_t>(__builtin_ctzll(levels_[level][word]));
      if (level == 0) return static_cast<uint32_t>(word);
    }
  }

  std::vector<std::vector<uint64_t>> levels_;
  size_t universe_ = 0;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_STREAM_ORDERED_INDEX_SET_H_
