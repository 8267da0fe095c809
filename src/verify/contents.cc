// The five states and the functions on them, the tree that applies them, and the bookkeeping of
// buffers that a constant can refill. Recursion is as deep as the tree: at most 32.
#include "src/verify/contents.h"

#include <algorithm>

namespace torqsched::verify {
namespace {

enum State : uint8_t { kNever, kBoth, kOnlyLram, kOnlyXram, kNeither, kStates };

using Change = ContentsTree::Change;

constexpr Change MakeChange(State never, State both, State only_lram, State only_xram,
                            State neither) {
  return static_cast<Change>(never | both << 3 | only_lram << 6 | only_xram << 9 | neither << 12);
}

constexpr State After(Change change, int state) {
  return static_cast<State>(change >> (3 * state) & 7);
}

constexpr Change kSame = MakeChange(kNever, kBoth, kOnlyLram, kOnlyXram, kNeither);
constexpr Change kWrite = MakeChange(kOnlyLram, kOnlyLram, kOnlyLram, kOnlyLram, kOnlyLram);
constexpr Change kStore = MakeChange(kNever, kBoth, kBoth, kNeither, kNeither);
constexpr Change kLoad = MakeChange(kNever, kBoth, kNeither, kBoth, kNeither);
constexpr Change kEvict = MakeChange(kNever, kOnlyXram, kNeither, kOnlyXram, kNeither);
constexpr Change kRefill = MakeChange(kNever, kBoth, kOnlyLram, kBoth, kOnlyLram);

constexpr uint8_t kLost = 1 << kOnlyXram | 1 << kNeither;  // states in which LRAM is wrong

Change Then(Change first, Change second) {
  const auto after = [&](int s) { return After(second, After(first, s)); };
  return MakeChange(after(kNever), after(kBoth), after(kOnlyLram), after(kOnlyXram),
                    after(kNeither));
}

uint8_t Image(uint8_t states, Change change) {
  uint8_t image = 0;
  for (int s = 0; s < kStates; ++s) {
    if (states >> s & 1) image |= 1 << After(change, s);
  }
  return image;
}

}  // namespace

ContentsTree::ContentsTree(size_t cells) {
  while (width_ < cells) width_ *= 2;
  Node never_written;
  never_written.pending = kSame;
  nodes_.assign(2 * width_, never_written);
}

void ContentsTree::Apply(size_t node, Change change) {
  nodes_[node].states = Image(nodes_[node].states, change);
  nodes_[node].pending = Then(nodes_[node].pending, change);
}

void ContentsTree::PushDown(size_t node) {
  if (nodes_[node].pending == kSame) return;
  Apply(2 * node, nodes_[node].pending);
  Apply(2 * node + 1, nodes_[node].pending);
  nodes_[node].pending = kSame;
}

void ContentsTree::Write(CellRange cells) { WriteBelow(1, 0, width_, cells); }

void ContentsTree::WriteBelow(size_t node, size_t first, size_t width, CellRange cells) {
  if (first >= cells.last || first + width <= cells.first) return;
  if (first >= cells.first && first + width <= cells.last) {
    Apply(node, kWrite);
    return;
  }
  PushDown(node);
  WriteBelow(2 * node, first, width / 2, cells);
  WriteBelow(2 * node + 1, first + width / 2, width / 2, cells);
  nodes_[node].states = nodes_[2 * node].states | nodes_[2 * node + 1].states;
}

std::optional<uint32_t> ContentsTree::FirstLost(CellRange cells) {
  return LostBelow(1, 0, width_, cells);
}

std::optional<uint32_t> ContentsTree::LostBelow(size_t node, size_t first, size_t width,
                                                CellRange cells) {
  if (first >= cells.last || first + width <= cells.first) return std::nullopt;
  if ((nodes_[node].states & kLost) == 0) return std::nullopt;
  if (width == 1) return static_cast<uint32_t>(first);
  PushDown(node);
  const std::optional<uint32_t> left = LostBelow(2 * node, first, width / 2, cells);
  return left.has_value() ? left : LostBelow(2 * node + 1, first + width / 2, width / 2, cells);
}

void Contents::Watch(BufferIndex buffer) {
  if (watches(buffer)) return;
  tree_of_[buffer] = static_cast<uint32_t>(watched_.size());
  watched_.push_back({ContentsTree(cells_.count(buffer)), 0, 0, OpIndex()});
  if (!stream_.buffer(buffer).live_in) return;
  watched_.back().tree.ChangeAll(kWrite);
  watched_.back().written_end = stream_.buffer(buffer).size;
}

bool Contents::LoadsConstants(OpIndex op) const {
  if (stream_.op(op).kind != OpKind::kLoad) return false;
  bool constant = false;
  for (const Access& access : stream_.accesses(op)) {
    if (!access.reads) continue;
    if (!stream_.buffer(access.buffer).constant) return false;
    constant = true;
  }
  return constant;
}

void Contents::Write(OpIndex op) {
  const bool refills = LoadsConstants(op);
  for (const Access& access : stream_.accesses(op)) {
    if (!access.writes || access.begin == access.end || !watches(access.buffer)) continue;
    Watched& watched = Of(access.buffer);
    watched.tree.Write(cells_.Find(access.buffer, access.begin, access.end));
    const bool empty = watched.written_begin == watched.written_end;
    const bool all = empty || watched.refill == op ||
                     (access.begin <= watched.written_begin && access.end >= watched.written_end);
    watched.refill = refills && all ? op : OpIndex();
    watched.written_begin = empty ? access.begin : std::min(watched.written_begin, access.begin);
    watched.written_end = empty ? access.end : std::max(watched.written_end, access.end);
  }
}

std::optional<uint64_t> Contents::FirstLost(const Access& access) {
  if (!access.reads || access.begin == access.end || !watches(access.buffer)) return std::nullopt;
  const CellRange cells = cells_.Find(access.buffer, access.begin, access.end);
  const std::optional<uint32_t> cell = Of(access.buffer).tree.FirstLost(cells);
  if (!cell.has_value()) return std::nullopt;
  return cells_.begin(access.buffer, *cell);
}

void Contents::Store(BufferIndex buffer) { Of(buffer).tree.ChangeAll(kStore); }

void Contents::Load(BufferIndex buffer) {
  Watched& watched = Of(buffer);
  watched.tree.ChangeAll(watched.refill.present() ? kRefill : kLoad);
}

void Contents::Evict(BufferIndex buffer) { Of(buffer).tree.ChangeAll(kEvict); }

}  // namespace torqsched::verify
