#include "src/bounds/jackson.h"

#include <algorithm>
#include <queue>
#include <vector>

#include "src/stream/checked.h"

namespace torqsched::bounds {
namespace {

struct Piece {
  uint64_t head = 0;
  uint64_t tail = 0;
  uint64_t cycles = 0;
};

struct SmallerTail {
  bool operator()(const Piece& a, const Piece& b) const { return a.tail < b.tail; }
};

}  // namespace

uint64_t JacksonBound(const Part& part, const HeadsAndTails& times) {
  std::vector<Piece> pieces;
  pieces.push_back({0, 0, part.block_cycles});
  for (uint32_t job = 0; job < part.size(); ++job) {
    pieces.push_back({times.head[job], times.tail[job], part.jobs[job].stream});
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.head < b.head; });
  std::priority_queue<Piece, std::vector<Piece>, SmallerTail> open;
  uint64_t now = 0;
  uint64_t bound = 0;
  size_t next = 0;
  while (next < pieces.size() || !open.empty()) {
    if (open.empty()) now = std::max(now, pieces[next].head);
    while (next < pieces.size() && pieces[next].head <= now) open.push(pieces[next++]);
    Piece piece = open.top();
    open.pop();
    const uint64_t free = next < pieces.size() ? pieces[next].head - now : piece.cycles;
    const uint64_t done = std::min(free, piece.cycles);
    now = SaturatingAdd(now, done);
    piece.cycles -= done;
    if (piece.cycles != 0) {
      open.push(piece);
    } else {
      bound = std::max(bound, SaturatingAdd(now, piece.tail));
    }
  }
  return bound;
}

}  // namespace torqsched::bounds
