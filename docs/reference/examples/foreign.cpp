// Examples of foreign functions.
#include "docs/reference/examples/example.hpp"

#include <algorithm>
#include <cmath>

// Used in the examples:
const auto reals = [] { return hs::use(Vector<float>{1, -4, 2.5F}); };

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
