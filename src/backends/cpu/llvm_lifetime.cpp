// Registers a handler of exit() after each use: it runs before the destructors of the tables that
// this use has created, because exit() runs in reverse order.
#include "backends/cpu/llvm_lifetime.hpp"

#include <hasten/run/error.hpp>

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace hasten::backends::cpu {
namespace {

constexpr std::chrono::seconds patience_at_exit{2};

std::atomic<bool> is_gone{false};
std::atomic<int> under_way{0};

// Other threads may be compiling while this one ends the process.
void wait_for_others() {
  const auto limit = std::chrono::steady_clock::now() + patience_at_exit;
  while (under_way > 0 && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void leave_llvm() {
  is_gone = true;
  wait_for_others();
}

// exit() destroys thread-local objects before it runs any handler. The id of a process's first
// thread equals the id of the process.
struct AtExit {
  bool waits = false;
  ~AtExit() {
    if (waits && gettid() == getpid()) wait_for_others();
  }
};
thread_local AtExit at_exit;

}  // namespace

LlvmUse::LlvmUse() {
  // A child has none of the threads that were compiling.
  static const int registered = pthread_atfork(nullptr, nullptr, [] { under_way = 0; });
  static_cast<void>(registered);
  ++under_way;
  if (!is_gone) return;
  --under_way;
  throw TargetError(
      "cpu: the process is ending, and LLVM can no longer compile; call the program once before, "
      "or run it with the target \"interpreter\"");
}

LlvmUse::~LlvmUse() {
  if (!is_gone) std::atexit(leave_llvm);
  --under_way;
}

void wait_for_llvm_at_exit() { at_exit.waits = true; }

bool llvm_is_gone() { return is_gone; }

}  // namespace hasten::backends::cpu
