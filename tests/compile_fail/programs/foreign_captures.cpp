// later: captures nothing
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto g(hs::Exp<float> x, float by) {
  return hs::foreign_exp(
      hs::on_cpu("f", [by](float y) noexcept { return y * by; }),
      [=](hs::Exp<float> y) { return y * by; }, x);
}
