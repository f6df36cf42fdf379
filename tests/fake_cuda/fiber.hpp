// Stacks that take turns on one thread.
#pragma once

#include <cstddef>
#include <memory>

namespace fake_cuda {

/// Where a thread of control stands while another runs.
struct Place;

/// A stack on which functions run until they switch back. All fibers of an owner, and the owner,
/// belong to one thread of the host.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Sets it to begin `run(argument)` at the next `enter`; what it did before is forgotten.
  void start(void (*run)(void*), void* argument);
  /// Runs it until it leaves.
  void enter();
  /// Called on it: goes back to who entered it. `for_good`: it is not entered again.
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
