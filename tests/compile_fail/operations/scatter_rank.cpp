// expect gcc: indices have another rank
// later clang: indices have another rank
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<std::int32_t>> i, hs::Acc<hs::Matrix<float>> d,
       hs::Acc<hs::Vector<float>> v) {
  return hs::scatter(i, d, v);
}
