// The list of violations as it grows. It keeps the first kMostViolations and counts the rest, so
// that a hostile claim cannot make the answer larger than that; every message begins with the op
// and the buffer that it is about.
#ifndef TORQSCHED_SRC_VERIFY_FINDINGS_H_
#define TORQSCHED_SRC_VERIFY_FINDINGS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/verify/verify.h"

namespace torqsched::verify {

class Findings {
 public:
  explicit Findings(const Stream& stream) : stream_(stream) {}

  // What is wrong, in pieces that absl::StrCat takes.
  template <typename... Pieces>
  void Add(ViolationKind kind, OpIndex op, BufferIndex buffer, const Pieces&... what) {
    if (++found_ > kMostViolations) return;
    const char* between = op.present() && buffer.present() ? ", " : "";
    const char* colon = op.present() || buffer.present() ? ": " : "";
    listed_.push_back(
        {kind, op, buffer,
         absl::StrCat(op.present() ? stream_.Describe(op) : "", between,
                      buffer.present() ? stream_.Describe(buffer) : "", colon, what...)});
  }

  std::vector<Violation> Take() && {
    if (found_ > kMostViolations) {
      Violation rest;
      rest.kind = listed_.back().kind;
      rest.message = absl::StrCat("and ", found_ - kMostViolations, " more");
      listed_.push_back(std::move(rest));
    }
    return std::move(listed_);
  }

 private:
  const Stream& stream_;
  std::vector<Violation> listed_;
  uint64_t found_ = 0;
};

}  // namespace torqsched::verify

#endif  // TORQSCHED_SRC_VERIFY_FINDINGS_H_
