// later: exactly the types
#include <hasten/hasten.hpp>

namespace hs = hasten;

double f(double x) noexcept;
auto g(hs::Exp<float> x) {
  return hs::foreign_exp(hs::on_cpu("f", &f), [](hs::Exp<float> y) { return y; }, x);
}
