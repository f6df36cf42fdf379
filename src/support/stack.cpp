// A thread knows where its stack ends; looking that up is slow for the first one of a process, so
// it is kept.
#include "support/stack.hpp"

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>

namespace hasten::support {
namespace {

constexpr std::size_t least = std::size_t{1} << 20;
constexpr std::size_t own = std::size_t{16} << 20;  // of a thread for this

struct Stack {
  std::uintptr_t begin = 0, end = 0;
  bool is_known = false;
};
thread_local Stack stack;

bool is_little_left() {
  if (!stack.is_known) {
    stack.is_known = true;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
    void* begin = nullptr;
    std::size_t size = 0;
    pthread_attr_getstack(&attributes, &begin, &size);
    pthread_attr_destroy(&attributes);
    stack.begin = reinterpret_cast<std::uintptr_t>(begin);
    stack.end = stack.begin + size;
  }
  const char here = 0;
  const auto at = reinterpret_cast<std::uintptr_t>(&here);
  // Beyond it are stacks that somebody switches between: nothing is known of them.
  return at > stack.begin && at < stack.end && at - stack.begin < least;
}

struct Work {
  const std::function<void()>& f;
  std::exception_ptr error;
};

void* do_work(void* argument) {
  Work& work = *static_cast<Work*>(argument);
  try {
    work.f();
  } catch (...) {
    work.error = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void on_large_stack(const std::function<void()>& f) {
  if (!is_little_left()) return f();
  Work work{f, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, own);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, do_work, &work);
  pthread_attr_destroy(&attributes);
  if (failed != 0) throw std::bad_alloc();
  pthread_join(thread, nullptr);
  if (work.error) std::rethrow_exception(work.error);
}

}  // namespace hasten::support
