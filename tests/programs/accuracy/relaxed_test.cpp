// Determinism::relaxed: updates of floats may be in any order and are as accurate as sums in any
// order. Where the order does not matter, the results have the same bits.
#include "../support.hpp"

#include <complex>
#include <functional>
#include <limits>
#include <tuple>

using hs::Acc, hs::Exp, hs::Ix, hs::Vector;

namespace {

struct Sizes {
  std::int64_t updates, targets;
};
constexpr Sizes sizes[] = {{0, 3},      {1, 1},       {2, 1},         {15, 4},          {17, 17},
                           {64, 1},     {65, 100},    {1009, 7},      {4099, 4099},     {70'001, 1},
                           {70'001, 2}, {70'001, 97}, {70'001, 5003}, {70'001, 200'003}};

// The target of update i; one in eleven has no target.
std::int64_t target_of(std::int64_t i, std::int64_t targets) {
  return i % 11 == 10 ? -1 : i * i % 1009 * 7919 % targets;
}

// Numbers of mixed signs and magnitudes.
double number(std::int64_t i) {
  return std::sin(static_cast<double>(i) * 1.7) * std::exp2(static_cast<double>(i % 13) - 6);
}

template <class T>
std::vector<T> numbers(std::int64_t count) {
  std::vector<T> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(static_cast<T>(number(i)));
  return result;
}

std::vector<std::int64_t> targets_of(const Sizes& size) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < size.updates; ++i) result.push_back(target_of(i, size.targets));
  return result;
}

/// The result of `combine` for `begin` and all updates.
template <class F, class E>
auto updated(F combine, E begin, const Sizes& size, const Acc<Vector<E>>& updates) {
  const auto at = hs::use(hasten_test::vector_of(targets_of(size)));
  const auto target = [=](const Exp<std::int64_t>& i) { return at[i]; };
  return hs::permute(combine, hs::fill(hs::ix(size.targets), Exp<E>(begin)), target, updates);
}

class Relaxed : public hasten_test::OnEveryDevice {
 protected:
  template <class P>
  static auto run_relaxed(const P& program) {
    hs::Options options = GetParam();
    options.determinism = hs::Determinism::relaxed;
    return hs::run(program, options);
  }

  // Under any grouping, the error of a sum of n numbers is less than n roundings of their
  // magnitudes.
  template <class T>
  static void expect_sums(const Sizes& size) {
    const std::vector<T> xs = numbers<T>(size.updates);
    const auto got =
        run_relaxed(updated(std::plus<>{}, T(2), size, hs::use(hasten_test::vector_of(xs))));
    std::vector<double> sums(static_cast<std::size_t>(size.targets), 2.0), magnitudes = sums;
    std::vector<double> counts(sums.size(), 1.0);
    for (std::int64_t i = 0; i < size.updates; ++i) {
      const std::int64_t at = target_of(i, size.targets);
      if (at < 0) continue;
      const auto target = static_cast<std::size_t>(at);
      const double x{xs[static_cast<std::size_t>(i)]};
      sums[target] += x, magnitudes[target] += std::abs(x), ++counts[target];
    }
    constexpr double epsilon = std::numeric_limits<T>::epsilon();
    for (std::size_t i = 0; i < sums.size(); ++i)
      ASSERT_NEAR(static_cast<double>(got(static_cast<std::int64_t>(i))), sums[i],
                  counts[i] * (epsilon + 1e-16) * magnitudes[i])
          << i << " of " << size.updates << " to " << size.targets;
  }

  // These have the same bits in every order, including NaN and zeros.
  template <class P>
  static void expect_interpreters(const P& program) {
    const auto got = run_relaxed(program);
    const auto wanted = hs::run(program, {.target = hs::interpreter()});
    ASSERT_EQ(got.size(), wanted.size());
    for (std::int64_t i = 0; i < wanted.size(); ++i) ASSERT_TRUE(got(i) == wanted(i)) << i;
  }
};

TEST_P(Relaxed, SumsOfFloats) {
  for (const Sizes& size : sizes) expect_sums<float>(size);
}
TEST_P(Relaxed, SumsOfDoubles) {
  for (const Sizes& size : sizes) expect_sums<double>(size);
}

// Sums of these numbers are exact, so no order shows: real numbers, halves, complex numbers, and
// numbers beside counts.
TEST_P(Relaxed, ExactSumsAreExact) {
  for (const Sizes& size : sizes) {
    const auto small = hs::generate(
        hs::ix(size.updates), [](const Exp<Ix<1>>& i) { return hs::cast<float>(i[0] % 5 - 2); });
    expect_interpreters(updated(std::plus<>{}, 1.5F, size, small));
    expect_interpreters(updated(std::plus<>{}, 2.0, size,
                                hs::map([](const auto& x) { return hs::cast<double>(x); }, small)));
    const auto complex =
        hs::map([](const auto& x) { return Exp<std::complex<float>>(x, 1 - x); }, small);
    expect_interpreters(updated(std::plus<>{}, std::complex<float>(1, 2), size, complex));
    const auto pairs = hs::map(
        [](const auto& x) { return Exp<std::tuple<float, std::int32_t>>(x, Exp<std::int32_t>(1)); },
        small);
    const auto sum_and_count = [](const auto& x, const auto& y) {
      return Exp<std::tuple<float, std::int32_t>>(hs::get<0>(x) + hs::get<0>(y),
                                                  hs::get<1>(x) + hs::get<1>(y));
    };
    expect_interpreters(
        updated(sum_and_count, std::tuple<float, std::int32_t>(0.5F, 3), size, pairs));
  }
  const Sizes few{1000, 300};
  const auto halves = hs::generate(
      hs::ix(few.updates), [](const Exp<Ix<1>>& i) { return hs::cast<hs::half>(i[0] % 5 - 2); });
  expect_interpreters(updated(std::plus<>{}, hs::half(1), few, halves));
}

template <class T>
auto odd_numbers(std::int64_t count) {
  std::vector<T> xs = numbers<T>(count);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % 29 == 3) xs[i] = -T(0);
    if (i % 31 == 4) xs[i] = T(0);
    if (i % 997 == 5) xs[i] = std::numeric_limits<T>::quiet_NaN();
    if (i % 499 == 6) xs[i] = -std::numeric_limits<T>::infinity();
  }
  return hs::use(hasten_test::vector_of(xs));
}

// Treats all NaN as equal and distinguishes zeros, unlike ==.
template <class A>
auto in_bits(const A& a) {
  return hs::map(
      [](const auto& x) {
        return hs::select(hs::is_nan(x), Exp<double>(12345.0),
                          hs::select(x == 0, 1 / hs::cast<double>(x), hs::cast<double>(x)));
      },
      a);
}

TEST_P(Relaxed, MinimaAndMaxima) {
  const auto least = [](const auto& x, const auto& y) { return hs::min(x, y); };
  const auto greatest = [](const auto& x, const auto& y) { return hs::max(x, y); };
  for (const Sizes& size : sizes) {
    const auto singles = odd_numbers<float>(size.updates);
    const auto doubles = odd_numbers<double>(size.updates);
    expect_interpreters(in_bits(updated(least, 0.0F, size, singles)));
    expect_interpreters(in_bits(updated(greatest, -0.0F, size, singles)));
    expect_interpreters(in_bits(updated(least, 1e9, size, doubles)));
    expect_interpreters(in_bits(updated(greatest, -1e9, size, doubles)));
  }
}

// Operators without an atomic operation work as usual.
TEST_P(Relaxed, OtherOperators) {
  const Sizes few{70'001, 5003};
  const auto ones = hs::generate(hs::ix(few.updates), [](const Exp<Ix<1>>& i) {
    return hs::select(i[0] % 17 == 0, Exp<float>(2), Exp<float>(-1));
  });
  expect_interpreters(updated(std::multiplies<>{}, 1.0F, few, ones));
  const auto shift = hs::generate(hs::ix(few.updates),
                                  [](const Exp<Ix<1>>& i) { return hs::cast<float>(i[0] % 3); });
  expect_interpreters(
      updated([](const auto& x, const auto& y) { return hs::max(x * 1.0F, y); }, 0.0F, few, shift));
}

// The same program under two settings is compiled twice.
TEST_P(Relaxed, IsAnotherProgram) {
  const auto program = updated(std::plus<>{}, 0.5F, {70'001, 97},
                               hs::use(hasten_test::vector_of(numbers<float>(70'001))));
  hs::Options options = GetParam();
  const auto before = hs::run(program, options);
  options.determinism = hs::Determinism::relaxed;
  static_cast<void>(hs::run(program, options));
  options.determinism = hs::Determinism::run_to_run;
  const auto after = hs::run(program, options);
  for (std::int64_t i = 0; i < before.size(); ++i) EXPECT_EQ(before(i), after(i)) << i;
}

HASTEN_ON_EVERY_DEVICE(Relaxed);

}  // namespace
