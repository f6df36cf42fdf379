// Associative operators under test; most of them do not commute.
#pragma once

#include "tests/conformance/tool/types.hpp"

namespace hasten::conformance {

inline constexpr auto first = [](const auto& x, const auto&) { return x; };
inline constexpr auto last = [](const auto&, const auto& y) { return y; };

template <class T>
using Affine = std::pair<T, T>;  // x -> a * x + b
inline constexpr auto compose = [](const auto& f, const auto& g) {
  return std::pair{get<0>(f) * get<0>(g), get<1>(f) * get<0>(g) + get<1>(g)};
};

template <class T>
using Square = std::array<T, 4>;  // a matrix of 2 by 2
inline constexpr auto multiply = [](const auto& x, const auto& y) {
  return std::array{x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2],
                    x[2] * y[1] + x[3] * y[3]};
};

/// The left one if both are equal, so the order matters for the rest of the struct.
inline constexpr auto heavier = [](const Exp<Particle>& x, const Exp<Particle>& y) {
  return select(x.charge >= y.charge, x, y);
};

}  // namespace hasten::conformance
