// The child counts.
#include "support/forks.hpp"

#include <pthread.h>

#include <atomic>

namespace hasten::support {
namespace {

std::atomic<std::uint64_t> count{0};

}  // namespace

std::uint64_t forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++count; });
  static_cast<void>(registered);
  return count.load(std::memory_order_relaxed);
}

}  // namespace hasten::support
