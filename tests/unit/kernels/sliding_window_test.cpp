// Sliding windows: which subexpressions are found, which do not pay or have holes, and that both
// parts of an element compute the element.
#include "kernels/analysis/sliding_window.hpp"

#include "tests/unit/cpu/kernels.hpp"

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;
using Offsets = std::vector<std::pair<std::int64_t, std::int64_t>>;  // down, right

Value moved(Maker& m, Value index, std::int64_t by) {
  return by == 0 ? index : m.prim(ScalarOp::add, {index, m.integer(by)});
}

Value sum(Maker& m, const Values& terms) {
  Value total = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) total = m.prim(ScalarOp::add, {total, terms[i]});
  return total;
}

enum class Rows : std::uint8_t { open, clamped };

/// The sum of values around an element, each of which is half the sum of numbers around it.
Kernel sums_of_sums(const Offsets& outer, const Offsets& inner, Rows rows = Rows::open,
                    ScalarType type = f32) {
  Maker m(2, {type}, {type});
  const Value width = m.scalar(i64), last = m.scalar(i64);
  m.element([&](const Values& ix) {
    const auto number = [&](std::int64_t down, std::int64_t right) {
      Value row = moved(m, ix[0], down);
      if (rows == Rows::clamped)
        row = m.prim(ScalarOp::max, {m.prim(ScalarOp::min, {row, last}), m.integer(0)});
      const Value start = m.prim(ScalarOp::mul, {row, width});
      return m.load(0, m.prim(ScalarOp::add, {start, moved(m, ix[1], right)}));
    };
    Values values;
    for (const auto& [down, right] : outer) {
      Values terms;
      for (const auto& [d, r] : inner) terms.push_back(number(down + d, right + r));
      const Value total = sum(m, terms);
      values.push_back(m.prim(ScalarOp::mul, {total, total}));
    }
    return Values{sum(m, values)};
  });
  return m.kernel;
}

const Offsets five_rows = {{-2, 0}, {-1, 0}, {0, 0}, {1, 0}, {2, 0}};
const Offsets five_columns = {{0, -2}, {0, -1}, {0, 0}, {0, 1}, {0, 2}};
const Offsets square = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};

std::optional<kernels::SlidingWindow> window_of(const Kernel& kernel) {
  return kernels::find_sliding_window(kernel, kernel.element);
}

TEST(SlidingWindow, OfSumsOfColumnsHasOneRow) {
  const auto window = window_of(sums_of_sums(five_columns, five_rows));
  ASSERT_TRUE(window);
  EXPECT_EQ(window->rows, 1);
  EXPECT_EQ(window->columns, 5);
  EXPECT_EQ(window->uses.size(), 5U);
  EXPECT_EQ(window->cost_before, 25U + 20U + 5U + 4U);
  // Five reads, four sums and a product, one store; five loads and four sums.
  EXPECT_EQ(window->cost_after, 10U + 1U + 5U + 4U);
}

TEST(SlidingWindow, OfSumsOfRowsHasARowForEach) {
  for (const Rows rows : {Rows::open, Rows::clamped}) {
    const auto window = window_of(sums_of_sums(five_rows, five_columns, rows));
    ASSERT_TRUE(window);
    EXPECT_EQ(window->rows, 5);
    EXPECT_EQ(window->columns, 1);
  }
}

TEST(SlidingWindow, OfSquares) {
  const auto window = window_of(sums_of_sums(square, square));
  ASSERT_TRUE(window);
  EXPECT_EQ(window->rows, 3);
  EXPECT_EQ(window->columns, 3);
}

// The corners of the window would be values that nothing uses.
TEST(SlidingWindow, HasNoHoles) {
  EXPECT_FALSE(window_of(sums_of_sums({{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, five_rows)));
  EXPECT_FALSE(window_of(sums_of_sums({{0, -2}, {0, 0}, {0, 2}}, five_rows)));
}

// Two sums of two save one sum and no read; four of four save enough.
TEST(SlidingWindow, SavesSomething) {
  EXPECT_FALSE(window_of(sums_of_sums({{0, 0}, {0, 1}}, {{0, 0}, {1, 0}})));
  EXPECT_TRUE(
      window_of(sums_of_sums({{0, 0}, {0, 1}, {0, 2}, {0, 3}}, {{0, 0}, {1, 0}, {2, 0}, {3, 0}})));
}

// Reads alone, which memory already holds.
TEST(SlidingWindow, KeepsNoReads) {
  Maker m(2, {f32}, {f32});
  const Value width = m.scalar(i64);
  m.element([&](const Values& ix) {
    Values terms;
    for (std::int64_t k = 0; k < 25; ++k) {
      const Value row = m.prim(ScalarOp::mul, {moved(m, ix[0], k / 5), width});
      terms.push_back(m.load(0, m.prim(ScalarOp::add, {row, moved(m, ix[1], k % 5)})));
    }
    return Values{sum(m, terms)};
  });
  EXPECT_FALSE(window_of(m.kernel));
}

TEST(SlidingWindow, HoldsNoShortFloats) {
  EXPECT_FALSE(window_of(sums_of_sums(five_columns, five_rows, Rows::open, f16)));
}

TEST(SlidingWindow, PartsMakeTheElement) {
  const Kernel kernel = sums_of_sums(square, five_rows, Rows::clamped);
  const auto window = window_of(kernel);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->consumer.params.size(), 2 + window->uses.size());
  EXPECT_EQ(window->producer.results.size(), 1U);
  Kernel producer = kernel;
  producer.element = window->producer;
  kernels::verify(producer);
  // The consumer has no reads left.
  for (const core::Stmt& stmt : window->consumer.body)
    EXPECT_FALSE(std::holds_alternative<core::LoadLinear>(stmt.op));
}

Offsets further(Offsets offsets) {
  for (auto& [down, right] : offsets) down += 2, right += 2;
  return offsets;
}

// On the target: fewer rows than the window, strips of columns, tasks of all sizes.
TEST(SlidingWindow, OnTheCpu) {
  using Extents = std::vector<std::pair<std::int64_t, std::int64_t>>;
  const Extents small = {{1, 1}, {3, 7}, {2, 70}, {40, 33}, {70, 300}};
  const auto try_on = [](const Kernel& kernel, const Extents& all) {
    for (const auto& [height, width] : all) {
      const std::int64_t pitch = width + 8;
      check(kernel,
            {{height, width},
             {small_numbers(f32, pitch * (height + 8))},
             {static_cast<std::uint64_t>(pitch), static_cast<std::uint64_t>(height + 3)}},
            {1, 3});
    }
  };
  for (const Rows rows : {Rows::open, Rows::clamped}) {
    try_on(sums_of_sums(further(five_columns), further(five_rows), rows), small);
    try_on(sums_of_sums(further(five_rows), further(five_columns), rows), small);
    try_on(sums_of_sums(square, square, rows), small);
  }
  try_on(sums_of_sums(further(five_columns), further(five_rows)), {{2, 20'000}});
  try_on(sums_of_sums(further(five_rows), further(five_columns)), {{9, 5'000}});
}

}  // namespace
}  // namespace hasten::test::cpu
