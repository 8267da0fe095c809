// What a complete search for a placement within a capacity says.
#ifndef TORQSCHED_SRC_ALLOCATION_SEARCH_RESULT_H_
#define TORQSCHED_SRC_ALLOCATION_SEARCH_RESULT_H_

#include <cstdint>

namespace torqsched {

enum class SearchResult : uint8_t {
  kFound,      // there is one, and the search has it
  kExhausted,  // there is none
  kStopped,    // the budget is used up
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_SEARCH_RESULT_H_
