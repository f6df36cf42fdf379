// Examples of stencils.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto xs = [] { return hs::use(Vector<int>{1, 2, 4}); };
const auto left_and_right = [](auto at) { return at(-1) + at(1); };

EXAMPLE(stencil) {
  auto picture = hs::use(Matrix<int>{{0, 0, 0}, {0, 9, 0}, {0, 0, 0}});
  auto cross = [](auto at) { return at(-1, 0) + at(0, -1) + at(0, 0) + at(0, 1) + at(1, 0); };
  show(hs::stencil(cross, hs::boundary::clamp, picture));  // [[0, 9, 0], [9, 9, 9], [0, 9, 0]]
  // Red and black in turn, by the index.
  auto red = [](Exp<int64_t> i, auto at) { return hs::select(i % 2 == 0, at(1), at(0)); };
  show(hs::stencil(red, hs::boundary::clamp, xs()));  // [2, 2, 4]
}
EXAMPLE(stencil2) {
  auto f = [](auto a, auto b) { return a(1) - b(-1); };
  show(hs::stencil2(f, hs::boundary::clamp, xs(), hs::boundary::outside(0), xs()));  // [2, 3, 2]
}
EXAMPLE(clamp) {
  show(hs::stencil(left_and_right, hs::boundary::clamp, xs()));  // [3, 5, 6]
}
EXAMPLE(mirror) {
  show(hs::stencil(left_and_right, hs::boundary::mirror, xs()));  // [4, 5, 4]
}
EXAMPLE(wrap) {
  show(hs::stencil(left_and_right, hs::boundary::wrap, xs()));  // [6, 5, 3]
}
EXAMPLE(outside) {
  show(hs::stencil(left_and_right, hs::boundary::outside(100), xs()));  // [102, 5, 102]
}
EXAMPLE(function) {
  auto index = [](Exp<int64_t> i) { return hs::cast<int>(i); };
  show(hs::stencil(left_and_right, hs::boundary::function(index), xs()));  // [1, 5, 5]
}
