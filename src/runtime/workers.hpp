// Threads of our own: calls in flight, and kernels that are compiled while others run.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hasten::runtime {

/// Starts threads as they are needed, up to a number. Tasks must not throw.
class Workers {
 public:
  explicit Workers(std::size_t most_threads) : most_threads_(most_threads) {}
  /// Waits for tasks that have begun; the others are dropped.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void post(std::function<void()> task);

 private:
  void work();

  const std::size_t most_threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
};

/// Those of the process.
Workers& workers();

}  // namespace hasten::runtime
