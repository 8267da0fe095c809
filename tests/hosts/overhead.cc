// Microseconds that a call takes by itself through torqsched.hpp: see overhead.c.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <torqsched/torqsched.hpp>

namespace {

constexpr std::string_view kEmpty("\x0a\x00", 2);  // a request with an empty stream

template <typename Call>
void Measure(const char* name, long calls, const Call& call) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  double best = std::numeric_limits<double>::max();
  for (int round = 0; round < 5; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (long i = 0; i < calls; ++i) {
      if (!call()) std::exit(1);
    }
    best = std::min(best, Microseconds(std::chrono::steady_clock::now() - begin).count());
  }
  std::printf("C++     %-34s%8.2f us\n", name, best / static_cast<double>(calls));
}

}  // namespace

int main(int argc, char** argv) {
  const long calls = argc > 1 ? std::atol(argv[1]) : 20000;
  Measure("simulate, no session", calls, [] { return torqsched::Simulate(kEmpty).ok(); });
  Measure("schedule, no session", calls, [] { return torqsched::Schedule(kEmpty).ok(); });
  torqsched::SessionOptions options;
  options.reuse_arenas = true;
  const torqsched::Session session = torqsched::Session::New(options).value();
  Measure("simulate, session", calls, [&] { return session.Simulate(kEmpty).ok(); });
  Measure("schedule, session", calls, [&] { return session.Schedule(kEmpty).ok(); });
  options.progress = [](const torqsched::Progress& progress) { return progress.fraction > 2; };
  const torqsched::Session told = torqsched::Session::New(options).value();
  Measure("schedule, session with progress", calls, [&] { return told.Schedule(kEmpty).ok(); });
  return 0;
}
