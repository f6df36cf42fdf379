// Hasten's side of the cases that call libraries.
#include "ours/libraries.hpp"

#include <hasten/libraries/blas.hpp>
#include <hasten/libraries/fft.hpp>

#include "ours/common.hpp"

namespace bench {
namespace {

using hs::Acc, hs::Matrix, hs::Vector;
using Complex = std::complex<float>;

constexpr Setting in_the_language{"language", Rules::strict, hs::FastMath::none};

Acc<Matrix<float>> product(Acc<Matrix<float>> a, Acc<Matrix<float>> b) {
  return hs::blas::gemm(a, b);
}
Acc<Matrix<float>> own_product(Acc<Matrix<float>> a, Acc<Matrix<float>> b) {
  return hs::matmul(a, b);
}
Acc<Vector<Complex>> transform(Acc<Vector<Complex>> x) { return hs::fft(x); }
// The transform that hs::fft computes without FFTW.
Acc<Vector<Complex>> own_transform(Acc<Vector<Complex>> x) {
  return hs::detail::transform<1>(true, x);
}

}  // namespace

std::vector<Contender> our_gemm(const float* a, const float* b, int64_t n,
                                std::vector<float> (*sample)(const float* data, int64_t n)) {
  const auto left = matrix_of(a, n, n), right = matrix_of(b, n, n);
  return {
      our_contender(
          as_written, [f = hs::compile(product), left, right] { return f(left, right); },
          sampled(sample)),
      our_contender(
          in_the_language, [f = hs::compile(own_product), left, right] { return f(left, right); },
          sampled(sample))};
}

std::vector<Contender> our_fft(const Complex* x, int64_t n,
                               std::vector<float> (*sample)(const Complex* data, int64_t n)) {
  const auto numbers = lent_vector(x, n);
  return {our_contender(
              as_written, [f = hs::compile(transform), numbers] { return f(numbers); },
              sampled(sample)),
          our_contender(
              in_the_language, [f = hs::compile(own_transform), numbers] { return f(numbers); },
              sampled(sample))};
}

}  // namespace bench
