// A thread that looks every ten milliseconds while calls are made, and sleeps otherwise.
#include "runtime/ranks/stop_watch.hpp"

#include <hasten/run/error.hpp>

#include <pthread.h>

#include <chrono>
#include <csignal>

namespace hasten::runtime {
namespace {

constexpr std::chrono::milliseconds between_looks{10};
constexpr int looks_before_long_sleep = 10;

}  // namespace

void StopWatch::begin(const CallStop* call) {
  has_heard_.store(false, std::memory_order_relaxed);
  if (!call) return;
  const std::lock_guard lock(mutex_);
  call_ = call;
  has_told_ = false;
  if (sleeps_) changed_.notify_one();
  if (thread_.joinable() || is_over_) return;
  sigset_t all, before;  // signals are for the threads of the program
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void StopWatch::leave() {
  const std::lock_guard lock(mutex_);
  call_ = nullptr;
}

void StopWatch::end() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void StopWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    looks_without_call_ = call_ ? 0 : looks_without_call_ + 1;
    try {
      if (call_) look();
    } catch (const Error&) {  // of MPI: the calls themselves will meet it
      return;
    }
    sleeps_ = looks_without_call_ >= looks_before_long_sleep;
    if (sleeps_)
      changed_.wait(lock, [&] { return call_ || is_over_; });
    else
      changed_.wait_for(lock, between_looks);
  }
}

// A rank that was stopped by another one tells nobody: the other one has told all.
void StopWatch::look() {
  if (communicator_.hears_stop()) {
    has_heard_.store(true);
    call_->raise();
  }
  if (!call_->is_asked() || has_heard_.load() || has_told_) return;
  has_told_ = true;
  communicator_.tell_stop();
}

}  // namespace hasten::runtime
