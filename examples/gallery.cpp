// Each function compiles its program once and runs it on its arguments.
#include "gallery.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <stdexcept>

#include "image.hpp"
#include "matrix_market.hpp"
#include "programs/blur.hpp"
#include "programs/edges.hpp"
#include "programs/equalize.hpp"
#include "programs/fft.hpp"
#include "programs/histogram.hpp"
#include "programs/sieve.hpp"
#include "programs/sparse.hpp"

namespace demo {
namespace {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

// Maps 0 to 1 to grey levels.
Acc<Matrix<std::uint8_t>> levels(const Acc<Matrix<float>>& brightness) {
  return hs::map([](Exp<float> x) { return hs::cast<std::uint8_t>(hs::round(255.0f * x)); },
                 brightness);
}

Acc<Matrix<float>> brightness_of(const Acc<Matrix<programs::Pixel>>& photo) {
  return hs::map(programs::brightness, photo);
}

std::int64_t power_of_two(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

// Repeats the border up to the given size.
Acc<Matrix<float>> padded(const Exp<hs::Ix<2>>& size, const Acc<Matrix<float>>& a) {
  const auto last = hs::shape(a) - hs::ix(1, 1);
  return hs::backpermute(
      size, [=](auto ix) { return hs::ix(hs::min(ix[0], last[0]), hs::min(ix[1], last[1])); }, a);
}

Acc<Matrix<std::uint8_t>> filtered(Exp<hs::Ix<2>> size, Exp<float> cutoff,
                                   Acc<Matrix<programs::Pixel>> photo) {
  const auto sharp = programs::high_pass(cutoff, padded(size, brightness_of(photo)));
  const auto extent = hs::shape(photo);
  // Maps no change to a middle grey.
  const auto shown = hs::map([](auto x) { return x + 0.5f; },
                             hs::take(extent[1], hs::take_on<0>(extent[0], sharp)));
  return levels(shown);
}

}  // namespace

void equalize_picture(const std::string& in, const std::string& out) {
  const auto program = hs::compile([](Acc<Matrix<programs::Pixel>> photo) {
    return programs::equalize(hs::compute(levels(brightness_of(photo))));
  });
  write_png(out, program(read_picture(in)));
}

void high_pass_picture(const std::string& in, const std::string& out, float cutoff) {
  const auto photo = read_picture(in);
  const auto size = hs::ix(power_of_two(photo.shape()[0]), power_of_two(photo.shape()[1]));
  write_png(out, hs::compile(filtered)(size, cutoff, photo));
}

void blur_picture(const std::string& in, const std::string& out, std::int64_t rounds) {
  write_png(out, hs::compile(programs::blur)(rounds, read_picture(in)));
}

void draw_histogram(const std::string& in, const std::string& out) {
  const auto photo = read_picture(in);
  const auto counts = hs::compile([](Acc<Matrix<programs::Pixel>> picture) {
    return programs::brightness_counts(levels(brightness_of(picture)));
  })(photo);
  write_png(out, hs::compile(programs::bars)(256, 3, counts));
  const auto most = std::max_element(counts.begin(), counts.end());
  std::printf("%s: %lld pixels, most often brightness %lld of 255\n", out.c_str(),
              static_cast<long long>(photo.size()), static_cast<long long>(most - counts.begin()));
}

void list_primes(std::int64_t below) {
  const auto primes = hs::compile(programs::primes_below)(below);
  std::printf("%lld primes below %lld", static_cast<long long>(primes.size()),
              static_cast<long long>(below));
  for (std::int64_t i = primes.size(); i-- > 0 && i >= primes.size() - 3;)
    std::printf("%s %lld", i + 1 == primes.size() ? ":" : ",", static_cast<long long>(primes(i)));
  std::printf("\n");
}

void solve_system(const std::string& path) {
  const SparseMatrix matrix = read_matrix_market(path);
  if (matrix.rows != matrix.columns)
    throw std::runtime_error(path + ": the matrix is not square, so there is no system to solve");
  const auto program = hs::compile([](Exp<std::int64_t> n, Acc<Vector<programs::Entry>> entries) {
    const auto m = programs::compressed(n, entries);
    const auto right = programs::smvm(m, hs::fill(n, Exp<double>(1)));
    const auto [x, steps] =
        programs::conjugate_gradient(m, right, Exp<double>(1e-9), hs::cast<std::int32_t>(2 * n));
    const auto error = hs::maximum(hs::map([](auto y) { return hs::abs(y - 1.0); }, x));
    return std::tuple{steps, error};
  });
  const auto [steps, error] = program(matrix.rows, matrix.entries);
  std::printf("%lld equations, %lld elements: %d steps, largest error %.2e\n",
              static_cast<long long>(matrix.rows), static_cast<long long>(matrix.entries.size()),
              steps.item(), error.item());
}

}  // namespace demo
