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

/// A contraction's results that are folded at once, in registers, from panels that hold, step after
/// step, the elements shared along rows and columns. `rows` 0: there is none.
struct PackedTile {
  std::int64_t rows = 0;
  unsigned lanes = 0;             // columns
  std::int64_t down_bytes = 0;    // of a step of the folded axis, for all rows
  std::int64_t across_bytes = 0;  // the same for all columns
  std::int64_t sum_bytes = 0;     // of the leaves of one result
  std::int64_t row_axis = 0;      // columns are along the last outer axis
  bool same_rows = false;         // the panels of rows are the same along the other outer axes
  // From so many rows on, panels gain more than packing columns takes that are in the second cache.
  std::int64_t many_rows = 0;
  // What is shared takes little to compute again, and columns are read as vectors.
  bool has_light_sides = false;
  friend bool operator==(const PackedTile&, const PackedTile&) = default;
};

/// A contraction's results that one item folds; 16 by 16 items are a group. `high` 0: there is
/// none.
struct GroupTile {
  std::int64_t high = 0, wide = 0;
  std::int64_t steps = 0;  // of the folded axis that wait in local memory; 0: nothing is shared
  [[nodiscard]] std::int64_t rows() const { return 16 * high; }
  [[nodiscard]] std::int64_t columns() const { return 16 * wide; }
  friend bool operator==(const GroupTile&, const GroupTile&) = default;
};

/// The axis along which neighbouring items fold.
enum class ItemAxis : std::uint8_t { folded, outer, by_extents };

struct Schedule {
  // -- processors with vectors
  unsigned lanes = 1;
  // A fold along its axis: for short rows. A map: for rows with fewer elements than across_below.
  unsigned lanes_across = 0;
  std::int64_t across_below = 0;
  // A map: for short rows. A fold with lanes across: for few columns. A segmented one: for segments
  // that are short on average; 1: for each short one.
  unsigned lanes_along = 0;
  // Rows with fewer elements are short: rows are folded in order, on every machine.
  std::int64_t short_row = 0;
  // A fold whose results are few along the last but one axis: lanes across the axis before, if each
  // result is folded from fewer elements than outside_depth. A map: lanes across the axis before
  // the last two, if these have at most that many elements.
  unsigned lanes_outside = 0;
  std::int64_t outside_depth = 0;
  // A fold with lanes across, if it has fewer long columns than few_columns: lanes down these.
  unsigned lanes_down = 0;
  std::int64_t few_columns = 0;
  // A map: the scalars that are distances between reads of neighbouring lanes
  // (analysis/strides.hpp). Code exists that knows that all are 2, 3 or 4. Empty: there is no such
  // code. A fold of few results: the same for its lanes across the axis before these, and as many
  // results as the number, each folded from as many elements.
  std::vector<unsigned> apart_scalars;
  // A map or a fold of rows, or columns, of two to four elements: lanes across them, for code that
  // knows this number, and that these scalars are equal to it. A scatter of such rows: 1.
  unsigned lanes_of_rows = 0;
  std::vector<unsigned> row_scalars;
  // A fold along its axis: rows that are not short and have fewer elements than joined_below. One
  // register of lanes runs along each, and those of as many rows are joined by one tree. A scan:
  // rows that one register at a time runs along, as more would leave many lanes off at the end.
  unsigned lanes_joined = 0;
  std::int64_t joined_below = 0;
  std::int64_t rows_together = 1;  // a fold along its axis: rows that share what they read
  std::int64_t strip_columns = 1;  // a scan down columns: that it walks together, at least
  bool in_order = false;           // a fold or scan along its axis whose operator needs an order
  PackedTile packed;
  // A map's lanes are this many rows of neighbours; 0: neighbours in one row.
  std::int64_t tile_rows = 0;
  // A map's lanes are this many elements apart, and each computes as many neighbours: remainders of
  // the index by divisors of the step are constants (analysis/indices/index_period.hpp).
  std::int64_t lane_step = 1;
  // A map that reads along an outer axis: rows of a tile whose reads are turned in registers. 0: it
  // reads along rows.
  std::int64_t turned_rows = 0;
  // A map's sliding window (analysis/sliding_window.hpp): its rows, and the number of columns of
  // elements at a time. 0: there is no window.
  std::int64_t window_rows = 0, window_columns = 0;
  bool still_row = false;  // all rows share the window's one row
  // A map with stages: the number of values that a reduction of a row computes and the row's
  // elements read again (analysis/stages/kept_elements.hpp).
  unsigned kept_elements = 0;
  // A scatter that goes one by one in tasks with all outputs: the lanes in which a task with part
  // of them collects its updates. 0: it goes one by one, too.
  unsigned part_lanes = 0;
  // Such a scatter with updates of neighbours: lanes for rows that are not too short. 0: none.
  unsigned neighbour_lanes = 0;
  // A scatter whose updates may meet, where all outputs are few: how many at most, and the lanes
  // in which their results are kept. 0: there is no code for that.
  unsigned few_lanes = 0, few_targets = 0;
  double nanoseconds = 0;  // of one element of the space, to size tasks
  // For each of several loops; then `lanes` and `nanoseconds` apply to none of them.
  std::vector<unsigned> loop_lanes;
  std::vector<double> loop_nanoseconds;

  // -- devices with groups of items
  ItemAxis items = ItemAxis::folded;
  GroupTile group;
  std::int64_t interior_rows = 0;  // of a column of the interior, per item; 0: one element

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// "lanes 32, in_order 1": the fields that differ from a new Schedule.
[[nodiscard]] std::string print(const Schedule&);
/// The inverse. Throws InternalError for text that `print` does not produce.
[[nodiscard]] Schedule parse_schedule(std::string_view);

/// Code as it is stored: its schedule as a line of text, then the code.
[[nodiscard]] std::vector<std::byte> with_schedule(const Schedule&,
                                                   std::span<const std::byte> code);
struct ScheduledCode {
  Schedule schedule;
  std::span<const std::byte> code;  // of the argument
};
/// Throws InternalError if the code does not begin with a schedule.
[[nodiscard]] ScheduledCode split_schedule(std::span<const std::byte>);

}  // namespace hasten::kernels
