// By which scalars neighbours along an axis lie apart.
#include "kernels/analysis/strides.hpp"

#include "kernels/text/parse.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hasten::test {
namespace {

using Scalars = std::vector<unsigned>;

// Of two axes, with the index (x4, x5); x12 is stored.
Scalars scalars_of(const std::string& body, std::size_t axis) {
  const kernels::Kernel kernel = kernels::parse_kernel(
      "kernel map rank 2 {\n inputs f32\n outputs f32\n"
      " scalars (x0: i64, x1: i64, x2: i64, x3: bool)\n element (x4: i64, x5: i64) {\n" +
      body + "\n -> x12\n }\n}\n");
  kernels::verify(kernel);
  return kernels::stride_scalars(kernel, axis);
}

TEST(Strides, OfChannelsInside) {
  // Place in rows of x1 pixels of x2 channels.
  const std::string pixel = "x6 = mul x4 x1; x7 = add x6 x5; x8 = mul x7 x2; ";
  EXPECT_EQ(scalars_of(pixel + "x12 = load_linear %0.0 x8", 1), Scalars{2});
  EXPECT_EQ(scalars_of(pixel + "x12 = load_linear %0.0 x8", 0), Scalars{1});
  EXPECT_EQ(scalars_of(pixel + "x9 = sub x5 x0; x10 = mul x1 x9; x11 = add x8 x10; "
                               "x12 = load_linear %0.0 x11",
                       1),
            (Scalars{1, 2}));
  // Under a condition, too.
  EXPECT_EQ(scalars_of("x12 = if x3 { x6 = mul x5 x0; x7 = load_linear %0.0 x6; -> x7 } else { "
                       "x8 = load_linear %0.0 x5; -> x8 }",
                       1),
            Scalars{0});
}

TEST(Strides, OthersAreNone) {
  EXPECT_EQ(scalars_of("x6 = mul x4 x1; x7 = add x6 x5; x12 = load_linear %0.0 x7", 1), Scalars());
  // A number of the program's, and what moves by itself.
  EXPECT_EQ(scalars_of("x6 = const 3 : i64; x7 = mul x5 x6; x8 = mul x5 x5; x9 = mul x8 x0; "
                       "x10 = add x7 x9; x12 = load_linear %0.0 x10",
                       1),
            Scalars());
}

}  // namespace
}  // namespace hasten::test
