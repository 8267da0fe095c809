/* Schedules a stream with an allocator of its own, cancels a call, and is told of bad bytes.
 *
 *   cc -Isdk/include examples/c/main.c -Lsdk/lib -ltorqsched -lstdc++ -lm -lpthread -o sdk/host
 *   sdk/host sdk/share/torqsched/streams/worked-example-1.binpb
 *
 * With the distribution in sdk; the file is a torqsched.v1.ScheduleRequest. wire.h knows fields by
 * their numbers; a host with a protobuf runtime uses that. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <torqsched/torqsched.h>

#include "wire.h"

typedef struct compiler { /* what the callbacks get as their user pointer */
  int asked, told, cancels;
} compiler;

/* Anything but 0 cancels the call. */
static int on_progress(void* user, const torqsched_progress* progress) {
  compiler* host = (compiler*)user;
  return (void)progress, ++host->told, host->cancels;
}

/* An oracle: OracleRequest to OracleResponse. Places whatever fits in LRAM by its sum of bytes, as
 * if there were no gaps; a real one would ask the compiler's own allocator. Its request is a
 * SimulateRequest too: stream, hardware, order, starts and slices have the same numbers. */
static int on_oracle(void* user, const void* request, size_t size, torqsched_buffer* response) {
  unsigned char answer[32], *end = answer;
  torqsched_buffer price;
  torqsched_code code = torqsched_simulate(NULL, request, size, &price);
  ++((compiler*)user)->asked;
  if (code == TORQSCHED_OK) {
    const wire_bytes hardware = wire_message(wire_view(request, size), 2);
    const uint64_t room = wire_number(hardware, 2) - wire_number(hardware, 3);
    const wire_bytes simulated = wire_view(price.data, price.size);
    if (wire_number(simulated, 2) <= room) {             /* peak_live_bytes */
      end = wire_put(end, 1, 1);                         /* placed */
      end = wire_put(end, 3, wire_number(simulated, 1)); /* makespan */
    }
    code = torqsched_buffer_assign(response, answer, (size_t)(end - answer));
  }
  torqsched_buffer_free(&price);
  return code; /* TORQSCHED_OK is 0; anything else gives the call up */
}

/* Makes a call and prints what comes of it: a ScheduleResponse, or an Error, to a file. */
static torqsched_code schedule(const torqsched_session* session, const void* request, size_t size,
                               FILE* errors) {
  torqsched_buffer out;
  const torqsched_code code = torqsched_schedule(session, request, size, &out);
  const wire_bytes answer = wire_view(out.data, out.size);
  if (code == TORQSCHED_OK) {
    const int fits = wire_has(answer, 14), placed = wire_has(answer, 8);
    wire_print(stdout, wire_message(wire_message(wire_view(request, size), 1), 1)); /* its name */
    printf(": %" PRIu64 " cycles in the input order%s, ",
           wire_number(answer, fits ? 14 : 9), /* bar; else input_makespan, without any swaps */
           fits ? "" : " (not placed)");
    if (placed) printf("%" PRIu64, wire_number(answer, 8)); /* allocated_makespan */
    printf("%s, lower bound %" PRIu64 "\n", placed ? " as scheduled" : "not placed",
           wire_number(wire_message(answer, 15), 1));
  } else { /* the message may be empty, where there was no memory for it */
    fprintf(errors, "%s: ", torqsched_code_name(code));
    wire_print(errors, wire_message(answer, 2));
    fprintf(errors, "\n");
  }
  torqsched_buffer_free(&out);
  return code;
}

int main(int argc, char** argv) {
  static unsigned char request[(1 << 26) + 4];
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  torqsched_session* session = NULL;
  compiler host = {0, 0, 0};
  torqsched_code code;
  size_t size = wire_read_argument(argc, argv, request, sizeof request - 4);
  /* Messages that stand one after the other are merged: this sets options.oracle to HOST. */
  memcpy(request + size, "\x1a\x02\x10\x02", 4);
  size += 4;

  options.user = &host;
  options.progress = on_progress;
  options.oracle = on_oracle;
  code = torqsched_session_new(&options, &session, NULL);
  if (code != TORQSCHED_OK) return fprintf(stderr, "%s\n", torqsched_code_name(code)), 1;
  code = schedule(session, request, size, stderr);
  if (code == TORQSCHED_OK) {
    printf("oracle asked %d times, progress told %d times\n", host.asked, host.told);
    host.cancels = 1;
    printf("cancelled: ");
    schedule(session, request, size, stdout);
    printf("bad bytes: ");
    schedule(NULL, "no ScheduleRequest", 18, stdout);
  }
  torqsched_session_free(session);
  return code == TORQSCHED_OK ? 0 : 1;
}
