// Spreads a stop of one rank to the others while their kernels run.
//
// in:  a call that this rank makes with others
// out: if this rank is asked to stop, the others are told; if another one was, the call here is
// invariants: nothing of a call is told or raised after it; a call without a stop costs two
// uncontended locks, and between calls the thread sleeps
#pragma once

#include "runtime/execute/call_stop.hpp"

#include <hasten/detail/ranks.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace hasten::runtime {

class StopWatch {
 public:
  explicit StopWatch(detail::Communicator& communicator) : communicator_(communicator) {}
  ~StopWatch() { end(); }
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

  /// Watches a call; null: none.
  class During {
   public:
    During(StopWatch& watch, const CallStop* call) : watch_(watch) { watch_.begin(call); }
    ~During() { watch_.leave(); }
    During(const During&) = delete;
    During& operator=(const During&) = delete;

   private:
    StopWatch& watch_;
  };

  /// Whether another rank has stopped the current call.
  [[nodiscard]] bool has_heard() const { return has_heard_.load(); }
  /// There are no more calls.
  void end();

 private:
  void begin(const CallStop* call);
  void leave();
  void watch();
  void look();

  detail::Communicator& communicator_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const CallStop* call_ = nullptr;
  bool has_told_ = false, is_over_ = false, sleeps_ = false;
  int looks_without_call_ = 0;
  std::atomic<bool> has_heard_{false};
  std::thread thread_;  // starts with the first call
};

}  // namespace hasten::runtime
