// The floating functions with their real values, sample arguments, and the errors of results.
#pragma once

#include "../support.hpp"
#include "tests/support/math_bounds.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <type_traits>

namespace hasten_test {

using hs::Exp;

template <class T>
using Ours = std::function<Exp<T>(const Exp<T>&, const Exp<T>&)>;

/// A function of x, or of x and y, and the ranges of its samples.
struct Function {
  const char* name;
  Ours<float> single;
  Ours<double> twice;
  Ours<hs::half> half;
  Ours<hs::bfloat16> bfloat16;
  std::function<long double(long double, long double)> exact;
  double x_low, x_high, y_low, y_high;
  hs::test::MathBounds bounds = hs::test::bounds_of(name);
  double everywhere = bounds.everywhere;  // 0: exact
};

template <class F, class G>
Function function(const char* name, F ours, G exact, double low, double high) {
  const auto first = [ours](const auto& x, const auto&) { return ours(x); };
  return {name, first, first, first, first, [exact](auto x, auto) { return exact(x); },
          low,  high,  0,     0};
}

template <class F, class G>
Function function2(const char* name, F ours, G exact, double x_low, double x_high, double y_low,
                   double y_high) {
  return {name, ours, ours, ours, ours, exact, x_low, x_high, y_low, y_high};
}

#define HASTEN_FUNCTION(F, ...)                                                            \
  function(                                                                                \
      #F, [](const auto& x) { return hs::F(x); }, [](long double x) { return std::F(x); }, \
      __VA_ARGS__)
#define HASTEN_FUNCTION2(F, ...)                                    \
  function2(                                                        \
      #F, [](const auto& x, const auto& y) { return hs::F(x, y); }, \
      [](long double x, long double y) { return std::F(x, y); }, __VA_ARGS__)

/// Samples go beyond the range of each type, too.
inline std::vector<Function> functions() {
  constexpr double huge = 1e300;
  return {
      HASTEN_FUNCTION(sqrt, 0, huge),
      function(
          "rsqrt", [](const auto& x) { return hs::rsqrt(x); },
          [](long double x) { return 1 / std::sqrt(x); }, 0, huge),
      HASTEN_FUNCTION(cbrt, -huge, huge),
      HASTEN_FUNCTION(exp, -750, 710),
      HASTEN_FUNCTION(exp2, -1080, 1024),
      HASTEN_FUNCTION(expm1, -50, 710),
      HASTEN_FUNCTION(log, 0, huge),
      HASTEN_FUNCTION(log2, 0, huge),
      HASTEN_FUNCTION(log10, 0, huge),
      HASTEN_FUNCTION(log1p, -1, huge),
      HASTEN_FUNCTION(sin, -1e6, 1e6),
      HASTEN_FUNCTION(cos, -1e6, 1e6),
      HASTEN_FUNCTION(tan, -1e6, 1e6),
      HASTEN_FUNCTION(asin, -1, 1),
      HASTEN_FUNCTION(acos, -1, 1),
      HASTEN_FUNCTION(atan, -huge, huge),
      HASTEN_FUNCTION(sinh, -710, 710),
      HASTEN_FUNCTION(cosh, -710, 710),
      HASTEN_FUNCTION(tanh, -30, 30),
      HASTEN_FUNCTION(asinh, -huge, huge),
      HASTEN_FUNCTION(acosh, 1, huge),
      HASTEN_FUNCTION(atanh, -1, 1),
      HASTEN_FUNCTION(erf, -7, 7),
      HASTEN_FUNCTION(erfc, -7, 28),
      HASTEN_FUNCTION(floor, -huge, huge),
      HASTEN_FUNCTION(ceil, -huge, huge),
      HASTEN_FUNCTION(round, -huge, huge),
      HASTEN_FUNCTION(trunc, -huge, huge),
      HASTEN_FUNCTION(nearbyint, -huge, huge),
      HASTEN_FUNCTION2(pow, 0, 1e3, -100, 100),
      HASTEN_FUNCTION2(atan2, -1e6, 1e6, -1e6, 1e6),
      HASTEN_FUNCTION2(hypot, -huge, huge, -huge, huge),
      HASTEN_FUNCTION2(fmod, -1e9, 1e9, -1e3, 1e3),
      HASTEN_FUNCTION2(copysign, -huge, huge, -1, 1),
  };
}

/// The function for type T.
template <class T>
const Ours<T>& ours_of(const Function& f) {
  if constexpr (std::is_same_v<T, float>)
    return f.single;
  else if constexpr (std::is_same_v<T, double>)
    return f.twice;
  else if constexpr (std::is_same_v<T, hs::half>)
    return f.half;
  else
    return f.bfloat16;
}

/// Uniform numbers in the range, numbers of every magnitude in it, and special numbers.
template <class T>
std::vector<T> samples(double low, double high, std::uint64_t seed) {
  constexpr int count = 12000;
  std::vector<T> result;
  std::uint64_t state = seed;
  const auto random = [&] {  // splitmix64
    std::uint64_t z = state += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  };
  const double largest = std::max(std::abs(low), std::abs(high));
  const double most = std::min(std::log2(largest), 127.0);
  for (int i = 0; i < count; ++i) {
    const double magnitude = std::exp2(most - random() * (i % 3 == 1 ? 30 : 150));
    const double uniform = low + random() * (std::min(high, 1e30) - std::max(low, -1e30));
    double x = i % 3 == 0 ? uniform : random() < 0.5 ? magnitude : -magnitude;
    result.push_back(static_cast<T>(std::clamp(x, low, high)));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x :
       {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, infinity, -infinity, 1e-40, -1e-40, std::nan("")})
    result.push_back(static_cast<T>(x));
  return result;
}

/// The distance between neighbours of type T at x.
template <class T>
double unit_at(long double x) {
  const bool small = sizeof(T) == 2, is_half = std::is_same_v<T, hs::half>;
  const int digits = is_half ? 11 : small ? 8 : std::numeric_limits<T>::digits;
  const int least = is_half ? -14 : sizeof(T) == 8 ? -1022 : -126;
  int exponent = 0;
  std::frexp(x, &exponent);  // [0.5, 1)
  return std::ldexp(1.0, std::max(x == 0 ? least : exponent - 1, least) - digits + 1);
}

/// Units between a result and the real number; special numbers must be the same.
template <class T>
double error_of(T got, long double wanted) {
  const auto x = static_cast<double>(got);
  const auto nearest = static_cast<double>(static_cast<T>(static_cast<double>(wanted)));
  const bool overflow = std::isinf(nearest) || std::isinf(x);
  if (std::isnan(nearest) || std::isnan(x)) return std::isnan(nearest) == std::isnan(x) ? 0 : 1e9;
  if (overflow) {
    if (x == nearest) return 0;
    // Next to the limit, the largest number and infinity are neighbours.
    const auto below = static_cast<double>(static_cast<T>(static_cast<double>(wanted) * 0.99999));
    return std::isinf(below) || std::signbit(x) != std::signbit(nearest) ? 1e9 : 1;
  }
  return static_cast<double>(std::fabs(x - wanted) / unit_at<T>(wanted));
}

/// The bound of float functions under Determinism::everywhere: those of double, rounded to float.
inline constexpr double own_float = 0.5001;

/// Runs on the fastest target.
inline hs::Options everywhere() {
  return {.target = all_targets().back().target, .determinism = hs::Determinism::everywhere};
}

}  // namespace hasten_test
