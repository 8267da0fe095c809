#include "tests/capi/counting_heap.h"

#include <cstddef>
#include <cstdlib>
#include <new>

#include "gtest/gtest.h"

extern "C" void* __real_malloc(size_t size);  // NOLINT: the linker's name

namespace torqsched {
namespace testing {

Heap heap;

uint64_t Peak(const Call& call, const std::string& request) {
  torqsched_buffer out;
  const int64_t before = heap.live_bytes;
  heap.peak_bytes = before;
  EXPECT_EQ(call.entry(nullptr, request.data(), request.size(), &out), TORQSCHED_OK);
  const int64_t peak = heap.peak_bytes - before;
  torqsched_buffer_free(&out);
  return static_cast<uint64_t>(peak);
}

}  // namespace testing
}  // namespace torqsched

namespace {

using torqsched::testing::heap;

bool Fails() {
  ++heap.allocations;
  if (heap.fail_in == 0) return false;
  if (heap.fail_in > 1) {
    --heap.fail_in;
    return false;
  }
  if (!heap.keeps_failing) heap.fail_in = 0;
  heap.failed = true;
  return true;
}

constexpr size_t kHead = 16;  // bytes in front of a block, for its size

void* New(size_t size) noexcept {
  if (Fails()) return nullptr;
  char* const block = static_cast<char*>(__real_malloc(size + kHead));
  if (block == nullptr) return nullptr;
  *reinterpret_cast<size_t*>(block) = size;
  ++heap.live;
  heap.live_bytes += static_cast<int64_t>(size);
  if (heap.live_bytes > heap.peak_bytes) heap.peak_bytes = heap.live_bytes;
  return block + kHead;
}

void Delete(void* pointer) noexcept {
  if (pointer == nullptr) return;
  char* const block = static_cast<char*>(pointer) - kHead;
  --heap.live;
  heap.live_bytes -= static_cast<int64_t>(*reinterpret_cast<size_t*>(block));
  std::free(block);
}

}  // namespace

extern "C" void* __wrap_malloc(size_t size) { return Fails() ? nullptr : __real_malloc(size); }

void* operator new(size_t size) {
  void* const pointer = New(size);
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}
void* operator new[](size_t size) { return operator new(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return New(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return New(size); }
void operator delete(void* pointer) noexcept { Delete(pointer); }
void operator delete[](void* pointer) noexcept { Delete(pointer); }
void operator delete(void* pointer, size_t) noexcept { Delete(pointer); }
void operator delete[](void* pointer, size_t) noexcept { Delete(pointer); }
void operator delete(void* pointer, const std::nothrow_t&) noexcept { Delete(pointer); }
void operator delete[](void* pointer, const std::nothrow_t&) noexcept { Delete(pointer); }
