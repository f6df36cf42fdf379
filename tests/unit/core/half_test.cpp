// half and bfloat16 on the host: every number, and the rounding of conversions.
#include <hasten/scalar/half.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace hasten::test {
namespace {

template <class T>
class SmallFloats : public testing::Test {};
using Types = testing::Types<half, bfloat16>;
TYPED_TEST_SUITE(SmallFloats, Types);

// The value of a bit pattern, by the definition of the format.
double meaning(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const auto fraction = static_cast<double>(bits & ((1U << fraction_bits) - 1));
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  const double one = exponent == 0 ? 0 : std::ldexp(1, fraction_bits);
  return sign * std::ldexp(fraction + one, std::max(exponent, 1) - bias - fraction_bits);
}

TYPED_TEST(SmallFloats, EveryNumberHasItsMeaningAndComesBack) {
  using T = TypeParam;
  constexpr int exponent_bits = std::is_same_v<T, half> ? 5 : 8;
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const T x = T::from_bits(static_cast<std::uint16_t>(bits));
    const double wanted = meaning(bits, exponent_bits, 15 - exponent_bits);
    if (std::isnan(wanted)) {
      ASSERT_TRUE(std::isnan(float{x})) << bits;
      ASSERT_TRUE(std::isnan(float{T(float{x})})) << bits;
      continue;
    }
    ASSERT_EQ(float{x}, wanted) << bits;
    ASSERT_EQ(T(float{x}).bits(), bits);
    ASSERT_EQ(T(wanted).bits(), bits);
  }
}

TYPED_TEST(SmallFloats, ConversionsRoundToNearestEven) {
  using T = TypeParam;
  const std::uint32_t infinity = T(HUGE_VAL).bits();
  for (std::uint32_t bits = 0; bits < infinity; ++bits) {
    const double low = T::from_bits(static_cast<std::uint16_t>(bits));
    const double above = T::from_bits(static_cast<std::uint16_t>(bits + 1));
    // Above the largest number, the next number would be as far away as the one below.
    const double below = T::from_bits(static_cast<std::uint16_t>(bits - 1));
    const double high = std::isinf(above) ? low + (low - below) : above;
    const double middle = (low + high) / 2;
    const std::uint32_t even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(T(middle).bits(), even) << bits;
    ASSERT_EQ(T(-middle).bits(), even | 0x8000U) << bits;
    ASSERT_EQ(T(std::nextafter(middle, 0.0)).bits(), bits);
    ASSERT_EQ(T(std::nextafter(middle, HUGE_VAL)).bits(), bits + 1);
  }
}

TEST(SmallFloatNumbers, IntegersAndOtherFloats) {
  EXPECT_EQ(half(65519).bits(), 0x7bffU);
  EXPECT_EQ(half(65520).bits(), 0x7c00U);
  EXPECT_EQ(half(std::numeric_limits<double>::denorm_min()).bits(), 0);
  // Converted to double first, this would be a midpoint and would round down.
  const std::int64_t big = (std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1;
  EXPECT_EQ(bfloat16(big).bits(), 0x5d81U);
  EXPECT_EQ(bfloat16(-big).bits(), 0xdd81U);
  EXPECT_EQ(half(bfloat16(1.5F)).bits(), 0x3e00U);
  EXPECT_EQ(half(1.5F) + half(2), 3.5F);
  EXPECT_LT(half(1), bfloat16(2));
  EXPECT_EQ(half{}, 0.0F);
  static_assert(half(0.1F).bits() == 0x2e66U);
}

}  // namespace
}  // namespace hasten::test
