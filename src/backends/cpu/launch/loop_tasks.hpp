// A launch of several loops as one list of tasks.
#pragma once

#include "backends/cpu/launch/spaces.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hasten::backends::cpu {

/// Chunks of rows start at multiples of this many columns.
inline constexpr std::int64_t column_unit = 1024;

/// Rows [row0, row1) of columns [x0, x1) of a loop; none is empty.
struct LoopTask {
  std::int64_t loop, row0, row1, x0, x1;
};

class LoopTasks {
 public:
  /// By the ranks of the loops, whose extents are adjacent. Each loop with elements is one task.
  LoopTasks(std::span<const std::size_t> ranks, std::span<const std::int64_t> extents);
  /// The nanoseconds of all loops, given the nanoseconds per element of each.
  [[nodiscard]] double work(std::span<const double> nanoseconds) const;
  /// Cuts each loop into tasks of about `of_task` nanoseconds.
  void cut(std::span<const double> nanoseconds, double of_task);
  [[nodiscard]] std::int64_t count() const;
  [[nodiscard]] LoopTask operator[](std::int64_t task) const;

 private:
  struct Loop {
    std::int64_t number, rows, columns, row_step, column_step;
    std::int64_t begin, end;  // of its tasks
    [[nodiscard]] std::int64_t bands() const { return divide_up(rows, row_step); }
    [[nodiscard]] std::int64_t tasks() const { return bands() * divide_up(columns, column_step); }
  };
  void number_tasks();

  std::vector<Loop> loops_;
};

}  // namespace hasten::backends::cpu
