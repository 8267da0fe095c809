// What the checker must find, by comparing everything with everything: all pairs of ops for
// dependences, every single byte for contents. For small streams only.
#ifndef TORQSCHED_TESTS_VERIFY_BRUTE_FORCE_H_
#define TORQSCHED_TESTS_VERIFY_BRUTE_FORCE_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "src/verify/verify.h"

namespace torqsched {

// An op and a buffer; the buffer is absent in a dependence that is not about memory.
using Fault = std::pair<uint32_t, uint32_t>;

inline uint32_t PositionOf(const std::vector<OpIndex>& order, OpIndex op) {
  for (uint32_t p = 0; p < order.size(); ++p) {
    if (order[p] == op) return p;
  }
  return 0;
}

inline bool Conflict(const Access& a, const Access& b) {
  return a.buffer == b.buffer && std::max(a.begin, b.begin) < std::min(a.end, b.end) &&
         (a.writes || b.writes);
}

// Rule 4, straight from its text: every (younger op, buffer) that begins before an older one ends.
inline std::set<Fault> BruteMemoryFaults(const Stream& stream, const std::vector<OpIndex>& order) {
  std::set<Fault> faults;
  for (uint32_t y = 0; y < stream.op_count(); ++y) {
    for (uint32_t x = 0; x < y; ++x) {
      const Op& older = stream.op(OpIndex(x));
      const OpIndex end = older.kind == OpKind::kStart ? older.partner : OpIndex(x);
      if (PositionOf(order, end) < PositionOf(order, OpIndex(y))) continue;
      for (const Access& a : stream.accesses(OpIndex(x))) {
        for (const Access& b : stream.accesses(OpIndex(y))) {
          if (Conflict(a, b)) faults.insert({y, b.buffer.value()});
        }
      }
    }
  }
  return faults;
}

// Whether the pair x (older), y is in the wrong order by rules 1 to 3. Operands: y needs all that
// its pure operands need, and theirs.
inline bool NeedsThroughPure(const Stream& stream, OpIndex y, OpIndex x) {
  for (const OpIndex operand : stream.operands(y)) {
    if (operand == x) return true;
    if (stream.op(operand).kind == OpKind::kPure && NeedsThroughPure(stream, operand, x)) {
      return true;
    }
  }
  return false;
}

inline bool BruteOtherFault(const Stream& stream, const std::vector<OpIndex>& order) {
  for (uint32_t y = 0; y < stream.op_count(); ++y) {
    for (uint32_t x = 0; x < y; ++x) {
      if (PositionOf(order, OpIndex(x)) < PositionOf(order, OpIndex(y))) continue;
      const Op& older = stream.op(OpIndex(x));
      const Op& younger = stream.op(OpIndex(y));
      const bool pure = older.kind == OpKind::kPure || younger.kind == OpKind::kPure;
      const bool barrier = older.kind == OpKind::kBarrier || younger.kind == OpKind::kBarrier;
      if (NeedsThroughPure(stream, OpIndex(y), OpIndex(x)) ||
          (younger.kind == OpKind::kWait && younger.partner == OpIndex(x)) || (!pure && barrier)) {
        return true;
      }
    }
  }
  return false;
}

// Versions of bytes. A version is the op that wrote the byte; what is in LRAM before is undefined,
// what an eviction leaves behind is garbage.
class BruteContents {
 public:
  static constexpr int kUndefined = -1;
  static constexpr int kGarbage = -2;
  using Bytes = std::vector<int>;

  explicit BruteContents(const Stream& stream) : stream_(stream) {
    for (uint32_t b = 0; b < stream.buffer_count(); ++b) {
      lram_.push_back(Bytes(stream.buffer(BufferIndex(b)).size, kUndefined));
    }
    copy_ = lram_;
    truth_ = lram_;
  }

  // What the reads of an op see, access by access; then it writes.
  std::vector<Bytes> Run(OpIndex op) {
    std::vector<Bytes> seen;
    for (const Access& a : stream_.accesses(op)) {
      Bytes bytes;
      for (uint64_t i = a.begin; a.reads && i < a.end; ++i) bytes.push_back(Of(a)[i]);
      seen.push_back(bytes);
    }
    for (const Access& a : stream_.accesses(op)) {
      for (uint64_t i = a.begin; a.writes && i < a.end; ++i) {
        Of(a)[i] = static_cast<int>(op.value());
        truth_[a.buffer.value()][i] = static_cast<int>(op.value());
      }
    }
    return seen;
  }
  void Store(uint32_t b) { copy_[b] = lram_[b]; }
  void Evict(uint32_t b) { lram_[b].assign(lram_[b].size(), kGarbage); }
  void Load(uint32_t b) { lram_[b] = OneConstant(b) ? truth_[b] : copy_[b]; }

 private:
  Bytes& Of(const Access& a) { return lram_[a.buffer.value()]; }

  // Whether one load from constants wrote all that has been written of this buffer.
  bool OneConstant(uint32_t b) const {
    std::set<int> writers(truth_[b].begin(), truth_[b].end());
    writers.erase(kUndefined);
    if (writers.size() != 1) return false;
    const OpIndex op(static_cast<size_t>(*writers.begin()));
    if (stream_.op(op).kind != OpKind::kLoad) return false;
    bool constant = false;
    for (const Access& a : stream_.accesses(op)) {
      if (a.reads && !stream_.buffer(a.buffer).constant) return false;
      constant |= a.reads;
    }
    return constant;
  }

  const Stream& stream_;
  std::vector<Bytes> lram_;   // what is there now; of XRAM buffers too
  std::vector<Bytes> copy_;   // what the last swap store saved
  std::vector<Bytes> truth_;  // as if nothing were ever evicted
};

// Every (op, buffer) that reads a defined byte of the input order and finds something else in the
// placed stream.
inline std::set<Fault> BruteContentFaults(const Stream& stream, const std::vector<OpIndex>& order,
                                          const Placement& placement) {
  std::map<uint32_t, std::vector<BruteContents::Bytes>> expected;
  BruteContents input(stream);
  for (uint32_t i = 0; i < stream.op_count(); ++i) expected[i] = input.Run(OpIndex(i));

  std::set<Fault> faults;
  BruteContents placed(stream);
  size_t next = 0;
  for (uint64_t entry = 0; entry < order.size() + placement.swap_transfers.size(); ++entry) {
    for (const Move& move : placement.moves) {
      if (move.entry == entry && !move.in) placed.Evict(move.buffer.value());
    }
    const SwapTransfer* transfer = nullptr;
    for (const SwapTransfer& t : placement.swap_transfers) {
      if (t.entry == entry) transfer = &t;
    }
    if (transfer != nullptr) {
      transfer->is_store ? placed.Store(transfer->buffer.value())
                         : placed.Load(transfer->buffer.value());
      continue;
    }
    const OpIndex op = order[next++];
    const std::vector<BruteContents::Bytes> seen = placed.Run(op);
    const std::vector<BruteContents::Bytes>& wanted = expected[op.value()];
    for (size_t a = 0; a < seen.size(); ++a) {
      for (size_t i = 0; i < seen[a].size(); ++i) {
        if (wanted[a][i] != BruteContents::kUndefined && wanted[a][i] != seen[a][i]) {
          faults.insert({op.value(), stream.accesses(op)[a].buffer.value()});
        }
      }
    }
  }
  return faults;
}

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_VERIFY_BRUTE_FORCE_H_
