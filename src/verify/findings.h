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
#include "src/stream/stream.h"
#include "src/verify/claim.h"

namespace torqsched::verify {

// Describer: has Describe(OpIndex) and Describe(BufferIndex), the names in messages.
template <typename Describer>
class FindingsAbout {
 public:
  explicit FindingsAbout(const Describer& describer) : describer_(describer) {}

  // What is wrong, in pieces that absl::StrCat takes.
  template <typename... Pieces>
  void Add(ViolationKind kind, OpIndex op, BufferIndex buffer, const Pieces&... what) {
    if (++found_ > kMostViolations) return;
    const char* between = op.present() && buffer.present() ? ", " : "";
    const char* colon = op.present() || buffer.present() ? ": " : "";
    listed_.push_back(
        {kind, op, buffer,
         absl::StrCat(op.present() ? describer_.Describe(op) : "", between,
                      buffer.present() ? describer_.Describe(buffer) : "", colon, what...)});
  }

  uint64_t found() const { return found_; }

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
  const Describer& describer_;
  std::vector<Violation> listed_;
  uint64_t found_ = 0;
};

using Findings = FindingsAbout<Stream>;

}  // namespace torqsched::verify

#endif  // TORQSCHED_SRC_VERIFY_FINDINGS_H_
