// How a command ends: its exit status, and the one line that standard error gets.
#ifndef TORQSCHED_TOOLS_FAILURE_H_
#define TORQSCHED_TOOLS_FAILURE_H_

#include <string>
#include <utility>

namespace torqsched {
namespace tools {

enum ExitStatus {
  kSuccess = 0,
  kInputAtFault = 1,  // a file's contents, or what a check found in them
  kUsage = 2,         // the command line
  kOurs = 3,          // anything else: memory, a full disk, a defect
};

struct Failure {
  ExitStatus status = kSuccess;
  std::string line;  // without its end; empty: nothing to say

  bool failed() const { return status != kSuccess; }
};

inline Failure InputFailure(std::string line) { return {kInputAtFault, std::move(line)}; }
inline Failure UsageFailure(std::string line) { return {kUsage, std::move(line)}; }
inline Failure OurFailure(std::string line) { return {kOurs, std::move(line)}; }

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_FAILURE_H_
