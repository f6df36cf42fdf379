// Reductions of one range become one where neither needs the other's result.
#include "kernels/lowering/joined_reductions.hpp"

#include "kernels/text/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace hasten::test {
namespace {

using testing::ElementsAre;

std::string reduction(const std::string& result, int first, const std::string& end,
                      const std::string& index, const std::string& op) {
  const auto x = [&](int i) { return "x" + std::to_string(first + i); };
  return result + " = reduce [x2] x1 " + end + " (" + x(0) + ": i64) { " + x(1) + " = add " +
         index + " " + x(0) + "; " + x(2) + " = load_linear %0.0 " + x(1) + "; -> " + x(2) +
         " } combine (" + x(3) + ": f32, " + x(4) + ": f32) { " + x(5) + " = " + op + " " + x(3) +
         " " + x(4) + "; -> " + x(5) + " }\n";
}

// The numbers of leaves of the reductions of a map whose element has two; x0 is an extent, x5 the
// index.
std::vector<std::size_t> joined(const std::string& first, const std::string& second) {
  kernels::Kernel kernel = kernels::parse_kernel(
      "kernel map rank 1 {\n  inputs f32\n  outputs f32\n  scalars (x0: i64)\n  element (x5: i64) "
      "{\n x1 = const 0 : i64\n x2 = const 0 : f32\n" +
      first + second + "x40 = add x20 x30\n -> x40\n }\n}\n");
  kernels::verify(kernel);
  std::vector<std::size_t> leaves;
  const bool changed = kernels::join_reductions(kernel);
  kernels::verify(kernel);
  for (const core::Stmt& stmt : kernel.element.body)
    if (std::holds_alternative<core::Reduce>(stmt.op)) leaves.push_back(stmt.results.size());
  EXPECT_EQ(changed, leaves.size() == 1);
  return leaves;
}

TEST(JoinedReductions, OfOneRange) {
  EXPECT_THAT(
      joined(reduction("x20", 10, "x0", "x5", "add"), reduction("x30", 21, "x0", "x5", "max")),
      ElementsAre(2));
}

TEST(JoinedReductions, NotOfOtherRanges) {
  EXPECT_THAT(
      joined(reduction("x20", 10, "x0", "x5", "add"), reduction("x30", 21, "x5", "x5", "add")),
      ElementsAre(1, 1));
}

TEST(JoinedReductions, NotWhereOneNeedsTheOther) {
  const std::string place = "x19 = cast x20 : i64\n";
  EXPECT_THAT(joined(reduction("x20", 10, "x0", "x5", "add"),
                     place + reduction("x30", 21, "x0", "x19", "add")),
              ElementsAre(1, 1));
}

// The former is the same for all elements, and is made once.
TEST(JoinedReductions, NotOfOtherIndices) {
  EXPECT_THAT(
      joined(reduction("x20", 10, "x0", "x0", "add"), reduction("x30", 21, "x0", "x5", "add")),
      ElementsAre(1, 1));
}

TEST(JoinedReductions, NotWhereAnOperatorNeedsAnOrder) {
  EXPECT_THAT(
      joined(reduction("x20", 10, "x0", "x5", "add"), reduction("x30", 21, "x0", "x5", "sub")),
      ElementsAre(1, 1));
}

}  // namespace
}  // namespace hasten::test
