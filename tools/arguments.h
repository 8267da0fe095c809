// The command line of one subcommand: a table of options, what was given of them, and the help text
// that the table makes.
//
// GNU style: --name VALUE or --name=VALUE, switches, -o for --output, options and operands in any
// order, "--" ends the options, "-" is an operand. A value that looks like an option itself is
// given as --name=VALUE only: else an option whose value was forgotten would take the next one.
#ifndef TORQSCHED_TOOLS_ARGUMENTS_H_
#define TORQSCHED_TOOLS_ARGUMENTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/failure.h"

namespace torqsched {
namespace tools {

struct OptionSpec {
  std::string name;   // without dashes
  std::string value;  // what its value is called in the help; empty: a switch
  std::string help;
};

struct CommandSpec {
  std::string name;
  std::string operands;  // as the help shows them: "STREAM [RESPONSE]"
  std::string about;     // lines of at most 80 columns
  size_t least_operands = 1;
  size_t most_operands = 1;
  std::vector<OptionSpec> options;
};

// The text of --help.
std::string HelpText(const CommandSpec& spec);

class Arguments {
 public:
  // Reads what follows the subcommand's name. A usage failure where it does not fit the table;
  // --help is fine with anything that does.
  Failure Parse(const CommandSpec& spec, int argc, const char* const* argv);

  const std::vector<std::string>& operands() const { return operands_; }
  bool Has(const std::string& name) const { return values_.count(name) != 0; }
  // The value given last; empty where there is none.
  std::string Value(const std::string& name) const;
  // The value as a number, absent where the option was not given. largest: the most that the
  // library takes, for what is said of a number beyond 64 bits; of others the library itself is the
  // judge.
  Failure Number(const std::string& name, std::optional<uint64_t>* number,
                 uint64_t largest = UINT64_MAX) const;
  // The value as bytes: a number, or a number and KiB, MiB, GiB (powers of 1024), kB, MB or GB
  // (powers of 1000).
  Failure Bytes(const std::string& name, std::optional<uint64_t>* bytes) const;

 private:
  Failure ParseOption(const CommandSpec& spec, absl::string_view text, int argc,
                      const char* const* argv, int* next);

  std::vector<std::string> operands_;
  std::map<std::string, std::string> values_;
};

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_ARGUMENTS_H_
