// Which jobs of a part come before which in every order: the needs, closed under "and what that
// needs".
//
// Two relations, since a program has a begin and an end: job a *has ended* before job b begins (a
// program has been waited for), or it *has begun* at least (a program has been started). Of other
// jobs both are the same.
//
// A row of bits for each job, over the jobs before it. Where all rows together would be too long,
// a row reaches back over `span` jobs only: what it says is true, what it does not say may be true
// as well, and every use here can live with that.
//
// Cost: needs times span / 64, a program's wait counted with what it needs for each job that needs
// the program's end; memory jobs times span / 8 bytes. Twice both where a program is needed by its
// start.
#ifndef TORQSCHED_SRC_BOUNDS_PRECEDENCE_H_
#define TORQSCHED_SRC_BOUNDS_PRECEDENCE_H_

#include <cstdint>
#include <vector>

#include "src/bounds/part.h"
#include "src/bounds/work.h"

namespace torqsched::bounds {

class Precedence {
 public:
  // work: for the words of the rows, and of what fills them.
  Precedence(const Part& part, Work* work);

  // Of any two jobs; a row says nothing about itself.
  bool Ended(uint32_t before, uint32_t after) const { return Bit(ended_, before, after); }
  bool Begun(uint32_t before, uint32_t after) const {
    return Bit(split_ ? begun_ : ended_, before, after);
  }
  // Rows reach back so far; at least the size where they are whole.
  uint32_t span() const { return span_; }
  // Calls f(job) for each job that has begun before `after` begins, ascending.
  template <typename F>
  void ForBegun(uint32_t after, F f) const {
    ForRow(split_ ? begun_ : ended_, after, f);
  }

 private:
  using Words = std::vector<uint64_t>;

  // The first job of a row's bits: a multiple of 64.
  uint32_t Base(uint32_t job) const { return job <= span_ ? 0 : (job - span_) & ~63u; }
  uint64_t* Row(Words* words, uint32_t job) const { return words->data() + job * row_words_; }
  const uint64_t* Row(const Words& words, uint32_t job) const {
    return words.data() + job * row_words_;
  }
  bool Bit(const Words& words, uint32_t before, uint32_t after) const {
    if (span_ == 0 || before >= after || before < Base(after)) return false;
    const uint32_t bit = before - Base(after);
    return (Row(words, after)[bit / 64] >> (bit % 64) & 1) != 0;
  }
  void Set(Words* words, uint32_t before, uint32_t after) {
    if (before < Base(after)) return;
    const uint32_t bit = before - Base(after);
    Row(words, after)[bit / 64] |= uint64_t{1} << (bit % 64);
  }
  // Ors the row of `from`, an older job, in `source` into that of `to`.
  void Or(const Words& source, uint32_t from, Words* words, uint32_t to);
  // What must be there before `to` begins, since it needs this.
  void AddNeed(const Part& part, Need need, uint32_t to);

  template <typename F>
  void ForRow(const Words& words, uint32_t after, F f) const {
    if (span_ == 0) return;
    const uint64_t* row = Row(words, after);
    const uint32_t base = Base(after);
    const size_t used = (after - base + 63) / 64;
    for (size_t w = 0; w < used; ++w) {
      for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
        f(static_cast<uint32_t>(base + 64 * w + static_cast<size_t>(__builtin_ctzll(bits))));
      }
    }
  }

  uint32_t jobs_ = 0;
  uint32_t span_ = 0;
  size_t row_words_ = 0;
  bool split_ = false;  // some program is needed by its start only
  Words ended_;
  Words begun_;  // only if split_
};

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_PRECEDENCE_H_
