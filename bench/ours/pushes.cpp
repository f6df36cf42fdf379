// Hasten's side of the cases with pull and push arrays.
#include "ours/pushes.hpp"

#include <hasten/libraries/fft.hpp>

#include "../../examples/programs/matmul.hpp"
#include "../../examples/programs/pull_push.hpp"
#include "../../examples/programs/pull_push_paper.hpp"
#include "ours/common.hpp"

namespace bench {
namespace {

using hs::Acc, hs::Matrix, hs::Vector;
using Complex = std::complex<float>;

constexpr Setting of_plain_arrays{"plain", Rules::strict, hs::FastMath::none};

// The program of pull and push arrays, and the one of plain arrays.
template <class P, class Q, class Sampled, class... As>
std::vector<Contender> both(const P& program, const Q& plain, const Sampled& flatten,
                            const As&... arguments) {
  return {our_contender(
              as_written, [f = hs::compile(program), arguments...] { return f(arguments...); },
              flatten),
          our_contender(
              of_plain_arrays, [f = hs::compile(plain), arguments...] { return f(arguments...); },
              flatten)};
}

Acc<Vector<float>> plain_parts(Acc<Vector<float>> a) {
  const auto part = [&](float k) { return a * a - k; };
  return hs::concat(part(1), part(2), part(3), part(4), part(5), part(6), part(7), part(8));
}

Acc<Matrix<float>> plain_blur(Acc<Matrix<float>> image) {
  return programs::mean_of_neighbours(image);
}

}  // namespace

std::vector<Contender> our_pairs(const float* x, int64_t n, SampleFloats sample) {
  return both(programs::pairs, programs::plain_pairs, sampled(sample), lent_vector(x, n));
}

std::vector<Contender> our_parts(const float* x, int64_t n, SampleFloats sample) {
  return both(programs::eight_parts, plain_parts, sampled(sample), lent_vector(x, n));
}

std::vector<Contender> our_pulled_blur(contenders::GreyImage image, SampleFloats sample) {
  const auto pixels = lent_matrix(image.pixels, image.height, image.width);
  auto all = both(programs::pulled_blur, plain_blur, sampled(sample), pixels);
  const auto add = [&](const Setting& setting, const auto& program) {
    hs::Options options;
    options.fast_math = setting.fast_math;
    all.push_back(our_contender(
        setting, [f = hs::compile(program, options), pixels] { return f(pixels); },
        sampled(sample)));
  };
  constexpr hs::FastMath none = hs::FastMath::none;
  add({"by-axes", Rules::strict, none}, programs::blur_by_axes);
  add({"window", Rules::strict, none}, programs::blur_in_a_window);
  add({"rows", Rules::strict, none}, programs::blur_in_five_rows);
  add({"fast-math", Rules::any, hs::FastMath::all}, programs::pulled_blur);
  return all;
}

std::vector<Contender> our_butterflies(const Complex* x, int64_t n,
                                       std::vector<float> (*sample)(const Complex* data,
                                                                    int64_t n)) {
  const auto argument = lent_vector(x, n);
  auto all = both([n](Acc<Vector<Complex>> a) { return programs::wide_butterflies(n, a); },
                  [](Acc<Vector<Complex>> a) { return hs::detail::transform<1>(true, a); },
                  sampled(sample), argument);
  const auto of_two = [n](Acc<Vector<Complex>> a) { return programs::butterflies(n, a); };
  all.push_back(our_contender(
      Setting{"radix-2", Rules::strict, hs::FastMath::none},
      [f = hs::compile(of_two), argument] { return f(argument); }, sampled(sample)));
  return all;
}

std::vector<Contender> our_pulled_edges(contenders::GreyImage image, SampleFloats sample) {
  return both(programs::pulled_edges, programs::sobel, sampled(sample),
              lent_matrix(image.pixels, image.height, image.width));
}

std::vector<Contender> our_pulled_matmul(const float* a, const float* b, int64_t n,
                                         SampleFloats sample) {
  return both(programs::pulled_matmul, programs::matmul, sampled(sample), matrix_of(a, n, n),
              matrix_of(b, n, n));
}

std::vector<Contender> our_pulled_mandelbrot(const contenders::Picture& picture,
                                             std::vector<float> (*sample)(const int32_t* data,
                                                                          int64_t n)) {
  const contenders::Window w = picture.window;
  return both(programs::pulled_mandelbrot, programs::mandelbrot, sampled(sample),
              hs::ix(picture.height, picture.width),
              programs::View{w.left, w.top, w.width, w.height}, picture.limit);
}

std::vector<Contender> our_bitonic(const float* x, int64_t n, SampleFloats sample) {
  return both([n](Acc<Vector<float>> a) { return programs::bitonic_sort(n, a); },
              [n](Acc<Vector<float>> a) { return programs::plain_bitonic_sort(n, a); },
              sampled(sample), lent_vector(x, n));
}

std::vector<Contender> our_pascal(int64_t rows, const float* x, int64_t n, SampleFloats sample) {
  return both(programs::pascal, programs::plain_pascal, sampled(sample), rows, lent_vector(x, n));
}

}  // namespace bench
