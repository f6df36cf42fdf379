// expect gcc: segments are described by a vector of integers
// later clang: segments are described by a vector of integers
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> a, hs::Acc<hs::Vector<float>> n) {
  return hs::fold_seg(std::plus<>{}, 0.0f, a, n);
}
