// expect: K pairs of an index and a value
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f() {
  return hs::push_many<2>(3, 6, [](auto i) { return std::pair{i, i}; });
}
