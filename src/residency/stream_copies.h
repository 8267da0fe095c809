// Which transfers of a stream copy what is there already: the rules of stream_binding.h, but for
// what only all streams together show.
#ifndef TORQSCHED_SRC_RESIDENCY_STREAM_COPIES_H_
#define TORQSCHED_SRC_RESIDENCY_STREAM_COPIES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/residency/bound_stream.h"
#include "src/stream/index.h"
#include "src/stream/stream.h"

namespace torqsched {

// Bytes of an XRAM buffer and of a resident one that a transfer copies, one way or the other.
struct StreamCopy {
  OpIndex op;
  BufferIndex mirror;
  BufferIndex resident;
  uint64_t mirror_begin = 0;
  uint64_t resident_begin = 0;
  uint64_t bytes = 0;
  bool load = false;
};

// What a buffer of a stream is.
enum class Residence : uint8_t {
  kNone,
  kResident,
  kTable,  // resident, and an own table
};

class StreamCopies {
 public:
  // residence: by buffer. Both must outlive it. Cost: O(n log n) in accesses.
  StreamCopies(const Stream& stream, const IndexVector<BufferIndex, Residence>& residence);

  // In input order.
  const std::vector<StreamCopy>& copies() const { return copies_; }
  // The rule that a copy breaks; kNone: it keeps all.
  KeptReason WhyKept(const StreamCopy& copy) const {
    const KeptReason reason = spoiled_[copy.mirror];
    return reason != KeptReason::kNone ? reason : spoiled_[copy.resident];
  }
  // Whether something about a resident buffer breaks a rule, copies or not.
  bool Spoiled(BufferIndex b) const { return spoiled_[b] != KeptReason::kNone; }
  // Transfers that touch a resident buffer and are no copies.
  const std::vector<OpIndex>& others() const { return others_; }

 private:
  std::optional<StreamCopy> CopyOf(OpIndex o) const;
  void Spoil(BufferIndex b, KeptReason reason) {
    if (spoiled_[b] == KeptReason::kNone) spoiled_[b] = reason;
  }
  void ListCopies();
  void CheckRepeats();
  void CheckOneToOne();
  template <typename Side>
  void CheckSide(std::vector<uint32_t>* order, Side side);
  void CheckStoredBack();

  // Bytes [begin, end) of a resident buffer that something other than a load writes.
  struct Write {
    BufferIndex buffer;
    OpIndex op;
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  const Stream& stream_;
  const IndexVector<BufferIndex, Residence>& residence_;
  std::vector<StreamCopy> copies_;
  std::vector<OpIndex> others_;
  std::vector<Write> writes_;                     // in input order
  IndexVector<BufferIndex, OpIndex> used_;        // by what is no load first; nothing: by none
  IndexVector<BufferIndex, KeptReason> spoiled_;  // why no copy of it is redundant
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_STREAM_COPIES_H_
