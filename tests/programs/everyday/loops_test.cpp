// Loops as users write them: the round's number, scalars in the states of array loops, loops over a
// range in scalar code, elements that are small arrays.
#include "tests/programs/support.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace loops {
struct Point {
  float x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};
HASTEN_STRUCT(Point, x, y);
template <template <class> class In>
struct Grid {
  In<Vector<int>> cells;
  In<Vector<int>> old;
};
HASTEN_GROUP(Grid, cells, old);
}  // namespace loops
using loops::Grid, loops::Point;

namespace {

using Index = std::int64_t;

class Loops : public hasten_test::OnEveryDevice {
 protected:
  template <class T>
  static Exp<T> value(T v) {
    return hs::parameter(v);
  }
};

TEST_P(Loops, IterateTakesTheNumber) {
  const auto add = [](Exp<Index> k, Exp<Index> x) { return 10 * x + k; };
  for (const Index n : {-1, 0, 1, 5}) {
    Index expected = 7;
    for (Index k = 0; k < n; ++k) expected = 10 * expected + k;
    EXPECT_EQ(run(hs::iterate(n, add, value(Index{7}))), expected);
    EXPECT_EQ(run(hs::iterate(value(n), add, Index{7})), expected);
    EXPECT_EQ(
        run(hs::iterate(n, [](auto k, auto x) { return 10 * x + k; }, value(Index{7}))), expected);
  }
}

TEST_P(Loops, IterateTakesTheNumberBeforeMembers) {
  const auto step = [](auto k, auto x, auto y) { return std::pair{y, x + y + hs::cast<int>(k)}; };
  const auto [x, y] = run(hs::iterate(5, step, std::pair{0, value(1)}));
  EXPECT_EQ(std::pair(x, y), std::pair(12, 22));
  // Two parameters and a state of two members: the parameters are the members.
  const auto fibonacci = [](auto a, auto b) { return std::pair{b, a + b}; };
  EXPECT_EQ(run(hs::get<0>(hs::iterate(10, fibonacci, std::pair{0, value(1)}))), 55);
  // The round's number is passed where only that fits.
  const auto typed = [](Exp<Index> k, Exp<std::pair<int, int>> s) {
    return std::pair{hs::get<0>(s) + hs::cast<int>(k), hs::get<1>(s) * 2};
  };
  const auto [sum, power] = run(hs::iterate(5, typed, std::pair{0, value(1)}));
  EXPECT_EQ(std::pair(sum, power), std::pair(10, 32));
}

TEST_P(Loops, FoldRange) {
  const auto powers = [](Exp<Index> n) {
    return hs::fold_range(n, Index{1}, [](Exp<Index> k, Exp<Index> z) { return 3 * z + k; });
  };
  const auto result = run(hs::map(powers, hs::iota(12) - 1));
  for (Index i = 0; i < 12; ++i) {
    Index expected = 1;
    for (Index k = 0; k < i - 1; ++k) expected = 3 * expected + k;
    EXPECT_EQ(result(i), expected) << i;
  }
  // Horner's rule over an array of a polynomial's coefficients.
  const auto coefficients = hs::use(Vector<float>{2, 0, 1, 5});
  const auto at = [=](Exp<float> x) {
    return hs::fold_range(hs::size(coefficients), 0.0f,
                          [=](auto k, auto z) { return z * x + coefficients[k]; });
  };
  EXPECT_EQ(run(hs::map(at, hs::use(Vector<float>{0, 1, 2}))), (Vector<float>{5, 8, 23}));
  // A state of two members.
  const auto extremes = [](Exp<int> x) {
    return hs::fold_range(5, std::pair{x, x}, [x](auto k, auto least, auto most) {
      const auto y = (x * 7 + hs::cast<int>(k) * 5) % 11;
      return std::pair{hs::min(least, y), hs::max(most, y)};
    });
  };
  const auto both = run(hs::map(extremes, hs::use(Vector<int>{3, 20})));
  EXPECT_EQ(both(0), (std::pair{3, 10}));
  EXPECT_EQ(both(1), (std::pair{1, 20}));
}

TEST_P(Loops, AiterateTakesTheNumber) {
  const auto a = hs::use(Vector<Index>{1, 2, 3});
  const auto step = [](Exp<Index> k, Acc<Vector<Index>> x) { return x * 10 + k; };
  EXPECT_EQ(run(hs::aiterate(3, step, a)), (Vector<Index>{1012, 2012, 3012}));
  EXPECT_EQ(run(hs::aiterate(0, step, a)), (Vector<Index>{1, 2, 3}));
  EXPECT_EQ(run(hs::aiterate(
                value(Index{2}), [](auto k, auto x) { return x + k; }, a)),
            (Vector<Index>{2, 3, 4}));
  const auto two = [](auto k, auto x, auto y) { return std::pair{y, x + k}; };
  const auto [x, y] = run(hs::aiterate(3, two, std::pair{a, a * 100}));
  EXPECT_EQ(x, (Vector<Index>{101, 201, 301}));
  EXPECT_EQ(y, (Vector<Index>{3, 4, 5}));
  const auto group = [](Exp<Index> k, Grid<Acc> g) {
    return Grid<Acc>{g.cells + g.old + hs::cast<int>(k), g.cells};
  };
  const Grid<hs::Host> start{{1, 2}, {10, 20}};
  const Grid<hs::Host> end = run(hs::aiterate(2, group, hs::use(start)));
  EXPECT_EQ(end.cells, (Vector<int>{13, 25}));
  EXPECT_EQ(end.old, (Vector<int>{11, 22}));
}

TEST_P(Loops, StatesOfScalars) {
  EXPECT_EQ(run(hs::awhile([](auto x) { return x < 100; }, [](auto x) { return x * 3; }, 1)), 243);
  EXPECT_EQ(run(hs::aiterate(4, [](Exp<double> x) { return x / 2.0; }, value(8.0))), 0.5);
  const auto turn = [](Exp<Point> p) { return Exp<Point>(p.y, p.x + 1.0f); };
  EXPECT_EQ(run(hs::aiterate(3, turn, Exp<Point>(Point{1, 2}))), (Point{3, 3}));
}

// Newton's method on all elements at once, until the largest change is small.
TEST_P(Loops, ArraysBesideScalars) {
  const auto roots = [](Acc<Vector<double>> a) {
    const auto improve = [=](Acc<Vector<double>> x, Exp<double>, Exp<int> rounds) {
      const auto next = (x + a / x) / 2.0;
      return std::tuple{next, hs::the(hs::maximum(hs::abs(next - x))), rounds + 1};
    };
    const auto moves = [](auto, auto change, auto rounds) {
      return change > 1e-12 && rounds < 100;
    };
    return hs::awhile(moves, improve, std::tuple{a, value(1.0), 0});
  };
  const auto [x, change, rounds] = run(roots(hs::use(Vector<double>{1, 2, 9, 100})));
  EXPECT_NEAR(x(1), std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(x(3), 10, 1e-12);
  EXPECT_LE(change, 1e-12);
  EXPECT_GT(rounds, 3);
  EXPECT_LT(rounds, 20);
}

TEST_P(Loops, NestedStatesOfBoth) {
  const auto v = hs::use(Vector<float>{1, 2});
  const auto step = [](auto k, auto a, auto s) {
    const auto [p, n] = s;
    return std::pair{a + p.x, std::pair{Exp<Point>(p.y, p.x), n + hs::cast<int>(k)}};
  };
  const auto [a, s] =
      run(hs::aiterate(3, step, std::pair{v, std::pair{Exp<Point>(Point{1, 10}), 5}}));
  EXPECT_EQ(a, (Vector<float>{13, 14}));
  EXPECT_EQ(s.first, (Point{10, 1}));
  EXPECT_EQ(s.second, 8);
  // A tuple of Exps where an Exp of a tuple is expected, and extents that change.
  const auto grow = [](auto x, Exp<std::tuple<int, bool>> t) {
    return std::pair{hs::concat(x, x), std::tuple{hs::get<0>(t) * 2, !hs::get<1>(t)}};
  };
  const auto [x, t] = run(
      hs::aiterate(3, grow, std::pair{v, Exp<std::tuple<int, bool>>(std::tuple{value(1), true})}));
  EXPECT_EQ(x.size(), 16);
  EXPECT_EQ(t, (std::tuple{8, false}));
}

// A stack of four numbers; the elements decide about pushes and pops.
TEST_P(Loops, ElementsOfSmallArraysAtComputedPlaces) {
  using Stack = std::array<int, 4>;
  const Vector<Stack> stacks{{5, 6, 7, 8}, {1, 2, 3, 4}, {9, 9, 9, 9}};
  const Vector<Index> places{2, -5, 77};
  const auto f = hs::compile(
      [](Acc<Vector<Stack>> a, Acc<Vector<Index>> at) {
        return std::pair{
            hs::zip_with([](auto s, auto i) { return s[i]; }, a, at),
            hs::zip_with([](auto s, auto i) { return hs::update(s, i, s[i] * 100); }, a, at)};
      },
      GetParam());
  const auto [read, written] = f(stacks, places);
  for (Index i = 0; i < 3; ++i) {
    const auto place = static_cast<std::size_t>(std::clamp<Index>(places(i), 0, 3));
    Stack expected = stacks(i);
    EXPECT_EQ(read(i), expected[place]);
    expected[place] *= 100;
    EXPECT_EQ(written(i), expected);
  }
}

template <class T, std::size_t K>
void every_place(const hs::Options& options, const std::array<T, K>& a, const T& other) {
  const auto read = hs::run(hs::map([=](auto i) { return Exp<std::array<T, K>>(a)[i]; },
                                    hs::iota(static_cast<Index>(K) + 4) - 2),
                            options);
  const auto written =
      hs::run(hs::map([=](auto i) { return hs::update(Exp<std::array<T, K>>(a), i, other); },
                      hs::iota(static_cast<Index>(K) + 4) - 2),
              options);
  for (Index i = 0; i < read.size(); ++i) {
    const auto place =
        static_cast<std::size_t>(std::clamp<Index>(i - 2, 0, static_cast<Index>(K) - 1));
    EXPECT_EQ(read(i), a[place]) << i - 2;
    std::array<T, K> expected = a;
    expected[place] = other;
    EXPECT_EQ(written(i), expected) << i - 2;
  }
}

TEST_P(Loops, EveryPlaceOfSmallArrays) {
  every_place<int, 1>(GetParam(), {5}, 9);
  every_place<double, 2>(GetParam(), {5, 6}, 9);
  every_place<std::int8_t, 7>(GetParam(), {1, 2, 3, 4, 5, 6, 7}, 9);
  every_place<std::pair<int, float>, 3>(GetParam(), {{{1, 2}, {3, 4}, {5, 6}}}, {8, 9});
}

TEST_P(Loops, KnownPlacesOfSmallArrays) {
  const Exp<std::array<int, 3>> a = std::array{value(1), value(2), value(3)};
  EXPECT_EQ(run(hs::update(a, 1, 7)), (std::array{1, 7, 3}));
  EXPECT_THROW((void)hs::update(a, 3, 7), hs::BuildError);
  EXPECT_THROW((void)hs::update(a, value(1), std::int64_t{1} << 40), hs::BuildError);
  // Inserts into a sorted array, in a loop of scalar code.
  const auto insert = [](Exp<std::array<int, 3>> sorted, Exp<int> x) {
    return hs::fold_range(3, std::pair{sorted, x}, [](auto k, auto s, auto carried) {
      const auto here = s[k];
      return std::pair{hs::update(s, k, hs::min(here, carried)), hs::max(here, carried)};
    });
  };
  EXPECT_EQ(run(hs::get<0>(insert(a, value(2)))), (std::array{1, 2, 2}));
}

// Values that are uniform inside a loop (a count, a table element at that count, a loop over it
// that lanes also leave early) are varying after lanes have left the loop.
TEST_P(Loops, RoundsThatDifferFromElementToElement) {
  using Result = std::tuple<Index, int, Index>;
  const auto number = [](Index i) { return static_cast<int>((i * 7919 + 5) % 23) + 1; };
  for (const Index n : {0, 1, 2, 16, 37, 100, 257}) {
    const auto numbers = Vector<int>::from_function(n, [&](auto ix) { return number(ix[0]); });
    const auto f = hs::compile(
        [](Acc<Vector<int>> a) {
          const auto size = hs::size(a);
          return hs::imap(
              [=](Exp<Index> i, Exp<int> x) {
                return hs::while_loop(
                    [=](auto k, auto sum, auto) { return i + k < size && sum < 6 * x; },
                    [=](auto k, auto sum, auto found) {
                      const auto next = sum + a[i + k] + a[k] + a[hs::max(i - k, Exp<Index>(0))];
                      const auto [m, rest] = hs::while_loop(
                          [=](auto l, auto y) { return l < k && y % 5 != 0; },
                          [](auto l, auto y) { return std::pair{l + 1, y + hs::cast<int>(l)}; },
                          std::pair{Exp<Index>(0), next});
                      return std::tuple{k + 2, rest, hs::select(m == k, found + m, found)};
                    },
                    std::tuple{Exp<Index>(1), Exp<int>(0), Exp<Index>(0)});
              },
              a);
        },
        GetParam());
    const Vector<Result> result = f(numbers);
    for (Index i = 0; i < n; ++i) {
      Index k = 1, found = 0;
      int sum = 0;
      for (; i + k < n && sum < 6 * number(i); k += 2) {
        sum += number(i + k) + number(k) + number(std::max<Index>(i - k, 0));
        Index m = 0;
        for (; m < k && sum % 5 != 0; ++m) sum += static_cast<int>(m);
        found += m == k ? m : 0;
      }
      EXPECT_EQ(result(i), (Result{k, sum, found})) << n << " " << i;
    }
  }
}

// Elements with 100 leaves: histograms that are joined. Each program compiles in seconds.
TEST_P(Loops, FoldsAndScansOfLongElements) {
  using Counts = std::array<int, 100>;
  constexpr Index n = 37;
  const auto join = [](Exp<Counts> x, Exp<Counts> y) {
    std::array<Exp<int>, 100> sums;
    for (std::size_t k = 0; k < 100; ++k) sums[k] = x[k] + y[k];
    return sums;
  };
  const auto counted = [](Index i) {
    Counts counts{};
    for (std::size_t k = 0; k < 100; ++k) counts[k] = static_cast<int>(i * 31 + Index(k)) % 7;
    return counts;
  };
  const auto a = hs::use(Vector<Counts>::from_function(n, [&](auto ix) { return counted(ix[0]); }));
  const auto [all, so_far, halves] =
      run(std::tuple{hs::fold(join, Exp<Counts>(Counts{}), a), hs::scanl1(join, a),
                     hs::permute(join, a, [](auto i) { return i % 2; }, a)});
  Counts sum{}, even = counted(0), odd = counted(1);
  for (Index i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 100; ++k) {
      sum[k] += counted(i)[k];
      (i % 2 == 0 ? even : odd)[k] += counted(i)[k];
    }
    EXPECT_EQ(so_far(i), sum) << i;
  }
  EXPECT_EQ(all.item(), sum);
  EXPECT_EQ(halves(0), even);
  EXPECT_EQ(halves(1), odd);
  EXPECT_EQ(halves(2), counted(2));
}

// What a program computes before its loop is not computed in each round, even if it may fail; and
// if there is no round it does not fail.
TEST_P(Loops, ComputeOnceWhatNoRoundChanges) {
  const auto descend = hs::compile(
      [](Acc<Matrix<int>> x, Acc<Vector<int>> y, Exp<Index> rounds) {
        const auto squares = hs::matmul(hs::transpose(x), x);
        const auto target = hs::matmul(hs::transpose(x), y);
        return hs::aiterate(
            rounds, [=](Acc<Vector<int>> w) { return hs::matmul(squares, w) - target; },
            hs::fill(hs::shape(x)[1], Exp<int>(1)));
      },
      GetParam());
  const auto x = Matrix<int>::from_function(
      {7, 3}, [](hs::Ix<2> ix) { return static_cast<int>(ix[0] * 5 + ix[1]) % 4 - 1; });
  const auto y = Vector<int>::from_function(7, [](hs::Ix<1> ix) { return int(ix[0]) - 3; });
  const auto expected = [&](Index rounds) {
    std::array<int, 3> w{1, 1, 1};
    for (Index round = 0; round < rounds; ++round) {
      std::array<int, 3> next{};
      for (Index j = 0; j < 3; ++j)
        for (Index i = 0; i < 7; ++i) {
          for (Index k = 0; k < 3; ++k)
            next[std::size_t(j)] += x(i, j) * x(i, k) * w[std::size_t(k)];
          next[std::size_t(j)] -= x(i, j) * y(i);
        }
      w = next;
    }
    return Vector<int>(w);
  };
  std::map<Index, Index> launches;
  for (const Index rounds : {0, 1, 2, 5}) {
    const auto before = descend.statistics();
    EXPECT_EQ(descend(x, y, rounds), expected(rounds)) << rounds;
    launches[rounds] = (descend.statistics() - before).launches;
  }
  EXPECT_EQ(launches[5] - launches[2], 3 * (launches[2] - launches[1]));
  EXPECT_LE(launches[2] - launches[1], 1);
  const Vector<int> other(std::array<int, 6>{});
  EXPECT_EQ(descend(x, other, 0), expected(0));
  EXPECT_THROW(static_cast<void>(descend(x, other, 1)), hs::ShapeError);
}

HASTEN_ON_EVERY_DEVICE(Loops);

}  // namespace
