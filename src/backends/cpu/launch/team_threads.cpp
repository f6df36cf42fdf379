// Threads that wait for work: first awake for a moment, because the next launch is often near, then
// asleep.
//
// All threads work on one parallel region at a time. A caller that finds one in progress, or that
// runs inside a task, runs its tasks alone: the others are busy anyway. The caller waits only for
// members that have joined, never for one that is still asleep.
#include "backends/cpu/launch/team.hpp"

#include "support/forks.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace hasten::backends::cpu {
namespace {

constexpr int looks_before_sleep = 4000;  // some ten microseconds

void relax() {
#ifdef __SSE2__
  _mm_pause();
#endif
}

// New threads inherit the signal mask: signals are for the threads of the program.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

class Team::Members {
 public:
  using Task = core::FunctionRef<void(std::int64_t)>;

  explicit Members(int threads) : wanted_(static_cast<std::size_t>(threads) - 1) {}

  ~Members() {
    if (threads_.empty()) return;
    if (forks_ != support::forks()) {  // a child has the objects, but not the threads
      for (std::thread& thread : threads_) thread.detach();
      return;
    }
    is_over_.store(true);
    signal_.fetch_add(1);
    signal_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  void for_each(std::int64_t tasks, Task task) {
    if (is_busy_.exchange(true, std::memory_order_acquire)) return alone(tasks, task);
    const struct Turn {
      std::atomic<bool>& is_busy;
      ~Turn() { is_busy.store(false, std::memory_order_release); }
    } turn{is_busy_};
    if (!start()) return alone(tasks, task);
    task_ = &task;
    tasks_ = tasks;
    next_.store(0, std::memory_order_relaxed);
    finished_.store(0, std::memory_order_relaxed);
    joined_.store(open, std::memory_order_release);
    wake(tasks - 1);
    work();
    const std::uint32_t joined = joined_.exchange(0, std::memory_order_acquire) & ~open;
    wait_for(joined);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  static constexpr std::uint32_t open = std::uint32_t{1} << 31;

  static void alone(std::int64_t tasks, Task task) {
    for (std::int64_t i = 0; i < tasks; ++i) task(i);
  }

  // Returns false if there are no threads, and none can be created.
  bool start() {
    if (forks_ != support::forks()) return false;
    if (!threads_.empty()) return true;
    const BlockedSignals blocked;
    try {
      while (threads_.size() < wanted_) threads_.emplace_back([this] { member(); });
    } catch (const std::system_error&) {  // continues with the threads there are
    }
    return !threads_.empty();
  }

  void wake(std::int64_t most) {
    signal_.fetch_add(1, std::memory_order_release);
    if (most >= static_cast<std::int64_t>(threads_.size())) return signal_.notify_all();
    for (; most > 0; --most) signal_.notify_one();
  }

  void member() {
    std::uint32_t seen = 0;
    while (true) {
      seen = next_signal(seen);
      if (is_over_.load()) return;
      if (!join()) continue;
      work();
      finished_.fetch_add(1, std::memory_order_release);
      finished_.notify_one();
    }
  }

  [[nodiscard]] std::uint32_t next_signal(std::uint32_t seen) const {
    for (int look = 0; look < looks_before_sleep; ++look) {
      if (const auto now = signal_.load(std::memory_order_acquire); now != seen) return now;
      relax();
    }
    signal_.wait(seen, std::memory_order_acquire);
    return signal_.load(std::memory_order_acquire);
  }

  // Joins while the work is open: the caller of for_each then waits for this member.
  bool join() {
    std::uint32_t joined = joined_.load(std::memory_order_acquire);
    while ((joined & open) != 0)
      if (joined_.compare_exchange_weak(joined, joined + 1, std::memory_order_acq_rel)) return true;
    return false;
  }

  void work() noexcept {
    const Task task = *task_;
    const std::int64_t tasks = tasks_;
    try {
      for (std::int64_t i = next_++; i < tasks; i = next_++) task(i);
    } catch (...) {
      next_.store(tasks);  // the remaining tasks are skipped
      const std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  void wait_for(std::uint32_t joined) const {
    for (int look = 0; look < looks_before_sleep; ++look) {
      if (finished_.load(std::memory_order_acquire) == joined) return;
      relax();
    }
    for (auto now = finished_.load(std::memory_order_acquire); now != joined;
         now = finished_.load(std::memory_order_acquire))
      finished_.wait(now, std::memory_order_acquire);
  }

  const std::size_t wanted_;
  const std::uint64_t forks_ = support::forks();
  std::atomic<bool> is_busy_{false};  // a caller uses the members
  std::vector<std::thread> threads_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::uint32_t> signal_{0};  // changes when there is work

  // The current work.
  const Task* task_ = nullptr;
  std::int64_t tasks_ = 0;
  std::atomic<std::int64_t> next_{0};
  std::atomic<std::uint32_t> joined_{0};  // members, and whether others may join
  std::atomic<std::uint32_t> finished_{0};
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

Team::Team(int threads) : threads_(threads), members_(std::make_unique<Members>(threads)) {}

Team::~Team() = default;

void Team::for_each(std::int64_t tasks, core::FunctionRef<void(std::int64_t)> task) const {
  if (threads_ > 1 && tasks > 1) return members_->for_each(tasks, task);
  for (std::int64_t i = 0; i < tasks; ++i) task(i);
}

int Team::usual_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace hasten::backends::cpu
