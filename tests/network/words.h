// A deployed network in words, so that what is expected can be written down, and compared.
#ifndef TORQSCHED_TESTS_NETWORK_WORDS_H_
#define TORQSCHED_TESTS_NETWORK_WORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/network/network.h"
#include "src/residency/deployment.h"

namespace torqsched {

// "weight 'conv weights' 100 moves 100".
std::string TensorWord(TensorRole role, const std::string& name, uint64_t bytes, uint64_t moved);
// "2 loads conv weights", "2 stores conv output".
std::string AccessWord(uint64_t phase, bool store, const std::string& name);

// The tensors, then the accesses, each in order; and before them what should not be there: another
// chip than 0, a number of instances, buffers, tile accesses, states that are not carried, moved
// bytes that are not given.
std::vector<std::string> WordsOf(const DeployedProgram& program);

// All of a table, for a failure's report.
std::string Describe(const Network& network);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_NETWORK_WORDS_H_
