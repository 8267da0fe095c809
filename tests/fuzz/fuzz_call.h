// One call of the C interface on fuzzed bytes: whatever they are, the answer must be readable.
#ifndef TORQSCHED_TESTS_FUZZ_FUZZ_CALL_H_
#define TORQSCHED_TESTS_FUZZ_FUZZ_CALL_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "torqsched/torqsched.h"
#include "torqsched/v1/error.pb.h"

namespace torqsched {
namespace fuzz {

using EntryPoint = torqsched_code (*)(const torqsched_session*, const void*, size_t,
                                      torqsched_buffer*);

// Stops the fuzzer here.
[[noreturn]] inline void Found(const std::string& what) {
  std::fprintf(stderr, "found: %s\n", what.c_str());
  __builtin_trap();
}

// Makes the call. Where it is OK the response is in *response; otherwise the answer is checked to
// be an Error that says the same.
template <typename Response>
torqsched_code Call(EntryPoint entry, const uint8_t* data, size_t size, Response* response) {
  torqsched_buffer out;
  const torqsched_code code = entry(nullptr, data, size, &out);
  const int out_size = static_cast<int>(out.size);
  if (code == TORQSCHED_OK) {
    if (!response->ParseFromArray(out.data, out_size)) Found("a response that does not parse");
  } else {
    v1::Error error;
    if (!error.ParseFromArray(out.data, out_size)) Found("an error that does not parse");
    if (static_cast<torqsched_code>(error.code()) != code) Found("an error with another code");
    if (error.message().empty()) Found("an error without a message");
    if (code == TORQSCHED_INTERNAL) Found(error.message());
  }
  torqsched_buffer_free(&out);
  return code;
}

}  // namespace fuzz
}  // namespace torqsched

#endif  // TORQSCHED_TESTS_FUZZ_FUZZ_CALL_H_
