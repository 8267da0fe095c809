#include "src/allocation/decode.h"

#include <algorithm>

namespace torqsched {
namespace {

constexpr uint32_t kLeastHalf = 32;
constexpr uint32_t kLevelRatio = 6;
constexpr size_t kMostLevels = 6;
constexpr uint64_t kMostInsertions = 8;  // for each piece, in one level: memory stays linear
constexpr uint64_t kLooksPerQuestion = 1 << 18;  // before the budget is asked
constexpr uint64_t kLooksPerLift = 16;           // between reserved bytes and boundaries
constexpr size_t kMostScattered = 64;            // pieces
constexpr int kMostRounds = 256;
constexpr uint64_t kMovesPerLook = 4;  // entries of a list moved that cost as much as a look

// The tops by section: raise a run of them, ask for the highest of a run. A binary tree, bottom up.
class Skyline {
 public:
  explicit Skyline(uint32_t sections) {
    while (width_ < sections) width_ *= 2;
    most_.assign(2 * width_, 0);
    raised_.assign(2 * width_, 0);
  }

  // All of [first, last) to at least `top`.
  void Raise(size_t first, size_t last, uint64_t top) {
    size_t l = first + width_;
    size_t r = last + width_;
    for (size_t a = l, b = r; a < b; a /= 2, b /= 2) {
      if (a % 2 == 1) RaiseNode(a++, top);
      if (b % 2 == 1) RaiseNode(--b, top);
    }
    for (l /= 2; l > 0; l /= 2) Update(l);
    for (r = (r - 1) / 2; r > 0; r /= 2) Update(r);
  }

  uint64_t Most(size_t first, size_t last) const {
    uint64_t most = 0;
    const size_t l = first + width_;
    const size_t r = last + width_;
    for (size_t a = l, b = r; a < b; a /= 2, b /= 2) {
      if (a % 2 == 1) most = std::max(most, most_[a++]);
      if (b % 2 == 1) most = std::max(most, most_[--b]);
    }
    for (size_t v = l / 2; v > 0; v /= 2) most = std::max(most, raised_[v]);
    for (size_t v = (r - 1) / 2; v > 0; v /= 2) most = std::max(most, raised_[v]);
    return most;
  }

 private:
  void RaiseNode(size_t v, uint64_t top) {
    most_[v] = std::max(most_[v], top);
    raised_[v] = std::max(raised_[v], top);
  }
  void Update(size_t v) { most_[v] = std::max({raised_[v], most_[2 * v], most_[2 * v + 1]}); }

  size_t width_ = 1;
  std::vector<uint64_t> most_;    // of all below
  std::vector<uint64_t> raised_;  // what all below has at least
};

}  // namespace

Decoder::Decoder(const Packing& packing) : packing_(packing), plain_(packing.bodies.size()) {
  const uint64_t most = kMostInsertions * (packing.pieces.item_count() + 1);
  for (uint32_t half = std::max(packing.sections, 1u);
       levels_.size() < kMostLevels && (levels_.empty() || half >= kLeastHalf) &&
       (levels_.empty() || Insertions(half) <= most);
       half /= kLevelRatio) {
    Level level;
    level.half = half;
    level.blocks.resize(packing.sections / half + 1);
    levels_.push_back(std::move(level));
  }
  for (uint32_t b = 0; b < packing.bodies.size(); ++b) {
    plain_[b] = packing.bodies[b].alignment == packing.grain && packing.room == nullptr;
    if (packing.bodies[b].fixed) fixed_.push_back(b);
  }
}

uint64_t Decoder::Insertions(uint32_t half) const {
  uint64_t insertions = 0;
  for (size_t b = 0; b < packing_.bodies.size(); ++b) {
    for (const Piece& piece : packing_.pieces[b]) {
      insertions += (piece.last - piece.first) / half + 2;
    }
  }
  return insertions;
}

void Decoder::Clear() {
  for (Level& level : levels_) {
    for (Block& block : level.blocks) {
      block.sorted.clear();
      block.fresh.clear();
    }
  }
}

void Decoder::Insert(uint32_t body, uint64_t offset) {
  for (const Piece& piece : packing_.pieces[body]) {
    const Placed placed = {offset, offset + piece.rounded, piece.first, piece.last, body};
    for (Level& level : levels_) {
      const uint32_t first = piece.first / level.half;
      const uint32_t last = (piece.last - 1) / level.half;
      for (uint32_t k = first == 0 ? 0 : first - 1; k <= last; ++k) {
        level.blocks[k].fresh.push_back(placed);
      }
    }
  }
}

// The list in which all is that may meet these sections.
const std::vector<Decoder::Placed>& Decoder::BlockOf(uint32_t first, uint32_t last) {
  size_t level = levels_.size() - 1;
  while (level > 0 && levels_[level].half < last - first) --level;
  Block& block = levels_[level].blocks[first / levels_[level].half];
  if (block.fresh.empty()) return block.sorted;
  const auto lower = [](const Placed& a, const Placed& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.body < b.body;
  };
  std::sort(block.fresh.begin(), block.fresh.end(), lower);
  const size_t middle = block.sorted.size();
  block.sorted.insert(block.sorted.end(), block.fresh.begin(), block.fresh.end());
  const auto from = std::upper_bound(block.sorted.begin(), block.sorted.begin() + middle,
                                     block.fresh.front(), lower);
  looked_at_ += (block.sorted.end() - from) / kMovesPerLook;
  std::inplace_merge(from, block.sorted.begin() + middle, block.sorted.end(), lower);
  block.fresh.clear();
  return block.sorted;
}

bool Decoder::Meets(uint32_t body, const Placed& placed) const {
  const Body& b = packing_.bodies[body];
  if (placed.first >= b.last || b.first >= placed.last) return false;
  const Run<Piece> pieces = packing_.pieces[body];
  if (pieces.size() == 1) return true;
  for (const Piece& piece : pieces) {
    if (placed.first < piece.last && piece.first < placed.last) return true;
  }
  return false;
}

uint64_t Decoder::Lift(uint32_t body, uint64_t offset) const {
  if (plain_[body]) return offset;
  return LiftClear(packing_, packing_.bodies[body], offset, kMostBytes);
}

// A body of pieces of different sizes is taken to be of the largest all the time: it may end higher
// than it had to, but it never clashes.
uint64_t Decoder::Find(uint32_t b, FitRule fit) {
  const Body& body = packing_.bodies[b];
  if (IsScattered(b)) return FindScattered(b);
  uint64_t offset = Lift(b, 0);
  uint64_t best = kNoOffset;
  uint64_t least_left = kNoOffset;
  const std::vector<Placed>& block = BlockOf(body.first, body.last);
  size_t looked_at = 0;
  for (const Placed& placed : block) {
    ++looked_at;
    if (offset > kMostBytes) break;
    if (placed.end <= offset || !Meets(b, placed)) continue;
    if (placed.offset >= offset + body.size) {
      const uint64_t left = placed.offset - offset - body.size;
      if (left < least_left) {
        least_left = left;
        best = offset;
        if (fit == FitRule::kFirst) break;
      }
    }
    offset = Lift(b, placed.end);
    looked_at += packing_.room == nullptr ? 0 : kLooksPerLift;
  }
  looked_at_ += looked_at;
  if (best != kNoOffset) return best;
  return offset > kMostBytes - body.rounded ? kNoOffset : offset;
}

// Far more sections lie between the pieces than in them: a list for each piece is shorter than one
// for all.
bool Decoder::IsScattered(uint32_t b) const {
  const Run<Piece> pieces = packing_.pieces[b];
  if (pieces.size() == 1 || pieces.size() > kMostScattered) return false;
  uint64_t length = 0;
  for (const Piece& piece : pieces) length += piece.last - piece.first;
  return packing_.bodies[b].last - packing_.bodies[b].first > 4 * length;
}

// First fit: what stands in the way in one piece's list lifts the body for all, until nothing does;
// after some rounds on top of everything.
uint64_t Decoder::FindScattered(uint32_t b) {
  const Body& body = packing_.bodies[b];
  uint64_t offset = Lift(b, 0);
  for (int round = 0; round <= kMostRounds; ++round) {
    bool clear = true;
    for (const Piece& piece : packing_.pieces[b]) {
      const std::vector<Placed>& block = BlockOf(piece.first, piece.last);
      for (const Placed& placed : block) {
        ++looked_at_;
        if (offset > kMostBytes) return kNoOffset;
        if (placed.first >= piece.last || piece.first >= placed.last) continue;
        if (placed.end <= offset) continue;
        if (placed.offset >= offset + body.size && round < kMostRounds) break;
        offset = Lift(b, placed.end);
        clear = false;
      }
    }
    if (clear) break;
  }
  return offset > kMostBytes - body.rounded ? kNoOffset : offset;
}

bool Decoder::IsClear(uint32_t b, uint64_t offset) {
  const Body& body = packing_.bodies[b];
  if (LiftClear(packing_, body, offset, kMostBytes) != offset) return false;
  const uint64_t end = offset + body.size;
  for (const Placed& placed : BlockOf(body.first, body.last)) {
    if (placed.offset >= end) break;
    ++looked_at_;
    if (placed.end > offset && Meets(b, placed)) return false;
  }
  return true;
}

void Decoder::Decode(const std::vector<uint32_t>& order, FitRule fit,
                     const std::vector<uint64_t>* hints, uint64_t most_looks, Budget* budget,
                     Decoding* decoding) {
  Clear();
  decoding->offsets.assign(packing_.bodies.size(), kNoOffset);
  decoding->height = 0;
  const auto put = [&](uint32_t b, uint64_t offset) {
    decoding->offsets[b] = offset;
    decoding->height = std::max(decoding->height, offset + packing_.bodies[b].size);
    Insert(b, offset);
  };
  for (const uint32_t b : fixed_) put(b, packing_.bodies[b].offset);
  const uint64_t end = looked_at_ + most_looks;
  uint64_t next_question = looked_at_ + kLooksPerQuestion;
  for (size_t i = 0; i < order.size(); ++i) {
    const uint32_t b = order[i];
    if (packing_.bodies[b].fixed) continue;
    if (looked_at_ >= next_question) {
      next_question = looked_at_ + kLooksPerQuestion;
      budget->Look();
      if (looked_at_ >= end || budget->spent()) return StackRest(order, i, decoding);
    }
    uint64_t offset = hints == nullptr ? kNoOffset : (*hints)[b];
    if (offset > kMostBytes - packing_.bodies[b].rounded || !IsClear(b, offset)) {
      offset = Find(b, fit);
    }
    if (offset == kNoOffset) {
      decoding->height = kNoOffset;
      return;
    }
    put(b, offset);
  }
}

// The bodies from this position on, each on top of what its sections have.
void Decoder::StackRest(const std::vector<uint32_t>& order, size_t from, Decoding* decoding) const {
  Skyline skyline(packing_.sections);
  const auto add = [&](uint32_t b) {
    for (const Piece& piece : packing_.pieces[b]) {
      skyline.Raise(piece.first, piece.last, decoding->offsets[b] + piece.rounded);
    }
  };
  for (uint32_t b = 0; b < packing_.bodies.size(); ++b) {
    if (decoding->offsets[b] != kNoOffset) add(b);
  }
  for (size_t i = from; i < order.size(); ++i) {
    const uint32_t b = order[i];
    const Body& body = packing_.bodies[b];
    if (body.fixed) continue;
    uint64_t top = 0;
    for (const Piece& piece : packing_.pieces[b]) {
      top = std::max(top, skyline.Most(piece.first, piece.last));
    }
    const uint64_t offset = top > kMostBytes ? kNoOffset : Lift(b, top);
    if (offset > kMostBytes - body.rounded) {
      decoding->height = kNoOffset;
      return;
    }
    decoding->offsets[b] = offset;
    decoding->height = std::max(decoding->height, offset + body.size);
    add(b);
  }
}

}  // namespace torqsched
