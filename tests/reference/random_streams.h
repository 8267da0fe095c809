// Random streams that are valid, small, and full of trouble.
//
// The same seed and shape give the same stream with every compiler and library: the numbers come
// from a splitmix64 of our own, and no container with an order of its own takes part. LRAM is
// chosen around what the input order needs, so that swaps, fragmentation, failures and second
// passes are common; programs overlap in flight, but never over the same bytes in conflict.
#ifndef TORQSCHED_TESTS_REFERENCE_RANDOM_STREAMS_H_
#define TORQSCHED_TESTS_REFERENCE_RANDOM_STREAMS_H_

#include <cstdint>
#include <deque>
#include <string>

#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"

namespace torqsched::reference {

// The generator of Sebastiano Vigna's splitmix64.c (public domain).
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // 0 to n - 1; n at least 1. The slight bias does not matter here.
  uint64_t Below(uint64_t n) { return Next() % n; }
  uint64_t Between(uint64_t low, uint64_t high) { return low + Below(high - low + 1); }
  bool Percent(uint64_t percent) { return Below(100) < percent; }

 private:
  uint64_t state_;
};

struct Shape {
  enum class Style : uint8_t {
    kMixed,      // everything that a stream may hold, in any combination
    kRealistic,  // tiles: load code, load weights, alloc, start, wait, store
    kAny,        // either, by seed
  };
  Style style = Style::kAny;
  uint32_t most_ops = 40;      // about; at least 1
  uint32_t most_buffers = 10;  // LRAM ones of a mixed stream; at least 1
  bool regions = false;        // LRAM of several regions, where the buffers leave a choice
  bool banks = false;
  bool dma = false;  // engines, transfers that do not block, programs that take bandwidth
};

struct RandomStream {
  std::deque<std::string> names;  // owns what the stream's views point to, also after a move
  Stream stream;
  Hardware hardware;
  ScheduleOptions options;
};

RandomStream MakeRandomStream(uint64_t seed, const Shape& shape);

// One line in the format of the cases: what to keep of a stream that went wrong.
std::string DumpStream(uint64_t seed, const RandomStream& random);

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_RANDOM_STREAMS_H_
