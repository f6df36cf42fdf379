// What the thread tests share: many threads at once, on every target.
#pragma once

#include "../programs/support.hpp"

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace hasten_test {

/// f(number of the thread) on several threads, begun together.
inline void on_threads(int count, const std::function<void(int)>& f) {
  std::atomic<int> waiting{count};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      f(i);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace hasten_test
