// Threads that take tasks from one queue.
#include "runtime/workers.hpp"

#include <algorithm>
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

}  // namespace hasten::runtime
