// expect gcc: (state|body)
// later clang: (state|body)
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> x) {
  return hs::awhile([](hs::Acc<hs::Vector<float>> a) { return hs::the(hs::sum(a)) < 4.0f; },
                    [](hs::Acc<hs::Vector<float>> a) {
                      return hs::map([](auto e) { return hs::cast<int32_t>(e); }, a);
                    },
                    x);
}
