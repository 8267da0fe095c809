// Threads that go through a list of jobs, until it ends, one fails, or Ctrl-C.
//
// The library itself is single threaded; calls of it that share nothing may run side by side.
#ifndef TORQSCHED_TOOLS_SWEEP_WORKERS_H_
#define TORQSCHED_TOOLS_SWEEP_WORKERS_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tools/failure.h"

namespace torqsched {
namespace tools {

// While there is one, SIGINT and SIGTERM are noted; a second one ends the process as ever.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();

  static bool Any();
  // Ends the process by the signal that came, for whoever waits for it to see.
  static void Obey();
};

class SweepWorkers {
 public:
  // Does a job, on any thread; looks at stop now and then, and returns early where it says true.
  using Job = std::function<Failure(size_t job, const std::function<bool()>& stop)>;

  explicit SweepWorkers(Job job) : job_(std::move(job)) {}

  // Does jobs 0 to count - 1 on so many threads; to be called once. Calls tick on this thread, a
  // few times a second, with how many are done. The first failure stops the rest and is returned;
  // an exception likewise is thrown here.
  Failure Run(size_t count, size_t threads, const std::function<void(size_t done)>& tick);

 private:
  void Begin(size_t count, size_t threads, std::vector<std::thread>* workers);
  void Work(size_t count);
  void Note(const Failure& failure, std::exception_ptr exception);
  bool Stopped() const { return stop_ || Interrupts::Any(); }

  const Job job_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t done_ = 0;     // these are guarded by mutex_
  size_t working_ = 0;  // threads
  Failure failure_;
  std::exception_ptr exception_;
};

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_SWEEP_WORKERS_H_
