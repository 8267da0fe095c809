// What happens to a buffer's contents later in an order: whether an eviction must store them, and
// whether a return must load them.
//
// One list a buffer of the ops that access it, by position in the order. Filled from the back, each
// entry knows whether the contents before it are read before they are wholly overwritten. Cost:
// linear to make, O(log accesses) a question.
#ifndef TORQSCHED_SRC_LRAM_FUTURE_ACCESSES_H_
#define TORQSCHED_SRC_LRAM_FUTURE_ACCESSES_H_

#include <cstdint>
#include <vector>

#include "src/stream/stream.h"

namespace torqsched {

class FutureAccesses {
 public:
  FutureAccesses(const Stream& stream, const std::vector<OpIndex>& order);

  // Whether anything reads the buffer at this position of the order or later, before one op
  // overwrites all of it.
  bool ContentsMatter(BufferIndex buffer, uint32_t position) const;
  // Whether an op at this position or later accesses the buffer, and the first of them does not
  // overwrite all of it: what comes back must be what went out.
  bool NextNeedsContents(BufferIndex buffer, uint32_t position) const;

 private:
  struct Entry {
    uint32_t position;
    bool overwrites;  // reads none of the buffer, and one of its write accesses covers all of it
    bool matters;     // what the buffer holds before this op is read by it or later
  };
  const Entry* At(BufferIndex buffer, uint32_t position) const;

  Rows<Entry> entries_;  // by buffer, by position
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_FUTURE_ACCESSES_H_
