// Streams are host threads with one queue each; events are marks in the queues.
#pragma once

#include "tests/fake_cuda/machine.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>

namespace fake_cuda {

/// One piece of a stream's work. It checks its device's error itself.
using Work = std::function<void()>;

/// The work enqueued on streams between the begin and the end of a capture, in order.
struct Capture {
  int mode = 0;
  std::thread::id thread;
  bool invalid = false;
  std::vector<Work> works;
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(Device& device, bool blocking);
  /// Completes the remaining work.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] bool blocking() const { return blocking_; }

  void submit(Work work);
  void wait();
  [[nodiscard]] bool idle();
  /// Someone is about to wait: lazy streams begin.
  void demand();

  std::shared_ptr<Capture> capture;  // under the lock of captures()

 private:
  void run();

  Device& device_;
  const bool blocking_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;
  std::uint64_t submitted_ = 0, done_ = 0, demanded_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

/// Captures in progress.
struct Captures {
  std::mutex mutex;
  std::set<std::shared_ptr<Capture>> active;
};
Captures& captures();

class Event {
 public:
  explicit Event(bool timed) : timed(timed) {}

  /// Work that sets a new mark.
  Work record(const std::shared_ptr<Stream>& stream);
  /// Work that waits for the last mark so far.
  Work waiting();
  void wait();
  [[nodiscard]] bool reached();
  /// The time at which the last mark was reached, in milliseconds of some clock.
  double time();
  [[nodiscard]] bool recorded();

  const bool timed;
  std::weak_ptr<Capture> capture;  // in which it was recorded; under the lock of captures()

 private:
  struct Marks {
    std::mutex mutex;
    std::condition_variable changed;
    std::uint64_t last = 0;
    std::set<std::uint64_t> pending;  // another stream may reach a later mark first
    double time = 0;
    std::weak_ptr<Stream> stream;
  };
  std::shared_ptr<Marks> marks_ = std::make_shared<Marks>();
};

/// Live objects that a program refers to by address.
template <class T>
class Handles {
 public:
  T* add(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    T* const handle = object.get();
    objects_[handle] = std::move(object);
    return handle;
  }
  std::shared_ptr<T> find(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto it = objects_.find(handle);
    return it == objects_.end() ? nullptr : it->second;
  }
  std::shared_ptr<T> remove(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto it = objects_.find(handle);
    if (it == objects_.end()) return nullptr;
    std::shared_ptr<T> object = std::move(it->second);
    objects_.erase(it);
    return object;
  }
  /// The live objects of a kind. Never destroyed, because programs end in any order.
  static Handles& all() {
    static auto* const handles = new Handles;
    return *handles;
  }

 private:
  std::mutex mutex_;
  std::map<const void*, std::shared_ptr<T>> objects_;
};

/// Enqueues work on a stream, or adds it to the stream's capture; a null stream runs it
/// immediately, after all blocking streams. Checks the stream.
CUresult submit(Device& device, CUstream stream, Work work);

/// Work that does nothing on a device with an error, and sets the device's error if it fails.
Work guarded(Device& device, std::function<CUresult()> work);

/// The same work, delayed until fake_cuda_release if launches are held now.
Work held(Work work);

/// Whether a call that may wait for the device is allowed during captures.
CUresult outside_captures();

}  // namespace fake_cuda
