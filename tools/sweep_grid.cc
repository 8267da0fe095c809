#include "tools/sweep_grid.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "src/network/network_deployment.h"
#include "src/report/text.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/network_wire.h"
#include "src/wire/tiling_wire.h"
#include "tools/inputs.h"
#include "torqsched/torqsched.h"

namespace torqsched {
namespace tools {
namespace {

constexpr char kSizes[] = "256KiB,512KiB,1MiB";
constexpr char kBudgets[] = "50:40";
constexpr char kStrategies[] = "none,stream_schedule";
constexpr char kOracles[] = "sequential";
constexpr size_t kNameWidth = 80;

template <typename Value>
struct Named {
  const char* name;
  Value value;
};
constexpr Named<Strategy> kStrategyNames[] = {{"none", Strategy::kNone},
                                              {"stream_schedule", Strategy::kStreamSchedule},
                                              {"optimize", Strategy::kOptimize}};
constexpr Named<OracleKind> kOracleNames[] = {{"sequential", OracleKind::kSequential},
                                              {"offline", OracleKind::kOffline}};

template <typename Value, size_t kCount>
std::string NameOf(const Named<Value> (&names)[kCount], Value value) {
  for (const Named<Value>& named : names) {
    if (named.value == value) return named.name;
  }
  return "";
}

// "./a/resnet50.json": "resnet50".
std::string BaseName(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  const size_t dot = name.find_last_of('.');
  if (dot != std::string::npos && dot != 0) name.resize(dot);
  return report::Shown(name, kNameWidth);
}

std::vector<std::string> ListOf(const Arguments& arguments, const std::string& option,
                                const char* unless_given) {
  const std::string text = arguments.Has(option) ? arguments.Value(option) : unless_given;
  return absl::StrSplit(text, ',');
}

template <typename Value, size_t kCount>
Failure ReadNames(const Arguments& arguments, const std::string& option, const char* unless_given,
                  const Named<Value> (&names)[kCount], std::vector<Value>* values) {
  std::string known;
  for (const Named<Value>& named : names) {
    absl::StrAppend(&known, known.empty() ? "" : ", ", named.name);
  }
  for (const std::string& text : ListOf(arguments, option, unless_given)) {
    // `torqsched schedule` calls it stream-schedule.
    const std::string name = absl::StrReplaceAll(text, {{"-", "_"}});
    const auto* const found = std::find_if(std::begin(names), std::end(names),
                                           [&](const auto& named) { return name == named.name; });
    if (found == std::end(names)) {
      return UsageFailure(
          absl::StrCat("--", option, ": '", text, "' is not known; expected some of ", known));
    }
    if (std::count(values->begin(), values->end(), found->value) != 0) {
      return UsageFailure(absl::StrCat("--", option, ": ", found->name, " twice"));
    }
    values->push_back(found->value);
  }
  return {};
}

// Each size as an option of its own, so that it is read as sizes are everywhere.
Failure ReadSizes(const Arguments& arguments, std::vector<uint64_t>* sizes) {
  for (const std::string& text : ListOf(arguments, "lram", kSizes)) {
    const std::string argument = absl::StrCat("--lram=", text);
    const char* const line = argument.c_str();
    Arguments alone;
    std::optional<uint64_t> bytes;
    Failure failure = alone.Parse({"sweep", "", "", 0, 0, {{"lram", "SIZE", ""}}}, 1, &line);
    if (!failure.failed()) failure = alone.Bytes("lram", &bytes);
    if (failure.failed()) return failure;
    if (std::count(sizes->begin(), sizes->end(), *bytes) != 0) {
      return UsageFailure(absl::StrCat("--lram: ", *bytes, " bytes twice"));
    }
    sizes->push_back(*bytes);
  }
  return {};
}

std::string BudgetsName(const SweepBudgets& budgets) {
  if (budgets.tuned) return "tuned";
  return absl::StrCat(budgets.loop_percent, ":", budgets.contraction_percent, ":",
                      budgets.resident_percent);
}

// "50:40", "50:40:30" or "tuned".
bool ParseBudgets(absl::string_view text, SweepBudgets* budgets) {
  budgets->tuned = text == "tuned";
  if (budgets->tuned) return true;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return false;
  uint32_t* const percents[] = {&budgets->loop_percent, &budgets->contraction_percent,
                                &budgets->resident_percent};
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool digits = parts[i].find_first_not_of("0123456789") == absl::string_view::npos;
    if (!digits || !absl::SimpleAtoi(parts[i], percents[i])) return false;
    if (*percents[i] > 100 || (i < 2 && *percents[i] == 0)) return false;
  }
  return true;
}

Failure ReadBudgets(const Arguments& arguments, std::vector<SweepBudgets>* budgets) {
  std::set<std::string> known;
  for (const std::string& text : ListOf(arguments, "budgets", kBudgets)) {
    SweepBudgets read;
    if (!ParseBudgets(text, &read)) {
      return UsageFailure(absl::StrCat("--budgets: '", text,
                                       "'; expected LOOP:CONTRACTION[:RESIDENT], percents such as "
                                       "50:40 or 50:40:30, or tuned"));
    }
    if (!known.insert(BudgetsName(read)).second) {
      return UsageFailure(absl::StrCat("--budgets: ", BudgetsName(read), " twice"));
    }
    budgets->push_back(read);
  }
  return {};
}

// Limits of what no point does: whoever gives them expects it.
Failure ReadLimits(const Arguments& arguments, SweepGrid* grid) {
  Failure failure = arguments.Number("work-limit", &grid->work_limit);
  if (!failure.failed()) failure = arguments.Number("trials", &grid->trials);
  if (failure.failed()) return failure;
  const auto searches =
      std::count(grid->strategies.begin(), grid->strategies.end(), Strategy::kOptimize);
  if (grid->work_limit.has_value() && searches == 0) {
    return UsageFailure("--work-limit needs optimize among --strategies");
  }
  const bool tunes = std::any_of(grid->budgets.begin(), grid->budgets.end(),
                                 [](const SweepBudgets& budgets) { return budgets.tuned; });
  if (grid->trials.has_value() && !tunes) {
    return UsageFailure("--trials needs tuned among --budgets");
  }
  return {};
}

Failure ReadChip(const Arguments& arguments, SweepGrid* grid) {
  grid->hardware_name = "sl2610";
  std::string file;
  if (arguments.Has("hardware")) {
    const Failure failure = ReadHardware(arguments, &grid->hardware, &file);
    if (failure.failed()) return failure;
    const std::string given = arguments.Value("hardware");
    grid->hardware_name = file.empty() ? report::Shown(given, kNameWidth) : BaseName(file);
  }
  const absl::StatusOr<Hardware> hardware = HardwareFromProto(grid->hardware);
  if (!hardware.ok()) return FailureFromStatus(hardware.status(), file);
  const absl::StatusOr<LoweringNumbers> numbers = LoweringNumbersFromProto(grid->hardware);
  return numbers.ok() ? Failure() : FailureFromStatus(numbers.status(), file);
}

Failure ReadTable(const Arguments& arguments, const std::string& path, SweepTableFile* table) {
  LoadedFile file;
  Failure failure = LoadFile(arguments, path, &file);
  if (!failure.failed()) failure = ParseTable(file, &table->message);
  if (failure.failed()) return failure;
  table->path = file.path;
  table->name = BaseName(file.path);
  table->inputs = absl::StrCat("format ", static_cast<int>(file.format), "\nbytes ",
                               file.bytes.size(), "\n", file.bytes);
  table->network = NetworkFromProto(table->message);
  // What is wrong with a table at all is no matter of one point.
  const auto deployed = DeployNetwork(table->network);
  return deployed.ok() ? Failure() : FailureFromStatus(deployed.status(), file.path);
}

Failure ReadTables(const Arguments& arguments, std::vector<SweepTableFile>* tables) {
  tables->resize(arguments.operands().size());
  for (size_t i = 0; i < tables->size(); ++i) {
    SweepTableFile& table = (*tables)[i];
    const Failure failure = ReadTable(arguments, arguments.operands()[i], &table);
    if (failure.failed()) return failure;
    for (size_t j = 0; j < i; ++j) {
      if ((*tables)[j].name != table.name) continue;
      return UsageFailure(absl::StrCat((*tables)[j].path, " and ", table.path,
                                       " would both be called '", table.name,
                                       "'; expected files of different names"));
    }
  }
  return {};
}

// FNV-1a of 128 bits: points that differ get different names. Nobody has to be kept from making two
// that do not: points say what they are, and are believed if they say what was asked for.
std::string Digest(absl::string_view bytes) {
  constexpr absl::uint128 kPrime = absl::MakeUint128(uint64_t{1} << 24, 0x13b);
  absl::uint128 hash = absl::MakeUint128(0x6c62272e07bb0142, 0x62b821756295c58d);
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return absl::StrFormat("%016x%016x", absl::Uint128High64(hash), absl::Uint128Low64(hash));
}

}  // namespace

std::vector<OptionSpec> SweepGridOptions() {
  return {{"lram", "SIZE,..", absl::StrCat("sizes of LRAM (", kSizes, ")")},
          {"budgets", "PERCENTS,..",
           absl::StrCat("LOOP:CONTRACTION[:RESIDENT], or tuned (", kBudgets, ")")},
          {"strategies", "NAME,..",
           absl::StrCat("none, stream_schedule, optimize (", kStrategies, ")")},
          {"oracles", "NAME,..", absl::StrCat("sequential, offline (", kOracles, ")")},
          {"layers", "FIRST:COUNT", "lower these only"},
          {"work-limit", "N", "of optimize: nodes a search may visit (8000000)"},
          {"trials", "N", "of tuned, at most (1000)"},
          {"hardware", "NAME|FILE", "the chip, all but the size of its LRAM (sl2610)"},
          InputFormatOption()};
}

Failure ReadSweepGrid(const Arguments& arguments, SweepGrid* grid) {
  Failure failure = ReadSizes(arguments, &grid->lram_bytes);
  if (!failure.failed()) failure = ReadBudgets(arguments, &grid->budgets);
  if (!failure.failed()) {
    failure = ReadNames(arguments, "strategies", kStrategies, kStrategyNames, &grid->strategies);
  }
  if (!failure.failed()) {
    failure = ReadNames(arguments, "oracles", kOracles, kOracleNames, &grid->oracles);
  }
  if (!failure.failed()) failure = ReadLayers(arguments, &grid->first_layer, &grid->layer_count);
  if (!failure.failed()) failure = ReadLimits(arguments, grid);
  if (!failure.failed()) failure = ReadChip(arguments, grid);
  return failure.failed() ? failure : ReadTables(arguments, &grid->tables);
}

std::vector<SweepCell> CellsOf(const SweepGrid& grid) {
  std::vector<SweepCell> cells;
  for (size_t table = 0; table < grid.tables.size(); ++table) {
    for (size_t budgets = 0; budgets < grid.budgets.size(); ++budgets) {
      for (size_t strategy = 0; strategy < grid.strategies.size(); ++strategy) {
        for (size_t oracle = 0; oracle < grid.oracles.size(); ++oracle) {
          for (size_t lram = 0; lram < grid.lram_bytes.size(); ++lram) {
            cells.push_back({table, budgets, strategy, oracle, lram});
          }
        }
      }
    }
  }
  return cells;
}

report::SweepPoint Described(const SweepGrid& grid, const SweepCell& cell) {
  const SweepTableFile& table = grid.tables[cell.table];
  const SweepBudgets& budgets = grid.budgets[cell.budgets];
  const Strategy strategy = grid.strategies[cell.strategy];
  report::SweepPoint point;
  point.table = table.name;
  point.hardware = grid.hardware_name;
  const bool all = grid.first_layer == 0 && grid.layer_count == 0;
  point.layers = all ? "all" : absl::StrCat(grid.first_layer, ":", grid.layer_count);
  point.budgets = BudgetsName(budgets);
  point.strategy = NameOf(kStrategyNames, strategy);
  point.oracle = NameOf(kOracleNames, grid.oracles[cell.oracle]);
  point.lram_bytes = grid.lram_bytes[cell.lram];
  if (strategy == Strategy::kOptimize) point.work_limit = grid.work_limit;
  if (budgets.tuned) point.trials = grid.trials;
  // What the point says of itself, then what it only names.
  point.digest =
      Digest(absl::StrCat("torqsched ", TORQSCHED_VERSION, "\n", report::SweepPointJson(point),
                          "hardware ", grid.hardware.SerializeAsString(), "\n", table.inputs));
  return point;
}

}  // namespace tools
}  // namespace torqsched
