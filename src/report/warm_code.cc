// Warms as code of the source's DSL: what a person pastes after the stage that places it.
//
// One scope with one context; flat views; deps=[task id], or a read whose value nobody uses where
// the anchor has no task id.
#include <algorithm>
#include <cstdint>
#include <iterator>
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

// What Python, or the code itself, calls otherwise.
bool IsTaken(absl::string_view name) {
  static constexpr const char* kWords[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",    "pl"};
  return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

// A name as an identifier of Python.
std::string Identifier(absl::string_view name) {
  std::string out;
  for (const char c : name.substr(0, kNameWidth)) {
    out.push_back(absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '_');
  }
  if (out.empty() || absl::ascii_isdigit(static_cast<unsigned char>(out[0]))) out.insert(0, "_");
  return IsTaken(out) ? absl::StrCat(out, "_") : out;
}

// What things are called in the code of one kind: no two alike, however much their names are.
class Names {
 public:
  // A thing of the user's, by a key of ours; the name that it gets is told where it is another.
  std::string Of(const std::string& key, absl::string_view name, std::string* out) {
    const auto [found, added] = by_key_.emplace(key, "");
    if (!added) return found->second;
    found->second = New(name);
    if (found->second != name) {
      absl::StrAppend(out, "# ", found->second, ": '", Shown(name, kNameWidth), "'\n");
    }
    return found->second;
  }
  std::string New(absl::string_view name) {
    const std::string base = Identifier(name);
    std::string unique = base;
    for (uint64_t& i = next_[base]; !taken_.insert(unique).second;) {
      unique = absl::StrCat(base, "_", ++i + 1);
    }
    return unique;
  }

 private:
  std::map<std::string, std::string> by_key_;
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

std::string RegionIn(const WarmCase& warm, uint32_t region, Names* names, std::string* out) {
  return names->Of(absl::StrCat("region ", region), RegionName(*warm.timeline, region, kNameWidth),
                   out);
}

void AppendScope(const WarmCase& warm, const WarmKindPlan& plan, const PlannedScope& scope,
                 Names* names, std::string* out) {
  const WarmLayerKind& kind = warm.timeline->kinds[plan.kind];
  const bool entry = scope.anchor == kLayerEntry;
  const std::string stage = entry ? "entry" : StageName(kind, scope.anchor, kNameWidth);
  const std::string scope_name =
      names->New(absl::StrCat("warm_", Identifier(KindName(*warm.timeline, plan.kind, kNameWidth)),
                              "_", Identifier(stage)));
  const std::string context = names->New(absl::StrCat(scope_name, "_ctx"));
  std::vector<std::string> views;
  for (const PlannedRegion& planned : scope.regions) {
    const std::string name = RegionIn(warm, planned.region, names, out);
    views.push_back(names->New(absl::StrCat(name, "_flat")));
    *out += ViewLine(warm.timeline->regions[planned.region], name, views.back());
  }
  std::string task;
  if (scope.by_task_id) {
    task = names->New(absl::StrCat(Identifier(stage), "_tid"));
    absl::StrAppend(out, "# ", task, ": the task id that '", Shown(stage, kNameWidth),
                    "' returns\n");
  }
  const absl::string_view tensor = entry ? kind.input : kind.stages[scope.anchor].writes;
  const std::string read = scope.by_task_id || tensor.empty()
                               ? ""
                               : names->Of(absl::StrCat("tensor ", tensor), tensor, out);
  absl::StrAppend(out, "with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"", scope_name, "\"");
  if (scope.by_task_id) absl::StrAppend(out, ", deps=[", task, "]");
  *out += "):\n";
  if (!read.empty()) {
    absl::StrAppend(
        out, "    pl.read(", read, ", [0])  # its value is not used: it places the scope ",
        entry ? "at the layer's entry" : absl::StrCat("after '", Shown(stage, kNameWidth), "'"),
        "; an index a dimension\n");
  }
  absl::StrAppend(out, "    ", context, " = pl.prefetch.make_context()\n");
  for (const std::string& view : views) {
    absl::StrAppend(out, "    pl.prefetch.async_prefetch(", view, ", ", context, ")\n");
  }
}

}  // namespace

std::string WarmCode(const WarmCase& warm) {
  std::string out;
  for (const WarmKindPlan& plan : warm.plan->kinds) {
    if (plan.scopes.empty()) continue;
    Names names;  // a kind's code is a function of its own
    absl::StrAppend(&out, out.empty() ? "" : "\n", "# ", KindTitle(*warm.timeline, plan),
                    ", predicted\n");
    // Tensors first: what is made here is called otherwise than any of them.
    for (const PlannedScope& scope : plan.scopes) {
      for (const PlannedRegion& region : scope.regions) RegionIn(warm, region.region, &names, &out);
    }
    for (const PlannedScope& scope : plan.scopes) AppendScope(warm, plan, scope, &names, &out);
  }
  return out.empty() ? "# no warm is predicted to gain anything\n" : out;
}

}  // namespace report
}  // namespace torqsched
