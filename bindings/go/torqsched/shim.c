#include "shim.h"

#include "_cgo_export.h"

/* The innermost Go call of this thread. A session knows its callbacks but not which call they run
 * in; they run on the thread that made the call, and so the thread knows. (A goroutine keeps its
 * thread from its call into C until that returns, callbacks included.) Calls that callbacks make on
 * other sessions form a stack on their thread, as the C frames do. */
static __thread uintptr_t innermost_call;

static void log_to_go(void* user, int32_t level, const char* message) {
  (void)user;
  if (innermost_call != 0) torqschedGoLog(innermost_call, level, (char*)message);
}

/* Most calls have no context that can be done and no callback: they need not enter Go. */
static int progress_to_go(void* user, const torqsched_progress* progress) {
  (void)user;
  if (innermost_call == 0) return 0;
  return torqschedGoProgress(innermost_call, progress->fraction, progress->best_makespan,
                             progress->has_best);
}

static int oracle_to_go(void* user, const void* request, size_t request_size,
                        torqsched_buffer* response) {
  (void)user;
  return torqschedGoOracle(innermost_call, (void*)request, request_size, response);
}

torqsched_go_answer torqsched_go_call(int which, const torqsched_session* session,
                                      const void* request, size_t request_size, uintptr_t call) {
  torqsched_go_answer answer = {TORQSCHED_INTERNAL, {NULL, 0}, NULL};
  const uintptr_t outer_call = innermost_call;
  innermost_call = call;
  switch (which) {
    case TORQSCHED_GO_SCHEDULE:
      answer.code = torqsched_schedule(session, request, request_size, &answer.buffer);
      break;
    case TORQSCHED_GO_SIMULATE:
      answer.code = torqsched_simulate(session, request, request_size, &answer.buffer);
      break;
    case TORQSCHED_GO_ALLOCATE:
      answer.code = torqsched_allocate(session, request, request_size, &answer.buffer);
      break;
    case TORQSCHED_GO_PLAN_RESIDENCY:
      answer.code = torqsched_plan_residency(session, request, request_size, &answer.buffer);
      break;
    case TORQSCHED_GO_PLAN_WARM:
      answer.code = torqsched_plan_warm(session, request, request_size, &answer.buffer);
      break;
    case TORQSCHED_GO_JUDGE_WARM:
      answer.code = torqsched_judge_warm(session, request, request_size, &answer.buffer);
      break;
    case TORQSCHED_GO_PLAN_TILES:
      answer.code = torqsched_plan_tiles(session, request, request_size, &answer.buffer);
      break;
    case TORQSCHED_GO_LOWER:
      answer.code = torqsched_lower(session, request, request_size, &answer.buffer);
      break;
    case TORQSCHED_GO_VERIFY:
      answer.code = torqsched_verify(session, request, request_size, &answer.buffer);
      break;
  }
  innermost_call = outer_call;
  return answer;
}

torqsched_go_answer torqsched_go_new(int log, int oracle, uint64_t memory_limit_bytes,
                                     uint32_t worker_threads, uint32_t reuse_arenas) {
  torqsched_go_answer answer = {TORQSCHED_INTERNAL, {NULL, 0}, NULL};
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.log = log ? log_to_go : NULL;
  options.progress = progress_to_go;
  options.oracle = oracle ? oracle_to_go : NULL;
  options.memory_limit_bytes = memory_limit_bytes;
  options.worker_threads = worker_threads;
  options.reuse_arenas = reuse_arenas;
  answer.code = torqsched_session_new(&options, &answer.session, &answer.buffer);
  return answer;
}

void torqsched_go_free(void* data, size_t size) {
  torqsched_buffer buffer = {data, size};
  torqsched_buffer_free(&buffer);
}
