// later: one host array
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto g(hs::Acc<hs::Vector<float>> a) {
  return hs::foreign_acc(
      hs::on_cpu("f", [](const hs::Matrix<float>& m) { return m; }),
      [](hs::Acc<hs::Vector<float>> b) { return b; }, a);
}
