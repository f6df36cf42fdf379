// A program whose rounds should move only the rows next to other ranks' rows.
#pragma once

#include <hasten/hasten.hpp>

#include <cstdint>

namespace hasten_test {

constexpr std::int64_t smoothed_columns = 1000;
constexpr int smoothing_rounds = 10;

/// In each round, a number becomes the mean of itself and the numbers above and below.
template <class Border>
auto smoothing(Border border) {
  return [border](hasten::Acc<hasten::Matrix<float>> a) {
    const auto mean = [](auto at) { return (at(-1, 0) + at(1, 0) + at(0, 0)) / 3.0f; };
    return hasten::aiterate(
        smoothing_rounds, [=](auto grid) { return hasten::stencil(mean, border, grid); }, a);
  };
}

inline hasten::Matrix<float> rough() {
  return hasten::Matrix<float>::from_function({700, smoothed_columns}, [](hasten::Ix<2> i) {
    return static_cast<float>(i[0] * i[1] % 13);
  });
}

}  // namespace hasten_test
