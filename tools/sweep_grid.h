// The grid of a sweep: what the command line spans, its points in their order, and what each point
// is made from.
#ifndef TORQSCHED_TOOLS_SWEEP_GRID_H_
#define TORQSCHED_TOOLS_SWEEP_GRID_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/network/network.h"
#include "src/report/sweep.h"
#include "src/schedule/answer.h"
#include "tools/arguments.h"
#include "tools/failure.h"
#include "torqsched/v1/hardware.pb.h"
#include "torqsched/v1/network.pb.h"

namespace torqsched {
namespace tools {

// A layer table. To be kept where it is: the network's names are views into the message.
struct SweepTableFile {
  std::string path;
  std::string name;    // the file's, without directories and ending
  std::string inputs;  // its bytes, and how they are read
  v1::Network message;
  Network network;
};

struct SweepBudgets {
  bool tuned = false;
  uint32_t loop_percent = 50;
  uint32_t contraction_percent = 40;
  uint32_t resident_percent = 40;
};

struct SweepGrid {
  std::vector<SweepTableFile> tables;
  std::vector<SweepBudgets> budgets;
  std::vector<Strategy> strategies;
  std::vector<OracleKind> oracles;
  std::vector<uint64_t> lram_bytes;
  // Of all points.
  uint32_t first_layer = 0;
  uint32_t layer_count = 0;  // 0: all from first_layer on
  v1::Hardware hardware;
  std::string hardware_name;
  std::optional<uint64_t> work_limit;
  std::optional<uint64_t> trials;
};

// One point, as positions in the grid's lists.
struct SweepCell {
  size_t table = 0;
  size_t budgets = 0;
  size_t strategy = 0;
  size_t oracle = 0;
  size_t lram = 0;
};

// The options that span a grid.
std::vector<OptionSpec> SweepGridOptions();

// Reads tables and options. A usage failure where a list names something twice, which would be one
// point twice; the input's where a table or the chip is wrong.
Failure ReadSweepGrid(const Arguments& arguments, SweepGrid* grid);

// All points: by table, then budgets, strategy, oracle, and size of LRAM.
std::vector<SweepCell> CellsOf(const SweepGrid& grid);

// The point's inputs in words, and the digest of all that it is made from: the table's bytes and
// name, the chip, all options, and the version of the library.
report::SweepPoint Described(const SweepGrid& grid, const SweepCell& cell);

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_SWEEP_GRID_H_
