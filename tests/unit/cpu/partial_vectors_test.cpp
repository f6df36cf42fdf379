// Vectors with lanes that are off or computed again: remainders of rows, conditional reads,
// borders.
#include "backends/cpu/launch/launch.hpp"
#include "backends/cpu/schedule/schedule.hpp"
#include "support/sanitizers.hpp"
#include "tests/unit/cpu/kernels.hpp"
#include "tests/unit/cpu/widths.hpp"

#include <algorithm>

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

void check_widths(const Kernel& kernel, const std::vector<Loaded>& codes, Trial run) {
  std::vector<Column> expected = empty_outputs(kernel, run);
  with_arguments(run, expected, [&](const auto& arguments) { KernelRun(kernel, arguments).run(); });
  for (const Loaded& code : codes)
    for (const std::int64_t last_cache : {std::int64_t{0}, INT64_MAX}) {
      SCOPED_TRACE(std::to_string(code.bits) + " bits, last cache " + std::to_string(last_cache));
      std::vector<Column> actual = empty_outputs(kernel, run);
      const backends::cpu::Launcher launcher(2, {1 << 20, last_cache});
      with_arguments(run, actual,
                     [&](const auto& arguments) { launcher.launch(*code.kernel, arguments); });
      expect_same(kernel, 0, actual, expected);
    }
}

// x[i - 1] if it exists and a flag is set, else x[i + 1] if it exists, else 0.
Maker neighbours_of(ScalarType type) {
  Maker m(1, {type, boolean}, {type});
  const Value n = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value one = m.integer(1), zero = m.integer(0), nothing = m.constant(type, {});
    const Value has_left = m.prim(ScalarOp::gt, {ix[0], zero});
    const Value left = m.prim(ScalarOp::and_, {has_left, m.load(1, ix[0])});
    const Value next = m.prim(ScalarOp::add, {ix[0], one});
    const Value has_right = m.prim(ScalarOp::lt, {next, n});
    return m.branch(
        left, [&] { return Values{m.load(0, m.prim(ScalarOp::sub, {ix[0], one}))}; },
        [&] {
          return m.branch(
              has_right, [&] { return Values{m.load(0, next)}; }, [&] { return Values{nothing}; });
        });
  });
  return m;
}

// Without masked loads, whole vectors are loaded, but never across the end of a page.
TEST(CpuPartialVectors, ReadsUnderConditionsStayInTheirPages) {
  for (const ScalarType type : {f32, u8, boolean, ScalarType::f16, ScalarType::i16}) {
    const Maker m = neighbours_of(type);
    const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
    for (const std::int64_t n : {1, 2, 31, 64, 65, 130, 5000, 9001})
      for (const bool at_end : {true, false}) {
        Column x = some_numbers(type, n), flags = some_numbers(boolean, n, 2);
        Trial run{{n}, {x, flags}, {static_cast<std::uint64_t>(n)}};
        std::vector<Column> expected = empty_outputs(m.kernel, run);
        with_arguments(run, expected, [&](const auto& all) { KernelRun(m.kernel, all).run(); });
        const Fenced fenced(n * x.step(), at_end), fenced_flags(n, at_end);
        std::copy_n(x.data(), n * x.step(), fenced.data());
        std::copy_n(flags.data(), n, fenced_flags.data());
        for (const Loaded& code : codes) {
          SCOPED_TRACE(std::to_string(code.bits) + " bits, n " + std::to_string(n));
          std::vector<Column> actual = empty_outputs(m.kernel, run);
          const std::byte* const inputs[] = {fenced.data(), fenced_flags.data()};
          std::byte* const outputs[] = {actual[0].data()};
          backends::cpu::Launcher(1, {1 << 20, INT64_MAX})
              .launch(*code.kernel, {run.extents, inputs, outputs, run.scalars});
          expect_same(m.kernel, 0, actual, expected);
        }
      }
  }
}

// Rows end with an overlapping vector, or under a mask; also with stores past the caches.
TEST(CpuPartialVectors, EndsOfRows) {
  for (const ScalarType type : {f32, u8, ScalarType::f64, ScalarType::i16}) {
    Maker m(2, {type}, {type, ScalarType::i32});
    const Value width = m.scalar(i64);
    m.element([&](const Values& ix) {
      const Value at = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {ix[0], width}), ix[1]});
      const Value x = m.load(0, at);
      return Values{m.prim(ScalarOp::add, {x, x}), m.cast(ScalarType::i32, ix[1])};
    });
    const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
    for (const std::int64_t w : {1, 7, 16, 17, 31, 63, 64, 65, 127, 130, 1040, 1100})
      check_widths(m.kernel, codes,
                   {{9, w}, {some_numbers(type, 9 * w)}, {static_cast<std::uint64_t>(w)}});
  }
}

// Rows with borders are computed in blocks of rows: x[i, max(j - 1, 0)] + x[i, j] + i.
TEST(CpuPartialVectors, BordersOfBlocksOfRows) {
  Maker m(2, {f32}, {f32});
  const Value width = m.scalar(i64);
  const auto element = [&](const Values& ix, bool inside) {
    const Value row = m.prim(ScalarOp::mul, {ix[0], width});
    const Value before = m.prim(ScalarOp::sub, {ix[1], m.integer(1)});
    const Value left = inside ? before : m.prim(ScalarOp::max, {before, m.integer(0)});
    const Value sum = m.prim(ScalarOp::add, {m.load(0, m.prim(ScalarOp::add, {row, left})),
                                             m.load(0, m.prim(ScalarOp::add, {row, ix[1]}))});
    return Values{m.prim(ScalarOp::add, {sum, m.cast(f32, ix[0])})};
  };
  m.element([&](const Values& ix) { return element(ix, false); });
  kernels::Interior interior;
  interior.bounds = m.region({}, [&](const Values&) {
    const Value all = m.integer(std::int64_t{1} << 60);
    return Values{m.integer(0), all, m.integer(1), all};
  });
  interior.element = m.region({i64, i64}, [&](const Values& ix) { return element(ix, true); });
  m.kernel.interior = interior;
  const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
  for (const std::int64_t rows : {1, 15, 16, 17, 900})
    for (const std::int64_t w : {1, 2, 3, 18, 130, 600})
      check_widths(m.kernel, codes,
                   {{rows, w}, {small_numbers(f32, rows * w)}, {static_cast<std::uint64_t>(w)}});
}

// a == 3 || (a == 2 && b == 1), with operands that are always loaded: no lane branches.
TEST(CpuPartialVectors, CheapConditionsAreNoBranches) {
  if (support::watches_addresses()) GTEST_SKIP() << "what watches each address branches";
  Maker m(1, {u8, u8}, {boolean});
  m.element([&](const Values& ix) {
    const Value a = m.load(0, ix[0]), b = m.load(1, ix[0]);
    const auto is = [&](Value x, std::uint64_t number) {
      return m.prim(ScalarOp::eq, {x, m.constant(u8, {number, 0})});
    };
    const Value yes = m.constant(boolean, {1, 0}), no = m.constant(boolean, {});
    return m.branch(
        is(a, 3), [&] { return Values{yes}; },
        [&] {
          return m.branch(is(a, 2), [&] { return Values{is(b, 1)}; }, [&] { return Values{no}; });
        });
  });
  const std::string text = backends::cpu::llvm_text(m.kernel, {}, backends::cpu::detect_machine(0));
  EXPECT_EQ(text.find("side"), std::string::npos) << text;
  Column a(u8, 300), b(u8, 300);
  for (std::int64_t i = 0; i < 300; ++i)
    a.set(i, core::bits_of(i % 5)), b.set(i, core::bits_of(i % 2));
  check(m.kernel, {{300}, {a, b}, {}});
}

// Reductions of a row with little work per element have four accumulators, whatever the lanes; here
// a quotient makes the accumulators few.
TEST(CpuPartialVectors, ReductionsOfRowsHaveSeveralChains) {
  Maker m(2, {f32}, {f32});
  const Value width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value row = m.prim(ScalarOp::mul, {ix[0], width});
    const Value sum = m.reduce(ScalarOp::add, m.f32(1), width,
                               [&](Value k) { return m.load(0, m.prim(ScalarOp::add, {row, k})); });
    const Value third = m.cast(f32, m.prim(ScalarOp::quot, {ix[1], m.integer(3)}));
    return Values{m.prim(ScalarOp::sub, {third, sum})};
  });
  const backends::cpu::Machine machine = backends::cpu::detect_machine(0);
  const unsigned lanes = backends::cpu::choose_schedule(m.kernel, machine).lanes;
  EXPECT_LT(lanes, 4 * machine.lanes(4));
  if (!support::watches_addresses()) {
    const std::string text = backends::cpu::llvm_text(m.kernel, {}, machine);
    const std::string chain = "phi <" + std::to_string(lanes) + " x float>";
    std::size_t chains = 0;
    for (std::size_t at = text.find(chain); at != std::string::npos; at = text.find(chain, at + 1))
      ++chains;
    EXPECT_GE(chains * lanes, 4 * machine.lanes(4)) << text;
  }
  const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
  for (const std::int64_t w : {1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100, 129, 1023})
    check_widths(m.kernel, codes,
                 {{3, w}, {small_numbers(f32, 3 * w)}, {static_cast<std::uint64_t>(w)}});
}

// Lanes leave at different times, or all at once when the rounds are used up, before the first
// round.
TEST(CpuPartialVectors, RoundsAreLimitedForAllLanes) {
  Maker m(1, {f32}, {ScalarType::i32, f32});
  const Value most = m.scalar(ScalarType::i32);
  m.element([&](const Values& ix) {
    const Value x = m.load(0, ix[0]), zero = m.constant(ScalarType::i32, {});
    return m.loop(
        {zero, x},
        [&](const Values& s) {
          return m.prim(ScalarOp::and_, {m.prim(ScalarOp::lt, {s[1], m.f32(100)}),
                                         m.prim(ScalarOp::lt, {s[0], most})});
        },
        [&](const Values& s) {
          const Value one = m.constant(ScalarType::i32, {1, 0});
          return Values{m.prim(ScalarOp::add, {s[0], one}),
                        m.prim(ScalarOp::add, {s[1], m.prim(ScalarOp::mul, {x, x})})};
        });
  });
  const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
  for (const std::uint64_t rounds : {0, 1, 3, 50})
    for (const std::int64_t n : {1, 16, 61, 130, 1000})
      check_widths(m.kernel, codes, {{n}, {small_numbers(f32, n)}, {rounds}});
}

}  // namespace
}  // namespace hasten::test::cpu
