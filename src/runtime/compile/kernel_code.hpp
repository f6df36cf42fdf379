// Code of kernels that is made while others already run: by workers, or by whoever needs it first.
#pragma once

#include "backends/backend.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace hasten::runtime {

/// One kernel's code. It is made once, by whoever comes first; the others wait. So nobody waits for
/// a worker that is busy, or has ended with the process.
class KernelCode {
 public:
  struct Made {
    std::shared_ptr<const backends::Code> code;
    bool is_compiled;  // else it was found on disk
  };
  explicit KernelCode(std::function<Made()> make) : make_(std::move(make)) {}

  /// Returns when it is there, or could not be made.
  void prepare() noexcept;
  /// The code, which lives as long as this. Throws what making it threw, every time.
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
  /// When it is done: compiled, not found on disk.
  [[nodiscard]] bool is_compiled() const { return is_done() && made_.is_compiled; }

 private:
  void make();

  // Any other number: being made, in the process after so many forks less `first_process`. What
  // was being made when a process forked is made again in the child, which has not the thread.
  static constexpr std::uint64_t not_begun = 0, done = 1, first_process = 2;
  std::atomic<std::uint64_t> state_{not_begun};
  std::function<Made()> make_;
  Made made_{};
  std::exception_ptr error_;
};

using KernelCodeRef = std::shared_ptr<KernelCode>;

/// Has workers make code for as long as this lives: those that it waits for at its end have begun,
/// the others are left to whoever needs them.
class CompilationAhead {
 public:
  explicit CompilationAhead(const std::vector<KernelCodeRef>& code);
  ~CompilationAhead();
  CompilationAhead(const CompilationAhead&) = delete;
  CompilationAhead& operator=(const CompilationAhead&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;  // null: there is nothing to do
};

}  // namespace hasten::runtime
