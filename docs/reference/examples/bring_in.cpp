// Examples of making arrays.
#include "docs/reference/examples/example.hpp"

EXAMPLE(use) {
  Vector<float> xs{1, 2, 3};
  show(hs::use(xs) + 1.0f);  // [2, 3, 4]
}
EXAMPLE(unit) {
  show(hs::unit(Exp<int>(42)));  // 42
}
EXAMPLE(fill) {
  show(hs::fill(hs::ix(2, 3), 7));  // [[7, 7, 7], [7, 7, 7]]
}
EXAMPLE(generate) {
  show(hs::generate(4, [](Exp<int64_t> i) { return i * i; }));  // [0, 1, 4, 9]
  show(hs::generate(hs::ix(2, 2),
                    [](Exp<Ix<2>> ix) { return 10 * ix[0] + ix[1]; }));  // [[0, 1], [10, 11]]
}
EXAMPLE(iota) {
  show(hs::iota(4));         // [0, 1, 2, 3]
  show(hs::iota<float>(3));  // [0, 1, 2]
}
EXAMPLE(enum_from_n) {
  show(hs::enum_from_n(hs::ix(2, 2), 5));  // [[5, 6], [7, 8]]
}
EXAMPLE(enum_from_step_n) {
  show(hs::enum_from_step_n(4, 1.0f, 0.5f));  // [1, 1.5, 2, 2.5]
}
EXAMPLE(philox) {
  show(hs::philox(1, hs::iota(1)));  // [(3823634032, 3842641596, 2515673792, 3054873127)]
}
EXAMPLE(uniform) {
  // Key 42, and a counter for each number.
  auto xs = hs::uniform<float>(42, hs::iota(1000));
  show(hs::all_of([](Exp<float> x) { return x >= 0.0f && x < 1.0f; }, xs));  // true
}
EXAMPLE(normal) {
  auto xs = hs::normal<double>(42, hs::iota(10000));
  show(hs::abs(hs::the(hs::sum(xs)) / 10000.0) < 0.05);  // true
}
EXAMPLE(uniform4) {
  // 4000 numbers of 1000 calls.
  auto xs = hs::uniform4<float>(42, hs::iota(1000));
  auto sums = hs::map([](auto four) { return four[0] + four[1] + four[2] + four[3]; }, xs);
  show(hs::abs(hs::the(hs::sum(sums)) / 4000.0f - 0.5f) < 0.02f);  // true
}
EXAMPLE(normal4) {
  // What spreads in three dimensions.
  auto jump = [](Exp<std::array<float, 4>> n) { return n[0] * n[0] + n[1] * n[1] + n[2] * n[2]; };
  auto squares = hs::map(jump, hs::normal4<float>(42, hs::iota(10000)));
  show(hs::abs(hs::the(hs::mean(squares)) - 3.0f) < 0.1f);  // true
}
