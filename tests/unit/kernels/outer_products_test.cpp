// Outer products: which sums over neighbours are separated, which stay as they are, and that
// results stay the same.
#include "kernels/outer_products.hpp"

#include "kernels/analysis/sliding_window.hpp"
#include "tests/unit/cpu/kernels.hpp"

namespace hasten::test::cpu {
namespace {

using kernels::Reordered;
using Values = Maker::Values;
using Weights = std::vector<std::vector<std::int64_t>>;  // rows

constexpr std::int64_t pitch = 20;

/// A constant of the type, in the simplifier's form.
Value constant(Maker& m, ScalarType type, std::int64_t x) {
  const Bits from = core::bits_of(x);
  const ScalarType i = i64;
  return m.constant(type, core::evaluate(ScalarOp::cast, type, {&i, 1}, {&from, 1}));
}

/// The number at an index shifted down and to the right.
Value neighbour(Maker& m, const Values& ix, std::int64_t down, std::int64_t right) {
  const Value row = m.prim(ScalarOp::add, {ix[0], m.integer(down)});
  const Value start = m.prim(ScalarOp::mul, {row, m.integer(pitch)});
  const Value column = m.prim(ScalarOp::add, {ix[1], m.integer(right)});
  return m.load(0, m.prim(ScalarOp::add, {start, column}));
}

Value weighted(Maker& m, const Values& ix, const Weights& weights, ScalarType type) {
  Value sum = core::none;
  for (std::size_t i = 0; i < weights.size(); ++i)
    for (std::size_t j = 0; j < weights[i].size(); ++j) {
      if (weights[i][j] == 0) continue;
      Value term = neighbour(m, ix, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
      if (weights[i][j] != 1)
        term = m.prim(ScalarOp::mul, {term, constant(m, type, weights[i][j])});
      sum = sum == core::none ? term : m.prim(ScalarOp::add, {sum, term});
    }
  return sum;
}

Kernel stencil(const Weights& weights, ScalarType type) {
  Maker m(2, {type}, {type});
  m.element([&](const Values& ix) { return Values{weighted(m, ix, weights, type)}; });
  return m.kernel;
}

std::size_t count(const Kernel& kernel, ScalarOp op) {
  std::size_t count = 0;
  for (const core::Stmt& stmt : kernel.element.body) {
    const auto* prim = std::get_if<core::Prim>(&stmt.op);
    count += prim && prim->op == op && kernel.value_types[stmt.results[0]] != i64;
  }
  return count;
}

/// Whether the pass changes the element.
bool separates(Kernel& kernel, Reordered reordered) {
  const std::string before = print(kernel);
  kernels::separate_outer_products(kernel, kernel.element, reordered);
  kernels::verify(kernel);
  return print(kernel) != before;
}
bool separates(const Weights& weights, ScalarType type,
               Reordered reordered = Reordered::floats_and_integers) {
  Kernel kernel = stencil(weights, type);
  return separates(kernel, reordered);
}

const Weights ones = {
    {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}};
const Weights binomial = {
    {1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}};

TEST(OuterProducts, AWindowKeepsTheSumsOfColumns) {
  for (const Weights& weights : {ones, binomial}) {
    Kernel kernel = stencil(weights, f32);
    EXPECT_FALSE(kernels::find_sliding_window(kernel, kernel.element));
    ASSERT_TRUE(separates(kernel, Reordered::floats_and_integers));
    const auto window = kernels::find_sliding_window(kernel, kernel.element);
    ASSERT_TRUE(window);
    EXPECT_EQ(window->rows, 1);
    EXPECT_EQ(window->columns, 5);
  }
}

TEST(OuterProducts, WeightsAreFactored) {
  Kernel kernel = stencil(binomial, f32);
  ASSERT_TRUE(separates(kernel, Reordered::floats_and_integers));
  EXPECT_EQ(count(kernel, ScalarOp::add), 24U);
  // Three for each of five columns, and three for the columns: the other weights are 1.
  EXPECT_EQ(count(kernel, ScalarOp::mul), 5U * 3 + 3);
}

// Sums of integers are the same in any order; sums of floats are not.
TEST(OuterProducts, OfIntegersAlways) {
  EXPECT_TRUE(separates(binomial, i32, Reordered::integers));
  EXPECT_FALSE(separates(binomial, f32, Reordered::integers));
  // Short floats are added in wider floats.
  EXPECT_FALSE(separates(binomial, ScalarType::f16));
}

TEST(OuterProducts, OfRankOneAlone) {
  EXPECT_FALSE(separates({{0, 1, 0}, {1, -4, 1}, {0, 1, 0}}, f32));
  EXPECT_FALSE(separates({{1, 2}, {3, 4}}, f32));
  EXPECT_FALSE(separates({{1, 2}, {3, 4}}, i32));
  EXPECT_FALSE(separates({{1, 2, 1}}, f32));
  EXPECT_FALSE(separates({{1}, {2}, {1}}, f32));
  // Columns at a distance are as good as adjacent ones.
  EXPECT_TRUE(separates({{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}, f32));
  EXPECT_TRUE(separates({{6, 10}, {9, 15}}, i32));
}

// Twice the middle minus the mean: not an outer product, but the mean is one.
TEST(OuterProducts, InsideASumOfMore) {
  Maker m(2, {f32}, {f32});
  m.element([&](const Values& ix) {
    const Value mean = m.prim(ScalarOp::div, {weighted(m, ix, ones, f32), m.f32(25)});
    const Value middle = m.prim(ScalarOp::mul, {neighbour(m, ix, 2, 2), m.f32(2)});
    return Values{m.prim(ScalarOp::sub, {middle, mean})};
  });
  ASSERT_TRUE(separates(m.kernel, Reordered::floats_and_integers));
  EXPECT_TRUE(kernels::find_sliding_window(m.kernel, m.kernel.element));
}

// A sum with another use is a term, and is not rewritten.
TEST(OuterProducts, SumsThatAreUsedTwiceStay) {
  Maker m(2, {f32}, {f32});
  m.element([&](const Values& ix) {
    const Value sum = weighted(m, ix, ones, f32);
    return Values{m.prim(ScalarOp::add, {m.prim(ScalarOp::sqrt, {sum}), sum})};
  });
  ASSERT_TRUE(separates(m.kernel, Reordered::floats_and_integers));
  EXPECT_EQ(count(m.kernel, ScalarOp::sqrt), 1U);
  EXPECT_EQ(count(m.kernel, ScalarOp::add), 25U);
}

/// Evaluates the kernel before and after the pass.
std::vector<Column> evaluated(const Kernel& kernel, Trial run) {
  std::vector<Column> outputs = empty_outputs(kernel, run);
  with_arguments(run, outputs, [&](const auto& arguments) { KernelRun(kernel, arguments).run(); });
  return outputs;
}

void expect_the_same(const Weights& weights, ScalarType type) {
  SCOPED_TRACE(print(stencil(weights, type)));
  Kernel kernel = stencil(weights, type);
  const Kernel before = kernel;
  ASSERT_TRUE(separates(kernel, Reordered::floats_and_integers));
  for (const auto& [height, width] : {std::pair{1, 1}, {3, 7}, {12, 15}}) {
    const Trial run{{height, width}, {small_numbers(type, pitch * (height + 5))}, {}};
    std::vector<Column> expected = evaluated(before, run), got = evaluated(kernel, run);
    expect_same(kernel, 0, got, expected);
    check(kernel, run, {1, 3});
  }
}

// Small whole numbers, whose sums are exact in any order.
TEST(OuterProducts, TheResultsAreTheSame) {
  for (const ScalarType type : {f32, ScalarType::f64, i32, ScalarType::u8, i64, ScalarType::u64})
    for (const Weights& weights : {ones, binomial, Weights{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}},
                                   Weights{{-2, -4, -2}, {3, 6, 3}}, Weights{{6, 10}, {9, 15}}})
      expect_the_same(weights, type);
}

// A sum of products of sums is examined once for each sum, not once for every pair.
TEST(OuterProducts, LongCodeTakesLittleTime) {
  Maker m(2, {f32}, {f32});
  m.element([&](const Values& ix) {
    Value sum = neighbour(m, ix, 0, 0);
    for (int i = 0; i < 50'000; ++i) {
      sum = m.prim(ScalarOp::mul, {sum, m.f32(2)});
      sum = m.prim(ScalarOp::add, {sum, neighbour(m, ix, i % 7, i % 5)});
    }
    return Values{sum};
  });
  const std::size_t before = m.kernel.element.body.size();
  kernels::separate_outer_products(m.kernel, m.kernel.element, Reordered::floats_and_integers);
  EXPECT_LE(m.kernel.element.body.size(), before);
}

}  // namespace
}  // namespace hasten::test::cpu
