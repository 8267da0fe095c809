// Three sweeps: over the ops oldest first (which pure op stands for which), youngest first (first
// and last users), and over the buffers (who is born and who dies where).
#include "src/verify/uses.h"

#include <algorithm>
#include <utility>

namespace torqsched::verify {
namespace {

// Buffers by the position that key(buffer) gives, by index within a position; those for which it
// gives `positions` itself are left out.
template <typename Key>
Rows<BufferIndex> GroupByPosition(size_t buffers, size_t positions, Key key) {
  std::vector<uint32_t> begins(positions + 2, 0);
  for (size_t b = 0; b < buffers; ++b) ++begins[key(BufferIndex(b)) + 1];
  for (size_t p = 1; p < begins.size(); ++p) begins[p] += begins[p - 1];
  std::vector<uint32_t> next = begins;
  std::vector<BufferIndex> items(buffers);
  for (size_t b = 0; b < buffers; ++b) items[next[key(BufferIndex(b))]++] = BufferIndex(b);
  Rows<BufferIndex> rows;
  rows.Adopt(std::move(begins), std::move(items));
  return rows;
}

}  // namespace

Uses::Uses(const Stream& stream, const Positions& position)
    : stream_(stream),
      source_(stream.op_count()),
      above_(stream.op_count()),
      lives_(stream.buffer_count()),
      seen_op_(stream.op_count(), 0),
      seen_buffer_(stream.buffer_count(), 0) {
  FindSources();
  FindLives(position);
  ListByPosition();
}

void Uses::FindSources() {
  for (size_t i = 0; i < stream_.op_count(); ++i) {
    const OpIndex op(i);
    if (stream_.op(op).kind != OpKind::kPure) continue;
    const BufferIndex alloc = stream_.op(op).alloc;
    bool own = alloc.present() && takes_room(alloc);
    OpIndex above;
    for (const OpIndex operand : stream_.operands(op)) {
      const OpIndex source = source_[operand];
      if (!source.present() || source == above) continue;
      own |= above.present();
      above = source;
    }
    if (!own) {
      source_[op] = above;
    } else if (!ListAbove(op)) {
      source_[op] = op;
    }
  }
}

// Lists what is above a source, if it is little. True where that is just what is above one of its
// operands, which then stands for it: source_ is set.
bool Uses::ListAbove(OpIndex op) {
  joined_.clear();
  const BufferIndex alloc = stream_.op(op).alloc;
  if (alloc.present() && takes_room(alloc)) joined_.push_back(alloc);
  OpIndex largest;
  for (const OpIndex operand : stream_.operands(op)) {
    const OpIndex source = source_[operand];
    if (!source.present()) continue;
    const Above& above = above_[source];
    if (above.length == 0) return false;
    if (!largest.present() || above_[largest].length < above.length) largest = source;
    joined_.insert(joined_.end(), lists_.begin() + above.first,
                   lists_.begin() + above.first + above.length);
    if (joined_.size() <= 2 * kFew) continue;
    std::sort(joined_.begin(), joined_.end());
    joined_.erase(std::unique(joined_.begin(), joined_.end()), joined_.end());
    if (joined_.size() > kFew) return false;
  }
  std::sort(joined_.begin(), joined_.end());
  joined_.erase(std::unique(joined_.begin(), joined_.end()), joined_.end());
  if (joined_.size() > kFew) return false;
  if (largest.present() && above_[largest].length == joined_.size()) {
    source_[op] = largest;
    return true;
  }
  above_[op] = {static_cast<uint32_t>(lists_.size()), static_cast<uint32_t>(joined_.size())};
  lists_.insert(lists_.end(), joined_.begin(), joined_.end());
  return false;
}

void Uses::FindLives(const Positions& position) {
  IndexVector<OpIndex, Life> through(stream_.op_count());  // of a pure op: the users behind it
  for (size_t i = stream_.op_count(); i-- > 0;) {
    const OpIndex op(i);
    Life life = through[op];
    if (stream_.op(op).kind != OpKind::kPure) {
      life.first = position[op];
      life.last = std::max(position[op], EndPosition(stream_, position, op));
    } else if (stream_.op(op).alloc.present() && takes_room(stream_.op(op).alloc)) {
      lives_[stream_.op(op).alloc].Cover(life);
    }
    for (const Access& access : stream_.accesses(op)) {
      if (takes_room(access.buffer)) lives_[access.buffer].Cover(life);
    }
    for (const OpIndex operand : stream_.operands(op)) {
      if (stream_.op(operand).kind == OpKind::kPure) through[operand].Cover(life);
    }
  }
}

void Uses::ListByPosition() {
  const size_t none = stream_.op_count();
  for (size_t b = 0; b < stream_.buffer_count(); ++b) {
    if (stream_.buffer(BufferIndex(b)).live_in && lives(BufferIndex(b))) {
      live_in_.push_back(BufferIndex(b));
    }
  }
  born_ = GroupByPosition(stream_.buffer_count(), none, [&](BufferIndex b) {
    return lives_[b].used() && !stream_.buffer(b).live_in ? lives_[b].first : none;
  });
  dies_ = GroupByPosition(stream_.buffer_count(), none, [&](BufferIndex b) {
    return lives_[b].used() && !stream_.buffer(b).live_out ? lives_[b].last : none;
  });
}

void Uses::ClearStamps() {
  seen_op_.assign(stream_.op_count(), 0);
  seen_buffer_.assign(stream_.buffer_count(), 0);
  stamp_ = 1;
}

absl::uint128 PeakLiveBytes(const Stream& stream, const Uses& uses) {
  absl::uint128 live = 0;
  for (const BufferIndex b : uses.live_in()) live += stream.buffer(b).size;
  absl::uint128 peak = live;
  for (size_t p = 0; p < stream.op_count(); ++p) {
    const uint32_t position = static_cast<uint32_t>(p);
    for (const BufferIndex b : uses.born_at(position)) live += stream.buffer(b).size;
    peak = std::max(peak, live);
    for (const BufferIndex b : uses.dies_at(position)) live -= stream.buffer(b).size;
  }
  return peak;
}

}  // namespace torqsched::verify
