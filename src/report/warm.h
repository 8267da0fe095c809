// What became of a plan of L2 warms, for people: a summary, a sentence a region, what was weighed,
// what the choice rests on, a picture of a layer without and with its warms, and code to paste.
//
// Times are microseconds and sizes decimal (67.1 MB), as papers and profilers of the field have
// them. The pictures need plans with traces.
#ifndef TORQSCHED_SRC_REPORT_WARM_H_
#define TORQSCHED_SRC_REPORT_WARM_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "src/warm/timeline.h"
#include "src/warm/warm_plan.h"

namespace torqsched {
namespace report {

// A question and its answer; what is pointed to outlives it.
struct WarmCase {
  const WarmTimeline* timeline = nullptr;
  const WarmHardware* hardware = nullptr;
  const WarmOptions* options = nullptr;
  const WarmPlan* plan = nullptr;
};

// The forward without and with warms, and a table of them: by kind, after which stage, in which
// order, when each lands, and how much of it its reader finds in L2.
std::string WarmSummary(absl::string_view title, const WarmCase& warm);

// A row a region of each kind: whether to warm it, and why or why not. At most so many rows a kind.
std::string WarmVerdicts(const WarmCase& warm, size_t most_rows);

// What was weighed, the best first: at most so many rows a kind.
std::string WarmAlternatives(const WarmCase& warm, size_t most_rows);

// By assumption, the values at which something else is better. Needs a plan with flips.
std::string WarmFlips(const WarmCase& warm);

// A layer of at most 4 kinds in ASCII, `width` cells long (20 to 1,000): its stages without and
// with warms, each warm from its issue on, and how full of them L2 is, in tenths.
std::string WarmTimelineText(const WarmCase& warm, size_t width);

// The same as an SVG document of fixed width, at most 8 kinds. At most some thousand shapes,
// however long a kind is. The same input gives the same bytes.
std::string WarmTimelineSvg(const WarmCase& warm);

// The plan as code of the source's DSL: a scope a kind and anchor, one context in it, flat views,
// placed by a task id, or by a throwaway read where there is none. Names become identifiers.
std::string WarmCode(const WarmCase& warm);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_WARM_H_
