// What was weighed for a kind, with the predicted change of each, so that a person can check.
#ifndef TORQSCHED_SRC_WARM_ALTERNATIVES_H_
#define TORQSCHED_SRC_WARM_ALTERNATIVES_H_

#include <vector>

#include "src/warm/choice_search.h"

namespace torqsched::warm {

// All combinations that an exact search simulated; and by sets of at most three regions, each order
// of each of its subsets at each anchor that the kind has (of larger sets the whole), in one scope
// and the whole in two: also those that the rules exclude, and those that do not fit. Where so many
// simulated stages do not suffice for all anchors, the last ones before each set's reader.
// Ascending change, equal ones as they were met; the best, and no warm: options.most_alternatives
// together.
std::vector<WarmAlternative> AlternativesOf(const PreparedTimeline& prepared, uint32_t kind,
                                            const KindSets& sets, const WarmOptions& options,
                                            const ChosenScopes& chosen, const ChoiceSearch& search,
                                            uint64_t stages, LayerClock* clock);

}  // namespace torqsched::warm

#endif  // TORQSCHED_SRC_WARM_ALTERNATIVES_H_
