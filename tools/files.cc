#include "tools/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace torqsched {
namespace tools {
namespace {

struct Ending {
  absl::string_view text;
  Format format;
};
constexpr Ending kEndings[] = {
    {".txtpb", Format::kText}, {".textproto", Format::kText}, {".pbtxt", Format::kText},
    {".json", Format::kJson},  {".binpb", Format::kBinary},   {".pb", Format::kBinary},
    {".bin", Format::kBinary},
};

// Why the last call on a file failed.
std::string Reason() { return std::strerror(errno); }

}  // namespace

std::optional<Format> FormatNamed(absl::string_view name) {
  if (name == "text") return Format::kText;
  if (name == "json") return Format::kJson;
  if (name == "binary") return Format::kBinary;
  return std::nullopt;
}

std::optional<Format> FormatOfFile(absl::string_view path) {
  for (const Ending& ending : kEndings) {
    if (absl::EndsWith(path, ending.text)) return ending.format;
  }
  return std::nullopt;
}

Format GuessFormat(absl::string_view bytes) {
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(bytes);
  if (!text.empty() && text[0] == '{') return Format::kJson;
  for (char c : bytes.substr(0, 4096)) {
    if (absl::ascii_iscntrl(c) && !absl::ascii_isspace(c)) return Format::kBinary;
  }
  return Format::kText;
}

std::string ShownPath(const std::string& path) { return path == "-" ? "<stdin>" : path; }

Failure ReadFile(const std::string& path, std::string* bytes) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) return InputFailure(absl::StrCat(ShownPath(path), ": ", Reason()));
  char block[1 << 16];
  size_t count;
  while ((count = std::fread(block, 1, sizeof(block), file)) != 0) bytes->append(block, count);
  const bool bad = std::ferror(file) != 0;
  const std::string reason = bad ? Reason() : "";
  if (file != stdin) std::fclose(file);
  if (bad) return InputFailure(absl::StrCat(ShownPath(path), ": ", reason));
  return {};
}

Failure WriteFile(const std::string& path, absl::string_view bytes) {
  const bool standard = path == "-";
  std::FILE* file = standard ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) return OurFailure(absl::StrCat(path, ": ", Reason()));
  bool good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  good = std::fflush(file) == 0 && good;
  const std::string reason = good ? "" : Reason();
  if (!standard && std::fclose(file) != 0 && good) {
    return OurFailure(absl::StrCat(path, ": ", Reason()));
  }
  if (!good) return OurFailure(absl::StrCat(standard ? "<stdout>" : path, ": ", reason));
  return {};
}

}  // namespace tools
}  // namespace torqsched
