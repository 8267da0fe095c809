// Where the archive's objects register their destructors (bazel/prelink.sh replaces the C library's
// function by this one): nowhere. What they would destroy is constants of protobuf and Abseil whose
// memory is part of the archive. Run at exit they would be an effect in the host, and pull them
// away from under a thread that is still in a call.
extern "C" int torqsched_ignore_exit(void (*destroy)(void*), void* object, void* library);

extern "C" int torqsched_ignore_exit(void (*)(void*), void*, void*) { return 0; }
