// Package cloop is for tests: it makes calls in a loop of C, which is what they take without Go, and
// counts the memory of C.
package cloop

/*
#include <malloc.h>
#include <torqsched/torqsched.h>

// Both loops leave nothing for the library to choose: it would ask the system for the number of
// processors in each call.
static int torqsched_cloop(int calls, const void* request, size_t request_size) {
  int failed = 0;
  torqsched_session* session;
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.worker_threads = 1;
  if (torqsched_session_new(&options, &session, NULL) != TORQSCHED_OK) return calls;
  for (int i = 0; i < calls; ++i) {
    torqsched_buffer out;
    failed += torqsched_schedule(session, request, request_size, &out) != TORQSCHED_OK;
    torqsched_buffer_free(&out);
  }
  torqsched_session_free(session);
  return failed;
}

static size_t torqsched_heap(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
#else
  return 0;
#endif
}
*/
import "C"

import (
	"unsafe"

	_ "libtorqsched/go/torqsched" // links the library
)

// Schedule makes so many calls on a session with one worker thread, with a request which is not
// empty, and returns how many failed.
func Schedule(calls int, request []byte) (failed int) {
	return int(C.torqsched_cloop(C.int(calls), unsafe.Pointer(&request[0]), C.size_t(len(request))))
}

// HeapBytes is how many bytes malloc has given out and not got back, of all threads, those that it
// holds back for each thread included. 0 where the C library does not tell.
func HeapBytes() int64 { return int64(C.torqsched_heap()) }
