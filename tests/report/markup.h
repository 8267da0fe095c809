// What tests of reports share: counting pieces of a text, a text without its columns, and whether
// an SVG document is well formed.
#ifndef TORQSCHED_TESTS_REPORT_MARKUP_H_
#define TORQSCHED_TESTS_REPORT_MARKUP_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace torqsched {
namespace report {

inline size_t Count(const std::string& text, const std::string& piece) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(piece, at)) != std::string::npos; at += piece.size()) ++count;
  return count;
}

// Each run of white space as one space: a table without its columns.
inline std::string Squeezed(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space || out.empty() || out.back() != ' ') out.push_back(space ? ' ' : c);
  }
  return out;
}

// The end of a tag that begins at `at`, and its name in *name; npos where it is malformed.
inline size_t EndOfTag(const std::string& xml, size_t at, std::string* name) {
  const size_t end = xml.find('>', at);
  if (end == std::string::npos) return end;
  const std::string tag = xml.substr(at + 1, end - at - 1);
  if (Count(tag, "<") != 0 || Count(tag, "\"") % 2 != 0) return std::string::npos;
  *name = tag.substr(0, tag.find_first_of(" /", 1));
  return end;
}

// Whether tags are balanced, and nothing is in the text that XML does not allow there.
inline testing::AssertionResult IsXml(const std::string& xml) {
  std::vector<std::string> open;
  for (size_t at = 0; at < xml.size(); ++at) {
    const unsigned char c = static_cast<unsigned char>(xml[at]);
    if (c < 0x20 && c != '\n') return testing::AssertionFailure() << "control at " << at;
    if (xml.compare(at, 3, "\xef\xbf\xbf") == 0) return testing::AssertionFailure() << "U+FFFF";
    if (c == '&') {
      bool known = false;
      for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;"}) {
        known = known || absl::StartsWith(xml.substr(at, 6), entity);
      }
      if (!known) return testing::AssertionFailure() << "entity: " << xml.substr(at, 20);
    }
    if (c != '<') continue;
    std::string name;
    const size_t end = EndOfTag(xml, at, &name);
    if (end == std::string::npos) return testing::AssertionFailure() << xml.substr(at, 80);
    if (name[0] == '/') {
      if (open.empty() || open.back() != name.substr(1)) {
        return testing::AssertionFailure() << "unbalanced " << name;
      }
      open.pop_back();
    } else if (xml[end - 1] != '/') {
      open.push_back(name);
    }
    at = end;
  }
  if (!open.empty()) return testing::AssertionFailure() << "open: " << open.back();
  return testing::AssertionSuccess();
}

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_TESTS_REPORT_MARKUP_H_
