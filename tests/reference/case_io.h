// The cases of testdata/cases/schedule.jsonl: small streams with everything that they must give.
//
// A case is read into the library's plain types, what it expects included, so that any
// implementation can be held against it: MismatchesWithCase asks an implementation for each piece
// and says in words where it differs. The JSON is parsed by protobuf (google.protobuf.Struct, whose
// numbers are doubles: numbers from 2^53 on are refused). WriteCase prints a stream in the same
// format, to keep one that went wrong.
#ifndef TORQSCHED_TESTS_REFERENCE_CASE_IO_H_
#define TORQSCHED_TESTS_REFERENCE_CASE_IO_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"

namespace torqsched::reference {

// What the oracle says to one order, with and without swaps.
struct ExpectedOracle {
  Placement swaps;
  Placement no_swaps;
};

struct ScheduleCase {
  std::string name;
  std::string comment;
  std::deque<std::string> names;  // owns the names that the stream's views point to
  Stream stream;
  Hardware hardware;
  ScheduleOptions options;

  bool has_expectations = false;  // false: a stream only, as WriteCase makes them
  uint64_t input_makespan = 0;
  std::vector<uint64_t> caps;
  std::vector<Schedule> schedules;  // one a cap
  ExpectedOracle input_oracle;
  std::vector<ExpectedOracle> schedule_oracles;  // one a cap
  // source, pass, cap, schedule (of the source), placement (placed, swaps and makespan only), bar
  // and attempts (without failures) are set.
  ScheduleAnswer choice;
};

// One line of the file.
absl::StatusOr<ScheduleCase> ParseScheduleCase(absl::string_view json);

// All of the file, or an error that names the line.
absl::StatusOr<std::vector<ScheduleCase>> LoadScheduleCases(const std::string& path);

// The stream, hardware and options as one line in the cases' format, without expectations.
// block_ops, block_bytes, the fields of DMA and constant are added to the format where they are
// set.
std::string WriteCase(absl::string_view name, const Stream& stream, const Hardware& hardware,
                      const ScheduleOptions& options);

// An implementation, piece by piece. A piece that is left empty is not checked.
struct Implementation {
  std::function<uint64_t(const std::vector<OpIndex>& order,
                         const IndexVector<OpIndex, uint8_t>& slices)>
      simulate;
  std::function<Schedule(uint64_t cap)> list_schedule;
  std::function<Placement(const std::vector<OpIndex>& order,
                          const IndexVector<OpIndex, uint8_t>& slices, bool swaps_allowed)>
      sequential;
  std::function<ScheduleAnswer()> schedule_stream;
};

// Every field of the case that the implementation gets wrong, a line each; empty: none.
std::string MismatchesWithCase(const ScheduleCase& expected, const Implementation& implementation);

// Differences between two answers of one kind, a line each; empty: none. Lines begin with `what`.
std::string Differences(absl::string_view what, const Schedule& expected, const Schedule& actual);
std::string Differences(absl::string_view what, const Placement& expected, const Placement& actual);
// Source, pass, cap, schedule, placement, the input's makespans, swaps and peak, bar, attempts with
// their failures. Not: lower bound, timeline, statistics, steps.
std::string Differences(absl::string_view what, const ScheduleAnswer& expected,
                        const ScheduleAnswer& actual);

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_CASE_IO_H_
