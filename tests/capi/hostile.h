// What tests of hostile requests share: numbers at their edges, and that any answer can be read.
#ifndef TORQSCHED_TESTS_CAPI_HOSTILE_H_
#define TORQSCHED_TESTS_CAPI_HOSTILE_H_

#include <cstdint>
#include <string>

#include "google/protobuf/message.h"
#include "tests/capi/calls.h"
#include "tests/capi/streams.h"

namespace torqsched {
namespace testing {

inline constexpr uint64_t kEdges[] = {0,
                                      1,
                                      2,
                                      7,
                                      63,
                                      64,
                                      65,
                                      0x7fffffff,
                                      0x80000000,
                                      UINT32_MAX,
                                      uint64_t{1} << 32,
                                      INT64_MAX,
                                      uint64_t{1} << 63,
                                      UINT64_MAX - 1,
                                      UINT64_MAX};

// Bytes in, a code and a readable message out; the code.
torqsched_code ExpectReadable(const Call& call, const std::string& request);

// One to four bytes become others.
void FlipBytes(Random* random, std::string* bytes);

// A number of the request becomes an edge, whichever it is: the message is walked by its schema.
void SetSomeEdge(Random* random, google::protobuf::Message* message);

}  // namespace testing
}  // namespace torqsched

#endif  // TORQSCHED_TESTS_CAPI_HOSTILE_H_
