// later: DeviceCall
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto g(hs::Acc<hs::Vector<float>> a) {
  return hs::foreign_acc(
      hs::on_cuda("f", [](const hs::Vector<float>& v) { return v; }),
      [](hs::Acc<hs::Vector<float>> b) { return b; }, a);
}
