// Contractions, such as matrix products and convolutions of many channels: folds in which every
// read stays in place along one of two outer axes, the rows and the columns of results. The parts
// of an element that are uniform along a row, or along a column, of results are computed once, and
// shared.
#pragma once

#include "kernels/kernel.hpp"

#include <optional>

namespace hasten::kernels {

/// The parts of an element that depend on one of the two axes (and on the folded ones).
struct ContractionSide {
  Region shared;            // params as Kernel::element; results: the shared values
  bool along_fold = false;  // contiguous along the last folded axis, else along its own
  bool is_fixed = false;    // the same along all outer axes but its own
};

struct Contraction {
  std::uint32_t row_axis;        // columns are along the last outer axis
  ContractionSide down, across;  // of a row and of a column
  Region rest;                   // the remainder of the element, given the shared values
};

/// None if the kernel is not a contraction, or its code is long, branches or loops. One of the
/// sides may share nothing. One axis is folded, and rows are along the last outer axis but one.
[[nodiscard]] std::optional<Contraction> find_contraction(const Kernel& kernel);
/// The same for any number of folded axes, and rows along any outer axis but the last: the nearest
/// to it that fits. Shared parts may be longer, and branch.
[[nodiscard]] std::optional<Contraction> find_any_contraction(const Kernel& kernel);

}  // namespace hasten::kernels
