#include "tools/sweep_workers.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <system_error>

namespace torqsched {
namespace tools {
namespace {

constexpr std::chrono::milliseconds kTick(100);
constexpr int kSignals[] = {SIGINT, SIGTERM};

// Lock free, so a handler may write it and threads may read it.
std::atomic<int> signal_that_came{0};
static_assert(std::atomic<int>::is_always_lock_free);

void NoteSignal(int number) { signal_that_came = number; }

}  // namespace

Interrupts::Interrupts() {
  struct sigaction action = {};
  action.sa_handler = NoteSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int number : kSignals) {
    struct sigaction before = {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
}

Interrupts::~Interrupts() {
  for (const int number : kSignals) {
    struct sigaction now = {};
    sigaction(number, nullptr, &now);
    if (now.sa_handler == NoteSignal) signal(number, SIG_DFL);
  }
}

bool Interrupts::Any() { return signal_that_came != 0; }

void Interrupts::Obey() {
  const int number = signal_that_came;
  signal(number, SIG_DFL);
  raise(number);
}

void SweepWorkers::Note(const Failure& failure, std::exception_ptr exception) {
  const std::lock_guard<std::mutex> lock(mutex_);
  stop_ = true;
  if (failure_.failed() || exception_ != nullptr) return;
  failure_ = failure;
  exception_ = exception;
}

void SweepWorkers::Work(size_t count) {
  const std::function<bool()> stop = [this] { return Stopped(); };
  for (size_t job; !Stopped() && (job = next_++) < count;) {
    try {
      const Failure failure = job_(job, stop);
      if (failure.failed()) Note(failure, nullptr);
    } catch (...) {
      Note({}, std::current_exception());
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    ++done_;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  --working_;
  changed_.notify_one();
}

void SweepWorkers::Begin(size_t count, size_t threads, std::vector<std::thread>* workers) {
  workers->reserve(threads);
  for (size_t i = 0; i < threads; ++i) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++working_;
    }
    try {
      workers->emplace_back([this, count] { Work(count); });
    } catch (const std::system_error&) {  // no more threads: those that there are do all of it
      const std::lock_guard<std::mutex> lock(mutex_);
      --working_;
      if (workers->empty()) throw;
      return;
    }
  }
}

Failure SweepWorkers::Run(size_t count, size_t threads,
                          const std::function<void(size_t done)>& tick) {
  std::vector<std::thread> workers;
  Begin(count, std::clamp<size_t>(threads, 1, std::max<size_t>(count, 1)), &workers);
  std::unique_lock<std::mutex> lock(mutex_);
  do {
    changed_.wait_for(lock, kTick, [this] { return working_ == 0; });
    const size_t done = done_;
    lock.unlock();
    tick(done);
    lock.lock();
  } while (working_ != 0);
  lock.unlock();
  for (std::thread& worker : workers) worker.join();
  if (exception_ != nullptr) std::rethrow_exception(exception_);
  return failure_;
}

}  // namespace tools
}  // namespace torqsched
