#include "src/report/text.h"

#include <algorithm>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace torqsched {
namespace report {
namespace {

// The decimal digits of a value that may need more than 64 bits, in groups of three.
std::string GroupedDigits(absl::uint128 value) {
  std::string backward;
  int digits = 0;
  do {
    if (digits != 0 && digits % 3 == 0) backward.push_back(',');
    backward.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
    ++digits;
  } while (value != 0);
  return std::string(backward.rbegin(), backward.rend());
}

// numerator / denominator, rounded half up at this many decimals. numerator * 10^decimals must fit
// 127 bits.
std::string Decimal(absl::uint128 numerator, absl::uint128 denominator, int decimals) {
  absl::uint128 scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  const absl::uint128 scaled = (numerator * scale * 2 + denominator) / (denominator * 2);
  std::string text = GroupedDigits(scaled / scale);
  if (decimals == 0) return text;
  const std::string fraction = absl::StrCat(absl::Uint128Low64(scaled % scale));
  return absl::StrCat(text, ".", std::string(decimals - fraction.size(), '0'), fraction);
}

// Bytes of the UTF-8 sequence that text begins with; 0: none.
size_t SequenceLength(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const size_t length = lead < 0x80                   ? 1
                        : lead >= 0xc2 && lead < 0xe0 ? 2
                        : lead >= 0xe0 && lead < 0xf0 ? 3
                        : lead >= 0xf0 && lead < 0xf5 ? 4
                                                      : 0;
  if (length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Surrogates, values past the last plane, and C1 control characters.
  if (length == 3 && ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) >= 0xa0))) {
    return 0;
  }
  if (length == 4 && ((lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) >= 0x90))) {
    return 0;
  }
  if (length == 2 && lead == 0xc2 && byte(1) < 0xa0) return 0;
  return length;
}

absl::string_view KindWord(OpKind kind) {
  switch (kind) {
    case OpKind::kPure:
      return "pure";
    case OpKind::kLoad:
      return "load";
    case OpKind::kStore:
      return "store";
    case OpKind::kStart:
      return "start";
    case OpKind::kWait:
      return "wait";
    case OpKind::kBarrier:
      return "barrier";
  }
  return "op";
}

}  // namespace

std::string Grouped(uint64_t value) { return GroupedDigits(value); }

std::string Counted(uint64_t count, absl::string_view noun) {
  return absl::StrCat(Grouped(count), " ", noun, count == 1 ? "" : "s");
}

void AppendFact(absl::string_view what, absl::string_view text, std::string* out) {
  std::string label(what);
  label.resize(14, ' ');
  absl::StrAppend(out, label, text, "\n");
}

std::string Ratio(uint64_t part, uint64_t whole, int decimals) {
  if (whole == 0) return "-";
  return Decimal(part, whole, decimals);
}

std::string Percent(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  return absl::StrCat(Decimal(absl::uint128(part) * 100, whole, 1), " %");
}

std::string Change(uint64_t before, uint64_t after) {
  if (before == 0) return "-";
  const bool less = after < before;
  return absl::StrCat(less ? "-" : "+", Percent(less ? before - after : after - before, before));
}

std::string Microseconds(uint64_t cycles, uint64_t clock_hz) {
  if (clock_hz == 0) return "-";
  return absl::StrCat(Decimal(absl::uint128(cycles) * 1000000, clock_hz, 1), " us");
}

std::string Shown(absl::string_view name, size_t width) {
  std::string out;
  size_t count = 0;
  size_t fits = 0;  // bytes of out that leave room for the two dots
  while (!name.empty()) {
    if (count == width) {
      out.resize(fits);
      return absl::StrCat(out, width < 2 ? "" : "..");
    }
    if (count + 2 <= width) fits = out.size();
    const size_t length = SequenceLength(name);
    const bool control = length == 1 && (name[0] < 0x20 || name[0] == 0x7f);
    if (length == 0 || control) {
      out.push_back('?');
    } else {
      out.append(name.data(), length);
    }
    name.remove_prefix(std::max<size_t>(length, 1));
    ++count;
  }
  return out;
}

std::string Wrapped(absl::string_view text, size_t width) {
  std::string out;
  size_t used = 0;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    const size_t length = Width(word);
    if (used != 0 && used + 1 + length > width) {
      out += "\n";
      used = 0;
    }
    absl::StrAppend(&out, used == 0 ? "" : " ", word);
    used += length + (used == 0 ? 0 : 1);
  }
  return out;
}

std::string OpLabel(const Stream& stream, OpIndex op, size_t width) {
  const absl::string_view name = stream.op_name(op);
  if (!name.empty()) return Shown(name, width);
  return Shown(absl::StrCat(KindWord(stream.op(op).kind), " ", op.value()), width);
}

std::string ShortLabel(const Stream& stream, OpIndex op, size_t width) {
  absl::string_view name = stream.op_name(op);
  if (name.empty()) return Shown(absl::StrCat(op.value()), width);
  const absl::string_view kind = KindWord(stream.op(op).kind);
  if (name.size() > kind.size() + 1 && absl::StartsWith(name, kind) && name[kind.size()] == ' ') {
    name.remove_prefix(kind.size() + 1);
  }
  return Shown(name, width);
}

uint64_t DecimalStep(uint64_t whole, uint64_t most) {
  uint64_t step = 1;
  for (uint64_t decade = 1; whole / step > most;) {
    if (step == 5 * decade) {
      step = decade *= 10;
    } else {
      step = decade * (step == decade ? 2 : 5);
    }
  }
  return step;
}

std::string Escaped(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    // U+FFFE and U+FFFF are no characters of XML.
    if (text.substr(i, 2) == "\xef\xbf" && i + 2 < text.size() &&
        static_cast<unsigned char>(text[i + 2]) >= 0xbe) {
      out += '?';
      i += 2;
      continue;
    }
    switch (text[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += text[i];
    }
  }
  return out;
}

size_t Width(absl::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

void TextTable::AppendLines(const std::vector<std::string>& cells,
                            const std::vector<size_t>& widths, std::string* out) const {
  std::vector<std::vector<std::string>> lines;
  size_t height = 1;
  for (const std::string& cell : cells) {
    lines.push_back(absl::StrSplit(cell, '\n'));
    height = std::max(height, lines.back().size());
  }
  for (size_t h = 0; h < height; ++h) {
    std::string line;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const std::string text = h < lines[c].size() ? lines[c][h] : "";
      const std::string pad(widths[c] - std::min(widths[c], Width(text)), ' ');
      absl::StrAppend(&line, c == 0 ? "" : "  ", columns_[c].right ? pad : "", text,
                      columns_[c].right ? "" : pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(out, line, "\n");
  }
}

std::string TextTable::ToString() const {
  std::vector<size_t> widths;
  std::vector<std::string> headers;
  for (const Column& column : columns_) {
    widths.push_back(Width(column.header));
    headers.push_back(column.header);
  }
  for (const Row& row : rows_) {
    for (size_t c = 0; c < row.cells.size(); ++c) {
      for (absl::string_view line : absl::StrSplit(row.cells[c], '\n')) {
        widths[c] = std::max(widths[c], Width(line));
      }
    }
  }
  std::string out;
  AppendLines(headers, widths, &out);
  for (const Row& row : rows_) {
    if (row.cells.empty()) {
      absl::StrAppend(&out, row.note, "\n");
    } else {
      AppendLines(row.cells, widths, &out);
    }
  }
  return out;
}

}  // namespace report
}  // namespace torqsched
