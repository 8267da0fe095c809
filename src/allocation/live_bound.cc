#include "src/allocation/live_bound.h"

#include <algorithm>
#include <utility>

#include "src/stream/checked.h"

namespace torqsched {
namespace {

absl::uint128 AroundReserved(const Packing& packing, absl::uint128 height) {
  return packing.room == nullptr ? height : packing.room->EndOfStack(height);
}

// The largest padding among the pieces of each section: pieces by padding, sections filled once.
std::vector<uint64_t> LargestPadding(const Packing& packing) {
  std::vector<uint64_t> padding(packing.sections, 0);
  if (packing.grain == 1) return padding;
  std::vector<Piece> padded;
  for (size_t b = 0; b < packing.bodies.size(); ++b) {
    for (const Piece& piece : packing.pieces[b]) {
      if (piece.rounded != piece.size) padded.push_back(piece);
    }
  }
  std::sort(padded.begin(), padded.end(), [](const Piece& a, const Piece& b) {
    const uint64_t x = a.rounded - a.size;
    const uint64_t y = b.rounded - b.size;
    return x != y ? x > y : a.first < b.first;
  });
  // next[s]: the first section from s on that is not filled yet, with path halving.
  std::vector<uint32_t> next(packing.sections + 1);
  for (uint32_t s = 0; s < next.size(); ++s) next[s] = s;
  const auto find = [&](uint32_t s) {
    while (next[s] != s) s = next[s] = next[next[s]];
    return s;
  };
  for (const Piece& piece : padded) {
    for (uint32_t s = find(piece.first); s < piece.last; s = find(s)) {
      padding[s] = piece.rounded - piece.size;
      next[s] = s + 1;
    }
  }
  return padding;
}

}  // namespace

// By differences, as every piece covers a run of sections.
std::vector<absl::uint128> LiveSums(const Packing& packing) {
  std::vector<absl::uint128> sums(packing.sections + 1, 0);
  for (size_t b = 0; b < packing.bodies.size(); ++b) {
    for (const Piece& piece : packing.pieces[b]) {
      sums[piece.first] += piece.rounded;
      sums[piece.last] -= piece.rounded;  // wraps, and the running sum wraps back
    }
  }
  absl::uint128 sum = 0;
  for (absl::uint128& s : sums) s = (sum += s);
  sums.pop_back();
  return sums;
}

LiveBound FindLiveBound(const Packing& packing) {
  LiveBound bound;
  for (uint32_t b = 0; b < packing.bodies.size(); ++b) {
    const Body& body = packing.bodies[b];
    const uint64_t least = body.fixed ? body.offset : LiftClear(packing, body, 0, kNoOffset - 1);
    const absl::uint128 end = absl::uint128(least) + body.size;
    if (end > bound.height) {
      bound.height = end;
      bound.single_body = b;
    }
  }
  const std::vector<absl::uint128> sums = LiveSums(packing);
  const std::vector<uint64_t> padding = LargestPadding(packing);
  for (uint32_t s = 0; s < packing.sections; ++s) {
    const absl::uint128 height = AroundReserved(packing, sums[s]) - padding[s];
    if (height > bound.height) {
      bound.height = height;
      bound.section = s;
      bound.single_body = 0xffffffff;
    }
  }
  return bound;
}

std::vector<uint32_t> FewestExceeding(const Packing& packing, uint32_t section, uint64_t capacity) {
  std::vector<std::pair<const Piece*, uint32_t>> live;
  for (uint32_t b = 0; b < packing.bodies.size(); ++b) {
    for (const Piece& piece : packing.pieces[b]) {
      if (piece.first <= section && section < piece.last) live.push_back({&piece, b});
    }
  }
  std::sort(live.begin(), live.end(), [](const auto& a, const auto& b) {
    return a.first->size != b.first->size ? a.first->size > b.first->size : a.second < b.second;
  });
  std::vector<uint32_t> bodies;
  absl::uint128 sum = 0;
  uint64_t padding = 0;
  for (const auto& [piece, body] : live) {
    bodies.push_back(body);
    sum += piece->rounded;
    padding = std::max(padding, piece->rounded - piece->size);
    if (AroundReserved(packing, sum) - padding > capacity) {
      std::sort(bodies.begin(), bodies.end());
      return bodies;
    }
  }
  return {};
}

}  // namespace torqsched
