// The threads of exported libraries, in the runtime's own namespace.
#include "backends/cpu/launch/team.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using hasten::backends::cpu::Team;

void expect_each_once(const Team& team, std::int64_t tasks) {
  std::vector<int> done(static_cast<std::size_t>(tasks));
  team.for_each(tasks, [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
  EXPECT_EQ(std::ranges::count(done, 1), tasks);
}

TEST(TeamOfThreads, CallsEachTaskOnce) {
  for (const int threads : {1, 2, 5}) {
    const Team team(threads);
    for (const std::int64_t tasks : {0, 1, 2, 3, 100, 10'007}) expect_each_once(team, tasks);
  }
}

// A thread goes forward through neighbours, and backward through what it takes from another.
TEST(TeamOfThreads, ThreadsGoThroughNeighbours) {
  constexpr int threads = 3;
  const Team team(threads);
  for (int round = 0; round < 50; ++round) {
    std::map<std::thread::id, std::vector<std::int64_t>> visited;
    std::mutex mutex;
    team.for_each(1000, [&](std::int64_t i) {
      const std::lock_guard lock(mutex);
      visited[std::this_thread::get_id()].push_back(i);
    });
    for (const auto& [thread, tasks] : visited) {
      int breaks = 0;
      for (std::size_t k = 1; k < tasks.size(); ++k)
        breaks += std::abs(tasks[k] - tasks[k - 1]) == 1 ? 0 : 1;
      // Of another's run, tasks may be missing that a third thread took.
      const auto stolen = std::ranges::count_if(
          tasks, [&](std::int64_t i) { return i * threads / 1000 != tasks[0] * threads / 1000; });
      EXPECT_LE(breaks, threads - 1 + stolen);
    }
  }
}

TEST(TeamOfThreads, CallersAndTasksMayCallAtOnce) {
  const Team team(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        expect_each_once(team, 17);
        team.for_each(3, [&](std::int64_t) { expect_each_once(team, 5); });
      }
    });
  for (std::thread& caller : callers) caller.join();
}

TEST(TeamOfThreads, ThrowsWhatATaskThrew) {
  const Team team(4);
  for (int round = 0; round < 50; ++round) {
    const auto task = [](std::int64_t i) {
      if (i == 7) throw std::runtime_error("seven");
    };
    EXPECT_THROW(team.for_each(20, task), std::runtime_error);
    expect_each_once(team, 20);
  }
}

TEST(TeamOfThreads, WorksInAForkedProcess) {
  const Team team(3);
  expect_each_once(team, 100);
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> count = 0;
    team.for_each(100, [&](std::int64_t) { ++count; });
    _exit(count == 100 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
