// The comparisons of the tests, for as long as there is time: scripts/allocation_soak.sh.
//
//   soak_main random SECONDS SEED    small problems of all generators, under rules drawn at random
//   soak_main all BUFFERS            all problems of so many buffers (enumeration.h), alignments 1,
//   2, 4
//
// Prints what differs from the reference, with what makes it again, and ends with status 1 then.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/allocation/enumeration.h"
#include "tests/allocation/expect_answer.h"
#include "tests/allocation/random_problems.h"
#include "tests/reference/allocation.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using Clock = std::chrono::steady_clock;

struct Counts {
  uint64_t compared = 0;
  uint64_t above_bound = 0;  // needed more than what is live at once, rounded
  uint64_t differ = 0;

  void Print() const {
    std::printf("%llu compared, %llu of them above their bound, %llu differ\n",
                static_cast<unsigned long long>(compared),
                static_cast<unsigned long long>(above_bound),
                static_cast<unsigned long long>(differ));
    std::fflush(stdout);
  }
};

void Compare(const AllocationProblem& problem, const SearchRules& rules, uint64_t extra,
             const std::string& name, Counts* counts) {
  const std::optional<uint64_t> least = reference::LeastHeight(problem);
  ++counts->compared;
  if (least.has_value() && *least > reference::LiveBound(problem)) ++counts->above_bound;
  const std::string differences = DifferencesFromReference(problem, least, rules, extra);
  if (differences.empty()) return;
  std::printf("%s\n%s\n", name.c_str(), differences.c_str());
  if (++counts->differ >= 20) std::exit(1);
}

// The problem of this seed, which says the generator, too.
AllocationProblem Draw(uint64_t seed, std::string* name) {
  reference::SplitMix64 random(seed);
  const uint64_t buffers = random.Between(5, 8);
  switch (seed % 5) {
    case 0:
      *name = absl::StrCat("RandomPlain(", buffers, ", ", seed, ")");
      return RandomPlain(buffers, seed);
    case 1:
      *name = absl::StrCat("RandomGapped(", buffers, ", ", seed, ")");
      return RandomGapped(buffers, seed);
    case 2: {
      AllocationProblem problem =
          Saturated(random.Between(4, 6), 2 * random.Between(3, 5), random.Between(2, 3), seed);
      *name = absl::StrCat("Saturated, seed ", seed);
      // More buffers take the reference too long where their height is not all but known.
      if (problem.buffers.size() > 9) problem.buffers.resize(9);
      return problem;
    }
    default:
      *name = absl::StrCat("RandomConstrained(6, ", seed, ")");
      return RandomConstrained(6, seed);
  }
}

Counts CompareRandom(double seconds, uint64_t seed) {
  Counts counts;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (; Clock::now() < end; ++seed) {
    std::string name;
    const AllocationProblem problem = Draw(seed, &name);
    reference::SplitMix64 random(seed + 1);
    SearchRules rules;
    for (bool* rule : {&rules.section_bound, &rules.propagate, &rules.place_free, &rules.decompose,
                       &rules.identical_once, &rules.restart}) {
      *rule = random.Percent(75);
    }
    Compare(problem, rules, random.Below(4), name, &counts);
  }
  return counts;
}

Counts CompareAll(size_t buffers) {
  Counts counts;
  for (uint64_t number = 0; number < ProblemCount(buffers); ++number) {
    AllocationProblem problem = ProblemOfNumber(buffers, number);
    if (!IsKept(problem)) continue;
    for (const uint64_t alignment : {1, 2, 4}) {
      problem.alignment = alignment;
      Compare(problem, {}, 0, absl::StrCat("problem ", number, ", alignment ", alignment), &counts);
    }
    if (counts.compared % 3000000 == 0) counts.Print();
  }
  return counts;
}

int Soak(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  Counts counts;
  if (what == "random" && argc == 4) {
    counts = CompareRandom(std::atof(argv[2]), std::strtoull(argv[3], nullptr, 10));
  } else if (what == "all" && argc == 3) {
    counts = CompareAll(std::strtoull(argv[2], nullptr, 10));
  } else {
    std::fprintf(stderr, "usage: soak_main random SECONDS SEED | all BUFFERS\n");
    return 2;
  }
  counts.Print();
  return counts.differ == 0 ? 0 : 1;
}

}  // namespace
}  // namespace torqsched

int main(int argc, char** argv) { return torqsched::Soak(argc, argv); }
