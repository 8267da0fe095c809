// libtorqsched for C++17: torqsched.h with owners, results and functions. Header only; needs the
// standard library and the archive. Conventions, units and messages are those of torqsched.h.
//
// Bytes to bytes:
//
//   torqsched::Result<torqsched::Buffer> response = torqsched::Schedule(request);
//   if (!response.ok()) return Report(response.error().ToString());
//   Use(response->view());
//
// With generated protobuf classes (any with SerializeToString and ParseFromArray):
//
//   torqsched::Result<ScheduleResponse> response = torqsched::Schedule<ScheduleResponse>(request);
//
// With callbacks:
//
//   torqsched::SessionOptions options;
//   options.progress = [](const torqsched::Progress& p) { return p.fraction > 0.5; };  // cancels
//   torqsched::Result<torqsched::Session> session = torqsched::Session::New(std::move(options));
//   torqsched::Result<torqsched::Buffer> response = session->Schedule(request);
//
// Errors are returned, never thrown, unless asked for: value() of a failed result throws. What a
// callback throws ends the call and is thrown by it, on the caller's side, as if the library were
// not between them. Compiles with -fno-exceptions and -fno-rtti too: value() of a failed result
// then aborts. Threads: as in torqsched.h, sessions serve any number of threads, other objects one.
#ifndef TORQSCHED_TORQSCHED_HPP_
#define TORQSCHED_TORQSCHED_HPP_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "torqsched/torqsched.h"

// Objects of differently compiled files must not be mixed up by the linker: neither those of
// another version of this header, nor those with and without exceptions.
#if TORQSCHED_VERSION_MAJOR != 0 || TORQSCHED_VERSION_MINOR != 1
#error "torqsched.hpp is of another version than torqsched.h: see the namespace hpp_0_1"
#endif
#if defined(__cpp_exceptions)
#define TORQSCHED_HPP_EXCEPTIONS 1
#define TORQSCHED_HPP_NAMESPACE hpp_0_1
#else
#define TORQSCHED_HPP_EXCEPTIONS 0
#define TORQSCHED_HPP_NAMESPACE hpp_0_1_no_exceptions
#endif

namespace torqsched {
inline namespace TORQSCHED_HPP_NAMESPACE {

// ---- Fields of messages -------------------------------------------------------------------------

// Reads and writes a message's own fields without protobuf. Where bytes are no message, what stands
// before the first bad one is read.
namespace wire {

// One field: a number, or bytes (a string, a sub-message, a packed list).
struct Field {
  uint32_t number = 0;
  bool is_bytes = false;
  uint64_t value = 0;      // of a number
  std::string_view bytes;  // of bytes
};

// Takes a number off the front of bytes. False where it is cut short or longer than ten bytes.
inline bool ReadVarint(std::string_view* bytes, uint64_t* value) noexcept {
  *value = 0;
  for (size_t i = 0; i < 10 && i < bytes->size(); ++i) {
    const auto byte = static_cast<unsigned char>((*bytes)[i]);
    *value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

// Takes a field off the front of a message. False at its end, and where there is no field.
inline bool ReadField(std::string_view* message, Field* field) noexcept {
  uint64_t tag = 0;
  uint64_t size = 0;
  if (!ReadVarint(message, &tag) || tag > UINT32_MAX || tag < 8) return false;
  *field = Field();
  field->number = static_cast<uint32_t>(tag >> 3);
  switch (tag & 7) {
    case 0:
      return ReadVarint(message, &field->value);
    case 1:
    case 5:
      size = (tag & 7) == 1 ? 8 : 4;
      if (message->size() < size) return false;
      for (size_t i = size; i-- > 0;) {
        field->value = field->value << 8 | static_cast<unsigned char>((*message)[i]);
      }
      break;
    case 2:
      if (!ReadVarint(message, &size) || message->size() < size) return false;
      field->is_bytes = true;
      field->bytes = message->substr(0, static_cast<size_t>(size));
      break;
    default:
      return false;  // groups, which proto3 does not have
  }
  message->remove_prefix(static_cast<size_t>(size));
  return true;
}

// The last number, bool or enum of this field. Nothing where it is unset.
inline std::optional<uint64_t> FindNumber(std::string_view message, uint32_t number) noexcept {
  std::optional<uint64_t> found;
  for (Field field; ReadField(&message, &field);) {
    if (field.number == number && !field.is_bytes) found = field.value;
  }
  return found;
}

// The last string or sub-message of this field, a view into message. Nothing where it is unset.
inline std::optional<std::string_view> FindBytes(std::string_view message,
                                                 uint32_t number) noexcept {
  std::optional<std::string_view> found;
  for (Field field; ReadField(&message, &field);) {
    if (field.number == number && field.is_bytes) found = field.bytes;
  }
  return found;
}

// Its number, 0 where it is unset; its bytes, none where it is unset.
inline uint64_t Number(std::string_view message, uint32_t number) noexcept {
  return FindNumber(message, number).value_or(0);
}
inline std::string_view Bytes(std::string_view message, uint32_t number) noexcept {
  return FindBytes(message, number).value_or(std::string_view());
}

// Adds to a message. Fields may come in any order; messages one after the other are merged.
inline void AddVarint(std::string* message, uint64_t value) {
  for (; value >= 0x80; value >>= 7) message->push_back(static_cast<char>(value | 0x80));
  message->push_back(static_cast<char>(value));
}
inline void AddNumber(std::string* message, uint32_t number, uint64_t value) {
  AddVarint(message, static_cast<uint64_t>(number) << 3);
  AddVarint(message, value);
}
inline void AddBytes(std::string* message, uint32_t number, std::string_view bytes) {
  AddVarint(message, static_cast<uint64_t>(number) << 3 | 2);
  AddVarint(message, bytes.size());
  message->append(bytes);
}

}  // namespace wire

// ---- Buffers and errors -------------------------------------------------------------------------

// Owns bytes that the library allocated.
class Buffer {
 public:
  Buffer() noexcept = default;
  // Takes over what a call of torqsched.h answered.
  explicit Buffer(torqsched_buffer bytes) noexcept : bytes_(bytes) {}
  Buffer(Buffer&& other) noexcept : bytes_(other.Release()) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      torqsched_buffer_free(&bytes_);
      bytes_ = other.Release();
    }
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { torqsched_buffer_free(&bytes_); }

  const char* data() const noexcept { return static_cast<const char*>(bytes_.data); }
  size_t size() const noexcept { return bytes_.size; }
  bool empty() const noexcept { return bytes_.size == 0; }
  // Valid as long as the buffer is.
  std::string_view view() const noexcept { return {data(), size()}; }

  // Gives the bytes to the caller, who frees them with torqsched_buffer_free.
  [[nodiscard]] torqsched_buffer Release() noexcept {
    return std::exchange(bytes_, torqsched_buffer{nullptr, 0});
  }
  // For torqsched.h, as the argument out; what was held is freed first.
  torqsched_buffer* Out() noexcept {
    torqsched_buffer_free(&bytes_);
    return &bytes_;
  }

 private:
  torqsched_buffer bytes_ = {nullptr, 0};
};

// The outcome of a call; see torqsched_code. A newer library's number is kUnknown here.
enum class Code : int32_t {
  kOk = TORQSCHED_OK,
  kCancelled = TORQSCHED_CANCELLED,
  kUnknown = TORQSCHED_UNKNOWN,
  kInvalidArgument = TORQSCHED_INVALID_ARGUMENT,
  kDeadlineExceeded = TORQSCHED_DEADLINE_EXCEEDED,
  kNotFound = TORQSCHED_NOT_FOUND,
  kAlreadyExists = TORQSCHED_ALREADY_EXISTS,
  kPermissionDenied = TORQSCHED_PERMISSION_DENIED,
  kResourceExhausted = TORQSCHED_RESOURCE_EXHAUSTED,
  kFailedPrecondition = TORQSCHED_FAILED_PRECONDITION,
  kAborted = TORQSCHED_ABORTED,
  kOutOfRange = TORQSCHED_OUT_OF_RANGE,
  kUnimplemented = TORQSCHED_UNIMPLEMENTED,
  kInternal = TORQSCHED_INTERNAL,
  kUnavailable = TORQSCHED_UNAVAILABLE,
  kDataLoss = TORQSCHED_DATA_LOSS,
  kUnauthenticated = TORQSCHED_UNAUTHENTICATED,
};

// Its name, such as "INVALID_ARGUMENT"; static text.
inline const char* CodeName(Code code) noexcept {
  return torqsched_code_name(static_cast<torqsched_code>(code));
}

// What went wrong, and where in the request: a torqsched.v1.Error.
struct Error {
  Code code = Code::kUnknown;
  std::string message;  // for people; names the place by itself; may be empty where memory is short
  std::string field;    // such as "stream.ops[12].accesses[1].size"; empty: no one field
  std::optional<uint32_t> op;      // a position in the stream's ops; unset: no one op
  std::optional<uint32_t> buffer;  // a position in the stream's buffers; unset: no one buffer

  // "INVALID_ARGUMENT: op 12 'load w3': ..."
  std::string ToString() const {
    const std::string name = CodeName(code);
    return message.empty() ? name : name + ": " + message;
  }

  // Of a call's code, which is not TORQSCHED_OK, and its answer.
  static Error FromBytes(torqsched_code code, std::string_view bytes) {
    const bool known = code > TORQSCHED_OK && code <= TORQSCHED_UNAUTHENTICATED;
    Error error;
    error.code = known ? static_cast<Code>(code) : Code::kUnknown;
    error.message = std::string(wire::Bytes(bytes, 2));
    error.field = std::string(wire::Bytes(bytes, 3));
    error.op = wire::FindNumber(bytes, 4);  // positions have 32 bits
    error.buffer = wire::FindNumber(bytes, 5);
    return error;
  }
};

#if TORQSCHED_HPP_EXCEPTIONS
// What value() of a failed result throws.
class Exception : public std::runtime_error {
 public:
  explicit Exception(const Error& error)
      : std::runtime_error(error.ToString()), error_(std::make_shared<const Error>(error)) {}
  const Error& error() const noexcept { return *error_; }

 private:
  std::shared_ptr<const Error> error_;  // shared: copying an exception must not throw
};
#endif

// A value, or why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that functions return either.
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT
  // Makes the value in its place.
  template <typename... Arguments>
  explicit Result(std::in_place_t, Arguments&&... arguments)
      : content_(std::in_place_index<0>, std::forward<Arguments>(arguments)...) {}

  bool ok() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  // Only of a result that is ok: the value. value() checks: it throws Exception, or, where there
  // are no exceptions, aborts.
  T& operator*() & noexcept { return *std::get_if<0>(&content_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&content_); }
  T&& operator*() && noexcept { return std::move(*std::get_if<0>(&content_)); }
  T* operator->() noexcept { return std::get_if<0>(&content_); }
  const T* operator->() const noexcept { return std::get_if<0>(&content_); }
  const T& value() const& {
    Check();
    return **this;
  }
  T&& value() && {
    Check();
    return *std::move(*this);
  }

  // Only of a result that is not ok.
  const Error& error() const& noexcept { return *std::get_if<1>(&content_); }
  Error&& error() && noexcept { return std::move(*std::get_if<1>(&content_)); }

  Code code() const noexcept { return ok() ? Code::kOk : error().code; }

 private:
  void Check() const {
    if (ok()) return;
#if TORQSCHED_HPP_EXCEPTIONS
    throw Exception(error());
#else
    std::abort();
#endif
  }

  std::variant<T, Error> content_;
};

// ---- Sessions -----------------------------------------------------------------------------------

enum class LogLevel : int32_t {
  kDebug = TORQSCHED_LOG_DEBUG,
  kInfo = TORQSCHED_LOG_INFO,
  kWarning = TORQSCHED_LOG_WARNING,
  kError = TORQSCHED_LOG_ERROR,
};

// How far a call is.
struct Progress {
  double fraction = 0;                    // of the work done, 0 to 1
  std::optional<uint64_t> best_makespan;  // cycles, of the best answer so far; unset: none in hand
};

// What a session is made from. Callbacks run on the thread of the call; views are valid until they
// return. On a session that several threads use they run on all of them, at once.
struct SessionOptions {
  // What a call remarks, one line. Empty: remarks are dropped.
  std::function<void(LogLevel level, std::string_view message)> log;
  // True cancels the call. Empty: nobody asks.
  std::function<bool(const Progress& progress)> progress;
  // For requests with options.oracle HOST: from an OracleRequest to an OracleResponse. Nothing: the
  // call is given up, with Code::kAborted. Empty: such requests fail.
  std::function<std::optional<std::string>(std::string_view request)> oracle;
  uint64_t memory_limit_bytes = 0;  // of one call; 0: no limit
  uint32_t worker_threads = 0;      // 0: the library chooses; at most 1024
  bool reuse_arenas = false;        // keep the memory of messages for later calls
};

namespace internal {

using Function = decltype(&torqsched_schedule);

inline Result<Buffer> Call(Function function, const torqsched_session* session,
                           std::string_view request) {
  Buffer out;
  const torqsched_code code = function(session, request.data(), request.size(), out.Out());
  if (code != TORQSCHED_OK) return Error::FromBytes(code, out.view());
  return out;
}

// A session and its callbacks, at one place in memory as long as it lives. No exception goes from a
// callback into the library, though it could bear it.
class Host {
 public:
  explicit Host(SessionOptions options) : options_(std::move(options)) {}
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host() { torqsched_session_free(session_); }

  // Makes the session; once.
  torqsched_code Open(torqsched_buffer* error) noexcept {
    torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
    options.user = this;
    if (options_.log) options.log = &OnLog;
    // Asks us now and then: for the host, or so that what a log callback has thrown ends the call.
    // (An oracle's return value ends it.)
    const bool logs_may_throw = TORQSCHED_HPP_EXCEPTIONS != 0 && options_.log;
    if (options_.progress || logs_may_throw) options.progress = &OnProgress;
    if (options_.oracle) options.oracle = &OnOracle;
    options.memory_limit_bytes = options_.memory_limit_bytes;
    options.worker_threads = options_.worker_threads;
    options.reuse_arenas = options_.reuse_arenas ? 1 : 0;
    return torqsched_session_new(&options, &session_, error);
  }
  const torqsched_session* session() const noexcept { return session_; }

  // Calls, and throws what a callback threw meanwhile.
  Result<Buffer> Call(Function function, std::string_view request) const {
#if TORQSCHED_HPP_EXCEPTIONS
    Frame frame(this);
    Result<Buffer> result = internal::Call(function, session_, request);
    if (frame.thrown) std::rethrow_exception(std::move(frame.thrown));
    return result;
#else
    return internal::Call(function, session_, request);
#endif
  }

 private:
#if TORQSCHED_HPP_EXCEPTIONS
  // What a callback of a call on this thread threw. Calls nest: a callback may use other sessions.
  struct Frame {
    explicit Frame(const Host* of) noexcept : host(of), outer(of->innermost_()) {
      host->innermost_() = this;
    }
    ~Frame() { host->innermost_() = outer; }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    const Host* const host;
    Frame* const outer;
    std::exception_ptr thrown;
  };

  // Of this thread. Where symbols are hidden each shared object has its own: a session keeps to
  // that of its maker, as its callbacks do.
  static Frame*& Innermost() noexcept {
    static thread_local Frame* innermost = nullptr;
    return innermost;
  }
  Frame*& (*const innermost_)() = &Innermost;

  // Runs a callback, or, after one of the same call threw, only says that the call is to end.
  template <typename Body>
  static int Guard(void* user, const Body& body) {
    const Host& host = *static_cast<const Host*>(user);
    Frame* frame = host.innermost_();
    while (frame != nullptr && frame->host != user) frame = frame->outer;
    // A program that calls torqsched.h itself: the library handles what is thrown.
    if (frame == nullptr) return body(host.options_);
    if (frame->thrown) return 1;
    try {
      return body(host.options_);
    } catch (...) {
      frame->thrown = std::current_exception();
      // Not an exception of C++: the thread is cancelled or exits, and to stop that is to abort.
      if (!frame->thrown) throw;
      return 1;
    }
  }
#else
  template <typename Body>
  static int Guard(void* user, const Body& body) {
    return body(static_cast<const Host*>(user)->options_);
  }
#endif

  static void OnLog(void* user, int32_t level, const char* message) {
    Guard(user, [&](const SessionOptions& options) {
      options.log(static_cast<LogLevel>(level), message);
      return 0;
    });
  }

  static int OnProgress(void* user, const torqsched_progress* progress) {
    return Guard(user, [&](const SessionOptions& options) {
      if (!options.progress) return 0;
      Progress told;
      told.fraction = progress->fraction;
      if (progress->has_best != 0) told.best_makespan = progress->best_makespan;
      return options.progress(told) ? 1 : 0;
    });
  }

  static int OnOracle(void* user, const void* request, size_t size, torqsched_buffer* response) {
    return Guard(user, [&](const SessionOptions& options) {
      const auto answer = options.oracle({static_cast<const char*>(request), size});
      if (!answer) return true;
      return torqsched_buffer_assign(response, answer->data(), answer->size()) != TORQSCHED_OK;
    });
  }

  const SessionOptions options_;
  torqsched_session* session_ = nullptr;
};

// A call with messages instead of bytes. host: null for a call without a session.
template <typename Response, typename Request>
Result<Response> MessageCall(Function function, const Request& request, const Host* host) {
  std::string bytes;
  if (!request.SerializeToString(&bytes)) {
    return Error{Code::kInvalidArgument, "the request cannot be serialized", {}, {}, {}};
  }
  Result<Buffer> answer = host ? host->Call(function, bytes) : Call(function, nullptr, bytes);
  if (!answer.ok()) return std::move(answer).error();
  Result<Response> response{std::in_place};
  // The library answers no more than 2^31 - 1 bytes. No bytes have no address.
  const char* const data = answer->empty() ? "" : answer->data();
  if (response->ParseFromArray(data, static_cast<int>(answer->size()))) return response;
  return Error{Code::kInternal, "the response is not of the type that was asked for", {}, {}, {}};
}

}  // namespace internal

// Settings that calls share. Immutable: any number of threads may call one at once. It may be moved
// while no call runs, but not called after that; it must not be destroyed while a call runs.
class Session {
 public:
  // Fails with Code::kInvalidArgument where a setting is out of range.
  static Result<Session> New(SessionOptions options) {
    auto host = std::make_unique<internal::Host>(std::move(options));
    Buffer error;
    const torqsched_code code = host->Open(error.Out());
    if (code != TORQSCHED_OK) return Error::FromBytes(code, error.view());
    return Session(std::move(host));
  }

  // Bytes of a request to bytes of a response: see torqsched_schedule and its neighbours.
  Result<Buffer> Schedule(std::string_view request) const {
    return host_->Call(&torqsched_schedule, request);
  }
  Result<Buffer> Simulate(std::string_view request) const {
    return host_->Call(&torqsched_simulate, request);
  }
  Result<Buffer> Allocate(std::string_view request) const {
    return host_->Call(&torqsched_allocate, request);
  }
  Result<Buffer> PlanResidency(std::string_view request) const {
    return host_->Call(&torqsched_plan_residency, request);
  }
  Result<Buffer> PlanWarm(std::string_view request) const {
    return host_->Call(&torqsched_plan_warm, request);
  }
  Result<Buffer> JudgeWarm(std::string_view request) const {
    return host_->Call(&torqsched_judge_warm, request);
  }
  Result<Buffer> PlanTiles(std::string_view request) const {
    return host_->Call(&torqsched_plan_tiles, request);
  }
  Result<Buffer> Lower(std::string_view request) const {
    return host_->Call(&torqsched_lower, request);
  }
  Result<Buffer> Verify(std::string_view request) const {
    return host_->Call(&torqsched_verify, request);
  }

  // Message to message: session.Schedule<ScheduleResponse>(request).
  template <typename Response, typename Request>
  Result<Response> Schedule(const Request& request) const {
    return internal::MessageCall<Response>(&torqsched_schedule, request, host_.get());
  }
  template <typename Response, typename Request>
  Result<Response> Simulate(const Request& request) const {
    return internal::MessageCall<Response>(&torqsched_simulate, request, host_.get());
  }
  template <typename Response, typename Request>
  Result<Response> Allocate(const Request& request) const {
    return internal::MessageCall<Response>(&torqsched_allocate, request, host_.get());
  }
  template <typename Response, typename Request>
  Result<Response> PlanResidency(const Request& request) const {
    return internal::MessageCall<Response>(&torqsched_plan_residency, request, host_.get());
  }
  template <typename Response, typename Request>
  Result<Response> PlanWarm(const Request& request) const {
    return internal::MessageCall<Response>(&torqsched_plan_warm, request, host_.get());
  }
  template <typename Response, typename Request>
  Result<Response> JudgeWarm(const Request& request) const {
    return internal::MessageCall<Response>(&torqsched_judge_warm, request, host_.get());
  }
  template <typename Response, typename Request>
  Result<Response> PlanTiles(const Request& request) const {
    return internal::MessageCall<Response>(&torqsched_plan_tiles, request, host_.get());
  }
  template <typename Response, typename Request>
  Result<Response> Lower(const Request& request) const {
    return internal::MessageCall<Response>(&torqsched_lower, request, host_.get());
  }
  template <typename Response, typename Request>
  Result<Response> Verify(const Request& request) const {
    return internal::MessageCall<Response>(&torqsched_verify, request, host_.get());
  }

  // For torqsched.h; still owned by this. What a callback throws in a call that is made so ends it
  // with TORQSCHED_INTERNAL.
  const torqsched_session* get() const noexcept { return host_->session(); }

 private:
  explicit Session(std::unique_ptr<internal::Host> host) noexcept : host_(std::move(host)) {}

  std::unique_ptr<internal::Host> host_;
};

// ---- Calls without a session --------------------------------------------------------------------

// Bytes of a request to bytes of a response, with the defaults: no callbacks, no limits.
inline Result<Buffer> Schedule(std::string_view request) {
  return internal::Call(&torqsched_schedule, nullptr, request);
}
inline Result<Buffer> Simulate(std::string_view request) {
  return internal::Call(&torqsched_simulate, nullptr, request);
}
inline Result<Buffer> Allocate(std::string_view request) {
  return internal::Call(&torqsched_allocate, nullptr, request);
}
inline Result<Buffer> PlanResidency(std::string_view request) {
  return internal::Call(&torqsched_plan_residency, nullptr, request);
}
inline Result<Buffer> PlanWarm(std::string_view request) {
  return internal::Call(&torqsched_plan_warm, nullptr, request);
}
inline Result<Buffer> JudgeWarm(std::string_view request) {
  return internal::Call(&torqsched_judge_warm, nullptr, request);
}
inline Result<Buffer> PlanTiles(std::string_view request) {
  return internal::Call(&torqsched_plan_tiles, nullptr, request);
}
inline Result<Buffer> Lower(std::string_view request) {
  return internal::Call(&torqsched_lower, nullptr, request);
}
inline Result<Buffer> Verify(std::string_view request) {
  return internal::Call(&torqsched_verify, nullptr, request);
}

// Message to message: torqsched::Schedule<ScheduleResponse>(request).
template <typename Response, typename Request>
Result<Response> Schedule(const Request& request) {
  return internal::MessageCall<Response>(&torqsched_schedule, request, nullptr);
}
template <typename Response, typename Request>
Result<Response> Simulate(const Request& request) {
  return internal::MessageCall<Response>(&torqsched_simulate, request, nullptr);
}
template <typename Response, typename Request>
Result<Response> Allocate(const Request& request) {
  return internal::MessageCall<Response>(&torqsched_allocate, request, nullptr);
}
template <typename Response, typename Request>
Result<Response> PlanResidency(const Request& request) {
  return internal::MessageCall<Response>(&torqsched_plan_residency, request, nullptr);
}
template <typename Response, typename Request>
Result<Response> PlanWarm(const Request& request) {
  return internal::MessageCall<Response>(&torqsched_plan_warm, request, nullptr);
}
template <typename Response, typename Request>
Result<Response> JudgeWarm(const Request& request) {
  return internal::MessageCall<Response>(&torqsched_judge_warm, request, nullptr);
}
template <typename Response, typename Request>
Result<Response> PlanTiles(const Request& request) {
  return internal::MessageCall<Response>(&torqsched_plan_tiles, request, nullptr);
}
template <typename Response, typename Request>
Result<Response> Lower(const Request& request) {
  return internal::MessageCall<Response>(&torqsched_lower, request, nullptr);
}
template <typename Response, typename Request>
Result<Response> Verify(const Request& request) {
  return internal::MessageCall<Response>(&torqsched_verify, request, nullptr);
}

// ---- Versions -----------------------------------------------------------------------------------

// The library's version, such as "0.1.0"; static text.
inline std::string_view Version() noexcept { return torqsched_version(); }

// Whether the library serves this header; worth asking once where it is a shared one.
inline bool HeaderMatchesLibrary() noexcept { return TORQSCHED_CHECK_HEADER() == TORQSCHED_OK; }

}  // namespace TORQSCHED_HPP_NAMESPACE
}  // namespace torqsched

#endif  // TORQSCHED_TORQSCHED_HPP_
