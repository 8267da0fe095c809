// A second implementation of STREAM_SCHEDULE, to hold the first one against.
//
// It is slow and literal: the rules of docs/semantics.md written down one by one, with the simplest
// data structures there are (sentences that comments quote are the rules' definitions, which that
// page gives in other words). Dependences come
// from comparing all pairs of accesses, lifetimes from asking after each op whether every user is
// out, free ranges from a list of taken ones. It shares the plain types of streams, hardware and
// answers with the library, and no code: not the graph, the clock, the address space or the
// oracle.
//
// Streams are small (tens of ops): the cost of a call is cubic in the ops and worse.
#ifndef TORQSCHED_TESTS_REFERENCE_REFERENCE_H_
#define TORQSCHED_TESTS_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/index.h"
#include "src/stream/placement.h"
#include "src/stream/stream.h"

namespace torqsched::reference {

// What is wrong with an input whose stream could be built (section 1).
enum class InvalidKind : uint8_t {
  kSlice,        // a slice that the hardware does not have
  kTooLarge,     // a used LRAM buffer larger than every region of usable LRAM
  kFixedBeyond,  // a used fixed range that lies in no one region of usable LRAM
  kOption,       // an option out of range
  kRace,         // two conflicting accesses in flight
  kCycles,       // the cycles of the stream do not fit 64 bits
};

struct Invalid {
  InvalidKind kind = InvalidKind::kOption;
  OpIndex op;          // absent where it is about no op
  BufferIndex buffer;  // likewise
  std::string message;
};

// Everything that is wrong, in no order that anybody may rely on; empty: the input is valid.
std::vector<Invalid> ReferenceInvalid(const Stream& stream, const Hardware& hardware,
                                      const ScheduleOptions& options);

// The program that `start` begins is in flight at `other`, a younger op before its wait, and the
// two touch the same bytes of the buffer, at least one of them writing.
struct Race {
  OpIndex start;
  OpIndex other;
  BufferIndex buffer;
};

// All of them, by start, then by the other op.
std::vector<Race> ReferenceRaces(const Stream& stream);

// The edges of section 2, (A, B): A is emitted before B. None that others imply is left out,
// but for those that pass through pure ops: ReferenceNeeds has them.
std::set<std::pair<OpIndex, OpIndex>> ReferenceEdges(const Stream& stream);

// Row B: whether B needs A, directly or through others. Only for streams without races.
std::vector<std::vector<bool>> ReferenceNeeds(const Stream& stream);

// LRAM buffers that this op uses (section 2): it accesses them, or needs their alloc through pure
// ops only. Empty for pure ops.
std::set<BufferIndex> ReferenceUses(const Stream& stream, OpIndex op);

struct Priced {
  uint64_t makespan = 0;
  uint64_t peak = 0;  // most live bytes at once, not rounded
};

// The input's order, and the input's slices.
std::vector<OpIndex> InputOrder(const Stream& stream);
IndexVector<OpIndex, uint8_t> InputSlices(const Stream& stream);

// Section 3: the price of an order, no swaps.
Priced ReferenceSimulate(const Stream& stream, const Hardware& hardware,
                         const std::vector<OpIndex>& order,
                         const IndexVector<OpIndex, uint8_t>& slices);

// Section 5: the three caps, in bytes.
std::vector<uint64_t> ReferenceCaps(const Hardware& hardware, const ScheduleOptions& options);

// Section 4: the list schedule for one cap. Its steps are recorded if options.explain.
Schedule ReferenceListSchedule(const Stream& stream, const Hardware& hardware,
                               const ScheduleOptions& options, uint64_t cap);

// The allocator oracle SEQUENTIAL. An answer that is not placed has its failure and nothing else.
Placement ReferenceSequential(const Stream& stream, const Hardware& hardware,
                              const std::vector<OpIndex>& order,
                              const IndexVector<OpIndex, uint8_t>& slices, bool swaps_allowed);

// Section 5: the choice, with oracle SEQUENTIAL. Lower bound, timeline and statistics are not
// filled in: the semantics do not say what they are.
ScheduleAnswer ReferenceScheduleStream(const Stream& stream, const Hardware& hardware,
                                       const ScheduleOptions& options);

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_REFERENCE_H_
