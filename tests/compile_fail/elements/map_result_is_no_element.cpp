// expect: (element|result|return)
#include <hasten/hasten.hpp>
#include <string>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> x) {
  return hs::map([](hs::Exp<float>) { return std::string("text"); }, x);
}
