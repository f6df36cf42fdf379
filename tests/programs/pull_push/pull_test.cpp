// Pull arrays, compared with the same operations on arrays; and the number of their kernels.
#include "tests/programs/support.hpp"

#include <gmock/gmock.h>

#include <complex>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

using hs::Acc, hs::Array, hs::Exp, hs::Ix, hs::Matrix, hs::Pull, hs::Scalar, hs::Vector;

namespace {

using Index = std::int64_t;

class PullArrays : public hasten_test::OnEveryDevice {
 protected:
  /// The forced pull array must equal the array computation.
  template <class T, std::size_t N>
  static void expect_same(const Pull<T, N>& pulled, const Acc<Array<T, N>>& expected) {
    EXPECT_EQ(run(hs::force(pulled)), run(expected));
  }
};

Vector<Index> line(Index n) { return hasten_test::vector_of(hasten_test::numbers<Index>(n, 3)); }
Matrix<Index> table(Index rows, Index columns) {
  return Matrix<Index>::from_function({rows, columns}, [](Ix<2> at) { return at[0] * 31 + at[1]; });
}

TEST_P(PullArrays, ElementByElement) {
  for (const Index n : {0, 1, 7, 1000}) {
    const auto a = hs::use(line(n)), b = hs::use(line(n / 2));
    const auto twice = [](auto x) { return x * 2; };
    const auto mix = [](auto x, auto y) { return x * 100 - y; };
    const auto mix3 = [](auto i, auto x, auto y) { return i + x * 100 - y; };
    expect_same(hs::map(twice, hs::pull(a)), hs::map(twice, a));
    expect_same(hs::imap([](auto i, auto x) { return i * x; }, hs::pull(a)),
                hs::imap([](auto i, auto x) { return i * x; }, a));
    expect_same(hs::zip_with(mix, hs::pull(a), hs::pull(b)), hs::zip_with(mix, a, b));
    expect_same(hs::zip_with(mix, a, hs::pull(b)), hs::zip_with(mix, a, b));  // mixed with arrays
    expect_same(hs::izip_with(mix3, hs::pull(a), b), hs::izip_with(mix3, a, b));
  }
}

TEST_P(PullArrays, NineAtOnce) {
  const auto a = hs::use(line(10));
  const auto p = hs::pull(a);
  const auto all = [](auto... xs) {
    Exp<Index> sum = 0;
    ((sum = sum * 3 + xs), ...);
    return sum;
  };
  expect_same(hs::zip_with(all, p, a, p, p, p, p, p, p, p),
              hs::zip_with(all, a, a, a, a, a, a, a, a, a));
}

TEST_P(PullArrays, Groups) {
  const auto a = hs::use(line(9));
  const auto zipped = hs::zip(hs::pull(a), hs::reverse(hs::pull(a)));
  expect_same(zipped, hs::zip(a, hs::reverse(a)));
  const auto [first, second] = hs::unzip(zipped);
  expect_same(first, a);
  expect_same(second, hs::reverse(a));
  const auto pairs = hs::map([](auto x) { return std::pair{x, x * 0.5}; },
                             hs::map([](auto x) { return hs::cast<double>(x); }, hs::pull(a)));
  const auto [whole, half] = hs::unzip(pairs);
  EXPECT_EQ(run(hs::force(half))(2) * 2, run(hs::force(whole))(2));
}

TEST_P(PullArrays, Shapes) {
  for (const Ix<2> extents : {Ix<2>(5, 3), Ix<2>(1, 1), Ix<2>(0, 4), Ix<2>(4, 0), Ix<2>(33, 65)}) {
    const auto a = hs::use(table(extents[0], extents[1]));
    const auto p = hs::pull(a);
    expect_same(hs::transpose(p), hs::transpose(a));
    expect_same(hs::transpose_on<0, 1>(p), hs::transpose(a));
    expect_same(hs::reverse(p), hs::reverse(a));
    expect_same(hs::reverse_on<0>(p), hs::reverse_on<0>(a));
    expect_same(hs::flatten(p), hs::flatten(a));
    expect_same(hs::reshape(Ix(extents[1], extents[0]), p),
                hs::reshape(Ix(extents[1], extents[0]), a));
    expect_same(hs::replicate(hs::over(hs::keep, 2, hs::keep), p),
                hs::replicate(hs::over(hs::keep, 2, hs::keep), a));
    for (const Index n : {-1, 0, 1, 2, 100}) {
      expect_same(hs::take(n, p), hs::take(n, a));
      expect_same(hs::take_on<0>(n, p), hs::take_on<0>(n, a));
      expect_same(hs::drop(n, p), hs::drop(n, a));
      expect_same(hs::drop_on<0>(n, p), hs::drop_on<0>(n, a));
    }
    EXPECT_EQ(run(hs::force(hs::pull(1, [=](auto) { return hs::size(p); })))(0),
              extents[0] * extents[1]);
    if (extents[0] > 0 && extents[1] > 0) {
      expect_same(hs::slice(hs::over(extents[0] - 1, hs::keep), p),
                  hs::slice(hs::over(extents[0] - 1, hs::keep), a));
      expect_same(hs::slice(hs::over(0, 0), p), hs::slice(hs::over(0, 0), a));
    }
  }
}

TEST_P(PullArrays, ElementsElsewhere) {
  const auto a = hs::use(table(6, 4));
  const auto p = hs::map([](auto x) { return x + 1; }, hs::pull(a));
  const auto diagonal = [](auto i) { return hs::ix(i, i % 2); };
  expect_same(hs::backpermute(6, diagonal, p),
              hs::backpermute(6, diagonal, hs::map([](auto x) { return x + 1; }, a)));
  // Reads in scalar code, with every form of index.
  const auto sums = hs::pull(6, [=](auto i) { return p(i, 0) + p[hs::ix(i, 1)]; });
  EXPECT_EQ(run(hs::force(sums)), (Vector<Index>{3, 65, 127, 189, 251, 313}));
  const auto row = hs::slice(hs::over(2, hs::keep), p);
  EXPECT_EQ(run(hs::map([=](auto x) { return x * row(3) + row[0]; }, hs::use(Vector<Index>{0, 1}))),
            (Vector<Index>{63, 129}));
  const Pull<Index, 0> point = hs::pull(hs::Ix<0>(), [](auto) { return Exp<Index>(7); });
  EXPECT_EQ(run(hs::force(point)).item(), 7);
}

TEST_P(PullArrays, Folds) {
  const auto a = hs::use(table(7, 40));
  const auto p = hs::pull(hs::shape(a), [=](auto ix) { return a[ix] % 11; });
  const auto b = hs::map([](auto x) { return x % 11; }, a);
  const auto is_big = [](auto x) { return x > 8; };
  // Composes x -> m x + c, which does not commute.
  const auto then = [](auto x, auto y) {
    return Exp<std::pair<Index, Index>>(hs::get<0>(x) * hs::get<0>(y) % 1009,
                                        (hs::get<1>(x) * hs::get<0>(y) + hs::get<1>(y)) % 1009);
  };
  const auto affine = [](auto x) { return std::pair{x, x + 1}; };
  EXPECT_EQ(run(hs::fold(std::plus<>{}, 5, p)), run(hs::fold(std::plus<>{}, 5, b)));
  EXPECT_EQ(run(hs::fold_on<0>(std::plus<>{}, 5, p)), run(hs::fold_on<0>(std::plus<>{}, 5, b)));
  EXPECT_EQ(run(hs::fold_all(std::plus<>{}, 5, p)), run(hs::fold_all(std::plus<>{}, 5, b)));
  EXPECT_EQ(run(hs::fold1(then, hs::map(affine, p))), run(hs::fold1(then, hs::map(affine, b))));
  EXPECT_EQ(run(hs::fold1_on<0>(then, hs::map(affine, p))),
            run(hs::fold1_on<0>(then, hs::map(affine, b))));
  EXPECT_EQ(run(hs::fold1_all(then, hs::map(affine, p))),
            run(hs::fold1_all(then, hs::map(affine, b))));
  EXPECT_EQ(run(hs::sum<double>(p)), run(hs::sum<double>(b)));
  EXPECT_EQ(run(hs::sum_on<0>(p)), run(hs::sum_on<0>(b)));
  EXPECT_EQ(run(hs::sum_all(p)), run(hs::sum_all(b)));
  EXPECT_EQ(run(hs::product_on<0>(p)), run(hs::product_on<0>(b)));
  EXPECT_EQ(run(hs::minimum(p)), run(hs::minimum(b)));
  EXPECT_EQ(run(hs::maximum_all(p)), run(hs::maximum_all(b)));
  EXPECT_EQ(run(hs::argmin(p)), run(hs::argmin(b)));
  EXPECT_EQ(run(hs::argmax_all(p)), run(hs::argmax_all(b)));
  EXPECT_EQ(run(hs::count(is_big, p)), run(hs::count(is_big, b)));
  EXPECT_EQ(run(hs::all_of_on<0>(is_big, p)), run(hs::all_of_on<0>(is_big, b)));
  EXPECT_EQ(run(hs::any_of(is_big, p)), run(hs::any_of(is_big, b)));
}

TEST_P(PullArrays, EmptyOnes) {
  EXPECT_EQ(run(hs::force(Pull<float, 1>{})), Vector<float>{});
  EXPECT_EQ(run(hs::force(Pull<int, 0>{})).item(), 0);
  EXPECT_EQ(run(hs::force(hs::pull(-3, [](auto i) { return i; }))), Vector<Index>{});
  EXPECT_EQ(run(hs::sum_all(hs::pull(Ix(0, 5), [](auto i, auto j) { return i + j; }))).item(), 0);
}

TEST_P(PullArrays, OtherSizesAreErrors) {
  const auto p = hs::pull(hs::use(table(3, 4)));
  EXPECT_THROW(run(hs::force(hs::reshape(5, p))), hs::ShapeError);
  EXPECT_THROW(run(hs::force(hs::transpose(hs::reshape(Ix(2, 7), p)))), hs::ShapeError);
  EXPECT_THROW(run(hs::sum(hs::reshape(Ix(2, 7), p))), hs::ShapeError);
  try {
    run(hs::force(hs::reshape(5, p)));
  } catch (const hs::ShapeError& error) {
    EXPECT_NE(std::string(error.what()).find("5 elements, the array 12"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("pull_test.cpp"), std::string::npos) << error.what();
  }
}

TEST_P(PullArrays, EqualExtentsAreDemandedIfChecked) {
  const auto a = hs::use(line(7)), b = hs::use(line(5));
  const auto minus = [](auto x, auto y) { return x - y; };
  const auto zipped = hs::force(hs::zip_with(minus, hs::pull(a), hs::reverse(hs::pull(b))));
  const auto equal = hs::force(hs::zip_with(minus, hs::pull(a), hs::reverse(hs::pull(a))));
  hs::Options checked = GetParam();
  checked.checks = hs::Checks::extents;
  EXPECT_EQ(hs::run(equal, checked).size(), 7);
  EXPECT_EQ(run(zipped).size(), 5);
  EXPECT_THAT([&] { hs::run(zipped, checked); },
              testing::ThrowsMessage<hs::ShapeError>(testing::AllOf(
                  testing::HasSubstr("pull_test.cpp:"),
                  testing::HasSubstr("zip_with: arrays of shapes (7) and (5) meet"))));
}

TEST_P(PullArrays, ParametersAndLoops) {
  // Numbers of the program, and arrays in a loop.
  const auto f = hs::compile(
      [](Exp<int> rounds, Exp<Index> by, Acc<Vector<Index>> a) {
        return hs::aiterate(
            rounds,
            [=](Acc<Vector<Index>> x) {
              const auto p = hs::pull(x);
              const auto moved =
                  hs::pull(hs::size(x), [=](auto i) { return p((i + by) % hs::size(p)) + i; });
              return hs::force(moved);
            },
            a);
      },
      GetParam());
  const auto expected = [](int rounds, Index by, std::vector<Index> x) {
    for (int k = 0; k < rounds; ++k) {
      std::vector<Index> next(x.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        next[i] = x[(i + static_cast<std::size_t>(by)) % x.size()] + static_cast<Index>(i);
      x = next;
    }
    return hasten_test::vector_of(x);
  };
  const auto x = hasten_test::numbers<Index>(20);
  const auto v = hasten_test::vector_of(x);
  EXPECT_EQ(f(3, 7, v), expected(3, 7, x));
  EXPECT_EQ(f(5, 1, v), expected(5, 1, x));
}

// A chain of any length, whose elements are used twice at each step, is one kernel, whatever its
// cost.
TEST_P(PullArrays, OneKernelForEachForce) {
  const auto chain = [](Acc<Vector<float>> a) {
    auto p = hs::pull(a);
    for (int k = 0; k < 6; ++k) {
      const auto costly =
          hs::map([](auto x) { return hs::sin(hs::exp(x * 0.01f)) * hs::sqrt(x * x + 1.0f); }, p);
      p = hs::zip_with([](auto x, auto y) { return x + y; }, costly, hs::reverse(costly));
    }
    return hs::force(p);
  };
  EXPECT_EQ(hs::compile(chain, GetParam()).kernel_count(), 1);
  const auto two = [](Acc<Matrix<float>> a) {
    const auto doubled = hs::map([](auto x) { return x * 2.0f; }, hs::pull(a));
    const auto kept = hs::force(hs::transpose(doubled));
    return hs::force(hs::reverse(hs::pull(kept)));
  };
  EXPECT_EQ(hs::compile(two, GetParam()).kernel_count(), 2);
  // Folds are separate kernels.
  const auto dot = [](Acc<Vector<float>> a, Acc<Vector<float>> b) {
    return hs::sum(hs::zip_with(std::multiplies<>{}, hs::pull(a), hs::pull(b)));
  };
  EXPECT_EQ(hs::compile(dot, GetParam()).kernel_count(), 1);
}

// Reads of elements that are two or more apart, forwards and backwards, whole and in parts.
template <class T, class Sample>
void expect_apart(const hs::Options& target, Sample sample) {
  constexpr Index n = 333;
  std::vector<T> numbers;
  for (Index i = 0; i < 5 * n; ++i) numbers.push_back(sample(i));
  for (const Index apart : {2, 3, 4, 5}) {
    const auto forwards = [=](Acc<Vector<T>> a) {
      return hs::force(hs::pull(
          n, [=, p = hs::pull(a)](auto i) { return p(apart * i) - p(apart * i + (apart - 1)); }));
    };
    const auto backwards = [=](Acc<Vector<T>> a) {
      return hs::force(hs::pull(
          n, [=, p = hs::pull(a)](auto i) { return p(apart * (n - 1 - i)) - p(apart * i); }));
    };
    const auto x = hasten_test::vector_of(numbers);
    const auto there = hs::compile(forwards, target)(x), back = hs::compile(backwards, target)(x);
    const auto at = [&](Index i) { return numbers[static_cast<std::size_t>(i)]; };
    for (Index i = 0; i < n; ++i) {
      EXPECT_EQ(there(i), at(apart * i) - at(apart * i + apart - 1)) << apart << ", " << i;
      EXPECT_EQ(back(i), at(apart * (n - 1 - i)) - at(apart * i)) << apart << ", " << i;
    }
  }
}

TEST_P(PullArrays, ElementsApart) {
  expect_apart<float>(GetParam(), [](Index i) { return static_cast<float>(i * 7 % 101); });
  expect_apart<Index>(GetParam(), [](Index i) { return i * 7 % 101; });
  expect_apart<std::complex<float>>(GetParam(), [](Index i) {
    return std::complex<float>(static_cast<float>(i % 101), static_cast<float>(i * 3 % 103));
  });
}

// Ordinary operations fuse with pull arrays, and with forced ones.
TEST_P(PullArrays, AmongOrdinaryOperations) {
  const auto a = hs::use(line(50));
  const auto squares = hs::map([](auto x) { return x * x; }, a);
  const auto p = hs::zip_with(std::plus<>{}, hs::pull(squares), hs::reverse(hs::pull(a)));
  const auto expected = hs::zip_with(std::plus<>{}, squares, hs::reverse(a));
  EXPECT_EQ(run(hs::scanl1(std::plus<>{}, hs::force(p))), run(hs::scanl1(std::plus<>{}, expected)));
  EXPECT_EQ(run(hs::force(hs::force(p))), run(expected));
}

HASTEN_ON_EVERY_DEVICE(PullArrays);

}  // namespace
