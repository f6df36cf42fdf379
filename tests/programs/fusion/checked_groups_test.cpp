// Under Checks::bounds and Checks::arithmetic, kernels of several arrays stay one kernel: failures
// are searched for once, before all arrays. An epilogue that could fail is a separate kernel.
#include "tests/programs/fusion/launch_counts.hpp"

#include <tuple>

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

using hasten_test::signed_matrix, hasten_test::signed_vector;

using Gathered = std::tuple<Vector<int>, Vector<std::int64_t>>;

// Numbers, and the indices to read them at.
Gathered gathered(std::int64_t n) {
  return {signed_vector(n), Vector<std::int64_t>::from_function(
                                n, [=](hs::Ix<1> ix) { return (7 * ix[0] + 3) % n; })};
}
std::vector<Gathered> gathers() {
  std::vector<Gathered> calls;
  for (const std::int64_t n : {1, 2, 17, 1000, 40'009}) calls.push_back(gathered(n));
  return calls;
}

const auto read = [](Acc<Vector<int>> x, Acc<Vector<std::int64_t>> at) {
  return hs::map([=](Exp<std::int64_t> i) { return x[i]; }, at);
};
const auto larger = [](auto a, auto b) { return hs::max(a, b); };

class CheckedGroups : public hasten_test::LaunchCounts {
 protected:
  CheckedGroups() { checks = hs::Checks::bounds; }

  // The last index in the second argument reads beyond the end of the first argument.
  template <class F>
  void expect_error(const F& f) {
    const auto compiled = hs::compile(f, options());
    for (const std::int64_t n : {1, 1000}) {
      std::vector<std::int64_t> at(static_cast<std::size_t>(n), 0);
      at.back() = n;
      EXPECT_THROW(compiled(signed_vector(n), Vector<std::int64_t>(at)), hs::IndexError) << n;
    }
  }
};

TEST_P(CheckedGroups, FoldsShareAReading) {
  const auto f = [](Acc<Vector<int>> x, Acc<Vector<std::int64_t>> at) {
    const auto y = read(x, at);
    return std::tuple{hs::sum(y) * 3, hs::maximum(y)};
  };
  expect(2, f, gathers());
  expect_stored({}, f);
  expect_error(f);
}

TEST_P(CheckedGroups, MapsShareAReading) {
  const auto f = [](Acc<Vector<int>> x, Acc<Vector<std::int64_t>> at) {
    const auto y = read(x, at);
    return std::tuple{y + 1, y * y};
  };
  expect(2, f, gathers());
  expect_error(f);
}

TEST_P(CheckedGroups, AMapBesideAFoldOfIt) {
  const auto f = [](Acc<Vector<int>> x, Acc<Vector<std::int64_t>> at) {
    const auto y = read(x, at) * 2;
    return std::tuple{y, hs::sum(y)};
  };
  expect(2, f, gathers());
  expect_error(f);
}

TEST_P(CheckedGroups, WhatIsComputedOfAScan) {
  const auto f = [](Acc<Vector<int>> x, Acc<Vector<std::int64_t>> at) {
    return hs::scanl1(std::plus<>{}, read(x, at)) * 5;
  };
  expect(2, f, gathers());
  expect_error(f);
}

// Elements before the first segment and after the last one are checked, too, as for a fold that is
// not in a group.
TEST_P(CheckedGroups, WhatIsComputedOfSegments) {
  const auto f = [](Acc<Vector<int>> x, Acc<Vector<std::int64_t>> at) {
    const auto n = hs::size(at);
    const auto halves = hs::generate(3, [=](Exp<std::int64_t> i) { return i * n / 2; });
    return hs::fold_seg_offsets(std::plus<>{}, 1, read(x, at), halves) * 5;
  };
  expect(4, f, gathers());  // two of them compute the offsets and check that they ascend
  expect_stored({"generate", "fold_seg_offsets"}, f);
  expect_error(f);
}

TEST_P(CheckedGroups, WhatCannotFailIsNotChecked) {
  expect(
      1, [](Acc<Vector<int>> x) { return std::tuple{hs::sum(x * x) + 1, hs::fold1(larger, x)}; },
      std::vector{std::tuple{signed_vector(1)}, std::tuple{signed_vector(40'009)}});
}

// Sums are used as indices, which are known only after the fold.
TEST_P(CheckedGroups, AnEpilogueThatCanFail) {
  const auto f = [](Acc<Vector<int>> x, Acc<Matrix<std::int64_t>> parts) {
    return hs::map([=](Exp<std::int64_t> i) { return x[i]; }, hs::sum(parts));
  };
  const auto ones = [](std::int64_t rows, std::int64_t columns) {
    return Matrix<std::int64_t>::from_function(hs::ix(rows, columns), [](hs::Ix<2>) { return 1; });
  };
  expect(3, f,
         std::vector{std::tuple{signed_vector(8), ones(1, 1)},
                     std::tuple{signed_vector(8), ones(300, 7)}});
  expect_stored({"sum"}, f);
  EXPECT_THROW(hs::compile(f, options())(signed_vector(7), ones(300, 7)), hs::IndexError);
}

TEST_P(CheckedGroups, DivisionsByNumbersOfArrays) {
  checks = hs::Checks::arithmetic;
  const auto f = [](Acc<Matrix<int>> a, Acc<Matrix<int>> b) {
    const auto ratio = hs::zip_with(std::divides<>{}, a, b);
    return std::tuple{hs::sum(ratio), hs::maximum(ratio)};
  };
  const auto divisors = [](std::int64_t rows, std::int64_t columns, int last) {
    return Matrix<int>::from_function(hs::ix(rows, columns), [=](hs::Ix<2> ix) {
      return ix[0] == rows - 1 && ix[1] == columns - 1 ? last : 3;
    });
  };
  expect(2, f,
         std::vector{std::tuple{signed_matrix(1, 1), divisors(1, 1, 2)},
                     std::tuple{signed_matrix(60, 31), divisors(60, 31, -2)}});
  const auto compiled = hs::compile(f, options());
  EXPECT_THROW(compiled(signed_matrix(60, 31), divisors(60, 31, 0)), hs::ArithmeticError);
}

HASTEN_ON_EVERY_DEVICE(CheckedGroups);

}  // namespace
