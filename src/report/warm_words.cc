#include "src/report/warm_words.h"

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/report/text.h"

namespace torqsched {
namespace report {
namespace {

constexpr uint64_t kNsPerSecond = 1000000000;
constexpr size_t kNameWidth = 24;  // of one of several names in a cell
constexpr size_t kMostNames = 6;   // in a scope

std::string Named(absl::string_view name, absl::string_view what, uint32_t index, size_t width) {
  return name.empty() ? absl::StrCat(what, " ", index) : Shown(name, width);
}

}  // namespace

std::string WarmTime(uint64_t ns) { return Microseconds(ns, kNsPerSecond); }

std::string WarmChange(int64_t ns) {
  const uint64_t size = ns < 0 ? ~static_cast<uint64_t>(ns) + 1 : static_cast<uint64_t>(ns);
  return absl::StrCat(ns < 0 ? "-" : "+", WarmTime(size));
}

std::string DecimalSize(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  size_t unit = 0;
  uint64_t one = 1;
  // From 999.95 on a number with one decimal would be 1,000.0.
  while (unit + 1 < std::size(kUnits) &&
         absl::uint128(bytes) * 20 >= absl::uint128(one) * (unit == 0 ? 20000 : 19999)) {
    one *= 1000;
    ++unit;
  }
  return absl::StrCat(Ratio(bytes, one, unit == 0 ? 0 : 1), " ", kUnits[unit]);
}

std::string StageName(const WarmLayerKind& kind, uint32_t stage, size_t width) {
  return Named(kind.stages[stage].name, "stage", stage, width);
}

std::string RegionName(const WarmTimeline& timeline, uint32_t region, size_t width) {
  return Named(timeline.regions[region].name, "region", region, width);
}

std::string KindName(const WarmTimeline& timeline, uint32_t kind, size_t width) {
  return Named(timeline.kinds[kind].name, "kind", kind, width);
}

std::string AnchorText(const WarmLayerKind& kind, uint32_t anchor, size_t width) {
  if (anchor == kLayerEntry) return "at layer entry";
  return absl::StrCat("after ", StageName(kind, anchor, width));
}

std::string ScopesText(const WarmTimeline& timeline, uint32_t kind,
                       const std::vector<WarmScope>& scopes) {
  if (scopes.empty()) return "no warm";
  std::string out;
  for (const WarmScope& scope : scopes) {
    absl::StrAppend(&out, out.empty() ? "" : "; ");
    for (size_t i = 0; i < scope.regions.size(); ++i) {
      if (i == kMostNames) {
        absl::StrAppend(&out, " and ", Grouped(scope.regions.size() - i), " more");
        break;
      }
      absl::StrAppend(&out, i == 0 ? "" : ", ", RegionName(timeline, scope.regions[i], kNameWidth));
    }
    absl::StrAppend(&out, " ", AnchorText(timeline.kinds[kind], scope.anchor, kNameWidth));
  }
  return out;
}

std::vector<WarmScope> ScopesOf(const WarmKindPlan& plan) {
  std::vector<WarmScope> scopes;
  for (const PlannedScope& from : plan.scopes) {
    WarmScope& scope = scopes.emplace_back();
    scope.anchor = from.anchor;
    for (const PlannedRegion& region : from.regions) scope.regions.push_back(region.region);
  }
  return scopes;
}

std::string KindTitle(const WarmTimeline& timeline, const WarmKindPlan& plan) {
  std::string out = absl::StrCat(KindName(timeline, plan.kind, kNameWidth), ": ",
                                 Counted(plan.layers, "layer"), ", ", WarmTime(plan.cold_ns));
  if (plan.scopes.empty()) return absl::StrCat(out, ", no warm");
  return absl::StrCat(out, " -> ", WarmTime(plan.warm_ns), " (", Change(plan.cold_ns, plan.warm_ns),
                      ")");
}

}  // namespace report
}  // namespace torqsched
