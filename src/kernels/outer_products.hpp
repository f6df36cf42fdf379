// Sums over a rectangle of neighbours whose weights are an outer product become sums of columns
// that are summed along rows: sum of u[i] * v[j] * x(i, j) = sum of v[j] * (sum of u[i] * x(i, j)).
// Neighbouring elements share the sums of columns, up to a shift, so that a sliding window can keep
// them (analysis/sliding_window.hpp): a blur of 5 x 5 costs 10 products for 25.
#pragma once

#include "kernels/kernel.hpp"

namespace hasten::kernels {

/// The numbers that may be added in another order.
enum class Reordered : std::uint8_t {
  integers,             // wrap: every order gives the same
  floats_and_integers,  // FastMath::all
};

/// Rewrites all such sums of a map's element function; new values are added to the kernel's.
/// Integer weights must be an outer product exactly, float weights up to rounding. The time is
/// linear in the size of the function, up to a logarithm.
void separate_outer_products(Kernel& map, core::Region& element, Reordered reordered);

}  // namespace hasten::kernels
