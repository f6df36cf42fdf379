// After how many elements a map does the same again.
#include "kernels/analysis/indices/index_period.hpp"

#include "kernels/text/parse.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hasten::test {
namespace {

// x9 is stored; x1 is 1, x2 is 2, ...
std::int64_t period_of(const std::string& body) {
  const kernels::Kernel kernel = kernels::parse_kernel(
      "kernel map rank 1 {\n inputs f32 f32\n outputs f32\n scalars (x20: i64)\n"
      " element (x0: i64) {\n x1 = const 1 : i64; x2 = const 2 : i64; x3 = const 3 : i64; "
      "x4 = const 4 : i64; x5 = const 5 : i64; x6 = const 1 : i32;\n" +
      body + "\n -> x9\n }\n}\n");
  kernels::verify(kernel);
  return kernels::index_period(kernel, kernel.element, 0);
}

TEST(IndexPeriod, OfDivisorsThatAreNoPowersOfTwo) {
  EXPECT_EQ(period_of("x7 = quot x0 x3; x9 = load_linear %0.0 x7"), 3);
  EXPECT_EQ(period_of("x7 = rem x0 x5; x9 = load_linear %0.0 x7"), 5);
  // Of a sum, and together with a power of two.
  EXPECT_EQ(period_of("x7 = add x1 x0; x8 = rem x7 x3; x9 = load_linear %0.0 x8"), 3);
  EXPECT_EQ(period_of("x7 = rem x0 x3; x8 = shr x0 x6; x10 = add x7 x8; "
                      "x9 = load_linear %0.0 x10"),
            6);
}

TEST(IndexPeriod, OfBranchesInTurns) {
  const std::string turn = "x7 = and x0 x1; x8 = eq x7 x1; ";
  EXPECT_EQ(period_of(turn + "x9 = if x8 { x10 = load_linear %0.0 x0; -> x10 } else { "
                             "x11 = load_linear %1.0 x0; -> x11 }"),
            2);
  EXPECT_EQ(period_of(turn + "x12 = load_linear %0.0 x0; x9 = if x8 { x10 = sin x12; -> x10 } "
                             "else { -> x12 }"),
            2);
  // What is cheap is computed in all lanes.
  EXPECT_EQ(period_of(turn + "x12 = load_linear %0.0 x0; x9 = if x8 { x10 = neg x12; -> x10 } "
                             "else { -> x12 }"),
            1);
}

TEST(IndexPeriod, OfReadsInTurns) {
  EXPECT_EQ(period_of("x7 = and x0 x3; x9 = load_linear %0.0 x7"), 4);
  EXPECT_EQ(period_of("x7 = and x0 x1; x8 = mul x7 x20; x10 = add x8 x0; "
                      "x9 = load_linear %0.0 x10"),
            2);
}

TEST(IndexPeriod, OthersHaveNone) {
  // Halves of the index are repeated elements; other numbers are divided; others divide.
  EXPECT_EQ(period_of("x7 = shr x0 x6; x9 = load_linear %0.0 x7"), 1);
  EXPECT_EQ(period_of("x7 = quot x20 x3; x9 = load_linear %0.0 x7"), 1);
  EXPECT_EQ(period_of("x7 = rem x0 x20; x9 = load_linear %0.0 x7"), 1);
  EXPECT_EQ(period_of("x7 = mul x0 x2; x8 = rem x7 x3; x9 = load_linear %0.0 x8"), 1);
  // 15 neighbours are too many.
  EXPECT_EQ(period_of("x7 = rem x0 x3; x8 = rem x0 x5; x10 = add x7 x8; "
                      "x9 = load_linear %0.0 x10"),
            1);
}

}  // namespace
}  // namespace hasten::test
