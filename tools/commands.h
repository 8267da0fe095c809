// The subcommands: what each takes, and what runs it. A new call of the library is a file beside
// these and a line in torqsched_main.cc.
#ifndef TORQSCHED_TOOLS_COMMANDS_H_
#define TORQSCHED_TOOLS_COMMANDS_H_

#include "tools/arguments.h"
#include "tools/failure.h"

namespace torqsched {
namespace tools {

CommandSpec ScheduleSpec();
Failure RunSchedule(const Arguments& arguments);

CommandSpec SimulateSpec();
Failure RunSimulate(const Arguments& arguments);

CommandSpec VerifySpec();
Failure RunVerify(const Arguments& arguments);

CommandSpec AllocateSpec();
Failure RunAllocate(const Arguments& arguments);

CommandSpec ResidencySpec();
Failure RunResidency(const Arguments& arguments);

CommandSpec WarmSpec();
Failure RunWarm(const Arguments& arguments);

CommandSpec JudgeSpec();
Failure RunJudge(const Arguments& arguments);

CommandSpec TilesSpec();
Failure RunTiles(const Arguments& arguments);

CommandSpec LowerSpec();
Failure RunLower(const Arguments& arguments);

CommandSpec SweepSpec();
Failure RunSweep(const Arguments& arguments);

CommandSpec ConvertSpec();
Failure RunConvert(const Arguments& arguments);

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_COMMANDS_H_
