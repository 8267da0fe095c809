/* Microseconds that a call takes by itself: on a stream without ops, the best of several rounds.
 * overhead.cc and bindings/python/overhead.py print the same lines.
 *
 *   overhead [CALLS]    of a round; 20,000 unset */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <torqsched/torqsched.h>

typedef torqsched_code call(const torqsched_session*, const void*, size_t, torqsched_buffer*);

static long calls = 20000;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void measure(const char* name, call* function, const torqsched_session* session) {
  double best = 1e18;
  int round;
  for (round = 0; round < 5; ++round) {
    const double begin = now();
    long i;
    for (i = 0; i < calls; ++i) {
      torqsched_buffer out;
      if (function(session, "\x0a\x00", 2, &out) != TORQSCHED_OK) exit(1); /* an empty stream */
      torqsched_buffer_free(&out);
    }
    if (now() - begin < best) best = now() - begin;
  }
  printf("C       %-34s%8.2f us\n", name, best / (double)calls);
}

static int on_progress(void* user, const torqsched_progress* progress) {
  (void)user;
  return progress->fraction > 2;
}

int main(int argc, char** argv) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  torqsched_session* session = NULL;
  if (argc > 1) calls = atol(argv[1]);
  measure("simulate, no session", torqsched_simulate, NULL);
  measure("schedule, no session", torqsched_schedule, NULL);
  options.reuse_arenas = 1;
  if (torqsched_session_new(&options, &session, NULL) != TORQSCHED_OK) return 1;
  measure("simulate, session", torqsched_simulate, session);
  measure("schedule, session", torqsched_schedule, session);
  torqsched_session_free(session);
  options.progress = on_progress;
  if (torqsched_session_new(&options, &session, NULL) != TORQSCHED_OK) return 1;
  measure("schedule, session with progress", torqsched_schedule, session);
  torqsched_session_free(session);
  return 0;
}
