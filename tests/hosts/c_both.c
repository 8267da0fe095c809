/* A host that is linked with the archive and loads the shared library as well, as a plugin of it
 * might: two copies in one process that know nothing of each other, used in turn and by threads.
 *
 *   c_both REQUEST LIBRARY */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <torqsched/torqsched.h>

/* What of one copy is used. */
typedef struct copy {
  torqsched_code (*schedule)(const torqsched_session*, const void*, size_t, torqsched_buffer*);
  torqsched_code (*plan_residency)(const torqsched_session*, const void*, size_t,
                                   torqsched_buffer*);
  torqsched_code (*plan_warm)(const torqsched_session*, const void*, size_t, torqsched_buffer*);
  torqsched_code (*judge_warm)(const torqsched_session*, const void*, size_t, torqsched_buffer*);
  torqsched_code (*plan_tiles)(const torqsched_session*, const void*, size_t, torqsched_buffer*);
  torqsched_code (*lower)(const torqsched_session*, const void*, size_t, torqsched_buffer*);
  void (*buffer_free)(torqsched_buffer*);
  torqsched_code (*session_new)(const torqsched_session_options*, torqsched_session**,
                                torqsched_buffer*);
  void (*session_free)(torqsched_session*);
  torqsched_code (*check_abi)(uint32_t);
} copy;

static const copy archive = {
    torqsched_schedule,     torqsched_plan_residency, torqsched_plan_warm,   torqsched_judge_warm,
    torqsched_plan_tiles,   torqsched_lower,          torqsched_buffer_free, torqsched_session_new,
    torqsched_session_free, torqsched_check_abi};

static unsigned char request[1 << 16];
static size_t request_size;
static unsigned char expected[1 << 16];
static size_t expected_size;

static void require(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "not so: %s\n", what);
  exit(1);
}

/* ISO C has no conversion from an object's address to a function's. */
static void find(void* library, const char* name, void* function) {
  void* const address = dlsym(library, name);
  require(address != NULL, name);
  memcpy(function, &address, sizeof address);
}

static copy load(void* library) {
  copy loaded;
  find(library, "torqsched_schedule", &loaded.schedule);
  find(library, "torqsched_plan_residency", &loaded.plan_residency);
  find(library, "torqsched_plan_warm", &loaded.plan_warm);
  find(library, "torqsched_judge_warm", &loaded.judge_warm);
  find(library, "torqsched_plan_tiles", &loaded.plan_tiles);
  find(library, "torqsched_lower", &loaded.lower);
  find(library, "torqsched_buffer_free", &loaded.buffer_free);
  find(library, "torqsched_session_new", &loaded.session_new);
  find(library, "torqsched_session_free", &loaded.session_free);
  find(library, "torqsched_check_abi", &loaded.check_abi);
  return loaded;
}

static void check_answer(const copy* of, const torqsched_session* session) {
  torqsched_buffer out;
  require(of->schedule(session, request, request_size, &out) == TORQSCHED_OK, "it schedules");
  require(out.size == expected_size && memcmp(out.data, expected, out.size) == 0, "the same bytes");
  of->buffer_free(&out);
  require(of->schedule(session, "bad", 3, &out) == TORQSCHED_INVALID_ARGUMENT, "bad bytes are bad");
  of->buffer_free(&out);
}

/* Plans for 1000 bytes of SRAM, a crossbar, and a program with one tensor, or with two of one name:
 * y, an activation of 450 bytes that moves 900, written in phase 0 and read in phase 1. */
#define TARGET "\x0a\x05\x08\xe8\x07\x18\x01"
#define TENSOR "\x22\x0b\x0a\x01y\x10\x01\x18\xc2\x03\x20\x84\x07"
#define ACCESSES "\x2a\x02\x20\x01\x2a\x02\x18\x01"
static const char plan[] = TARGET "\x12\x15" TENSOR ACCESSES;
static const char twice[] = TARGET "\x12\x22" TENSOR TENSOR ACCESSES;

/* Weights a and b, 64 and 32 MiB, which the third and the fourth of five stages read, while the
 * last moves 427,819,008 bytes through L2. The first has a task id. */
#define REGIONS                           \
  "\x12\x08\x0a\x01"                      \
  "a\x10\x80\x80\x80\x20\x12\x08\x0a\x01" \
  "b\x10\x80\x80\x80\x10"
#define BEFORE "\x1a\x06\x10\xd0\xfd\x05\x40\x01\x1a\x04\x10\x80\xb5\x18"
#define READERS "\x1a\x06\x10\xa0\x96\x03\x22\x00\x1a\x08\x10\xb0\xea\x01\x22\x02\x08\x01"
#define AFTER "\x1a\x0a\x10\xf0\xd7\x1c\x28\x80\x80\x80\xcc\x01"
static const char warm[] = "\x0a\x42" REGIONS "\x1a\x2c" BEFORE READERS AFTER;

/* Four rounds of 100 ns without the warm, four of 90 with it; two are enough. */
static const char rounds[] =
    "\x0a\x06\x1a\x04"
    "dddd"
    "\x0a\x08\x10\x01\x1a\x04"
    "ZZZZ"
    "\x32\x02\x30\x02";

/* A contraction, 128 x 768 by 768 x 3072, or one without rows; of 16 bits each. Its weight is all
 * the constants there are. */
#define CONSTANTS "\x10\x80\x80\xa0\x02"
#define COLUMNS "\x18\x80\x18\x20\x80\x06\x28\x10\x30\x10\x38\x10"
static const char tiles[] = CONSTANTS "\x1a\x13\x10\x01\x32\x0f\x10\x80\x01" COLUMNS;
static const char no_rows[] = CONSTANTS "\x1a\x10\x10\x01\x32\x0c" COLUMNS;

/* A network of one layer, which makes 128 bytes of 128 that the network is given. The second time
 * with budgets that are tried. */
#define TABLE                \
  "\x0a\x19\x12\x17\x12\x0b" \
  "elementwise\x22\x01\x01\x2a\x02\x80\x01\x30\x80\x01"
static const char table[] = TABLE;
static const char tuned[] = TABLE "\x1a\x02\x3a\x00";

static int has(const torqsched_buffer* bytes, const char* part, size_t size) {
  const char* const data = (const char*)bytes->data;
  size_t i;
  for (i = 0; i + size <= bytes->size; ++i) {
    if (memcmp(data + i, part, size) == 0) return 1;
  }
  return 0;
}
#define HAS(bytes, part) has(bytes, part, sizeof part - 1)

static void check_plans(const copy* of, const torqsched_session* session) {
  torqsched_buffer out;
  require(of->plan_residency(session, plan, sizeof plan - 1, &out) == TORQSCHED_OK, "it plans");
  /* The response begins with its only program, which begins with its tiers: SRAM. */
  require(out.size > 5 && memcmp((const char*)out.data + 2, "\x0a\x01\x01", 3) == 0, "on chip");
  require(HAS(&out, "\x22\x03\x08\x84\x07"), "900 bytes move in SRAM, and none elsewhere");
  of->buffer_free(&out);
  require(of->plan_residency(session, twice, sizeof twice - 1, &out) == TORQSCHED_INVALID_ARGUMENT,
          "names differ");
  require(HAS(&out, "\x1a\x1bprograms[0].tensors[1].name"), "the error's field says where");
  of->buffer_free(&out);
}

static void check_warms(const copy* of, const torqsched_session* session) {
  torqsched_buffer out;
  require(of->plan_warm(session, warm, sizeof warm - 1, &out) == TORQSCHED_OK, "it plans warms");
  require(HAS(&out, "\x08\x00\x10\x01\x18\xd0\xfd\x05"), "after the first stage, by its task id");
  require(HAS(&out, "\x22\x1b\x10\x90\xb9\x07\x18\xde\xe8\x15"),
          "a is issued first, landed at 357,470");
  require(HAS(&out, "\x22\x1d\x08\x01\x10\xd0\xf4\x08\x18\xc5\x80\x1d"), "then b, at 475,205");
  require(HAS(&out, "\x30\x90\x8b\x40\x38\xb8\x85\x3f"), "1,050,000 ns without, 1,032,888 with");
  of->buffer_free(&out);
  require(of->plan_warm(session, "", 0, &out) == TORQSCHED_INVALID_ARGUMENT, "nothing runs");
  require(HAS(&out, "\x1a\x08timeline"), "the error's field says what is not there");
  of->buffer_free(&out);

  require(of->judge_warm(session, rounds, sizeof rounds - 1, &out) == TORQSCHED_OK, "it judges");
  require(out.size > 2 && memcmp(out.data, "\x08\x02", 2) == 0, "to ship");
  require(HAS(&out, "\x22\x21\x08\xf6\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "the median gains 10");
  of->buffer_free(&out);
  require(of->judge_warm(session, "", 0, &out) == TORQSCHED_INVALID_ARGUMENT, "no rounds");
  require(HAS(&out, "\x1a\x06series"), "the error's field says what is not there");
  of->buffer_free(&out);
}

static void check_tiles(const copy* of, const torqsched_session* session) {
  torqsched_buffer out;
  require(of->plan_tiles(session, tiles, sizeof tiles - 1, &out) == TORQSCHED_OK, "it plans tiles");
  require(HAS(&out, "\x08\x80\xf6\x1f\x10\x05"), "523,008 bytes, so that rows stay whole");
  of->buffer_free(&out);
  require(of->plan_tiles(session, no_rows, sizeof no_rows - 1, &out) == TORQSCHED_INVALID_ARGUMENT,
          "no rows");
  require(HAS(&out, "\x1a\x10loops[0].shape.m"), "the error's field says what there are none of");
  of->buffer_free(&out);

  require(of->lower(session, table, sizeof table - 1, &out) == TORQSCHED_OK, "it lowers");
  require(out.size != 0 && *(const char*)out.data == '\x0a', "to a stream");
  require(HAS(&out, "\x58\x01\x70\x80\x01\x80\x01\x80\x28\x88\x01\x80\x01"),
          "one program, 128 bytes and 5120 of code loaded, 128 stored");
  of->buffer_free(&out);
  require(of->lower(session, tuned, sizeof tuned - 1, &out) == TORQSCHED_OK, "it tries budgets");
  require(HAS(&out, "\x58\x01\x70\x80\x01"), "it is one program with any of them");
  of->buffer_free(&out);
  require(of->lower(session, "", 0, &out) == TORQSCHED_INVALID_ARGUMENT, "no table");
  require(HAS(&out, "\x1a\x07network"), "the error's field says what is not there");
  of->buffer_free(&out);
}

/* A callback of one copy calls the other. */
static int on_progress(void* user, const torqsched_progress* progress) {
  (void)progress;
  check_answer((const copy*)user, NULL);
  return 0;
}

static void check_session(const copy* of, const copy* other) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  copy used = *other;
  torqsched_session* session = NULL;
  torqsched_buffer error;
  torqsched_buffer out;
  options.user = &used;
  options.progress = on_progress;
  options.reuse_arenas = 1;
  require(of->session_new(&options, &session, &error) == TORQSCHED_OK, "a session is made");
  check_answer(of, session);
  check_plans(of, NULL);
  check_plans(of, session);
  check_warms(of, NULL);
  check_warms(of, session);
  check_tiles(of, NULL);
  check_tiles(of, session);
  of->session_free(session);
  options.worker_threads = 100000;
  require(of->session_new(&options, &session, &error) == TORQSCHED_INVALID_ARGUMENT, "a bad one");
  of->buffer_free(&error);
  options.worker_threads = 0;
  options.memory_limit_bytes = 100; /* an exception inside */
  require(of->session_new(&options, &session, NULL) == TORQSCHED_OK, "a small one");
  require(of->schedule(session, request, request_size, &out) == TORQSCHED_RESOURCE_EXHAUSTED,
          "the limit holds");
  of->buffer_free(&out);
  of->session_free(session);
}

static void* work(void* user) {
  int i;
  for (i = 0; i < 200; ++i) check_answer((const copy*)user, NULL);
  return NULL;
}

int main(int argc, char** argv) {
  FILE* const file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  torqsched_buffer out;
  int round, i;
  require(file != NULL, "usage: c_both REQUEST LIBRARY");
  request_size = fread(request, 1, sizeof request, file);
  fclose(file);
  require(torqsched_schedule(NULL, request, request_size, &out) == TORQSCHED_OK, "it schedules");
  require(out.size != 0 && out.size <= sizeof expected, "the answer is as small as the example's");
  expected_size = out.size;
  memcpy(expected, out.data, out.size);
  torqsched_buffer_free(&out);

  for (round = 0; round < 3; ++round) { /* it may be unloaded and loaded again */
    void* const library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    pthread_t threads[4];
    copy copies[2];
    require(library != NULL, "the library loads");
    copies[0] = archive;
    copies[1] = load(library);
    require(copies[1].schedule != archive.schedule, "there are two copies");
    require(copies[1].check_abi(TORQSCHED_ABI_VERSION) == TORQSCHED_OK, "they are of one version");
    check_session(&copies[0], &copies[1]);
    check_session(&copies[1], &copies[0]);
    for (i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, &copies[i % 2]);
    for (i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    require(dlclose(library) == 0, "the library unloads");
    check_answer(&archive, NULL);
  }
  puts("both: ok");
  return 0;
}
