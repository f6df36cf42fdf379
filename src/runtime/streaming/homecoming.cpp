// One thread, started with the first copy.
#include "runtime/streaming/homecoming.hpp"

#include "runtime/memory/residency.hpp"

#include <system_error>
#include <utility>

namespace hasten::runtime {

Homecoming::~Homecoming() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Homecoming::copy(const Task& task) {
  for (std::size_t leaf = 0; leaf < task.array->leaves().size(); ++leaf)
    come_home(*task.array->component(leaf), task.place ? task.place->component(leaf) : nullptr);
}

bool Homecoming::start() {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void Homecoming::begin(HostArrayRef array, std::shared_ptr<detail::HostArray> place,
                       std::uint32_t part) {
  Task task{std::move(array), std::move(place), part};
  if (!start()) return copy(task);
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_all();
}

std::optional<Homecoming::Failure> Homecoming::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || (tasks_.empty() && !is_busy_); });
  return std::exchange(failure_, std::nullopt);
}

void Homecoming::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || (!tasks_.empty() && !failure_); });
    if (ends_) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    is_busy_ = true;
    lock.unlock();
    std::optional<Failure> failure;
    try {
      copy(task);
    } catch (...) {
      failure = Failure{std::current_exception(), task.part};
    }
    task = {};  // frees its device memory before anyone is notified
    lock.lock();
    failure_ = std::move(failure);
    is_busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace hasten::runtime
