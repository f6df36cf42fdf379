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
  // With the number of the round:
  auto digits = [](Exp<int64_t> k, Exp<int64_t> y) { return 10 * y + k; };
  show(hs::iterate(4, digits, Exp<int64_t>(7)));  // 70123
}
EXAMPLE(fold_range) {
  // A polynomial, by Horner's rule.
  auto coefficients = hs::use(Vector<float>{2, 0, 1});
  auto polynomial = [=](Exp<float> x) {
    return hs::fold_range(hs::size(coefficients), 0.0f,
                          [=](auto k, auto z) { return z * x + coefficients[k]; });
  };
  show(hs::map(polynomial, hs::use(Vector<float>{0, 1, 2})));  // [1, 3, 9]
}
EXAMPLE(acond) {
  show(hs::acond(hs::size(xs()) > 2, hs::take(1, xs()), xs()));  // [1]
}
EXAMPLE(awhile) {
  // Halves the array until one element is left: extents may change from round to round.
  auto several = [](Acc<Vector<int>> a) { return hs::size(a) > 1; };
  auto halve = [](Acc<Vector<int>> a) { return hs::take(hs::size(a) / 2, a); };
  show(hs::awhile(several, halve, hs::iota<int>(100)));  // [0]
  // Arrays and numbers beside them: roots by Newton's method, until the largest change is small.
  auto numbers = hs::use(Vector<float>{4, 25});
  auto changes = [](auto, Exp<float> change) { return change > 0.001f; };
  auto improve = [=](Acc<Vector<float>> x, Exp<float>) {
    auto next = (x + numbers / x) / 2.0f;
    return std::pair{next, hs::the(hs::maximum(hs::abs(next - x)))};
  };
  auto [roots, change] = hs::awhile(changes, improve, std::pair{numbers, 1.0f});
  show(roots);  // [2, 5]
}
EXAMPLE(aiterate) {
  show(hs::aiterate(3, [](Acc<Vector<int>> a) { return a * 2; }, xs()));  // [8, -16, 24]
  // With the number of the round, and a number beside the array:
  auto step = [](Exp<int64_t> k, Acc<Vector<int>> a, Exp<int> sum) {
    return std::pair{a * 2, sum + hs::cast<int>(k)};
  };
  auto [doubled, sum] = hs::aiterate(3, step, std::pair{xs(), 100});
  show(sum);  // 103
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
