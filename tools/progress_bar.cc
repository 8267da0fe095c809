#include "tools/progress_bar.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "src/report/text.h"

namespace torqsched {
namespace tools {
namespace {

constexpr uint32_t kCells = 30;
constexpr std::chrono::milliseconds kPatience(200);

}  // namespace

ProgressBar::ProgressBar(bool is_long)
    : terminal_(isatty(STDERR_FILENO) != 0),
      is_long_(is_long),
      begin_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::Show(uint32_t permille, std::optional<uint64_t> best) {
  if (!terminal_) return;
  if (!is_long_ && std::chrono::steady_clock::now() - begin_ < kPatience) return;
  const uint32_t done = permille < 1000 ? permille : 1000;
  const uint32_t full = done * kCells / 1000;
  std::string line = absl::StrCat("\r\033[K[", std::string(full, '#'),
                                  std::string(kCells - full, ' '), "] ", done / 10, " %");
  if (best.has_value()) absl::StrAppend(&line, "  best ", report::Grouped(*best), " cycles");
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace tools
}  // namespace torqsched
