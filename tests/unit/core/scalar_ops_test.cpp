// Every row of the table, and the edge cases that the language defines.
#include "core/scalar_ops.hpp"

#include "tests/unit/core/builder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace hasten::test {
namespace {

using core::row;
using enum ScalarOp;

template <class R, class... T>
R run(ScalarOp op, T... args) {
  const ScalarType types[] = {type_of<T>()...};
  const Bits all[] = {bits(args)...};
  EXPECT_EQ(core::type_error(op, type_of<R>(), types), "") << row(op).name;
  return number<R>(core::evaluate(op, type_of<R>(), types, all));
}

template <class T>
constexpr T lowest = std::numeric_limits<T>::min();
template <class T>
constexpr T highest = std::numeric_limits<T>::max();
constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();
constexpr float inf32 = std::numeric_limits<float>::infinity();

TEST(ScalarOps, RowsAreNamedUniquely) {
  for (const core::ScalarOpRow& r : core::scalar_ops()) {
    EXPECT_EQ(core::scalar_op_named(r.name), r.op);
    EXPECT_NE(std::string(r.meaning), "") << r.name;
    EXPECT_TRUE(r.arity >= 1 && r.arity <= 3) << r.name;
    EXPECT_FALSE(r.partial && r.arity != 2) << r.name;
  }
  EXPECT_EQ(core::scalar_op_named("nothing"), std::nullopt);
}

TEST(ScalarOps, IntegersWrap) {
  EXPECT_EQ(run<std::int8_t>(add, std::int8_t{127}, std::int8_t{1}), -128);
  EXPECT_EQ(run<std::uint8_t>(sub, std::uint8_t{0}, std::uint8_t{1}), 255);
  EXPECT_EQ(run<std::uint16_t>(mul, std::uint16_t{65535}, std::uint16_t{65535}), 1);
  EXPECT_EQ(run<std::int32_t>(mul, highest<std::int32_t>, std::int32_t{2}), -2);
  EXPECT_EQ(run<std::int64_t>(neg, lowest<std::int64_t>), lowest<std::int64_t>);
  EXPECT_EQ(run<std::int16_t>(abs, lowest<std::int16_t>), lowest<std::int16_t>);
  EXPECT_EQ(run<std::uint32_t>(neg, 1U), 4294967295U);
}

template <class T>
class IntegralOps : public testing::Test {};
using Integrals = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                 std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(IntegralOps, Integrals);

TYPED_TEST(IntegralOps, DivisionNeverTraps) {
  using T = TypeParam;
  for (const ScalarOp op : {quot, rem, idiv, mod}) {
    EXPECT_EQ(run<T>(op, T{7}, T{0}), T{0}) << row(op).name;
    EXPECT_EQ(run<T>(op, lowest<T>, T{0}), T{0}) << row(op).name;
  }
  if constexpr (std::is_signed_v<T>) {
    EXPECT_EQ(run<T>(quot, lowest<T>, T{-1}), lowest<T>);
    EXPECT_EQ(run<T>(idiv, lowest<T>, T{-1}), lowest<T>);
    EXPECT_EQ(run<T>(rem, lowest<T>, T{-1}), T{0});
    EXPECT_EQ(run<T>(mod, lowest<T>, T{-1}), T{0});
  }
}

TYPED_TEST(IntegralOps, DivisionAgreesWithItsRemainder) {
  using T = TypeParam;
  const std::vector<T> numbers = {lowest<T>, T(lowest<T> + 1), T(-7), T(-1), T(1), T(2),
                                  T(7),      highest<T>};
  for (const T a : numbers)
    for (const T b : numbers) {
      if (b == T{0}) continue;
      const T q = run<T>(quot, a, b), r = run<T>(rem, a, b);
      const T d = run<T>(idiv, a, b), m = run<T>(mod, a, b);
      EXPECT_EQ(run<T>(add, run<T>(mul, q, b), r), a);
      EXPECT_EQ(run<T>(add, run<T>(mul, d, b), m), a);
      EXPECT_TRUE(r == T{0} || (r < T{0}) == (a < T{0}));
      EXPECT_TRUE(m == T{0} || (m < T{0}) == (b < T{0}));
    }
}

TYPED_TEST(IntegralOps, ShiftsAndRotations) {
  using T = TypeParam;
  constexpr int width = 8 * sizeof(T);
  for (const std::int32_t amount : {width, width + 1, 1000, -1, lowest<std::int32_t>}) {
    EXPECT_EQ(run<T>(shl, T{3}, amount), T{0});
    EXPECT_EQ(run<T>(shr, T{3}, amount), T{0});
    EXPECT_EQ(run<T>(shr, T(-3), amount), std::is_signed_v<T> ? T(-1) : T{0});
  }
  EXPECT_EQ(run<T>(shl, T{3}, std::int64_t{1}), T{6});
  EXPECT_EQ(run<T>(shr, T{6}, std::uint8_t{1}), T{3});
  EXPECT_EQ(run<T>(shl, T{3}, std::uint64_t{1} << 63), T{0});
  EXPECT_EQ(run<T>(shl, T{1}, width - 1), T(std::uint64_t{1} << (width - 1)));
  EXPECT_EQ(run<T>(rotl, T{1}, width + 1), T{2});
  EXPECT_EQ(run<T>(rotr, T{1}, -1), T{2});
  EXPECT_EQ(run<T>(rotl, run<T>(rotr, T{77}, 5), 5), T{77});
}

TYPED_TEST(IntegralOps, BitsAreCounted) {
  using T = TypeParam;
  constexpr int width = 8 * sizeof(T);
  EXPECT_EQ(run<std::int32_t>(popcount, T(-1)), width);
  EXPECT_EQ(run<std::int32_t>(clz, T{0}), width);
  EXPECT_EQ(run<std::int32_t>(ctz, T{0}), width);
  EXPECT_EQ(run<std::int32_t>(clz, T{1}), width - 1);
  EXPECT_EQ(run<std::int32_t>(ctz, T{4}), 2);
  EXPECT_EQ(run<T>(not_, T{0}), T(-1));
  EXPECT_EQ(run<T>(xor_, T{6}, T{3}), T{5});
}

TYPED_TEST(IntegralOps, FloatsSaturate) {
  using T = TypeParam;
  EXPECT_EQ(run<T>(cast, nan32), T{0});
  EXPECT_EQ(run<T>(cast, inf32), highest<T>);
  EXPECT_EQ(run<T>(cast, -inf32), lowest<T>);
  EXPECT_EQ(run<T>(cast, 1e30), highest<T>);
  EXPECT_EQ(run<T>(cast, -1e30), lowest<T>);
  EXPECT_EQ(run<T>(cast, 5.9F), T{5});
  EXPECT_EQ(run<T>(cast, -0.9), T{0});
  const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
  EXPECT_EQ(run<T>(cast, above), highest<T>);
}

TEST(ScalarOps, MinimumAndMaximum) {
  for (const ScalarOp op : {min, max}) {
    EXPECT_TRUE(std::isnan(run<float>(op, nan32, 1.0F)));
    EXPECT_TRUE(std::isnan(run<float>(op, 1.0F, nan32)));
    const bool negative = op == min;
    EXPECT_EQ(std::signbit(run<float>(op, 0.0F, -0.0F)), negative);
    EXPECT_EQ(std::signbit(run<float>(op, -0.0F, 0.0F)), negative);
    EXPECT_EQ(run<bool>(op, true, false), op == max);
  }
  EXPECT_EQ(run<float>(min, -inf32, 3.0F), -inf32);
  EXPECT_EQ(run<std::int32_t>(max, -5, 3), 3);
}

TEST(ScalarOps, Signum) {
  EXPECT_TRUE(std::isnan(run<float>(signum, nan32)));
  EXPECT_TRUE(std::signbit(run<float>(signum, -0.0F)));
  EXPECT_EQ(run<double>(signum, -7.5), -1.0);
  EXPECT_EQ(run<std::int8_t>(signum, std::int8_t{-128}), -1);
  EXPECT_EQ(run<std::uint8_t>(signum, std::uint8_t{200}), 1);
}

TEST(ScalarOps, Comparisons) {
  EXPECT_FALSE(run<bool>(eq, nan32, nan32));
  EXPECT_TRUE(run<bool>(ne, nan32, nan32));
  for (const ScalarOp op : {lt, le, gt, ge}) EXPECT_FALSE(run<bool>(op, nan32, 1.0F));
  EXPECT_TRUE(run<bool>(eq, 0.0F, -0.0F));
  EXPECT_TRUE(run<bool>(lt, false, true));
  EXPECT_TRUE(run<bool>(lt, std::int8_t{-1}, std::int8_t{1}));
  EXPECT_FALSE(run<bool>(lt, std::uint8_t{255}, std::uint8_t{1}));
}

TEST(ScalarOps, LogicAndSelect) {
  EXPECT_FALSE(run<bool>(not_, true));
  EXPECT_TRUE(run<bool>(not_, false));
  EXPECT_TRUE(run<bool>(xor_, true, false));
  EXPECT_EQ(run<float>(select, true, 1.0F, 2.0F), 1.0F);
  using C = std::complex<double>;
  EXPECT_EQ(run<C>(select, false, C(1, 2), C(3, 4)), C(3, 4));
}

TEST(ScalarOps, Rounding) {
  EXPECT_EQ(run<float>(round, 2.5F), 3.0F);
  EXPECT_EQ(run<float>(round, -2.5F), -3.0F);
  EXPECT_EQ(run<float>(round, 0.49999997F), 0.0F);
  EXPECT_EQ(run<float>(nearbyint, 2.5F), 2.0F);
  EXPECT_EQ(run<double>(floor, -0.5), -1.0);
  EXPECT_TRUE(std::signbit(run<double>(ceil, -0.5)));
  EXPECT_EQ(run<double>(trunc, -1.9), -1.0);
}

TEST(ScalarOps, MathFunctionsAreThoseOfCmath) {
  EXPECT_FLOAT_EQ(run<float>(exp, 1.5F), std::exp(1.5F));
  EXPECT_DOUBLE_EQ(run<double>(log1p, 1e-9), std::log1p(1e-9));
  EXPECT_FLOAT_EQ(run<float>(atan2, 1.0F, -2.0F), std::atan2(1.0F, -2.0F));
  EXPECT_EQ(run<double>(fmod, -7.5, 2.0), -1.5);
  EXPECT_EQ(run<float>(fma, 3.0F, 4.0F, 5.0F), 17.0F);
  EXPECT_EQ(run<double>(rsqrt, 4.0), 0.5);
  EXPECT_DOUBLE_EQ(run<double>(atanh, 0.5), std::atanh(0.5));
  EXPECT_EQ(run<double>(copysign, 3.0, -0.0), -3.0);
  EXPECT_TRUE(run<bool>(is_nan, nan32));
  EXPECT_TRUE(run<bool>(is_infinite, -inf32));
  EXPECT_FALSE(run<bool>(is_finite, nan32));
  EXPECT_EQ(run<float>(ScalarOp::div, 1.0F, 0.0F), inf32);
}

TEST(ScalarOps, Conversions) {
  EXPECT_EQ(run<std::int8_t>(cast, 300), 44);
  EXPECT_EQ(run<std::uint64_t>(cast, std::int8_t{-1}), highest<std::uint64_t>);
  EXPECT_EQ(run<std::int64_t>(cast, highest<std::uint32_t>), 4294967295);
  EXPECT_TRUE(run<bool>(cast, nan32));
  EXPECT_FALSE(run<bool>(cast, -0.0F));
  EXPECT_TRUE(run<bool>(cast, 256));
  EXPECT_EQ(run<float>(cast, true), 1.0F);
  EXPECT_EQ(run<float>(cast, 1e300), inf32);
  // Rounded once: converted to double first, this would be 2^54 + 2^31.
  EXPECT_EQ(run<float>(cast, (std::int64_t{1} << 54) + (std::int64_t{1} << 30) + 1),
            std::ldexp(1.0F, 54) + std::ldexp(1.0F, 31));
  EXPECT_EQ(run<std::uint32_t>(bit_cast, 1.0F), 0x3f800000U);
  EXPECT_EQ(run<float>(bit_cast, std::int32_t{0x40000000}), 2.0F);
  EXPECT_EQ(run<std::int8_t>(bit_cast, std::uint8_t{255}), -1);
}

TEST(ScalarOps, Complex) {
  using C = std::complex<float>;
  EXPECT_EQ(run<C>(complex_make, 1.0F, -2.0F), C(1, -2));
  EXPECT_EQ(run<float>(complex_imag, C(1, -2)), -2.0F);
  EXPECT_EQ(run<double>(complex_real, std::complex<double>(5, 6)), 5.0);
}

// Small floats have no C++ type here, so arguments and results are bits.
std::uint64_t small(ScalarOp op, ScalarType result, ScalarType type,
                    std::vector<std::uint64_t> args) {
  std::vector<ScalarType> types(args.size(), type);
  std::vector<Bits> all;
  for (const std::uint64_t a : args) all.push_back({a, 0});
  EXPECT_EQ(core::type_error(op, result, types), "");
  return core::evaluate(op, result, types, all).lo;
}

TEST(ScalarOps, SmallFloatsRoundEveryOperation) {
  const auto f16 = ScalarType::f16, bf16 = ScalarType::bf16, f32 = ScalarType::f32;
  const auto half = [&](float x) { return small(cast, f16, f32, {bits(x).lo}); };
  EXPECT_EQ(half(1.0F), 0x3c00U);
  EXPECT_EQ(half(65504.0F), 0x7bffU);
  EXPECT_EQ(half(65520.0F), 0x7c00U);  // midpoint to 65536: overflows
  EXPECT_EQ(half(65519.0F), 0x7bffU);
  EXPECT_EQ(half(-std::ldexp(1.0F, -24)), 0x8001U);
  EXPECT_EQ(half(std::ldexp(1.0F, -25)), 0x0000U);  // midpoint to the least number: to even
  EXPECT_EQ(half(std::ldexp(1.5F, -25)), 0x0001U);
  EXPECT_EQ(half(nan32), 0x7e00U);
  EXPECT_EQ(small(add, f16, f16, {half(2048.0F), half(1.0F)}), half(2048.0F));
  EXPECT_EQ(small(add, f16, f16, {half(2048.0F), half(3.0F)}), half(2052.0F));
  EXPECT_EQ(small(cast, bf16, f32, {bits(1.00390625F).lo}), 0x3f80U);  // midpoint: to even
  for (std::uint64_t b = 0; b < 0x7c00U; ++b)  // every finite value is preserved
    ASSERT_EQ(small(cast, f16, f32, {small(cast, f32, f16, {b})}), b);
  // 2^60 + 2^52 + 1 is just above a midpoint; converted to double first, it would be the midpoint
  // and would round down.
  const std::uint64_t big = (1ULL << 60) + (1ULL << 52) + 1;
  EXPECT_EQ(small(cast, bf16, ScalarType::u64, {big}), 0x5d81U);
}

TEST(ScalarOps, TypeErrors) {
  const ScalarType f32 = ScalarType::f32, i32 = ScalarType::i32, i64 = ScalarType::i64;
  const auto error = [](ScalarOp op, ScalarType result, std::vector<ScalarType> args) {
    return core::type_error(op, result, args);
  };
  EXPECT_EQ(error(add, f32, {f32}), "add takes 2 arguments, not 1");
  EXPECT_EQ(error(add, f32, {f32, i32}), "add does not take (f32, i32)");
  EXPECT_EQ(error(sqrt, i32, {i32}), "sqrt does not take (i32)");
  EXPECT_EQ(error(lt, f32, {f32, f32}), "lt of (f32, f32) does not give f32");
  EXPECT_NE(error(select, f32, {i32, f32, f32}), "");
  EXPECT_NE(error(bit_cast, i64, {f32}), "");
  EXPECT_NE(error(cast, ScalarType::c64, {f32}), "");
  EXPECT_EQ(error(shl, i64, {i64, i32}), "");
}

}  // namespace
}  // namespace hasten::test
