// Tasks of several loops: each element is in exactly one task, for all spaces and sizes of tasks.
#include "backends/cpu/launch/loop_tasks.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <vector>

namespace hasten::test {
namespace {

using backends::cpu::LoopTasks;

struct Space {
  std::int64_t rows, columns;
};

// Returns the number of tasks; in a space with two axes, the first axis counts rows.
std::int64_t expect_each_once(const std::vector<std::size_t>& ranks,
                              const std::vector<std::int64_t>& extents,
                              const std::vector<Space>& spaces, double of_task) {
  const std::vector<double> nanoseconds(ranks.size(), 0.5);
  LoopTasks tasks(ranks, extents);
  double elements = 0;
  for (const Space& space : spaces)
    elements += static_cast<double>(space.rows) * static_cast<double>(space.columns);
  EXPECT_EQ(tasks.work(nanoseconds), 0.5 * elements);
  if (of_task > 0) tasks.cut(nanoseconds, of_task);
  std::vector<std::vector<int>> seen;
  for (const Space& space : spaces)
    seen.emplace_back(static_cast<std::size_t>(space.rows * space.columns), 0);
  for (std::int64_t i = 0; i < tasks.count(); ++i) {
    const backends::cpu::LoopTask task = tasks[i];
    const auto loop = static_cast<std::size_t>(task.loop);
    EXPECT_LT(task.row0, task.row1);
    EXPECT_LT(task.x0, task.x1);
    for (std::int64_t row = task.row0; row < task.row1; ++row)
      for (std::int64_t x = task.x0; x < task.x1; ++x)
        ++seen[loop].at(static_cast<std::size_t>(row * spaces[loop].columns + x));
  }
  for (const std::vector<int>& loop : seen)
    for (const int count : loop) EXPECT_EQ(count, 1);
  return tasks.count();
}

TEST(LoopTasks, EachElementIsInOne) {
  const std::vector<std::size_t> ranks{1, 2, 1, 3};
  for (const std::int64_t n : {0, 1, 1009, 20'011})
    for (const std::int64_t rows : {0, 1, 7, 113})
      for (const double of_task : {0.0, 1.0, 700.0, 1e9}) {
        const std::vector<std::int64_t> extents{n, rows, 31, 5, 3, rows, n % 100};
        const std::vector<Space> spaces{{1, n}, {rows, 31}, {1, 5}, {3 * rows, n % 100}};
        expect_each_once(ranks, extents, spaces, of_task);
      }
}

TEST(LoopTasks, AreAsManyAsAreWorthIt) {
  EXPECT_EQ(expect_each_once({1, 1}, {0, 0}, {{1, 0}, {1, 0}}, 0), 0);
  EXPECT_EQ(expect_each_once({1, 1}, {8192, 3}, {{1, 8192}, {1, 3}}, 0), 2);
  EXPECT_EQ(expect_each_once({1, 1}, {8192, 3}, {{1, 8192}, {1, 3}}, 1024), 5);
}

}  // namespace
}  // namespace hasten::test
