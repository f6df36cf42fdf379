// Threads that wait for work: first awake for a moment, because the next launch is often near, then
// asleep.
//
// All threads work on one parallel region at a time. A caller that finds one in progress, or that
// runs inside a task, runs its tasks alone: the others are busy anyway. The caller waits only for
// members that have joined, never for one that is still asleep.
//
// Each thread has a run of neighbouring tasks, and takes tasks of others when its run is done. What
// a loop's round has written is thus read by the same thread in the next round, mostly: lines that
// another core has changed come late.
#include "backends/cpu/launch/team.hpp"

#include "support/forks.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
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

/// The tasks [begin, end) that are left of a thread's run. The thread goes forward; others take
/// from the end.
class alignas(64) Run {
 public:
  void set(std::uint32_t begin, std::uint32_t end) {
    bounds_.store(packed(begin, end), std::memory_order_relaxed);
  }
  [[nodiscard]] std::optional<std::uint32_t> take_first() { return take(true); }
  [[nodiscard]] std::optional<std::uint32_t> take_last() { return take(false); }
  void clear() { bounds_.store(0, std::memory_order_relaxed); }

 private:
  static std::uint64_t packed(std::uint32_t begin, std::uint32_t end) {
    return std::uint64_t{begin} << 32 | end;
  }

  std::optional<std::uint32_t> take(bool first) {
    std::uint64_t bounds = bounds_.load(std::memory_order_relaxed);
    while (true) {
      const auto begin = static_cast<std::uint32_t>(bounds >> 32);
      const auto end = static_cast<std::uint32_t>(bounds);
      if (begin >= end) return std::nullopt;
      const std::uint64_t rest = first ? packed(begin + 1, end) : packed(begin, end - 1);
      if (bounds_.compare_exchange_weak(bounds, rest, std::memory_order_relaxed))
        return first ? begin : end - 1;
    }
  }

  std::atomic<std::uint64_t> bounds_{0};
};

}  // namespace

class Team::Members {
 public:
  using Task = core::FunctionRef<void(std::int64_t)>;

  explicit Members(int threads)
      : wanted_(static_cast<std::size_t>(threads) - 1),
        runs_(static_cast<std::size_t>(threads)) {}

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
    constexpr std::int64_t most = std::int64_t{1} << 31;  // for numbers of 32 bits
    for (base_ = 0; base_ < tasks; base_ += most) together(std::min(tasks - base_, most));
  }

 private:
  static constexpr std::uint32_t open = std::uint32_t{1} << 31;

  // The tasks from base_ on.
  void together(std::int64_t tasks) {
    deal_out(tasks);
    finished_.store(0, std::memory_order_relaxed);
    joined_.store(open, std::memory_order_release);
    wake(tasks - 1);
    work(0);
    const std::uint32_t joined = joined_.exchange(0, std::memory_order_acquire) & ~open;
    wait_for(joined);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  void deal_out(std::int64_t tasks) {
    runs_in_use_ = threads_.size() + 1;  // fewer than wanted, if threads could not be created
    const auto threads = static_cast<std::int64_t>(runs_in_use_);
    for (std::int64_t k = 0; k < threads; ++k)
      runs_[static_cast<std::size_t>(k)].set(static_cast<std::uint32_t>(tasks * k / threads),
                                             static_cast<std::uint32_t>(tasks * (k + 1) / threads));
  }

  static void alone(std::int64_t tasks, Task task) {
    for (std::int64_t i = 0; i < tasks; ++i) task(i);
  }

  // Returns false if there are no threads, and none can be created.
  bool start() {
    if (forks_ != support::forks()) return false;
    if (!threads_.empty()) return true;
    const BlockedSignals blocked;
    try {
      while (threads_.size() < wanted_)
        threads_.emplace_back([this, number = threads_.size() + 1] { member(number); });
    } catch (const std::system_error&) {  // continues with the threads there are
    }
    return !threads_.empty();
  }

  void wake(std::int64_t most) {
    signal_.fetch_add(1, std::memory_order_release);
    if (most >= static_cast<std::int64_t>(threads_.size())) return signal_.notify_all();
    for (; most > 0; --most) signal_.notify_one();
  }

  void member(std::size_t number) {
    std::uint32_t seen = 0;
    while (true) {
      seen = next_signal(seen);
      if (is_over_.load()) return;
      if (!join()) continue;
      work(number);
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

  void work(std::size_t number) noexcept {
    const Task task = *task_;
    const std::size_t threads = runs_in_use_;
    try {
      while (const auto i = runs_[number].take_first()) task(base_ + *i);
      for (std::size_t k = 1; k < threads; ++k)
        while (const auto i = runs_[(number + k) % threads].take_last()) task(base_ + *i);
    } catch (...) {
      for (Run& run : runs_) run.clear();  // the remaining tasks are skipped
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
  std::int64_t base_ = 0;  // the number of the first task of the runs
  std::size_t runs_in_use_ = 0;
  std::vector<Run> runs_;                 // of the caller, and of each member
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
