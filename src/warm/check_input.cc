#include "src/warm/check_input.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"
#include "src/warm/forward.h"

namespace torqsched {
namespace {

// So small that no clock, sum or product of the model can overflow.
constexpr uint64_t kMostBytes = uint64_t{1} << 44;  // of a region, a stage, a forward
constexpr uint64_t kMostL2Bytes = uint64_t{1} << 40;
constexpr uint64_t kMostNs = uint64_t{1} << 40;  // of a stage, 18 minutes
constexpr uint64_t kMostBytesPerNs = uint64_t{1} << 28;
constexpr uint64_t kMostNsPerByte = uint64_t{1} << 28;
constexpr uint64_t kMostWeight = 1000;
constexpr uint64_t kMostSimulated = 4000000;  // of a forward: some seconds
constexpr size_t kMostStreams = 64;
constexpr size_t kMostItems = (uint64_t{1} << 32) - 2;

absl::Status Invalid(absl::string_view field, absl::string_view message) {
  return ErrorAt(absl::StatusCode::kInvalidArgument, message,
                 {std::string(field), OpIndex(), BufferIndex()});
}

absl::Status OutOfRange(absl::string_view what, absl::string_view field, uint64_t value,
                        uint64_t least, uint64_t most) {
  return Invalid(field, absl::StrCat(what, value, "; expected ", least, " to ", most));
}

absl::Status CheckBandwidth(absl::string_view field, const WarmBandwidth& bandwidth) {
  const std::pair<const char*, uint64_t> numbers[] = {{".bytes", bandwidth.bytes},
                                                      {".ns", bandwidth.ns}};
  for (const auto& [name, value] : numbers) {
    if (value >= 1 && value <= kMostBytes) continue;
    const std::string number = absl::StrCat(field, name);
    return OutOfRange(absl::StrCat(number, ": "), number, value, 1, kMostBytes);
  }
  if (bandwidth.bytes / bandwidth.ns > kMostBytesPerNs ||
      bandwidth.ns / bandwidth.bytes > kMostNsPerByte) {
    return Invalid(field,
                   absl::StrCat(field, ": ", bandwidth.bytes, " bytes in ", bandwidth.ns,
                                " ns; expected at most ", kMostBytesPerNs,
                                " bytes a ns, and at least a byte in ", kMostNsPerByte, " ns"));
  }
  return absl::OkStatus();
}

std::string KindText(const WarmTimeline& timeline, size_t kind) {
  return DescribeItem("kind", static_cast<uint32_t>(kind), timeline.kinds[kind].name);
}

std::string StageText(const WarmTimeline& timeline, size_t kind, size_t stage) {
  return absl::StrCat(
      KindText(timeline, kind), ", ",
      DescribeItem("stage", static_cast<uint32_t>(stage), timeline.kinds[kind].stages[stage].name),
      ": ");
}

std::string RegionText(const WarmTimeline& timeline, size_t region) {
  return absl::StrCat(
      DescribeItem("region", static_cast<uint32_t>(region), timeline.regions[region].name), ": ");
}

// Where two of these names are the same, the later position; else their number.
size_t FirstRepeated(const std::vector<absl::string_view>& names, size_t* earlier) {
  std::vector<std::pair<absl::string_view, size_t>> sorted;
  sorted.reserve(names.size());
  for (size_t i = 0; i < names.size(); ++i) sorted.emplace_back(names[i], i);
  std::sort(sorted.begin(), sorted.end());
  size_t repeated = names.size();
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].first != sorted[i - 1].first || sorted[i].second >= repeated) continue;
    repeated = sorted[i].second;
    *earlier = sorted[i - 1].second;
  }
  return repeated;
}

absl::Status CheckRegions(const WarmTimeline& timeline) {
  std::vector<absl::string_view> names;
  names.reserve(timeline.regions.size());
  for (size_t r = 0; r < timeline.regions.size(); ++r) {
    const WarmRegion& region = timeline.regions[r];
    names.push_back(region.name);
    if (region.bytes == 0 || region.bytes > kMostBytes) {
      return OutOfRange(absl::StrCat(RegionText(timeline, r), "bytes "),
                        absl::StrCat("timeline.regions[", r, "].bytes"), region.bytes, 1,
                        kMostBytes);
    }
  }
  size_t earlier = 0;
  const size_t repeated = FirstRepeated(names, &earlier);
  if (repeated == names.size()) return absl::OkStatus();
  return Invalid(
      absl::StrCat("timeline.regions[", repeated, "].name"),
      absl::StrCat(RegionText(timeline, repeated), "region ", earlier, " has the same name"));
}

absl::Status CheckReads(const WarmTimeline& timeline, size_t k, size_t s, uint64_t* bytes) {
  const WarmStage& stage = timeline.kinds[k].stages[s];
  const std::string field = absl::StrCat("timeline.kinds[", k, "].stages[", s, "].reads");
  std::vector<uint32_t> seen;
  size_t beside = 0;
  for (size_t i = 0; i < stage.reads.size(); ++i) {
    const WarmRead& read = stage.reads[i];
    const std::string at = absl::StrCat(field, "[", i, "]");
    if (read.region >= timeline.regions.size()) {
      return Invalid(absl::StrCat(at, ".region"),
                     absl::StrCat(StageText(timeline, k, s), "reads unknown region ", read.region,
                                  "; there are ", timeline.regions.size(), " regions"));
    }
    const WarmRegion& region = timeline.regions[read.region];
    if (read.bytes > region.bytes) {
      return Invalid(absl::StrCat(at, ".bytes"),
                     absl::StrCat(StageText(timeline, k, s), "reads ", read.bytes, " bytes of ",
                                  RegionText(timeline, read.region), "it has ", region.bytes,
                                  "; expected at most as many"));
    }
    beside = i > 0 && read.beside_previous ? beside + 1 : 1;
    if (beside > kMostReadsBeside) {
      return Invalid(absl::StrCat(at, ".beside_previous"),
                     absl::StrCat(StageText(timeline, k, s), "reads ", beside,
                                  " regions side by side; expected at most ", kMostReadsBeside));
    }
    seen.push_back(read.region);
    *bytes = SaturatingAdd(*bytes, read.bytes == 0 ? region.bytes : read.bytes);
  }
  std::sort(seen.begin(), seen.end());
  const auto twice = std::adjacent_find(seen.begin(), seen.end());
  if (twice == seen.end()) return absl::OkStatus();
  return Invalid(field, absl::StrCat(StageText(timeline, k, s), RegionText(timeline, *twice),
                                     "read twice; expected one read, of more bytes"));
}

absl::Status CheckStage(const WarmTimeline& timeline, size_t k, size_t s, uint64_t* bytes,
                        uint64_t* ns) {
  const WarmStage& stage = timeline.kinds[k].stages[s];
  const std::string field = absl::StrCat("timeline.kinds[", k, "].stages[", s, "].");
  if (stage.duration_ns > kMostNs) {
    return OutOfRange(absl::StrCat(StageText(timeline, k, s), "duration_ns "),
                      absl::StrCat(field, "duration_ns"), stage.duration_ns, 0, kMostNs);
  }
  if (stage.resident_ns.value_or(0) > stage.duration_ns) {
    return Invalid(absl::StrCat(field, "resident_ns"),
                   absl::StrCat(StageText(timeline, k, s), "resident_ns ", *stage.resident_ns,
                                "; expected 0 to its duration_ns, ", stage.duration_ns));
  }
  if (stage.other_bytes > kMostBytes) {
    return OutOfRange(absl::StrCat(StageText(timeline, k, s), "other_bytes "),
                      absl::StrCat(field, "other_bytes"), stage.other_bytes, 0, kMostBytes);
  }
  uint64_t own = stage.other_bytes;
  if (absl::Status status = CheckReads(timeline, k, s, &own); !status.ok()) return status;
  if (own > kMostBytes) {
    return Invalid(absl::StrCat(field, "reads"),
                   absl::StrCat(StageText(timeline, k, s), "reads and other_bytes are ", own,
                                " bytes together; expected at most ", kMostBytes));
  }
  if (stage.after.has_value()) {
    for (size_t i = 0; i < stage.after->size(); ++i) {
      if ((*stage.after)[i] < s) continue;
      return Invalid(absl::StrCat(field, "after.stages[", i, "]"),
                     absl::StrCat(StageText(timeline, k, s), "waits for stage ", (*stage.after)[i],
                                  "; expected an earlier one"));
    }
  }
  *bytes = SaturatingAdd(*bytes, own);
  *ns = SaturatingAdd(*ns, stage.duration_ns);
  return absl::OkStatus();
}

absl::Status CheckRuns(const WarmTimeline& timeline, const std::vector<uint64_t>& kind_bytes,
                       const std::vector<uint64_t>& kind_ns) {
  uint64_t bytes = 0;
  uint64_t ns = 0;
  uint64_t layers = 0;
  uint64_t simulated = 0;  // stages: of what repeats, a few rounds
  if (timeline.runs.empty()) {
    return Invalid("timeline.runs", "timeline.runs: no layers; expected at least one");
  }
  for (size_t i = 0; i < timeline.runs.size(); ++i) {
    const WarmRun& run = timeline.runs[i];
    const std::string field = absl::StrCat("timeline.runs[", i, "]");
    if (run.kinds.empty()) {
      return Invalid(absl::StrCat(field, ".kinds"),
                     absl::StrCat("run ", i, ": no kinds; expected at least one"));
    }
    if (run.repeats == 0 || run.repeats > kMostBytes) {
      return OutOfRange(absl::StrCat("run ", i, ": repeats "), absl::StrCat(field, ".repeats"),
                        run.repeats, 1, kMostBytes);
    }
    for (size_t j = 0; j < run.kinds.size(); ++j) {
      const uint32_t kind = run.kinds[j];
      if (kind >= timeline.kinds.size()) {
        return Invalid(absl::StrCat(field, ".kinds[", j, "]"),
                       absl::StrCat("run ", i, ": unknown kind ", kind, "; there are ",
                                    timeline.kinds.size(), " kinds"));
      }
      layers = SaturatingAdd(layers, run.repeats);
      simulated = SaturatingAdd(simulated, timeline.kinds[kind].stages.size() *
                                               std::min(run.repeats, warm::kSimulatedRepeats));
      bytes = SaturatingAdd(bytes, SaturatingMultiply(kind_bytes[kind], run.repeats));
      ns = SaturatingAdd(ns, SaturatingMultiply(kind_ns[kind], run.repeats));
    }
  }
  if (layers > kMostBytes || simulated > kMostSimulated) {
    return Invalid("timeline.runs",
                   absl::StrCat("timeline.runs: a forward of ", layers, " layers, of which ",
                                simulated, " stages are simulated; expected at most ", kMostBytes,
                                " layers and ", kMostSimulated, " stages"));
  }
  if (bytes > kMostBytes || ns > kMostNs) {
    return Invalid("timeline.runs", absl::StrCat("timeline.runs: a forward of ", bytes,
                                                 " bytes and ", ns, " ns; expected at most ",
                                                 kMostBytes, " bytes and ", kMostNs, " ns"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckWarmHardware(const WarmHardware& hardware) {
  struct Range {
    const char* field;
    uint64_t value, least, most;
  };
  const Range ranges[] = {
      {"hardware.l2_bytes", hardware.l2_bytes, 1, kMostL2Bytes},
      {"hardware.l2_fill_percent", hardware.l2_fill_percent, 0, 100},
      {"hardware.hit_saving_ns", hardware.hit_saving_ns, 0, kMostNs},
      {"hardware.hit_saving_bytes", hardware.hit_saving_bytes, 1, kMostBytes},
      {"hardware.startup_ns", hardware.startup_ns, 0, kMostNs},
      {"hardware.issue_ns", hardware.issue_ns, 0, kMostNs},
      {"hardware.stage_weight", hardware.stage_weight, 1, kMostWeight},
      {"hardware.engine_weight", hardware.engine_weight, 1, kMostWeight},
  };
  for (const Range& r : ranges) {
    if (r.value >= r.least && r.value <= r.most) continue;
    return OutOfRange(absl::StrCat(r.field, ": "), r.field, r.value, r.least, r.most);
  }
  if (hardware.engine.empty() || hardware.engine.size() > kMostStreams) {
    return OutOfRange("hardware.engine: bandwidths ", "hardware.engine", hardware.engine.size(), 1,
                      kMostStreams);
  }
  absl::Status status = CheckBandwidth("hardware.memory", hardware.memory);
  if (status.ok()) status = CheckBandwidth("hardware.engine_hits", hardware.engine_hits);
  for (size_t i = 0; status.ok() && i < hardware.engine.size(); ++i) {
    status = CheckBandwidth(absl::StrCat("hardware.engine[", i, "]"), hardware.engine[i]);
  }
  return status;
}

absl::Status CheckWarmTimeline(const WarmTimeline& timeline) {
  if (timeline.regions.size() > kMostItems) {
    return Invalid("timeline.regions", "too many regions; expected fewer than 2^32 - 1");
  }
  if (timeline.parallel_stages == 0 || timeline.parallel_stages > kMostParallelStages) {
    return OutOfRange("timeline.parallel_stages: ", "timeline.parallel_stages",
                      timeline.parallel_stages, 1, kMostParallelStages);
  }
  if (timeline.kinds.empty()) {
    return Invalid("timeline.kinds", "timeline.kinds: no kinds of layers; expected at least one");
  }
  if (absl::Status status = CheckRegions(timeline); !status.ok()) return status;
  std::vector<uint64_t> bytes(timeline.kinds.size(), 0);
  std::vector<uint64_t> ns(timeline.kinds.size(), 0);
  for (size_t k = 0; k < timeline.kinds.size(); ++k) {
    const std::vector<WarmStage>& stages = timeline.kinds[k].stages;
    if (stages.empty() || stages.size() > kMostItems) {
      return Invalid(absl::StrCat("timeline.kinds[", k, "].stages"),
                     absl::StrCat(KindText(timeline, k), ": ", stages.size(),
                                  " stages; expected 1 to 2^32 - 2"));
    }
    for (size_t s = 0; s < stages.size(); ++s) {
      absl::Status status = CheckStage(timeline, k, s, &bytes[k], &ns[k]);
      if (!status.ok()) return status;
    }
  }
  return CheckRuns(timeline, bytes, ns);
}

absl::Status CheckWarmScopes(const WarmTimeline& timeline, uint32_t kind,
                             const std::vector<WarmScope>& scopes, absl::string_view field) {
  for (size_t i = 0; i < scopes.size(); ++i) {
    const std::string at = absl::StrCat(field, "[", i, "].");
    const std::string what = absl::StrCat(KindText(timeline, kind), ", scope ", i, ": ");
    const uint32_t anchor = scopes[i].anchor;
    if (anchor != kLayerEntry && anchor >= timeline.kinds[kind].stages.size()) {
      return Invalid(absl::StrCat(at, "anchor"),
                     absl::StrCat(what, "after unknown stage ", anchor, "; there are ",
                                  timeline.kinds[kind].stages.size(), " stages"));
    }
    if (scopes[i].regions.empty()) {
      return Invalid(absl::StrCat(at, "regions"), absl::StrCat(what, "warms no region"));
    }
    for (size_t j = 0; j < scopes[i].regions.size(); ++j) {
      if (scopes[i].regions[j] < timeline.regions.size()) continue;
      return Invalid(absl::StrCat(at, "regions[", j, "]"),
                     absl::StrCat(what, "warms unknown region ", scopes[i].regions[j],
                                  "; there are ", timeline.regions.size(), " regions"));
    }
  }
  return absl::OkStatus();
}

}  // namespace torqsched
