// Examples of foreign functions.
#include "docs/reference/examples/example.hpp"

#include <hasten/libraries/blas.hpp>
#include <hasten/libraries/fft.hpp>

#include <algorithm>
#include <cmath>

// Used in the examples:
const auto reals = [] { return hs::use(Vector<float>{1, -4, 2.5F}); };
const auto table = [] { return hs::use(Matrix<float>{{1, 2}, {3, 4}}); };
const auto pair = [] { return hs::use(Vector<float>{1, -4}); };

EXAMPLE(on_cpu) {
  hs::OnCpu of_c = hs::on_cpu("example::fdim", [](float x) noexcept { return std::fdim(x, 1.0F); });
  auto in_language = [](Exp<float> x) { return hs::max(x - 1.0F, 0.0F); };
  show(hs::map([&](Exp<float> x) { return hs::foreign_exp(of_c, in_language, x); },
               reals()));  // [0, 0, 1.5]
}
EXAMPLE(opencl_source) {
  // For each target the first that is for it.
  hs::ForeignSource source =
      hs::opencl_source("half_of", "float half_of(float x) { return x / 2; }");
  auto on_cpu = hs::on_cpu("example::half_of", [](float x) noexcept { return x / 2; });
  auto in_language = [](Exp<float> x) { return x / 2.0F; };
  show(hs::foreign_exp(std::tuple{source, on_cpu}, in_language, Exp<float>(3)));  // 1.5
}
EXAMPLE(cuda_source) {
  auto source = hs::cuda_source("root", "__device__ float root(float x) { return __fsqrt_rn(x); }");
  auto in_language = [](Exp<float> x) { return hs::sqrt(x); };
  show(hs::foreign_exp(source, in_language, Exp<float>(9)));  // 3
}
EXAMPLE(on_opencl) {
  // Work would be told call.queue(), and its result be in what call.allocate() gives; this result
  // is the argument.
  auto on_device = [](const hs::DeviceCall&, const hs::DeviceArray<Vector<float>>& a) { return a; };
  hs::OnDevice of_opencl = hs::on_opencl("example::same", on_device);
  hs::OnDevice of_cuda = hs::on_cuda("example::same", on_device);
  auto in_language = [](Acc<Vector<float>> a) { return a; };
  show(hs::foreign_acc(std::tuple{of_cuda, of_opencl}, in_language, reals()));  // [1, -4, 2.5]
}
EXAMPLE(foreign_exp) {
  auto of_c =
      hs::on_cpu("example::hypot", [](double x, double y) noexcept { return std::hypot(x, y); });
  auto in_language = [](Exp<double> x, Exp<double> y) { return hs::hypot(x, y); };
  show(hs::foreign_exp(of_c, in_language, Exp<double>(3), 4.0));  // 5
}
EXAMPLE(foreign_acc) {
  auto sorted_on_host = [](const Vector<float>& a) {
    std::vector<float> values = a.to_vector();
    std::sort(values.begin(), values.end());
    return Vector<float>(a.size(), std::span<const float>(values));
  };
  auto in_language = [](Acc<Vector<float>> a) { return hs::sort(a); };
  show(hs::foreign_acc(hs::on_cpu("example::sorted", sorted_on_host), in_language,
                       reals()));  // [-4, 1, 2.5]
}
EXAMPLE(cuda_library) {
  const bool has_cublas = !hs::blas::cuda_library().empty();
  show(has_cublas ? hs::blas::gemm(table(), table())
                  : hs::matmul(table(), table()));  // [[7, 10], [15, 22]]
}
EXAMPLE(gemm) {
  // By the library that hs::blas::library() names, if there is one.
  show(hs::blas::gemm(table(), table()));                              // [[7, 10], [15, 22]]
  show(hs::blas::gemm(table(), table(), hs::blas::Form::transposed));  // [[10, 14], [14, 20]]
  show(hs::blas::gemm(2.0F, table(), table(), -1.0F, table()));        // [[13, 18], [27, 40]]
}
EXAMPLE(gemv) {
  show(hs::blas::gemv(table(), pair()));  // [-7, -13]
}
EXAMPLE(dot) {
  show(hs::blas::dot(pair(), pair()));  // 17
}
EXAMPLE(axpy) {
  show(hs::blas::axpy(2.0F, pair(), pair()));  // [3, -12]
}
EXAMPLE(fft) {
  using C = std::complex<float>;
  show(hs::fft(hs::use(Vector<C>{1, 2, 3, 4})));  // [(10, 0), (-2, 2), (-2, 0), (-2, -2)]
}
EXAMPLE(ifft) {
  using C = std::complex<float>;
  show(hs::ifft(
      hs::use(Vector<C>{10, C(-2, 2), -2, C(-2, -2)})));  // [(1, 0), (2, 0), (3, 0), (4, 0)]
}
EXAMPLE(rfft) {
  show(hs::rfft(hs::use(Vector<float>{1, 2, 3, 4})));  // [(10, 0), (-2, 2), (-2, 0)]
}
