// Subexpressions that the elements of a map compute again and again, at shifted places: what a
// stencil reads of a stencil that was fused into it. Their values can be kept in a window of rows
// that slides along with the rows of the space (Halide's `store_root` and `compute_at`), so that
// each is computed once, and nothing reaches memory.
#pragma once

#include "kernels/kernel.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hasten::kernels {

/// What an element uses of the subexpression: its value so many rows (of the last but one axis) and
/// columns further on.
struct WindowUse {
  std::int64_t row, column;
};

/// An element function in two parts. At every index the second one gives what the whole one does if
/// its further parameters are what the first one gives at the index moved by `uses`. These are
/// all combinations of `rows` neighbouring rows and `columns` neighbouring columns, the first of
/// which is 0: so a rectangle of elements needs a rectangle of values, and the whole function
/// computes just these.
struct SlidingWindow {
  Region producer;  // params: as the element's; one result
  Region consumer;  // params: as the element's, then one for each use
  std::vector<WindowUse> uses;
  std::int64_t rows = 1, columns = 1;
  /// The value is the same in all rows: one row is computed for all of them.
  bool is_still = false;
  /// Reads and operations of an element: all of them, and those of both parts, values' stores and
  /// loads included.
  std::size_t cost_before = 0, cost_after = 0;
};

/// The one of a map's element function that saves most; none where little is saved.
[[nodiscard]] std::optional<SlidingWindow> find_sliding_window(const Kernel& map,
                                                               const Region& element);

}  // namespace hasten::kernels
