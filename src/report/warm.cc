// The summary and the tables.
#include "src/report/warm.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/report/text.h"
#include "src/report/warm_words.h"

namespace torqsched {
namespace report {
namespace {

constexpr size_t kRegionWidth = 24;
constexpr size_t kStageWidth = 24;
constexpr size_t kMostUnread = 8;
constexpr size_t kMostWarms = 40;  // rows of the summary, a kind
constexpr size_t kMostFlipNames = 46;

std::string AtTime(const std::optional<uint64_t>& ns, absl::string_view never) {
  return ns.has_value() ? WarmTime(*ns) : std::string(never);
}

void AddWarms(const WarmCase& warm, const WarmKindPlan& plan, TextTable* table) {
  const WarmLayerKind& kind = warm.timeline->kinds[plan.kind];
  size_t rows = 0, all = 0;
  for (const PlannedScope& scope : plan.scopes) {
    bool first = true;
    for (const PlannedRegion& region : scope.regions) {
      if (++all > kMostWarms) continue;
      const uint64_t bytes = warm.timeline->regions[region.region].bytes;
      table->AddRow({rows++ == 0 ? KindName(*warm.timeline, plan.kind, kRegionWidth) : "",
                     first ? AnchorText(kind, scope.anchor, kStageWidth) : "",
                     RegionName(*warm.timeline, region.region, kRegionWidth), DecimalSize(bytes),
                     WarmTime(region.issued_ns), AtTime(region.landed_ns, "later"),
                     AtTime(region.read_ns, "later"), Percent(region.hit_bytes, bytes)});
      first = false;
    }
  }
  if (all > kMostWarms) table->AddNote(absl::StrCat("  and ", Grouped(all - kMostWarms), " more"));
}

std::string Why(const WarmCase& warm, const WarmKindPlan& plan, const WarmRegionVerdict& verdict) {
  const WarmLayerKind& kind = warm.timeline->kinds[plan.kind];
  const std::string reader = StageName(kind, verdict.reader, kStageWidth);
  const std::string anchor = AnchorText(kind, verdict.anchor, kStageWidth);
  const std::string set = verdict.set_bytes > verdict.bytes
                              ? absl::StrCat("its set of ", DecimalSize(verdict.set_bytes))
                              : std::string("it");
  const std::string landed =
      absl::StrCat(DecimalSize(verdict.landed_bytes), " of ", DecimalSize(verdict.bytes),
                   " land before ", reader, " reads it at ", WarmTime(verdict.read_ns));
  const std::string found = absl::StrCat("finds ", DecimalSize(verdict.hit_bytes));
  const auto balance = [&verdict](absl::string_view saves, absl::string_view costs) {
    return absl::StrCat(saves, " ", WarmTime(verdict.saving_ns), ", ", costs, " ",
                        WarmTime(verdict.cost_ns), " elsewhere: ", WarmChange(verdict.change_ns));
  };
  switch (verdict.verdict) {
    case WarmVerdict::kWarm:
      return absl::StrCat(anchor, ": ", landed, " and ", found, "; ", set, " ",
                          balance("saves", "costs"));
    case WarmVerdict::kResident:
      return absl::StrCat("still there: ", DecimalSize(verdict.bytes_between.value_or(0)),
                          " come between two reads of it, L2 holds ",
                          DecimalSize(warm.hardware->l2_bytes));
    case WarmVerdict::kTooLarge: {
      const bool alone =
          verdict.set_bytes > plan.fill_bytes ||
          (verdict.set_bytes == plan.fill_bytes && !warm.hardware->exactly_full_fits);
      if (!alone && verdict.evicted_bytes > 0) {
        return absl::StrCat("at best, ", anchor, ", ", DecimalSize(verdict.evicted_bytes), " of ",
                            DecimalSize(verdict.bytes), " land and are evicted before ", reader,
                            " reads it at ", WarmTime(verdict.read_ns));
      }
      return absl::StrCat(
          set == "it" ? DecimalSize(verdict.bytes) : set,
          alone ? " would evict itself: " : " does not fit beside the plan: ",
          warm.hardware->exactly_full_fits ? "at most " : "less than ",
          DecimalSize(plan.fill_bytes), " may be in flight",
          verdict.weighed ? absl::StrCat("; it would ", balance("save", "cost")) : "");
    }
    case WarmVerdict::kDynamic:
      return "its address or size depends on data";
    case WarmVerdict::kNotFlat:
      return "not flat: a dimension before the last is not 1";
    case WarmVerdict::kTooLate:
      if (!verdict.weighed) return absl::StrCat("no anchor before ", reader, " reads it");
      return absl::StrCat("at best, ", anchor, ", ", reader, " ", found, " of ",
                          DecimalSize(verdict.bytes), " when it reads it at ",
                          WarmTime(verdict.read_ns));
    case WarmVerdict::kContends:
      return absl::StrCat("at best, ", anchor, ", ", set, " ", balance("saves", "costs"));
    case WarmVerdict::kNoGain:
      if (!verdict.weighed) return "not weighed: the search ended before";
      return absl::StrCat("at best, ", anchor, ", ", set, " ", balance("saves", "costs"),
                          "; expected ",
                          WarmChange(-static_cast<int64_t>(
                              std::min<uint64_t>(warm.options->min_gain_ns, uint64_t{1} << 62))));
  }
  return "";
}

absl::string_view VerdictName(WarmVerdict verdict) {
  switch (verdict) {
    case WarmVerdict::kWarm:
      return "WARM";
    case WarmVerdict::kResident:
      return "RESIDENT";
    case WarmVerdict::kTooLarge:
      return "TOO_LARGE";
    case WarmVerdict::kDynamic:
      return "DYNAMIC";
    case WarmVerdict::kNotFlat:
      return "NOT_FLAT";
    case WarmVerdict::kTooLate:
      return "TOO_LATE";
    case WarmVerdict::kContends:
      return "CONTENDS";
    case WarmVerdict::kNoGain:
      return "NO_GAIN";
  }
  return "";
}

bool IsChosen(const std::vector<WarmScope>& chosen, const WarmAlternative& alternative) {
  return std::equal(chosen.begin(), chosen.end(), alternative.scopes.begin(),
                    alternative.scopes.end(), [](const WarmScope& a, const WarmScope& b) {
                      return a.anchor == b.anchor && a.regions == b.regions;
                    });
}

struct ParameterWords {
  const char* name;
  const char* unit;
};

ParameterWords WordsOf(WarmParameter parameter) {
  switch (parameter) {
    case WarmParameter::kL2Bytes:
      return {"L2", "bytes"};
    case WarmParameter::kMemoryBandwidth:
      return {"memory", "MB/s"};
    case WarmParameter::kEngineBandwidth:
      return {"engine", "MB/s"};
    case WarmParameter::kEngineOfTwo:
      return {"engine, two streams", "MB/s"};
    case WarmParameter::kIssueNs:
      return {"issue of a region", "ns"};
    case WarmParameter::kStartupNs:
      return {"start-up in every forward", "ns"};
    case WarmParameter::kEngineWeight:
      return {"engine's weight on the bus", "%"};
    case WarmParameter::kHitSaving:
      return {"what residency saves", "%"};
    case WarmParameter::kCollectiveShares:
      return {"all-to-all on the engine", "0 or 1"};
    case WarmParameter::kLanding:
      return {"landing", "0 partial, 1 full"};
    case WarmParameter::kLate:
      return {"what lands late", "0 helps, 1 competes"};
  }
  return {"", ""};
}

// "<= 19,593: wo_a after q_up".
std::string FlipText(const WarmCase& warm, const WarmKindPlan& plan, absl::string_view sign,
                     const std::optional<uint64_t>& value, const std::vector<WarmScope>& choice) {
  if (!value.has_value()) return "-";
  return absl::StrCat(sign, " ", Grouped(*value), ": ",
                      Shown(ScopesText(*warm.timeline, plan.kind, choice), kMostFlipNames));
}

}  // namespace

std::string WarmSummary(absl::string_view title, const WarmCase& warm) {
  const WarmPlan& plan = *warm.plan;
  std::string out;
  uint64_t layers = 0, warmed = 0;
  bool exact = true;
  for (const WarmKindPlan& kind : plan.kinds) {
    layers += kind.layers;
    exact &= kind.exact;
    for (const PlannedScope& scope : kind.scopes) warmed += scope.regions.size();
  }
  AppendFact("timeline", Shown(title, kColumns), &out);
  AppendFact("layers",
             absl::StrCat(Grouped(layers), " of ", Counted(plan.kinds.size(), "kind"), ", ",
                          Counted(warm.timeline->regions.size(), "region")),
             &out);
  AppendFact("forward",
             absl::StrCat(WarmTime(plan.cold_ns), " -> ", WarmTime(plan.warm_ns), " (",
                          Change(plan.cold_ns, plan.warm_ns), "), predicted"),
             &out);
  AppendFact("search", exact ? "all combinations of sets and anchors" : "bounded, set after set",
             &out);
  if (!plan.unread.empty()) {
    std::string names;
    for (size_t i = 0; i < std::min(plan.unread.size(), kMostUnread); ++i) {
      absl::StrAppend(&names, i == 0 ? "" : ", ",
                      RegionName(*warm.timeline, plan.unread[i], kRegionWidth));
    }
    if (plan.unread.size() > kMostUnread) {
      absl::StrAppend(&names, " and ", Grouped(plan.unread.size() - kMostUnread), " more");
    }
    AppendFact("never read", names, &out);
  }
  for (const WarmKindPlan& kind : plan.kinds) {
    std::string line = KindTitle(*warm.timeline, kind);
    if (!kind.scopes.empty()) {
      absl::StrAppend(&line, "; ", DecimalSize(kind.bytes_in_flight), " in flight of ",
                      DecimalSize(kind.fill_bytes));
    }
    AppendFact("", line, &out);
  }
  if (warmed == 0) return out;
  TextTable table;
  table.AddLeft("kind");
  table.AddLeft("when");
  table.AddLeft("warm");
  table.AddRight("size");
  table.AddRight("issued");
  table.AddRight("landed");
  table.AddRight("read");
  table.AddRight("found");
  for (const WarmKindPlan& kind : plan.kinds) AddWarms(warm, kind, &table);
  return absl::StrCat(out, "\n", table.ToString());
}

std::string WarmVerdicts(const WarmCase& warm, size_t most_rows) {
  std::string out;
  for (const WarmKindPlan& plan : warm.plan->kinds) {
    absl::StrAppend(&out, out.empty() ? "" : "\n", KindTitle(*warm.timeline, plan), "\n");
    TextTable table;
    table.AddLeft("region");
    table.AddRight("size");
    table.AddLeft("verdict");
    table.AddLeft("why");
    size_t widest = 6;
    const size_t rows = std::min(most_rows, plan.verdicts.size());
    for (size_t i = 0; i < rows; ++i) {
      const std::string name = RegionName(*warm.timeline, plan.verdicts[i].region, kRegionWidth);
      widest = std::max(widest, Width(name));
    }
    std::string before;
    for (size_t i = 0; i < rows; ++i) {
      const WarmRegionVerdict& verdict = plan.verdicts[i];
      std::string why = Why(warm, plan, verdict);
      table.AddRow({RegionName(*warm.timeline, verdict.region, kRegionWidth),
                    DecimalSize(verdict.bytes), std::string(VerdictName(verdict.verdict)),
                    why == before ? "likewise" : Wrapped(why, kColumns - widest - 8 - 9 - 6)});
      before = std::move(why);
    }
    if (plan.verdicts.size() > rows) {
      table.AddNote(absl::StrCat("  and ", Grouped(plan.verdicts.size() - rows), " more"));
    }
    out += table.ToString();
  }
  return out;
}

std::string WarmAlternatives(const WarmCase& warm, size_t most_rows) {
  std::string out;
  for (const WarmKindPlan& plan : warm.plan->kinds) {
    absl::StrAppend(&out, out.empty() ? "" : "\n", KindTitle(*warm.timeline, plan), "\n");
    TextTable table;
    table.AddRight("change");
    table.AddRight("in flight");
    table.AddLeft("");
    table.AddLeft("weighed");
    const std::vector<WarmScope> chosen = ScopesOf(plan);
    const size_t rows = std::min(most_rows, plan.alternatives.size());
    for (size_t i = 0; i < rows; ++i) {
      const WarmAlternative& weighed = plan.alternatives[i];
      const absl::string_view mark = IsChosen(chosen, weighed) ? "chosen"
                                     : !weighed.fits           ? "no room"
                                     : !weighed.eligible       ? "not allowed"
                                                               : "";
      table.AddRow({WarmChange(weighed.change_ns), DecimalSize(weighed.bytes_in_flight),
                    std::string(mark),
                    Wrapped(ScopesText(*warm.timeline, plan.kind, weighed.scopes),
                            kColumns - 12 - 10 - 13)});
    }
    if (plan.alternatives.size() > rows) {
      table.AddNote(absl::StrCat("  and ", Grouped(plan.alternatives.size() - rows), " more"));
    }
    out += table.ToString();
  }
  return out;
}

std::string WarmFlips(const WarmCase& warm) {
  std::string out;
  for (const WarmKindPlan& plan : warm.plan->kinds) {
    absl::StrAppend(&out, out.empty() ? "" : "\n", KindName(*warm.timeline, plan.kind, kStageWidth),
                    plan.flips.empty() ? ": too much to simulate to say what the choice rests on\n"
                                       : ": another choice is better where, all else as it is,\n");
    if (plan.flips.empty()) continue;
    TextTable table;
    table.AddLeft("assumption");
    table.AddRight("now");
    table.AddLeft("unit");
    table.AddLeft("is");
    for (const WarmFlip& flip : plan.flips) {
      const ParameterWords words = WordsOf(flip.parameter);
      std::string when;
      if (flip.below.has_value()) {
        when = FlipText(warm, plan, "<=", flip.below, flip.choice_below);
      }
      if (flip.above.has_value()) {
        absl::StrAppend(&when, when.empty() ? "" : "\n",
                        FlipText(warm, plan, ">=", flip.above, flip.choice_above));
      }
      table.AddRow(
          {words.name, Grouped(flip.value), words.unit, when.empty() ? "nothing found" : when});
    }
    out += table.ToString();
  }
  return out;
}

}  // namespace report
}  // namespace torqsched
