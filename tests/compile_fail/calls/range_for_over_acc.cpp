// expect: programs_have_no_values_use_what_run_gives
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

void f(const Acc<Vector<float>>& a) {
  for (auto x : a) static_cast<void>(x);
}
