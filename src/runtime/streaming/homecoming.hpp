// Results of a part on their way home, while the host sends the next one's arguments.
//
// Copies of memory that a process may have swapped out hold the thread that asks for them, and take
// one direction of a bus that has two. So a thread of its own asks for those that come home.
#pragma once

#include "runtime/execute/executor.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace hasten::runtime {

/// Of one run. But for the copies everything is called by its thread.
class Homecoming {
 public:
  Homecoming() = default;
  /// Waits for the copy under way; what has not begun is left where it is.
  ~Homecoming();
  Homecoming(const Homecoming&) = delete;
  Homecoming& operator=(const Homecoming&) = delete;

  /// The array comes to this place; null: to memory of its own. Where no thread is to be had it
  /// does so at once.
  void begin(HostArrayRef array, std::shared_ptr<detail::HostArray> place, std::uint32_t part);

  /// What the device threw for a part.
  struct Failure {
    std::exception_ptr error;
    std::uint32_t part;
  };
  /// Waits until all are home, or one could not come.
  [[nodiscard]] std::optional<Failure> finish();

 private:
  struct Task {
    HostArrayRef array;
    std::shared_ptr<detail::HostArray> place;
    std::uint32_t part = 0;
  };
  bool start();
  void work();
  static void copy(const Task& task);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::optional<Failure> failure_;
  bool is_busy_ = false, ends_ = false;
  std::thread thread_;
};

}  // namespace hasten::runtime
