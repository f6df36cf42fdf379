// The Fourier transform of the examples, compared with its definition, on every target.
#include "../../../examples/programs/fft.hpp"
#include "tests/programs/examples/support.hpp"

#include <complex>
#include <numbers>

using hs::Acc, hs::Exp, hs::Matrix;

namespace {

class FourierExamples : public hasten_test::ExampleTest {};

using hasten_test::matrix_of;

TEST_P(FourierExamples, Fourier) {
  constexpr std::int64_t n = 16;
  const auto rows = matrix_of<programs::Complex>(2, n, [](auto i, auto j) {
    return programs::Complex(static_cast<float>((i + 3 * j) % 7), static_cast<float>(j % 3));
  });
  const auto transform = compile(
      [](Acc<Matrix<programs::Complex>> x) { return programs::fft_rows(Exp<float>(-1), x); });
  const auto result = transform(rows);
  for (std::int64_t i = 0; i < 2; ++i)
    for (std::int64_t k = 0; k < n; ++k) {
      std::complex<double> sum;
      for (std::int64_t j = 0; j < n; ++j)
        sum += std::complex<double>(rows(i, j)) *
               std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k) / n);
      EXPECT_NEAR(std::abs(std::complex<double>(result(i, k)) - sum), 0, 1e-4);
    }
}

TEST_P(FourierExamples, HighPassOfAWave) {
  // The filter removes a slow wave and keeps a fast one.
  constexpr std::int64_t n = 32;
  const auto wave = [](double cycles, std::int64_t j) {
    return static_cast<float>(std::cos(2 * std::numbers::pi * cycles * static_cast<double>(j) / n));
  };
  const auto picture =
      matrix_of<float>(n, n, [&](auto, auto j) { return wave(2, j) + wave(9, j); });
  const auto result =
      compile([](Acc<Matrix<float>> p) { return programs::high_pass(Exp<float>(5), p); })(picture);
  for (std::int64_t j = 0; j < n; ++j) EXPECT_NEAR(result(3, j), wave(9, j), 1e-4);
}

HASTEN_ON_EVERY_DEVICE(FourierExamples);

}  // namespace
