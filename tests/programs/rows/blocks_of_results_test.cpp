// Small blocks of results that are folded, each matrix in a lane of its own: products of many small
// matrices as folds, as loops, and as reductions of both, around every threshold, against the
// interpreter.
#include "against_interpreter.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

using hasten_test::numbers_of;
using hs::Acc, hs::Array, hs::Exp, hs::Ix;

namespace {

class BlocksOfResults : public hasten_test::AgainstInterpreter {};

struct Size {
  std::int64_t rows, columns, depth;
};

template <class Check>
void of_all_sizes(Check check) {
  for (const std::int64_t n : {0, 1, 16, 33})
    for (const Size& s : {Size{1, 1, 1},
                          {2, 3, 4},
                          {3, 3, 3},
                          {4, 4, 4},
                          {8, 8, 8},
                          {3, 15, 4},
                          {3, 16, 4},
                          {31, 2, 2},
                          {16, 4, 4},
                          {17, 4, 3},
                          {2, 2, 32},
                          {2, 2, 33},
                          {3, 3, 0},
                          {0, 3, 3},
                          {3, 0, 3},
                          {1, 1, 64},
                          {5, 7, 9}})
      check(n, s,
            std::to_string(n) + " of " + std::to_string(s.rows) + " by " +
                std::to_string(s.columns) + " by " + std::to_string(s.depth));
}

// Elements of all products, to be folded along the last axis.
template <class T>
auto products(const Acc<Array<T, 3>>& a, const Acc<Array<T, 3>>& b) {
  const auto n = hs::shape(a), m = hs::shape(b);
  return hs::replicate(hs::over(hs::keep, hs::keep, m[2], hs::keep), a) *
         hs::replicate(hs::over(hs::keep, n[1], hs::keep, hs::keep), hs::transpose(b));
}

template <class T>
void folded(auto check) {
  of_all_sizes([&](std::int64_t n, const Size& s, const std::string& what) {
    const auto a = numbers_of<T>(hs::ix(n, s.rows, s.depth));
    const auto b = numbers_of<T>(hs::ix(n, s.depth, s.columns));
    const auto all = products(a, b);
    check(hs::sum(all), what);
    check(hs::fold([](const auto& x, const auto& y) { return hs::max(x, y); }, T{9}, all) + T{1},
          what);
  });
}
TEST_P(BlocksOfResults, OfFloats) {
  folded<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(BlocksOfResults, OfWords) {
  folded<std::int64_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(BlocksOfResults, OfBytes) {
  folded<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}

// Affine maps, whose numbers wrap: composing them needs an order. Places, whose first one counts.
TEST_P(BlocksOfResults, OperatorsThatNeedAnOrder) {
  using Affine = std::tuple<std::int32_t, std::int32_t>;
  const auto composed = [](const Exp<Affine>& f, const Exp<Affine>& g) {
    const auto [fa, fb] = f;
    const auto [ga, gb] = g;
    return std::tuple{fa * ga, fb * ga + gb};
  };
  of_all_sizes([&](std::int64_t n, const Size& s, const std::string& what) {
    const auto a = numbers_of<std::int32_t>(hs::ix(n, s.rows, s.depth));
    const auto b = numbers_of<std::int32_t>(hs::ix(n, s.depth, s.columns));
    const auto maps =
        hs::map([](const Exp<std::int32_t>& x) { return Exp<Affine>{std::tuple{x | 1, x}}; },
                products(a, b));
    expect_same(hs::fold(composed, Affine{3, 4}, maps), what);
    if (s.depth > 0) {
      expect_same(hs::fold1(composed, maps), what);
      expect_same(hs::argmin(products(a, b)), what);
    }
  });
}

// Both operands along the folded axis, matrices one after the other in other orders, and matrices
// that lie inside larger ones or are the same in all lanes.
TEST_P(BlocksOfResults, OtherPlaces) {
  for (const std::int64_t n : {16, 40}) {
    const auto x = numbers_of<std::int32_t>(hs::ix(n, 4, 5));
    const auto wide = numbers_of<std::int32_t>(hs::ix(n, 40, 50));
    const auto inside = numbers_of<std::int32_t>(hs::ix(4, 5, n));
    const auto one = numbers_of<std::int32_t>(hs::ix(5, 4));
    const auto sums = [&](auto element) {
      return hs::sum(hs::generate(hs::ix(n, 4, 4, 5), element));
    };
    const std::string what = std::to_string(n);
    using I = Exp<Ix<4>>;
    expect_same(sums([=](const I& i) { return x(i[0], i[1], i[3]) * x(i[0], i[2], i[3]); }), what);
    expect_same(sums([=](const I& i) { return x(n - 1 - i[0], i[1], i[3]) * one(i[3], i[2]); }),
                what);
    expect_same(
        sums([=](const I& i) { return wide(i[0], 7 * i[1], i[3]) - wide(i[0], i[2], 9 * i[3]); }),
        what);
    expect_same(
        sums([=](const I& i) { return inside(i[1], i[3], i[0]) * x((i[0] * 7) % n, i[2], i[3]); }),
        what);
    expect_same(sums([=](const I& i) {
                  const auto next = hs::min(i[0] + 1, Exp<std::int64_t>(n - 1));
                  return x(next, i[1], i[3]) * x(i[0], i[2], 4 - i[3]) + hs::cast<int>(i[3]);
                }),
                what);
  }
}

TEST_P(BlocksOfResults, AxesOutside) {
  for (const std::int64_t outside : {0, 1, 3})
    for (const std::int64_t n : {16, 32, 45}) {
      const auto x = numbers_of<float>(hs::ix(outside, n, 3, 4));
      const auto program =
          hs::sum(hs::generate(hs::ix(outside, n, 3, 3, 4), [=](const Exp<Ix<5>>& i) {
            return x(i[0], i[1], i[2], i[4]) * x(i[0], i[1], i[3], i[4]);
          }));
      expect_same(hs::imap(
                      [](const Exp<Ix<4>>& i, const Exp<float>& v) {
                        return v + hs::cast<float>(i[0] * 100 + i[1] * 10 + i[3]);
                      },
                      program),
                  std::to_string(outside) + " of " + std::to_string(n));
    }
}

// -- loops ----------------------------------------------------------------------------------------

// Products by loops whose counters say what is read, also where there is nothing to read, where the
// depth differs between arrays, and where it is too large for a block.
TEST_P(BlocksOfResults, LoopsThatCount) {
  of_all_sizes([](std::int64_t n, const Size& s, const std::string& what) {
    for (const std::int64_t depth : {s.depth, s.depth + 2, std::int64_t{70}}) {
      const auto a = numbers_of<std::int32_t>(hs::ix(n, s.rows, s.depth));
      const auto b = numbers_of<std::int32_t>(hs::ix(n, s.depth, s.columns));
      if (s.depth == 0 && depth > 0) continue;  // there would be nothing to read
      const auto by_loops = [=](const Acc<Array<std::int32_t, 3>>& x,
                                const Acc<Array<std::int32_t, 3>>& y,
                                const Exp<std::int64_t>& rounds) {
        return hs::generate(hs::ix(n, s.rows, s.columns), [=](const Exp<Ix<3>>& i) {
          return hs::fold_range(rounds, Exp<std::int32_t>(1), [=](const auto& k, const auto& z) {
            const auto at = hs::min(k, Exp<std::int64_t>(s.depth - 1));
            return z * 3 + x(i[0], i[1], at) * y(i[0], at, i[2]);
          });
        });
      };
      expect_same(by_loops(a, b, hs::Exp<std::int64_t>(depth)), what);
      const auto steps = hs::compile(by_loops, GetParam());
      const auto expected = hs::compile(by_loops, {.target = hs::interpreter()});
      const auto hosts = std::tuple{hs::run(a), hs::run(b)};
      EXPECT_EQ(steps(std::get<0>(hosts), std::get<1>(hosts), depth),
                expected(std::get<0>(hosts), std::get<1>(hosts), depth))
          << what << ", " << depth << " steps";
    }
  });
}

// Loops whose range differs from element to element or from lane to lane, that count otherwise, or
// that end early, two of them after each other.
TEST_P(BlocksOfResults, LoopsOfOtherKinds) {
  for (const std::int64_t n : {16, 33, 64}) {
    const auto x = numbers_of<std::int32_t>(hs::ix(n, 4, 4));
    const auto of = [&](auto element) { return hs::generate(hs::ix(n, 4, 4), element); };
    const std::string what = std::to_string(n);
    using I = Exp<Ix<3>>;
    const auto sum = [=](const Exp<std::int64_t>& rounds, auto index) {
      return hs::fold_range(rounds, Exp<std::int32_t>(0),
                            [=](const auto& k, const auto& z) { return z * 5 + x[index(k)]; });
    };
    expect_same(of([=](const I& i) {
                  return sum(i[2] + 1, [=](const auto& k) { return hs::ix(i[0], i[1], k); });
                }),
                what);
    expect_same(of([=](const I& i) {
                  return sum(i[0] % 4, [=](const auto& k) { return hs::ix(i[0], k, i[1]); });
                }),
                what);
    expect_same(of([=](const I& i) {
                  return sum(4, [=](const auto& k) { return hs::ix(i[0], k, i[1]); }) -
                         sum(2, [=](const auto& k) { return hs::ix(i[0], i[2], 2 * k + 1); });
                }),
                what);
    expect_same(
        of([=](const I& i) {
          const auto [count, total] = hs::while_loop(
              [](const auto& k, const auto& z) { return k < 4 && z < 100; },
              [=](const auto& k, const auto& z) { return std::tuple{k + 1, z + x(i[0], k, i[2])}; },
              std::tuple{Exp<std::int64_t>(0), Exp<std::int32_t>(0)});
          return total + hs::cast<std::int32_t>(count);
        }),
        what);
    expect_same(of([=](const I& i) {
                  const auto [count, total] =
                      hs::while_loop([](const auto& k, const auto&) { return k < 4; },
                                     [=](const auto& k, const auto& z) {
                                       return std::tuple{k + 2, z * 3 + x(i[0], i[1], k)};
                                     },
                                     std::tuple{Exp<std::int64_t>(0), Exp<std::int32_t>(0)});
                  return total - hs::cast<std::int32_t>(count);
                }),
                what);
  }
}

HASTEN_ON_EVERY_DEVICE(BlocksOfResults);

}  // namespace
