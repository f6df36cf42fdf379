// How a kernel is run on a machine, as data. A backend decides once, when it compiles the kernel;
// the schedule is kept with the code, and launches and explain() read it from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hasten::kernels {

/// A contraction's results that are folded at once, in registers, from panels in which what its
/// rows and columns share lies step after step. `rows` 0: there is none.
struct PackedTile {
  std::int64_t rows = 0;
  unsigned lanes = 0;             // columns
  std::int64_t down_bytes = 0;    // a step of the folded axis, of all its rows
  std::int64_t across_bytes = 0;  // and of all its columns
  std::int64_t sum_bytes = 0;     // of the leaves of one result
  friend bool operator==(const PackedTile&, const PackedTile&) = default;
};

/// A contraction's results that an item folds; 16 by 16 items are a group. `high` 0: there is none.
struct GroupTile {
  std::int64_t high = 0, wide = 0;
  std::int64_t steps = 0;  // of the folded axis that wait in local memory; 0: nothing is shared
  [[nodiscard]] std::int64_t rows() const { return 16 * high; }
  [[nodiscard]] std::int64_t columns() const { return 16 * wide; }
  friend bool operator==(const GroupTile&, const GroupTile&) = default;
};

/// Along which axis neighbouring items fold.
enum class ItemAxis : std::uint8_t { folded, outer, by_extents };

struct Schedule {
  // -- processors with vectors
  unsigned lanes = 1;
  // A fold along its axis, of rows that are short. A map, of rows that have fewer elements than
  // these lanes.
  unsigned lanes_across = 0;
  unsigned lanes_along = 0;  // a map, of rows that are short
  // Which have fewer elements: they are folded in order, rows on every machine, segments where
  // that is said here.
  std::int64_t short_row = 0;
  // A fold, of results that are few along the last but one axis: across the axis before, if each is
  // folded from fewer elements than that. A map: across the axis before the last two, if these have
  // at most so many elements.
  unsigned lanes_outside = 0;
  std::int64_t outside_depth = 0;
  // A fold with lanes across, of fewer long columns than that: down these.
  unsigned lanes_down = 0;
  std::int64_t few_columns = 0;
  // A map: the scalars that say how far apart neighbouring lanes read (analysis/strides.hpp). There
  // is code that knows that they are all 2, 3 or 4. Empty: there is none.
  std::vector<unsigned> apart_scalars;
  // A map or a fold of rows, or columns, of two to four elements: lanes across them, of code that
  // knows how many these are, and that such scalars are the same.
  unsigned lanes_of_rows = 0;
  std::vector<unsigned> row_scalars;
  std::int64_t rows_together = 1;  // a fold along its axis: rows that share what they read
  bool in_order = false;           // a fold or scan along its axis whose operator needs an order
  PackedTile packed;
  // A map's lanes are so many rows of neighbours; 0: they are neighbours in a row.
  std::int64_t tile_rows = 0;
  // A map's sliding window (analysis/sliding_window.hpp): its rows, and so many columns of elements
  // at a time. 0: there is none.
  std::int64_t window_rows = 0, window_columns = 0;
  bool still_row = false;  // all rows have the window's one row
  // Of a map with stages: values that a reduction of a row computes and the row's elements read
  // again (analysis/stages/kept_elements.hpp).
  unsigned kept_elements = 0;
  // Of a scatter that goes one by one where a task has all outputs: lanes in which a task that has
  // some of them collects its updates. 0: it goes one by one, too.
  unsigned part_lanes = 0;
  // Of such a scatter, of updates that go to neighbours: lanes where rows are not too short. 0:
  // none.
  unsigned neighbour_lanes = 0;
  double nanoseconds = 0;  // of one element of the space, to size tasks
  // Of each of several loops; `lanes` and `nanoseconds` are those of none of them.
  std::vector<unsigned> loop_lanes;
  std::vector<double> loop_nanoseconds;

  // -- devices with groups of items
  ItemAxis items = ItemAxis::folded;
  GroupTile group;
  std::int64_t interior_rows = 0;  // of a column of the interior, an item's; 0: one element

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// "lanes 32, in_order 1": what differs from a new Schedule.
[[nodiscard]] std::string print(const Schedule&);
/// The opposite. Throws InternalError for what `print` does not make.
[[nodiscard]] Schedule parse_schedule(std::string_view);

/// Code as it is kept: its schedule as a line of text, then the code.
[[nodiscard]] std::vector<std::byte> with_schedule(const Schedule&,
                                                   std::span<const std::byte> code);
struct ScheduledCode {
  Schedule schedule;
  std::span<const std::byte> code;  // of the bytes given
};
/// Throws InternalError where no schedule stands first.
[[nodiscard]] ScheduledCode split_schedule(std::span<const std::byte>);

}  // namespace hasten::kernels
