// Scatters over a loop's state write in place, with the same results as copies.
#include "../support.hpp"

#include <string>
#include <vector>

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

using Ints = Vector<std::int64_t>;

class InPlace : public hasten_test::OnEveryDevice {};

// In round k, element k of the state doubles.
Acc<Ints> doubled(const Acc<Ints>& state, const Exp<std::int64_t>& k) {
  return hs::permute_unique(
      state, [=](const auto&) { return k; },
      hs::generate(1, [=](const auto&) { return 2 * state[k]; }));
}

TEST_P(InPlace, RoundsOfALoop) {
  for (const std::int64_t n : {1, 2, 17, 300}) {
    const auto start = hs::iota<std::int64_t>(n);
    const auto f = hs::compile(
        [](Acc<Ints> a) {
          return hs::aiterate(
              hs::size(a), [](const auto& k, const Acc<Ints>& s) { return doubled(s, k); }, a);
        },
        GetParam());
    const Ints input = hs::run(start, GetParam());
    const auto result = f(input);
    for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(result(i), 2 * i);
    for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(input(i), i);  // the caller's array is unchanged
    EXPECT_EQ(f(input).to_vector(), result.to_vector());
  }
}

// Each element is combined with its right neighbour of the previous round: all are read first.
TEST_P(InPlace, WhatIsReadIsOld) {
  const std::int64_t n = 100;
  const auto shifted = hs::aiterate(
      7,
      [=](const Acc<Ints>& s) {
        const auto right =
            hs::generate(n - 1, [=](const auto& i) { return s[hs::min(i + 1, n - 1)] + 0 * s[i]; });
        return hs::permute_unique(s, [](const auto& i) { return i; }, right);
      },
      hs::iota<std::int64_t>(n));
  const auto result = hs::run(shifted, GetParam());
  for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(result(i), std::min(i + 7, n - 1)) << i;
}

// A state that is needed later, or twice, is copied.
TEST_P(InPlace, StatesThatAreNeededStay) {
  using Two = std::pair<Acc<Ints>, Acc<Ints>>;
  const auto [now, before] = hs::aiterate(
      5,
      [](const Exp<std::int64_t>& k, const Acc<Ints>& s, const Acc<Ints>&) {
        return Two{doubled(s, k), s};
      },
      Two{hs::iota<std::int64_t>(6), hs::iota<std::int64_t>(6)});
  const auto [last, one_before] = hs::run(std::pair{now, before}, GetParam());
  EXPECT_EQ(last.to_vector(), (std::vector<std::int64_t>{0, 2, 4, 6, 8, 5}));
  EXPECT_EQ(one_before.to_vector(), (std::vector<std::int64_t>{0, 2, 4, 6, 4, 5}));
  const auto sums = hs::aiterate(
      3,
      [](const Exp<std::int64_t>& k, const Acc<Ints>& s) {
        return hs::zip_with([](auto a, auto b) { return a + b; }, doubled(s, k), s);
      },
      hs::iota<std::int64_t>(4));
  EXPECT_EQ(hs::run(sums, GetParam()).to_vector(), (std::vector<std::int64_t>{0, 12, 24, 24}));
}

TEST_P(InPlace, TargetsThatDependOnTheState) {
  // Follows a ring and marks the visited places.
  const auto next = hs::use(Ints{3, 0, 1, 4, 2});
  const auto marked = hs::aiterate(
      3,
      [=](const Acc<Ints>& s) {
        return hs::permute([](auto fresh, auto old) { return fresh + old; }, s,
                           [=](const auto& i) { return next[i] + 0 * s[i]; },
                           hs::generate(3, [=](const auto& i) { return s[i] + 1; }));
      },
      hs::fill(5, std::int64_t{0}));
  std::vector<std::int64_t> expected(5);
  const std::int64_t to[] = {3, 0, 1};
  for (int round = 0; round < 3; ++round) {
    const std::vector<std::int64_t> old = expected;
    for (std::size_t i = 0; i < 3; ++i) expected[static_cast<std::size_t>(to[i])] += old[i] + 1;
  }
  EXPECT_EQ(hs::run(marked, GetParam()).to_vector(), expected);
}

// The host has read an element and may read again: a device writes a copy.
TEST_P(InPlace, WhatTheHostHasReadStays) {
  const auto f = hs::compile(
      [](Acc<Ints> a) {
        const auto made = hs::compute(hs::map([](auto x) { return x + 1; }, a));
        const Exp<std::int64_t> first = made[0];
        return hs::permute_unique(
            made, [=](const auto& i) { return i + first; },
            hs::generate(2, [](const auto& i) { return i * 100; }));
      },
      GetParam());
  EXPECT_EQ(f(Ints{0, 1, 2, 3}).to_vector(), (std::vector<std::int64_t>{1, 0, 100, 4}));
  // A condition that reads the state in each round, launch by launch.
  const auto until = hs::compile(
      [](Acc<Ints> a) {
        return hs::awhile([](const Acc<Ints>& s) { return s[0] < 40; },
                          [](const Acc<Ints>& s) { return doubled(s, Exp<std::int64_t>(0)); }, a);
      },
      GetParam());
  (void)until.profile();  // times launches one by one from now on
  EXPECT_EQ(until(Ints{3, 1}).to_vector(), (std::vector<std::int64_t>{48, 1}));
}

Acc<Matrix<float>> rows_written(const Acc<Matrix<float>>& a, const Exp<std::int64_t>& rounds) {
  const auto round = [](const Exp<std::int64_t>& k, const Acc<Matrix<float>>& s) {
    const auto row = hs::slice(hs::over(hs::rem(k, 3), hs::keep), s);
    const auto written =
        hs::permute_unique(s, [=](const auto& j) { return hs::ix(0, j); }, row * 2.0F);
    const auto above = hs::slice(hs::over(0, hs::keep), written);
    const auto again =
        hs::permute_unique(written, [=](const auto& j) { return hs::ix(1, j); }, above + 1.0F);
    return hs::acond(k % 2 == 0, again, written);
  };
  return hs::aiterate(rounds, round, a);
}

TEST_P(InPlace, BranchesAndChains) {
  const auto f = hs::compile(rows_written, GetParam());
  const auto reference = hs::compile(rows_written, {.target = hs::interpreter()});
  const Matrix<float> a{{1, 2}, {3, 4}, {5, 6}};
  for (const std::int64_t rounds : {0, 1, 2, 7})
    EXPECT_EQ(f(a, rounds).to_vector(), reference(a, rounds).to_vector()) << rounds;
}

HASTEN_ON_EVERY_DEVICE(InPlace);

#if HASTEN_WITH_LLVM
// The caller's array is copied in any case, so nothing is computed before.
TEST(InPlaceOnTheCpu, ArgumentsAreCopied) {
  const auto f = hs::compile([](Acc<Ints> a) { return doubled(a, Exp<std::int64_t>(1)); },
                             {.target = hs::cpu()});
  EXPECT_EQ(f(Ints{1, 2, 3}).to_vector(), (std::vector<std::int64_t>{1, 4, 3}));
  EXPECT_EQ(f.statistics().launches, 2);
  EXPECT_EQ(f.kernel_count(), 2);
}

// A round costs only what it writes: a launch for the elements, one for the scatter, and none that
// copies, except in the first round, whose state is the caller's.
TEST(InPlaceOnTheCpu, CopiesOnce) {
  const auto f = hs::compile(
      [](Acc<Ints> a) {
        return hs::aiterate(10, [](const auto& k, const Acc<Ints>& s) { return doubled(s, k); }, a);
      },
      {.target = hs::cpu()});
  (void)f(hs::run(hs::iota<std::int64_t>(1000)));
  EXPECT_EQ(f.statistics().launches, 10 + 10 + 1);
  EXPECT_NE(f.explain().str().find("in place"), std::string::npos);
}
#endif

}  // namespace
