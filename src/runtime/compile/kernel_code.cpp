// Workers share a state with the requester of the code, and check it before they begin.
#include "runtime/compile/kernel_code.hpp"

#include "runtime/workers.hpp"
#include "support/forks.hpp"
#include "support/stack.hpp"

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace hasten::runtime {

void KernelCode::prepare() noexcept {
  const std::uint64_t being_made = first_process + support::forks();
  std::uint64_t seen = state_.load(std::memory_order_acquire);
  while (seen != done) {
    if (seen == being_made) {
      state_.wait(seen, std::memory_order_acquire);
      seen = state_.load(std::memory_order_acquire);
    } else if (state_.compare_exchange_weak(seen, being_made, std::memory_order_acquire)) {
      return make();
    }
  }
}

void KernelCode::make() {
  try {
    support::on_large_stack([&] { made_ = make_(); });
  } catch (...) {
    error_ = std::current_exception();
  }
  state_.store(done, std::memory_order_release);
  state_.notify_all();
  make_ = nullptr;  // and everything that it holds
}

struct CompilationAhead::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t running = 0;
  bool is_stopped = false;
  const std::uint64_t forks = support::forks();

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
    // If no worker takes it, the first user makes it.
    static_cast<void>(workers().post([state = state_, one] { state->make(*one); }));
  }
}

CompilationAhead::~CompilationAhead() {
  if (!state_ || state_->forks != support::forks()) return;  // the child has no workers
  std::unique_lock lock(state_->mutex);
  state_->is_stopped = true;
  state_->changed.wait(lock, [&] { return state_->running == 0; });
}

}  // namespace hasten::runtime
