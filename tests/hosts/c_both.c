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
  void (*buffer_free)(torqsched_buffer*);
  torqsched_code (*session_new)(const torqsched_session_options*, torqsched_session**,
                                torqsched_buffer*);
  void (*session_free)(torqsched_session*);
  torqsched_code (*check_abi)(uint32_t);
} copy;

static const copy archive = {torqsched_schedule,    torqsched_plan_residency, torqsched_buffer_free,
                             torqsched_session_new, torqsched_session_free,   torqsched_check_abi};

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

static int has(const torqsched_buffer* bytes, const char* part) {
  const char* const data = (const char*)bytes->data;
  const size_t size = strlen(part);
  size_t i;
  for (i = 0; i + size <= bytes->size; ++i) {
    if (memcmp(data + i, part, size) == 0) return 1;
  }
  return 0;
}

static void check_plans(const copy* of, const torqsched_session* session) {
  torqsched_buffer out;
  require(of->plan_residency(session, plan, sizeof plan - 1, &out) == TORQSCHED_OK, "it plans");
  /* The response begins with its only program, which begins with its tiers: SRAM. */
  require(out.size > 5 && memcmp((const char*)out.data + 2, "\x0a\x01\x01", 3) == 0, "on chip");
  require(has(&out, "\x22\x03\x08\x84\x07"), "900 bytes move in SRAM, and none elsewhere");
  of->buffer_free(&out);
  require(of->plan_residency(session, twice, sizeof twice - 1, &out) == TORQSCHED_INVALID_ARGUMENT,
          "names differ");
  require(has(&out, "\x1a\x1bprograms[0].tensors[1].name"), "the error's field says where");
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
