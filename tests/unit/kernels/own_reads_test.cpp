// The inputs that are read only where outputs are written.
#include "kernels/analysis/indices/own_reads.hpp"

#include "kernels/text/parse.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hasten::test {
namespace {

using Own = std::vector<bool>;

Own own_of(const std::string& text) {
  const kernels::Kernel kernel = kernels::parse_kernel(text);
  kernels::verify(kernel);
  return kernels::own_reads(kernel);
}

// Two inputs over one axis with the index x1; x9 is stored.
Own own_of_map(const std::string& body) {
  return own_of(
      "kernel map rank 1 {\n inputs f32 i64\n outputs f32\n scalars (x0: i64)\n"
      " element (x1: i64) {\n" +
      body + "\n -> x9\n }\n}\n");
}

TEST(OwnReads, OfOneAxisTheIndexIsThePlace) {
  EXPECT_EQ(own_of_map("x9 = load_linear %0.0 x1"), (Own{true, false}));
  EXPECT_EQ(own_of_map("x2 = load_linear %1.0 x1; x9 = load_linear %0.0 x2"), (Own{false, true}));
  EXPECT_EQ(own_of_map("x2 = load_linear %0.0 x1; x3 = add x1 x0; x4 = load_linear %0.0 x3; "
                       "x9 = add x2 x4"),
            (Own{false, false}));
  EXPECT_EQ(own_of_map("x2 = min x1 x0; x9 = load_linear %0.0 x2"), (Own{false, false}));
  EXPECT_EQ(own_of_map("x9 = load_linear %0.0 x0"), (Own{false, false}));
}

TEST(OwnReads, InBranchesAndLoops) {
  EXPECT_EQ(own_of_map("x2 = lt x1 x0; x9 = if x2 { x3 = load_linear %0.0 x1; -> x3 } else "
                       "{ x4 = cast x0 : f32; -> x4 }"),
            (Own{true, false}));
  // The state of a loop begins as the index, and is another index later.
  EXPECT_EQ(own_of_map("x2 = while x1 (x3: i64) { x4 = lt x3 x0; -> x4 } do (x5: i64) "
                       "{ x6 = load_linear %1.0 x5; -> x6 }; x9 = load_linear %0.0 x1"),
            (Own{true, false}));
}

TEST(OwnReads, OfRowsAllThatDependsOnTheIndexIsThePlace) {
  const auto map = [](const std::string& kind) {
    return own_of("kernel map rank 2" + kind +
                  " {\n inputs f32 f32\n outputs f32\n scalars (x0: i64, x1: i64)\n"
                  " element (x2: i64, x3: i64) {\n x4 = mul x2 x0; x5 = add x4 x3\n"
                  " x6 = load_linear %0.0 x5; x7 = load_linear %1.0 x1; x8 = mul x6 x7\n -> x8\n"
                  " }\n}\n");
  };
  EXPECT_EQ(map(" collapsible"), (Own{true, false}));
  EXPECT_EQ(map(""), (Own{false, false}));
}

Own own_of_fold(const std::string& stored, const std::string& outputs, const std::string& results) {
  return own_of("kernel fold rank 1" + stored + " {\n inputs f32\n outputs " + outputs +
                "\n scalars ()\n element (x0: i64) { x1 = load_linear %0.0 x0; x2 = neg x1; -> " +
                results +
                " }\n combine (x3: f32, x4: f32) { x5 = add x3 x4; -> x5 }\n seed\n"
                " lanes reduction commutative add\n epilogue (x6: f32) { -> x6 }\n}\n");
}

TEST(OwnReads, OfFoldsWhatStandsBesideThem) {
  EXPECT_EQ(own_of_fold(" stored 1", "f32 f32", "x1, x2"), Own{true});
  EXPECT_EQ(own_of_fold("", "f32", "x1"), Own{false});
}

TEST(OwnReads, ScansReadTwice) {
  EXPECT_EQ(own_of("kernel scan rank 1 {\n inputs f32\n outputs f32\n scalars ()\n"
                   " element (x0: i64) { x1 = load_linear %0.0 x0; -> x1 }\n"
                   " combine (x2: f32, x3: f32) { x4 = add x2 x3; -> x4 }\n seed\n"
                   " lanes reduction commutative add\n epilogue (x5: i64, x6: f32) { -> x6 }\n}\n"),
            Own{false});
}

}  // namespace
}  // namespace hasten::test
