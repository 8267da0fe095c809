#include "bench/heap_meter.h"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

bool g_counts = false;
int64_t g_held = 0;
int64_t g_peak = 0;

void* Take(size_t size) {
  void* bytes = std::malloc(size == 0 ? 1 : size);
  if (bytes == nullptr) std::abort();
  if (g_counts) {
    g_held += static_cast<int64_t>(malloc_usable_size(bytes));
    g_peak = std::max(g_peak, g_held);
  }
  return bytes;
}

void GiveBack(void* bytes) {
  if (g_counts) g_held -= static_cast<int64_t>(malloc_usable_size(bytes));
  std::free(bytes);
}

}  // namespace

void* operator new(size_t size) { return Take(size); }
void* operator new[](size_t size) { return Take(size); }
void operator delete(void* bytes) noexcept { GiveBack(bytes); }
void operator delete[](void* bytes) noexcept { GiveBack(bytes); }
void operator delete(void* bytes, size_t) noexcept { GiveBack(bytes); }
void operator delete[](void* bytes, size_t) noexcept { GiveBack(bytes); }

namespace torqsched::bench {

uint64_t PeakHeapBytes(const std::function<void()>& run) {
  g_held = 0;
  g_peak = 0;
  g_counts = true;
  run();
  g_counts = false;
  return static_cast<uint64_t>(g_peak);
}

}  // namespace torqsched::bench
