// A device's primary context: made current around every use, whatever thread that is on, and
// whatever else the program does with CUDA.
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

  /// Current on this thread while it lives.
  class Current {
   public:
    explicit Current(const Context& context);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const Context& context_;
  };

  /// Throws what the error means: MemoryError, InternalError for what a kernel did wrong,
  /// TargetError for all else. After an error of a kernel or of the device the context is lost, and
  /// every check fails from then on.
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

/// A stream of its own, which waits for no other.
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

/// A place in the order of a stream, for others to wait for.
class Event {
 public:
  explicit Event(const Context& context, bool has_time = false);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(const Stream& stream) const;
  /// What is enqueued there from now on happens after this.
  void wait_on(const Stream& stream) const;
  void synchronize() const;
  /// Whether it was reached, without waiting; also after an error, since nobody needs to wait then.
  [[nodiscard]] bool is_done() const;
  /// Since the other was reached; both have a time, and were reached.
  [[nodiscard]] double milliseconds_since(const Event& other) const;

 private:
  const Context& context_;
  CUevent event_ = nullptr;
};

}  // namespace hasten::backends::cuda
