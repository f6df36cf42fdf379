// Functions of the C library in a program: the gamma function for every element, and qsort for a
// whole array. On targets without a C library, fallbacks written in the language compute the same.
#pragma once

#include <hasten/hasten.hpp>

#include <cmath>
#include <cstdlib>
#include <vector>

namespace programs {

namespace hs = hasten;

/// For positive x, by the Lanczos approximation (within 1e-13).
inline hs::Exp<double> lanczos(hs::Exp<double> x) {
  constexpr double terms[] = {676.5203681218851,     -1259.1392167224028,  771.32342877765313,
                              -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
                              9.9843695780195716e-6, 1.5056327351493116e-7};
  // gamma(x) = gamma(x + 1) / x
  hs::Exp<double> sum = 0.99999999999980993;
  double k = 1;
  for (const double term : terms) sum += term / (x + k++);
  const auto t = x + 7.5;
  return std::sqrt(2 * 3.14159265358979323846) * hs::pow(t, x + 0.5) * hs::exp(-t) * sum / x;
}

/// The gamma function; on the CPU, that of the C library.
inline hs::Exp<double> gamma(hs::Exp<double> x) {
  const auto of_c = hs::on_cpu("c::tgamma", [](double y) noexcept { return std::tgamma(y); });
  return hs::foreign_exp(of_c, lanczos, x);
}

inline hs::Vector<std::int32_t> sorted_by_c(const hs::Vector<std::int32_t>& numbers) {
  std::vector<std::int32_t> values = numbers.to_vector();
  const auto compare = [](const void* a, const void* b) {
    const auto x = *static_cast<const std::int32_t*>(a), y = *static_cast<const std::int32_t*>(b);
    return (x < y) - (x > y);
  };
  if (!values.empty()) std::qsort(values.data(), values.size(), sizeof values[0], compare);
  return {hs::Ix<1>{numbers.size()}, std::span<const std::int32_t>(values)};
}

/// Sorts, the largest first; on the CPU with the C library's qsort.
inline hs::Acc<hs::Vector<std::int32_t>> descending(hs::Acc<hs::Vector<std::int32_t>> numbers) {
  return hs::foreign_acc(
      hs::on_cpu("c::qsort", sorted_by_c),
      [](const hs::Acc<hs::Vector<std::int32_t>>& a) { return hs::sort(a, hs::Order::descending); },
      numbers);
}

}  // namespace programs
