// expect: hint::elements_are_not_assigned
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Vector;

Acc<Vector<float>> f(Acc<Vector<float>> v) {
  v[0] = 3.0f;
  return v;
}
