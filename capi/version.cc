// What the archive is, and the proof that the header's structures lie in memory as every binding in
// another language was told: a change to an offset does not compile.
#include <cstddef>
#include <cstdint>

#include "torqsched/torqsched.h"

namespace {

#define TORQSCHED_AT(type, member, offset) \
  static_assert(offsetof(type, member) == (offset), #type "." #member " has moved")

// On every platform with 64-bit pointers. Members are only ever added behind the last one.
static_assert(sizeof(void*) == 8 && sizeof(size_t) == 8, "64-bit platforms only");
static_assert(sizeof(torqsched_code) == 4, "a code is 32 bits wide");
TORQSCHED_AT(torqsched_buffer, data, 0);
TORQSCHED_AT(torqsched_buffer, size, 8);
static_assert(sizeof(torqsched_buffer) == 16, "torqsched_buffer never grows");
TORQSCHED_AT(torqsched_progress, struct_size, 0);
TORQSCHED_AT(torqsched_progress, fraction, 8);
TORQSCHED_AT(torqsched_progress, best_makespan, 16);
TORQSCHED_AT(torqsched_progress, has_best, 24);
TORQSCHED_AT(torqsched_session_options, struct_size, 0);
TORQSCHED_AT(torqsched_session_options, user, 8);
TORQSCHED_AT(torqsched_session_options, log, 16);
TORQSCHED_AT(torqsched_session_options, progress, 24);
TORQSCHED_AT(torqsched_session_options, oracle, 32);
TORQSCHED_AT(torqsched_session_options, memory_limit_bytes, 40);
TORQSCHED_AT(torqsched_session_options, worker_threads, 48);
TORQSCHED_AT(torqsched_session_options, reuse_arenas, 52);
static_assert(sizeof(torqsched_session_options) == 56, "says session.cc what 0.1 had");

#undef TORQSCHED_AT

}  // namespace

extern "C" const char* torqsched_version(void) { return TORQSCHED_VERSION; }

extern "C" uint32_t torqsched_abi_version(void) { return TORQSCHED_ABI_VERSION; }

extern "C" torqsched_code torqsched_check_abi(uint32_t header_abi_version) {
  const uint32_t major = header_abi_version / 1000;
  const uint32_t minor = header_abi_version % 1000;
  if (major != TORQSCHED_VERSION_MAJOR) return TORQSCHED_FAILED_PRECONDITION;
  const bool serves =
      major == 0 ? minor == TORQSCHED_VERSION_MINOR : minor <= TORQSCHED_VERSION_MINOR;
  return serves ? TORQSCHED_OK : TORQSCHED_FAILED_PRECONDITION;
}

extern "C" const char* torqsched_code_name(torqsched_code code) {
  switch (code) {
    case TORQSCHED_OK:
      return "OK";
    case TORQSCHED_CANCELLED:
      return "CANCELLED";
    case TORQSCHED_INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case TORQSCHED_DEADLINE_EXCEEDED:
      return "DEADLINE_EXCEEDED";
    case TORQSCHED_NOT_FOUND:
      return "NOT_FOUND";
    case TORQSCHED_ALREADY_EXISTS:
      return "ALREADY_EXISTS";
    case TORQSCHED_PERMISSION_DENIED:
      return "PERMISSION_DENIED";
    case TORQSCHED_RESOURCE_EXHAUSTED:
      return "RESOURCE_EXHAUSTED";
    case TORQSCHED_FAILED_PRECONDITION:
      return "FAILED_PRECONDITION";
    case TORQSCHED_ABORTED:
      return "ABORTED";
    case TORQSCHED_OUT_OF_RANGE:
      return "OUT_OF_RANGE";
    case TORQSCHED_UNIMPLEMENTED:
      return "UNIMPLEMENTED";
    case TORQSCHED_INTERNAL:
      return "INTERNAL";
    case TORQSCHED_UNAVAILABLE:
      return "UNAVAILABLE";
    case TORQSCHED_DATA_LOSS:
      return "DATA_LOSS";
    case TORQSCHED_UNAUTHENTICATED:
      return "UNAUTHENTICATED";
    default:
      return "UNKNOWN";
  }
}
