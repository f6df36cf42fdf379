// Threads that take tasks from one queue. They are detached, so that a task which never ends does
// not keep a process from ending.
#include "runtime/workers.hpp"

#include "support/default_floats.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace hasten::runtime {
namespace {

constexpr std::chrono::seconds patience{2};  // with tasks under way when the process ends
constexpr std::size_t most_threads = 4096;

thread_local const void* working_for = nullptr;  // the state whose thread this is

}  // namespace

bool is_worker() { return working_for != nullptr; }

struct Workers::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  std::size_t threads = 0, idle = 0, taken = 0;
  std::size_t taken_at_relief = 0;
  bool is_stopping = false;

  void work() {
    const support::DefaultFloats floats;
    working_for = this;
    std::unique_lock lock(mutex);
    while (true) {
      ++idle;
      changed.wait(lock, [&] { return is_stopping || !tasks.empty(); });
      --idle;
      if (is_stopping) break;
      ++taken;
      {
        const std::function<void()> task = std::move(tasks.front());
        tasks.pop_front();
        lock.unlock();
        task();
      }
      lock.lock();
    }
    --threads;
    changed.notify_all();
  }
};

Workers::Workers(std::size_t threads)
    : usual_threads_(threads),
      state_(std::make_shared<State>()) {}

Workers::~Workers() { stop(); }

// Requires the mutex. Throws if the system has no thread left.
void Workers::start_thread() const {
  std::thread([state = state_] { state->work(); }).detach();
  ++state_->threads;
}

bool Workers::post(std::function<void()> task) {
  const std::shared_ptr<State> state = state_;
  const std::lock_guard lock(state->mutex);
  if (state->is_stopping) return false;
  state->tasks.push_back(std::move(task));
  if (state->tasks.size() > state->idle && state->threads < usual_threads_) {
    try {
      start_thread();
    } catch (const std::system_error&) {
      if (state->threads > 0) return true;
      state->tasks.pop_back();
      return false;
    }
  }
  state->changed.notify_one();
  return true;
}

void Workers::relieve() {
  const std::shared_ptr<State> state = state_;
  const std::lock_guard lock(state->mutex);
  const bool is_stuck = state->taken == std::exchange(state->taken_at_relief, state->taken);
  if (!is_stuck || state->tasks.empty() || state->idle > 0 || state->threads >= most_threads)
    return;
  try {
    start_thread();
  } catch (const std::system_error&) {  // the existing threads must suffice
  }
}

void Workers::stop() {
  const std::shared_ptr<State> state = state_;
  std::unique_lock lock(state->mutex);
  state->is_stopping = true;
  std::deque<std::function<void()>> left_out;
  left_out.swap(state->tasks);
  state->changed.notify_all();
  const std::size_t own = working_for == state.get() ? 1 : 0;  // a task ends the process
  state->changed.wait_for(lock, patience, [&] { return state->threads <= own; });
  lock.unlock();
}

void Workers::before_fork() { state_->mutex.lock(); }

void Workers::after_fork(bool is_child) {
  if (!is_child) return state_->mutex.unlock();
  // The old state is never used again: its lock is held, and threads that are gone waited there.
  static_cast<void>(new std::shared_ptr<State>(std::exchange(state_, std::make_shared<State>())));
}

Workers& workers() {
  // Never destroyed: programs run by destructors of statics ask for it.
  static Workers& instance = [&]() -> Workers& {
    auto& made = *new Workers(std::max(4U, std::thread::hardware_concurrency()));
    std::atexit([] { workers().stop(); });
    pthread_atfork([] { workers().before_fork(); }, [] { workers().after_fork(false); },
                   [] { workers().after_fork(true); });
    return made;
  }();
  return instance;
}

}  // namespace hasten::runtime
