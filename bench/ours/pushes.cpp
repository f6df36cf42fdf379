// Hasten's side of the cases of pull and push arrays.
#include "ours/pushes.hpp"

#include <hasten/libraries/fft.hpp>

#include "../../examples/programs/pull_push.hpp"
#include "ours/common.hpp"

namespace bench {
namespace {

using hs::Acc, hs::Matrix, hs::Vector;
using Complex = std::complex<float>;

constexpr Setting of_plain_arrays{"plain", Rules::strict, hs::FastMath::none};

// The program of pull and push arrays, and the one of plain arrays.
template <class P, class Q, class A, class Sampled>
std::vector<Contender> both(const P& program, const Q& plain, const A& argument,
                            const Sampled& flatten) {
  return {
      our_contender(
          as_written, [f = hs::compile(program), argument] { return f(argument); }, flatten),
      our_contender(
          of_plain_arrays, [f = hs::compile(plain), argument] { return f(argument); }, flatten)};
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
  return both(programs::pairs, programs::plain_pairs, vector_of(x, n), sampled(sample));
}

std::vector<Contender> our_parts(const float* x, int64_t n, SampleFloats sample) {
  return both(programs::eight_parts, plain_parts, vector_of(x, n), sampled(sample));
}

std::vector<Contender> our_pulled_blur(contenders::GreyImage image, SampleFloats sample) {
  return both(programs::pulled_blur, plain_blur, matrix_of(image.pixels, image.height, image.width),
              sampled(sample));
}

std::vector<Contender> our_butterflies(const Complex* x, int64_t n,
                                       std::vector<float> (*sample)(const Complex* data,
                                                                    int64_t n)) {
  const auto argument = vector_of(x, n);
  auto all = both([n](Acc<Vector<Complex>> a) { return programs::wide_butterflies(n, a); },
                  [](Acc<Vector<Complex>> a) { return hs::detail::transform<1>(true, a); },
                  argument, sampled(sample));
  const auto of_two = [n](Acc<Vector<Complex>> a) { return programs::butterflies(n, a); };
  all.push_back(our_contender(
      Setting{"radix-2", Rules::strict, hs::FastMath::none},
      [f = hs::compile(of_two), argument] { return f(argument); }, sampled(sample)));
  return all;
}

}  // namespace bench
