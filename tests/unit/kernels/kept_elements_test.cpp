// Values that both a reduction of a row and the row's elements compute: which are kept, what
// remains of the element, and that rows are the same whatever the reduction's extent is and
// wherever the values are kept.
#include "kernels/analysis/stages/kept_elements.hpp"

#include "backends/cpu/launch/launch.hpp"
#include "backends/cpu/launch/streaming.hpp"
#include "backends/cpu/schedule/schedule.hpp"
#include "tests/unit/cpu/kernels.hpp"
#include "tests/unit/cpu/widths.hpp"

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

enum class Order : std::uint8_t { same, swapped };

/// Exponentials of a row beside their sum; the scalars are {the width of what is read, of what is
/// folded}.
Kernel exponentials(ScalarType type, const std::vector<ScalarType>& outputs,
                    Order order = Order::same, ScalarOp costly = ScalarOp::exp) {
  Maker m(2, {type}, outputs);
  const Value pitch = m.scalar(i64), width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value row = m.prim(ScalarOp::mul, {ix[0], pitch});
    const auto of = [&](Value column, bool swapped) {
      const Value at = m.prim(ScalarOp::add, swapped ? Values{column, row} : Values{row, column});
      return m.prim(costly, {m.load(0, at)});
    };
    const Value total = m.reduce(ScalarOp::add, m.cast(type, m.f32(0)), width,
                                 [&](Value k) { return of(k, order == Order::swapped); });
    const Value own = of(ix[1], false);
    Values results;
    for (const ScalarType output : outputs)
      results.push_back(m.cast(output, m.prim(ScalarOp::add, {own, total})));
    return results;
  });
  return m.kernel;
}

TEST(KeptElements, WhatBothCompute) {
  for (const Order order : {Order::same, Order::swapped}) {
    const Kernel kernel = exponentials(f32, {f32}, order);
    const auto found = kernels::find_kept_elements(kernel);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->kept.size(), 1U);
    EXPECT_EQ(found->kept[0].end, kernel.scalars[1]);
    EXPECT_EQ(found->kept[0].output, 0U);
    EXPECT_EQ(found->element.params.back(), found->kept[0].element);
    for (const core::Stmt& stmt : found->element.body)
      EXPECT_FALSE(std::holds_alternative<core::LoadLinear>(stmt.op)) << "a read is left";
  }
}

TEST(KeptElements, AnOutputOfTheTypeIsNeeded) {
  const auto of = [](const std::vector<ScalarType>& outputs) {
    return kernels::find_kept_elements(exponentials(f32, outputs));
  };
  EXPECT_FALSE(of({f64}));
  EXPECT_FALSE(of({i64, f64}));
  ASSERT_TRUE(of({f64, f32, f32}));
  EXPECT_EQ(of({f64, f32, f32})->kept[0].output, 1U);
}

TEST(KeptElements, NotWhatIsCheap) {
  EXPECT_FALSE(kernels::find_kept_elements(exponentials(f32, {f32}, Order::same, ScalarOp::neg)));
}

TEST(KeptElements, NotWhatMemoryHoldsOtherwise) {
  EXPECT_FALSE(kernels::find_kept_elements(exponentials(ScalarType::f16, {ScalarType::f16})));
}

TEST(KeptElements, NotWhatIsFoldedOnceForAllRows) {
  Maker m(2, {f32}, {f32});
  const Value width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const auto of = [&](Value k) { return m.prim(ScalarOp::exp, {m.load(0, k)}); };
    const Value total = m.reduce(ScalarOp::add, m.f32(0), width, of);
    return Values{m.prim(ScalarOp::add, {total, of(ix[1])})};
  });
  EXPECT_FALSE(kernels::find_kept_elements(m.kernel));
}

// The reduction covers the row, less of it, more than it, and nothing.
TEST(KeptElements, RowsAreTheSameWhateverIsFolded) {
  for (const ScalarType type : {f32, f64}) {
    const Kernel kernel = exponentials(type, {type, type});
    ASSERT_EQ(
        backends::cpu::choose_schedule(kernel, backends::cpu::detect_machine(512)).kept_elements,
        1U);
    for (const std::int64_t columns : {1, 7, 32, 33, 100, 257}) {
      const std::int64_t pitch = columns + 40;
      for (const std::int64_t folded : {columns, columns / 2, columns + 39, std::int64_t{0}})
        check(kernel, {{5, columns},
                       {small_numbers(type, 5 * pitch)},
                       {static_cast<std::uint64_t>(pitch), static_cast<std::uint64_t>(folded)},
                       300});
    }
  }
}

// If results are stored past the caches, values are kept on the stack unless they are too long for
// it; else in the output, as above.
TEST(KeptElements, RowsAreTheSameWhereverTheyWait) {
  for (const ScalarType type : {f32, f64}) {
    const Kernel kernel = exponentials(type, {type});
    for (const Loaded& code : on_vectors_of_every_width(kernel))
      for (const std::int64_t columns : {16, 64, 2048, 2056, 4096, 4097, 5003}) {
        SCOPED_TRACE(std::to_string(code.bits) + " bits, columns " + std::to_string(columns));
        const auto width = static_cast<std::uint64_t>(columns);
        Trial run{{5, columns}, {small_numbers(type, 5 * columns)}, {width, width}};
        std::vector<Column> cached = empty_outputs(kernel, run), past = empty_outputs(kernel, run);
        const auto launch = [&](std::int64_t last, std::vector<Column>& to) {
          const backends::cpu::Caches caches(backends::cpu::CacheSizes{0, last});
          with_arguments(run, to, [&](const auto& arguments) {
            ASSERT_EQ(backends::cpu::streams(*code.kernel, arguments, caches), last == 0);
            backends::cpu::Launcher(2, {1 << 20, last}).launch(*code.kernel, arguments);
          });
        };
        launch(INT64_MAX, cached);
        launch(0, past);
        expect_same(kernel, 0, past, cached);
      }
  }
}

}  // namespace
}  // namespace hasten::test::cpu
