#include "src/report/summary.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/report/text.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace report {
namespace {

std::string Title(const Stream& stream) {
  uint64_t programs = 0;
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    if (stream.op(OpIndex(i)).kind == OpKind::kStart) ++programs;
  }
  return absl::StrCat(stream.name().empty() ? "stream" : Shown(stream.name(), 60), ": ",
                      Counted(stream.op_count(), "op"), ", ", Counted(programs, "program"), ", ",
                      Counted(stream.buffer_count(), "buffer"), "\n\n");
}

// "" or "   1,234.5 us".
std::string InTime(uint64_t cycles, const Hardware& hardware) {
  return hardware.clock_hz == 0 ? "" : absl::StrCat("   ", Microseconds(cycles, hardware.clock_hz));
}

absl::string_view BoundName(BoundKind kind) {
  switch (kind) {
    case BoundKind::kStream:
      return "stream";
    case BoundKind::kSlices:
      return "slices";
    case BoundKind::kPath:
      return "path";
    case BoundKind::kJackson:
      return "Jackson";
    case BoundKind::kCover:
      return "cover";
    case BoundKind::kReloads:
      return "reloads";
    case BoundKind::kBarriers:
      return "barriers";
    case BoundKind::kExact:
      return "exact";
  }
  return "";
}

// What a bound of this kind counts; at most 42 columns.
absl::string_view BoundMeaning(BoundKind kind) {
  switch (kind) {
    case BoundKind::kStream:
      return "transfers, starts, barriers";
    case BoundKind::kSlices:
      return "all programs";
    case BoundKind::kPath:
      return "the longest path of dependences";
    case BoundKind::kJackson:
      return "the stream, each op after what it needs";
    case BoundKind::kCover:
      return "what can run beside what, at best";
    case BoundKind::kReloads:
      return "what LRAM cannot carry over a cut";
    case BoundKind::kBarriers:
      return "the parts between barriers, added up";
    case BoundKind::kExact:
      return "all orders were searched";
  }
  return "";
}

// "2,742,738 cycles   gap 4.3 %   (...)": how far the makespan is above the bound. met: what to say
// where it is not.
std::string BoundText(const LowerBound& bound, uint64_t makespan, absl::string_view met) {
  const std::string gap = makespan > bound.cycles
                              ? absl::StrCat("gap ", Percent(makespan - bound.cycles, bound.cycles))
                              : std::string(met);
  return absl::StrCat(Grouped(bound.cycles), " cycles   ", gap, "   (", BoundName(bound.kind), ": ",
                      BoundMeaning(bound.kind), ")");
}

// The bounds that do not bind, by kind: "others: stream 110, path 90".
void AppendOtherBounds(const ScheduleAnswer& answer, std::string* out) {
  constexpr size_t kTextColumns = kColumns - 14;  // beside what a fact is about
  std::string line = "others:";
  absl::string_view comma = "";
  for (const Bound& bound : answer.bounds) {
    if (bound.kind == answer.lower_bound.kind) continue;
    const std::string text = absl::StrCat(" ", BoundName(bound.kind), " ", Grouped(bound.cycles));
    absl::StrAppend(&line, comma);
    comma = ",";
    if (line.size() + text.size() >= kTextColumns) {
      AppendFact("", line, out);
      line = "       ";
    }
    line += text;
  }
  if (!comma.empty()) AppendFact("", line, out);
}

// The input order's price, by the measure that the answer's has: with swaps where both have one.
uint64_t Before(const ScheduleAnswer& answer) {
  return answer.input_allocated_makespan.value_or(answer.input_makespan);
}

uint64_t After(const ScheduleAnswer& answer) {
  return answer.placement.placed ? answer.placement.makespan : answer.schedule.makespan;
}

// What stands behind one of the two makespans: its swaps, or that it has no room in LRAM.
void AppendBasis(absl::string_view which, bool placed, uint64_t swaps, uint64_t without,
                 std::string* out) {
  if (!placed) {
    AppendFact("", absl::StrCat(which, "priced without LRAM, where it cannot be placed"), out);
  } else if (swaps != 0) {
    AppendFact(
        "",
        absl::StrCat(which, "with ", Counted(swaps, "swap"), "; without them ", Grouped(without)),
        out);
  }
}

void AppendMakespan(const Hardware& hardware, const ScheduleAnswer& answer, std::string* out) {
  const uint64_t before = Before(answer);
  const uint64_t after = After(answer);
  const Placement& placement = answer.placement;
  if (answer.source == Source::kInput) {
    AppendFact("makespan",
               absl::StrCat(Grouped(after), " cycles   unchanged", InTime(after, hardware)), out);
    AppendBasis("", placement.placed, placement.swaps, answer.schedule.makespan, out);
  } else {
    std::string text = absl::StrCat(Grouped(before), " -> ", Grouped(after), " cycles   ",
                                    Change(before, after), "   ", Ratio(before, after, 2), "x");
    if (hardware.clock_hz != 0) {
      absl::StrAppend(&text, "   ", Microseconds(before, hardware.clock_hz), " -> ",
                      Microseconds(after, hardware.clock_hz));
    }
    AppendFact("makespan", text, out);
    AppendBasis("before: ", answer.input_allocated_makespan.has_value(), answer.input_swaps,
                answer.input_makespan, out);
    AppendBasis("after: ", placement.placed, placement.swaps, answer.schedule.makespan, out);
  }
  AppendFact("lower bound",
             BoundText(answer.lower_bound, after,
                       placement.placed ? "proven optimal" : "but not placed in LRAM"),
             out);
  AppendOtherBounds(answer, out);
}

void AppendOrder(const Hardware& hardware, const ScheduleAnswer& answer, std::string* out) {
  std::string text = "the input order stays";
  if (answer.source == Source::kList) {
    text = "list schedule";
    if (answer.pass.has_value()) absl::StrAppend(&text, ", pass ", *answer.pass);
    if (answer.cap.has_value()) {
      absl::StrAppend(&text, ", cap ", Grouped(*answer.cap), " bytes (",
                      Percent(*answer.cap, hardware.usable_bytes()), " of usable LRAM)");
    }
  } else if (answer.source == Source::kSearch) {
    text = "found by search";
  }
  if (answer.cancelled) text += "; stopped before the end";
  AppendFact("order", text, out);
}

absl::string_view WhyNoSearch(const ScheduleOptions& options, const ScheduleAnswer& answer) {
  const bool proven = answer.MeetsBound();
  switch (options.strategy) {
    case Strategy::kNone:
      return "none: strategy none keeps the input order";
    case Strategy::kStreamSchedule:
      return proven ? "none, and none needed: proven optimal"
                    : "none: strategy stream-schedule; strategy optimize searches for less";
    case Strategy::kOptimize:
      break;
  }
  if (answer.schedule.order.empty()) return "none needed: the stream has no ops";
  if (proven && !options.robust) return "none needed: proven optimal before it would begin";
  if (options.work_limit == uint64_t{0}) return "none: the work limit is 0";
  return "none: there was nothing to try";
}

// What ended a search that no limit stopped. A proof is about cycles, and does not end a robust
// one.
absl::string_view EndOfSearch(const ScheduleOptions& options, const ScheduleAnswer& answer) {
  if (answer.work_limit_reached || answer.time_limit_reached || answer.cancelled) return "";
  return answer.MeetsBound() && !options.robust ? "; ended: proven optimal" : "; ended by itself";
}

// What the search did and what ended it, or why there was none.
void AppendSearch(const ScheduleOptions& options, const ScheduleAnswer& answer, std::string* out) {
  const Statistics& work = answer.statistics;
  const bool limited = answer.work_limit_reached || answer.time_limit_reached;
  if (work.search_nodes == 0 && work.search_moves == 0 && !limited) {
    AppendFact("search", WhyNoSearch(options, answer), out);
    return;
  }
  AppendFact(
      "search",
      absl::StrCat(Counted(work.search_nodes, "node"), ", ", Counted(work.search_moves, "move"),
                   " tried, ", Counted(work.search_improvements, "improvement"),
                   EndOfSearch(options, answer)),
      out);
  if (answer.work_limit_reached) {
    AppendFact("", "stopped at the work limit: more work may find a better order", out);
  }
  if (answer.time_limit_reached) {
    AppendFact("", "stopped at the time limit: another run may answer otherwise", out);
  }
}

absl::string_view ReasonText(FailureReason reason) {
  switch (reason) {
    case FailureReason::kNone:
      return "";
    case FailureReason::kCapacity:
      return "full";
    case FailureReason::kFragmentation:
      return "fragmented";
    case FailureReason::kHost:
      return "refused by the host's allocator";
    case FailureReason::kOverflow:
      return "swaps beyond 64 bits";
  }
  return "";
}

// "fragmented at op 7 'start P3'"; empty where nothing is known.
std::string FailurePlace(const Stream& stream, const PlacementFailure& failure) {
  std::string text(ReasonText(failure.reason));
  if (failure.op.present() && failure.op.value() < stream.op_count()) {
    absl::StrAppend(&text, " at op ", failure.op.value(), " '", OpLabel(stream, failure.op, 28),
                    "'");
  } else if (!text.empty() && failure.reason != FailureReason::kHost) {
    absl::StrAppend(&text, " before the first op");
  }
  return text;
}

// "wants 100 bytes; 40 pinned, 120 free, longest range 64"; empty where the oracle does not say.
std::string FailureBytes(const Stream& stream, const PlacementFailure& failure) {
  if (failure.reason != FailureReason::kCapacity &&
      failure.reason != FailureReason::kFragmentation) {
    return "";
  }
  uint64_t wanted = 0;
  for (BufferIndex buffer : failure.buffers) {
    if (buffer.value() >= stream.buffer_count()) continue;
    wanted = SaturatingAdd(wanted, stream.buffer(buffer).size);
  }
  return absl::StrCat("wants ", Grouped(wanted), " bytes; ", Grouped(failure.pinned_bytes),
                      " pinned, ", Grouped(failure.free_bytes), " free, longest range ",
                      Grouped(failure.largest_range));
}

void AppendLram(const Stream& stream, const Hardware& hardware, const ScheduleAnswer& answer,
                std::string* out) {
  const uint64_t usable = hardware.usable_bytes();
  const Placement& placement = answer.placement;
  const bool exact = placement.placed && placement.has_detail;
  const uint64_t peak = exact ? placement.peak : answer.schedule.peak;
  AppendFact("LRAM peak",
             absl::StrCat(Grouped(peak), " of ", Grouped(usable), " usable bytes (",
                          Percent(peak, usable), "); input order ", Grouped(answer.input_peak)),
             out);
  if (!placement.placed) {
    const std::string place = FailurePlace(stream, placement.failure);
    AppendFact("placement", absl::StrCat("not placed in LRAM", place.empty() ? "" : ": ", place),
               out);
    const std::string bytes = FailureBytes(stream, placement.failure);
    if (!bytes.empty()) AppendFact("", bytes, out);
  } else if (placement.swaps == 0) {
    AppendFact("swaps", "none", out);
  } else if (!placement.has_detail) {
    AppendFact("swaps", Grouped(placement.swaps), out);
  } else {
    AppendFact("swaps",
               absl::StrCat(Grouped(placement.swaps), ": ", Counted(placement.stores, "store"),
                            ", ", Counted(placement.loads, "load"), ", ",
                            Grouped(placement.swap_bytes), " bytes"),
               out);
  }
  if (hardware.bank_bytes != 0 && placement.placed && placement.bank_conflicts.has_value()) {
    AppendFact("banks",
               absl::StrCat(Counted(*placement.bank_conflicts, "conflict"),
                            "   (two buffers that one op reads in one bank of ",
                            Grouped(hardware.bank_bytes), " bytes)"),
               out);
  }
}

std::string BusyTable(const Statistics& statistics, uint64_t makespan) {
  TextTable table;
  table.AddLeft("");
  table.AddRight("cycles");
  table.AddRight("of makespan");
  table.AddLeft("");
  const auto row = [&](std::string name, uint64_t cycles, std::string note) {
    table.AddRow({std::move(name), Grouped(cycles), Percent(cycles, makespan), std::move(note)});
  };
  row("DMA", statistics.dma_cycles, "loads, stores, swaps");
  for (size_t s = 0; s < statistics.slice_cycles.size(); ++s) {
    row(absl::StrCat("slice ", s), statistics.slice_cycles[s], s == 0 ? "programs" : "");
  }
  row("overlap", statistics.overlap_cycles, "DMA and at least one slice at once");
  row("idle", statistics.idle_cycles, "neither DMA nor a slice");
  return table.ToString();
}

// "-20 %", "+10 %".
std::string PercentOff(int32_t percent) {
  return absl::StrCat(percent > 0 ? "+" : "", percent, " %");
}

// A row for each percentage: with transfers off by it, and with programs.
std::string SensitivityTable(const std::vector<Sensitivity>& prices, uint64_t nominal) {
  TextTable table;
  table.AddRight("off by");
  table.AddRight("transfers");
  table.AddRight("");
  table.AddRight("programs");
  table.AddRight("");
  for (const Sensitivity& dma : prices) {
    if (dma.dma_percent == 0) continue;
    const auto compute = std::find_if(
        prices.begin(), prices.end(),
        [&dma](const Sensitivity& other) { return other.compute_percent == dma.dma_percent; });
    if (compute == prices.end()) continue;
    table.AddRow({PercentOff(dma.dma_percent), Grouped(dma.makespan), Change(nominal, dma.makespan),
                  Grouped(compute->makespan), Change(nominal, compute->makespan)});
  }
  return table.ToString();
}

// robust: what a search found was compared by its worst price, so a slower order may be the answer.
absl::string_view VerdictText(Verdict verdict, bool robust, bool of_search) {
  switch (verdict) {
    case Verdict::kSameOrder:
      return "same order as before";
    case Verdict::kNotFaster:
      return robust && of_search ? "worst case not better" : "not faster";
    case Verdict::kNotPlaced:
      return "not placed";
    case Verdict::kNotFastest:
      return robust ? "not the best" : "not the fastest";
    case Verdict::kCommitted:
      return "committed";
  }
  return "";
}

// What SEQUENTIAL says, for a column beside OFFLINE's answer.
std::string SequentialText(const std::optional<SequentialFigures>& sequential) {
  if (!sequential.has_value()) return "-";
  if (!sequential->placed) return "not placed";
  if (sequential->swaps == 0) return Grouped(sequential->makespan);
  return absl::StrCat(Grouped(sequential->makespan), ", ", Counted(sequential->swaps, "swap"));
}

std::string AttemptTable(const Stream& stream, const ScheduleOptions& options,
                         const ScheduleAnswer& answer) {
  bool searched = false;
  const bool compares = answer.input_sequential.has_value();
  TextTable table;
  table.AddRight("pass");
  table.AddRight("cap");
  table.AddRight("predicted");
  table.AddRight("swaps");
  table.AddRight("allocated");
  if (compares) table.AddRight("SEQUENTIAL");
  table.AddLeft("verdict");
  for (const Attempt& attempt : answer.attempts) {
    const bool of_search = attempt.pass == kSearchPass;
    searched = searched || of_search;
    std::vector<std::string> row = {
        absl::StrCat(attempt.pass), of_search ? "-" : Grouped(attempt.cap),
        Grouped(attempt.predicted), attempt.swaps.has_value() ? Grouped(*attempt.swaps) : "-",
        attempt.makespan.has_value() ? Grouped(*attempt.makespan) : "-"};
    if (compares) row.push_back(SequentialText(attempt.sequential));
    row.push_back(std::string(VerdictText(attempt.verdict, options.robust, of_search)));
    table.AddRow(std::move(row));
    if (attempt.placed.value_or(true)) continue;
    const std::string place = FailurePlace(stream, attempt.failure);
    const std::string bytes = FailureBytes(stream, attempt.failure);
    if (place.empty()) continue;
    table.AddNote(absl::StrCat("      ", place, bytes.empty() ? "" : ": ", bytes));
  }
  std::string out = table.ToString();
  if (answer.bar.has_value()) {
    absl::StrAppend(&out, "to beat: ", Grouped(*answer.bar), " cycles\n");
  }
  if (options.robust && searched) {
    out += "robust: pass 2 compares by the worst of nine prices, of equals by their own\n";
  }
  return out;
}

}  // namespace

std::string Summary(const Stream& stream, const Hardware& hardware, const ScheduleOptions& options,
                    const ScheduleAnswer& answer) {
  std::string out = Title(stream);
  if (!answer.placement.placed) {
    AppendFact(
        "NOT PLACED",
        absl::StrCat("no order that was tried can be placed in LRAM",
                     options.swaps_forbidden ? " without swaps" : "", ": there are no offsets"),
        &out);
  }
  AppendMakespan(hardware, answer, &out);
  AppendOrder(hardware, answer, &out);
  AppendSearch(options, answer, &out);
  AppendLram(stream, hardware, answer, &out);
  if (answer.input_sequential.has_value()) {
    AppendFact("SEQUENTIAL", absl::StrCat("input order: ", SequentialText(answer.input_sequential)),
               &out);
  }
  absl::StrAppend(&out, "\n", BusyTable(answer.statistics, After(answer)));
  if (!answer.sensitivity.empty()) {
    absl::StrAppend(&out, "\n", SensitivityTable(answer.sensitivity, After(answer)));
  }
  if (!answer.attempts.empty()) absl::StrAppend(&out, "\n", AttemptTable(stream, options, answer));
  return out;
}

std::string PriceSummary(const Stream& stream, const Hardware& hardware, const Price& price,
                         const Statistics& statistics) {
  std::string out = Title(stream);
  AppendFact("makespan",
             absl::StrCat(Grouped(price.makespan), " cycles", InTime(price.makespan, hardware),
                          "   before allocation"),
             &out);
  AppendFact("lower bound", BoundText(price.lower_bound, price.makespan, "met: no order is better"),
             &out);
  AppendFact(
      "LRAM peak",
      absl::StrCat(Grouped(price.peak_live_bytes), " of ", Grouped(hardware.usable_bytes()),
                   " usable bytes (", Percent(price.peak_live_bytes, hardware.usable_bytes()), ")"),
      &out);
  absl::StrAppend(&out, "\n", BusyTable(statistics, price.makespan));
  return out;
}

}  // namespace report
}  // namespace torqsched
