// One point of a sweep: lowered, scheduled, and what came of it.
#ifndef TORQSCHED_TOOLS_SWEEP_POINT_H_
#define TORQSCHED_TOOLS_SWEEP_POINT_H_

#include <functional>

#include "src/report/sweep.h"
#include "tools/failure.h"
#include "tools/sweep_grid.h"

namespace torqsched {
namespace tools {

// Fills what Described left. A point that cannot be lowered or placed is an answer, with its error;
// a failure is what is no matter of the point. Where stop said true the point is to be thrown away.
// May be called on several threads at once; a pure function of the grid and the cell otherwise.
Failure ComputePoint(const SweepGrid& grid, const SweepCell& cell,
                     const std::function<bool()>& stop, report::SweepPoint* point);

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_SWEEP_POINT_H_
