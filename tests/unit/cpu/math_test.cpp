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

// m / sqrt(x)^3 and 1 / sqrt(x)^2, with products of estimates that are corrected once, or where
// there is no estimate, of roots of 1.5 ulp and products of 0.5. Beyond 2^126 and below 2^-126 the
// square of the root is no normal number.
TEST(CpuMath, PowersOfRootsAreCorrectedOnce) {
  Maker m(1, {ScalarType::f32, ScalarType::f32}, {ScalarType::f32, ScalarType::f32});
  m.element([&](const Maker::Values& index) {
    const auto mul = [&](Value x, Value y) { return m.prim(ScalarOp::mul, {x, y}); };
    const Value root = m.prim(ScalarOp::rsqrt, {m.load(0, index[0])});
    const Value other = m.prim(ScalarOp::rsqrt, {m.load(1, index[0])});
    return Maker::Values{mul(mul(mul(m.load(1, index[0]), root), root), root), mul(other, other)};
  });
  Column numbers = floats_of_all_sizes();
  Trial run{{numbers.size()}, {numbers, numbers}, {}};
  for (std::int64_t i = 0; i < numbers.size(); ++i)  // most are those of the cube in other order
    run.inputs[1].set(i, numbers.get((i * 7919) % numbers.size()));
  backends::CompileOptions contracted;
  contracted.contract = true;
  kernels::verify(m.kernel);
  const auto code = target()->load(m.kernel, target()->compile(m.kernel, contracted));
  std::vector<Column> outputs = empty_outputs(m.kernel, run);
  with_arguments(run, outputs, [&](const auto& arguments) { target()->launch(*code, arguments); });
  for (std::int64_t i = 0; i < numbers.size(); ++i) {
    const float x = float_at(run.inputs[0], i), y = float_at(run.inputs[1], i);
    const bool is_normal = std::fabs(x) > 0x1p-126F && std::fabs(x) < 0x1p126F;
    const double root = 1 / std::sqrt(static_cast<double>(x));
    const double cube = static_cast<double>(y) * root * root * root;
    if (is_normal || !std::isfinite(x) || (x == 0 && std::isnormal(y))) {
      ASSERT_LE(error_in_ulps(float_at(outputs[0], i), cube), 6) << y << " / sqrt(" << x << ")^3";
    }
    if (y > 0x1p-126F && y < 0x1p126F) {
      ASSERT_LE(error_in_ulps(float_at(outputs[1], i), 1 / static_cast<double>(y)), 3.5) << y;
    }
  }
}

}  // namespace
}  // namespace hasten::test::cpu
