// std::optional and std::variant in programs and host arrays, on every target.
#include "support.hpp"

using hs::Acc, hs::Exp, hs::none, hs::Vector;

namespace {

class SumTypes : public hasten_test::OnEveryTarget {
 protected:
  template <class T>
  static Exp<T> value(T v) {
    return hs::parameter(v);
  }
};

using Maybe = std::optional<std::int32_t>;
using Number = std::variant<std::int32_t, float, bool>;

TEST_P(SumTypes, OptionalsHaveAValueOrNot) {
  const Exp<Maybe> three = hs::some(value(3)), nothing = none;
  EXPECT_EQ(run(three), Maybe(3));
  EXPECT_EQ(run(nothing), Maybe());
  EXPECT_EQ(run(Exp<Maybe>{}), Maybe());
  EXPECT_EQ(run(Exp<Maybe>(Maybe(4))), Maybe(4));
  EXPECT_TRUE(run(hs::has_value(three)));
  EXPECT_FALSE(run(hs::has_value(nothing)));
  EXPECT_EQ(run(hs::value_or(three, 7)), 3);
  EXPECT_EQ(run(hs::value_or(nothing, value(7))), 7);
  EXPECT_EQ(run(hs::match(three, [](auto x) { return x * 2; }, [] { return -1; })), 6);
  EXPECT_EQ(run(hs::match(nothing, [](auto x) { return x * 2; }, [] { return -1; })), -1);
}

TEST_P(SumTypes, NoneTakesTheTypeOfTheOtherSide) {
  const Exp<std::int32_t> x = value(5);
  const auto positive = [](const Exp<std::int32_t>& e) { return hs::select(e > 0, some(e), none); };
  EXPECT_EQ(run(positive(x)), Maybe(5));
  EXPECT_EQ(run(positive(-x)), Maybe());
  const auto halved = [](const Exp<std::int32_t>& e) {
    return hs::select(e % 2 == 0, none, hs::some(e / 2));
  };
  EXPECT_EQ(run(hs::match(positive(x), halved, [] { return none; })), Maybe(2));
  EXPECT_EQ(run(std::pair{hs::some(x), 1.0F}), (std::pair<Maybe, float>(5, 1.0F)));
  const Exp<std::pair<Maybe, float>> pair = std::pair{none, 2.0F};
  EXPECT_EQ(run(pair), (std::pair<Maybe, float>({}, 2.0F)));
}

TEST_P(SumTypes, OptionalsAreOrderedNoneFirst) {
  const std::vector<Maybe> ascending{Maybe(), Maybe(-5), Maybe(0), Maybe(7)};
  for (const Maybe& a : ascending)
    for (const Maybe& b : ascending) {
      const Exp<Maybe> x = value(a), y = value(b);
      EXPECT_EQ(run(x == y), a == b);
      EXPECT_EQ(run(x != y), a != b);
      EXPECT_EQ(run(x < y), a < b);
      EXPECT_EQ(run(x >= y), a >= b);
      EXPECT_EQ(run(hs::max(x, y)), std::max(a, b));
    }
  EXPECT_TRUE(run(value(Maybe()) == none));
  EXPECT_TRUE(run(hs::some(value(0)) > none));
}

TEST_P(SumTypes, OnlyOneBranchIsEvaluated) {
  const Vector<int> v{10, 20};
  const Exp<std::optional<std::int64_t>> nowhere = none;
  const auto at = hs::match(nowhere, [&](auto i) { return hs::use(v)[i + 99]; }, [] { return 0; });
  EXPECT_EQ(run(at), 0);  // the interpreter checks indices
}

TEST_P(SumTypes, ArraysOfOptionals) {
  const Vector<Maybe> v{1, std::nullopt, 3};
  EXPECT_EQ(v(0), Maybe(1));
  EXPECT_EQ(v(1), Maybe());
  EXPECT_EQ(v.component<0>()[2], true);
  EXPECT_EQ(v.to_vector(), (std::vector<Maybe>{1, {}, 3}));
  EXPECT_EQ(v, (Vector<Maybe>{1, std::nullopt, 3}));
  EXPECT_FALSE(v == (Vector<Maybe>{1, 0, 3}));
  const auto a = hs::use(v);
  EXPECT_EQ(run(hs::value_or(a, 9)), (Vector<std::int32_t>{1, 9, 3}));
  EXPECT_EQ(run(hs::has_value(a)), (Vector<bool>{true, false, true}));
  EXPECT_EQ(run(hs::some(hs::value_or(a, 0))), (Vector<Maybe>{1, 0, 3}));
  EXPECT_EQ(run(a == Maybe(3)), (Vector<bool>{false, false, true}));
  const auto first = [](const Exp<Maybe>& x, const Exp<Maybe>& y) {
    return hs::select(hs::has_value(x), x, y);
  };
  EXPECT_EQ(run(hs::fold(first, Maybe(), a)).item(), Maybe(1));
  const auto f = hs::compile([](Exp<Maybe> x, Acc<Vector<Maybe>> y) { return y == x; }, GetParam());
  EXPECT_EQ(f(std::nullopt, v), (Vector<bool>{false, true, false}));
}

TEST_P(SumTypes, VariantsHoldOneAlternative) {
  const Exp<Number> i = value(3), x = value(2.5F), b = true;
  EXPECT_EQ(run(i), Number(3));
  EXPECT_EQ(run(x), Number(2.5F));
  EXPECT_EQ(run(b), Number(true));
  EXPECT_EQ(run(Exp<Number>{}), Number(0));
  const auto number = [](const Exp<Number>& v) {
    return hs::match(
        v, [](auto n) { return hs::cast<double>(n); }, [](auto f) { return hs::cast<double>(f); },
        [](auto t) { return hs::select(t, 1.0, 0.0); });
  };
  EXPECT_EQ(run(number(i)), 3.0);
  EXPECT_EQ(run(number(x)), 2.5);
  EXPECT_EQ(run(number(b)), 1.0);
  const std::vector<Number> ascending{Number(-1),   Number(3),     Number(-2.0F),
                                      Number(2.5F), Number(false), Number(true)};
  for (const Number& p : ascending)
    for (const Number& q : ascending) {
      EXPECT_EQ(run(value(p) == value(q)), p == q);
      EXPECT_EQ(run(value(p) < value(q)), p < q);
    }
}

TEST_P(SumTypes, VariantsOfOneTypeTwice) {
  using Side = std::variant<std::int32_t, std::int32_t>;
  const auto left = hs::variant_of<Side, 0>(value(1)), right = hs::variant_of<Side, 1>(1);
  EXPECT_TRUE(run(left < right));
  EXPECT_EQ(run(right).index(), 1U);
  const auto tag = [](const Exp<Side>& s) {
    return hs::match(s, [](auto x) { return x; }, [](auto x) { return -x; });
  };
  EXPECT_EQ(run(tag(left)), 1);
  EXPECT_EQ(run(tag(right)), -1);
}

TEST_P(SumTypes, ArraysOfVariantsAndNesting) {
  using Shape = std::variant<float, std::pair<float, float>, std::optional<std::int64_t>>;
  const Vector<Shape> v{Shape(2.0F), Shape(std::pair(3.0F, 4.0F)),
                        Shape(std::optional<std::int64_t>(5)),
                        Shape(std::optional<std::int64_t>())};
  EXPECT_EQ(v(1), Shape(std::pair(3.0F, 4.0F)));
  const auto area = [](const Exp<Shape>& s) {
    return hs::match(
        s, [](auto side) { return side * side; }, [](auto w, auto h) { return w * h; },
        [](auto o) { return hs::cast<float>(hs::value_or(o, -1)); });
  };
  EXPECT_EQ(run(hs::map(area, hs::use(v))), (Vector<float>{4, 12, 5, -1}));
  EXPECT_EQ(run(hs::use(v)), v);
  const auto same =
      run(hs::zip_with([](auto a, auto b) { return a == b; }, hs::use(v), hs::use(v)));
  EXPECT_EQ(same, (Vector<bool>{true, true, true, true}));
}

HASTEN_ON_EVERY_TARGET(SumTypes);

}  // namespace
