// The target's own polynomials, compared with the C library's functions of doubles.
#include "tests/unit/cpu/kernels.hpp"

namespace hasten::test::cpu {
namespace {

constexpr std::uint32_t bits_stride = 997;  // of the floats' 2^32 patterns

Column floats_of_all_sizes() {
  const std::vector<float> edges = {0.0F, -0.0F,    1.0F,    INFINITY, -INFINITY,
                                    NAN,  1e-45F,   -1e-45F, -1.0F,    0.75F,
                                    1.5F, 88.7228F, -104.F,  -1e-40F,  1.17e-38F};
  const auto patterns = static_cast<std::int64_t>(0xffffffffU / bits_stride);
  const auto count = patterns + static_cast<std::int64_t>(edges.size());
  Column column(ScalarType::f32, count);
  for (std::int64_t i = 0; i < patterns; ++i)
    column.set(i, {static_cast<std::uint32_t>(i) * bits_stride, 0});
  for (std::size_t i = 0; i < edges.size(); ++i)
    column.set(patterns + static_cast<std::int64_t>(i),
               {std::bit_cast<std::uint32_t>(edges[i]), 0});
  return column;
}

float float_at(Column& column, std::int64_t i) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(column.get(i).lo));
}

/// The error of `x` in units in the last place of the exact result.
double error_in_ulps(float x, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(x) ? 0 : INFINITY;
  if (std::isinf(nearest) || std::isinf(x)) return x == nearest ? 0 : INFINITY;
  const int exponent = exact == 0 ? -126 : std::max(std::ilogb(exact), -126);
  return std::fabs(static_cast<double>(x) - exact) / std::ldexp(1.0, exponent - 23);
}

void check_function(ScalarOp op, double (*exact)(double)) {
  Maker m(1, {ScalarType::f32}, {ScalarType::f32});
  m.element(
      [&](const Maker::Values& index) { return Maker::Values{m.prim(op, {m.load(0, index[0])})}; });
  Trial run{{}, {floats_of_all_sizes()}, {}};
  run.extents = {run.inputs[0].size()};
  std::vector<Column> outputs = on_cpu(m.kernel, run);
  double worst = 0;
  for (std::int64_t i = 0; i < run.inputs[0].size(); ++i) {
    const float x = float_at(run.inputs[0], i), y = float_at(outputs[0], i);
    const double error = error_in_ulps(y, exact(static_cast<double>(x)));
    ASSERT_LE(error, 1.1) << core::row(op).name << " of " << x << " is " << y;
    worst = std::max(worst, error);
  }
  testing::Test::RecordProperty(core::row(op).name, std::to_string(worst));
}

// Rare arguments switch a whole vector to another path: the bits of their neighbours do not change.
TEST(CpuMath, LogDoesNotDependOnNeighbours) {
  Maker m(1, {ScalarType::f32}, {ScalarType::f32});
  m.element([&](const Maker::Values& index) {
    return Maker::Values{m.prim(ScalarOp::log, {m.load(0, index[0])})};
  });
  constexpr std::int64_t count = 10'000;
  const auto logarithms = [&](const std::vector<float>& rare) {
    Trial run{{count}, {Column(ScalarType::f32, count)}, {}};
    for (std::int64_t i = 0; i < count; ++i) {
      const bool is_rare = i % 7 == 3 && !rare.empty();
      const float x = is_rare ? rare[static_cast<std::size_t>(i) / 7 % rare.size()]
                              : std::ldexp(1.0F + 1e-4F * static_cast<float>(i), i % 200 - 100);
      run.inputs[0].set(i, {std::bit_cast<std::uint32_t>(x), 0});
    }
    return on_cpu(m.kernel, run)[0];
  };
  Column usual = logarithms({}), mixed = logarithms({0.0F, -1.0F, INFINITY, NAN, 1e-42F});
  std::int64_t infinite = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i % 7 != 3) {
      ASSERT_EQ(usual.get(i).lo, mixed.get(i).lo) << i;
    }
    infinite += std::isinf(float_at(mixed, i)) ? 1 : 0;
  }
  EXPECT_GT(infinite, count / 7 / 5);
}

TEST(CpuMath, ExpIsWithinAnUlp) { check_function(ScalarOp::exp, std::exp); }
TEST(CpuMath, LogIsWithinAnUlp) { check_function(ScalarOp::log, std::log); }

}  // namespace
}  // namespace hasten::test::cpu
