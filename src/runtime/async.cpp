// Calls in flight: each waits for a worker, runs there, and keeps its results or its exception.
#include "runtime/executable.hpp"
#include "runtime/workers.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

namespace hasten::detail {
namespace {

class Call final : public PendingResults {
 public:
  Call(std::shared_ptr<const Executable> executable,
       std::vector<std::shared_ptr<const HostArray>> arrays, std::vector<LiteralBits> scalars)
      : executable_(std::move(executable)),
        arrays_(std::move(arrays)),
        scalars_(std::move(scalars)) {}

  void run() {
    Results results;
    std::exception_ptr error;
    try {
      results = execute(*executable_, arrays_, scalars_);
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
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return is_done_; });
    if (error_) std::rethrow_exception(error_);
    return results_;
  }

 private:
  const std::shared_ptr<const Executable> executable_;
  std::vector<std::shared_ptr<const HostArray>> arrays_;
  const std::vector<LiteralBits> scalars_;

  mutable std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  Results results_;
  std::exception_ptr error_;
};

}  // namespace

std::shared_ptr<PendingResults> execute_async(std::shared_ptr<const Executable> executable,
                                              std::vector<std::shared_ptr<const HostArray>> arrays,
                                              std::vector<LiteralBits> scalars) {
  auto call = std::make_shared<Call>(std::move(executable), std::move(arrays), std::move(scalars));
  // A call nobody waits for any more is not begun.
  runtime::workers().post([waiting = std::weak_ptr(call)] {
    if (const auto wanted = waiting.lock()) wanted->run();
  });
  return call;
}

}  // namespace hasten::detail
