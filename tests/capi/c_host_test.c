/* A host in C99 that links libtorqsched.a and nothing else of the project, and uses all of the
 * interface: the stream is worked example 1 of the scheduler (three programs, 410 cycles in the
 * input order, 250 in the best), written by hand on the wire. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/capi/c_host_border.h"
#include "tests/capi/c_host_wire.h"
#include "torqsched/torqsched.h"

static int failures = 0;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

#define CHECK_EQ(got, expected)                                                             \
  do {                                                                                      \
    const unsigned long long got_ = (unsigned long long)(got);                              \
    const unsigned long long expected_ = (unsigned long long)(expected);                    \
    if (got_ != expected_) {                                                                \
      fprintf(stderr, "%s:%d: %s is %llu, expected %llu\n", __FILE__, __LINE__, #got, got_, \
              expected_);                                                                   \
      ++failures;                                                                           \
    }                                                                                       \
  } while (0)

/* ---- The stream ------------------------------------------------------------------------------ */

enum { PURE = 1, LOAD = 2, STORE = 3, START = 4, WAIT = 5, BARRIER = 6 };
enum { READ = 1, WRITE = 2 };

static void add_buffer(wire_writer* stream, const char* name, int lram) {
  wire_writer buffer = {{0}, 0};
  wire_text(&buffer, 1, name);
  wire_number(&buffer, 2, lram ? 2 : 1);
  wire_number(&buffer, 3, 100);
  wire_message(stream, 2, &buffer);
}

/* read and write: positions of buffers, -1 for none. start: of a wait, else -1. */
static void add_op(wire_writer* stream, const char* name, int kind, int cycles, int start, int read,
                   int read_too, int write) {
  const int buffers[3] = {read, read_too, write};
  wire_writer op = {{0}, 0};
  int i;
  wire_text(&op, 1, name);
  wire_number(&op, 2, (uint64_t)kind);
  wire_number(&op, 3, (uint64_t)cycles);
  if (start >= 0) wire_number(&op, 5, (uint64_t)start);
  for (i = 0; i < 3; ++i) {
    wire_writer access = {{0}, 0};
    if (buffers[i] < 0) continue;
    wire_number(&access, 1, (uint64_t)buffers[i]);
    wire_number(&access, 4, i == 2 ? WRITE : READ);
    wire_message(&op, 8, &access);
  }
  wire_message(stream, 3, &op);
}

static void build_stream(wire_writer* stream) {
  static const char* const kNames[10] = {"x1", "x2", "x3", "xo", "w1",
                                         "w2", "w3", "o1", "o2", "o3"};
  int i;
  stream->size = 0;
  wire_text(stream, 1, "worked example 1");
  for (i = 0; i < 10; ++i) add_buffer(stream, kNames[i], i >= 4);
  add_op(stream, "L1", LOAD, 30, -1, 0, -1, 4);
  add_op(stream, "start P1", START, 100, -1, 4, -1, 7);
  add_op(stream, "wait P1", WAIT, 0, 1, -1, -1, -1);
  add_op(stream, "L2", LOAD, 30, -1, 1, -1, 5);
  add_op(stream, "start P2", START, 100, -1, 5, -1, 8);
  add_op(stream, "wait P2", WAIT, 0, 4, -1, -1, -1);
  add_op(stream, "L3", LOAD, 30, -1, 2, -1, 6);
  add_op(stream, "start P3", START, 100, -1, 6, 7, 9);
  add_op(stream, "wait P3", WAIT, 0, 7, -1, -1, -1);
  add_op(stream, "S3", STORE, 20, -1, 9, -1, 3);
}

static void build_hardware(wire_writer* hardware) {
  hardware->size = 0;
  wire_number(hardware, 2, 1000); /* lram_bytes */
  wire_number(hardware, 3, 0);    /* lram_reserved_bytes */
  wire_number(hardware, 4, 1);    /* alignment */
}

/* A schedule, simulate or verify request: all begin with stream and hardware. */
static void build_request(wire_writer* request) {
  wire_writer part;
  request->size = 0;
  build_stream(&part);
  wire_message(request, 1, &part);
  build_hardware(&part);
  wire_message(request, 2, &part);
}

enum { ORACLE_SEQUENTIAL = 1, ORACLE_HOST = 2 };

static void set_oracle(wire_writer* request, int oracle) {
  wire_writer options = {{0}, 0};
  wire_number(&options, 2, (uint64_t)oracle);
  wire_message(request, 3, &options);
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* Checks an Error: its code, and that its message has this text in it. */
static void check_error(const torqsched_buffer* out, torqsched_code code, const char* text) {
  wire_field message;
  char copy[1000];
  CHECK_EQ(wire_get(out->data, out->size, 1, 0), code);
  if (!wire_find(out->data, out->size, 2, &message)) {
    CHECK(!"an error has a message");
    return;
  }
  CHECK(message.size > 0 && message.size < sizeof copy);
  if (message.size >= sizeof copy) return;
  memcpy(copy, message.data, message.size);
  copy[message.size] = '\0';
  if (strstr(copy, text) == NULL) {
    fprintf(stderr, "message \"%s\" does not mention \"%s\"\n", copy, text);
    ++failures;
  }
}

/* Checks that the packed list of varints in this field is the expected one. */
static void check_list(const torqsched_buffer* out, uint32_t number, const uint32_t* expected,
                       size_t count) {
  wire_field field;
  const unsigned char* at;
  size_t i;
  if (!wire_find(out->data, out->size, number, &field)) {
    CHECK(!"the list is there");
    return;
  }
  at = field.data;
  for (i = 0; i < count; ++i) {
    uint64_t value;
    if (!wire_read_varint(&at, field.data + field.size, &value)) {
      CHECK(!"the list is long enough");
      return;
    }
    CHECK_EQ(value, expected[i]);
  }
  CHECK(at == field.data + field.size);
}

/* ---- Callbacks ------------------------------------------------------------------------------- */

typedef struct host {
  const torqsched_session* session;
  int progress_calls;
  int log_calls;
  int oracle_calls;
  int cancel_at;     /* the progress call that cancels, from 1; 0: none */
  int cancel_with;   /* 1: only once there is an answer */
  int oracle_result; /* what the oracle returns */
  int oracle_mode;   /* 0: places; 1: does not place; 2: answers garbage; 3: answers nothing */
  int reenter;       /* call the own session from progress */
  double fraction;
  torqsched_code reentered;
} host;

static void on_log(void* user, int32_t level, const char* message) {
  host* h = (host*)user;
  ++h->log_calls;
  CHECK(level >= TORQSCHED_LOG_DEBUG && level <= TORQSCHED_LOG_ERROR);
  CHECK(message != NULL && message[0] != '\0' && strchr(message, '\n') == NULL);
}

static int on_progress(void* user, const torqsched_progress* progress) {
  host* h = (host*)user;
  ++h->progress_calls;
  CHECK(progress->struct_size >= sizeof(torqsched_progress));
  CHECK(progress->fraction >= h->fraction && progress->fraction <= 1.0);
  h->fraction = progress->fraction;
  CHECK(progress->has_best == 0 || progress->has_best == 1);
  CHECK(progress->has_best == 1 || progress->best_makespan == 0);
  if (h->reenter) {
    torqsched_buffer out;
    wire_writer request;
    build_request(&request);
    h->reentered = torqsched_schedule(h->session, request.bytes, request.size, &out);
    check_error(&out, TORQSCHED_FAILED_PRECONDITION, "callback");
    torqsched_buffer_free(&out);
    CHECK_EQ(torqsched_simulate(NULL, request.bytes, request.size, &out), TORQSCHED_OK);
    torqsched_buffer_free(&out);
  }
  if (h->cancel_at == 0 || h->progress_calls < h->cancel_at) return 0;
  return !h->cancel_with || progress->has_best;
}

static int on_oracle(void* user, const void* request, size_t request_size,
                     torqsched_buffer* response) {
  host* h = (host*)user;
  wire_field order = {0, 0, NULL, 0};
  wire_writer answer = {{0}, 0};
  ++h->oracle_calls;
  CHECK(response->data == NULL && response->size == 0);
  CHECK(wire_find(request, request_size, 3, &order) && order.size == 10);
  if (h->oracle_result != 0) return h->oracle_result;
  if (h->oracle_mode == 0) { /* placed, no swaps, as fast as it is predicted to be */
    wire_field field;
    const int is_the_best_order = order.data[2] == 3;
    CHECK(wire_find(request, request_size, 1, &field));
    wire_number(&answer, 1, 1);
    wire_number(&answer, 3, is_the_best_order ? 250 : 410);
  } else if (h->oracle_mode == 1) {
    wire_number(&answer, 1, 0);
    wire_text(&answer, 5, "the host says no");
  } else if (h->oracle_mode == 2) {
    wire_varint(&answer, 7);
    wire_varint(&answer, 0xffffffff);
  } else {
    return 0;
  }
  CHECK_EQ(torqsched_buffer_assign(response, "first", 5), TORQSCHED_OK);
  CHECK_EQ(torqsched_buffer_assign(response, answer.bytes, answer.size), TORQSCHED_OK);
  return 0;
}

static torqsched_session* make_session(host* h) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  torqsched_session* session = NULL;
  torqsched_buffer error;
  options.user = h;
  options.log = on_log;
  options.progress = on_progress;
  options.oracle = on_oracle;
  options.worker_threads = 2;
  options.memory_limit_bytes = 64 << 20;
  options.reuse_arenas = 1;
  CHECK_EQ(torqsched_session_new(&options, &session, &error), TORQSCHED_OK);
  CHECK(session != NULL && error.data == NULL && error.size == 0);
  h->session = session;
  return session;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_versions(void) {
  CHECK_EQ(TORQSCHED_CHECK_HEADER(), TORQSCHED_OK);
  CHECK_EQ(torqsched_abi_version(), TORQSCHED_ABI_VERSION);
  CHECK(strcmp(torqsched_version(), TORQSCHED_VERSION) == 0);
  CHECK_EQ(torqsched_check_abi(TORQSCHED_ABI_VERSION + 1), TORQSCHED_FAILED_PRECONDITION);
  CHECK_EQ(torqsched_check_abi(TORQSCHED_ABI_VERSION + 1000), TORQSCHED_FAILED_PRECONDITION);
  CHECK(strcmp(torqsched_code_name(TORQSCHED_OK), "OK") == 0);
  CHECK(strcmp(torqsched_code_name(TORQSCHED_UNAUTHENTICATED), "UNAUTHENTICATED") == 0);
  CHECK(strcmp(torqsched_code_name(99), "UNKNOWN") == 0);
}

static void test_buffers(void) {
  torqsched_buffer buffer = {NULL, 0};
  torqsched_buffer_free(NULL);
  torqsched_buffer_free(&buffer);
  CHECK_EQ(torqsched_buffer_assign(NULL, "x", 1), TORQSCHED_INVALID_ARGUMENT);
  CHECK_EQ(torqsched_buffer_assign(&buffer, NULL, 1), TORQSCHED_INVALID_ARGUMENT);
  CHECK_EQ(torqsched_buffer_assign(&buffer, "hello", 5), TORQSCHED_OK);
  CHECK_EQ(buffer.size, 5);
  CHECK_EQ(torqsched_buffer_assign(&buffer, (char*)buffer.data + 1, 4), TORQSCHED_OK);
  CHECK(buffer.size == 4 && memcmp(buffer.data, "ello", 4) == 0);
  CHECK_EQ(torqsched_buffer_assign(&buffer, NULL, 0), TORQSCHED_OK);
  CHECK(buffer.data == NULL && buffer.size == 0);
  torqsched_buffer_free(&buffer);
  torqsched_buffer_free(&buffer);
}

static void test_sessions(void) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  torqsched_session* session = NULL;
  torqsched_buffer error;
  /* What a header of a later version would hand over. */
  struct {
    torqsched_session_options known;
    uint64_t later;
  } newer = {TORQSCHED_SESSION_OPTIONS_INIT, 0};

  torqsched_session_free(NULL);
  CHECK_EQ(torqsched_session_new(NULL, &session, NULL), TORQSCHED_OK);
  CHECK(session != NULL);
  torqsched_session_free(session);

  CHECK_EQ(torqsched_session_new(&options, NULL, &error), TORQSCHED_INVALID_ARGUMENT);
  check_error(&error, TORQSCHED_INVALID_ARGUMENT, "session is NULL");
  torqsched_buffer_free(&error);
  CHECK_EQ(torqsched_session_new(&options, NULL, NULL), TORQSCHED_INVALID_ARGUMENT);

  options.struct_size = 0;
  CHECK_EQ(torqsched_session_new(&options, &session, &error), TORQSCHED_INVALID_ARGUMENT);
  CHECK(session == NULL);
  check_error(&error, TORQSCHED_INVALID_ARGUMENT, "struct_size");
  torqsched_buffer_free(&error);
  torqsched_buffer_free(&error);

  options.struct_size = sizeof options;
  options.worker_threads = 100000;
  CHECK_EQ(torqsched_session_new(&options, &session, &error), TORQSCHED_INVALID_ARGUMENT);
  check_error(&error, TORQSCHED_INVALID_ARGUMENT, "worker_threads");
  torqsched_buffer_free(&error);

  options.worker_threads = 0;
  options.reuse_arenas = 2;
  CHECK_EQ(torqsched_session_new(&options, &session, &error), TORQSCHED_INVALID_ARGUMENT);
  check_error(&error, TORQSCHED_INVALID_ARGUMENT, "reuse_arenas");
  torqsched_buffer_free(&error);

  newer.known.struct_size = sizeof newer;
  CHECK_EQ(torqsched_session_new(&newer.known, &session, NULL), TORQSCHED_OK);
  torqsched_session_free(session);
  newer.later = 1;
  CHECK_EQ(torqsched_session_new(&newer.known, &session, &error), TORQSCHED_UNIMPLEMENTED);
  check_error(&error, TORQSCHED_UNIMPLEMENTED, "offset 56");
  torqsched_buffer_free(&error);
}

static void test_arguments(void) {
  torqsched_buffer out;
  wire_writer request;
  build_request(&request);
  CHECK_EQ(torqsched_schedule(NULL, request.bytes, request.size, NULL), TORQSCHED_INVALID_ARGUMENT);
  CHECK_EQ(torqsched_simulate(NULL, request.bytes, request.size, NULL), TORQSCHED_INVALID_ARGUMENT);
  CHECK_EQ(torqsched_verify(NULL, request.bytes, request.size, NULL), TORQSCHED_INVALID_ARGUMENT);
  CHECK_EQ(torqsched_allocate(NULL, request.bytes, request.size, NULL), TORQSCHED_INVALID_ARGUMENT);
  CHECK_EQ(torqsched_plan_residency(NULL, request.bytes, request.size, NULL),
           TORQSCHED_INVALID_ARGUMENT);
  CHECK_EQ(torqsched_plan_warm(NULL, request.bytes, request.size, NULL),
           TORQSCHED_INVALID_ARGUMENT);
  CHECK_EQ(torqsched_judge_warm(NULL, request.bytes, request.size, NULL),
           TORQSCHED_INVALID_ARGUMENT);
  CHECK_EQ(torqsched_plan_tiles(NULL, request.bytes, request.size, NULL),
           TORQSCHED_INVALID_ARGUMENT);
  CHECK_EQ(torqsched_lower(NULL, request.bytes, request.size, NULL), TORQSCHED_INVALID_ARGUMENT);
  CHECK_EQ(torqsched_schedule(NULL, NULL, 5, &out), TORQSCHED_INVALID_ARGUMENT);
  check_error(&out, TORQSCHED_INVALID_ARGUMENT, "NULL");
  torqsched_buffer_free(&out);
  CHECK_EQ(torqsched_schedule(NULL, NULL, 0, &out), TORQSCHED_INVALID_ARGUMENT);
  check_error(&out, TORQSCHED_INVALID_ARGUMENT, "no stream");
  torqsched_buffer_free(&out);
  CHECK_EQ(torqsched_schedule(NULL, request.bytes, (size_t)1 << 40, &out),
           TORQSCHED_RESOURCE_EXHAUSTED);
  check_error(&out, TORQSCHED_RESOURCE_EXHAUSTED, "2147483647");
  torqsched_buffer_free(&out);
}

/* A ScheduleRequest is an AllocateRequest of its stream: at most three buffers are live at once. */
static void test_allocate(void) {
  torqsched_buffer out;
  wire_writer request;
  build_request(&request);
  CHECK_EQ(torqsched_allocate(NULL, request.bytes, request.size, &out), TORQSCHED_OK);
  CHECK_EQ(wire_get(out.data, out.size, 1, 0), 1); /* placed */
  CHECK_EQ(wire_get(out.data, out.size, 3, 0), 300);
  CHECK_EQ(wire_get(out.data, out.size, 4, 0), 300);
  CHECK_EQ(wire_get(out.data, out.size, 5, 0), 1); /* proven least */
  torqsched_buffer_free(&out);
}

static void add_state(wire_writer* program, const char* name, uint64_t bytes, uint64_t moved) {
  wire_writer tensor = {{0}, 0};
  wire_text(&tensor, 1, name);
  wire_number(&tensor, 2, 2); /* a state */
  wire_number(&tensor, 3, bytes);
  wire_number(&tensor, 4, moved);
  wire_message(program, 4, &tensor);
}

/* 100 bytes of SRAM, a program of two states. */
static void build_residency(wire_writer* request, uint64_t instances) {
  wire_writer target = {{0}, 0};
  wire_writer program = {{0}, 0};
  request->size = 0;
  wire_number(&target, 1, 100); /* sram_bytes */
  wire_number(&target, 3, 1);   /* crossbar */
  wire_message(request, 1, &target);
  wire_text(&program, 1, "layer");
  wire_number(&program, 2, instances);
  add_state(&program, "table", 30, 10);
  add_state(&program, "kv", 40, 100);
  wire_message(request, 2, &program);
}

/* Twice 40 bytes of the denser state fit; twice 30 do not fit beside them. */
static void test_plan_residency(void) {
  static const uint32_t kTiers[2] = {3, 1}; /* DRAM, SRAM */
  torqsched_buffer out;
  torqsched_buffer program;
  wire_writer request;
  wire_field field;

  build_residency(&request, 2);
  CHECK_EQ(torqsched_plan_residency(NULL, request.bytes, request.size, &out), TORQSCHED_OK);
  CHECK(wire_find(out.data, out.size, 1, &field));
  program.data = (void*)field.data;
  program.size = field.size;
  check_list(&program, 1, kTiers, 2);
  CHECK(wire_find(out.data, out.size, 3, &field)); /* the only chip */
  CHECK_EQ(wire_get(field.data, field.size, 2, 0), 100);
  CHECK_EQ(wire_get(field.data, field.size, 4, 0), 80);
  CHECK(wire_find(out.data, out.size, 4, &field)); /* traffic */
  CHECK_EQ(wire_get(field.data, field.size, 1, 0), 200);
  CHECK_EQ(wire_get(field.data, field.size, 3, 0), 20);
  torqsched_buffer_free(&out);

  build_residency(&request, 0);
  CHECK_EQ(torqsched_plan_residency(NULL, request.bytes, request.size, &out),
           TORQSCHED_INVALID_ARGUMENT);
  check_error(&out, TORQSCHED_INVALID_ARGUMENT, "program 0 'layer': 0 instances");
  CHECK(wire_find(out.data, out.size, 3, &field));
  CHECK(field.size == strlen("programs[0].instances") &&
        memcmp(field.data, "programs[0].instances", field.size) == 0);
  torqsched_buffer_free(&out);

  CHECK_EQ(torqsched_plan_residency(NULL, NULL, 0, &out), TORQSCHED_OK); /* no programs */
  CHECK(!wire_find(out.data, out.size, 1, &field));
  torqsched_buffer_free(&out);
}

static void add_bandwidth(wire_writer* hardware, uint32_t field, uint64_t bytes) {
  wire_writer bandwidth = {{0}, 0};
  wire_number(&bandwidth, 1, bytes);
  wire_message(hardware, field, &bandwidth);
}

/* A stage without a task id unless it is an anchor; reads: the only region. */
static void add_stage(wire_writer* kind, uint64_t ns, uint64_t resident_ns, int anchor, int reads) {
  wire_writer stage = {{0}, 0};
  wire_writer read = {{0}, 0};
  wire_number(&stage, 2, ns);
  if (reads) wire_number(&stage, 3, resident_ns);
  if (reads) wire_message(&stage, 4, &read);
  if (anchor) wire_number(&stage, 5, 9000000); /* other_bytes */
  if (anchor) wire_number(&stage, 8, 1);
  wire_message(kind, 3, &stage);
}

/* A megabyte that the third stage reads; the first is an anchor, the second gives it time to land.
 * Memory and engine move 1000 bytes a ns, L2 has 5 MB, a layer brings 10 MB through it. */
static void build_warm(wire_writer* request, uint64_t bytes) {
  wire_writer region = {{0}, 0};
  wire_writer kind = {{0}, 0};
  wire_writer timeline = {{0}, 0};
  wire_writer hardware = {{0}, 0};
  request->size = 0;
  wire_text(&region, 1, "w");
  wire_number(&region, 2, bytes);
  wire_message(&timeline, 2, &region);
  add_stage(&kind, 20000, 0, 1, 0);
  add_stage(&kind, 2000, 0, 0, 0);
  add_stage(&kind, 4000, 1000, 0, 1);
  wire_message(&timeline, 3, &kind);
  wire_message(request, 1, &timeline);
  wire_number(&hardware, 1, 5000000);
  add_bandwidth(&hardware, 4, 1000);
  add_bandwidth(&hardware, 7, 1000);
  wire_number(&hardware, 11, 500); /* issue_ns */
  wire_message(request, 2, &hardware);
}

/* Cold 26000 ns; the third stage takes 3000 less where its megabyte has landed. */
static void test_plan_warm(void) {
  torqsched_buffer out;
  wire_writer request;
  wire_field kind;
  wire_field scope;
  wire_field region;

  build_warm(&request, 1000000);
  CHECK_EQ(torqsched_plan_warm(NULL, request.bytes, request.size, &out), TORQSCHED_OK);
  CHECK_EQ(wire_get(out.data, out.size, 2, 0), 26000); /* cold_ns */
  CHECK_EQ(wire_get(out.data, out.size, 3, 0), 23000); /* warm_ns */
  CHECK_EQ(wire_get(out.data, out.size, 4, 0), (uint64_t)-3000);
  CHECK(wire_find(out.data, out.size, 1, &kind));
  CHECK(wire_find(kind.data, kind.size, 3, &scope));
  CHECK_EQ(wire_get(scope.data, scope.size, 1, 99), 0); /* after the first stage */
  CHECK_EQ(wire_get(scope.data, scope.size, 2, 0), 1);  /* by its task id */
  CHECK(wire_find(scope.data, scope.size, 4, &region));
  CHECK_EQ(wire_get(region.data, region.size, 2, 0), 20500); /* issued */
  CHECK_EQ(wire_get(region.data, region.size, 3, 0), 21500); /* landed */
  torqsched_buffer_free(&out);

  build_warm(&request, 0);
  CHECK_EQ(torqsched_plan_warm(NULL, request.bytes, request.size, &out),
           TORQSCHED_INVALID_ARGUMENT);
  check_error(&out, TORQSCHED_INVALID_ARGUMENT, "region 0 'w': bytes 0");
  torqsched_buffer_free(&out);

  CHECK_EQ(torqsched_plan_warm(NULL, NULL, 0, &out), TORQSCHED_INVALID_ARGUMENT);
  check_error(&out, TORQSCHED_INVALID_ARGUMENT, "timeline: the request has none");
  torqsched_buffer_free(&out);
}

/* So many rounds that are all alike. */
static void add_series(wire_writer* request, int warmed, uint64_t time, int rounds) {
  wire_writer series = {{0}, 0};
  wire_writer times = {{0}, 0};
  int i;
  for (i = 0; i < rounds; ++i) wire_varint(&times, time);
  if (warmed) wire_number(&series, 2, 1);
  wire_message(&series, 3, &times);
  wire_message(request, 1, &series);
}

/* A gain of 10000 of a million, and half a percent is asked for. */
static void test_judge_warm(void) {
  torqsched_buffer out;
  wire_writer request = {{0}, 0};
  wire_field reason;

  add_series(&request, 0, 1000000, 60);
  add_series(&request, 1, 990000, 60);
  CHECK_EQ(torqsched_judge_warm(NULL, request.bytes, request.size, &out), TORQSCHED_OK);
  CHECK_EQ(wire_get(out.data, out.size, 1, 0), 2);    /* ship */
  CHECK_EQ(wire_get(out.data, out.size, 5, 0), 5000); /* least_gain */
  CHECK(wire_find(out.data, out.size, 2, &reason));
  CHECK_EQ(wire_get(reason.data, reason.size, 1, 0), 1); /* the gain is sure */
  CHECK_EQ(wire_get(reason.data, reason.size, 4, 0), (uint64_t)-10000);
  torqsched_buffer_free(&out);

  add_series(&request, 1, 990000, 1);
  CHECK_EQ(torqsched_judge_warm(NULL, request.bytes, request.size, &out),
           TORQSCHED_INVALID_ARGUMENT);
  check_error(&out, TORQSCHED_INVALID_ARGUMENT, "series[2]: card 0 with the warm is series[1]");
  torqsched_buffer_free(&out);

  CHECK_EQ(torqsched_judge_warm(NULL, NULL, 0, &out), TORQSCHED_INVALID_ARGUMENT);
  check_error(&out, TORQSCHED_INVALID_ARGUMENT, "series: none");
  torqsched_buffer_free(&out);
}

/* m rows of 768 bytes by 768 x 3072, in a function whose constants do not fit LRAM. */
static void build_tiles(wire_writer* request, uint64_t m) {
  wire_writer shape = {{0}, 0};
  wire_writer loop = {{0}, 0};
  wire_number(&shape, 2, m);
  wire_number(&shape, 3, 3072);
  wire_number(&shape, 4, 768);
  wire_text(&loop, 1, "head");
  wire_number(&loop, 2, 1); /* a contraction */
  wire_message(&loop, 6, &shape);
  request->size = 0;
  wire_number(request, 2, 4718592);
  wire_message(request, 3, &loop);
}

/* 128 rows are 98,304 bytes: with 16 columns of weights and outputs, and code, within 40 %. */
static void test_plan_tiles(void) {
  torqsched_buffer out;
  wire_writer request = {{0}, 0};
  wire_field loop;

  build_tiles(&request, 128);
  CHECK_EQ(torqsched_plan_tiles(NULL, request.bytes, request.size, &out), TORQSCHED_OK);
  CHECK(wire_find(out.data, out.size, 1, &loop));
  CHECK_EQ(wire_get(loop.data, loop.size, 1, 0), 209203); /* bytes: 40 % of 523,008 */
  CHECK_EQ(wire_get(loop.data, loop.size, 2, 0), 4);      /* the contraction percent */
  CHECK_EQ(wire_get(loop.data, loop.size, 3, 0), 98304 + 12288 + 2048 + 5120);
  torqsched_buffer_free(&out);

  build_tiles(&request, 0);
  CHECK_EQ(torqsched_plan_tiles(NULL, request.bytes, request.size, &out),
           TORQSCHED_INVALID_ARGUMENT);
  check_error(&out, TORQSCHED_INVALID_ARGUMENT, "loop 0 'head': m 0; expected at least 1");
  torqsched_buffer_free(&out);

  CHECK_EQ(torqsched_plan_tiles(NULL, NULL, 0, &out), TORQSCHED_OK); /* no loops */
  CHECK_EQ(out.size, 0);
  torqsched_buffer_free(&out);
}

/* 4 x 8 by 8 x 6 bytes: 192 macs. */
static void build_table(wire_writer* request, uint64_t macs) {
  wire_writer layer = {{0}, 0};
  wire_writer network = {{0}, 0};
  wire_text(&layer, 1, "p");
  wire_text(&layer, 2, "matmul");
  wire_number(&layer, 4, 1); /* input -1, zigzag */
  wire_number(&layer, 5, 32);
  wire_number(&layer, 6, 24);
  wire_number(&layer, 7, 48);
  wire_number(&layer, 12, macs);
  wire_number(&layer, 13, 48);
  wire_message(&network, 2, &layer);
  request->size = 0;
  wire_message(request, 1, &network);
}

static void test_lower(void) {
  torqsched_buffer out;
  wire_writer request = {{0}, 0};
  wire_field layer;
  wire_field stream;

  build_table(&request, 192);
  CHECK_EQ(torqsched_lower(NULL, request.bytes, request.size, &out), TORQSCHED_OK);
  CHECK(wire_find(out.data, out.size, 1, &stream));
  CHECK(wire_find(out.data, out.size, 2, &layer));
  CHECK_EQ(wire_get(layer.data, layer.size, 11, 0), 1);   /* program */
  CHECK_EQ(wire_get(layer.data, layer.size, 12, 0), 192); /* macs */
  CHECK_EQ(wire_get(layer.data, layer.size, 13, 0), 48);  /* bytes of weights */
  CHECK_EQ(wire_get(out.data, out.size, 3, 0), 48);       /* constants */
  torqsched_buffer_free(&out);

  build_table(&request, 193);
  CHECK_EQ(torqsched_lower(NULL, request.bytes, request.size, &out), TORQSCHED_INVALID_ARGUMENT);
  check_error(&out, TORQSCHED_INVALID_ARGUMENT,
              "layer 0 'p': 193 macs; expected a multiple of its 48 weights");
  torqsched_buffer_free(&out);

  CHECK_EQ(torqsched_lower(NULL, NULL, 0, &out), TORQSCHED_INVALID_ARGUMENT);
  check_error(&out, TORQSCHED_INVALID_ARGUMENT, "network: the request has none");
  torqsched_buffer_free(&out);
}

/* Schedule, then verify the answer, then simulate its order. */
static void test_calls(const torqsched_session* session) {
  static const uint32_t kOrder[10] = {0, 1, 3, 4, 6, 2, 7, 5, 8, 9};
  static const uint32_t kStarts[3] = {1, 4, 7};
  static const uint32_t kSlices[3] = {0, 1, 0};
  torqsched_buffer schedule;
  torqsched_buffer out;
  wire_writer request;
  wire_field field;

  build_request(&request);
  set_oracle(&request, ORACLE_SEQUENTIAL);
  CHECK_EQ(torqsched_schedule(session, request.bytes, request.size, &schedule), TORQSCHED_OK);
  CHECK_EQ(wire_get(schedule.data, schedule.size, 9, 0), 410);
  CHECK_EQ(wire_get(schedule.data, schedule.size, 7, 0), 250);
  CHECK_EQ(wire_get(schedule.data, schedule.size, 8, 0), 250);
  check_list(&schedule, 1, kOrder, 10);
  check_list(&schedule, 2, kStarts, 3);
  check_list(&schedule, 3, kSlices, 3);

  build_request(&request);
  wire_bytes(&request, 3, schedule.data, schedule.size);
  CHECK_EQ(torqsched_verify(session, request.bytes, request.size, &out), TORQSCHED_OK);
  CHECK(!wire_find(out.data, out.size, 1, &field)); /* no violations */
  CHECK_EQ(wire_get(out.data, out.size, 2, 0), 250);
  torqsched_buffer_free(&out);

  build_request(&request);
  CHECK(wire_find(schedule.data, schedule.size, 1, &field));
  wire_bytes(&request, 3, field.data, field.size);
  CHECK(wire_find(schedule.data, schedule.size, 2, &field));
  wire_bytes(&request, 4, field.data, field.size);
  CHECK(wire_find(schedule.data, schedule.size, 3, &field));
  wire_bytes(&request, 5, field.data, field.size);
  CHECK_EQ(torqsched_simulate(session, request.bytes, request.size, &out), TORQSCHED_OK);
  CHECK_EQ(wire_get(out.data, out.size, 1, 0), 250);
  torqsched_buffer_free(&out);
  torqsched_buffer_free(&schedule);
}

static void test_callbacks(void) {
  host h = {0};
  torqsched_session* session = make_session(&h);
  torqsched_buffer out;
  wire_writer request;

  test_calls(session);
  CHECK(h.progress_calls > 0);
  CHECK_EQ(h.oracle_calls, 0);

  /* Cancelled at once: nothing to keep. */
  build_request(&request);
  set_oracle(&request, ORACLE_SEQUENTIAL);
  h.fraction = 0;
  h.progress_calls = 0;
  h.cancel_at = 1;
  CHECK_EQ(torqsched_schedule(session, request.bytes, request.size, &out), TORQSCHED_CANCELLED);
  check_error(&out, TORQSCHED_CANCELLED, "cancelled");
  torqsched_buffer_free(&out);

  /* Cancelled once there is an answer: it is kept. */
  h.fraction = 0;
  h.progress_calls = 0;
  h.cancel_with = 1;
  CHECK_EQ(torqsched_schedule(session, request.bytes, request.size, &out), TORQSCHED_OK);
  CHECK_EQ(wire_get(out.data, out.size, 23, 0), 1);
  torqsched_buffer_free(&out);
  h.cancel_at = 0;

  /* A callback that calls its own session. */
  h.fraction = 0;
  h.reenter = 1;
  CHECK_EQ(torqsched_schedule(session, request.bytes, request.size, &out), TORQSCHED_OK);
  CHECK_EQ(h.reentered, TORQSCHED_FAILED_PRECONDITION);
  torqsched_buffer_free(&out);
  h.reenter = 0;
  torqsched_session_free(session);
}

static void test_oracle(void) {
  host h = {0};
  torqsched_session* session = make_session(&h);
  torqsched_buffer out;
  wire_writer request;
  wire_field field;

  build_request(&request);
  set_oracle(&request, ORACLE_HOST);
  CHECK_EQ(torqsched_schedule(session, request.bytes, request.size, &out), TORQSCHED_OK);
  CHECK_EQ(wire_get(out.data, out.size, 8, 0), 250);
  CHECK(h.oracle_calls >= 2 && h.oracle_calls <= 7);
  torqsched_buffer_free(&out);

  h.fraction = 0;
  h.oracle_mode = 1; /* nothing can be placed: the input order stays, not placed */
  CHECK_EQ(torqsched_schedule(session, request.bytes, request.size, &out), TORQSCHED_OK);
  CHECK(!wire_find(out.data, out.size, 8, &field));
  torqsched_buffer_free(&out);

  h.fraction = 0;
  h.oracle_mode = 2;
  CHECK_EQ(torqsched_schedule(session, request.bytes, request.size, &out), TORQSCHED_INTERNAL);
  check_error(&out, TORQSCHED_INTERNAL, "OracleResponse");
  CHECK(wire_find(out.data, out.size, 3, &field));
  CHECK(field.size == strlen("oracle_response") &&
        memcmp(field.data, "oracle_response", field.size) == 0);
  torqsched_buffer_free(&out);

  h.fraction = 0;
  h.oracle_mode = 3; /* no bytes are an OracleResponse too: not placed */
  CHECK_EQ(torqsched_schedule(session, request.bytes, request.size, &out), TORQSCHED_OK);
  torqsched_buffer_free(&out);

  h.fraction = 0;
  h.oracle_result = 42;
  CHECK_EQ(torqsched_schedule(session, request.bytes, request.size, &out), TORQSCHED_ABORTED);
  check_error(&out, TORQSCHED_ABORTED, "42");
  torqsched_buffer_free(&out);
  torqsched_session_free(session);

  CHECK_EQ(torqsched_schedule(NULL, request.bytes, request.size, &out),
           TORQSCHED_FAILED_PRECONDITION);
  check_error(&out, TORQSCHED_FAILED_PRECONDITION, "oracle");
  torqsched_buffer_free(&out);
}

static void test_memory_limit(void) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  torqsched_session* session = NULL;
  torqsched_buffer out;
  wire_writer request;
  options.memory_limit_bytes = 1000;
  CHECK_EQ(torqsched_session_new(&options, &session, NULL), TORQSCHED_OK);
  build_request(&request);
  CHECK_EQ(torqsched_schedule(session, request.bytes, request.size, &out),
           TORQSCHED_RESOURCE_EXHAUSTED);
  check_error(&out, TORQSCHED_RESOURCE_EXHAUSTED, "1000");
  torqsched_buffer_free(&out);
  torqsched_session_free(session);
}

int main(void) {
  test_versions();
  test_buffers();
  test_sessions();
  test_arguments();
  test_allocate();
  test_plan_residency();
  test_plan_warm();
  test_judge_warm();
  test_plan_tiles();
  test_lower();
  test_calls(NULL);
  test_callbacks();
  test_oracle();
  test_memory_limit();
  CHECK_EQ(border_crossings(), 0);
  if (failures != 0) {
    fprintf(stderr, "%d checks failed\n", failures);
    return 1;
  }
  puts("c host: ok");
  return 0;
}
