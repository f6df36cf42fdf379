// Contractions, such as products of matrices: folds of which every read stays where it is along one
// of the two innermost outer axes. Which parts of an element are the same for a whole row, or a
// whole column, of results: these are computed once, and shared.
#pragma once

#include "kernels/kernel.hpp"

#include <optional>

namespace hasten::kernels {

/// What an element needs that depends on one of the two axes (and on the folded one).
struct ContractionSide {
  Region shared;            // params as Kernel::element; results: what is shared
  bool along_fold = false;  // where neighbours are in memory: along the folded axis, or its own
};

struct Contraction {
  ContractionSide down, across;  // of the axis last but two, and last but one
  Region rest;                   // what the shared values leave of the element
};

/// None if the kernel is no contraction, or its code is long, branches or loops. One of the sides
/// may share nothing.
[[nodiscard]] std::optional<Contraction> find_contraction(const Kernel& kernel);

}  // namespace hasten::kernels
