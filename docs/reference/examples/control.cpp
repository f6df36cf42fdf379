// Examples of branches and loops.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto xs = [] { return hs::use(Vector<int>{1, -2, 3}); };

EXAMPLE(cast) {
  show(hs::map([](Exp<int> x) { return hs::cast<float>(x) / 2.0f; }, xs()));  // [0.5, -1, 1.5]
  show(hs::cast<uint8_t>(xs()));                                              // [1, 254, 3]
}
EXAMPLE(bit_cast) {
  show(hs::bit_cast<uint32_t>(Exp<float>(1.0f)));  // 1065353216
}
EXAMPLE(select) {
  show(hs::map([](Exp<int> x) { return hs::select(x < 0, 0, x); }, xs()));  // [1, 0, 3]
  show(hs::select(xs() < 0, 0, xs()));                                      // [1, 0, 3]
}
EXAMPLE(if_) {
  show(hs::map([](Exp<int> x) { return hs::if_(x < 0, -x, x); }, xs()));  // [1, 2, 3]
}
EXAMPLE(while_loop) {
  auto log2 = [](Exp<int> x) {
    auto [rest, steps] =
        hs::while_loop([](Exp<int> y, Exp<int>) { return y > 1; },
                       [](Exp<int> y, Exp<int> n) { return std::tuple{y / 2, n + 1}; },
                       std::tuple{x, Exp<int>(0)});
    return steps;
  };
  show(hs::map(log2, hs::use(Vector<int>{1, 8, 1000})));  // [0, 3, 9]
}
EXAMPLE(iterate) {
  show(hs::map([](Exp<int> x) { return hs::iterate(3, [](Exp<int> y) { return y * 2; }, x); },
               xs()));  // [8, -16, 24]
}
EXAMPLE(acond) {
  show(hs::acond(hs::size(xs()) > 2, hs::take(1, xs()), xs()));  // [1]
}
EXAMPLE(awhile) {
  // Halves the array until one element is left: extents may change from round to round.
  auto several = [](Acc<Vector<int>> a) { return hs::size(a) > 1; };
  auto halve = [](Acc<Vector<int>> a) { return hs::take(hs::size(a) / 2, a); };
  show(hs::awhile(several, halve, hs::iota<int>(100)));  // [0]
}
EXAMPLE(aiterate) {
  show(hs::aiterate(3, [](Acc<Vector<int>> a) { return a * 2; }, xs()));  // [8, -16, 24]
}
EXAMPLE(compute) {
  // The squares reach memory, by a kernel of their own.
  auto squares = hs::compute(xs() * xs());
  show(squares + hs::reverse(squares));  // [10, 8, 10]
}
EXAMPLE(parameter) {
  float step = 0.1f;  // seen to change from run to run: no new kernel
  show(hs::cast<float>(xs()) * hs::parameter(step));  // [0.1, -0.2, 0.3]
}
EXAMPLE(constant) {
  show(xs() * hs::constant(3));  // [3, -6, 9]
}
