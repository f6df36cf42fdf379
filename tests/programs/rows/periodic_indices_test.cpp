// Maps that do the same again after a few elements: what is read, and what is computed, depends on
// `i % c` and `i / c`. Lanes go in steps of c there, each with c neighbours, from a multiple of c
// on; what is left before and after is computed by other code. Against the interpreter, and for
// arrays beyond the caches against loops.
#include "against_interpreter.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

using hasten_test::numbers_of;
using hs::Acc, hs::Array, hs::Exp, hs::Ix, hs::Vector;

namespace {

class PeriodicIndices : public hasten_test::AgainstInterpreter {};

using Index = Exp<std::int64_t>;

// Around whole groups of 4 to 64 lanes with 2 to 8 neighbours each.
const std::int64_t lengths[] = {0,  1,  2,  3,  7,  16,  24,  33,  48,  49,
                                95, 96, 97, 98, 99, 128, 200, 385, 513, 1030};

template <class Check>
void of_all_periods(Check check) {
  for (const std::int64_t c : {2, 3, 4, 5, 6, 7, 8, 9})
    for (const std::int64_t n : lengths)
      check(n, c, std::to_string(n) + " with period " + std::to_string(c));
}

template <class T>
Exp<T> costly(const Exp<T>& x) {
  if constexpr (std::is_integral_v<T>)
    return x / T{3};
  else
    return hs::sqrt(hs::abs(x));
}

template <class T>
void elements(auto check) {
  of_all_periods([&](std::int64_t n, std::int64_t period, const std::string& what) {
    const auto x = numbers_of<T>(hs::ix(n)), table = numbers_of<T>(hs::ix(16));
    const Index c = hs::constant(period);
    check(hs::generate(n, [=](const Index& i) { return x[i / c]; }), what);
    check(hs::imap([=](const Index& i, const Exp<T>& v) { return v + table[i % c]; }, x), what);
    check(hs::imap(
              [=](const Index& i, const Exp<T>& v) {
                return std::tuple{hs::if_(i % c == 1, costly(v), hs::if_(i % c == 0, x[i / c], v)),
                                  table[i % c] < v, hs::cast<std::int16_t>(i % c)};
              },
              x),
          what);
    // All the neighbours of a group read each other's elements, some twice.
    check(hs::generate(n,
                       [=](const Index& i) {
                         const auto first = i / c * c;
                         return x[first] + x[hs::min(first + c - 1 - i % c, n - 1)];
                       }),
          what);
  });
}
TEST_P(PeriodicIndices, OfFloats) {
  elements<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(PeriodicIndices, OfDoubles) {
  elements<double>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(PeriodicIndices, OfBytes) {
  elements<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(PeriodicIndices, OfHalves) {
  elements<hs::half>([](const auto& p, const std::string& what) { expect_same(p, what); });
}

// Negative numbers have quotients towards zero and towards minus infinity; sums with constants may
// be at any place in the period.
TEST_P(PeriodicIndices, QuotientsOfSums) {
  of_all_periods([](std::int64_t n, std::int64_t period, const std::string& what) {
    const Index c = hs::constant(period);
    for (const std::int64_t shift : {-11, -4, -1, 1, 5})
      expect_same(hs::generate(n,
                               [=](const Index& i) {
                                 const auto k = i + hs::constant(shift);
                                 const auto u = hs::cast<std::uint64_t>(k);
                                 const auto d = hs::cast<std::uint64_t>(c);
                                 return std::tuple{hs::quot(k, c), hs::rem(k, c), hs::div(k, c),
                                                   hs::mod(k, c),  k >> 1,        k & 3,
                                                   u / d,          u % d,         u >> 1};
                               }),
                  what + " from " + std::to_string(shift));
  });
}

// Rows begin anywhere in memory; those of the third array are limited at both ends.
TEST_P(PeriodicIndices, InRows) {
  for (const std::int64_t rows : {1, 3})
    for (const std::int64_t columns : {1, 5, 64, 65, 100, 127, 192, 300, 515})
      for (const std::int64_t period : {2, 3, 4}) {
        const std::string what = std::to_string(rows) + " rows of " + std::to_string(columns) +
                                 " with period " + std::to_string(period);
        const Index c = hs::constant(period), last = columns - 1;
        const auto x = numbers_of<float>(hs::ix(rows, columns));
        const auto planes = numbers_of<float>(hs::ix(period, rows, columns));
        expect_same(hs::generate(hs::shape(x),
                                 [=](const Exp<Ix<2>>& i) {
                                   return planes(i[1] % c, i[0], i[1] / c) + x(i[0], i[1]);
                                 }),
                    what);
        expect_same(hs::generate(hs::shape(x),
                                 [=](const Exp<Ix<2>>& i) {
                                   return hs::if_(i[1] % c == 0, x(i[0], hs::min(i[1] + 1, last)),
                                                  x(i[0], hs::max(i[1] - 1, 0)) * 2.0F);
                                 }),
                    what);
        const auto sums =
            hs::stencil([](auto at) { return at(0, -1) + at(0, 2); }, hs::boundary::clamp, x);
        expect_same(hs::imap(
                        [=](const Exp<Ix<2>>& i, const Exp<float>& v) {
                          return hs::if_(i[1] % c == 1, hs::sqrt(hs::abs(v)), v);
                        },
                        sums),
                    what);
      }
}

// Each round overwrites its state: no element may be computed twice.
TEST_P(PeriodicIndices, InPlace) {
  for (const std::int64_t n : {1, 47, 48, 50, 97, 400, 1000})
    expect_same(hs::aiterate(
                    3,
                    [](const Acc<Vector<float>>& a) {
                      return hs::imap(
                          [](const Index& i, const Exp<float>& v) {
                            return hs::if_(i % 3 == 0, hs::sqrt(hs::abs(v)), v + 1.0F);
                          },
                          a);
                    },
                    numbers_of<float>(hs::ix(n))),
                std::to_string(n));
}

// Results that go past the caches begin on lines.
TEST_P(PeriodicIndices, BeyondTheCaches) {
  const std::int64_t n = 12'000'007;
  std::vector<float> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1009);
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& a) {
        return hs::imap(
            [=](const Index& i, const Exp<float>& v) { return hs::if_(i % 3 == 0, a[i / 3], v); },
            a);
      },
      GetParam());
  const Vector<float> result = f(hasten_test::vector_of(values));
  const auto got = result.span();
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(got[i], i % 3 == 0 ? values[i / 3] : values[i]) << i;
}

HASTEN_ON_EVERY_DEVICE(PeriodicIndices);

}  // namespace
