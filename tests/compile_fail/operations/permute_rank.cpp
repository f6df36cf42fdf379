// later: index of another rank
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Matrix<float>> d, hs::Acc<hs::Vector<float>> x) {
  return hs::permute_unique(d, [](hs::Exp<std::int64_t> i) { return i; }, x);
}
