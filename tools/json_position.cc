#include "tools/json_position.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace torqsched {
namespace tools {
namespace {

constexpr int kDeepest = 100;  // as deep as protobuf's reader goes

// Walks a text value by value, keeping the path of the value it is at.
class Walker {
 public:
  Walker(absl::string_view text, absl::string_view wanted) : text_(text), wanted_(wanted) {}

  // Whether the whole text is well formed; stops at the wanted path.
  bool Walk() {
    if (!Value(0)) return false;
    Blank();
    return at_ == text_.size();
  }

  size_t at() const { return at_; }
  std::optional<size_t> found() const { return found_; }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void Blank() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
  }

  bool Take(char c) {
    Blank();
    if (Peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  // What begins at `begin` has the path that path_ says.
  bool Reached(size_t begin) {
    if (wanted_.empty() || path_ != wanted_) return false;
    found_ = begin;
    return true;
  }

  bool Value(int depth) {
    Blank();
    const char c = Peek();
    if (c == '{' || c == '[') return depth < kDeepest && (c == '{' ? Object(depth) : Array(depth));
    if (c == '"') return String(nullptr);
    return Word();
  }

  bool Object(int depth) {
    Take('{');
    if (Take('}')) return true;
    do {
      Blank();
      const size_t begin = at_;
      const size_t parent = path_.size();
      std::string key;
      if (!String(&key)) return false;
      absl::StrAppend(&path_, parent == 0 ? "" : ".", key);
      if (Reached(begin) || !Take(':') || !Value(depth + 1) || found_) return false;
      path_.resize(parent);
    } while (Take(','));
    return Take('}');
  }

  bool Array(int depth) {
    Take('[');
    if (Take(']')) return true;
    size_t index = 0;
    do {
      Blank();
      const size_t parent = path_.size();
      absl::StrAppend(&path_, "[", index++, "]");
      if (Reached(at_) || !Value(depth + 1) || found_) return false;
      path_.resize(parent);
    } while (Take(','));
    return Take(']');
  }

  bool String(std::string* value) {
    if (!Take('"')) return false;
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(at_, text_.size());
    if (value != nullptr) *value = std::string(text_.substr(begin, at_ - begin));
    return Take('"');
  }

  // A number, true, false or null.
  bool Word() {
    const size_t begin = at_;
    while (at_ < text_.size() && (absl::ascii_isalnum(text_[at_]) || text_[at_] == '-' ||
                                  text_[at_] == '+' || text_[at_] == '.')) {
      ++at_;
    }
    const absl::string_view word = text_.substr(begin, at_ - begin);
    const bool number = !word.empty() && (absl::ascii_isdigit(word[0]) || word[0] == '-');
    if (number || word == "true" || word == "false" || word == "null") return true;
    at_ = begin;
    return false;
  }

  const absl::string_view text_;
  const absl::string_view wanted_;
  size_t at_ = 0;
  std::string path_;
  std::optional<size_t> found_;
};

}  // namespace

TextPosition PositionOf(absl::string_view text, size_t offset) {
  const absl::string_view before = text.substr(0, std::min(offset, text.size()));
  const size_t newline = before.rfind('\n');
  return {1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n')),
          before.size() - (newline == absl::string_view::npos ? 0 : newline + 1) + 1};
}

TextPosition FindJsonPath(absl::string_view text, absl::string_view path) {
  Walker walker(text, path);
  walker.Walk();
  return walker.found().has_value() ? PositionOf(text, *walker.found()) : TextPosition();
}

TextPosition FindJsonSyntaxError(absl::string_view text) {
  Walker walker(text, "");
  return walker.Walk() ? TextPosition() : PositionOf(text, walker.at());
}

}  // namespace tools
}  // namespace torqsched
