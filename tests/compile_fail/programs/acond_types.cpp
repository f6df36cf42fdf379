// expect: (type|conver|match|same)
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<bool> c, hs::Acc<hs::Vector<float>> x, hs::Acc<hs::Matrix<float>> y) {
  return hs::acond(c, x, y);
}
