// Updates of so many elements that the cpu target makes them in pieces: in the same order as one by
// one. Folds of many rows that are so long that each is cut: with the same bits as each row alone.
#include "tests/programs/support.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

using Index = std::int64_t;

constexpr Index targets = 10;

// What an update computes depends on all updates before it.
std::vector<Index> expected_of(Index rows, Index columns) {
  std::vector<Index> result(targets, 1);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) {
      auto& old = result[static_cast<std::size_t>((i * 3 + j) % targets)];
      old = (old * 3 + i + j) % 1'000'003;
    }
  return result;
}

void expect_in_order(Index rows, Index columns) {
  const auto program = hs::compile(
      [](Exp<Index> n, Exp<Index> m) {
        return hs::permute([](auto next, auto old) { return (old * 3 + next) % Index{1'000'003}; },
                           hs::fill(targets, Index{1}),
                           [](Exp<Index> i, Exp<Index> j) { return (i * 3 + j) % targets; },
                           hs::generate(hs::ix(n, m), [](auto i, auto j) { return i + j; }));
      },
      {.target = hs::cpu()});
  EXPECT_EQ(program(rows, columns), Vector<Index>(expected_of(rows, columns)))
      << rows << " x " << columns;
}

TEST(LongUpdates, AreMadeInOrder) {
  expect_in_order(0, 5);
  expect_in_order(1, 1);
  for (const Index length : {Index{1'024}, Index{999'983}, Index{3'000'017}}) {
    expect_in_order(1, length);
    expect_in_order(length, 1);
    expect_in_order(3, length / 3 + 1);
    expect_in_order(length / 7, 7);
  }
}

TEST(LongUpdates, CountEachElementOnce) {
  const auto counts = hs::compile(
      [](Exp<Index> n) {
        return hs::histogram(1000, [](auto i) { return i % 1000; }, hs::iota(n));
      },
      {.target = hs::cpu()});
  const Index n = 20'000'017;
  const auto result = counts(n);
  for (Index i = 0; i < 1000; ++i) ASSERT_EQ(result(i), 20'000 + (i < 17 ? 1 : 0)) << i;
}

TEST(LongRows, HaveTheSameSumsAsEachAlone) {
  const auto sums = hs::compile(
      [](Exp<Index> first, Exp<Index> rows, Exp<Index> n) {
        return hs::sum(hs::generate(hs::ix(rows, n), [=](auto i, auto j) {
          return 1.0 / hs::cast<double>((i + first) * 7 + j % 1000 + 1);
        }));
      },
      {.target = hs::cpu()});
  const Index rows = 67, n = 10'000'019;  // more rows than 4 for each of 16 threads
  const auto all = sums(0, rows, n);
  for (const Index row : {Index{0}, Index{1}, rows - 1}) {
    const auto alone = sums(row, 1, n);
    EXPECT_EQ(all(row), alone(0)) << row;
  }
}

}  // namespace
