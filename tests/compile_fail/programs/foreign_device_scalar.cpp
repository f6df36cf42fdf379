// later: cuda_source
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto g(hs::Exp<float> x) {
  return hs::foreign_exp(
      hs::on_cuda("f", [](float y) noexcept { return y; }), [](hs::Exp<float> y) { return y; }, x);
}
