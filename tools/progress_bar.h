// A bar on standard error while a call works; nothing unless that is a terminal, and nothing for
// calls that are done at once. The library tells how far it is a few times a call, so a call that
// is known to be long shows its bar from the first.
#ifndef TORQSCHED_TOOLS_PROGRESS_BAR_H_
#define TORQSCHED_TOOLS_PROGRESS_BAR_H_

#include <chrono>
#include <cstdint>
#include <optional>

namespace torqsched {
namespace tools {

class ProgressBar {
 public:
  explicit ProgressBar(bool is_long);
  ~ProgressBar();  // takes the bar away

  // permille of the work done, cycles of the best answer so far.
  void Show(uint32_t permille, std::optional<uint64_t> best);

 private:
  const bool terminal_;
  const bool is_long_;
  const std::chrono::steady_clock::time_point begin_;
  bool drawn_ = false;
};

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_PROGRESS_BAR_H_
