#include "passes/bounds/inequalities.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace {

using hasten::passes::Inequalities, hasten::passes::Sum, hasten::passes::Unknown;

Sum number(std::int64_t n) { return Sum::of_number(n); }
Sum minus(const Sum& a, const Sum& b) { return a.plus(b, -1).value(); }

struct PassesInequalities : testing::Test {
  Inequalities known;
  Sum extent() { return Sum::of(known.add({{{number(0)}}, {}, {}})); }
  // Between 0 and extent - 1.
  Sum index(const Sum& extent) {
    return Sum::of(known.add({{{number(0)}}, {{minus(extent, number(1))}}, {}}));
  }
  bool holds(const Sum& sum) { return known.is_never_negative(sum); }
};

TEST_F(PassesInequalities, OfNumbers) {
  EXPECT_TRUE(holds(number(0)));
  EXPECT_FALSE(holds(number(-1)));
}

TEST_F(PassesInequalities, OfAnIndexAndItsExtent) {
  const Sum n = extent(), i = index(n);
  EXPECT_TRUE(holds(i));
  EXPECT_TRUE(holds(minus(minus(n, i), number(1))));
  EXPECT_FALSE(holds(minus(minus(n, i), number(2))));
  EXPECT_FALSE(holds(minus(i, number(1))));
}

TEST_F(PassesInequalities, OfAnIndexFromTheOtherEnd) {
  const Sum n = extent(), i = index(n);
  const Sum mirrored = minus(minus(n, number(1)), i);
  EXPECT_TRUE(holds(mirrored));
  EXPECT_TRUE(holds(minus(minus(n, number(1)), mirrored)));
}

TEST_F(PassesInequalities, OfTwoIndices) {
  const Sum n = extent(), m = extent();
  const Sum window = minus(n, m).plus(number(1)).value();
  const Sum i = index(window), k = index(m);
  const Sum at = i.plus(k).value();
  EXPECT_TRUE(holds(at));
  EXPECT_TRUE(holds(minus(minus(n, number(1)), at)));
  EXPECT_FALSE(holds(minus(minus(n, number(2)), at)));
}

TEST_F(PassesInequalities, OfQuotients) {
  const Sum n = extent();
  const Sum half = Sum::of(known.add({{{number(0)}}, {{n, 2}}, {}}));
  const Sum i = index(half);
  EXPECT_TRUE(holds(minus(n, i.times(2)->plus(number(2)).value())));
  EXPECT_FALSE(holds(minus(n, i.times(2)->plus(number(3)).value())));
  EXPECT_FALSE(holds(minus(n, i.times(3).value())));
}

// 2 * (n / 4) <= n / 2 holds although the fractions do not imply it, because both sides are
// integers.
TEST_F(PassesInequalities, OfQuotientsOfDifferentNumbers) {
  const Sum n = extent();
  const auto quotient = [&](std::int64_t by) {
    return Sum::of(known.add({{{number(0)}, {minus(n, number(by - 1)), by}}, {{n, by}}, {}}));
  };
  const Sum half = quotient(2), fourth = quotient(4);
  EXPECT_TRUE(holds(minus(half, fourth.times(2).value())));
  EXPECT_FALSE(holds(minus(half, fourth.times(2)->plus(number(1)).value())));
  EXPECT_FALSE(holds(minus(fourth.times(2).value(), half)));
}

TEST_F(PassesInequalities, OfOneOfSeveral) {
  const Sum n = extent(), i = index(n);
  const Sum either = Sum::of(known.add({{}, {}, {number(0), i}}));
  EXPECT_TRUE(holds(either));
  EXPECT_FALSE(holds(minus(minus(n, number(1)), either)));  // n may be 0
  known.assume_not_negative(minus(n, number(1)));
  EXPECT_TRUE(holds(minus(minus(n, number(1)), either)));
}

TEST_F(PassesInequalities, ForgetsWhatWasAssumed) {
  const Sum x = Sum::of(known.add({}));
  EXPECT_FALSE(holds(x));
  const std::size_t before = known.facts();
  known.assume_not_negative(minus(x, number(3)));
  EXPECT_TRUE(holds(minus(x, number(3))));
  EXPECT_FALSE(holds(minus(x, number(4))));
  known.forget(before);
  EXPECT_FALSE(holds(x));
}

TEST_F(PassesInequalities, LargeNumbersAreInNoSum) {
  const Sum n = extent();
  EXPECT_FALSE(n.plus(number(Sum::limit + 1)).has_value());
  EXPECT_FALSE(n.times(std::numeric_limits<std::int64_t>::max()).has_value());
  EXPECT_FALSE(n.times(Sum::limit)->times(2).has_value());
  EXPECT_TRUE(n.plus(number(Sum::limit)).has_value());
}

// Unknowns with many bounds each: the search gives up without a wrong result.
TEST_F(PassesInequalities, Ends) {
  std::vector<Sum> all{extent()};
  for (int i = 0; i < 100; ++i) {
    Inequalities::Bounds bounds;
    for (const Sum& each : all) bounds.at_most.push_back({each});
    all.push_back(Sum::of(known.add(bounds)));
  }
  EXPECT_FALSE(holds(minus(number(5), all.back())));
}

TEST_F(PassesInequalities, BoundsByWhatWasThereBefore) {
  const Sum n = extent();
  const Unknown oldest = known.next();
  const Sum i = index(n);
  const auto most = known.bound(i.plus(number(2)).value(), Inequalities::Side::at_most, oldest);
  ASSERT_TRUE(most.has_value());
  EXPECT_TRUE(holds(minus(n.plus(number(1)).value(), *most)));
  const Sum x = Sum::of(known.add({}));
  EXPECT_FALSE(known.bound(x, Inequalities::Side::at_most, oldest).has_value());
}

}  // namespace
