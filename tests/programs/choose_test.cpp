// Choosing, sorting and joining elements, compared with loops and algorithms on host arrays.
#include "support.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

using hs::Acc, hs::Array, hs::Exp, hs::Ix, hs::Matrix, hs::Vector;

namespace {

using Index = std::int64_t;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class Choose : public hasten_test::OnEveryTarget {
 protected:
  const Vector<int> v{5, 3, 9, 1, 7, 3};
  const Vector<int> none{};
  const Matrix<int> m{{1, 2, 3}, {4, 5, 6}};
};

const auto is_odd = [](const auto& x) { return x % 2 != 0; };
const auto is_small = [](const auto& x) { return x < 5; };

TEST_P(Choose, Filter) {
  EXPECT_EQ(run(hs::filter(is_small, hs::use(v))), (Vector<int>{3, 1, 3}));
  EXPECT_EQ(run(hs::filter(is_small, hs::use(none))), none);
  EXPECT_EQ(run(hs::filter([](auto x) { return x > 10; }, hs::use(v))), none);
  const auto [kept, counts] = run(hs::filter(is_odd, hs::use(m)));
  EXPECT_EQ(kept, (Vector<int>{1, 3, 5}));
  EXPECT_EQ(counts, (Vector<Index>{2, 1}));
}

TEST_P(Choose, FilterOfMany) {
  std::vector<Index> expected;
  for (Index i = 0; i < 100'000; ++i) {
    if (i * i % 7 < 3) expected.push_back(i);
  }
  const auto p = [](const Exp<Index>& i) { return i * i % 7 < 3; };
  EXPECT_EQ(run(hs::filter(p, hs::iota(100'000))).to_vector(), expected);
  EXPECT_EQ(run(hs::sum(hs::filter(p, hs::iota(100'000)))).item(),
            std::accumulate(expected.begin(), expected.end(), Index{0}));
}

TEST_P(Choose, CompactIntersects) {
  const auto mask = hs::use(Vector<bool>{true, false, true, true});
  EXPECT_EQ(run(hs::compact(mask, hs::use(v))), (Vector<int>{5, 9, 1}));
  EXPECT_EQ(run(hs::compact(hs::use(v) > 3, hs::use(Vector<float>{1, 2}))), (Vector<float>{1}));
  const auto rows = hs::use(Matrix<bool>{{true, true}, {false, true}, {true, true}});
  const auto [kept, counts] = run(hs::compact(rows, hs::use(m)));
  EXPECT_EQ(kept, (Vector<int>{1, 2, 5}));
  EXPECT_EQ(counts, (Vector<Index>{2, 1}));
}

TEST_P(Choose, Partition) {
  const auto [odd, even] = run(hs::partition(is_odd, hs::use(Vector<int>{4, 1, 3, 2, 8, 7})));
  EXPECT_EQ(odd, (Vector<int>{1, 3, 7}));
  EXPECT_EQ(even, (Vector<int>{4, 2, 8}));
  const auto nothing = run(hs::partition(is_odd, hs::use(none)));
  EXPECT_EQ(nothing.first.size() + nothing.second.size(), 0);
}

TEST_P(Choose, Runs) {
  const auto a = hs::use(Vector<int>{4, 4, 1, 4, 4, 4, 2});
  EXPECT_EQ(run(hs::unique(a)), (Vector<int>{4, 1, 4, 2}));
  const auto [values, counts] = run(hs::run_lengths(a));
  EXPECT_EQ(values, (Vector<int>{4, 1, 4, 2}));
  EXPECT_EQ(counts, (Vector<Index>{2, 1, 3, 1}));
  const auto floats = hs::use(Vector<float>{0.0F, -0.0F, nan, nan, 1.0F});
  EXPECT_EQ(run(hs::run_lengths(floats)).second, (Vector<Index>{2, 1, 1, 1}));
  EXPECT_EQ(run(hs::unique(hs::use(none))), none);
  EXPECT_EQ(run(hs::run_lengths(hs::use(none))).second.size(), 0);
}

TEST_P(Choose, FoldByKey) {
  const auto keys = hs::use(Vector<int>{7, 7, 2, 2, 2, 7, 9});
  const auto values = hs::use(Vector<int>{1, 2, 3, 4, 5, 6});
  const auto minus = [](auto x, auto y) { return x * 10 + y; };
  const auto [runs, results] = run(hs::fold_by_key(minus, keys, values));
  EXPECT_EQ(runs, (Vector<int>{7, 2, 7}));
  EXPECT_EQ(results, (Vector<int>{12, 345, 6}));
  EXPECT_EQ(run(hs::fold_by_key(minus, hs::use(none), values)).first, none);
}

TEST_P(Choose, Expand) {
  const auto a = hs::use(Vector<int>{3, 0, -2, 1, 2});
  const auto count = [](const Exp<int>& x) { return x; };
  const auto element = [](const Exp<int>& x, const Exp<Index>& k) {
    return hs::cast<Index>(x) * 100 + k;
  };
  EXPECT_EQ(run(hs::expand(count, element, a)), (Vector<Index>{300, 301, 302, 100, 200, 201}));
  EXPECT_EQ(run(hs::expand(count, element, hs::use(none))).size(), 0);
}

TEST_P(Choose, Sort) {
  EXPECT_EQ(run(hs::sort(hs::use(v))), (Vector<int>{1, 3, 3, 5, 7, 9}));
  EXPECT_EQ(run(hs::sort(hs::use(v), hs::Order::descending)), (Vector<int>{9, 7, 5, 3, 3, 1}));
  EXPECT_EQ(run(hs::sort(hs::use(none))), none);
  EXPECT_EQ(run(hs::sort(hs::use(Matrix<int>{{3, 1, 2}, {-1, 5, -7}}))),
            (Matrix<int>{{1, 2, 3}, {-7, -1, 5}}));
  EXPECT_EQ(run(hs::sort(hs::use(Vector<bool>{true, false, true}))),
            (Vector<bool>{false, true, true}));
  const Vector<std::int8_t> bytes{0, 127, -128, -1, 1};
  EXPECT_EQ(run(hs::sort(hs::use(bytes))), (Vector<std::int8_t>{-128, -1, 0, 1, 127}));
  std::vector<std::uint64_t> many;
  for (std::uint64_t i = 0; i < 50'000; ++i) many.push_back(i * 0x9E3779B97F4A7C15U);
  const auto a = hs::use(hasten_test::vector_of(many));
  std::sort(many.begin(), many.end());
  EXPECT_EQ(run(hs::sort(a)).to_vector(), many);
}

TEST_P(Choose, SortPutsNansLast) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto a = hs::use(Vector<float>{2, -nan, -infinity, 0.0F, infinity, -0.0F, nan, -3});
  const auto up = run(hs::sort(a)), down = run(hs::sort(a, hs::Order::descending));
  EXPECT_EQ((std::vector<float>(up.begin(), up.begin() + 6)),
            (std::vector<float>{-infinity, -3, 0, 0, 2, infinity}));
  EXPECT_EQ((std::vector<float>(down.begin(), down.begin() + 6)),
            (std::vector<float>{infinity, 2, 0, 0, -3, -infinity}));
  EXPECT_FALSE(std::signbit(up(2))) << "equal elements keep their order";
  EXPECT_TRUE(std::signbit(up(3)));
  EXPECT_FALSE(std::signbit(down(2)));
  for (const auto& sorted : {up, down}) EXPECT_TRUE(std::isnan(sorted(6)) && std::isnan(sorted(7)));
}

TEST_P(Choose, SortByKeysIsStable) {
  const auto by_last_digit = [](const Exp<int>& x) { return x % 10; };
  const auto a = hs::use(Vector<int>{31, 22, 11, 42, 21});
  EXPECT_EQ(run(hs::sort_by(by_last_digit, a)), (Vector<int>{31, 11, 21, 22, 42}));
  EXPECT_EQ(run(hs::sort_by(by_last_digit, a, hs::Order::descending)),
            (Vector<int>{22, 42, 31, 11, 21}));
  const auto [keys, values] =
      run(hs::sort_by_key(hs::use(Vector<int>{2, 1, 2, 0}), hs::use(Vector<float>{1, 2, 3})));
  EXPECT_EQ(keys, (Vector<int>{1, 2, 2}));
  EXPECT_EQ(values, (Vector<float>{2, 1, 3}));
  using Pair = std::pair<int, float>;
  const Vector<Pair> pairs{Pair{1, 2.0F}, Pair{0, 5.0F}, Pair{1, -2.0F}};
  EXPECT_EQ(run(hs::sort(hs::use(pairs))).to_vector(),
            (std::vector<Pair>{{0, 5.0F}, {1, -2.0F}, {1, 2.0F}}));
}

TEST_P(Choose, TopK) {
  const auto [values, places] = run(hs::top_k(3, hs::use(Vector<int>{3, 9, 3, 9, 1})));
  EXPECT_EQ(values, (Vector<int>{9, 9, 3}));
  EXPECT_EQ(places, (Vector<Index>{1, 3, 0}));
  const auto floats = hs::use(Vector<float>{nan, 1, 2});
  EXPECT_EQ(run(hs::top_k(2, floats)).first, (Vector<float>{2, 1}));
  EXPECT_EQ(run(hs::top_k(1, floats, hs::Order::ascending)).second, (Vector<Index>{1}));
  EXPECT_EQ(run(hs::top_k(99, hs::use(m))).first, (Matrix<int>{{3, 2, 1}, {6, 5, 4}}));
  EXPECT_EQ(run(hs::top_k(-1, hs::use(m))).first.shape(), Ix<2>(2, 0));
}

TEST_P(Choose, Concat) {
  EXPECT_EQ(run(hs::concat(hs::use(v), hs::use(none), hs::use(Vector<int>{8}))),
            (Vector<int>{5, 3, 9, 1, 7, 3, 8}));
  const auto wide = hs::use(Matrix<int>{{7}, {8}, {9}});
  EXPECT_EQ(run(hs::concat(hs::use(m), wide)), (Matrix<int>{{1, 2, 3, 7}, {4, 5, 6, 8}}));
  EXPECT_EQ(run(hs::concat_on<0>(hs::use(m), hs::use(Matrix<int>{{7, 8}}))),
            (Matrix<int>{{1, 2}, {4, 5}, {7, 8}}));
  const std::vector<Acc<Vector<int>>> parts(4, hs::use(Vector<int>{1, 2}));
  EXPECT_EQ(run(hs::concat(parts)), (Vector<int>{1, 2, 1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(run(hs::concat(std::vector<Acc<Vector<int>>>{})), none);
  const std::vector<Acc<Matrix<int>>> rows(2, hs::use(m));
  EXPECT_EQ(run(hs::concat_on<-2>(rows)).shape(), Ix<2>(4, 3));
  const auto doubled = hs::map([](auto x) { return x * 2; }, hs::use(v));
  EXPECT_EQ(run(hs::sum(hs::concat(hs::use(v), doubled))).item(), 84);
}

TEST_P(Choose, ConcatOfAnyNumber) {
  const auto a = hs::use(Vector<int>{1, 2}), b = hs::use(none);
  EXPECT_EQ(run(hs::concat(a, b, a, a, b, a, a, a, a, a, a, a)).size(), 20);
  EXPECT_EQ(run(hs::concat_on<0>(hs::use(m), hs::use(m), hs::use(m))),
            (Matrix<int>{{1, 2, 3}, {4, 5, 6}, {1, 2, 3}, {4, 5, 6}, {1, 2, 3}, {4, 5, 6}}));
}

HASTEN_ON_EVERY_TARGET(Choose);

}  // namespace
