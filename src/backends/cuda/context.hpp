// A device's primary context: made current around every use, on any thread, and independent of
// other uses of CUDA in the program.
#pragma once

#include "backends/cuda/api/library.hpp"

#include <atomic>
#include <memory>
#include <string>

namespace hasten::backends::cuda {

class Context {
 public:
  /// Throws TargetError when the device cannot be used.
  Context(const Library& library, CUdevice device, std::string name);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const Library& library() const { return library_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] CUcontext handle() const { return context_; }

  /// Makes the context current on this thread for its lifetime.
  class Current {
   public:
    explicit Current(const Context& context);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const Context& context_;
  };

  /// Throws the exception that the error maps to: MemoryError, InternalError for errors of kernels,
  /// TargetError for all others. After an error of a kernel or of the device the context is lost,
  /// and every later check fails.
  void check(const char* what, CUresult error) const;
  [[nodiscard]] bool is_lost() const { return lost_ != success; }

 private:
  [[noreturn]] void fail(const char* what, CUresult error) const;

  const Library& library_;
  CUdevice device_;
  std::string name_;
  CUcontext context_ = nullptr;
  mutable std::atomic<CUresult> lost_{success};
};

/// A separate stream, which waits for no other.
class Stream {
 public:
  explicit Stream(const Context& context);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] CUstream handle() const { return stream_; }
  void synchronize() const;

 private:
  const Context& context_;
  CUstream stream_ = nullptr;
};

/// A point in the order of a stream, for others to wait for.
class Event {
 public:
  explicit Event(const Context& context, bool has_time = false);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(const Stream& stream) const;
  /// Commands enqueued from now on run after it.
  void wait_on(const Stream& stream) const;
  void synchronize() const;
  /// Whether it has been reached, without waiting; true after an error too: nobody waits then.
  [[nodiscard]] bool is_done() const;
  /// Milliseconds since the other was reached; both record times, and have been reached.
  [[nodiscard]] double milliseconds_since(const Event& other) const;

 private:
  const Context& context_;
  CUevent event_ = nullptr;
};

}  // namespace hasten::backends::cuda
