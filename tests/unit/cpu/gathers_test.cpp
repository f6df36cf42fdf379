// Reads at indices from data: by 32-bit indices where these suffice, and one by one where the
// source exceeds the caches.
#include "backends/cpu/launch/launch.hpp"
#include "support/sanitizers.hpp"
#include "tests/unit/cpu/kernels.hpp"
#include "tests/unit/cpu/widths.hpp"

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

// x[clamp(at[i])] or x[before + clamp(at[i])]: the limit is known to fit into 31 bits.
Maker read_where(ScalarType type, bool adds) {
  Maker m(1, {i32, type}, {type});
  const Value size = m.scalar(i64), before = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value last = m.prim(ScalarOp::sub, {size, m.integer(1)});
    const Value limit =
        m.prim(ScalarOp::min, {m.prim(ScalarOp::max, {last, m.integer(0)}), m.integer(INT32_MAX)});
    const Value at = m.prim(
        ScalarOp::min, {m.cast(ScalarType::u32, m.load(0, ix[0])), m.cast(ScalarType::u32, limit)});
    const Value index = m.cast(i64, at);
    return Values{m.load(1, adds ? m.prim(ScalarOp::add, {index, before}) : index)};
  });
  return m;
}

// Indices within the limit, at it, and beyond it on both sides.
Column places(std::int64_t n, std::int64_t limit) {
  Column column(i32, n);
  std::mt19937 random(5);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto any = static_cast<std::int32_t>(random());
    const auto inside = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(limit));
    column.set(i, {static_cast<std::uint32_t>(i % 5 == 0 ? any : inside), 0});
  }
  return column;
}

TEST(CpuGathers, TakeIndicesOf32Bits) {
  if (support::watches_addresses())
    GTEST_SKIP() << "checks of addresses stand between indices and gathers";
  for (const bool adds : {false, true}) {
    const std::string text = backends::cpu::assembly_text(
        read_where(f32, adds).kernel, {}, backends::cpu::machine_of(backends::cpu::Level::avx512));
    EXPECT_NE(text.find("vgatherdps"), std::string::npos) << text;
    EXPECT_EQ(text.find("vgatherqps"), std::string::npos) << text;
  }
}

TEST(CpuGathers, NearAndFarAreTheSame) {
  constexpr std::int64_t before = 100;
  for (const ScalarType type : {f32, f64, i32, i64, u8, ScalarType::i16})
    for (const bool adds : {false, true}) {
      const Maker m = read_where(type, adds);
      const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
      for (const std::int64_t n : {1, 7, 16, 64, 65, 1000})
        for (const std::int64_t size : {1, 33, 5000}) {
          Trial run{{n}, {places(n, size), some_numbers(type, size + before)}, {}};
          run.scalars = {static_cast<std::uint64_t>(size), before};
          std::vector<Column> expected = empty_outputs(m.kernel, run);
          with_arguments(run, expected, [&](const auto& all) { KernelRun(m.kernel, all).run(); });
          const std::byte* const inputs[] = {run.inputs[0].data(), run.inputs[1].data()};
          const std::int64_t sizes[] = {n, size + before};
          for (const Loaded& code : codes)
            for (const std::int64_t last_cache : {std::int64_t{0}, std::int64_t{1} << 30}) {
              SCOPED_TRACE(std::to_string(code.bits) + " bits, n " + std::to_string(n) +
                           ", a cache of " + std::to_string(last_cache));
              std::vector<Column> actual = empty_outputs(m.kernel, run);
              std::byte* const outputs[] = {actual[0].data()};
              backends::LaunchArguments arguments{run.extents, inputs, outputs, run.scalars};
              arguments.input_sizes = sizes;
              backends::cpu::Launcher(1, {1 << 10, last_cache}).launch(*code.kernel, arguments);
              expect_same(m.kernel, 0, actual, expected);
            }
        }
    }
}

}  // namespace
}  // namespace hasten::test::cpu
