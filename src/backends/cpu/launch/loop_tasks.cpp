// Each loop is cut like a map: by rows where these are short, else within rows.
#include "backends/cpu/launch/loop_tasks.hpp"

#include <algorithm>

namespace hasten::backends::cpu {

LoopTasks::LoopTasks(std::span<const std::size_t> ranks, std::span<const std::int64_t> extents) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t rows = product(extents.first(ranks[i] - 1));
    const std::int64_t columns = extents[ranks[i] - 1];
    extents = extents.subspan(ranks[i]);
    if (rows > 0 && columns > 0)
      loops_.push_back({static_cast<std::int64_t>(i), rows, columns, rows, columns, 0, 0});
  }
  number_tasks();
}

double LoopTasks::work(std::span<const double> nanoseconds) const {
  double result = 0;
  for (const Loop& loop : loops_)
    result += static_cast<double>(loop.rows) * static_cast<double>(loop.columns) *
              nanoseconds[static_cast<std::size_t>(loop.number)];
  return result;
}

void LoopTasks::cut(std::span<const double> nanoseconds, double of_task) {
  for (Loop& loop : loops_) {
    const double each = nanoseconds[static_cast<std::size_t>(loop.number)];
    const auto elements = std::max<std::int64_t>(1, static_cast<std::int64_t>(of_task / each));
    if (loop.columns < 2 * elements) {
      loop.row_step = std::max<std::int64_t>(1, elements / loop.columns);
    } else {
      loop.row_step = 1;
      loop.column_step = divide_up(elements, column_unit) * column_unit;
    }
  }
  number_tasks();
}

void LoopTasks::number_tasks() {
  std::int64_t next = 0;
  for (Loop& loop : loops_) {
    loop.begin = next;
    loop.end = next += loop.tasks();
  }
}

std::int64_t LoopTasks::count() const { return loops_.empty() ? 0 : loops_.back().end; }

// Neighbouring tasks share columns: what lanes read stays in the cache from row to row.
LoopTask LoopTasks::operator[](std::int64_t task) const {
  const auto loop = std::ranges::upper_bound(loops_, task, {}, &Loop::end);
  const std::int64_t own = task - loop->begin, bands = loop->bands();
  const std::int64_t row = own % bands * loop->row_step, column = own / bands * loop->column_step;
  return {loop->number, row, std::min(loop->rows, row + loop->row_step), column,
          std::min(loop->columns, column + loop->column_step)};
}

}  // namespace hasten::backends::cpu
