// The caller of parallel_for works too, so that it ends even when every worker is busy.
#include "runtime/workers.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

namespace hasten::runtime {

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    tasks_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();  // a task ends the process
    } else {
      thread.join();
    }
  }
}

void Workers::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    tasks_.push_back(std::move(task));
    if (tasks_.size() > idle_ && threads_.size() < most_threads_)
      threads_.emplace_back([this] { work(); });
  }
  changed_.notify_one();
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [&] { return stopping_ || !tasks_.empty(); });
    --idle_;
    if (stopping_) return;
    {
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
    lock.lock();
  }
}

Workers& workers() {
  static Workers instance(std::max(4U, std::thread::hardware_concurrency()));
  return instance;
}

namespace {

struct Shared {
  std::function<void(std::size_t)> body;
  std::size_t count;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::condition_variable all_done;
  std::size_t done = 0;

  void work() {
    for (std::size_t i = next++; i < count; i = next++) {
      body(i);
      const std::lock_guard lock(mutex);
      if (++done == count) all_done.notify_all();
    }
  }
};

}  // namespace

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (count == 0) return;
  if (count == 1) return body(0);
  const auto shared = std::make_shared<Shared>();
  shared->body = body;
  shared->count = count;
  const std::size_t helpers =
      std::min<std::size_t>(count - 1, std::max(1U, std::thread::hardware_concurrency()) - 1);
  for (std::size_t i = 0; i < helpers; ++i) workers().post([shared] { shared->work(); });
  shared->work();
  std::unique_lock lock(shared->mutex);
  shared->all_done.wait(lock, [&] { return shared->done == count; });
}

}  // namespace hasten::runtime
