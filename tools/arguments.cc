#include "tools/arguments.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace torqsched {
namespace tools {
namespace {

struct Unit {
  absl::string_view name;
  uint64_t bytes;
};

constexpr Unit kUnits[] = {{"", 1},      {"KiB", 1 << 10}, {"MiB", 1 << 20},  {"GiB", 1 << 30},
                           {"kB", 1000}, {"MB", 1000000},  {"GB", 1000000000}};

std::string Left(const OptionSpec& option) {
  return absl::StrCat("  ", option.name == "output" ? "-o, " : "", "--", option.name,
                      option.value.empty() ? "" : " ", option.value);
}

bool LooksLikeOption(absl::string_view text) {
  return absl::StartsWith(text, "--") || text == "-o" || text == "-h";
}

}  // namespace

std::string HelpText(const CommandSpec& spec) {
  std::string out = absl::StrCat("Usage: torqsched ", spec.name, " ", spec.operands,
                                 " [OPTION]...\n", spec.about);
  size_t width = 0;
  for (const OptionSpec& option : spec.options) width = std::max(width, Left(option).size());
  out += "\n";
  for (const OptionSpec& option : spec.options) {
    std::string left = Left(option);
    left.resize(width + 2, ' ');
    absl::StrAppend(&out, left, option.help, "\n");
  }
  return out;
}

Failure Arguments::ParseOption(const CommandSpec& spec, absl::string_view text, int argc,
                               const char* const* argv, int* next) {
  const size_t equals = text.find('=');
  std::string name(text.substr(0, equals));
  if (text == "-o" || text == "--output") name = "--output";
  if (text == "-h") name = "--help";
  const auto option =
      std::find_if(spec.options.begin(), spec.options.end(),
                   [&](const OptionSpec& o) { return name == absl::StrCat("--", o.name); });
  if (option == spec.options.end() && name != "--help") {
    return UsageFailure(absl::StrCat("no option ", name));
  }
  const bool is_switch = name == "--help" || option->value.empty();
  std::string value;
  if (equals != absl::string_view::npos) {
    if (is_switch) return UsageFailure(absl::StrCat(name, " takes no value"));
    value = std::string(text.substr(equals + 1));
  } else if (!is_switch) {
    if (*next == argc) return UsageFailure(absl::StrCat(name, " needs a value"));
    value = argv[(*next)++];
    if (LooksLikeOption(value)) {
      return UsageFailure(absl::StrCat(name, " wants a value, ", option->value,
                                       ", but got another option, ", value));
    }
  }
  values_[name.substr(2)] = value;
  return {};
}

Failure Arguments::Parse(const CommandSpec& spec, int argc, const char* const* argv) {
  bool options = true;
  for (int next = 0; next < argc;) {
    const absl::string_view text = argv[next++];
    if (options && text == "--") {
      options = false;
    } else if (options && text.size() > 1 && text[0] == '-') {
      const Failure failure = ParseOption(spec, text, argc, argv, &next);
      if (failure.failed()) return failure;
    } else {
      operands_.emplace_back(text);
    }
  }
  if (Has("help")) return {};
  if (operands_.size() < spec.least_operands || operands_.size() > spec.most_operands) {
    return UsageFailure(absl::StrCat("expected ", spec.operands));
  }
  if (std::count(operands_.begin(), operands_.end(), "-") > 1) {
    return UsageFailure("standard input can be one of the files only");
  }
  return {};
}

std::string Arguments::Value(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? "" : found->second;
}

Failure Arguments::Number(const std::string& name, std::optional<uint64_t>* number,
                          uint64_t largest) const {
  if (!Has(name)) return {};
  uint64_t value;
  // SimpleAtoi takes blanks and signs as well.
  const std::string text = Value(name);
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) {
    return UsageFailure(
        absl::StrCat("--", name, ": '", text, "' is not a number; expected digits only"));
  }
  if (!absl::SimpleAtoi(text, &value) || value > largest) {
    return UsageFailure(absl::StrCat("--", name, ": ", text,
                                     " is too large; the largest value accepted is ", largest));
  }
  *number = value;
  return {};
}

Failure Arguments::Bytes(const std::string& name, std::optional<uint64_t>* bytes) const {
  if (!Has(name)) return {};
  const std::string text = Value(name);
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string unit = text.substr(digits);
  const auto* const found = std::find_if(std::begin(kUnits), std::end(kUnits),
                                         [&unit](const Unit& u) { return unit == u.name; });
  if (digits == 0 || found == std::end(kUnits)) {
    return UsageFailure(absl::StrCat("--", name, ": '", text, "'; expected bytes, such as 524288, ",
                                     "512KiB, 32MiB, 1GiB or 32MB"));
  }
  uint64_t value;
  if (!absl::SimpleAtoi(text.substr(0, digits), &value) ||
      __builtin_mul_overflow(value, found->bytes, &value)) {
    return UsageFailure(absl::StrCat("--", name, ": ", text, " is too large; the largest value ",
                                     "accepted is ", UINT64_MAX, " bytes"));
  }
  *bytes = value;
  return {};
}

}  // namespace tools
}  // namespace torqsched
