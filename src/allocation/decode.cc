#include "src/allocation/decode.h"

#include <algorithm>

namespace torqsched {
namespace {

constexpr uint32_t kLeastHalf = 32;
constexpr uint32_t kLevelRatio = 6;
constexpr size_t kMostLevels = 6;
constexpr uint64_t kMostInsertions = 8;  // for each piece, in one level: memory stays linear

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
    plain_[b] = packing.bodies[b].alignment == packing.grain && packing.reserved.empty() &&
                packing.boundaries.empty();
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

// The list in which all is that may meet the body.
const std::vector<Decoder::Placed>& Decoder::BlockOf(const Body& body) {
  size_t level = levels_.size() - 1;
  while (level > 0 && levels_[level].half < body.last - body.first) --level;
  Block& block = levels_[level].blocks[body.first / levels_[level].half];
  if (block.fresh.empty()) return block.sorted;
  const auto lower = [](const Placed& a, const Placed& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.body < b.body;
  };
  std::sort(block.fresh.begin(), block.fresh.end(), lower);
  const size_t middle = block.sorted.size();
  block.sorted.insert(block.sorted.end(), block.fresh.begin(), block.fresh.end());
  const auto from = std::upper_bound(block.sorted.begin(), block.sorted.begin() + middle,
                                     block.fresh.front(), lower);
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
  uint64_t offset = Lift(b, 0);
  uint64_t best = kNoOffset;
  uint64_t least_left = kNoOffset;
  const std::vector<Placed>& block = BlockOf(body);
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
  }
  looked_at_ += looked_at;
  if (best != kNoOffset) return best;
  return offset > kMostBytes - body.rounded ? kNoOffset : offset;
}

bool Decoder::IsClear(uint32_t b, uint64_t offset) {
  const Body& body = packing_.bodies[b];
  if (LiftClear(packing_, body, offset, kMostBytes) != offset) return false;
  const uint64_t end = offset + body.size;
  for (const Placed& placed : BlockOf(body)) {
    if (placed.offset >= end) break;
    ++looked_at_;
    if (placed.end > offset && Meets(b, placed)) return false;
  }
  return true;
}

void Decoder::Decode(const std::vector<uint32_t>& order, FitRule fit,
                     const std::vector<uint64_t>* hints, Decoding* decoding) {
  Clear();
  decoding->offsets.assign(packing_.bodies.size(), 0);
  decoding->height = 0;
  const auto put = [&](uint32_t b, uint64_t offset) {
    decoding->offsets[b] = offset;
    decoding->height = std::max(decoding->height, offset + packing_.bodies[b].size);
    Insert(b, offset);
  };
  for (const uint32_t b : fixed_) put(b, packing_.bodies[b].offset);
  for (const uint32_t b : order) {
    if (packing_.bodies[b].fixed) continue;
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

std::optional<std::pair<uint32_t, uint32_t>> Decoder::FixedClash() {
  Clear();
  for (const uint32_t b : fixed_) {
    const uint64_t offset = packing_.bodies[b].offset;
    for (const Placed& placed : BlockOf(packing_.bodies[b])) {
      ++looked_at_;
      if (placed.offset >= offset + packing_.bodies[b].size) break;
      if (placed.end <= offset) continue;
      for (const Piece& piece : packing_.pieces[b]) {
        if (placed.first >= piece.last || piece.first >= placed.last) continue;
        if (placed.offset < offset + piece.rounded) return std::make_pair(placed.body, b);
      }
    }
    Insert(b, offset);
  }
  return std::nullopt;
}

}  // namespace torqsched
