// How all reports on warms call things, so that a table, a picture and code agree.
#ifndef TORQSCHED_SRC_REPORT_WARM_WORDS_H_
#define TORQSCHED_SRC_REPORT_WARM_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "src/warm/timeline.h"
#include "src/warm/warm_plan.h"

namespace torqsched {
namespace report {

// "1,234.5 us"; "-0.3 us", "+12.0 us".
std::string WarmTime(uint64_t ns);
std::string WarmChange(int64_t ns);

// "67.1 MB", "524.3 kB", "12 B".
std::string DecimalSize(uint64_t bytes);

// The name, or "stage 3", "region 3", "kind 3" where it has none; at most width code points.
std::string StageName(const WarmLayerKind& kind, uint32_t stage, size_t width);
std::string RegionName(const WarmTimeline& timeline, uint32_t region, size_t width);
std::string KindName(const WarmTimeline& timeline, uint32_t kind, size_t width);

// "after q_up", "at layer entry".
std::string AnchorText(const WarmLayerKind& kind, uint32_t anchor, size_t width);

// "wo_a, wo_b after q_up; routed_w1 after proj_b", "no warm".
std::string ScopesText(const WarmTimeline& timeline, uint32_t kind,
                       const std::vector<WarmScope>& scopes);
std::vector<WarmScope> ScopesOf(const WarmKindPlan& plan);

// What every picture and table of a kind begins with: "swa: 2 layers, 745.5 us -> 730.1 us
// (-2.1 %)".
std::string KindTitle(const WarmTimeline& timeline, const WarmKindPlan& plan);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_WARM_WORDS_H_
