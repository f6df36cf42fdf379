// Stacks that alternate on one thread.
#pragma once

#include <cstddef>
#include <memory>

namespace fake_cuda {

/// The saved state of a thread of control while another one runs.
struct Place;

/// A stack on which functions run until they switch back. All fibers of an owner, and the owner,
/// belong to one thread of the host.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Makes the next `enter` begin `run(argument)`; the previous state is discarded.
  void start(void (*run)(void*), void* argument);
  /// Runs it until it leaves.
  void enter();
  /// Called on the fiber: switches back to the caller of `enter`. `for_good`: it is not entered
  /// again.
  void leave(bool for_good = false);

 private:
  [[noreturn]] static void begin(Fiber* self);
  static void begin_here();

  std::unique_ptr<Place> place_;
  std::byte* stack_ = nullptr;
  void (*run_)(void*) = nullptr;
  void* argument_ = nullptr;
};

}  // namespace fake_cuda
