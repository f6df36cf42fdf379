// Reads at indices out of range: the nearest element on every target that compiles; an error on the
// interpreter, and everywhere if the options ask for it.
#include "support.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

// The interpreter checks indices.
std::vector<hs::Options> all_that_compile() {
  std::vector<hs::Options> targets = hasten_test::all_devices();
  std::erase_if(targets, [](const hs::Options& o) { return o.target == hs::interpreter(); });
  return targets;
}

class Reads : public hasten_test::OnEveryDevice {};

const std::vector<std::int64_t> wild{0,  1,    -1,    9,     10,   11,       -10,
                                     50, 1000, -1000, least, most, most - 1, std::int64_t{1} << 40};

std::int64_t place(std::int64_t i, std::int64_t n) { return i >= 0 && i < n ? i : n - 1; }

TEST_P(Reads, GiveTheLastElement) {
  const Vector<int> a{3, 1, 4, 1, 5, 9, 2, 6, 5, 7};
  const Vector<std::int64_t> at(wild);
  const auto read = [](auto indices, auto of) {
    return hs::map([=](Exp<std::int64_t> i) { return of[i]; }, indices);
  };
  const auto stored = run(read(hs::use(at), hs::use(a)));
  // Reads of an array that is never stored, too.
  const auto computed =
      run(read(hs::use(at), hs::map([](Exp<int> x) { return x * 10; }, hs::use(a))));
  for (std::size_t i = 0; i < wild.size(); ++i) {
    const int expected = a[place(wild[i], 10)];
    EXPECT_EQ(stored[static_cast<std::int64_t>(i)], expected) << wild[i];
    EXPECT_EQ(computed[static_cast<std::int64_t>(i)], 10 * expected) << wild[i];
  }
}

TEST_P(Reads, GiveTheLastElementAlongEachAxis) {
  const Matrix<int> a{{1, 2, 3}, {4, 5, 6}};
  const auto moved = run(hs::generate(
      hs::ix(4, 5), [a = hs::use(a)](Exp<hs::Ix<2>> i) { return a(i[0] - 1, i[1] - 1); }));
  for (std::int64_t r = 0; r < 4; ++r)
    for (std::int64_t c = 0; c < 5; ++c)
      EXPECT_EQ(moved(r, c), a(place(r - 1, 2), place(c - 1, 3))) << r << " " << c;
}

// Indices of fewer bits are clamped in 32 bits.
template <class I>
void expect_clamped(const hs::Options& options) {
  constexpr I low = std::numeric_limits<I>::min(), high = std::numeric_limits<I>::max();
  const std::vector<I> indices{low,        high, I(0), I(5), I(6), I(7), I(high / 2 + 1),
                               I(low / 2), I(-1)};
  const auto table = hs::use(Vector<int>{3, 1, 4, 1, 5, 9, 2});
  const auto read = hs::run(
      hs::map([=](const Exp<I>& i) { return table[i]; }, hs::use(Vector<I>(indices))), options);
  const auto of_sum =
      hs::run(hs::map([=](const Exp<I>& i) { return table[hs::cast<std::int64_t>(i) + 1]; },
                      hs::use(Vector<I>(indices))),
              options);
  const int elements[] = {3, 1, 4, 1, 5, 9, 2};
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const auto i = static_cast<std::int64_t>(indices[k]);
    const auto at = static_cast<std::int64_t>(k);
    EXPECT_EQ(read[at], elements[place(i, 7)]) << i;
    EXPECT_EQ(of_sum[at], elements[place(i + 1, 7)]) << i;
  }
}

TEST_P(Reads, AtIndicesOfEachType) {
  expect_clamped<std::int8_t>(GetParam());
  expect_clamped<std::uint8_t>(GetParam());
  expect_clamped<std::int16_t>(GetParam());
  expect_clamped<std::uint16_t>(GetParam());
  expect_clamped<std::int32_t>(GetParam());
  expect_clamped<std::uint32_t>(GetParam());
}

// Scans and scatters have no interior: each vector tests whether it is away from the border.
TEST_P(Reads, OfNeighboursInScansAndScatters) {
  using V = Acc<Vector<std::int64_t>>;
  for (const std::int64_t by : {-9, -1, 0, 1, 3, 40})
    for (const std::int64_t n : {1, 2, 7, 16, 33, 1000}) {
      const V a = hs::map([](auto i) { return i * i; }, hs::iota<std::int64_t>(n));
      const V table = hs::compute(a);
      const auto moved = hs::generate(n, [=](auto i) { return table[i + by]; });
      const auto sums = run(hs::scanl1([](auto x, auto y) { return x + y; }, moved));
      const auto turned = run(hs::permute_unique(
          hs::fill(n, std::int64_t{0}), [=](auto i) { return n - 1 - i; }, moved));
      const Matrix<std::int64_t> rows = run(
          hs::scanl1([](auto x, auto y) { return x + y; },
                     hs::generate(hs::ix(3, n), [=](auto i) { return table[i[1] + by] + i[0]; })));
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t from = place(i + by, n);
        sum += from * from;
        ASSERT_EQ(sums[i], sum) << by << " " << n << " " << i;
        ASSERT_EQ(turned[n - 1 - i], from * from) << by << " " << n << " " << i;
        ASSERT_EQ(rows(2, i), sum + 2 * (i + 1)) << by << " " << n << " " << i;
      }
    }
}

TEST_P(Reads, ByRowMajorPosition) {
  const Matrix<int> a{{1, 2, 3}, {4, 5, 6}};
  const auto read = run(hs::map([a = hs::use(a)](Exp<std::int64_t> i) { return a.linear(i); },
                                hs::use(Vector<std::int64_t>(wild))));
  for (std::size_t i = 0; i < wild.size(); ++i)
    EXPECT_EQ(read[static_cast<std::int64_t>(i)], place(wild[i], 6) + 1) << wild[i];
}

TEST_P(Reads, OfAnEmptyArrayGiveZero) {
  const auto zeros = Vector<int>{0, 0, 0};
  const auto three = [](auto f) { return hs::generate(hs::Ix<1>{3}, f); };
  const auto none = hs::use(Vector<int>{});
  EXPECT_EQ(run(three([=](Exp<std::int64_t> i) { return none[i]; })), zeros);
  EXPECT_EQ(run(three([=](Exp<std::int64_t> i) { return none.linear(i + 7); })), zeros);
  const auto more = hs::map([](Exp<int> x) { return x + 7; }, none);
  EXPECT_EQ(run(three([=](Exp<std::int64_t> i) { return more[i]; })), zeros);
  // Only one axis is empty: the other indices determine the position in the row.
  const auto rows = hs::use(Matrix<int>(hs::ix(0, 5), {}));
  EXPECT_EQ(run(three([=](Exp<std::int64_t> i) { return rows(i, i + 2); })), zeros);
  EXPECT_EQ(run(three([=](Exp<std::int64_t> i) {
              return hs::map([](Exp<int> x) { return x + 7; }, rows)(i, i);
            })),
            zeros);
  EXPECT_EQ(run(hs::slice(hs::over(2, hs::keep), rows)), (Vector<int>{0, 0, 0, 0, 0}));
  const auto pairs = hs::use(Vector<std::pair<double, std::int8_t>>{});
  const auto first = run(three([=](Exp<std::int64_t> i) { return hs::get<0>(pairs[i]); }));
  EXPECT_EQ(first, (Vector<double>{0, 0, 0}));
}

TEST_P(Reads, GuardedOnesOfAnEmptyArray) {
  const auto or_nine = [](Acc<Vector<int>> a) {
    return hs::generate(hs::Ix<1>{3}, [=](Exp<std::int64_t> i) {
      return hs::select(i < hs::size(a), a[i], Exp<int>(9));
    });
  };
  const auto f = hs::compile([=](Acc<Vector<int>> a) { return or_nine(a); }, GetParam());
  EXPECT_EQ(f(Vector<int>{}), (Vector<int>{9, 9, 9}));
  EXPECT_EQ(f(Vector<int>{1, 2}), (Vector<int>{1, 2, 9}));
}

TEST_P(Reads, OfRowsThatAreNotThere) {
  const Matrix<int> a{{1, 2, 3}, {4, 5, 6}};
  const auto row = hs::compile(
      [](Acc<Matrix<int>> m, Exp<std::int64_t> k) { return hs::slice(hs::over(k, hs::keep), m); },
      GetParam());
  for (const std::int64_t k : wild)
    EXPECT_EQ(row(a, k), (k == 0 ? Vector<int>{1, 2, 3} : Vector<int>{4, 5, 6})) << k;
}

TEST_P(Reads, InEveryOperation) {
  const Vector<int> a{1, 2, 3, 4, 5};
  const auto x = hs::use(a);
  const auto far = [=](auto i) { return x[i * 1'000'003 - 2]; };
  EXPECT_EQ(run(hs::sum(hs::generate(hs::Ix<1>{4}, far))).item(), 5 + 5 + 5 + 5);
  EXPECT_EQ(run(hs::scanl1([](auto p, auto q) { return p + q; }, hs::generate(hs::Ix<1>{4}, far))),
            (Vector<int>{5, 10, 15, 20}));
  // The read is in the operator itself.
  const auto folded = hs::fold(
      [=](Exp<int> p, Exp<int> q) { return hs::max(p, x[hs::cast<std::int64_t>(q) * 1000]); }, 0,
      x);
  EXPECT_EQ(run(folded).item(), 5);
  EXPECT_EQ(run(hs::filter([=](Exp<int> v) { return x[hs::cast<std::int64_t>(v) + 3] > 4; }, x)),
            a);
  const auto scattered = hs::permute([](auto p, auto q) { return p + q; }, hs::fill(3, 0),
                                     [=](Exp<std::int64_t> i) { return x[i + most / 2] - 4; }, x);
  EXPECT_EQ(run(scattered), (Vector<int>{0, 15, 0}));
  const auto back = hs::backpermute(7, [](Exp<std::int64_t> i) { return i - 1; }, x);
  EXPECT_EQ(run(back), (Vector<int>{5, 1, 2, 3, 4, 5, 5}));
  EXPECT_EQ(run(hs::gather(hs::use(Vector<std::int64_t>{-5, 2, 99}), x)), (Vector<int>{5, 3, 5}));
  EXPECT_EQ(run(hs::unit(x[77])).item(), 5);
}

TEST_P(Reads, InLoops) {
  const auto x = hs::use(Vector<int>{1, 2, 3, 4, 5});
  // As many steps as the condition allows, two of them beyond the end.
  const auto sums = hs::generate(hs::Ix<1>{3}, [=](Exp<std::int64_t> start) {
    const auto last = hs::while_loop(
        [=](auto s) { return hs::get<0>(s) < hs::size(x) + 2; },
        [=](auto s) { return std::pair(hs::get<0>(s) + 1, hs::get<1>(s) + x[hs::get<0>(s)]); },
        std::pair(start - 1, Exp<int>(0)));
    return hs::get<1>(last);
  });
  EXPECT_EQ(run(sums), (Vector<int>{5 + 15 + 10, 15 + 10, 14 + 10}));
}

TEST_P(Reads, CheckedAreErrors) {
  const auto x = hs::use(Vector<int>{1, 2, 3});
  hs::Options options = GetParam();
  options.checks = hs::Checks::bounds;
  const auto program = hs::generate(hs::Ix<1>{4}, [=](Exp<std::int64_t> i) { return x[i]; });
  EXPECT_THROW(hs::run(program, options), hs::IndexError);
}

TEST_P(Reads, TrustedAreRightInRange) {
  const Vector<int> a{1, 2, 3};
  hs::Options options = GetParam();
  options.checks = hs::Checks::trusted;
  const auto f = hs::compile(
      [](Acc<Vector<int>> v, Acc<Vector<std::int64_t>> at) {
        return hs::map([=](Exp<std::int64_t> i) { return v[i]; }, at);
      },
      options);
  EXPECT_EQ(f(a, Vector<std::int64_t>{2, 0, 1, 2}), (Vector<int>{3, 1, 2, 3}));
}

INSTANTIATE_TEST_SUITE_P(, Reads, testing::ValuesIn(all_that_compile()), hasten_test::target_name);

TEST(ReadsOptions, TrustStandsAlone) {
  const hs::Options both{.target = hs::cpu(), .checks = hs::Checks::trusted | hs::Checks::bounds};
  EXPECT_THROW(hs::run(hs::iota(3), both), hs::BuildError);
}

}  // namespace
