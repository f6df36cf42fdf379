// later: must return an Acc
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto g(hs::Acc<hs::Vector<float>> a) {
  return hs::foreign_acc(std::tuple{}, [](hs::Acc<hs::Vector<float>> b) { return b[0]; }, a);
}
