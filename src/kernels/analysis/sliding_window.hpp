// Subexpressions that the elements of a map recompute at shifted positions: the reads of a stencil
// that was fused into another stencil. Their values can be kept in a window of rows that slides
// along with the rows of the space (Halide's `store_root` and `compute_at`), so that each value is
// computed once, and none reaches memory.
#pragma once

#include "kernels/kernel.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hasten::kernels {

/// One use of the subexpression by an element: its value that many rows (along the last axis but
/// one) and columns further on.
struct WindowUse {
  std::int64_t row, column;
};

/// An element function in two parts. At every index the consumer yields the result of the whole
/// function if its additional parameters are the producer's values at the index moved by `uses`.
/// These are all combinations of `rows` neighbouring rows and `columns` neighbouring columns,
/// starting at 0: so a rectangle of elements needs a rectangle of values, and the whole function
/// computes exactly these.
struct SlidingWindow {
  Region producer;  // params: as the element's; one result
  Region consumer;  // params: as the element's, then one per use
  std::vector<WindowUse> uses;
  std::int64_t rows = 1, columns = 1;
  /// The value is the same in all rows: one row is computed for all of them.
  bool is_still = false;
  /// Reads and operations per element: of the whole function, and of both parts together, with the
  /// stores and loads of the window's values.
  std::size_t cost_before = 0, cost_after = 0;
};

/// The window of a map's element function that saves most; none where little is saved.
[[nodiscard]] std::optional<SlidingWindow> find_sliding_window(const Kernel& map,
                                                               const Region& element);

}  // namespace hasten::kernels
