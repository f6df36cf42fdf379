// The kernels whose last axes may run as one, and the conditions for it.
#include "kernels/analysis/indices/flat_rows.hpp"

#include "kernels/text/parse.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hasten::test {
namespace {

using Rows = std::vector<kernels::RowExtent>;

kernels::FlatRows flat_rows_of(const std::string& text) {
  const kernels::Kernel kernel = kernels::parse_kernel(text);
  kernels::verify(kernel);
  return kernels::flat_rows(kernel);
}

Rows rows_of(const std::string& text) { return flat_rows_of(text).extents; }

// Two axes, with the index (x3, x4); x9 is stored.
Rows rows_of_map(const std::string& body) {
  return rows_of(
      "kernel map rank 2 {\n inputs f32 i64\n outputs f32\n scalars (x0: i64, x1: i64, x2: i64)\n"
      " element (x3: i64, x4: i64) {\n" +
      body + "\n -> x9\n }\n}\n");
}

TEST(FlatRows, AddressesMayBeMoved) {
  const Rows by_first{{0, 1}};
  EXPECT_EQ(rows_of_map("x5 = mul x3 x0; x6 = add x5 x4; x9 = load_linear %0.0 x6"), by_first);
  EXPECT_EQ(rows_of_map("x5 = add x3 x1; x6 = mul x0 x5; x7 = sub x4 x2; x8 = add x7 x6; "
                        "x9 = load_linear %0.0 x8"),
            by_first);
  // Two arrays, whose rows must both have the index space's length; and a uniform read.
  EXPECT_EQ(rows_of_map("x5 = mul x3 x0; x6 = add x5 x4; x7 = load_linear %0.0 x6; "
                        "x8 = mul x3 x1; x10 = add x8 x4; x11 = load_linear %0.0 x10; "
                        "x12 = load_linear %0.0 x2; x13 = add x7 x11; x9 = add x13 x12"),
            (Rows{{0, 1}, {1, 1}}));
  // At an index that is read from an array.
  EXPECT_EQ(rows_of_map("x5 = mul x3 x0; x6 = add x5 x4; x7 = load_linear %1.0 x6; "
                        "x9 = load_linear %0.0 x7"),
            by_first);
}

TEST(FlatRows, IndicesAreForAddressesOnly) {
  const std::string read = "x5 = mul x3 x0; x6 = add x5 x4; x7 = load_linear %0.0 x6; ";
  EXPECT_EQ(rows_of_map(read + "x8 = cast x4 : f32; x9 = add x7 x8"), Rows());
  EXPECT_EQ(rows_of_map(read + "x8 = lt x3 x1; x9 = if x8 { -> x7 } else { x10 = const 0 : f32; "
                               "-> x10 }"),
            Rows());
  // Clamped, by columns, along a diagonal, or by the row alone.
  EXPECT_EQ(rows_of_map("x5 = mul x3 x0; x6 = min x4 x1; x7 = add x5 x6; "
                        "x9 = load_linear %0.0 x7"),
            Rows());
  EXPECT_EQ(rows_of_map("x5 = mul x4 x0; x6 = add x5 x3; x9 = load_linear %0.0 x6"), Rows());
  EXPECT_EQ(rows_of_map("x5 = mul x3 x0; x6 = add x5 x4; x7 = add x6 x4; "
                        "x9 = load_linear %0.0 x7"),
            Rows());
  EXPECT_EQ(rows_of_map("x9 = load_linear %0.0 x4"), Rows());
  EXPECT_EQ(rows_of_map("x9 = load_linear %0.0 x3"), Rows());
}

TEST(FlatRows, OfThreeAxesBothExtentsCount) {
  EXPECT_EQ(rows_of("kernel map rank 3 {\n inputs f32\n outputs f32\n scalars (x0: i64, x1: i64)\n"
                    " element (x2: i64, x3: i64, x4: i64) {\n x5 = mul x2 x0; x6 = add x5 x3\n"
                    " x7 = mul x6 x1; x8 = add x7 x4; x9 = load_linear %0.0 x8\n -> x9\n }\n}\n"),
            (Rows{{0, 1}, {1, 2}}));
}

TEST(FlatRows, ScattersToRows) {
  const auto scatter = [](const std::string& kind, const std::string& target) {
    return rows_of("kernel scatter rank 2" + kind +
                   " {\n inputs f32\n outputs f32\n scalars (x0: i64, x1: i64)\n"
                   " element (x2: i64, x3: i64) {\n x4 = const true : bool; x5 = mul x2 x0\n"
                   " x6 = add x5 x3; x7 = load_linear %0.0 x6; x8 = mul x2 x1; x9 = add x8 x3\n"
                   " -> x4, " +
                   target + ", x7\n }\n combine (x10: f32, x11: f32) { -> x10 }\n}\n");
  };
  EXPECT_EQ(scatter(" unique", "x9"), (Rows{{0, 1}, {1, 1}}));
  EXPECT_EQ(scatter(" unique", "x3"), Rows());
  EXPECT_EQ(scatter("", "x9"), (Rows{{0, 1}, {1, 1}}));
  EXPECT_EQ(scatter("", "x3"), Rows());
}

TEST(FlatRows, FunctionsOfThePlaceAreFree) {
  const Rows by_first{{0, 1}};
  const std::string place = "x5 = mul x3 x0; x6 = add x5 x4; ";
  EXPECT_EQ(rows_of_map(place + "x7 = quot x6 x1; x9 = load_linear %0.0 x7"), by_first);
  EXPECT_EQ(rows_of_map(place + "x9 = cast x6 : f32"), by_first);
  EXPECT_EQ(rows_of_map(place + "x7 = lt x6 x1; x8 = load_linear %0.0 x6; x9 = if x7 { -> x8 } "
                                "else { x10 = const 0 : f32; -> x10 }"),
            by_first);
}

// Axis 0 is used by itself, or in addresses that the second axis is not part of.
TEST(FlatRows, TheLastAxesMayBeOneWithoutTheFirst) {
  const auto of_three = [](const std::string& body) {
    return flat_rows_of(
        "kernel map rank 3 {\n inputs f32\n outputs f32\n scalars (x0: i64, x1: i64)\n"
        " element (x2: i64, x3: i64, x4: i64) {\n" +
        body + "\n -> x9\n }\n}\n");
  };
  const std::string place =
      "x5 = mul x2 x0; x6 = add x5 x3; x7 = mul x6 x1; x8 = add x7 x4; "
      "x10 = load_linear %0.0 x8; ";
  EXPECT_EQ(of_three(place + "x11 = load_linear %0.0 x2; x9 = add x10 x11"),
            (kernels::FlatRows{1, {{1, 2}}}));
  EXPECT_EQ(of_three(place + "x11 = load_linear %0.0 x4; x9 = add x10 x11"), kernels::FlatRows());
  EXPECT_EQ(of_three(place + "x11 = load_linear %0.0 x3; x9 = add x10 x11"), kernels::FlatRows());
}

TEST(FlatRows, ResultsOfFoldsAndScans) {
  // The rows x2, of which the elements x3 are folded or scanned along x4.
  const auto of = [](const std::string& skeleton, const std::string& after) {
    return flat_rows_of("kernel " + skeleton +
                        " rank 3 {\n inputs f32\n outputs f32\n scalars (x0: i64, x1: i64)\n"
                        " element (x2: i64, x3: i64, x4: i64) {\n x5 = mul x4 x0; x6 = add x5 x2\n"
                        " x7 = mul x6 x1; x8 = add x7 x3; x9 = load_linear %0.0 x8\n -> x9\n }\n"
                        " combine (x10: f32, x11: f32) { x12 = add x10 x11; -> x12 }\n"
                        " seed\n lanes outer commutative add\n epilogue " +
                        after + "\n}\n");
  };
  const kernels::FlatRows both{0, {{1, 1}}}, none;
  EXPECT_EQ(of("fold", "(x13: i64, x14: i64, x15: f32) { -> x15 }"), both);
  EXPECT_EQ(of("fold",
               "(x13: i64, x14: i64, x15: f32) { x16 = mul x13 x1; x17 = add x16 x14; "
               "x18 = load_linear %0.0 x17; x19 = add x15 x18; -> x19 }"),
            both);
  EXPECT_EQ(of("fold",
               "(x13: i64, x14: i64, x15: f32) { x18 = load_linear %0.0 x14; "
               "x19 = add x15 x18; -> x19 }"),
            none);
  EXPECT_EQ(of("scan", "(x13: i64, x14: i64, x20: i64, x15: f32) { -> x15 }"), both);
}

}  // namespace
}  // namespace hasten::test
