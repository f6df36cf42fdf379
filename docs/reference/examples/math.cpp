// Examples of scalar functions. They take Exps and plain numbers, and arrays element by element.
#include "docs/reference/examples/example.hpp"

// Used in the examples:
const auto x = [](double number) { return Exp<double>(number); };
const auto n = [](int number) { return Exp<int>(number); };
const auto xs = [] { return hs::use(Vector<double>{1, 4, 9}); };

EXAMPLE(sqrt) {
  show(hs::sqrt(xs()));   // [1, 2, 3]
  show(hs::rsqrt(x(4)));  // 0.5
  show(hs::cbrt(x(27)));  // 3
}
EXAMPLE(exp) {
  show(hs::exp(x(0)));                               // 1
  show(hs::exp2(x(3)));                              // 8
  show(hs::abs(hs::expm1(x(1e-9)) - 1e-9) < 1e-17);  // true
}
EXAMPLE(log) {
  show(hs::log(x(1)));                               // 0
  show(hs::log2(x(8)));                              // 3
  show(hs::log10(x(1000)));                          // 3
  show(hs::abs(hs::log1p(x(1e-9)) - 1e-9) < 1e-17);  // true
}
EXAMPLE(sin) {
  show(hs::sin(x(0)));  // 0
  show(hs::cos(x(0)));  // 1
  show(hs::tan(x(0)));  // 0
}
EXAMPLE(asin) {
  show(hs::asin(x(0)));         // 0
  show(hs::acos(x(1)));         // 0
  show(hs::atan(x(0)));         // 0
  show(hs::atan2(x(0), x(1)));  // 0
}
EXAMPLE(sinh) {
  show(hs::sinh(x(0)));   // 0
  show(hs::cosh(x(0)));   // 1
  show(hs::tanh(x(0)));   // 0
  show(hs::asinh(x(0)));  // 0
  show(hs::acosh(x(1)));  // 0
  show(hs::atanh(x(0)));  // 0
}
EXAMPLE(erf) {
  show(hs::erf(x(0)));   // 0
  show(hs::erfc(x(0)));  // 1
}
EXAMPLE(round) {
  show(hs::floor(x(-1.5)));      // -2
  show(hs::ceil(x(-1.5)));       // -1
  show(hs::round(x(-2.5)));      // -3
  show(hs::trunc(x(-1.5)));      // -1
  show(hs::nearbyint(x(-2.5)));  // -2
}
EXAMPLE(pow) {
  show(hs::pow(x(2), x(10)));   // 1024
  show(hs::hypot(x(3), x(4)));  // 5
  show(hs::fmod(x(7), x(4)));   // 3
}
EXAMPLE(copysign) {
  show(hs::copysign(x(3), x(-0.0)));  // -3
}
EXAMPLE(fma) {
  show(hs::fma(x(2), x(3), x(4)));  // 10
}
EXAMPLE(is_nan) {
  show(hs::is_nan(x(0) / x(0)));       // true
  show(hs::is_infinite(x(1) / x(0)));  // true
  show(hs::is_finite(x(1)));           // true
}
EXAMPLE(abs) {
  show(hs::abs(n(-3)));     // 3
  show(hs::signum(n(-3)));  // -1
}
EXAMPLE(min) {
  show(hs::min(n(2), n(3)));    // 2
  show(hs::max(n(2), n(3)));    // 3
  show(hs::clamp(n(9), 0, 5));  // 5
}
EXAMPLE(quot) {
  show(hs::quot(n(-7), n(2)));      // -3
  show(hs::rem(n(-7), n(2)));       // -1
  show(hs::div(n(-7), n(2)));       // -4
  show(hs::mod(n(-7), n(2)));       // 1
  show(hs::quot_rem(n(-7), n(2)));  // (-3, -1)
  show(hs::div_mod(n(-7), n(2)));   // (-4, 1)
  show(n(7) / n(0));                // 0
}
EXAMPLE(gcd) {
  show(hs::gcd(n(12), n(18)));  // 6
  show(hs::lcm(n(4), n(6)));    // 12
}
EXAMPLE(popcount) {
  show(hs::popcount(n(255)));            // 8
  show(hs::count_leading_zeros(n(1)));   // 31
  show(hs::count_trailing_zeros(n(8)));  // 3
}
EXAMPLE(rotate_left) {
  Exp<uint8_t> bits = uint8_t{0x81};
  show(hs::cast<int>(hs::rotate_left(bits, 1)));   // 3
  show(hs::cast<int>(hs::rotate_right(bits, 1)));  // 192
  const auto amounts = hs::use(Vector<int>{1, 2, 9});
  show(hs::cast<int>(hs::rotate_left(bits, amounts)));  // [3, 6, 3]
}
EXAMPLE(test_bit) {
  show(hs::test_bit(n(4), 2));        // true
  show(hs::set_bit(n(4), 0));         // 5
  show(hs::clear_bit(n(4), 2));       // 0
  show(hs::complement_bit(n(4), 1));  // 6
}
