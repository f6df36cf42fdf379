// Results of a part on their way home, while the host sends the next one's arguments.
//
// A copy to or from memory that the system may have swapped out blocks the calling thread, and uses
// one direction of a bus that has two. So a thread of its own makes the copies to the host.
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

/// For one run. All functions except the copies are called by the run's thread.
class Homecoming {
 public:
  Homecoming() = default;
  /// Waits for the copy under way; copies that have not begun are dropped.
  ~Homecoming();
  Homecoming(const Homecoming&) = delete;
  Homecoming& operator=(const Homecoming&) = delete;

  /// Copies the array to this place; null: to memory of its own. If no thread can be started the
  /// copy is made at once.
  void begin(HostArrayRef array, std::shared_ptr<detail::HostArray> place, std::uint32_t part);

  /// The exception that the device threw for a part.
  struct Failure {
    std::exception_ptr error;
    std::uint32_t part;
  };
  /// Waits until all copies are done, or one has failed.
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
