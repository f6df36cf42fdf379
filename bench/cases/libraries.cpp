// Cases that a library computes: called by hand, called by a program of Hasten, and computed in the
// language.
#include <cmath>
#include <complex>

#include "cases/cases.hpp"
#include "contenders.hpp"
#include "inputs.hpp"
#include "ours/libraries.hpp"
#include "plain.hpp"

namespace bench {
namespace {

using contenders::Buffer;
using Complex = std::complex<float>;

// Only every `stride`-th number of a long result is compared.
constexpr int64_t stride = 61;

std::vector<float> some(const float* data, int64_t n) {
  std::vector<float> result;
  for (int64_t i = 0; i < n; i += stride) result.push_back(data[i]);
  return result;
}

// A library's functions follow no rounding rules of Hasten's, but all contenders here call the same
// functions.
std::vector<Record> gemm(int64_t n, const Settings& settings) {
  const auto a = contenders::random_floats(n * n, -1, 1, 71);
  const auto b = contenders::random_floats(n * n, -1, 1, 72);
  const Buffer<float> c(n * n);
  Case work;
  work.name = "blas-gemm/" + std::to_string(n);
  work.size = std::to_string(n) + "x" + std::to_string(n) + " f32";
  work.f32_operations = 2.0 * static_cast<double>(n) * static_cast<double>(n * n);
  work.contenders = our_gemm(a.data(), b.data(), n, some);
  contenders::plain::matmul(a.data(), b.data(), c.data(), n);
  work.expected = some(c.data(), c.size());
  if (auto blas = contenders::openblas_matmul())
    work.contenders.push_back({blas->name, Rules::strict, false,
                               [&, blas] { blas->run(a.data(), b.data(), c.data(), n); },
                               [&] { return some(c.data(), c.size()); }});
  work.limits = {contenders::limit_fma_f32()};
  return measure(work, settings);
}

// The frequencies that are compared, computed by the definition in double.
std::vector<float> transformed(const Complex* x, int64_t n) {
  std::vector<float> result;
  for (int64_t i = 0; i < 2 * n; i += stride * stride) {
    std::complex<double> sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      const double angle = -2 * M_PI * static_cast<double>(i / 2 * j % n) / static_cast<double>(n);
      sum += std::complex<double>(x[j]) * std::polar(1.0, angle);
    }
    result.push_back(static_cast<float>(i % 2 == 0 ? sum.real() : sum.imag()));
  }
  return result;
}
std::vector<float> few_of_complex(const Complex* data, int64_t n) {
  std::vector<float> result;
  const auto* const numbers = reinterpret_cast<const float*>(data);
  for (int64_t i = 0; i < 2 * n; i += stride * stride) result.push_back(numbers[i]);
  return result;
}

std::vector<Record> fft(int64_t n, const Settings& settings) {
  const auto x = contenders::random_floats(2 * n, -1, 1, 73);
  const Buffer<float> out(2 * n);
  const auto* const numbers = reinterpret_cast<const Complex*>(x.data());
  Case work;
  work.name = "fftw/" + std::to_string(n);
  work.size = std::to_string(n) + " c32";
  work.bytes = 16.0 * static_cast<double>(n);
  work.contenders = our_fft(numbers, n, few_of_complex);
  work.expected = transformed(numbers, n);
  for (const bool measured : {false, true})
    if (auto run = contenders::fftw_transform(n, measured))
      work.contenders.push_back(
          {measured ? "fftw-measured" : "fftw", Rules::strict, false,
           [&, run] { run(x.data(), out.data()); },
           [&] { return few_of_complex(reinterpret_cast<const Complex*>(out.data()), n); }});
  work.limits = {contenders::limit_copy(), contenders::limit_copy_stream()};
  return measure(work, settings);
}

}  // namespace

std::vector<Benchmark> library_benchmarks() {
  return {{"blas-gemm/1024", [](const Settings& s) { return gemm(1024, s); }},
          {"fftw/262144", [](const Settings& s) { return fft(1 << 18, s); }}};
}

}  // namespace bench
