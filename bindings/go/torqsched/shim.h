/* What stands between Go and torqsched.h: calls that know which Go call they are, so that callbacks
 * reach its context, and answers by value, so that a call allocates nothing in Go. */
#ifndef TORQSCHED_GO_SHIM_H_
#define TORQSCHED_GO_SHIM_H_

#include <stddef.h>
#include <stdint.h>
#include <torqsched/torqsched.h>

/* A c-shared library made of Go code exports none of the functions below. It does export the three
 * torqschedGo* of callback.go, and the torqsched_* of the archive as well unless CGO_LDFLAGS has
 * -Wl,--exclude-libs,libtorqsched.a. */
#define TORQSCHED_GO_HIDDEN __attribute__((visibility("hidden")))

enum {
  TORQSCHED_GO_SCHEDULE,
  TORQSCHED_GO_SIMULATE,
  TORQSCHED_GO_ALLOCATE,
  TORQSCHED_GO_PLAN_RESIDENCY,
  TORQSCHED_GO_PLAN_WARM,
  TORQSCHED_GO_JUDGE_WARM,
  TORQSCHED_GO_PLAN_TILES,
  TORQSCHED_GO_LOWER,
  TORQSCHED_GO_VERIFY
};

/* What a call answered. */
typedef struct torqsched_go_answer {
  torqsched_code code;
  torqsched_buffer buffer;    /* freed by torqsched_go_free */
  torqsched_session* session; /* of torqsched_go_new; else NULL */
} torqsched_go_answer;

/* Makes one of the calls above. call is the cgo.Handle that its callbacks get; 0: it has none. */
TORQSCHED_GO_HIDDEN torqsched_go_answer torqsched_go_call(int which,
                                                          const torqsched_session* session,
                                                          const void* request, size_t request_size,
                                                          uintptr_t call);

/* Makes a session. It always has the progress callback, by which contexts cancel. */
TORQSCHED_GO_HIDDEN torqsched_go_answer torqsched_go_new(int log, int oracle,
                                                         uint64_t memory_limit_bytes,
                                                         uint32_t worker_threads,
                                                         uint32_t reuse_arenas);

/* Frees an answer's buffer. (Not the structure as one argument: cgo would put that on Go's heap.)
 */
TORQSCHED_GO_HIDDEN void torqsched_go_free(void* data, size_t size);

#endif /* TORQSCHED_GO_SHIM_H_ */
