// A session: the host's settings, copied, and the memory that its calls may share.
//
// Also here: which calls this thread is inside of (CallFrame), because a callback must not call the
// session that it serves.
#ifndef TORQSCHED_CAPI_SESSION_H_
#define TORQSCHED_CAPI_SESSION_H_

#include "capi/memory.h"
#include "torqsched/torqsched.h"

struct torqsched_session {
  torqsched_session_options options;
  // Not a setting, and what is in it shows in no answer: so a const session may use it.
  mutable torqsched::ArenaPool arenas;
};

namespace torqsched {

// Marks that this thread is inside a call on a session, until it is destroyed. Frames of a thread
// form a stack: a callback may call other sessions.
class CallFrame {
 public:
  explicit CallFrame(const torqsched_session* session);
  ~CallFrame();
  CallFrame(const CallFrame&) = delete;
  CallFrame& operator=(const CallFrame&) = delete;

  // Whether this thread is inside a call on the session. Never for NULL, which has no callbacks.
  static bool Inside(const torqsched_session* session);

 private:
  const torqsched_session* const session_;
  const CallFrame* const outer_;
};

}  // namespace torqsched

#endif  // TORQSCHED_CAPI_SESSION_H_
