#include "tests/allocation/enumeration.h"

#include <algorithm>
#include <utility>

#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

constexpr uint64_t kTimes = 5;
constexpr uint64_t kSizes = 4;
constexpr uint64_t kKinds = kTimes * (kTimes + 1) / 2 * kSizes;

AllocationBuffer BufferOfKind(uint64_t kind) {
  AllocationBuffer buffer;
  buffer.size = kind % kSizes + 1;
  uint64_t range = kind / kSizes;
  uint64_t lower = 0;
  while (range >= kTimes - lower) range -= kTimes - lower++;
  buffer.live = {lower, lower + range + 1};
  return buffer;
}

// Multisets of `count` out of `kinds`: (kinds + count - 1) over count.
uint64_t Multisets(uint64_t kinds, uint64_t count) {
  uint64_t number = 1;
  for (uint64_t i = 0; i < count; ++i) number = number * (kinds + i) / (i + 1);
  return number;
}

// The buffers as numbers that name them, ascending.
std::vector<uint64_t> Names(const AllocationProblem& problem, bool backward) {
  std::vector<uint64_t> names;
  for (const AllocationBuffer& b : problem.buffers) {
    const uint64_t lower = backward ? kTimes - b.live.upper : b.live.lower;
    const uint64_t upper = backward ? kTimes - b.live.lower : b.live.upper;
    names.push_back((lower * 16 + upper) * 16 + b.size);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

uint64_t ProblemCount(size_t buffers) { return Multisets(kKinds, buffers); }

AllocationProblem ProblemOfNumber(size_t buffers, uint64_t number) {
  AllocationProblem problem;
  reference::SplitMix64 random(number);
  // Kinds descend: the multisets whose largest kind is `kind` come one after the other.
  uint64_t kinds = kKinds;
  for (size_t left = buffers; left > 0; --left) {
    uint64_t kind = 0;
    while (kind + 1 < kinds && number >= Multisets(kind + 1, left)) ++kind;
    number -= kind == 0 ? 0 : Multisets(kind, left);
    problem.buffers.push_back(BufferOfKind(kind));
    kinds = kind + 1;
  }
  for (size_t i = buffers; i > 1; --i) {
    std::swap(problem.buffers[i - 1], problem.buffers[random.Below(i)]);
  }
  return problem;
}

bool IsKept(const AllocationProblem& problem) {
  return Names(problem, false) <= Names(problem, true);
}

}  // namespace torqsched
