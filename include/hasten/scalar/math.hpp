// Mathematical functions: on Exps and plain numbers, and elementwise on arrays.
#pragma once

#include <hasten/detail/lift_math.hpp>
#include <hasten/scalar/control.hpp>

namespace hasten {

// Floating functions, as in <cmath>.

/// Square root.
template <class X>
auto sqrt(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::sqrt, "sqrt", where, x);
}
/// 1 / sqrt(x).
template <class X>
auto rsqrt(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::rsqrt, "rsqrt", where, x);
}
/// Cube root.
template <class X>
auto cbrt(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::cbrt, "cbrt", where, x);
}
/// e to the x.
template <class X>
auto exp(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::exp, "exp", where, x);
}
/// 2 to the x.
template <class X>
auto exp2(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::exp2, "exp2", where, x);
}
/// exp(x) - 1, accurate near 0.
template <class X>
auto expm1(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::expm1, "expm1", where, x);
}
/// Natural logarithm.
template <class X>
auto log(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::log, "log", where, x);
}
/// Logarithm to the base 2.
template <class X>
auto log2(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::log2, "log2", where, x);
}
/// Logarithm to the base 10.
template <class X>
auto log10(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::log10, "log10", where, x);
}
/// log(1 + x), accurate near 0.
template <class X>
auto log1p(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::log1p, "log1p", where, x);
}
/// Sine.
template <class X>
auto sin(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::sin, "sin", where, x);
}
/// Cosine.
template <class X>
auto cos(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::cos, "cos", where, x);
}
/// Tangent.
template <class X>
auto tan(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::tan, "tan", where, x);
}
/// Arc sine.
template <class X>
auto asin(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::asin, "asin", where, x);
}
/// Arc cosine.
template <class X>
auto acos(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::acos, "acos", where, x);
}
/// Arc tangent.
template <class X>
auto atan(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::atan, "atan", where, x);
}
/// Hyperbolic sine.
template <class X>
auto sinh(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::sinh, "sinh", where, x);
}
/// Hyperbolic cosine.
template <class X>
auto cosh(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::cosh, "cosh", where, x);
}
/// Hyperbolic tangent.
template <class X>
auto tanh(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::tanh, "tanh", where, x);
}
/// Inverse of sinh.
template <class X>
auto asinh(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::asinh, "asinh", where, x);
}
/// Inverse of cosh.
template <class X>
auto acosh(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::acosh, "acosh", where, x);
}
/// Inverse of tanh.
template <class X>
auto atanh(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::atanh, "atanh", where, x);
}
/// Error function.
template <class X>
auto erf(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::erf, "erf", where, x);
}
/// 1 - erf(x), accurate for large x.
template <class X>
auto erfc(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::erfc, "erfc", where, x);
}
/// The largest integer not greater than x.
template <class X>
auto floor(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::floor, "floor", where, x);
}
/// The smallest integer not less than x.
template <class X>
auto ceil(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::ceil, "ceil", where, x);
}
/// The nearest integer, halves away from zero.
template <class X>
auto round(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::round, "round", where, x);
}
/// The integer part, rounded towards zero.
template <class X>
auto trunc(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::trunc, "trunc", where, x);
}
/// The nearest integer, halves to even.
template <class X>
auto nearbyint(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::nearbyint, "nearbyint", where, x);
}
/// x to the y.
template <class X, class Y>
auto pow(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::pow, "pow", where, x, y);
}
/// The angle of the point (y, x).
template <class X, class Y>
auto atan2(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::atan2, "atan2", where, x, y);
}
/// sqrt(x * x + y * y) without overflow.
template <class X, class Y>
auto hypot(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::hypot, "hypot", where, x, y);
}
/// The remainder of x / y, with the sign of x.
template <class X, class Y>
auto fmod(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::fmod, "fmod", where, x, y);
}
/// The magnitude of x with the sign of y.
template <class X, class Y>
auto copysign(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::copysign, "copysign", where, x, y);
}
/// x * y + z, rounded once.
template <class X, class Y, class Z>
auto fma(const X& x, const Y& y, const Z& z, detail::Where where = detail::Where::current()) {
  return detail::floating(detail::ScalarOp::fma, "fma", where, x, y, z);
}
/// Whether x is NaN.
template <class X>
auto is_nan(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating_test(detail::ScalarOp::is_nan, "is_nan", where, x);
}
/// Whether x is plus or minus infinity.
template <class X>
auto is_infinite(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating_test(detail::ScalarOp::is_infinite, "is_infinite", where, x);
}
/// Whether x is neither infinite nor NaN.
template <class X>
auto is_finite(const X& x, detail::Where where = detail::Where::current()) {
  return detail::floating_test(detail::ScalarOp::is_finite, "is_finite", where, x);
}

// Functions on all numbers.

/// The magnitude; the magnitude of the smallest signed integer is that integer itself.
template <class X>
auto abs(const X& x, detail::Where where = detail::Where::current()) {
  return detail::numeric(detail::ScalarOp::abs, "abs", where, x);
}
/// -1, 0 or 1 by the sign; NaN for NaN.
template <class X>
auto signum(const X& x, detail::Where where = detail::Where::current()) {
  return detail::numeric(detail::ScalarOp::signum, "signum", where, x);
}
/// The smaller one; NaN if either is NaN, and -0 < +0. Groups compare by their order.
template <class X, class Y>
auto min(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::lifted(
      "min", where,
      [](const auto& a, const auto& b) { return detail::extremum(detail::ScalarOp::min, a, b); }, x,
      y);
}
/// The larger one; NaN if either is NaN, and -0 < +0. Groups compare by their order.
template <class X, class Y>
auto max(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::lifted(
      "max", where,
      [](const auto& a, const auto& b) { return detail::extremum(detail::ScalarOp::max, a, b); }, x,
      y);
}
/// min(max(x, lo), hi).
template <class X, class Lo, class Hi>
auto clamp(const X& x, const Lo& lo, const Hi& hi, detail::Where where = detail::Where::current()) {
  return detail::lifted(
      "clamp", where,
      [](const auto& a, const auto& l, const auto& h) {
        using detail::ScalarOp;
        return detail::extremum(ScalarOp::min, detail::extremum(ScalarOp::max, a, l), h);
      },
      x, lo, hi);
}

// Integer division; all of these return 0 for a zero divisor.

/// The quotient rounded towards zero, as /.
template <class X, class Y>
auto quot(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::integral(detail::ScalarOp::quot, "quot", where, x, y);
}
/// The remainder of quot, with the sign of x, as %.
template <class X, class Y>
auto rem(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::integral(detail::ScalarOp::rem, "rem", where, x, y);
}
/// The quotient rounded down.
template <class X, class Y>
auto div(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::integral(detail::ScalarOp::idiv, "div", where, x, y);
}
/// The remainder of div, with the sign of y.
template <class X, class Y>
auto mod(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::integral(detail::ScalarOp::mod, "mod", where, x, y);
}
/// The pair of quot and rem.
template <class X, class Y>
auto quot_rem(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::lifted(
      "quot_rem", where,
      []<class T>(const Exp<T>& a, const Exp<T>& b) {
        detail::check_integral<T>();
        return Exp<std::tuple<T, T>>(detail::prim_exp(detail::ScalarOp::quot, a, b),
                                     detail::prim_exp(detail::ScalarOp::rem, a, b));
      },
      x, y);
}
/// The pair of div and mod.
template <class X, class Y>
auto div_mod(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::lifted(
      "div_mod", where,
      []<class T>(const Exp<T>& a, const Exp<T>& b) {
        detail::check_integral<T>();
        return Exp<std::tuple<T, T>>(detail::prim_exp(detail::ScalarOp::idiv, a, b),
                                     detail::prim_exp(detail::ScalarOp::mod, a, b));
      },
      x, y);
}
/// The greatest common divisor, never negative; gcd(0, 0) is 0.
template <class X, class Y>
auto gcd(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::lifted(
      "gcd", where,
      [where]<class T>(const Exp<T>& a, const Exp<T>& b) {
        detail::check_integral<T>();
        using Pair = std::pair<T, T>;
        const auto last = while_loop(
            [](const Exp<Pair>& s) { return get<1>(s) != T(0); },
            [](const Exp<Pair>& s) { return std::pair{get<1>(s), get<0>(s) % get<1>(s)}; },
            std::pair{a, b}, where);
        return detail::prim_exp(detail::ScalarOp::abs, get<0>(last));
      },
      x, y);
}
/// The least common multiple, never negative; 0 if either is 0.
template <class X, class Y>
auto lcm(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  return detail::lifted(
      "lcm", where,
      [where]<class T>(const Exp<T>& a, const Exp<T>& b) {
        return detail::prim_exp(detail::ScalarOp::abs, a / hasten::gcd(a, b, where) * b);
      },
      x, y);
}

}  // namespace hasten
