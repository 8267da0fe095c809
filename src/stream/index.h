// Index types that cannot be mixed up: an op is not a buffer.
//
// Ops and buffers are named by their position in the request's lists. A position is 32 bits wide: a
// protobuf message is at most 2 GiB, and an op takes at least two bytes in it.
#ifndef TORQSCHED_SRC_STREAM_INDEX_H_
#define TORQSCHED_SRC_STREAM_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace torqsched {

template <typename Tag>
class Index {
 public:
  // The index that names nothing.
  constexpr Index() : value_(std::numeric_limits<uint32_t>::max()) {}
  constexpr explicit Index(size_t value) : value_(static_cast<uint32_t>(value)) {}

  constexpr uint32_t value() const { return value_; }
  constexpr bool present() const { return value_ != std::numeric_limits<uint32_t>::max(); }

  friend constexpr bool operator==(Index a, Index b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Index a, Index b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(Index a, Index b) { return a.value_ < b.value_; }

 private:
  uint32_t value_;
};

using OpIndex = Index<struct OpTag>;          // a position in Stream's ops
using BufferIndex = Index<struct BufferTag>;  // a position in Stream's buffers

// A vector whose subscript is one kind of index only.
template <typename Id, typename T>
class IndexVector {
 public:
  IndexVector() = default;
  explicit IndexVector(size_t size, const T& value = T()) : items_(size, value) {}

  T& operator[](Id id) { return items_[id.value()]; }
  const T& operator[](Id id) const { return items_[id.value()]; }
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void push_back(const T& value) { items_.push_back(value); }
  void reserve(size_t size) { items_.reserve(size); }
  void assign(size_t size, const T& value) { items_.assign(size, value); }
  void resize(size_t size) { items_.resize(size); }
  T* data() { return items_.data(); }
  const T* data() const { return items_.data(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};

// A run of consecutive items of an array that somebody else owns.
template <typename T>
struct Run {
  const T* first = nullptr;
  const T* last = nullptr;

  const T* begin() const { return first; }
  const T* end() const { return last; }
  size_t size() const { return static_cast<size_t>(last - first); }
  bool empty() const { return first == last; }
  const T& operator[](size_t i) const { return first[i]; }
};

// Rows of different lengths in one flat array (compressed sparse rows), of less than 2^32 items.
template <typename T>
class Rows {
 public:
  Rows() : begins_(1, 0) {}

  void reserve(size_t rows, size_t items) {
    begins_.reserve(rows + 1);
    items_.reserve(items);
  }
  // Appends to the row that is being built; EndRow closes it.
  void Add(const T& item) { items_.push_back(item); }
  void EndRow() { begins_.push_back(static_cast<uint32_t>(items_.size())); }
  // The row that is being built.
  T* open_begin() { return items_.data() + begins_.back(); }
  T* open_end() { return items_.data() + items_.size(); }
  void TruncateOpen(size_t length) { items_.resize(begins_.back() + length); }

  // Takes rows that were counted and filled elsewhere: begins has one entry more than there are
  // rows.
  void Adopt(std::vector<uint32_t> begins, std::vector<T> items) {
    begins_ = std::move(begins);
    items_ = std::move(items);
  }

  size_t row_count() const { return begins_.size() - 1; }
  size_t item_count() const { return items_.size(); }
  Run<T> operator[](size_t row) const {
    return {items_.data() + begins_[row], items_.data() + begins_[row + 1]};
  }

 private:
  std::vector<uint32_t> begins_;
  std::vector<T> items_;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_STREAM_INDEX_H_
