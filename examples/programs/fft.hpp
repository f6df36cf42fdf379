// The fast Fourier transform, and a high-pass filter for pictures that uses it.
#pragma once

#include <complex>
#include <hasten/hasten.hpp>
#include <numbers>
#include <tuple>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar;
using Complex = std::complex<float>;

// Transforms each row by Stockham's radix-2 method: log2(n) passes, each in order, without bit
// reversal. The length of the rows must be a power of two. `sign` is -1 forward, 1 backward (not
// divided by n).
inline Acc<Matrix<Complex>> fft_rows(Exp<float> sign, Acc<Matrix<Complex>> rows) {
  auto n = hs::shape(rows)[1];
  auto pass = [=](Acc<Matrix<Complex>> x, Acc<Scalar<int64_t>> width) {
    auto m = hs::the(width), l = n / (2 * m);
    auto next = hs::generate(hs::shape(x), [=](Exp<Ix<2>> ix) {
      auto k = ix[1] % m, block = ix[1] / m;
      auto j = block / 2;
      auto low = x(ix[0], k + j * m), high = x(ix[0], k + j * m + l * m);
      auto angle = sign * std::numbers::pi_v<float> * hs::cast<float>(j) / hs::cast<float>(l);
      auto turned = hs::polar(Exp<float>(1), angle) * (low - high);
      return hs::select(block % 2 == 0, low + high, turned);
    });
    return std::tuple{next, hs::unit(2 * m)};
  };
  auto [result, width] =
      hs::awhile([=](Acc<Matrix<Complex>>, Acc<Scalar<int64_t>> m) { return hs::the(m) < n; }, pass,
                 std::tuple{rows, hs::unit(Exp<int64_t>(1))});
  return result;
}

inline Acc<Matrix<Complex>> fft2(Exp<float> sign, Acc<Matrix<Complex>> x) {
  return hs::transpose(fft_rows(sign, hs::transpose(fft_rows(sign, x))));
}

// Keeps only what changes faster than `cutoff` (cycles over the picture's height or width).
inline Acc<Matrix<float>> high_pass(Exp<float> cutoff, Acc<Matrix<float>> picture) {
  auto complex = hs::map([](auto x) { return Exp<Complex>{x, Exp<float>(0)}; }, picture);
  auto extent = hs::shape(picture);
  auto frequency = [](auto i, auto n) { return hs::cast<float>(hs::min(i, n - i)); };
  auto kept = hs::imap(
      [=](auto ix, Exp<Complex> x) {
        auto distance = hs::hypot(frequency(ix[0], extent[0]), frequency(ix[1], extent[1]));
        return hs::select(distance < cutoff, Exp<Complex>(Complex(0)), x);
      },
      fft2(Exp<float>(-1), complex));
  auto size = hs::cast<float>(hs::size(picture));
  return hs::map([=](Exp<Complex> x) { return hs::real(x) / size; }, fft2(Exp<float>(1), kept));
}

}  // namespace programs
