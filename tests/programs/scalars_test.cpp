// The scalar language: every kind of operation, compared with C++ or with the documentation.
#include "support.hpp"

#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

using hs::Exp, hs::Ix;

namespace points {
struct Point {
  std::int32_t x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};
HASTEN_STRUCT(Point, x, y);
struct Segment {
  Point from, to;
  bool dashed = false;
};
HASTEN_STRUCT(Segment, from, to, dashed);
}  // namespace points
using points::Point, points::Segment;

namespace {

class Scalars : public hasten_test::OnEveryTarget {
 protected:
  /// Passes values as parameters, so that nothing is known at compile time.
  template <class T>
  static Exp<T> value(T v) {
    return hs::parameter(v);
  }
};

TEST_P(Scalars, ArithmeticWrapsAndConverts) {
  EXPECT_EQ(run(value(2.5f) * 2 + 1), 6.0f);
  EXPECT_EQ(run(value<std::uint8_t>(200) + 100), 44);
  EXPECT_EQ(run(value<std::int32_t>(7) / -2), -3);
  EXPECT_EQ(run(value<std::int32_t>(7) % -2), 1);
  EXPECT_EQ(run(value<std::int32_t>(7) / 0), 0);
  const auto least = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(run(value(least) / -1), least);
  EXPECT_EQ(run(-value(least)), least);
  EXPECT_EQ(run(1 - value<std::uint16_t>(2)), 65535);
  EXPECT_EQ(run(value<char>('a') + 1), 'b');
  EXPECT_EQ(run(value(1.0) / 3), 1.0 / 3);
}

TEST_P(Scalars, ComparisonsAndLogic) {
  EXPECT_TRUE(run(value(1) < 2 && value(2.0f) >= 2));
  EXPECT_FALSE(run(!(value(1) == 1) || false));
  EXPECT_TRUE(run(value(false) < true));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(run(value(nan) != nan));
  EXPECT_FALSE(run(value(nan) <= nan));
}

TEST_P(Scalars, BitsAndShifts) {
  EXPECT_EQ(run(value<std::uint8_t>(0b1100) & 0b1010), 0b1000);
  EXPECT_EQ(run(~value<std::int32_t>(5) ^ 1), ~5 ^ 1);
  EXPECT_EQ(run(value<std::int8_t>(-128) >> 3), -16);
  EXPECT_EQ(run(value<std::uint8_t>(1) << 7), 128);
  EXPECT_EQ(run(value<std::uint8_t>(1) << 8), 0);
  EXPECT_EQ(run(value<std::uint8_t>(255) >> -1), 0);
  EXPECT_EQ(run(value<std::int8_t>(-3) >> 100), -1);
  EXPECT_EQ(run(value<std::uint8_t>(1) << value<std::int64_t>(256)), 0);
  EXPECT_EQ(run(value<std::int8_t>(-1) >> value<std::int64_t>(-256)), -1);
  EXPECT_EQ(run(value<std::uint8_t>(1) << value<std::int8_t>(3)), 8);
  EXPECT_EQ(run(value<std::int64_t>(1) << value<std::uint8_t>(40)), std::int64_t{1} << 40);
  EXPECT_EQ(run(hs::popcount(value<std::uint64_t>(0xff00ff))), 16);
  EXPECT_EQ(run(hs::count_leading_zeros(value<std::uint16_t>(1))), 15);
  EXPECT_EQ(run(hs::count_trailing_zeros(value<std::uint8_t>(0))), 8);
  EXPECT_EQ(run(hs::rotate_left(value<std::uint8_t>(0b10000001), 1)), 0b11);
  EXPECT_EQ(run(hs::rotate_right(value<std::uint32_t>(1), 33)), 0x80000000u);
  EXPECT_EQ(run(hs::rotate_left(value<std::uint16_t>(1), -1)), 0x8000);
  EXPECT_TRUE(run(hs::test_bit(value(4), 2)));
  EXPECT_FALSE(run(hs::test_bit(value(-1), 77)));
  EXPECT_EQ(run(hs::set_bit(value(1), 3)), 9);
  EXPECT_EQ(run(hs::clear_bit(value(9), value<std::uint8_t>(3))), 1);
  EXPECT_EQ(run(hs::complement_bit(value(9), 0)), 8);
}

TEST_P(Scalars, ArraysOfAmounts) {
  const auto words = hs::use(hs::Vector<std::uint8_t>{0b10000001, 1, 6, 255});
  const auto by = hs::use(hs::Vector<std::int64_t>{1, -1, 9, 3});
  const auto same = [](const auto& program, std::vector<int> expected) {
    const auto ints = hs::cast<int>(program);
    EXPECT_EQ(run(ints).to_vector(), expected);
  };
  same(hs::rotate_left(words, by), {0b11, 0x80, 12, 255});
  same(hs::rotate_right(words, by), {0xC0, 2, 3, 255});
  same(hs::set_bit(words, hs::max(by, 0)), {0b10000011, 1, 6, 255});
  same(hs::clear_bit(words, by), {0b10000001, 1, 6, 247});
  same(hs::complement_bit(words, by), {0b10000011, 1, 6, 247});
  EXPECT_EQ(run(hs::test_bit(words, by)).to_vector(),
            (std::vector<bool>{false, false, false, true}));
  // One word, rotated by each amount.
  same(hs::rotate_left(Exp<std::uint8_t>(6), by), {12, 3, 12, 48});
  EXPECT_THROW(run(hs::rotate_left(words, hs::use(hs::Vector<int>{1}))), hs::ShapeError);
}

TEST_P(Scalars, IntegerFunctions) {
  const Exp<int> a = value(-7), b = value(2);
  EXPECT_EQ(run(hs::quot(a, b)), -3);
  EXPECT_EQ(run(hs::rem(a, b)), -1);
  EXPECT_EQ(run(hs::div(a, b)), -4);
  EXPECT_EQ(run(hs::mod(a, b)), 1);
  EXPECT_EQ(run(hs::div_mod(a, b)), (std::tuple{-4, 1}));
  EXPECT_EQ(run(hs::quot_rem(a, 2)), (std::tuple{-3, -1}));
  EXPECT_EQ(run(hs::gcd(value(-12), 18)), 6);
  EXPECT_EQ(run(hs::gcd(value(0), 0)), 0);
  EXPECT_EQ(run(hs::lcm(value(4), 6)), 12);
  EXPECT_EQ(run(hs::lcm(value(0), 6)), 0);
  EXPECT_EQ(run(hs::abs(a)), 7);
  EXPECT_EQ(run(hs::signum(a)), -1);
  EXPECT_EQ(run(hs::clamp(value(9), 0, 5)), 5);
  EXPECT_EQ(run(hs::min(a, b)), -7);
}

TEST_P(Scalars, FloatingFunctions) {
  const Exp<double> x = value(0.5), y = value(2.0);
  const auto near = [](double a, double b) { EXPECT_NEAR(a, b, 1e-14 * std::abs(b)); };
  near(run(hs::sqrt(y)), std::sqrt(2.0));
  near(run(hs::rsqrt(y)), 1 / std::sqrt(2.0));
  near(run(hs::exp(x) + hs::log(y) + hs::expm1(x)),
       std::exp(0.5) + std::log(2.0) + std::expm1(0.5));
  near(run(hs::sin(x) * hs::cos(x)), std::sin(0.5) * std::cos(0.5));
  near(run(hs::pow(y, 10)), 1024);
  near(run(hs::atan2(x, y)), std::atan2(0.5, 2.0));
  near(run(hs::hypot(x, y)), std::hypot(0.5, 2.0));
  near(run(hs::erf(x)), std::erf(0.5));
  near(run(hs::fma(x, y, 1)), 2);
  EXPECT_EQ(run(hs::round(value(2.5))), 3.0);
  EXPECT_EQ(run(hs::nearbyint(value(2.5))), 2.0);
  EXPECT_EQ(run(hs::floor(value(-0.5))), -1.0);
  EXPECT_EQ(run(hs::fmod(value(-7.5), 2)), std::fmod(-7.5, 2));
  EXPECT_EQ(run(hs::copysign(value(3.0), -0.0)), -3.0);
  EXPECT_TRUE(run(hs::is_nan(value(0.0) / 0.0)));
  EXPECT_TRUE(run(hs::is_infinite(value(1.0) / 0.0)));
  EXPECT_TRUE(run(hs::is_finite(x)));
  EXPECT_TRUE(std::isnan(run(hs::min(value(std::nan("")), 1))));
}

TEST_P(Scalars, Conversions) {
  EXPECT_EQ(run(hs::cast<std::uint8_t>(value(300))), 44);
  EXPECT_EQ(run(hs::cast<std::uint8_t>(value(300.5f))), 255);
  EXPECT_EQ(run(hs::cast<std::int32_t>(value(std::nan("")))), 0);
  EXPECT_TRUE(run(hs::cast<bool>(value(0.25f))));
  EXPECT_EQ(run(hs::cast<float>(value(true))), 1.0f);
  EXPECT_EQ(run(hs::cast<char>(value<std::int8_t>(65))), 'A');
  EXPECT_EQ(run(hs::bit_cast<std::uint32_t>(value(1.0f))), 0x3f800000u);
  EXPECT_EQ(run(hs::bit_cast<std::int8_t>(value<std::uint8_t>(255))), -1);
}

TEST_P(Scalars, GroupsTakeApartCompareAndAssign) {
  const Exp<std::tuple<int, float>> t = std::tuple{value(3), 2.5f};
  const auto [i, x] = t;
  EXPECT_EQ(run(hs::cast<float>(i) + x), 5.5f);
  EXPECT_EQ(run(t), (std::tuple{3, 2.5f}));
  EXPECT_TRUE(run(t == std::tuple{3, 2.5f}));
  EXPECT_TRUE(run(t != std::tuple{3, 2.0f}));
  EXPECT_TRUE(run(t < std::tuple{3, 3.0f}));
  EXPECT_TRUE(run(t <= std::tuple{3, 2.5f}));
  EXPECT_FALSE(run(t > std::tuple{4, 0.0f}));
  EXPECT_TRUE(run(t >= std::tuple{2, 9.0f}));

  Exp<Segment> s{Point{1, 2}, Point{3, 4}, true};
  s.to.y = s.from.x + 9;
  const Segment r = run(s);
  EXPECT_EQ(r.from, (Point{1, 2}));
  EXPECT_EQ(r.to, (Point{3, 10}));
  EXPECT_TRUE(r.dashed);
  EXPECT_TRUE(run(Exp<Point>(Point{1, 2}) < Point{1, 3}));
  EXPECT_EQ(run(hs::max(Exp<Point>(Point{1, 2}), Point{1, 3})), (Point{1, 3}));
}

TEST_P(Scalars, ArraysAreIndexedByNumbersAndExps) {
  const Exp<std::array<int, 3>> a = std::array{value(5), value(6), value(7)};
  EXPECT_EQ(run(a[1]), 6);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(run(a[value(k)]), 5 + k);
  EXPECT_THROW((void)a[3], hs::BuildError);
}

TEST_P(Scalars, SelectIsLazyAndLoopsLoop) {
  EXPECT_EQ(run(hs::select(value(true), value(1), value(2))), 1);
  EXPECT_EQ(run(hs::if_(value(false), std::pair{value(1), 2.0f}, std::pair{3, 4.0f})),
            (std::pair{3, 4.0f}));
  // The branch that is not taken reads out of range: the interpreter, which checks, must not
  // complain.
  const hs::Vector<int> v{1, 2, 3};
  const auto i = value<std::int64_t>(7);
  EXPECT_EQ(run(hs::select(i < 3, hs::use(v)[i], -1)), -1);
  EXPECT_FALSE(run(i < 3 && hs::use(v)[i] > 0));

  const auto collatz =
      hs::while_loop([](auto n, auto) { return n != 1; },
                     [](auto n, auto steps) {
                       return std::tuple{hs::select(n % 2 == 0, n / 2, 3 * n + 1), steps + 1};
                     },
                     std::tuple{value<std::int64_t>(27), 0});
  EXPECT_EQ(run(hs::get<1>(collatz)), 111);
  EXPECT_EQ(run(hs::iterate(10, [](auto x) { return x * 2; }, value(1))), 1024);
  EXPECT_EQ(run(hs::iterate(-1, [](auto x) { return x * 2; }, value(5))), 5);
  EXPECT_EQ(run(hs::iterate(
                value<std::uint8_t>(5), [](auto a, auto b) { return std::pair{b, a + b}; },
                std::pair{value(0), 1})),
            (std::pair{5, 8}));
}

TEST_P(Scalars, IndicesAndShapes) {
  EXPECT_EQ(run(hs::to_index(hs::ix(3, 4), hs::ix(value(1), 2))), 6);
  EXPECT_EQ(run(hs::from_index(hs::ix(3, 4), value(6))), Ix<2>(1, 2));
  EXPECT_EQ(run(hs::to_index(9, value(4))), 4);
  EXPECT_EQ(run(hs::intersect(hs::ix(3, 9), hs::ix(value(5), 4))), Ix<2>(3, 4));
  EXPECT_EQ(run(hs::union_(hs::ix(3, 9), hs::ix(value(5), 4))), Ix<2>(5, 9));
  EXPECT_TRUE(run(hs::in_range(hs::ix(3, 4), hs::ix(value(2), 3))));
  EXPECT_FALSE(run(hs::in_range(hs::ix(3, 4), hs::ix(value(2), -1))));
  EXPECT_EQ(run(hs::ix(value(2), 3) * Ix<2>(10, 10) - Ix<2>(1, 1)), Ix<2>(19, 29));
  const hs::Matrix<int> m{{1, 2, 3}, {4, 5, 6}};
  const auto a = hs::use(m);
  EXPECT_EQ(run(hs::shape(a)), Ix<2>(2, 3));
  EXPECT_EQ(run(hs::size(a)), 6);
  EXPECT_EQ(run(a(1, value<std::uint8_t>(2))), 6);
  EXPECT_EQ(run(a[hs::ix(value(0), 1)]), 2);
  EXPECT_EQ(run(a[Ix<2>(1, 0)]), 4);
  EXPECT_EQ(run(a.linear(value(3))), 4);
  EXPECT_EQ(run(hs::the(hs::unit(value(8)))), 8);
}

TEST_P(Scalars, DefaultsAreZero) {
  EXPECT_EQ(run(Exp<float>{}), 0.0f);
  EXPECT_EQ(run(Exp<std::tuple<int, Ix<2>>>{}), (std::tuple{0, Ix<2>{}}));
  EXPECT_EQ(run(hs::the(hs::Acc<hs::Scalar<int>>{})), 0);
  EXPECT_EQ(run(hs::size(hs::Acc<hs::Vector<int>>{})), 0);
}

TEST_P(Scalars, IndicesTimesNumbers) {
  static_assert(Ix<2>(2, 3) * 2 == Ix<2>(4, 6) && 2 * Ix<2>(2, 3) == Ix<2>(4, 6));
  const auto six = [&](const Exp<Ix<2>>& e) { EXPECT_EQ(run(e), hs::ix(4, 6)); };
  const Exp<Ix<2>> e = hs::parameter(hs::ix(2, 3));
  six(e * 2);
  six(std::uint8_t{2} * e);
  six(e * value(2));
  six(value(std::int64_t{2}) * e);
  six(hs::ix(2, 3) * value(2));
  six(value(2) * hs::ix(2, 3));
  six(e * hs::ix(2, 2));
  EXPECT_EQ(run(hs::ix(4) * value(2)), hs::ix(8));
}

// Dividends around the range that a double holds exactly, by divisors that are arguments of the
// call and by the same as constants of the program.
template <class T>
void expect_quotients(const hs::Options& options) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> dividends{0, 1, Limits::min(), Limits::max(), static_cast<T>(Limits::max() - 1)};
  for (int bit = 0; bit < Limits::digits; ++bit)
    for (int near = -3; near <= 3; ++near) {
      const T x = static_cast<T>((T{1} << bit) + static_cast<T>(near));
      dividends.insert(dividends.end(), {x, static_cast<T>(T{0} - x)});
    }
  for (int i = 0; i < 5000; ++i) dividends.push_back(static_cast<T>(i - 2500));
  const hs::Vector<T> all(std::ssize(dividends), dividends);
  const auto quot = hs::compile(
      [](hs::Acc<hs::Vector<T>> a, Exp<T> d) { return std::tuple{a / d, a % d}; }, options);
  std::vector<T> divisors{
      1, 2, 3, 5, 6, 7, 49, 100, 125, Limits::max(), static_cast<T>(Limits::max() / 3)};
  if (std::is_signed_v<T>)
    divisors.insert(divisors.end(), {T(-1), T(-3), T(-7), T(-8), T(-125), Limits::min()});
  if (sizeof(T) == 8)
    divisors.insert(divisors.end(),
                    {static_cast<T>(1'000'000'007), static_cast<T>(0x123456789abcdefLL)});
  for (const T d : divisors) {
    const auto [quotients, rests] = quot(all, d);
    const auto by_constant = hs::compile(
        [d](hs::Acc<hs::Vector<T>> a) {
          return std::tuple{a / hs::constant(d), a % hs::constant(d)};
        },
        options)(all);
    EXPECT_EQ(std::get<0>(by_constant), quotients) << +d;
    EXPECT_EQ(std::get<1>(by_constant), rests) << +d;
    for (std::size_t i = 0; i < dividends.size(); ++i) {
      const bool wraps = std::is_signed_v<T> && d == T(-1);
      const T q = wraps ? static_cast<T>(T{0} - static_cast<std::make_unsigned_t<T>>(dividends[i]))
                        : static_cast<T>(dividends[i] / d);
      const T r = wraps ? T{0} : static_cast<T>(dividends[i] % d);
      const auto at = static_cast<std::int64_t>(i);
      ASSERT_EQ(quotients(at), q) << +dividends[i] << " / " << +d;
      ASSERT_EQ(rests(at), r) << +dividends[i] << " % " << +d;
    }
  }
}

TEST_P(Scalars, QuotientsOfManyNumbers) {
  for (const hs::FastMath fast : {hs::FastMath::none, hs::FastMath::all}) {
    const hs::Options options{.target = GetParam().target, .fast_math = fast};
    expect_quotients<std::int8_t>(options);
    expect_quotients<std::uint16_t>(options);
    expect_quotients<std::int32_t>(options);
    expect_quotients<std::uint32_t>(options);
    expect_quotients<std::int64_t>(options);
    expect_quotients<std::uint64_t>(options);
  }
}

HASTEN_ON_EVERY_TARGET(Scalars);

}  // namespace
