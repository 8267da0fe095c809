// Warms as code of the source's DSL: what a person pastes after the stage that places it.
//
// One scope with one context; flat views; deps=[task id], or a read whose value nobody uses where
// the anchor has no task id.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "src/report/text.h"
#include "src/report/warm.h"
#include "src/report/warm_words.h"

namespace torqsched {
namespace report {
namespace {

constexpr size_t kNameWidth = 64;

// A name as an identifier of Python.
std::string Identifier(absl::string_view name) {
  std::string out;
  for (const char c : name.substr(0, kNameWidth)) {
    out.push_back(absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '_');
  }
  if (out.empty() || absl::ascii_isdigit(static_cast<unsigned char>(out[0]))) out.insert(0, "_");
  return out;
}

// Identifiers that no other name of this text has.
class Identifiers {
 public:
  std::string Of(absl::string_view name) {
    const std::string base = Identifier(name);
    std::string unique = base;
    for (uint64_t i = next_[base] + 1; !taken_.insert(unique).second; ++i) {
      unique = absl::StrCat(base, "_", i + 1);
      next_[base] = i;
    }
    return unique;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, uint64_t> next_;
};

// Elements, from a shape; 0: not known.
uint64_t ElementsOf(const WarmRegion& region) {
  absl::uint128 elements = region.shape.empty() ? 0 : 1;
  for (const uint64_t dimension : region.shape) {
    elements *= dimension;
    if (elements > UINT64_MAX) return 0;
  }
  return absl::Uint128Low64(elements);
}

// The flat view of a region, as a line.
std::string ViewLine(const WarmRegion& region, absl::string_view name, absl::string_view view) {
  const uint64_t elements = ElementsOf(region);
  if (elements != 0) return absl::StrCat(view, " = pl.reshape(", name, ", [", elements, "])\n");
  return absl::StrCat(view, " = ", name, "  # its flat view: ", Counted(region.bytes, "byte"),
                      ", one dimension\n");
}

void AppendScope(const WarmCase& warm, const WarmKindPlan& plan, const PlannedScope& scope,
                 Identifiers* identifiers, std::string* out) {
  const WarmLayerKind& kind = warm.timeline->kinds[plan.kind];
  const bool entry = scope.anchor == kLayerEntry;
  const std::string stage = entry ? "entry" : Identifier(StageName(kind, scope.anchor, kNameWidth));
  const std::string scope_name = identifiers->Of(absl::StrCat(
      "warm_", Identifier(KindName(*warm.timeline, plan.kind, kNameWidth)), "_", stage));
  std::vector<std::string> views;
  for (const PlannedRegion& planned : scope.regions) {
    const WarmRegion& region = warm.timeline->regions[planned.region];
    const std::string name = Identifier(RegionName(*warm.timeline, planned.region, kNameWidth));
    views.push_back(identifiers->Of(absl::StrCat(name, "_flat")));
    *out += ViewLine(region, name, views.back());
  }
  const std::string tensor = std::string(entry ? kind.input : kind.stages[scope.anchor].writes);
  if (scope.by_task_id) {
    absl::StrAppend(out, "# ", stage, "_tid: the task id that ", stage, " returns\n");
  }
  absl::StrAppend(out, "with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"", scope_name, "\"");
  if (scope.by_task_id) absl::StrAppend(out, ", deps=[", stage, "_tid]");
  *out += "):\n";
  if (!scope.by_task_id && !tensor.empty()) {
    absl::StrAppend(out, "    pl.read(", Identifier(tensor),
                    ", [0])  # its value is not used: it places the scope ",
                    entry ? "at the layer's entry" : absl::StrCat("after ", stage),
                    "; an index a dimension\n");
  }
  absl::StrAppend(out, "    ", scope_name, "_ctx = pl.prefetch.make_context()\n");
  for (const std::string& view : views) {
    absl::StrAppend(out, "    pl.prefetch.async_prefetch(", view, ", ", scope_name, "_ctx)\n");
  }
}

}  // namespace

std::string WarmCode(const WarmCase& warm) {
  std::string out;
  for (const WarmKindPlan& plan : warm.plan->kinds) {
    if (plan.scopes.empty()) continue;
    Identifiers identifiers;  // a kind's code is a function of its own
    absl::StrAppend(&out, out.empty() ? "" : "\n", "# ", KindTitle(*warm.timeline, plan),
                    ", predicted\n");
    for (const PlannedScope& scope : plan.scopes) {
      AppendScope(warm, plan, scope, &identifiers, &out);
    }
  }
  return out.empty() ? "# no warm is predicted to gain anything\n" : out;
}

}  // namespace report
}  // namespace torqsched
