// Code of kernels that is made while others already run: by workers, or by its first user.
#pragma once

#include "backends/backend.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace hasten::runtime {

/// The code of one kernel. The first thread that needs it makes it; others wait for that thread. So
/// nobody waits for a worker that is busy, or has ended with the process.
class KernelCode {
 public:
  struct Made {
    std::shared_ptr<const backends::Code> code;
    bool is_compiled;  // else it was found on disk
  };
  explicit KernelCode(std::function<Made()> make) : make_(std::move(make)) {}

  /// Returns when the code is ready, or could not be made.
  void prepare() noexcept;
  /// The code, which lives as long as this. Throws the error of making it, every time.
  [[nodiscard]] const backends::Code& get() {
    if (!is_done()) prepare();
    if (error_) std::rethrow_exception(error_);
    return *made_.code;
  }
  [[nodiscard]] bool has_begun() const {
    return state_.load(std::memory_order_relaxed) != not_begun;
  }
  [[nodiscard]] bool is_done() const { return state_.load(std::memory_order_acquire) == done; }
  [[nodiscard]] bool has_failed() const { return is_done() && error_; }
  /// When it is ready: whether it was compiled, not found on disk.
  [[nodiscard]] bool is_compiled() const { return is_done() && made_.is_compiled; }

 private:
  void make();

  // Any other number: being made, in the process after (number - first_process) forks. Code that
  // was being made when a process forked is made again in the child, which lacks the thread.
  static constexpr std::uint64_t not_begun = 0, done = 1, first_process = 2;
  std::atomic<std::uint64_t> state_{not_begun};
  std::function<Made()> make_;
  Made made_{};
  std::exception_ptr error_;
};

using KernelCodeRef = std::shared_ptr<KernelCode>;

/// Has workers make code during its lifetime. Its destructor waits for code that is being made; the
/// rest is left to its users.
class CompilationAhead {
 public:
  explicit CompilationAhead(const std::vector<KernelCodeRef>& code);
  ~CompilationAhead();
  CompilationAhead(const CompilationAhead&) = delete;
  CompilationAhead& operator=(const CompilationAhead&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;  // null: nothing to do
};

}  // namespace hasten::runtime
