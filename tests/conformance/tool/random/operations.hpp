// The table of operations for random programs.
#pragma once

#include "tests/conformance/tool/random/terms.hpp"

#include <span>

namespace hasten::conformance::random {

/// The arrays that an operation makes from two earlier ones; empty if the operation does not fit.
using Made = std::vector<Sized>;

struct Operation {
  const char* name;
  Made (*apply)(const Context&, const Step&, const Sized& a, const Sized& b);
};

std::span<const Operation> elementwise_operations();
std::span<const Operation> shape_operations();
std::span<const Operation> fold_operations();   // scans and segments too
std::span<const Operation> place_operations();  // permutations, choices, sorts, stencils
std::span<const Operation> control_operations();
std::span<const Operation> foreign_operations();
std::span<const Operation> group_operations();  // several at once
std::span<const Operation> read_operations();   // at indices that may be out of range

/// All of these.
const std::vector<Operation>& operations();

}  // namespace hasten::conformance::random
