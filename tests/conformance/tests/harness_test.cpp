// The suite's own tool: which results count as different.
#include "tests/conformance/tool/harness.hpp"

#include <cmath>
#include <limits>

namespace hasten::conformance {
namespace {

template <class T>
Host vector(std::initializer_list<T> values) {
  return detail::Access::host(Vector<T>(values));
}

template <class T>
bool same(T a, T b, std::int64_t ulps = 0) {
  return !difference(*vector({a}), *vector({b}), {.ulps = ulps});
}

TEST(Difference, OfNumbers) {
  EXPECT_TRUE(same(1, 1));
  EXPECT_FALSE(same(1, 2));
  EXPECT_FALSE(same(true, false));
}

TEST(Difference, OfFloats) {
  const float one = 1, next = std::nextafter(one, 2.0F);
  EXPECT_FALSE(same(one, next));
  EXPECT_TRUE(same(one, next, 1));
  EXPECT_FALSE(same(one, std::nextafter(next, 2.0F), 1));
  EXPECT_FALSE(same(0.0, -0.0)) << "their bits differ";
  EXPECT_TRUE(same(0.0, -0.0, 1));
  EXPECT_FALSE(same(-1e-300, 1e-300, 4));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(same(infinity, infinity));
  EXPECT_FALSE(same(infinity, -infinity, 4));
}

TEST(Difference, AnyNanIsAnyOther) {
  EXPECT_TRUE(same(std::nanf("1"), -std::nanf("2")));
  EXPECT_FALSE(same(std::nanf("1"), 1.0F, 4));
}

TEST(Difference, OfShapes) {
  const Host flat = vector({1, 2, 3, 4});
  EXPECT_TRUE(difference(*flat, *flat->reshaped({2, 2}), {}));
  EXPECT_FALSE(difference(*flat->reshaped({2, 2}), *flat->reshaped({2, 2}), {}));
  EXPECT_TRUE(difference(*flat, *vector({1.0F, 2.0F, 3.0F, 4.0F}), {}));
}

TEST(Difference, NamesThePlace) {
  const auto what = difference(*vector({1, 2, 3, 4})->reshaped({2, 2}),
                               *vector({1, 2, 7, 4})->reshaped({2, 2}), {});
  ASSERT_TRUE(what);
  EXPECT_EQ(*what, "leaf 0 at (1, 0) is 7, expected 3");
}

TEST(RandomArrays, AreTheSameForTheSameSeed) {
  const std::vector<detail::ScalarType> leaves{detail::ScalarType::f32, detail::ScalarType::i64};
  EXPECT_FALSE(difference(*random_array(leaves, {100}, 5), *random_array(leaves, {100}, 5), {}));
  EXPECT_TRUE(difference(*random_array(leaves, {100}, 5), *random_array(leaves, {100}, 6), {}));
}

}  // namespace
}  // namespace hasten::conformance
