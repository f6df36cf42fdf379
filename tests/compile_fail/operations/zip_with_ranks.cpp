// expect: arrays of different ranks never broadcast
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Matrix<float>> x, hs::Acc<hs::Vector<float>> y) {
  return hs::zip_with(std::plus<>{}, x, y);
}
