// The conditions of a scatter that bound its targets, and those that remain.
#include "kernels/analysis/target_bounds.hpp"
#include "kernels/text/parse.hpp"

#include <gtest/gtest.h>

namespace hasten::test {
namespace {

using kernels::Value;

// x0 and x1 are arguments, x4 is the target, x5 is not a bound of it.
kernels::Kernel scatter_where(const std::string& conditions, const std::string& keep) {
  return kernels::parse_kernel(R"(kernel scatter rank 1 {
  inputs i64 f32
  outputs f32
  scalars (x0: i64, x1: i64)
  element (x2: i64) {
    x3 = const 5 : i64
    x4 = load_linear %0.0 x2
    x5 = lt x2 x0
)" + conditions + "    x10 = load_linear %1.0 x2\n    -> " +
                               keep + R"(, x4, x10
  }
  combine (x11: f32, x12: f32) { x13 = add x11 x12; -> x13 }
}
)");
}

// The kernel's own numbers for values: the parser renumbers those of the text.
Value target_of(const kernels::Kernel& kernel) { return kernel.element.results[1]; }

TEST(TargetBounds, AreTakenFromBothSides) {
  const auto kernel = scatter_where(
      "    x6 = ge x4 x3\n    x7 = gt x0 x4\n    x8 = and x6 x7\n    x9 = and x8 x5\n", "x9");
  const auto bounds = kernels::target_bounds(kernel);
  ASSERT_EQ(bounds.at_least.size(), 1U);
  EXPECT_EQ(kernels::constant_of(kernel.element, bounds.at_least[0])->lo, 5U);
  EXPECT_EQ(bounds.below, std::vector<Value>{kernel.scalars[0]});
  EXPECT_EQ(bounds.others.size(), 1U);
}

TEST(TargetBounds, AreNotWhatChangesOrComparesOtherwise) {
  const auto kernel = scatter_where(
      "    x6 = gt x4 x3\n    x7 = lt x4 x2\n    x8 = or x6 x7\n    x9 = and x8 x7\n", "x9");
  const auto bounds = kernels::target_bounds(kernel);
  EXPECT_TRUE(bounds.at_least.empty());
  EXPECT_TRUE(bounds.below.empty());
  EXPECT_EQ(bounds.others.size(), 2U);
  EXPECT_NE(bounds.others[0], target_of(kernel));
}

TEST(TargetBounds, OfWhatIsAlwaysKept) {
  const auto bounds = kernels::target_bounds(scatter_where("    x9 = const true : bool\n", "x9"));
  EXPECT_TRUE(bounds.others.empty());
  EXPECT_TRUE(bounds.at_least.empty());
}

// Bounds of one index are together; what is compared with what changes stays.
TEST(TargetBounds, OfIndices) {
  const auto kernel = scatter_where(
      "    x6 = ge x2 x3\n    x7 = lt x2 x4\n    x8 = and x6 x7\n    x9 = and x8 x5\n", "x9");
  std::vector<Value> conditions = kernels::target_bounds(kernel).others;
  ASSERT_EQ(conditions.size(), 3U);
  const auto bounds = kernels::take_index_bounds(kernel, conditions);
  ASSERT_EQ(bounds.size(), 1U);
  EXPECT_EQ(bounds[0].index, kernel.element.params[0]);
  ASSERT_EQ(bounds[0].at_least.size(), 1U);
  EXPECT_EQ(kernels::constant_of(kernel.element, bounds[0].at_least[0])->lo, 5U);
  EXPECT_EQ(bounds[0].below, std::vector<Value>{kernel.scalars[0]});
  EXPECT_EQ(conditions.size(), 1U);
}

}  // namespace
}  // namespace hasten::test
