// Cuts spaces into tasks. The cut never affects results: elements do not depend on it, and folds
// combine tiles of a fixed size in order.
#include "backends/cpu/launch/launch.hpp"

#include "backends/cpu/launch/column_folds.hpp"
#include "backends/cpu/launch/compaction.hpp"
#include "backends/cpu/launch/contraction.hpp"
#include "backends/cpu/launch/loop_tasks.hpp"
#include "backends/cpu/launch/sort/sort.hpp"
#include "backends/cpu/launch/spaces.hpp"
#include "backends/cpu/launch/streaming.hpp"
#include "backends/cpu/launch/task_outputs.hpp"
#include "backends/cpu/machine/processor.hpp"
#include "core/traverse.hpp"
#include "kernels/stages.hpp"
#include "support/env.hpp"
#include "support/stopping.hpp"
#include "support/words.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace hasten::backends::cpu {
namespace {

constexpr double task_nanoseconds = 30'000;       // a task is worth this much work
constexpr double inline_nanoseconds = 15'000;     // less work than this stays on the calling thread
constexpr double piece_nanoseconds = 1'000'000;   // updates between two looks at the stop word
constexpr double row_nanoseconds = 20'000'000;    // a row that is worth more is cut however many
constexpr std::int64_t window_tasks_rows = 8;     // rows of a task, for each row of a window
constexpr std::int64_t scatter_parts_max = 8;     // each walks the whole space
constexpr std::int64_t private_elements_min = 8;  // updates that make a private output pay
constexpr std::int64_t private_outputs_max = 1 << 22;
constexpr std::int64_t filled_elements = 1 << 16;  // by a task
constexpr std::int64_t joined_elements_min = 1 << 10;
// Few long segments are cut: the parts of an average one have this many elements. Affects results.
constexpr std::int64_t part_elements = 4 * tile_elements;
constexpr std::int64_t part_rows_max = 256;

// The stop word of calls that nothing can stop.
constinit support::StopWord never_stopped{0};

/// One launch. The tasks are cut by work, and smaller where threads would be idle.
class Launch {
 public:
  Launch(const LoadedKernel& kernel, const std::uint64_t* frame, const support::StopWord& stop,
         const Caches& caches, const Team& team, bool* is_parallel)
      : kernel_(kernel),
        frame_(frame),
        run_(kernel.functions.run[number_of(Form::usual)]),
        stop_(stop),
        threads_(team.threads()),
        caches_(caches),
        team_(team),
        is_parallel_(is_parallel) {}

  void map(std::span<const std::int64_t> extents, std::int64_t flags) {
    const std::int64_t columns = extents.back(), rows = product(extents.first(extents.size() - 1));
    const Form form = kernel_.form_of_map(extents, frame_, (flags & run_stream) != 0);
    run_ = kernel_.run.of(form);
    if (form == Form::across_blocks)
      return in_blocks(product(extents.first(extents.size() - 2)), product(extents.last(2)), flags);
    const double total = work(rows * columns);
    if (total < inline_nanoseconds) return run(0, rows, 0, columns, nullptr, flags);
    const std::int64_t elements = grain(rows * columns);
    const std::int64_t high = rows_of_band(rows);
    if (columns < 2 * elements || kernel_.whole_rows) {
      const std::int64_t step = whole_tiles(std::max(high, elements / columns));
      return in_steps(rows, step, [&](std::int64_t begin, std::int64_t end) {
        run(begin, end, 0, columns, nullptr, flags);
      });
    }
    const std::int64_t step = divide_up(elements, column_unit) * column_unit;
    in_tiles(rows, columns, high, step, flags);
  }

  /// Each lane computes all that the innermost axes have, `elements` of them.
  void in_blocks(std::int64_t rows, std::int64_t elements, std::int64_t flags) {
    if (work(rows * elements) < inline_nanoseconds) return run(0, rows, 0, 1, nullptr, flags);
    const std::int64_t lanes = kernel_.schedule.lanes_outside;
    const std::int64_t step = divide_up(grain(rows * elements), elements * lanes) * lanes;
    in_steps(rows, step,
             [&](std::int64_t begin, std::int64_t end) { run(begin, end, 0, 1, nullptr, flags); });
  }

  /// The tasks of all loops are one list, so that none waits for another's last ones.
  void loops(std::span<const std::int64_t> extents, bool stream) {
    const std::int64_t flags = stream ? run_stream : run_plain;
    const kernels::Schedule& how = kernel_.schedule;
    LoopTasks tasks(kernel_.loop_ranks, extents);
    const double total = tasks.work(how.loop_nanoseconds);
    const auto task = [&](std::int64_t i) {
      const LoopTask part = tasks[i];
      run(part.row0, part.row1, part.x0, part.x1, nullptr, (part.loop << run_loop) | flags);
    };
    if (total >= inline_nanoseconds) {
      tasks.cut(how.loop_nanoseconds, task_share(total));
      return in_parallel(tasks.count(), task);
    }
    for (std::int64_t i = 0; i < tasks.count(); ++i) task(i);
  }

  /// Contracts by panels; returns false if these do not pay, or there is no memory for them.
  bool contract(std::span<const std::int64_t> extents) {
    const kernels::PackedTile& tile = kernel_.schedule.packed;
    if (tile.rows == 0) return false;
    const bool small = work(product(extents)) < inline_nanoseconds;
    const Tasks tasks = [&](std::int64_t count, const std::function<void(std::int64_t)>& task) {
      in_parallel(count, task);
    };
    try {
      return run_contraction({tile, kernel_.lanes, kernel_.folded, kernel_.functions, kernel_.run,
                              frame_, extents, small ? 1 : threads_, caches_.second(), tasks});
    } catch (const std::bad_alloc&) {  // all results are computed again
      return false;
    }
  }

  /// Folds few long columns in parts; returns false for other extents.
  bool fold_in_column_parts(std::span<const std::int64_t> extents) {
    const std::size_t outer = extents.size() - 2;
    const std::int64_t rows = product(extents.first(outer)), columns = extents[outer];
    const std::int64_t depth = extents.back();
    if (!kernel_.has_column_parts || ColumnFolds::parts_of(rows * columns, depth) == 1)
      return false;
    ColumnFolds folds(rows, columns, depth, kernel_.schedule.lanes, kernel_.leaves);
    if (columns < kernel_.schedule.few_columns)
      run_ = kernel_.run.of(kernel_.form_of_rows(columns, frame_).value_or(Form::few_columns));
    else
      rest_ = kernel_.run_of_rest(columns);
    const auto fold_part = [&](std::int64_t i) {
      ColumnPart part = folds.part(i);
      run_columns(0, rows, 0, columns, reinterpret_cast<std::uint64_t*>(&part), run_parts);
    };
    if (work(rows * columns * depth) < inline_nanoseconds)
      for (std::int64_t i = 0; i < folds.parts(); ++i) fold_part(i);
    else
      in_parallel(folds.parts(), fold_part);
    folds.finish(kernel_.functions, frame_);
    return true;
  }

  /// Folds and scans with lanes along an outer axis.
  void fold_lanes(std::span<const std::int64_t> extents, std::int64_t lanes,
                  CacheLevel level = CacheLevel::last) {
    const std::size_t outer = extents.size() - 2;
    const std::int64_t rows = product(extents.first(outer)), columns = extents[outer];
    const std::int64_t depth = extents.back();
    const std::int64_t flags =
        comes_from_memory(caches_, rows * columns * depth, level) ? run_ahead : run_plain;
    rest_ = kernel_.run_of_rest(columns);
    if (work(rows * columns * depth) < inline_nanoseconds)
      return run_columns(0, rows, 0, columns, nullptr, flags);
    const std::int64_t results = std::max<std::int64_t>(1, grain(rows * columns * depth) / depth);
    const std::int64_t row_step = std::clamp<std::int64_t>(results / lanes, 1, rows);
    const std::int64_t column_step = std::max<std::int64_t>(1, results / row_step / lanes) * lanes;
    in_tiles(rows, columns, row_step, column_step, flags);
  }

  /// The same where lanes run along the last axis otherwise.
  void fold_short_rows(std::span<const std::int64_t> extents) {
    run_ = kernel_.run.of(kernel_.form_of_rows(extents.back(), frame_).value_or(Form::short_rows));
    fold_lanes(extents, kernel_.schedule.lanes_across);
  }

  void fold_tiles(std::span<const std::int64_t> extents) {
    if (kernel_.has_short_rows(extents)) return fold_short_rows(extents);
    if (kernel_.has_joined_rows(extents)) {
      run_ = kernel_.run.of(Form::joined_rows);
      return fold_lanes(extents, kernel_.schedule.lanes_joined, CacheLevel::second);
    }
    const std::int64_t rows = product(extents.first(extents.size() - 1)), depth = extents.back();
    const std::int64_t tiles = tiles_of(depth);
    if (work(rows * depth) < inline_nanoseconds) return fold_rows(0, rows, tiles);
    if (tiles > 1 && rows < 4 * threads_) return fold_long_rows(0, rows, depth, tiles);
    if (tiles > 1 && work(depth) > row_nanoseconds) {
      for (std::int64_t row = 0; row < rows; ++row) fold_long_rows(row, 1, depth, tiles);
      return;
    }
    const std::int64_t together = kernel_.schedule.rows_together;
    const std::int64_t groups = divide_up(grain(rows * depth) / depth, together);
    in_steps(rows, std::max<std::int64_t>(1, groups) * together,
             [&](std::int64_t begin, std::int64_t end) { fold_rows(begin, end, tiles); });
  }

  /// Folds as a map; returns false if there are many results, or few along the axis before them.
  bool fold_few_results(std::span<const std::int64_t> extents) {
    if (kernel_.schedule.lanes_outside == 0 || extents.size() < 3) return false;
    if (kernel_.has_blocks_of_results(extents)) {
      run_ = kernel_.run.of(Form::across_blocks);
      in_blocks(product(extents.first(extents.size() - 3)), product(extents.last(3)), run_plain);
      return true;
    }
    const std::size_t outer = extents.size() - 2;
    const std::int64_t columns = extents[outer], depth = extents.back();
    if (columns >= few_results || depth >= kernel_.schedule.outside_depth ||
        extents[outer - 1] < outside_min)
      return false;
    run_ = kernel_.run.of(kernel_.form_of_few_results(columns, depth, frame_));
    const std::int64_t rows = product(extents.first(outer)), elements = columns * depth;
    in_steps(rows, std::max<std::int64_t>(1, grain(rows * elements) / elements),
             [&](std::int64_t begin, std::int64_t end) {
               run(begin, end, 0, columns, nullptr, run_plain);
             });
    return true;
  }

  /// Rows that are segments of the last axis, next to each other along the axis before it.
  void fold_segments(std::span<const std::int64_t> extents) {
    constexpr std::int64_t row_cost = 8, elements_max = std::int64_t{1} << 36;  // in elements
    const std::int64_t rows = product(extents.first(extents.size() - 1));
    const std::int64_t before = product(extents.first(extents.size() - 2));
    // Elements that never reach memory may be too many to keep parts of them, or to be counted.
    const std::int64_t reach =
        std::min(extents.back(), elements_max / std::max<std::int64_t>(before, 1));
    const std::int64_t elements = before * reach + row_cost * rows;
    const std::int64_t mean = divide_up(reach, extents[extents.size() - 2]);
    if (mean >= 2 * part_elements && rows <= part_rows_max && !kernel_.in_order)
      return fold_in_parts(rows, mean / part_elements);
    if (work(elements) < inline_nanoseconds) return run(0, rows, 0, mean, nullptr, run_plain);
    const double share = static_cast<double>(grain(elements)) / static_cast<double>(elements);
    const auto step = static_cast<std::int64_t>(share * static_cast<double>(rows));
    in_steps(rows, std::max<std::int64_t>(1, step), [&](std::int64_t begin, std::int64_t end) {
      run(begin, end, 0, mean, nullptr, run_plain);
    });
  }

  /// Scans down columns.
  void scan_columns(std::span<const std::int64_t> extents, bool stream) {
    const std::size_t outer = extents.size() - 2;
    const std::int64_t rows = product(extents.first(outer)), columns = extents[outer];
    const std::int64_t depth = std::max<std::int64_t>(1, extents.back());
    const std::int64_t flags = stream ? run_stream : run_plain;
    if (work(rows * columns * depth) < inline_nanoseconds)
      return run(0, rows, 0, columns, nullptr, flags);
    const std::int64_t results = grain(rows * columns * depth) / depth;
    const Tiling strips = strips_of(rows, columns, results, kernel_.schedule, threads_);
    in_tiles(rows, columns, strips.rows, strips.columns, flags);
  }

  void fold_nothing(std::span<const std::int64_t> extents) {
    const std::int64_t rows = product(extents.first(extents.size() - 1));
    in_steps(rows, 4096, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
        kernel_.functions.finish(frame_, row, 0, nullptr);
    });
  }

  void scan_tiles(std::span<const std::int64_t> extents, bool stream) {
    if (kernel_.has_short_rows(extents)) return fold_short_rows(extents);
    if (kernel_.has_rows_of_registers(extents)) run_ = kernel_.run.of(Form::joined_rows);
    const std::int64_t rows = product(extents.first(extents.size() - 1)), depth = extents.back();
    const std::int64_t tiles = tiles_of(depth), flags = stream ? run_stream : run_plain;
    if (tiles > 1 && tiles_together() > 1)
      return scan_long_rows(rows, tiles, flags,
                            comes_from_memory(caches_, rows * depth) ? run_ahead : run_plain);
    if (work(rows * depth) < inline_nanoseconds) return run(0, rows, 0, tiles, nullptr, flags);
    if (tiles > 1 && rows < 4 * threads_ && threads_ > 1)
      return scan_long_rows(rows, tiles, flags, 0);
    const std::int64_t step = std::max<std::int64_t>(1, grain(rows * depth) / depth);
    in_steps(rows, step, [&](std::int64_t begin, std::int64_t end) {
      run(begin, end, 0, tiles, nullptr, flags);
    });
  }

  /// Makes updates that may meet, in parts with outputs of their own: see private_outputs.hpp.
  /// Without copies the first part has the launch's outputs. Memory is exhausted before the first
  /// update, if at all.
  void scatter_privately(const LaunchArguments& arguments, const Filler& filler, std::int64_t parts,
                         std::int64_t copies) {
    const std::int64_t size = arguments.output_size, shared = copies == 1 ? 1 : 0;
    std::vector<PrivateOutputs> own;
    for (std::int64_t i = shared; i < parts; ++i) own.emplace_back(kernel_, frame_, size, copies);
    if (shared) fill(filler, size);
    if (has_few_targets(kernel_, arguments)) run_ = kernel_.run.of(Form::few_targets);
    in_parallel(parts, [&](std::int64_t i) {
      if (i < shared) return make_updates(arguments.extents, i, parts, frame_, 0);
      PrivateOutputs& mine = own[static_cast<std::size_t>(i - shared)];
      mine.fill();
      make_updates(arguments.extents, i, parts, mine.frame(), mine.distance());
      mine.join_copies();
    });
    const std::int64_t step = std::max<std::int64_t>(filled_elements / parts, joined_elements_min);
    in_steps(size, step, [&](std::int64_t begin, std::int64_t end) {
      if (!shared) filler.run(begin, end);
      for (const PrivateOutputs& mine : own) mine.combine_into(arguments.outputs, begin, end);
    });
  }

  /// Initialises the outputs, then makes the updates.
  void scatter(const LaunchArguments& arguments, bool stream) {
    const Filler filler(kernel_.fills, arguments);
    const bool has_loops = !kernel_.loop_ranks.empty();
    const std::int64_t size = has_loops ? 0 : product(arguments.extents);
    run_ = kernel_.run_of_updates(arguments.extents, frame_, run_);
    const std::int64_t parts = private_parts(size, arguments.output_size);
    const std::int64_t copies =
        is_large(size) ? copies_of_outputs(kernel_, size, arguments.output_size) : 1;
    if (parts > 1 || copies > 1) {
      try {
        return scatter_privately(arguments, filler, parts, copies);
      } catch (const std::bad_alloc&) {
        if (kernel_.grouped_by_extents) throw;
      }
    }
    fill(filler, arguments.output_size);
    if (has_loops) return loops(arguments.extents, stream);
    if (size == 0) return;
    if (kernel_.unique) return map(arguments.extents, stream);
    scatter_in_order(arguments);
  }

  void compact(const LaunchArguments& arguments) {
    const bool small = work(arguments.extents[0]) < inline_nanoseconds;
    cpu::compact(kernel_, frame_, arguments, caches_, small ? 1 : threads_,
                 [&](std::int64_t tasks, const std::function<void()>& task) {
                   in_parallel(tasks, [&](std::int64_t) { task(); });
                 });
  }

 private:
  void fill(const Filler& filler, std::int64_t size) {
    if (filler.has_work())
      in_steps(size, filled_elements,
               [&](std::int64_t begin, std::int64_t end) { filler.run(begin, end); });
  }

  // Makes the updates of one part of a scatter's space, in all outputs that the frame points to.
  void make_updates(std::span<const std::int64_t> extents, std::int64_t part, std::int64_t parts,
                    const std::uint64_t* frame, std::int64_t distance_of_copies) const {
    const std::int64_t columns = extents.back(), rows = product(extents.first(extents.size() - 1));
    const bool by_rows = rows >= columns;
    const std::int64_t whole = by_rows ? rows : columns;
    const std::int64_t begin = whole * part / parts, end = whole * (part + 1) / parts;
    if (begin == end) return;
    std::uint64_t everything[] = {0, INT64_MAX, static_cast<std::uint64_t>(distance_of_copies)};
    update_in_pieces(frame, by_rows ? begin : 0, by_rows ? end : rows, by_rows ? 0 : begin,
                     by_rows ? columns : end, everything);
  }

  // Makes the updates in the same order as a single run, and takes the same elements together:
  // pieces of a row begin at multiples of any vector's length.
  void update_in_pieces(const std::uint64_t* frame, std::int64_t row0, std::int64_t row1,
                        std::int64_t x0, std::int64_t x1, std::uint64_t* scratch) const {
    const auto worth = static_cast<std::int64_t>(piece_nanoseconds / kernel_.schedule.nanoseconds);
    const std::int64_t column_step = (worth / column_unit + 1) * column_unit;
    const std::int64_t row_step = std::max<std::int64_t>(1, column_step / (x1 - x0));
    for (std::int64_t row = row0; row < row1; row += row_step)
      for (std::int64_t x = x0; x < x1; x += column_step) {
        if (support::is_stopped(&stop_)) return;
        run_(frame, row, std::min(row1, row + row_step), x, std::min(x1, x + column_step), scratch,
             run_plain);
      }
  }

  // A fold in order is a single tile.
  [[nodiscard]] std::int64_t tiles_of(std::int64_t depth) const {
    return kernel_.in_order ? std::min<std::int64_t>(1, depth)
                            : divide_up(depth, scan_tile_elements(kernel_.needs_order, depth));
  }

  /// How many parts of a scatter have outputs of their own; 1 if none has.
  [[nodiscard]] std::int64_t private_parts(std::int64_t size, std::int64_t outputs) const {
    if (kernel_.unordered.empty() || outputs == 0 || outputs > private_outputs_max) return 1;
    if (kernel_.grouped_by_extents) return grouped_parts(size, outputs);
    return is_large(size) && size / private_elements_min >= outputs ? threads_ : 1;
  }

  [[nodiscard]] bool is_large(std::int64_t size) const {
    return work(size) > 4 * inline_nanoseconds;
  }

  /// Updates that may meet. Every task walks the whole space in order and makes the updates of its
  /// own part of the outputs: each target sees what it would see in one task.
  void scatter_in_order(const LaunchArguments& arguments) {
    const auto extents = arguments.extents;
    const std::int64_t columns = extents.back(), rows = product(extents.first(extents.size() - 1));
    const std::int64_t parts =
        is_large(rows * columns) ? std::clamp<std::int64_t>(threads_, 1, scatter_parts_max) : 1;
    const std::int64_t size = parts == 1 ? INT64_MAX : divide_up(arguments.output_size, parts);
    in_parallel(parts, [&](std::int64_t i) {
      std::uint64_t part[] = {static_cast<std::uint64_t>(i * size),
                              static_cast<std::uint64_t>((i + 1) * size), 0};
      update_in_pieces(frame_, 0, rows, 0, columns, part);
    });
  }

  [[nodiscard]] double work(std::int64_t elements) const {
    return static_cast<double>(elements) * kernel_.schedule.nanoseconds;
  }

  // Elements of a task: several tasks for each thread, if they are worth it.
  [[nodiscard]] std::int64_t grain(std::int64_t elements) const {
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(task_share(work(elements)) / kernel_.schedule.nanoseconds));
  }
  [[nodiscard]] double task_share(double total) const {
    return std::clamp(total / (4.0 * threads_), task_nanoseconds / 4, task_nanoseconds);
  }

  void run(std::int64_t row0, std::int64_t row1, std::int64_t x0, std::int64_t x1,
           std::uint64_t* scratch, std::int64_t flags) const {
    if (!support::is_stopped(&stop_)) run_(frame_, row0, row1, x0, x1, scratch, flags);
  }

  // The same where columns that fill no whole vector may have code of their own. Of parts, whose
  // results are not read yet, the last vector may overlap the one before.
  void run_columns(std::int64_t row0, std::int64_t row1, std::int64_t x0, std::int64_t x1,
                   std::uint64_t* scratch, std::int64_t flags) const {
    if (!rest_) return run(row0, row1, x0, x1, scratch, flags);
    const std::int64_t one = kernel_.schedule.lanes_along, count = x1 - x0;
    const std::int64_t whole = x1 - count % kernel_.schedule.lanes, over = count % one;
    const std::int64_t last = flags == run_parts && over > 0 && count > one ? x1 - over : x1;
    if (x0 < whole) run(row0, row1, x0, whole, scratch, flags);
    if (support::is_stopped(&stop_)) return;
    if (whole < last) rest_(frame_, row0, row1, whole, last, scratch, flags);
    if (last < x1) rest_(frame_, row0, row1, x1 - one, x1, scratch, flags);
  }

  // Throws when the call is to stop: the results of its tasks must not be used.
  template <class F>
  void in_parallel(std::int64_t tasks, F&& task) {
    if (is_parallel_ && threads_ > 1 && tasks > 1) *is_parallel_ = true;
    cpu::in_parallel(team_, tasks, [&](std::int64_t i) {
      if (support::is_stopped(&stop_)) throw support::Stopped{};  // and visit no others
      task(i);
    });
    if (support::is_stopped(&stop_)) throw support::Stopped{};
  }

  template <class F>
  void in_steps(std::int64_t count, std::int64_t step, F&& f) {
    in_parallel(divide_up(count, step),
                [&](std::int64_t i) { f(i * step, std::min(count, (i + 1) * step)); });
  }

  // Neighbouring tasks share columns: what lanes read stays in the cache from row to row. The first
  // row of a task with a sliding window computes all rows of the window: little, if more rows
  // follow.
  [[nodiscard]] std::int64_t rows_of_band(std::int64_t rows) const {
    if (const std::int64_t high = rows_of_tile(kernel_.schedule); high > 1) return high;
    const std::int64_t window = kernel_.schedule.window_rows;
    const bool has_more = window > 1 || kernel_.schedule.still_row;
    return has_more ? std::min(window_tasks_rows * window, divide_up(rows, threads_)) : 1;
  }

  [[nodiscard]] std::int64_t whole_tiles(std::int64_t rows) const {
    const std::int64_t high = rows_of_tile(kernel_.schedule);
    return divide_up(rows, high) * high;
  }

  void in_tiles(std::int64_t rows, std::int64_t columns, std::int64_t row_step,
                std::int64_t column_step, std::int64_t flags) {
    const std::int64_t bands = divide_up(rows, row_step);
    in_parallel(bands * divide_up(columns, column_step), [&](std::int64_t i) {
      const std::int64_t row = i % bands * row_step, column = i / bands * column_step;
      run_columns(row, std::min(rows, row + row_step), column,
                  std::min(columns, column + column_step), nullptr, flags);
    });
  }

  [[nodiscard]] std::size_t slots(std::int64_t tiles) const {
    return static_cast<std::size_t>(tiles) * kernel_.leaves;
  }

  void fold_rows(std::int64_t begin, std::int64_t end, std::int64_t tiles) const {
    support::Words<256> scratch(slots(tiles * kernel_.schedule.rows_together));
    run(begin, end, 0, tiles, scratch.data(), run_finish);
  }

  // Folds few segments, whose mean length is this many parts.
  void fold_in_parts(std::int64_t rows, std::int64_t parts) {
    support::Words<2048> scratch(slots(rows * parts));
    in_parallel(rows * parts, [&](std::int64_t i) {
      const std::int64_t row = i / parts, part = i % parts;
      run(row, row + 1, part, parts, scratch.data() + slots(row * parts), run_parts);
    });
    for (std::int64_t row = 0; row < rows; ++row)
      kernel_.functions.finish(frame_, row, parts, scratch.data() + slots(row * parts));
  }

  void fold_long_rows(std::int64_t first, std::int64_t rows, std::int64_t depth,
                      std::int64_t tiles) {
    support::Words<2048> scratch(slots(rows * tiles));
    const std::int64_t step = std::max<std::int64_t>(1, grain(rows * depth) / tile_elements);
    const std::int64_t steps = divide_up(tiles, step);
    in_parallel(rows * steps, [&](std::int64_t i) {
      const std::int64_t row = i / steps, tile = i % steps * step;
      run(first + row, first + row + 1, tile, std::min(tiles, tile + step),
          scratch.data() + slots(row * tiles), run_plain);
    });
    for (std::int64_t row = 0; row < rows; ++row)
      kernel_.functions.finish(frame_, first + row, tiles, scratch.data() + slots(row * tiles));
  }

  // Tiles that a scan runs side by side.
  [[nodiscard]] std::int64_t tiles_together() const {
    return kernel_.schedule.in_order ? kernel_.schedule.lanes : 1;
  }

  // Tiles are taken in order, some together. Each is folded, which brings it into the cache, waits
  // for the folds of the tiles before it, and is scanned. Every wait ends: the tiles that are
  // waited for are already running.
  void scan_long_rows(std::int64_t rows, std::int64_t tiles, std::int64_t flags,
                      std::int64_t flags_of_totals) {
    support::Words<2048> scratch(slots(rows * tiles));
    std::vector<std::atomic<std::int64_t>> known(static_cast<std::size_t>(rows));
    const std::int64_t together = tiles_together(), steps = divide_up(tiles, together);
    std::atomic<std::int64_t> next{0};
    in_parallel(std::min<std::int64_t>(threads_, rows * steps), [&](std::int64_t) {
      for (std::int64_t i = next++; i < rows * steps; i = next++) {
        const std::int64_t row = i / steps, first = i % steps * together;
        const std::int64_t end = std::min(tiles, first + together), last = std::min(end, tiles - 1);
        std::uint64_t* carries = scratch.data() + slots(row * tiles);
        std::atomic<std::int64_t>& carried = known[static_cast<std::size_t>(row)];
        if (first < last) run(row, row + 1, first, last, carries, run_totals | flags_of_totals);
        wait_for(carried, first);
        for (std::int64_t tile = first; tile < last && !support::is_stopped(&stop_); ++tile)
          kernel_.functions.finish(frame_, row, tile, carries);
        carried.store(end, std::memory_order_release);
        carried.notify_all();
        run(row, row + 1, first, end, carries, flags);
      }
    });
  }

  const LoadedKernel& kernel_;
  const std::uint64_t* frame_;
  RunFunction run_;             // of the form that the extents call for
  RunFunction rest_ = nullptr;  // LoadedKernel::run_of_rest
  const support::StopWord& stop_;
  int threads_;
  const Caches& caches_;
  const Team& team_;
  bool* const is_parallel_;  // LaunchArguments::in_parallel
};

void run(Launch& launch, const LoadedKernel& kernel, const LaunchArguments& arguments,
         const Caches& caches) {
  const FoldedSpace space(arguments.extents, kernel.folded);
  const auto extents = space.extents();
  const bool outer = kernel.lanes == kernels::FoldLanes::outer, nothing = extents.back() == 0;
  const std::int64_t lanes = kernel.schedule.lanes;
  switch (kernel.skeleton) {
    case kernels::Skeleton::map: return launch.map(extents, map_flags(kernel, arguments, caches));
    case kernels::Skeleton::segments: return launch.map(extents.last(1), run_plain);
    case kernels::Skeleton::fold:
      if (nothing) return launch.fold_nothing(extents);
      if (kernel.segmented) return launch.fold_segments(extents);
      if (launch.fold_few_results(extents) || launch.contract(extents)) return;
      if (kernel.has_short_axis(arguments.extents)) return launch.fold_short_rows(extents);
      if (!outer) return launch.fold_tiles(extents);
      if (!launch.fold_in_column_parts(extents)) launch.fold_lanes(extents, lanes);
      return;
    case kernels::Skeleton::scan:  // empty rows, too, begin with their seed
      if (kernel.has_columns && outer)
        return launch.scan_columns(extents, streams(kernel, arguments, caches));
      if (outer) return launch.fold_lanes(extents, lanes);
      return launch.scan_tiles(extents, !kernel.seeded && streams(kernel, arguments, caches));
    case kernels::Skeleton::scatter:
      return launch.scatter(arguments, streams_writes(kernel, arguments, caches));
    case kernels::Skeleton::compact: return launch.compact(arguments);
  }
}

int default_threads() {
  if (const auto wanted = support::env_number("HASTEN_THREADS", {1, 4096}))
    return static_cast<int>(*wanted);
  return std::min(Team::usual_threads(), usable_threads());
}

}  // namespace

Launcher::Launcher(int threads, CacheSizes caches)
    : caches_(caches),
      team_(threads > 0 ? threads : default_threads()) {}

Launcher::Launcher(int threads, Caches::Find caches)
    : caches_(caches),
      team_(threads > 0 ? threads : default_threads()) {}

void Launcher::in_parallel(std::int64_t tasks,
                           const std::function<void(std::int64_t)>& task) const {
  cpu::in_parallel(team_, tasks, task);
}

void Launcher::launch(const LoadedKernel& kernel, const LaunchArguments& arguments) const {
  support::Words<64> frame(kernel.layout.words);
  const support::StopWord& stop = arguments.stop ? *arguments.stop : never_stopped;
  kernel.fill_frame(frame.data(), arguments, stop, caches_);
  Launch launch(kernel, frame.data(), stop, caches_, team_, arguments.in_parallel);
  run(launch, kernel, arguments, caches_);
  if (support::is_stopped(&stop)) throw support::Stopped{};
}

}  // namespace hasten::backends::cpu
