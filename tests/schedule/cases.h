// One of the cases of testdata/cases/schedule.jsonl, by its name.
#ifndef TORQSCHED_TESTS_SCHEDULE_CASES_H_
#define TORQSCHED_TESTS_SCHEDULE_CASES_H_

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/reference/case_io.h"

namespace torqsched {

inline reference::ScheduleCase CaseNamed(const std::string& name) {
  absl::StatusOr<std::vector<reference::ScheduleCase>> cases =
      reference::LoadScheduleCases("testdata/cases/schedule.jsonl");
  EXPECT_TRUE(cases.ok()) << cases.status();
  if (cases.ok()) {
    for (reference::ScheduleCase& c : *cases) {
      if (c.name == name) return std::move(c);
    }
  }
  ADD_FAILURE() << "no case " << name;
  return reference::ScheduleCase();
}

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_SCHEDULE_CASES_H_
