#include "src/warm/contents.h"

#include <algorithm>

#include "absl/numeric/int128.h"

namespace torqsched::warm {

int64_t RegionContents::ClockAt(const TouchedPiece& piece, int64_t position) {
  if (position == piece.begin) return piece.first_clock;
  const absl::int128 part =
      absl::int128(piece.last_clock - piece.first_clock) * (position - piece.begin);
  return piece.first_clock + static_cast<int64_t>(part / (piece.end - piece.begin));
}

size_t RegionContents::FirstEndingAfter(int64_t position) const {
  const auto at =
      std::partition_point(pieces_.begin(), pieces_.end(),
                           [position](const TouchedPiece& piece) { return piece.end <= position; });
  return static_cast<size_t>(at - pieces_.begin());
}

const TouchedPiece* RegionContents::At(int64_t position) const {
  const size_t i = FirstEndingAfter(position);
  return i < pieces_.size() && pieces_[i].begin <= position ? &pieces_[i] : nullptr;
}

int64_t RegionContents::NextBegin(int64_t position, int64_t most) const {
  const size_t i = FirstEndingAfter(position);
  return i < pieces_.size() ? std::min(most, std::max(position, pieces_[i].begin)) : most;
}

void RegionContents::Touch(const TouchedPiece& piece) {
  if (piece.begin >= piece.end) return;
  if (pieces_.empty() || pieces_.back().end <= piece.begin) {
    pieces_.push_back(piece);
    if (pieces_.size() > kMostPieces) Join();
    return;
  }
  size_t first = FirstEndingAfter(piece.begin);
  TouchedPiece after;  // what the last piece that overlaps has beyond the range
  size_t last = first;
  for (; last < pieces_.size() && pieces_[last].begin < piece.end; ++last) {
    if (pieces_[last].end <= piece.end) continue;
    after = pieces_[last];
    after.first_clock = ClockAt(after, piece.end);
    after.begin = piece.end;
  }
  if (first < last && pieces_[first].begin < piece.begin) {
    TouchedPiece& before = pieces_[first];
    before.last_clock = ClockAt(before, piece.begin);
    before.end = piece.begin;
    ++first;
  }
  // [first, last) is wholly inside, but for `after`; `last` may be `first` - 1 + 1 = `first`.
  last = std::max(first, last);
  const size_t fresh = after.end > after.begin ? 2 : 1;
  if (last - first < fresh) {
    pieces_.insert(pieces_.begin() + first, fresh - (last - first), TouchedPiece());
  } else {
    pieces_.erase(pieces_.begin() + first + fresh, pieces_.begin() + last);
  }
  pieces_[first] = piece;
  if (fresh == 2) pieces_[first + 1] = after;
  if (pieces_.size() > kMostPieces) Join();
}

void RegionContents::Join() {
  size_t kept = 0;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const TouchedPiece piece = pieces_[i];
    TouchedPiece* previous = kept > 0 ? &pieces_[kept - 1] : nullptr;
    // Every other joint goes, where both sides are alike.
    if (previous != nullptr && i % 2 == 1 && previous->end == piece.begin &&
        previous->by_engine == piece.by_engine) {
      previous->end = piece.end;
      previous->last_clock = piece.last_clock;
    } else {
      pieces_[kept++] = piece;
    }
  }
  pieces_.resize(kept);
}

}  // namespace torqsched::warm
