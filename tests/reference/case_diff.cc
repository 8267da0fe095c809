// What two answers differ in, as lines that a test can print.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/reference/case_io.h"

namespace torqsched::reference {
namespace {

std::string Show(uint64_t value) { return absl::StrCat(value); }
std::string Show(bool value) { return value ? "true" : "false"; }
std::string Show(OpIndex op) { return op.present() ? absl::StrCat(op.value()) : "none"; }
std::string Show(BufferIndex buffer) {
  return buffer.present() ? absl::StrCat(buffer.value()) : "none";
}
std::string Show(FailureReason reason) { return absl::StrCat(static_cast<int>(reason)); }
std::string Show(Verdict verdict) { return absl::StrCat("verdict ", static_cast<int>(verdict)); }
std::string Show(Source source) { return source == Source::kList ? "list" : "input"; }
std::string Show(uint32_t value) { return absl::StrCat(value); }
std::string Show(const SwapTransfer& s) {
  return absl::StrCat("[", s.entry, s.is_store ? " store " : " load ", s.buffer.value(), " ",
                      s.offset, "]");
}
std::string Show(const Move& m) {
  return absl::StrCat("[", m.entry, m.in ? " in " : " out ", m.buffer.value(), " ", m.offset, "]");
}
template <typename T>
std::string Show(const std::optional<T>& value) {
  return value.has_value() ? Show(*value) : "none";
}
template <typename T>
std::string Show(const std::vector<T>& values) {
  return absl::StrJoin(values, " ",
                       [](std::string* out, const T& value) { absl::StrAppend(out, Show(value)); });
}
std::string Show(const IndexVector<OpIndex, uint8_t>& slices) {
  return absl::StrJoin(slices, " ", [](std::string* out, uint8_t slice) {
    absl::StrAppend(out, static_cast<uint32_t>(slice));
  });
}

// Values are compared as they are shown: what is not shown would not be compared.
class Report {
 public:
  explicit Report(absl::string_view what) : what_(what) {}

  template <typename T>
  void Compare(absl::string_view field, const T& expected, const T& actual) {
    const std::string expected_text = Show(expected);
    const std::string actual_text = Show(actual);
    if (expected_text == actual_text) return;
    absl::StrAppend(&lines_, what_, ".", field, ": expected ", expected_text, ", got ", actual_text,
                    "\n");
  }
  void Add(const std::string& lines) { lines_ += lines; }
  const std::string& lines() const { return lines_; }

 private:
  std::string what_;
  std::string lines_;
};

std::string Differences(absl::string_view what, const PlacementFailure& expected,
                        const PlacementFailure& actual) {
  Report report(what);
  report.Compare("reason", expected.reason, actual.reason);
  report.Compare("op", expected.op, actual.op);
  report.Compare("buffers", expected.buffers, actual.buffers);
  report.Compare("pinned_bytes", expected.pinned_bytes, actual.pinned_bytes);
  report.Compare("free_bytes", expected.free_bytes, actual.free_bytes);
  report.Compare("largest_range", expected.largest_range, actual.largest_range);
  return report.lines();
}

// Failures are compared only if asked for: the cases do not give those of attempts.
std::string Differences(absl::string_view what, const std::vector<Attempt>& expected,
                        const std::vector<Attempt>& actual, bool failures) {
  Report report(what);
  report.Compare("size", uint64_t{expected.size()}, uint64_t{actual.size()});
  for (size_t i = 0; i < expected.size() && i < actual.size(); ++i) {
    const Attempt& e = expected[i];
    const Attempt& a = actual[i];
    Report one(absl::StrCat(what, "[", i, "]"));
    one.Compare("pass", e.pass, a.pass);
    one.Compare("cap", e.cap, a.cap);
    one.Compare("predicted", e.predicted, a.predicted);
    one.Compare("placed", e.placed, a.placed);
    one.Compare("swaps", e.swaps, a.swaps);
    one.Compare("makespan", e.makespan, a.makespan);
    one.Compare("verdict", e.verdict, a.verdict);
    if (failures)
      one.Add(Differences(absl::StrCat(what, "[", i, "].failure"), e.failure, a.failure));
    report.Add(one.lines());
  }
  return report.lines();
}

}  // namespace

std::string Differences(absl::string_view what, const Schedule& expected, const Schedule& actual) {
  Report report(what);
  report.Compare("order", expected.order, actual.order);
  report.Compare("slice", expected.slice, actual.slice);
  report.Compare("makespan", expected.makespan, actual.makespan);
  report.Compare("peak", expected.peak, actual.peak);
  return report.lines();
}

std::string Differences(absl::string_view what, const Placement& expected,
                        const Placement& actual) {
  Report report(what);
  report.Compare("placed", expected.placed, actual.placed);
  report.Compare("swaps", expected.swaps, actual.swaps);  // 0 where not placed
  if (expected.placed && actual.placed) {
    report.Compare("stores", expected.stores, actual.stores);
    report.Compare("loads", expected.loads, actual.loads);
    report.Compare("swap_bytes", expected.swap_bytes, actual.swap_bytes);
    report.Compare("peak", expected.peak, actual.peak);
    report.Compare("bank_conflicts", expected.bank_conflicts, actual.bank_conflicts);
    report.Compare("makespan", expected.makespan, actual.makespan);
    report.Compare("swap_transfers", expected.swap_transfers, actual.swap_transfers);
    report.Compare("moves", expected.moves, actual.moves);
  } else if (!expected.placed && !actual.placed) {
    report.Add(Differences(absl::StrCat(what, ".failure"), expected.failure, actual.failure));
  }
  return report.lines();
}

std::string Differences(absl::string_view what, const ScheduleAnswer& expected,
                        const ScheduleAnswer& actual) {
  Report report(what);
  report.Compare("source", expected.source, actual.source);
  report.Compare("pass", expected.pass, actual.pass);
  report.Compare("cap", expected.cap, actual.cap);
  report.Add(Differences(absl::StrCat(what, ".schedule"), expected.schedule, actual.schedule));
  report.Add(Differences(absl::StrCat(what, ".placement"), expected.placement, actual.placement));
  report.Compare("input_makespan", expected.input_makespan, actual.input_makespan);
  report.Compare("input_allocated_makespan", expected.input_allocated_makespan,
                 actual.input_allocated_makespan);
  report.Compare("input_swaps", expected.input_swaps, actual.input_swaps);
  report.Compare("input_peak", expected.input_peak, actual.input_peak);
  report.Compare("bar", expected.bar, actual.bar);
  report.Add(Differences(absl::StrCat(what, ".attempts"), expected.attempts, actual.attempts,
                         /*failures=*/true));
  return report.lines();
}

std::string MismatchesWithCase(const ScheduleCase& expected, const Implementation& implementation) {
  const Stream& stream = expected.stream;
  Report report(expected.name);
  std::vector<OpIndex> input_order;
  IndexVector<OpIndex, uint8_t> input_slices(stream.op_count(), 0);
  for (size_t i = 0; i < stream.op_count(); ++i) {
    const Op& op = stream.op(OpIndex(i));
    input_order.push_back(OpIndex(i));
    if (op.kind == OpKind::kStart) input_slices[OpIndex(i)] = static_cast<uint8_t>(op.slice);
  }

  if (implementation.simulate) {
    report.Compare("input_makespan", expected.input_makespan,
                   implementation.simulate(input_order, input_slices));
    for (size_t k = 0; k < expected.schedules.size(); ++k) {
      const Schedule& schedule = expected.schedules[k];
      report.Compare(absl::StrCat("simulate[", k, "]"), schedule.makespan,
                     implementation.simulate(schedule.order, schedule.slice));
    }
  }
  if (implementation.list_schedule) {
    for (size_t k = 0; k < expected.schedules.size(); ++k) {
      report.Add(Differences(absl::StrCat(expected.name, ".schedules[", k, "]"),
                             expected.schedules[k],
                             implementation.list_schedule(expected.caps[k])));
    }
  }
  if (implementation.sequential) {
    const auto check = [&](const std::string& what, const ExpectedOracle& oracle,
                           const std::vector<OpIndex>& order,
                           const IndexVector<OpIndex, uint8_t>& slices) {
      const std::string path = absl::StrCat(expected.name, ".oracle.", what);
      report.Add(Differences(path + ".swaps", oracle.swaps,
                             implementation.sequential(order, slices, /*swaps_allowed=*/true)));
      report.Add(Differences(path + ".no_swaps", oracle.no_swaps,
                             implementation.sequential(order, slices, /*swaps_allowed=*/false)));
    };
    check("input", expected.input_oracle, input_order, input_slices);
    for (size_t k = 0; k < expected.schedules.size(); ++k) {
      check(absl::StrCat("schedules[", k, "]"), expected.schedule_oracles[k],
            expected.schedules[k].order, expected.schedules[k].slice);
    }
  }
  if (implementation.schedule_stream) {
    const ScheduleAnswer& choice = expected.choice;
    const ScheduleAnswer actual = implementation.schedule_stream();
    report.Compare("choice.source", choice.source, actual.source);
    report.Compare("choice.pass", choice.pass, actual.pass);
    report.Compare("choice.cap", choice.cap, actual.cap);
    report.Compare("choice.bar", choice.bar, actual.bar);
    report.Compare("choice.input_makespan", expected.input_makespan, actual.input_makespan);
    report.Compare("choice.predicted", choice.schedule.makespan, actual.schedule.makespan);
    report.Compare("choice.placed", choice.placement.placed, actual.placement.placed);
    if (choice.placement.placed) {
      report.Compare("choice.swaps", choice.placement.swaps, actual.placement.swaps);
      report.Compare("choice.makespan", choice.placement.makespan, actual.placement.makespan);
    }
    report.Add(Differences(absl::StrCat(expected.name, ".choice.attempts"), choice.attempts,
                           actual.attempts, /*failures=*/false));
    // The order and the placement that were chosen are among those that the case gives.
    const bool from_list = choice.source == Source::kList;
    size_t k = 0;
    while (from_list && k + 1 < expected.caps.size() && expected.caps[k] != *choice.cap) ++k;
    report.Compare("choice.order", from_list ? expected.schedules[k].order : input_order,
                   actual.schedule.order);
    report.Compare("choice.slice", from_list ? expected.schedules[k].slice : input_slices,
                   actual.schedule.slice);
    report.Add(
        Differences(absl::StrCat(expected.name, ".choice.placement"),
                    from_list ? expected.schedule_oracles[k].swaps : expected.input_oracle.swaps,
                    actual.placement));
  }
  return report.lines();
}

}  // namespace torqsched::reference
