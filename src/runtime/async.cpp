// Calls in flight: each waits for a worker, runs there, and keeps its results or its exception.
#include "runtime/executable.hpp"
#include "runtime/workers.hpp"
#include "support/forks.hpp"

#include <hasten/run/error.hpp>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace hasten::detail {
namespace {

// Calls that wait for each other may need more threads than there are; calls that wait inside other
// calls probably do.
constexpr std::chrono::milliseconds relief_after{100}, relief_inside_after{10};

class Call final : public PendingResults {
 public:
  /// Destinations of results, and a function that copies them there; without one they are kept.
  struct Delivery {
    std::vector<OutMemory> outs;
    std::function<void(std::span<const OutMemory>, Results)> deliver;
  };
  Call(std::shared_ptr<const Executable> executable,
       std::vector<std::shared_ptr<const HostArray>> arrays, std::vector<LiteralBits> scalars,
       Delivery delivery = {})
      : executable_(std::move(executable)),
        arrays_(std::move(arrays)),
        scalars_(std::move(scalars)),
        delivery_(std::move(delivery)) {}

  [[nodiscard]] bool is_of_ranks() const { return executable_->device().ranks != nullptr; }

  void run() {
    {
      const std::lock_guard lock(mutex_);
      if (is_done_) return;  // nothing waits any more
      has_begun_ = true;
    }
    Results results;
    std::exception_ptr error;
    try {
      results = execute(*executable_, arrays_, scalars_, delivery_.outs, stop_.get_token());
      if (delivery_.deliver) {
        delivery_.deliver(delivery_.outs, std::exchange(results, {}));
      }
    } catch (...) {
      error = std::current_exception();
    }
    arrays_.clear();
    {
      const std::lock_guard lock(mutex_);
      results_ = std::move(results);
      error_ = error;
      is_done_ = true;
    }
    done_.notify_all();
  }

  [[nodiscard]] bool ready() const override {
    const std::lock_guard lock(mutex_);
    return is_done_;
  }

  const Results& get() override {
    const auto after = runtime::is_worker() ? relief_inside_after : relief_after;
    std::unique_lock lock(mutex_);
    while (!done_.wait_for(lock, after, [&] { return is_done_; })) {
      if (forks_ != support::forks())
        throw Error(
            "a call in flight was left behind by fork(): get its result before, or call "
            "again in the child",
            executable_->where());
      lock.unlock();
      runtime::workers().relieve();
      lock.lock();
    }
    if (error_) std::rethrow_exception(error_);
    return results_;
  }

  void cancel() override { stop_.request_stop(); }

  /// Gives up the results: the call is not begun, or this returns when it has ended.
  void abandon() {
    cancel();
    {
      const std::lock_guard lock(mutex_);
      if (!has_begun_) is_done_ = true;
    }
    try {
      static_cast<void>(get());
    } catch (...) {  // errors of an abandoned call are dropped
    }
  }

 private:
  const std::shared_ptr<const Executable> executable_;
  std::vector<std::shared_ptr<const HostArray>> arrays_;
  const std::vector<LiteralBits> scalars_;
  const Delivery delivery_;

  const std::uint64_t forks_ = support::forks();
  mutable std::mutex mutex_;
  std::condition_variable done_;
  bool has_begun_ = false, is_done_ = false;
  Results results_;
  std::exception_ptr error_;
  std::stop_source stop_;
};

// A call that writes to the caller's memory.
class CallAt final : public PendingResults {
 public:
  explicit CallAt(std::shared_ptr<Call> call) : call_(std::move(call)) {}
  ~CallAt() override { call_->abandon(); }
  CallAt(const CallAt&) = delete;
  CallAt& operator=(const CallAt&) = delete;
  [[nodiscard]] bool ready() const override { return call_->ready(); }
  const Results& get() override { return call_->get(); }
  void cancel() override { call_->cancel(); }

 private:
  const std::shared_ptr<Call> call_;
};

std::shared_ptr<Call> started(std::shared_ptr<Call> call) {
  // Processes that work together do one thing at a time, in one order.
  if (call->is_of_ranks()) {
    call->run();
    return call;
  }
  // A call nobody waits for any more is not begun.
  const bool is_posted = runtime::workers().post([waiting = std::weak_ptr(call)] {
    if (const auto wanted = waiting.lock()) wanted->run();
  });
  if (!is_posted) call->run();
  return call;
}

}  // namespace

PendingResults& pending(const std::shared_ptr<PendingResults>& results, const Where& where) {
  if (results) return *results;
  throw Error("Pending: this object was moved from; ask the one that it was moved to", where);
}

std::shared_ptr<PendingResults> execute_async(std::shared_ptr<const Executable> executable,
                                              std::vector<std::shared_ptr<const HostArray>> arrays,
                                              std::vector<LiteralBits> scalars) {
  return started(
      std::make_shared<Call>(std::move(executable), std::move(arrays), std::move(scalars)));
}

std::shared_ptr<PendingResults> execute_async_at(
    std::shared_ptr<const Executable> executable,
    std::vector<std::shared_ptr<const HostArray>> arrays, std::vector<LiteralBits> scalars,
    std::vector<OutMemory> outs, std::function<void(std::span<const OutMemory>, Results)> deliver) {
  check_outs(outs);
  return std::make_shared<CallAt>(
      started(std::make_shared<Call>(std::move(executable), std::move(arrays), std::move(scalars),
                                     Call::Delivery{std::move(outs), std::move(deliver)})));
}

std::shared_ptr<PendingResults> execute_async_at(
    std::shared_ptr<const Executable> executable,
    std::vector<std::shared_ptr<const HostArray>> arrays, std::vector<LiteralBits> scalars,
    std::vector<OutMemory> outs) {
  return execute_async_at(std::move(executable), std::move(arrays), std::move(scalars),
                          std::move(outs), put_results);
}

}  // namespace hasten::detail
