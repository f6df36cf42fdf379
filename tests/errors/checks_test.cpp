// Checks::bounds and Checks::arithmetic: failures are found and named at the user's line on every
// target, by compiled kernels where the target has them.
#include "../programs/support.hpp"
#include "tests/support/places.hpp"

#include <functional>
#include <string>
#include <tuple>

using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;
using hs::Checks;

namespace {

class ElementChecks : public hasten_test::OnEveryDevice {
 protected:
  template <class P>
  static auto run(const P& program, Checks checks) {
    hs::Options options = GetParam();
    options.checks = checks;
    return hs::run(program, options);
  }

  template <class E, class P>
  static void expect_error(const P& program, Checks checks, unsigned line, const char* word) {
    try {
      run(program, checks);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const E& e) {
      EXPECT_EQ(e.where().line(), line) << e.what();
      EXPECT_TRUE(hasten::test::begins_with_its_place(e)) << e.what();
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  }
};

Acc<Vector<std::int64_t>> counting(std::int64_t n) { return hs::iota<std::int64_t>(n); }

TEST_P(ElementChecks, OneReadAmongMany) {
  // Only the last element fails, in the last, partial vector.
  for (const std::int64_t n : {1, 16, 17, 1000, 70001}) {
    const auto table = hs::compute(counting(n));
    const auto shifted = [=](std::int64_t by) {
      return hs::map([=](auto i) { return table[i + by]; }, counting(n));
    };
    const unsigned line = __LINE__ - 2;
    EXPECT_EQ(run(hs::sum(shifted(0)), Checks::bounds).item(), n * (n - 1) / 2);
    expect_error<hs::IndexError>(shifted(1), Checks::bounds, line, "index");
    expect_error<hs::IndexError>(shifted(-1), Checks::bounds, line, "(-1)");
    expect_error<hs::IndexError>(hs::sum(shifted(1)), Checks::bounds, line, "index");
  }
}

TEST_P(ElementChecks, GuardedReadsAreNoErrors) {
  const auto table = hs::compute(counting(10));
  const auto program = hs::map(
      [=](auto i) { return hs::select(i < 10, table[i], Exp<std::int64_t>(-1)); }, counting(40));
  EXPECT_EQ(run(hs::sum(program), Checks::all).item(), 45 - 30);
  // Two branches, each with an operation that can fail.
  const auto nested = hs::map(
      [=](auto i) {
        const auto x = hs::select(i < 10, table[i], Exp<std::int64_t>(-1));
        return x + hs::select(i > 0, table[hs::min(i, 9) / hs::max(i, 1)], Exp<std::int64_t>(7));
      },
      counting(40));
  EXPECT_EQ(run(nested, Checks::all)(0), 7);
  const auto wrong = hs::map(
      [=](auto i) { return hs::select(i <= 10, table[i], Exp<std::int64_t>(-1)); }, counting(40));
  expect_error<hs::IndexError>(wrong, Checks::bounds, __LINE__ - 2, "10");
}

TEST_P(ElementChecks, ReadsInLoops) {
  // Follows links until one is negative.
  const auto follow = [](const Acc<Vector<std::int64_t>>& links) {
    return hs::map(
        [=](auto start) {
          return hs::while_loop([=](auto i) { return links[i] >= 0; },
                                [=](auto i) { return links[i]; }, Exp<std::int64_t>(start));
        },
        counting(3));
  };
  const unsigned line = __LINE__ - 7;
  const auto good = run(follow(hs::use(Vector<std::int64_t>{1, 2, -1})), Checks::bounds);
  EXPECT_EQ(good.to_vector(), (std::vector<std::int64_t>{2, 2, 2}));
  expect_error<hs::IndexError>(follow(hs::use(Vector<std::int64_t>{1, 5, -1})), Checks::bounds,
                               line, "5");
}

TEST_P(ElementChecks, LoopsEndAtTheFirstFailure) {
  // Reads 0 for ever once it is out of range.
  const auto table = hs::use(Vector<std::int64_t>{0});
  const auto program = hs::map(
      [=](auto i) {
        return hs::while_loop([](auto x) { return x < 5; }, [=](auto x) { return table[x + 1]; },
                              Exp<std::int64_t>(i));
      },
      counting(1));
  expect_error<hs::IndexError>(program, Checks::bounds, __LINE__ - 6, "(1)");
}

TEST_P(ElementChecks, BackpermuteSliceAndLinearReads) {
  const auto a = hs::use(Matrix<std::int32_t>{{1, 2, 3}, {4, 5, 6}});
  const auto moved = hs::backpermute(hs::ix(2, 2), [](auto ix) { return ix + hs::ix(1, 0); }, a);
  expect_error<hs::IndexError>(moved, Checks::bounds, __LINE__ - 1, "(2, 0)");
  const auto linear = hs::generate(7, [=](auto i) { return a.linear(i); });
  expect_error<hs::IndexError>(linear, Checks::bounds, __LINE__ - 1, "6");
  const auto column = hs::slice(hs::over(hs::keep, hs::size(a) - 3), a);
  expect_error<hs::IndexError>(column, Checks::bounds, __LINE__ - 1, "3");
}

TEST_P(ElementChecks, ReadsOfEmptyArrays) {
  const auto nothing = hs::use(Vector<float>{});
  const auto program = hs::generate(100, [=](auto i) { return nothing[i]; });
  expect_error<hs::IndexError>(program, Checks::bounds, __LINE__ - 1, "(0)");
  EXPECT_EQ(run(hs::generate(0, [=](auto i) { return nothing[i]; }), Checks::all).size(), 0);
}

TEST_P(ElementChecks, Divisions) {
  const auto divided = hs::map([](auto i) { return 100 / (i - 37); }, counting(100));
  expect_error<hs::ArithmeticError>(divided, Checks::arithmetic, __LINE__ - 1, "zero");
  EXPECT_EQ(run(divided, Checks::bounds)(37), 0);
  const auto divisor = [](auto i) { return hs::select(i == 99, Exp<std::int64_t>(0), i + 1); };
  const auto rest = hs::map([=](auto i) { return hs::mod(i, divisor(i)); }, counting(100));
  expect_error<hs::ArithmeticError>(hs::sum(rest), Checks::arithmetic, __LINE__ - 1, "remainder");
  const auto guarded = hs::map(
      [](auto i) { return hs::select(i == 0, Exp<std::int64_t>(0), 10 / i); }, counting(100));
  EXPECT_EQ(run(guarded, Checks::all)(3), 3);
}

TEST_P(ElementChecks, DivisionsByConstantsAndOnTheHost) {
  const auto constant = hs::map([](auto i) { return i / (i * 0); }, counting(10));
  expect_error<hs::ArithmeticError>(constant, Checks::arithmetic, __LINE__ - 1, "zero");
  const auto n = hs::size(hs::use(Vector<float>{}));
  const auto filled = hs::fill(100 / n, Exp<float>(1));
  EXPECT_THROW(run(filled, Checks::arithmetic), hs::ArithmeticError);
}

// Operators combine values that no element has by itself. This one is associative; gcd(x, 0) is x,
// and gcd(0, 0) is an error.
Exp<std::int64_t> greatest_divisor(const Exp<std::int64_t>& x, const Exp<std::int64_t>& y) {
  const auto last =
      hs::while_loop([](const auto& p) { return hs::get<1>(p) != 0; },
                     [](const auto& p) {
                       return std::tuple(hs::get<1>(p), hs::rem(hs::get<0>(p), hs::get<1>(p)));
                     },
                     std::tuple(x, y));
  return hs::get<0>(last) / hs::select(x == 0 && y == 0, x, x - x + 1);
}

TEST_P(ElementChecks, InOperatorsOfFolds) {
  const auto fold = hs::fold([](auto x, auto y) { return x / y; }, std::int64_t{100}, counting(3));
  expect_error<hs::ArithmeticError>(fold, Checks::arithmetic, __LINE__ - 1, "at element (0)");
  EXPECT_EQ(run(fold, Checks::bounds).item(), 0);
  for (const std::int64_t n : {1, 2, 17, 5000}) {
    const auto multiples = hs::map([](auto i) { return 6 * i + 6; }, counting(n));
    EXPECT_EQ(run(hs::fold1(greatest_divisor, multiples), Checks::all).item(), 6);
  }
  const auto rows = hs::generate(hs::ix(3, 70), [](auto i) { return i[0] * 4; });
  const auto row = hs::slice(hs::over(1, hs::keep), rows);
  EXPECT_EQ(run(hs::fold1(greatest_divisor, row), Checks::all).item(), 4);
  const auto wrong = hs::fold1(greatest_divisor, rows);
  expect_error<hs::ArithmeticError>(wrong, Checks::arithmetic, __LINE__ - 1,
                                    "division by zero at element (0, 1) of its source");
}

TEST_P(ElementChecks, InOperatorsOfScansAndSegments) {
  const auto numbers = hs::map([](auto i) { return 12 * (i + 1); }, counting(1000));
  const auto scanned = run(hs::scanl1(greatest_divisor, numbers), Checks::all);
  EXPECT_EQ(scanned(0), 12);
  EXPECT_EQ(scanned(999), 12);
  const auto zeros = hs::map([](auto i) { return hs::select(i < 900, i - i, i); }, counting(1000));
  const auto offsets = hs::use(Vector<std::int64_t>{0, 10, 11, 1000});
  const auto fold = [&](const Acc<Vector<std::int64_t>>& values) {
    return hs::fold_seg_offsets(greatest_divisor, std::int64_t{24}, values, offsets);
  };
  EXPECT_EQ(run(fold(numbers), Checks::all).to_vector(), (std::vector<std::int64_t>{12, 12, 12}));
  EXPECT_THROW(run(hs::scanl1(greatest_divisor, zeros), Checks::all), hs::ArithmeticError);
  const auto none =
      hs::fold1_seg(greatest_divisor, zeros, hs::use(Vector<std::int64_t>{1, 1, 998}));
  EXPECT_THROW(run(none, Checks::all), hs::ArithmeticError);
}

TEST_P(ElementChecks, InOperatorsOfScatters) {
  const auto divided = [](std::int64_t least) {
    const auto values = hs::map([=](auto i) { return i + least; }, counting(300));
    return hs::permute([](auto fresh, auto old) { return old / fresh; },
                       hs::fill(7, std::int64_t{1000}), [](auto i) { return i % 7; }, values);
  };
  EXPECT_EQ(run(divided(1), Checks::all)(3), 0);
  const unsigned line = __LINE__ - 4;
  expect_error<hs::ArithmeticError>(divided(-20), Checks::arithmetic, line, "at element (20)");
  EXPECT_EQ(run(divided(-20), Checks::bounds)(3), 0);
}

TEST_P(ElementChecks, ReadsInOperators) {
  const auto table = hs::use(Vector<std::int64_t>{0, 1, 2, 3, 4, 5});
  const auto larger = [=](const Exp<std::int64_t>& x, const Exp<std::int64_t>& y) {
    return table[hs::max(x, y)];
  };
  for (const std::int64_t n : {1, 2, 100, 4097}) {
    const auto digits = hs::map([](auto i) { return i % 6; }, counting(n));
    EXPECT_EQ(run(hs::fold(larger, std::int64_t{0}, digits), Checks::all).item(),
              std::min<std::int64_t>(n - 1, 5));
    const auto beyond =
        hs::map([=](auto i) { return hs::select(i == n - 1, i - i + 6, i % 6); }, counting(n));
    const auto folded = hs::fold(larger, std::int64_t{0}, beyond);
    expect_error<hs::IndexError>(folded, Checks::bounds, __LINE__ - 1,
                                 "index (6) is out of range in an array brought in by use at c");
    const auto scanned = hs::scanl(larger, std::int64_t{0}, beyond);
    expect_error<hs::IndexError>(scanned, Checks::bounds, __LINE__ - 1, "(6)");
  }
  const auto linear = [=](const Exp<std::int64_t>& x, const Exp<std::int64_t>& y) {
    return table.linear(x + y);
  };
  EXPECT_EQ(run(hs::fold(linear, std::int64_t{0}, counting(3)), Checks::bounds).item(), 3);
  EXPECT_THROW(run(hs::fold(linear, std::int64_t{0}, counting(5)), Checks::bounds), hs::IndexError);
}

// After a failure, the loops of operators end.
TEST_P(ElementChecks, LoopsOfOperatorsEndAtTheFirstFailure) {
  const auto table = hs::use(Vector<std::int64_t>{0});
  const auto forever = [=](const Exp<std::int64_t>& x, const Exp<std::int64_t>& y) {
    return hs::while_loop([](auto i) { return i < 5; }, [=](auto i) { return table[i]; }, x + y);
  };
  const auto program = hs::fold(forever, std::int64_t{1}, hs::fill(100, std::int64_t{1}));
  expect_error<hs::IndexError>(program, Checks::bounds, __LINE__ - 1, "(2)");
  // A condition that reads does not start such a loop, nor does a condition after a failure.
  const auto later = [=](const Exp<std::int64_t>& x, const Exp<std::int64_t>& y) {
    const auto step = table[x + 1];
    return hs::while_loop([=](auto i) { return table[i - i] + i < 5; },
                          [=](auto i) { return i + step; }, y);
  };
  EXPECT_THROW(run(hs::fold(later, std::int64_t{1}, hs::fill(9, std::int64_t{0})), Checks::bounds),
               hs::IndexError);
}

TEST_P(ElementChecks, ExtentsThatMeet) {
  const auto few = counting(2), many = counting(3);
  const auto scattered = hs::scatter(few, hs::fill(4, std::int64_t{9}), many);
  EXPECT_EQ(run(scattered, Checks::bounds)(1), 1);
  EXPECT_EQ(run(scattered, Checks::bounds)(2), 9);
  EXPECT_THROW(run(scattered, Checks::extents), hs::ShapeError);
}

// The host's reads of arguments and of computed arrays.
TEST_P(ElementChecks, ReadsOutsideFunctionsNameTheArray) {
  const auto given = hs::use(Vector<std::int64_t>{1, 2, 3});
  const auto table = hs::compute(counting(4));
  expect_error<hs::IndexError>(hs::take(given[9], counting(5)), Checks::bounds, __LINE__,
                               "index (9) is out of range in an array brought in by use at checks");
  expect_error<hs::IndexError>(hs::unit(table[-1]), Checks::bounds, __LINE__,
                               "index (-1) is out of range in the result of compute, of shape (4)");
  expect_error<hs::IndexError>(hs::unit(table[given[2] + 1]), Checks::bounds, __LINE__,
                               "index (4) is out of range in the result of compute");
}

HASTEN_ON_EVERY_DEVICE(ElementChecks);

#if HASTEN_WITH_LLVM
TEST(CompiledChecks, AreMadeByKernels) {
  const auto f = hs::compile(
      [](Acc<Vector<float>> a, Acc<Vector<std::int64_t>> at) {
        return hs::map([=](auto i) { return a[i]; }, at);
      },
      {.target = hs::cpu(), .checks = Checks::all});
  EXPECT_EQ(f.kernel_count(), 2);
  EXPECT_EQ(f({1, 2, 3}, {2, 0})(0), 3);
  EXPECT_EQ(f.statistics().launches, 2);
  EXPECT_THROW(f({1, 2, 3}, {2, 3}), hs::IndexError);
  EXPECT_EQ(f({1, 2, 3, 4}, {2, 3})(1), 4);
  // Operators that may fail are separate kernels, too.
  const auto ratio = hs::compile(
      [](Acc<Vector<std::int64_t>> a) {
        return hs::fold([](auto x, auto y) { return x / y; }, std::int64_t{1 << 20}, a);
      },
      {.target = hs::cpu(), .checks = Checks::all});
  EXPECT_GE(ratio.kernel_count(), 1);
  EXPECT_EQ(ratio({8}).item(), 1 << 17);
  EXPECT_GE(ratio.statistics().launches, 1);
  EXPECT_THROW(ratio({2, 0, 4}), hs::ArithmeticError);
  // Programs that cannot fail are not checked.
  const auto sum = hs::compile([](Acc<Vector<float>> a) { return hs::sum(a + a); },
                               {.target = hs::cpu(), .checks = Checks::all});
  EXPECT_EQ(sum.kernel_count(), 1);
}
#endif

}  // namespace
