// Measures the cost of Determinism::everywhere for each function: nanoseconds per element and their
// ratio, on one thread of the cpu target, as the least of several runs over 64 Ki elements.
// docs/accuracy.md has the table.
#include <hasten/hasten.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

namespace {

constexpr std::int64_t count = 65536;
constexpr int runs = 60;

template <class T>
Vector<T> between(double low, double high) {
  std::vector<T> xs;
  for (std::int64_t i = 0; i < count; ++i)
    xs.push_back(
        static_cast<T>(low + (high - low) * static_cast<double>(i * 7919 % count) / count));
  return {count, std::span<const T>(xs)};
}

template <class T, class F>
double nanoseconds(F f, hs::Determinism determinism, const Vector<T>& xs, const Vector<T>& ys) {
  const auto program = hs::compile<Acc<Vector<T>>(Acc<Vector<T>>, Acc<Vector<T>>)>(
      [&](auto x, auto y) { return hs::zip_with(f, x, y); },
      {.target = hs::cpu(), .determinism = determinism});
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    const Vector<T> result = program(xs, ys);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count() / static_cast<double>(result.size()));
  }
  return least;
}

template <class T, class F>
void measure_type(F f, double low, double high) {
  const Vector<T> xs = between<T>(low, high), ys = between<T>(0.5, 3);
  const double usual = nanoseconds<T>(f, hs::Determinism::run_to_run, xs, ys);
  const double own = nanoseconds<T>(f, hs::Determinism::everywhere, xs, ys);
  std::printf(" %.2f | %.2f | %.1f |", usual, own, own / usual);
}

template <class F>
void measure(const char* name, F f, double low, double high) {
  std::printf("| `%s` |", name);
  measure_type<float>(f, low, high);
  measure_type<double>(f, low, high);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

#define HASTEN_MEASURE(name, low, high) \
  measure(#name, [](const auto& x, const auto&) { return hs::name(x); }, low, high)
#define HASTEN_MEASURE_TWO(name, low, high) \
  measure(#name, [](const auto& x, const auto& y) { return hs::name(x, y); }, low, high)

int main() {
  std::printf(
      "| function | `float` ns | everywhere | ratio | `double` ns | everywhere | ratio |\n");
  HASTEN_MEASURE(rsqrt, 0.1, 100);
  HASTEN_MEASURE(cbrt, -100, 100);
  HASTEN_MEASURE(exp, -20, 20);
  HASTEN_MEASURE(exp2, -20, 20);
  HASTEN_MEASURE(expm1, -2, 2);
  HASTEN_MEASURE(log, 0.01, 100);
  HASTEN_MEASURE(log2, 0.01, 100);
  HASTEN_MEASURE(log10, 0.01, 100);
  HASTEN_MEASURE(log1p, -0.9, 10);
  HASTEN_MEASURE(sin, -100, 100);
  HASTEN_MEASURE(cos, -100, 100);
  HASTEN_MEASURE(tan, -100, 100);
  HASTEN_MEASURE(asin, -1, 1);
  HASTEN_MEASURE(acos, -1, 1);
  HASTEN_MEASURE(atan, -10, 10);
  HASTEN_MEASURE(sinh, -5, 5);
  HASTEN_MEASURE(cosh, -5, 5);
  HASTEN_MEASURE(tanh, -5, 5);
  HASTEN_MEASURE(asinh, -10, 10);
  HASTEN_MEASURE(acosh, 1, 10);
  HASTEN_MEASURE(atanh, -1, 1);
  HASTEN_MEASURE(erf, -4, 4);
  HASTEN_MEASURE(erfc, -4, 10);
  HASTEN_MEASURE_TWO(pow, 0.1, 10);
  HASTEN_MEASURE_TWO(atan2, -10, 10);
  HASTEN_MEASURE_TWO(hypot, -10, 10);
}
