// Work moves to another thread only if the caller's stack is nearly used up.
#include "support/stack.hpp"

#include <gtest/gtest.h>

#include <pthread.h>

#include <alloca.h>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>

namespace hasten::support {
namespace {

// The beginning of the stack as the C library determines it.
std::uintptr_t begin_of_stack() {
  pthread_attr_t attributes;
  void* begin = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(begin);
}

std::thread::id where_it_runs() {
  std::thread::id id;
  on_large_stack([&] { id = std::this_thread::get_id(); });
  return id;
}

// Runs with `left` bytes left on the stack.
[[gnu::noinline]] std::thread::id where_it_runs_with(std::size_t left, std::uintptr_t begin) {
  const auto at = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (at - begin <= left) return where_it_runs();
  auto* const used = static_cast<volatile char*>(alloca(at - begin - left));
  used[0] = 1;
  const std::thread::id id = where_it_runs();
  used[1] = 1;
  return id;
}

void check_this_thread() {
  const std::uintptr_t begin = begin_of_stack();
  ASSERT_NE(begin, 0U);
  const std::thread::id self = std::this_thread::get_id();
  EXPECT_EQ(where_it_runs(), self);
  EXPECT_EQ(where_it_runs_with(std::size_t{1800} << 10, begin), self);
  EXPECT_NE(where_it_runs_with(std::size_t{600} << 10, begin), self);
}

TEST(LargeStack, OfTheFirstThread) { check_this_thread(); }

TEST(LargeStack, OfAnotherThread) { std::thread(check_this_thread).join(); }

TEST(LargeStack, ErrorsComeBack) {
  EXPECT_THROW(on_large_stack([] { throw std::runtime_error("from there"); }), std::runtime_error);
}

}  // namespace
}  // namespace hasten::support
