// Contractions, such as matrix products: folds in which every read stays in place along one of the
// two innermost outer axes. The parts of an element that are uniform along a row, or along a
// column, of results are computed once, and shared.
#pragma once

#include "kernels/kernel.hpp"

#include <optional>

namespace hasten::kernels {

/// The parts of an element that depend on one of the two axes (and on the folded one).
struct ContractionSide {
  Region shared;            // params as Kernel::element; results: the shared values
  bool along_fold = false;  // contiguous along the folded axis, else along its own
};

struct Contraction {
  ContractionSide down, across;  // of the last axis but two, and of the last but one
  Region rest;                   // the remainder of the element, given the shared values
};

/// None if the kernel is not a contraction, or its code is long, branches or loops. One of the
/// sides may share nothing.
[[nodiscard]] std::optional<Contraction> find_contraction(const Kernel& kernel);

}  // namespace hasten::kernels
