// The largest error of each function of the math library on each target: one table for the tests
// that measure and for those that compare targets. docs/accuracy.md names the sources of the
// bounds.
#pragma once

#include <algorithm>
#include <string_view>

namespace hasten::test {

/// Units in the last place of a result, for float and for double.
struct MathBound {
  double single = 0, twice = 0;
};

struct MathBounds {
  std::string_view function;
  MathBound interpreter;  // of the C library, measured and rounded up
  MathBound cpu;          // guaranteed by SLEEF
  double opencl = 0;      // from the specification, for both types
  MathBound cuda;         // from its programming guide, against correctly rounded results
  double everywhere = 0;  // double under Determinism::everywhere, measured and rounded up
};

inline constexpr MathBounds math_bounds[] = {
    {"sqrt", {0.5, 0.5}, {0.5, 0.5}, 0.5, {0, 0}, 0.5},
    {"rsqrt", {1.5, 1.5}, {1.5, 1.5}, 1.5, {2, 1}, 0.6},  // but on CUDA 1 / sqrt(x)
    {"cbrt", {1, 4}, {1, 1}, 2, {1, 1}, 0.6},
    {"exp", {1, 1}, {1, 1}, 3, {2, 1}, 0.8},
    {"exp2", {1, 1}, {1, 1}, 3, {2, 1}, 0.8},
    {"expm1", {1, 1}, {1, 1}, 3, {1, 1}, 0.85},
    {"log", {1, 1}, {1, 1}, 3, {1, 1}, 0.65},
    {"log2", {1, 1}, {1, 1}, 3, {1, 1}, 0.65},
    {"log10", {2, 2}, {1, 1}, 3, {2, 1}, 0.6},
    {"log1p", {1, 1}, {1, 1}, 2, {1, 1}, 0.75},
    {"sin", {1, 1}, {1, 1}, 4, {2, 1}, 0.75},
    {"cos", {1, 1}, {1, 1}, 4, {2, 1}, 0.75},
    {"tan", {1, 1}, {1, 1}, 5, {4, 2}, 0.8},
    {"asin", {1, 1}, {1, 1}, 4, {4, 2}, 0.7},
    {"acos", {1, 1}, {1, 1}, 4, {3, 2}, 0.7},
    {"atan", {1, 1}, {1, 1}, 5, {2, 2}, 0.6},
    {"sinh", {2, 2}, {1, 1}, 4, {3, 2}, 0.75},
    {"cosh", {2, 1.5}, {1, 1}, 4, {2, 1}, 0.75},
    {"tanh", {2, 2}, {1, 1}, 5, {2, 1}, 0.75},
    {"asinh", {1.5, 1.5}, {1, 1}, 4, {3, 3}, 0.75},
    {"acosh", {1.5, 1.5}, {1, 1}, 4, {4, 3}, 0.75},
    {"atanh", {2, 2}, {1, 1}, 5, {3, 2}, 0.6},
    {"erf", {1, 1}, {1, 1}, 16, {2, 2}, 0.85},
    {"erfc", {3, 3.5}, {1.5, 1.5}, 16, {4, 5}, 1},
    {"pow", {1, 1}, {1, 1}, 16, {9, 2}, 0.8},
    {"atan2", {1.5, 1}, {1, 1}, 6, {3, 2}, 0.75},
    {"hypot", {1, 1}, {1, 1}, 4, {3, 2}, 0.6},
};

/// All bounds are zero for an exact function.
inline constexpr MathBounds bounds_of(std::string_view function) {
  for (const MathBounds& bounds : math_bounds)
    if (bounds.function == function) return bounds;
  return {function, {}, {}, 0, {}, 0};
}

/// The bound on a target, which the beginning of its name identifies, in units between results and
/// real numbers.
inline constexpr MathBound bound_on(const MathBounds& bounds, std::string_view target) {
  constexpr double rounding = 0.5;  // of the correctly rounded result that CUDA compares with
  if (target.starts_with("opencl")) return {bounds.opencl, bounds.opencl};
  if (target.starts_with("cuda") && bounds.everywhere > 0)
    return {bounds.cuda.single + rounding, bounds.cuda.twice + rounding};
  return target.starts_with("interpreter") ? bounds.interpreter : bounds.cpu;
}

}  // namespace hasten::test
