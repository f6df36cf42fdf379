// Products in which one reciprocal root occurs more than once.
#include "kernels/analysis/root_powers.hpp"

#include "kernels/text/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace hasten::test {
namespace {

using kernels::RootPower;
using testing::ElementsAre;
using testing::IsEmpty;

// x3 and x4 are read, and x5 = 1 / sqrt(x3).
kernels::Kernel kernel_of(const std::string& body, const std::string& type = "f32") {
  const kernels::Kernel kernel = kernels::parse_kernel(
      "kernel map rank 1 {\n inputs " + type + " " + type + "\n outputs " + type +
      "\n scalars ()\n element (x2: i64) {\n x3 = load_linear %0.0 x2\n x4 = load_linear %1.0 x2\n"
      " x5 = rsqrt x3\n" +
      body + "\n }\n}\n");
  kernels::verify(kernel);
  return kernel;
}

std::optional<RootPower> power_of(kernels::Value product, const std::string& body,
                                  const std::string& type = "f32") {
  return kernels::RootPowers(kernel_of(body, type)).completed_by(product);
}

TEST(RootPowers, AreFoundHoweverFactorsAreGrouped) {
  for (const std::string body : {"x6 = mul x4 x5; x7 = mul x6 x5; x8 = mul x7 x5; -> x8",
                                 "x6 = mul x4 x5; x7 = mul x5 x5; x8 = mul x6 x7; -> x8",
                                 "x6 = mul x5 x5; x7 = mul x5 x6; x8 = mul x7 x4; -> x8"}) {
    const auto at = [&](kernels::Value v) { return power_of(v, body); };
    const bool is_before = body.ends_with("x7 x4; -> x8");
    const auto found = at(is_before ? 7 : 8);
    ASSERT_TRUE(found) << body;
    EXPECT_EQ(found->root, 5U);
    EXPECT_EQ(found->exponent, 3U);
    if (is_before)
      EXPECT_THAT(found->others, IsEmpty());
    else
      EXPECT_THAT(found->others, ElementsAre(4U));
    EXPECT_FALSE(at(is_before ? 8 : 7)) << body;
    EXPECT_FALSE(at(6)) << body;
  }
}

TEST(RootPowers, MayBeSquares) {
  const auto found = power_of(6, "x6 = mul x5 x5; x7 = add x6 x4; -> x7");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->exponent, 2U);
  EXPECT_THAT(found->others, IsEmpty());
}

TEST(RootPowers, NeedAllUsesOfTheRoot) {
  EXPECT_FALSE(power_of(6, "x6 = mul x5 x5; x7 = add x6 x5; -> x7"));
  EXPECT_FALSE(power_of(6, "x6 = mul x5 x4; -> x6"));  // the root itself
}

TEST(RootPowers, NeedAllUsesOfTheFactors) {
  EXPECT_FALSE(power_of(7, "x6 = mul x4 x5; x7 = mul x6 x5; x8 = add x7 x6; -> x8"));
  EXPECT_FALSE(power_of(7, "x6 = mul x4 x5; x7 = mul x6 x6; -> x7"));
}

TEST(RootPowers, HaveSmallExponents) {
  EXPECT_FALSE(
      power_of(8, "x6 = mul x4 x5; x7 = mul x6 x5; x9 = mul x5 x5; x8 = mul x7 x9; -> x8"));
}

// x3 and x4 might overflow together.
TEST(RootPowers, HaveOneOtherFactor) {
  EXPECT_FALSE(power_of(8, "x6 = mul x3 x5; x7 = mul x4 x5; x8 = mul x6 x7; -> x8"));
}

TEST(RootPowers, HaveSinglePrecision) { EXPECT_FALSE(power_of(6, "x6 = mul x5 x5; -> x6", "f64")); }

TEST(RootPowers, HaveOneRoot) {
  const std::string body = "x9 = rsqrt x4; x6 = mul x5 x9; x7 = mul x6 x5; x8 = mul x7 x9; -> x8";
  for (const kernels::Value v : {6U, 7U, 8U}) EXPECT_FALSE(power_of(v, body));
}

// The root of an argument that a loop does not change is computed once.
TEST(RootPowers, StayInOneRegion) {
  EXPECT_FALSE(
      power_of(9,
               "x6 = while x4 (x7: f32) { x8 = lt x7 x3; -> x8 } do (x10: f32) { x9 = mul x5 "
               "x5; x11 = add x9 x10; -> x11 }\n -> x6"));
}

}  // namespace
}  // namespace hasten::test
