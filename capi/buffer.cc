// The bytes that cross the border: allocated with malloc, so that a failed allocation is a value
// and not an exception, and a host's free list is the only one there is.
#include <cstdlib>
#include <cstring>

#include "torqsched/torqsched.h"

extern "C" void torqsched_buffer_free(torqsched_buffer* buffer) {
  if (buffer == nullptr) return;
  std::free(buffer->data);
  buffer->data = nullptr;
  buffer->size = 0;
}

extern "C" torqsched_code torqsched_buffer_assign(torqsched_buffer* buffer, const void* data,
                                                  size_t size) {
  if (buffer == nullptr || (data == nullptr && size != 0)) return TORQSCHED_INVALID_ARGUMENT;
  void* copy = nullptr;
  if (size != 0) {
    copy = std::malloc(size);
    if (copy == nullptr) return TORQSCHED_RESOURCE_EXHAUSTED;
    std::memcpy(copy, data, size);  // before the free: data may lie in the buffer
  }
  std::free(buffer->data);
  buffer->data = copy;
  buffer->size = size;
  return TORQSCHED_OK;
}
