// Scans, compared with loops over host arrays.
#include "support.hpp"

#include <functional>
#include <vector>

using hs::Acc, hs::Array, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

class Scans : public hasten_test::OnEveryTarget {};

/// Matrices of 2 by 2: their product is associative and does not commute.
using Square = std::array<std::uint32_t, 4>;
const auto multiply = [](const auto& x, const auto& y) {
  return std::array{x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2],
                    x[2] * y[1] + x[3] * y[3]};
};
const auto product = [](const Exp<Square>& x, const Exp<Square>& y) { return multiply(x, y); };

std::vector<Square> squares(std::int64_t n) {
  std::vector<Square> result;
  for (std::uint32_t i = 0; i < n; ++i) result.push_back({i + 1, i * i, 3 * i, 2});
  return result;
}
const Square seed{2, 3, 5, 7};

/// All n + 1 prefixes of a scan with a seed, from first to last in the order of the array.
std::vector<Square> prefixes(const std::vector<Square>& xs) {
  std::vector<Square> result{seed};
  for (const Square& x : xs) result.push_back(multiply(result.back(), x));
  return result;
}
std::vector<Square> suffixes(const std::vector<Square>& xs) {
  std::vector<Square> result{seed};
  for (auto x = xs.rbegin(); x != xs.rend(); ++x)
    result.insert(result.begin(), multiply(*x, result.front()));
  return result;
}
std::vector<Square> without_first(std::vector<Square> all) {
  all.erase(all.begin());
  return all;
}
std::vector<Square> without_last(std::vector<Square> all) {
  all.pop_back();
  return all;
}

const std::vector<std::int64_t> sizes{0, 1, 2, 5, 64, 1000};

TEST_P(Scans, FromTheLeft) {
  for (const auto n : sizes) {
    const auto xs = squares(n);
    const auto a = hs::use(hasten_test::vector_of(xs));
    const auto all = prefixes(xs);
    EXPECT_EQ(run(hs::scanl(product, seed, a)).to_vector(), all);
    EXPECT_EQ(run(hs::prescanl(product, seed, a)).to_vector(), without_last(all));
    EXPECT_EQ(run(hs::postscanl(product, seed, a)).to_vector(), without_first(all));
    const auto [before, total] = run(hs::scanl_split(product, seed, a));
    EXPECT_EQ(before.to_vector(), without_last(all));
    EXPECT_EQ(total.item(), all.back());
  }
}

TEST_P(Scans, FromTheRight) {
  for (const auto n : sizes) {
    const auto xs = squares(n);
    const auto a = hs::use(hasten_test::vector_of(xs));
    const auto all = suffixes(xs);
    EXPECT_EQ(run(hs::scanr(product, seed, a)).to_vector(), all);
    EXPECT_EQ(run(hs::prescanr(product, seed, a)).to_vector(), without_first(all));
    EXPECT_EQ(run(hs::postscanr(product, seed, a)).to_vector(), without_last(all));
    const auto [before, total] = run(hs::scanr_split(product, seed, a));
    EXPECT_EQ(before.to_vector(), without_first(all));
    EXPECT_EQ(total.item(), all.front());
  }
}

TEST_P(Scans, WithoutASeed) {
  for (const auto n : sizes) {
    const auto xs = squares(n);
    const auto a = hs::use(hasten_test::vector_of(xs));
    std::vector<Square> from_left, from_right;
    for (const Square& x : xs)
      from_left.push_back(from_left.empty() ? x : multiply(from_left.back(), x));
    for (auto x = xs.rbegin(); x != xs.rend(); ++x)
      from_right.insert(from_right.begin(),
                        from_right.empty() ? *x : multiply(*x, from_right.front()));
    EXPECT_EQ(run(hs::scanl1(product, a)).to_vector(), from_left);
    EXPECT_EQ(run(hs::scanr1(product, a)).to_vector(), from_right);
  }
}

TEST_P(Scans, OfRowsAndOfOtherAxes) {
  const auto m = hs::use(Matrix<int>{{1, 2, 3}, {4, 5, 6}});
  const auto plus = std::plus<>{};
  EXPECT_EQ(run(hs::scanl(plus, 10, m)), (Matrix<int>{{10, 11, 13, 16}, {10, 14, 19, 25}}));
  EXPECT_EQ(run(hs::scanr(plus, 10, m)), (Matrix<int>{{16, 15, 13, 10}, {25, 21, 16, 10}}));
  EXPECT_EQ(run(hs::scanl_on<0>(plus, 10, m)),
            (Matrix<int>{{10, 10, 10}, {11, 12, 13}, {15, 17, 19}}));
  EXPECT_EQ(run(hs::scanr_on<0>(plus, 10, m)),
            (Matrix<int>{{15, 17, 19}, {14, 15, 16}, {10, 10, 10}}));
  EXPECT_EQ(run(hs::scanl1_on<0>(plus, m)), (Matrix<int>{{1, 2, 3}, {5, 7, 9}}));
  EXPECT_EQ(run(hs::scanr1_on<-1>(plus, m)), (Matrix<int>{{6, 5, 3}, {15, 11, 6}}));
  EXPECT_EQ(run(hs::prescanl_on<0>(plus, 1, m)), (Matrix<int>{{1, 1, 1}, {2, 3, 4}}));
  EXPECT_EQ(run(hs::postscanl_on<0>(plus, 1, m)), (Matrix<int>{{2, 3, 4}, {6, 8, 10}}));
  EXPECT_EQ(run(hs::prescanr_on<0>(plus, 1, m)), (Matrix<int>{{5, 6, 7}, {1, 1, 1}}));
  EXPECT_EQ(run(hs::postscanr_on<0>(plus, 1, m)), (Matrix<int>{{6, 8, 10}, {5, 6, 7}}));
  const auto [before, totals] = run(hs::scanl_split(plus, 0, m));
  EXPECT_EQ(before, (Matrix<int>{{0, 1, 3}, {0, 4, 9}}));
  EXPECT_EQ(totals, (Vector<int>{6, 15}));
  const auto block = hs::reshape(hs::ix(1, 3, 2), hs::iota<int>(6));
  EXPECT_EQ(run(hs::flatten(hs::scanl1_on<1>(plus, block))), (Vector<int>{0, 1, 2, 4, 6, 9}));
}

TEST_P(Scans, OfNothing) {
  const auto plus = std::plus<>{};
  const auto rows = hs::use(Matrix<int>(hs::ix(3, 0), std::vector<int>{}));
  EXPECT_EQ(run(hs::scanl(plus, 7, rows)), (Matrix<int>{{7}, {7}, {7}}));
  EXPECT_EQ(run(hs::scanl1(plus, rows)).shape(), Ix<2>(3, 0));
  EXPECT_EQ(run(hs::postscanr(plus, 7, rows)).shape(), Ix<2>(3, 0));
  EXPECT_EQ(run(hs::scanr_split(plus, 7, rows)).second, (Vector<int>{7, 7, 7}));
  const auto none = hs::use(Matrix<int>(hs::ix(0, 3), std::vector<int>{}));
  EXPECT_EQ(run(hs::scanl(plus, 7, none)).shape(), Ix<2>(0, 4));
  EXPECT_EQ(run(hs::scanr1(plus, none)).shape(), Ix<2>(0, 3));
}

TEST_P(Scans, InsideLargerPrograms) {
  const auto a = hs::map([](auto x) { return x + 1; }, hs::iota(1000));
  const auto sums = hs::scanl1(std::plus<>{}, a);
  const auto back = hs::zip_with([](auto x, auto y) { return y - x; }, sums, hs::tail(sums));
  EXPECT_EQ(run(hs::sum(back)).item(), 500'499);
  int calls = 0;
  run(hs::scanr(
      [&](const Exp<std::int64_t>& x, const Exp<std::int64_t>& y) {
        ++calls;
        return x + y;
      },
      0, a));
  EXPECT_EQ(calls, 1) << "an operator is called once per operation built";
}

HASTEN_ON_EVERY_TARGET(Scans);

}  // namespace
