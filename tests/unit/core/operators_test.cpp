// Operators that are recognised by their code.
#include "core/operators.hpp"

#include "kernels/text/parse.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hasten::test {
namespace {

using enum core::ScalarOp;
using Leaves = std::vector<core::ScalarOp>;

// Of (f, x, y) and (g, u, v): x3 x4 x5 and x6 x7 x8; the new leaves are x20, x21 and x22.
core::LaneOperator segments(const std::string& code) {
  const kernels::Kernel kernel = kernels::parse_kernel(
      "kernel scan rank 1 {\n inputs bool f32 i64\n outputs bool f32 i64\n scalars ()\n"
      " element (x0: i64) { x9 = load_linear %0.0 x0; x1 = load_linear %1.0 x0; "
      "x2 = load_linear %2.0 x0; -> x9, x1, x2 }\n"
      " combine (x3: bool, x4: f32, x5: i64, x6: bool, x7: f32, x8: i64) {\n" +
      code +
      "\n -> x20, x21, x22 }\n seed\n lanes reduction\n"
      " epilogue (x10: i64, x11: bool, x12: f32, x13: i64) { -> x11, x12, x13 }\n}\n");
  kernels::verify(kernel);
  return core::segment_operator(kernel.combine);
}

TEST(Operators, OfSegments) {
  const auto found = segments(
      "x20 = or x6 x3; x14 = add x4 x7; x21 = select x6 x7 x14; x15 = max x8 x5\n"
      "x22 = select x6 x8 x15");
  EXPECT_TRUE(found.of_segments);
  EXPECT_FALSE(found.commutative);
  EXPECT_EQ(found.leaves, (Leaves{or_, add, max}));
}

TEST(Operators, OthersAreNotOfSegments) {
  const std::string both = "x14 = add x4 x7; x15 = max x5 x8; ";
  const std::string second = "x22 = select x6 x8 x15";
  const Leaves none;
  // The flags are combined otherwise, the left one decides, the left leaf is taken, an operation is
  // no table's, or works on other leaves.
  EXPECT_EQ(segments(both + "x20 = and x3 x6; x21 = select x6 x7 x14; " + second).leaves, none);
  EXPECT_EQ(segments(both + "x20 = or x3 x6; x21 = select x3 x7 x14; " + second).leaves, none);
  EXPECT_EQ(segments(both + "x20 = or x3 x6; x21 = select x6 x4 x14; " + second).leaves, none);
  EXPECT_EQ(
      segments(both + "x20 = or x3 x6; x16 = sub x4 x7; x21 = select x6 x7 x16; " + second).leaves,
      none);
  EXPECT_EQ(
      segments(both + "x20 = or x3 x6; x16 = add x7 x7; x21 = select x6 x7 x16; " + second).leaves,
      none);
  EXPECT_EQ(segments(both + "x20 = or x3 x6; x21 = select x6 x7 x14; x22 = max x5 x8").leaves,
            none);
}

}  // namespace
}  // namespace hasten::test
