// The end of a thread's stack is looked up once per thread. For a process's first thread the C
// library would read a table of all of its memory, which takes longer than a short call: data that
// the kernel placed on that stack, and the stack's limit, suffice.
#include "support/stack.hpp"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>

namespace hasten::support {
namespace {

constexpr std::size_t least_bytes = std::size_t{1} << 20;
constexpr std::size_t own = std::size_t{16} << 20;  // of a thread for this

struct Stack {
  std::uintptr_t begin = 0, end = 0;
  bool is_known = false;
};
thread_local Stack stack;

// For the thread that began the process. The random bytes that the kernel passes to a process are
// above its frames. Empty if the address is not on that stack: a process forked by another thread
// has that thread's stack.
Stack first_stack(std::uintptr_t here) {
  constexpr std::size_t sure = std::size_t{64} << 20;  // whatever the limit was at the start
  rlimit limit{};
  const auto top = static_cast<std::uintptr_t>(getauxval(AT_RANDOM));
  if (getpid() != gettid() || top == 0 || getrlimit(RLIMIT_STACK, &limit) != 0) return {};
  const std::uintptr_t size = std::min<std::uintptr_t>({limit.rlim_cur, sure, top});
  if (here >= top || here < top - size) return {};
  return {top - size, top, true};
}

Stack find_stack(std::uintptr_t here) {
  if (const Stack first = first_stack(here); first.is_known) return first;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {0, 0, true};
  void* begin = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  return {from, from + size, true};
}

bool is_little_left() {
  const auto at = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (!stack.is_known) stack = find_stack(at);
  // Beyond it are stacks that user code switches between: nothing is known of them.
  return at > stack.begin && at < stack.end && at - stack.begin < least_bytes;
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

void check_room_to_compile() {
  constexpr std::size_t enough = std::size_t{96} << 20;
  void* const room =
      ::mmap(nullptr, enough, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  ::munmap(room, enough);
}

}  // namespace hasten::support
