// The measured tables of the source, with what the model predicts for each row: shared by the test
// that holds it to them and by the program that prints them.
#ifndef TORQSCHED_TESTS_WARM_PLANNER_TABLES_H_
#define TORQSCHED_TESTS_WARM_PLANNER_TABLES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/warm/timeline.h"

namespace torqsched {

struct TableRow {
  std::string name;
  int64_t measured_us = 0;  // a forward, against no warm
  // By kind of the forward.
  std::vector<std::vector<WarmScope>> scopes;
  bool added = false;  // a row that says more than its table: not ranked in it
};

struct MeasuredTable {
  std::string name;
  std::string note;
  WarmHardware hardware;
  std::vector<TableRow> rows;
};

// Warm sets; anchors; bytes in flight; one scope or two.
std::vector<MeasuredTable> MeasuredTables();

// What the model says of the row, in microseconds a forward: the layers' changes summed up.
int64_t PredictedUs(const WarmHardware& hardware,
                    const std::vector<std::vector<WarmScope>>& scopes);
// The same for a forward of the same kinds that is cut otherwise.
int64_t PredictedUs(const WarmHardware& hardware, const WarmTimeline& timeline,
                    const std::vector<std::vector<WarmScope>>& scopes);

// Spearman's coefficient of two rows of numbers times 1000; equal numbers share their mean rank.
int64_t RankCorrelation(const std::vector<int64_t>& a, const std::vector<int64_t>& b);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_WARM_PLANNER_TABLES_H_
