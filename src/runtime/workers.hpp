// Threads for calls in flight, and for kernels that are compiled while others run.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace hasten::runtime {

/// Starts threads on demand, up to a limit, and beyond it where tasks wait for others that have not
/// begun. Tasks must not throw. A child of fork() starts without tasks and threads.
class Workers {
 public:
  explicit Workers(std::size_t threads);
  ~Workers();  // stop()
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// False: it will not be run, because the workers have stopped or no thread can be started.
  [[nodiscard]] bool post(std::function<void()> task);
  /// Called after a long wait for a task: adds a thread, if none has taken a task meanwhile.
  void relieve();
  /// Waits a while for tasks that have begun, and drops the others.
  void stop();

  // For fork(): nothing changes between these two, or nothing is taken over.
  void before_fork();
  void after_fork(bool is_child);

 private:
  struct State;
  void start_thread() const;

  const std::size_t usual_threads_;
  std::shared_ptr<State> state_;  // shared with its threads
};

/// Whether this thread belongs to any workers.
[[nodiscard]] bool is_worker();

/// The workers of the process. They stop when it ends.
Workers& workers();

}  // namespace hasten::runtime
