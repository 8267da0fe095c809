// Programs with the transfers that are there for them alone: the loads that no other program
// between the same two barriers needs, and the stores that need no other one. Tiles of one layer
// are such groups, and take each other's places in an order.
//
// Cost: linear in the needs of all actions.
#ifndef TORQSCHED_SRC_SEARCH_PROGRAM_GROUPS_H_
#define TORQSCHED_SRC_SEARCH_PROGRAM_GROUPS_H_

#include <vector>

#include "src/search/model.h"

namespace torqsched::search {

class ProgramGroups {
 public:
  explicit ProgramGroups(const Model& model);

  // The program that the action is there for, itself if it is one; absent: none, or more than one.
  ActionIndex program_of(ActionIndex a) const { return program_of_[a]; }
  // The group, the program included, by number.
  Run<ActionIndex> members(ActionIndex program) const { return members_[program.value()]; }

 private:
  IndexVector<ActionIndex, ActionIndex> program_of_;
  Rows<ActionIndex> members_;
};

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_PROGRAM_GROUPS_H_
