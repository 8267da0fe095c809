/* libtorqsched: the order of an accelerator's control stream, decided outside the compiler.
 *
 * A compiler hands over a control stream (transfers, programs, waits, barriers) and the numbers of
 * a chip; the library answers with an order of the ops, a slice for each program, a placement of
 * the LRAM buffers and a price in cycles. Requests and responses are protobuf messages of package
 * torqsched.v1; their .proto files lie beside this header, in torqsched/v1/. The library changes no
 * program and runs on no device.
 *
 *   torqsched_buffer out;
 *   torqsched_code code = torqsched_schedule(NULL, request, request_size, &out);
 *   if (code == TORQSCHED_OK) use_schedule_response(out.data, out.size);
 *   else report_error(out.data, out.size);
 *   torqsched_buffer_free(&out);
 *
 * (use_schedule_response and report_error are your own functions, not the library's: they parse the
 * bytes, a torqsched.v1.ScheduleResponse or a torqsched.v1.Error, with a protobuf runtime.)
 *
 * Conventions, which the declarations below do not repeat:
 *
 *  1. Shape. Every call takes a session (NULL: the defaults), the bytes of one request message, and
 *     a buffer for the answer. It returns a code and always sets *out.
 *  2. Answers. With TORQSCHED_OK *out holds a serialized response message. With any other code it
 *     holds a serialized torqsched.v1.Error: the same code, a message for people, the path of the
 *     field at fault, and the op and buffer it is about, where there is one. It is empty
 *     ({NULL, 0}) where there was no memory left to say more. A response of no bytes is legal as
 *     well (all fields at their defaults).
 *  3. Requests. Bytes are read during the call only, need no alignment, and may be freed after it.
 *     NULL is accepted where the size is 0. A request is at most 2^31 - 1 bytes: more of them, or
 *     of a response, is TORQSCHED_RESOURCE_EXHAUSTED. Fields this version does not know are
 *     ignored. A request is about something: a stream, which may be empty, a timeline, rounds, a
 *     table. So no bytes at all are no request, except of torqsched_allocate, torqsched_plan_tiles
 *     and torqsched_plan_residency, to which they are no buffers, loops and programs. It is checked
 *     whole before work begins; the first thing wrong is TORQSCHED_INVALID_ARGUMENT.
 *  4. Ownership. *out is overwritten, not read: it need not be initialised, and whatever it owned
 *     before is lost. The caller frees it with torqsched_buffer_free, whatever the code. Nothing
 *     else changes hands, and no memory of the library is kept between calls except in a session.
 *  5. Threads. Every function may be called from any thread at any time. Sessions are immutable:
 *     one may serve any number of calls at once. A buffer belongs to one thread at a time. A child
 *     process after fork may make calls, on the sessions that it has inherited as well.
 *  6. Nothing else crosses. No C++ exception, abort, signal, line on a standard stream, environment
 *     variable, file, locale or mutable global state is visible to the host or looked at. Bad
 *     bytes, hostile numbers and failed allocations are codes.
 *  7. Same request, same bytes: on every run, thread count and machine, for one version of the
 *     library. (Answers that depend on a host's callback are as deterministic as the callback; one
 *     that a time limit cut short says so.)
 *  8. Units. Times are integer cycles of the stream's clock, sizes and offsets are bytes, both
 *     unsigned 64-bit; sums that would not fit are errors, they never wrap. Ops and buffers are
 *     named by position in the request's lists, counted from 0.
 *  9. Growth. Structures that may grow begin with their own size; a newer library serves an older
 *     header of the same major version (see torqsched_check_abi). From 1.0.0 on no name here
 *     changes its meaning.
 */
#ifndef TORQSCHED_TORQSCHED_H_
#define TORQSCHED_TORQSCHED_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define TORQSCHED_API __attribute__((visibility("default")))
#define TORQSCHED_MUST_USE __attribute__((warn_unused_result))
#else
#define TORQSCHED_API
#define TORQSCHED_MUST_USE
#endif

/* The version of this header, by semantic versioning. torqsched_version() is the archive's. */
#define TORQSCHED_VERSION_MAJOR 0
#define TORQSCHED_VERSION_MINOR 1
#define TORQSCHED_VERSION_PATCH 0
#define TORQSCHED_VERSION "0.1.0"

/* The version of the interface that this header describes: major * 1000 + minor. */
#define TORQSCHED_ABI_VERSION (TORQSCHED_VERSION_MAJOR * 1000 + TORQSCHED_VERSION_MINOR)

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Codes ---------------------------------------------------------------------------------- */

/* The outcome of a call: one of the numbers below, which are those of gRPC and absl::StatusCode.
 * What this version returns is said beside each; a host treats an unknown number as UNKNOWN. */
typedef int32_t torqsched_code;

enum {
  TORQSCHED_OK = 0,
  TORQSCHED_CANCELLED = 1,         /* progress said stop before there was anything to keep */
  TORQSCHED_UNKNOWN = 2,           /* not returned */
  TORQSCHED_INVALID_ARGUMENT = 3,  /* the request or an argument is at fault; repeating is no use */
  TORQSCHED_DEADLINE_EXCEEDED = 4, /* not returned */
  TORQSCHED_NOT_FOUND = 5,         /* the hardware profile has no such name */
  TORQSCHED_ALREADY_EXISTS = 6,    /* not returned */
  TORQSCHED_PERMISSION_DENIED = 7, /* not returned */
  TORQSCHED_RESOURCE_EXHAUSTED = 8,  /* out of memory, over the session's limit, over 2 GiB */
  TORQSCHED_FAILED_PRECONDITION = 9, /* re-entered from a callback; oracle HOST without callback */
  TORQSCHED_ABORTED = 10,            /* the host's oracle returned a value other than 0 */
  TORQSCHED_OUT_OF_RANGE = 11,       /* not returned */
  TORQSCHED_UNIMPLEMENTED = 12,      /* asks for what this version does not have */
  TORQSCHED_INTERNAL = 13,           /* a defect in the library, or in the host's oracle response */
  TORQSCHED_UNAVAILABLE = 14,        /* not returned */
  TORQSCHED_DATA_LOSS = 15,          /* not returned */
  TORQSCHED_UNAUTHENTICATED = 16     /* not returned */
};

/* The name of a code, such as "INVALID_ARGUMENT"; "UNKNOWN" for a number that is none. Static
 * text. */
TORQSCHED_API const char* torqsched_code_name(torqsched_code code);

/* ---- Buffers -------------------------------------------------------------------------------- */

/* Bytes that the library allocated. data is NULL where size is 0. To hold a buffer that owns
 * nothing, initialise it with {NULL, 0}. Copying the structure copies no bytes: free one copy
 * only. */
typedef struct torqsched_buffer {
  void* data;
  size_t size; /* bytes */
} torqsched_buffer;

/* Frees what the buffer holds and leaves it {NULL, 0}: a second call does nothing, nor does NULL.
 */
TORQSCHED_API void torqsched_buffer_free(torqsched_buffer* buffer);

/* Replaces what an initialised buffer holds by a copy of data[0, size): how a callback answers.
 * data may be NULL where size is 0, and may point into the buffer itself.
 * TORQSCHED_INVALID_ARGUMENT where an argument is NULL, TORQSCHED_RESOURCE_EXHAUSTED where memory
 * is short: the buffer is then as it was. Linear in size. */
TORQSCHED_API TORQSCHED_MUST_USE torqsched_code torqsched_buffer_assign(torqsched_buffer* buffer,
                                                                        const void* data,
                                                                        size_t size);

/* ---- Sessions ------------------------------------------------------------------------------- */

/* Callbacks. They get the session's user pointer, run on the thread that made the call, one at a
 * time within it (a session that serves several threads is called by all of them), and get pointers
 * that are valid until they return. A callback may make calls on another session or on none; a
 * call on the session it serves is TORQSCHED_FAILED_PRECONDITION, and freeing that session is
 * forbidden. It returns normally: a C++ exception that leaves it ends the call with
 * TORQSCHED_INTERNAL (std::bad_alloc with TORQSCHED_RESOURCE_EXHAUSTED), longjmp out of it is
 * forbidden. */

enum {
  TORQSCHED_LOG_DEBUG = 0,
  TORQSCHED_LOG_INFO = 1,
  TORQSCHED_LOG_WARNING = 2,
  TORQSCHED_LOG_ERROR = 3
};

/* What a call remarks while it works, one line without its end: for people, and not for parsing.
 * message is UTF-8, ends with a zero byte, and belongs to the library. */
typedef void (*torqsched_log_callback)(void* user, int32_t level, const char* message);

/* How far a call is. */
typedef struct torqsched_progress {
  size_t struct_size;     /* bytes that the library filled; members beyond are not there */
  double fraction;        /* of the work done, 0 to 1; never less than before in one call */
  uint64_t best_makespan; /* cycles, of the best answer so far; 0 where has_best is 0 */
  int32_t has_best;       /* 1: an order that the allocator placed is in hand; else 0 */
} torqsched_progress;

/* Returns 0 to go on. Anything else cancels the call, and the callback is not asked again: the best
 * answer so far is given with TORQSCHED_OK in a response that is marked cancelled, or, where there
 * is none (not even the input order has been priced yet, no placement is in hand), the code is
 * TORQSCHED_CANCELLED. Called a few times in torqsched_schedule, now and then while strategy
 * OPTIMIZE searches (best_makespan may then be of an order that the allocator is yet to be asked
 * about) and in torqsched_allocate, first with fraction 0 before the work begins, last with
 * fraction 1 when there is nothing left to cancel. What torqsched_allocate still has to do nobody
 * knows: its fraction is 0 until the end, and it has no best makespan. torqsched_lower reports
 * while it tries budgets (options.tuning), from the second trial on and up to 0.999; told to stop,
 * it gives the best so far. The other calls do not report progress. */
typedef int (*torqsched_progress_callback)(void* user, const torqsched_progress* progress);

/* The host's own allocator, for requests whose options.oracle is HOST. request is a
 * serialized torqsched.v1.OracleRequest: may this order be placed, and what does it cost then? The
 * callback fills *response (empty on entry; torqsched_buffer_assign; the library frees it) with a
 * serialized torqsched.v1.OracleResponse and returns 0, also where the answer is that it cannot be
 * placed. Any other return value gives the call up with TORQSCHED_ABORTED; a response that does not
 * parse or contradicts itself gives TORQSCHED_INTERNAL with a field "oracle_response...". At
 * most 7 times a call; with strategy OPTIMIZE some more for each order that it finds, and, where it
 * has this callback price the orders that it tries, as often as options.work_limit allows, each
 * time counting 64 nodes for each op. */
typedef int (*torqsched_oracle_callback)(void* user, const void* request, size_t request_size,
                                         torqsched_buffer* response);

/* What a session is made from. Start from TORQSCHED_SESSION_OPTIONS_INIT. */
typedef struct torqsched_session_options {
  size_t struct_size;                   /* sizeof(torqsched_session_options) */
  void* user;                           /* handed to the callbacks, not looked at */
  torqsched_log_callback log;           /* NULL: remarks are dropped */
  torqsched_progress_callback progress; /* NULL: none, and calls cannot be cancelled */
  torqsched_oracle_callback oracle;     /* NULL: requests with oracle HOST fail */
  uint64_t memory_limit_bytes;          /* of one call; 0: no limit. See below */
  uint32_t worker_threads;              /* 0: the library chooses; at most 1024. See below */
  uint32_t reuse_arenas;                /* 0 or 1: keep the memory of messages for later calls */
} torqsched_session_options;

/* memory_limit_bytes. The messages of a request are held to the limit while they are parsed. Then,
 * before the work begins, an estimate by count is compared with it:
 *
 *     4 * request_size + 512 * ops + 320 * buffers + 96 * operands + 512 * accesses
 *     (1024 * ops where the request asks for steps or a timeline)
 *
 * to which strategy OPTIMIZE adds
 *
 *     1024 * ops + 16 * (its work limit, 32,000,000 at most) + 67,108,864
 *
 * and an allocation, or the check of one,
 *
 *     1024 * buffers + 256 * (gaps + reserved ranges + boundaries + aliases + pairs)
 *
 * and a plan of residency
 *
 *     1024 * (programs + streams) + 512 * tensors + 384 * accesses of tensors or of tiles
 *     + 512 * (site buffers + carried names + bindings) + 32 * (trip counts + input_bytes_each)
 *
 * (a layer of a network is 3 tensors and 4 accesses, and an access for each of its inputs), to
 * which its strategy OPTIMAL adds
 *
 *     1024 * tensors + the lesser of 402,653,184 and 128 * tensors * (accesses + programs + 1)
 *
 * A plan of warms is estimated as
 *
 *     4 * request_size + 1024 * regions + 512 * runs + 32 * (dimensions + kinds of runs)
 *
 * and for each kind of layer
 *
 *     2048 * (stages + 1) + 1024 * reads + 32 * stages waited for
 *     + layers * (192 + 32 * stages + 384 * reads)
 *     + (the lesser of choices and most_alternatives) * (128 + 16 * reads + 48 * sets)
 *     + 4096 * (1 + sets) with flips
 *     + 1024 * stages + 2048 * reads + 384 * meetings with traces
 *
 * and, of the kind that has the most of it, choices * (128 + 16 * reads + 40 * sets). Layers are
 * those of a forward, of runs that repeat the first 3. Sets are reads with single_regions, else
 * stages that read something; they count as 13 at most, but in choices. These are 1 where there are
 * more than 256 stages; else
 *
 *     (anchors + 1) ^ (sets - split) * (2 * anchors + 1) ^ split + 16 * anchors * sets
 *
 * and at most exact_combinations + 2048. Split is the lesser of sets and reads - sets, anchors are
 * stages that have a task id or write something, and an input. Meetings: for each read the reads of
 * the same region in its kind, 64 at most. A judgement is estimated as
 *
 *     4 * request_size + 48 * (rounds + issues) + 1024 * series + 160 * resamples
 *
 * Tile budgets are estimated as
 *
 *     4 * request_size + 1024 * (loops + 2)
 *
 * and a lowering as
 *
 *     4 * request_size + 8192 * layers + 384 * inputs + 32 * (input_bytes_each + budgets)
 *
 * to which tuning with strategy OPTIMIZE adds
 *
 *     16 * (its work limit, 32,000,000 at most) + 67,108,864
 *
 * and it makes no more programs than what is left of the limit has room for, at 16,384 bytes each,
 * 24,576 where strategy OPTIMIZE tunes. Either way a request that is too large is
 * TORQSCHED_RESOURCE_EXHAUSTED, and the message has the numbers. The estimate is above
 * what calls were measured to take; long lists of swaps, what callbacks allocate, and 8 bytes for
 * each op and buffer that views bring together (at most 2^24 pairs beyond 16 for each op, operand
 * and access) come on top.
 *
 * worker_threads. Accepted for the calls to come; those of this version work on the calling thread
 * only. Answers are the same bytes for any number.
 *
 * reuse_arenas. A session then keeps up to 8 blocks, each as large as the largest request it
 * parsed but at most 64 MiB, until it is freed. Worth it for many small calls. */

#define TORQSCHED_SESSION_OPTIONS_INIT \
  { sizeof(torqsched_session_options), NULL, NULL, NULL, NULL, 0, 0, 0 }

/* Settings that calls share; opaque, immutable once made. */
typedef struct torqsched_session torqsched_session;

/* Makes a session; options are copied. options NULL: the defaults. *session is NULL unless the code
 * is TORQSCHED_OK; free it with torqsched_session_free. error may be NULL; otherwise it gets what
 * convention 2 says, empty on success, and is freed by the caller.
 * TORQSCHED_INVALID_ARGUMENT: session is NULL, struct_size is none that a header ever had, a member
 * is out of range. TORQSCHED_UNIMPLEMENTED: the structure is newer than the archive, and a member
 * that the archive does not know is set. */
TORQSCHED_API TORQSCHED_MUST_USE torqsched_code torqsched_session_new(
    const torqsched_session_options* options, torqsched_session** session, torqsched_buffer* error);

/* Frees a session, which no call may be using. NULL is ignored. */
TORQSCHED_API void torqsched_session_free(torqsched_session* session);

/* ---- Calls ---------------------------------------------------------------------------------- */

/* Orders a stream, gives every program a slice, and has an allocator place the LRAM buffers:
 * torqsched.v1.ScheduleRequest to torqsched.v1.ScheduleResponse. The answer's order is a
 * permutation of all ops and is never slower than the input order by the library's own measure
 * (docs/semantics.md, section 5); where nothing better is found it is the input order. Callbacks:
 * all three. Cost: near-linear in ops, operands and accesses, times at most 3 list schedules and 7
 * runs of the allocator; strategy OPTIMIZE searches on, as long as options.work_limit and
 * options.time_limit_ms allow. Three things in a request multiply it: options.candidates (ready ops
 * that are looked at in each step), ops that use very many buffers (a look tries them all), and
 * buffers whose alignment is larger than the hardware's (each may look at all free ranges). */
TORQSCHED_API TORQSCHED_MUST_USE torqsched_code torqsched_schedule(const torqsched_session* session,
                                                                   const void* request,
                                                                   size_t request_size,
                                                                   torqsched_buffer* out);

/* Prices one order of a stream without placing anything: torqsched.v1.SimulateRequest to
 * torqsched.v1.SimulateResponse. Callbacks: none. Cost: near-linear in ops and accesses. */
TORQSCHED_API TORQSCHED_MUST_USE torqsched_code torqsched_simulate(const torqsched_session* session,
                                                                   const void* request,
                                                                   size_t request_size,
                                                                   torqsched_buffer* out);

/* Gives buffers whose live ranges are known their offsets in one memory, or proves that there are
 * none: torqsched.v1.AllocateRequest to torqsched.v1.AllocateResponse. The buffers are listed in
 * the request, or they are a stream's when its ops run in a given order (docs/semantics.md, section
 * 8). That nothing fits, or that nothing was found within the limits, is not an error of the call:
 * the code is TORQSCHED_OK, and the response has the verdict. Placements that end above 2^62 bytes
 * are not looked for: TORQSCHED_RESOURCE_EXHAUSTED where there are no others. Callbacks: progress.
 * Cost: near-linear in buffers and constraints, but for the search, which options.node_limit and
 * options.time_limit_ms bound; memory is linear. */
TORQSCHED_API TORQSCHED_MUST_USE torqsched_code torqsched_allocate(const torqsched_session* session,
                                                                   const void* request,
                                                                   size_t request_size,
                                                                   torqsched_buffer* out);

/* Says which tensors the on-chip SRAM holds, and which of the others HBM does:
 * torqsched.v1.PlanResidencyRequest to torqsched.v1.PlanResidencyResponse. The tensors are those of
 * programs, or of a network given as a table of layers (docs/residency.md). Callbacks:
 * none. Cost: O(n log n) in tensors, accesses and layers; strategy OPTIMAL searches on, as far as
 * options.node_limit allows. */
TORQSCHED_API TORQSCHED_MUST_USE torqsched_code
torqsched_plan_residency(const torqsched_session* session, const void* request, size_t request_size,
                         torqsched_buffer* out);

/* Says which regions of memory to pull into L2 before they are read, after which stage, and why not
 * the others: torqsched.v1.PlanWarmRequest to torqsched.v1.PlanWarmResponse (docs/warm.md).
 * Callbacks: none. Cost: O(n log n) in stages and reads, and at most options.search_stages
 * simulated stages for the whole request, five times as many with options.flips. */
TORQSCHED_API TORQSCHED_MUST_USE torqsched_code
torqsched_plan_warm(const torqsched_session* session, const void* request, size_t request_size,
                    torqsched_buffer* out);

/* Says what measured rounds with and without a warm show, and whether to ship it:
 * torqsched.v1.JudgeWarmRequest to torqsched.v1.JudgeWarmResponse (docs/warm.md). Callbacks: none.
 * Cost: O(n log n) in all rounds, and for each series O(log n) for each of options.resamples. */
TORQSCHED_API TORQSCHED_MUST_USE torqsched_code
torqsched_judge_warm(const torqsched_session* session, const void* request, size_t request_size,
                     torqsched_buffer* out);

/* Says which part of LRAM each tile loop of a function may use, and how its contractions are cut:
 * torqsched.v1.PlanTilesRequest to torqsched.v1.PlanTilesResponse (docs/tiling.md). Callbacks:
 * none. Cost: linear in the loops. */
TORQSCHED_API TORQSCHED_MUST_USE torqsched_code
torqsched_plan_tiles(const torqsched_session* session, const void* request, size_t request_size,
                     torqsched_buffer* out);

/* Makes a control stream of a network's table, tile by tile: torqsched.v1.LowerRequest to
 * torqsched.v1.LowerResponse (docs/lowering.md). With options.tuning it finds tile budgets by what
 * they earn. Callbacks: progress, while it tries budgets. Cost: near-linear in layers and programs,
 * at most options.most_programs of them; with tuning a lowering and a schedule a trial. */
TORQSCHED_API TORQSCHED_MUST_USE torqsched_code torqsched_lower(const torqsched_session* session,
                                                                const void* request,
                                                                size_t request_size,
                                                                torqsched_buffer* out);

/* Checks an answer against its stream, or against the buffers that were to be placed, independently
 * of what made it: torqsched.v1.VerifyRequest to torqsched.v1.VerifyResponse. A wrong answer is not
 * an error of the call: the code is TORQSCHED_OK, and the response lists the violations. Callbacks:
 * none. Cost: near-linear in the request. */
TORQSCHED_API TORQSCHED_MUST_USE torqsched_code torqsched_verify(const torqsched_session* session,
                                                                 const void* request,
                                                                 size_t request_size,
                                                                 torqsched_buffer* out);

/* ---- Versions ------------------------------------------------------------------------------- */

/* The archive's version, such as "0.1.0". Static text. */
TORQSCHED_API const char* torqsched_version(void);

/* The archive's interface version: major * 1000 + minor. */
TORQSCHED_API uint32_t torqsched_abi_version(void);

/* Whether this archive serves a host that was compiled with a header of that interface version:
 * TORQSCHED_OK, or TORQSCHED_FAILED_PRECONDITION. It does where both have the same major version
 * and the archive's minor version is not lower; before 1.0 both minor versions must be equal. A
 * binding without this header passes the number that it was written for. */
TORQSCHED_API TORQSCHED_MUST_USE torqsched_code torqsched_check_abi(uint32_t header_abi_version);

/* The check, with the version of the header that this file was compiled with: call it once. */
#define TORQSCHED_CHECK_HEADER() torqsched_check_abi(TORQSCHED_ABI_VERSION)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TORQSCHED_TORQSCHED_H_ */
