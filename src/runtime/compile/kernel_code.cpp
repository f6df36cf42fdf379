// Workers share a state with who asked for the code, and look there before they begin.
#include "runtime/compile/kernel_code.hpp"

#include "runtime/workers.hpp"

#include <condition_variable>
#include <cstddef>

namespace hasten::runtime {

void KernelCode::prepare() noexcept {
  std::call_once(once_, [&] {
    has_begun_.store(true, std::memory_order_relaxed);
    try {
      made_ = make_();
    } catch (...) {
      error_ = std::current_exception();
    }
    make_ = nullptr;  // with all that it keeps
    is_done_.store(true, std::memory_order_release);
  });
}

struct CompilationAhead::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t running = 0;
  bool is_stopped = false;

  void make(KernelCode& code) {
    {
      const std::lock_guard lock(mutex);
      if (is_stopped || code.has_begun()) return;
      ++running;
    }
    code.prepare();
    const std::lock_guard lock(mutex);
    --running;
    changed.notify_all();
  }
};

CompilationAhead::CompilationAhead(const std::vector<KernelCodeRef>& code) {
  for (const KernelCodeRef& one : code) {
    if (one->has_begun()) continue;
    if (!state_) state_ = std::make_shared<State>();
    workers().post([state = state_, one] { state->make(*one); });
  }
}

CompilationAhead::~CompilationAhead() {
  if (!state_) return;
  std::unique_lock lock(state_->mutex);
  state_->is_stopped = true;
  state_->changed.wait(lock, [&] { return state_->running == 0; });
}

}  // namespace hasten::runtime
