// Elements scattered to computed places and gathered from them, compared with loops over host
// arrays.
#include "../support.hpp"

#include <functional>
#include <limits>
#include <optional>
#include <vector>

using hs::Array, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

class Permute : public hasten_test::OnEveryTarget {
 protected:
  const Vector<int> v{5, 3, 9, 1, 7, 3};
  const Matrix<int> m{{1, 2, 3}, {4, 5, 6}};
};

using Index = std::int64_t;
const auto newest = [](auto fresh, auto) { return fresh; };

TEST_P(Permute, CombinesNewWithOld) {
  const auto defaults = hs::use(Vector<int>{100, 200, 300});
  const auto by_remainder = [](const Exp<Index>& i) { return i % 3; };
  EXPECT_EQ(run(hs::permute(std::plus<>{}, defaults, by_remainder, hs::use(v))),
            (Vector<int>{106, 210, 312}));
  const auto minus = [](auto fresh, auto old) { return fresh - old; };
  EXPECT_EQ(run(hs::permute(
                    minus, hs::use(Vector<int>{10}), [](auto i) { return i; }, hs::use(v)))
                .to_vector(),
            (std::vector<int>{-5}));
}

TEST_P(Permute, DropsTargetsOutOfRange) {
  const auto defaults = hs::fill(hs::ix(4), Exp<int>(-1));
  const auto moved = [](const Exp<Index>& i) { return i - 2; };
  EXPECT_EQ(run(hs::permute(newest, defaults, moved, hs::use(v))), (Vector<int>{9, 1, 7, 3}));
  EXPECT_EQ(run(hs::permute_unique(
                defaults, [](const Exp<Index>& i) { return i * 3; }, hs::use(v))),
            (Vector<int>{5, -1, -1, 3}));
}

TEST_P(Permute, FunctionsOfIndexAndElement) {
  const auto counts = hs::fill(hs::ix(10), Exp<int>(0));
  const auto by_value = [](const Exp<Index>&, const Exp<int>& x) { return x; };
  EXPECT_EQ(run(hs::permute(std::plus<>{}, counts, by_value, hs::use(v))),
            (Vector<int>{0, 1, 0, 6, 0, 5, 0, 7, 0, 9}));
}

TEST_P(Permute, BetweenRanks) {
  const auto turned = hs::permute_unique(
      hs::fill(hs::ix(3, 2), Exp<int>(0)),
      [](const Exp<Ix<2>>& at) { return hs::ix(at[1], at[0]); }, hs::use(m));
  EXPECT_EQ(run(turned), (Matrix<int>{{1, 4}, {2, 5}, {3, 6}}));
  const auto by_components = [](const Exp<Index>& i, const Exp<Index>& j) { return i + j; };
  EXPECT_EQ(
      run(hs::permute(std::plus<>{}, hs::fill(hs::ix(4), Exp<int>(0)), by_components, hs::use(m))),
      (Vector<int>{1, 6, 8, 6}));
  const auto diagonal = [](const Exp<Index>& i) { return hs::ix(i, i); };
  EXPECT_EQ(run(hs::permute_unique(hs::fill(hs::ix(2, 2), Exp<int>(0)), diagonal, hs::use(v))),
            (Matrix<int>{{5, 0}, {0, 3}}));
  const auto all_to_one = [](const Exp<Ix<2>>&) { return Ix<0>(); };
  EXPECT_EQ(run(hs::permute(std::plus<>{}, hs::unit(Exp<int>(1)), all_to_one, hs::use(m))).item(),
            22);
}

TEST_P(Permute, OfNothing) {
  const Vector<int> none{};
  const auto same = [](const Exp<Index>& i) { return i; };
  EXPECT_EQ(run(hs::permute(newest, hs::use(v), same, hs::use(none))), v);
  EXPECT_EQ(run(hs::permute(newest, hs::use(none), same, hs::use(v))), none);
}

TEST_P(Permute, Scatter) {
  const auto targets = hs::use(Vector<std::int32_t>{3, -1, 0, 3, 8, 1, 2});
  const auto defaults = hs::use(Vector<int>{10, 20, 30, 40, 50});
  EXPECT_EQ(run(hs::scatter(targets, defaults, hs::use(v))), (Vector<int>{9, 3, 30, 1, 50}))
      << "of several values the last stays";
  const auto mask = hs::use(Vector<int>{1, 1, 0, 0, 1, 1, 1});
  const auto set = [](const Exp<int>& x) { return x != 0; };
  EXPECT_EQ(run(hs::scatter_if(targets, mask, set, defaults, hs::use(v))),
            (Vector<int>{10, 3, 30, 5, 50}));
  const auto places = hs::use(Vector<Ix<2>>{{0, 2}, {1, 0}, {5, 0}});
  EXPECT_EQ(run(hs::scatter(places, hs::use(m), hs::use(v))), (Matrix<int>{{1, 2, 5}, {3, 5, 6}}));
}

TEST_P(Permute, Gather) {
  const auto indices = hs::use(Matrix<std::uint8_t>{{0, 5}, {2, 2}});
  EXPECT_EQ(run(hs::gather(indices, hs::use(v))), (Matrix<int>{{5, 3}, {9, 9}}));
  const auto places = hs::use(Vector<Ix<2>>{{0, 2}, {1, 0}});
  EXPECT_EQ(run(hs::gather(places, hs::use(m))), (Vector<int>{3, 4}));
}

TEST_P(Permute, GatherReadsOnlyWhereTheTestHolds) {
  hs::Options checked = GetParam();
  checked.checks = hs::Checks::bounds;
  const auto indices = hs::use(Vector<int>{0, 99, 2, 1});
  const auto mask = hs::use(Vector<float>{1, -1, 1, -1, 1});
  const auto positive = [](const Exp<float>& x) { return x > 0.0F; };
  const auto defaults = hs::use(Vector<int>{-1, -2, -3});
  EXPECT_EQ(hs::run(hs::gather_if(indices, mask, positive, defaults, hs::use(v)), checked),
            (Vector<int>{5, -2, 9}));
}

TEST_P(Permute, Histogram) {
  const auto bin = [](const Exp<int>& x) { return x / 3; };
  EXPECT_EQ(run(hs::histogram(3, bin, hs::use(v))), (Vector<Index>{1, 3, 1}));
  const auto weight = [](const Exp<int>& x) { return hs::cast<double>(x) * 0.5; };
  EXPECT_EQ(run(hs::histogram(4, bin, weight, hs::use(v))), (Vector<double>{0.5, 5.5, 3.5, 4.5}));
  EXPECT_EQ(run(hs::histogram(
                2, [](const Exp<int>& x) { return x - 3; }, hs::use(m))),
            (Vector<Index>{1, 1}));
  EXPECT_EQ(run(hs::histogram(-3, bin, hs::use(v))).size(), 0);
  const auto many = hs::map([](const Exp<Index>& i) { return i * i; }, hs::iota(100'000));
  std::vector<Index> expected(16);
  for (Index i = 0; i < 100'000; ++i) ++expected[static_cast<std::size_t>(i * i % 16)];
  EXPECT_EQ(run(hs::histogram(16, [](auto x) { return x % 16; }, many)).to_vector(), expected);
}

// Conditions that bound the target itself: tighter and wider than the array, contradictory, and
// beside a condition of another kind; with operators whose updates may be in any order, and with
// one whose updates may not.
TEST_P(Permute, ConditionsOnTheTarget) {
  const Index n = 1003, bins = 40;
  const auto counted =
      hs::compile<hs::Acc<Vector<Index>>(Exp<Index>, Exp<Index>, hs::Acc<Vector<int>>)>(
          [=](const Exp<Index>& low, const Exp<Index>& high, const hs::Acc<Vector<int>>& keys) {
            const auto target = [=](const Exp<Index>& i) {
              const Exp<Index> key = hs::cast<Index>(keys[i]);
              return hs::if_((key >= low) & (high > key) & (i % 7 != 3), hs::some(key),
                             Exp<std::optional<Index>>(hs::none));
            };
            return hs::permute(std::plus<>{}, hs::fill(bins, Index{0}), target, hs::iota(n));
          },
          GetParam());
  const auto key_of = [](Index i) { return static_cast<int>(i * i % 61) - 10; };
  std::vector<int> list;
  for (Index i = 0; i < n; ++i) list.push_back(key_of(i));
  const Vector<int> keys(n, list);
  for (const auto& [low, high] : {std::pair<Index, Index>{0, bins},
                                  {5, 6},
                                  {-3, 100},
                                  {20, 10},
                                  {-100, -50},
                                  {39, 41},
                                  {std::numeric_limits<Index>::min(), 12},
                                  {12, std::numeric_limits<Index>::max()}}) {
    std::vector<Index> expected(bins);
    for (Index i = 0; i < n; ++i)
      if (const int key = key_of(i);
          key >= 0 && key < bins && key >= low && key < high && i % 7 != 3)
        expected[static_cast<std::size_t>(key)] += i;
    EXPECT_EQ(counted(low, high, keys).to_vector(), expected) << low << " to " << high;
  }
}

HASTEN_ON_EVERY_TARGET(Permute);

}  // namespace
