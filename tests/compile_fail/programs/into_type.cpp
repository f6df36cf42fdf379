// expect: Out<float, 1
#include <hasten/hasten.hpp>

#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

void f(const hs::Compiled<Vector<float>(Vector<float>)>& program, std::vector<double>& out) {
  program.into(out, {1, 2});
}
