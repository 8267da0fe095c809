// For each load, whom it loads for: what the list scheduler's reserve asks.
//
// A load's destinations are the LRAM buffers that it writes. Its consumer is the first program
// after it, in input order, that reads any byte of one of them. One walk from the last op to the
// first, which remembers for each buffer the next program that reads it. Linear.
//
// Source: docs/semantics.md, section 4, rule 3.
#ifndef TORQSCHED_SRC_GRAPH_LOAD_CONSUMERS_H_
#define TORQSCHED_SRC_GRAPH_LOAD_CONSUMERS_H_

#include <cstdint>
#include <vector>

#include "src/graph/lifetimes.h"
#include "src/stream/stream.h"

namespace torqsched {

class LoadConsumers {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  LoadConsumers(const Stream& stream, const Lifetimes& lifetimes);

  // Position among lifetimes.programs() of a start; kNone for what is none.
  uint32_t ordinal(OpIndex op) const { return facts_[op].ordinal; }
  // Ordinal of a load's consumer; kNone if there is none.
  uint32_t consumer(OpIndex load) const { return facts_[load].consumer; }
  // Of a load with a destination that has bytes and that a program older than its consumer uses:
  // its position among all such loads; kNone for any other op.
  uint32_t sharing(OpIndex load) const { return facts_[load].sharing; }
  uint32_t sharing_count() const { return sharing_count_; }
  // The LRAM buffers that a load writes, each once, ascending. Empty for other ops.
  Run<BufferIndex> destinations(OpIndex load) const { return destinations_[load.value()]; }

 private:
  struct Facts {
    uint32_t ordinal = kNone;
    uint32_t consumer = kNone;
    uint32_t sharing = kNone;
  };
  IndexVector<OpIndex, Facts> facts_;
  Rows<BufferIndex> destinations_;
  uint32_t sharing_count_ = 0;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_GRAPH_LOAD_CONSUMERS_H_
