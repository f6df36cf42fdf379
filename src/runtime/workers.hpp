// Threads of our own: calls in flight, and kernels that are compiled while others run.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace hasten::runtime {

/// Starts threads as they are needed, up to a number, and beyond it where tasks wait for others
/// that have not begun. Tasks must not throw. A child of fork() begins without tasks and threads.
class Workers {
 public:
  explicit Workers(std::size_t threads);
  ~Workers();  // stop()
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// False: it will not be run, for they have stopped or there are no threads to be had.
  [[nodiscard]] bool post(std::function<void()> task);
  /// Somebody has waited for a task a while: one more thread, if none has taken one meanwhile.
  void relieve();
  /// Waits a while for tasks that have begun, and leaves the others out.
  void stop();

  // For fork(): nothing changes between these two, or nothing is taken over.
  void before_fork();
  void after_fork(bool is_child);

 private:
  struct State;
  void start_thread() const;

  const std::size_t usual_threads_;
  std::shared_ptr<State> state_;  // its threads have a share
};

/// Whether this thread is one of somebody's workers.
[[nodiscard]] bool is_worker();

/// Those of the process. They stop when it ends.
Workers& workers();

}  // namespace hasten::runtime
