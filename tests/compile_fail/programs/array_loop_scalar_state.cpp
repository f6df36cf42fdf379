// later: type of the state
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> a) {
  return hs::aiterate(
      3, [](auto x, auto s) { return std::pair{x, hs::cast<double>(s)}; },
      std::pair{a, hs::Exp<float>(0)});
}
