// Borders separate from the interior: what is found, what remains in the interior, and that both
// agree.
#include "kernels/analysis/interior.hpp"

#include "core/evaluate.hpp"
#include "core/traverse.hpp"
#include "tests/unit/cpu/kernels.hpp"

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

/// Counts operations and branches of a region at any depth.
std::map<ScalarOp, int> operations(const Region& region, int& branches) {
  std::map<ScalarOp, int> count;
  for (const core::Stmt& stmt : region.body) {
    if (const auto* prim = std::get_if<core::Prim>(&stmt.op)) ++count[prim->op];
    if (std::holds_alternative<core::If>(stmt.op)) ++branches;
    core::visit_regions(stmt, [&](const Region& inner) {
      for (const auto& [op, n] : operations(inner, branches)) count[op] += n;
    });
  }
  return count;
}

void expect_no_border_arithmetic(const Kernel& kernel) {
  ASSERT_TRUE(kernel.interior) << kernels::print(kernel);
  int branches = 0;
  auto count = operations(kernel.interior->element, branches);
  EXPECT_EQ(branches, 0) << kernels::print(kernel);
  for (const ScalarOp op : {ScalarOp::lt, ScalarOp::ge, ScalarOp::and_, ScalarOp::mod})
    EXPECT_EQ(count[op], 0) << kernels::print(kernel);
}

Value row_major(Maker& m, Value row, Value width, Value column) {
  return m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {row, width}), column});
}

Value clamped(Maker& m, Value i, std::int64_t offset, Value extent) {
  const Value moved = offset == 0 ? i : m.prim(ScalarOp::add, {i, m.integer(offset)});
  const Value last = m.prim(ScalarOp::sub, {extent, m.integer(1)});
  return m.prim(ScalarOp::max, {m.prim(ScalarOp::min, {moved, last}), m.integer(0)});
}

/// Sums of neighbours at clamped indices, in two dimensions.
Kernel clamped_sum(ScalarType type) {
  Maker m(2, {type}, {type});
  const Value height = m.scalar(i64), width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const auto at = [&](std::int64_t down, std::int64_t right) {
      const Value row = clamped(m, ix[0], down, height);
      return m.load(0, row_major(m, row, width, clamped(m, ix[1], right, width)));
    };
    Value sum = at(0, 0);
    for (const auto& [down, right] : {std::pair{-1, -2}, {1, 2}, {0, -1}, {2, 0}, {-3, 1}})
      sum = m.prim(ScalarOp::add, {sum, at(down, right)});
    return Values{sum};
  });
  kernels::find_interior(m.kernel);
  return m.kernel;
}

class NoArrays final : public core::ArrayReader {
 public:
  Bits load(core::ArrayId, std::uint32_t, std::span<const std::int64_t>) override { return {}; }
  Bits load_linear(core::ArrayId, std::uint32_t, std::int64_t) override { return {}; }
  std::int64_t extent(core::ArrayId, std::uint32_t) override { return 0; }
};

/// An index that no proof has shown to be in range.
Value limited(Maker& m, Value i, Value extent) {
  const Value last = m.prim(ScalarOp::sub, {extent, m.integer(1)});
  const Value end = m.prim(ScalarOp::max, {last, m.integer(0)});
  return m.cast(i64, m.prim(ScalarOp::min, {m.cast(u64, i), m.cast(u64, end)}));
}

void check_sizes(const Kernel& kernel, ScalarType type) {
  for (const std::int64_t height : {1, 2, 3, 5, 40})
    for (const std::int64_t width :
         {1, 2, 3, 4, 5, 6, 7, 15, 17, 31, 33, 63, 64, 65, 68, 69, 129, 1027})
      check(kernel, {{height, width},
                     {small_numbers(type, height * width)},
                     {static_cast<std::uint64_t>(height), static_cast<std::uint64_t>(width)}});
}

TEST(KernelInterior, ClampedReads) {
  for (const ScalarType type : {f32, ScalarType::f64, ScalarType::u8}) {
    const Kernel kernel = clamped_sum(type);
    expect_no_border_arithmetic(kernel);
    // The remaining min and max are along the outer axis, once per row.
    int branches = 0;
    auto count = operations(kernel.interior->element, branches);
    EXPECT_EQ(count[ScalarOp::min], 5) << kernels::print(kernel);
    check_sizes(kernel, type);
  }
}

TEST(KernelInterior, ClampedReadsOnSeveralThreads) {
  const Kernel kernel = clamped_sum(f32);
  for (const auto& [height, width] :
       {std::pair<std::int64_t, std::int64_t>{300, 301}, {3, 50'003}, {20, 5'000}}) {
    const std::vector<std::uint64_t> scalars{static_cast<std::uint64_t>(height),
                                             static_cast<std::uint64_t>(width)};
    check(kernel, {{height, width}, {small_numbers(f32, height * width)}, scalars}, 4);
  }
}

/// Reads if both indices are inside, else 7; and combines the tests of the row and of the column.
TEST(KernelInterior, TestsOfBothAxesLeaveWholeRowsToTheBorder) {
  Maker m(2, {f32}, {f32});
  const Value height = m.scalar(i64), width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const auto inside = [&](Value i, Value extent) {
      return m.prim(ScalarOp::and_,
                    {m.prim(ScalarOp::ge, {i, m.integer(0)}), m.prim(ScalarOp::lt, {i, extent})});
    };
    const auto at = [&](std::int64_t down, std::int64_t right) {
      const Value row = m.prim(ScalarOp::add, {ix[0], m.integer(down)});
      const Value column = m.prim(ScalarOp::add, {ix[1], m.integer(right)});
      const Value here = m.prim(ScalarOp::and_, {inside(row, height), inside(column, width)});
      return m.branch(
          here, [&] { return Values{m.load(0, row_major(m, row, width, column))}; },
          [&] { return Values{m.f32(7)}; })[0];
    };
    Value sum = at(2, -3);
    for (const auto& [down, right] : {std::pair{-1, 4}, {1, 1}})
      sum = m.prim(ScalarOp::add, {sum, at(down, right)});
    return Values{sum};
  });
  kernels::find_interior(m.kernel);
  expect_no_border_arithmetic(m.kernel);
  check_sizes(m.kernel, f32);
}

// Tests for the low end hold above it, others below; with either order of operands, and with
// literals.
TEST(KernelInterior, EveryTestAndEverySide) {
  for (const ScalarOp op :
       {ScalarOp::lt, ScalarOp::le, ScalarOp::gt, ScalarOp::ge, ScalarOp::eq, ScalarOp::ne})
    for (const bool swapped : {false, true})
      for (const bool literal : {false, true}) {
        Maker m(1, {}, {i64});
        const Value limit = m.scalar(i64);
        m.element([&](const Values& ix) {
          const Value moved = m.prim(ScalarOp::sub, {ix[0], m.integer(3)});
          const Value bound = literal ? m.integer(2) : limit;
          const Value test = swapped ? m.prim(op, {bound, moved}) : m.prim(op, {moved, bound});
          return Values{m.prim(ScalarOp::select, {test, moved, m.integer(1000)})};
        });
        kernels::find_interior(m.kernel);
        ASSERT_TRUE(m.kernel.interior);
        for (const std::int64_t n : {1, 4, 5, 6, 7, 64, 200})
          for (const std::int64_t at : {INT64_MIN, std::int64_t{-3}, std::int64_t{0},
                                        std::int64_t{1}, std::int64_t{60}, INT64_MAX})
            check(m.kernel, {{n}, {}, {static_cast<std::uint64_t>(at)}});
      }
}

// Limits so large that sums with them wrap: the element function determines the result.
// A frame that reads nothing, whichever end it is at and however its test is written: the interior
// is what it leaves.
TEST(KernelInterior, WhatReadsMemory) {
  const auto expect_reads_inside = [](auto is_framed, std::int64_t from, std::int64_t end) {
    Maker m(2, {f32}, {f32});
    const Value height = m.scalar(i64), width = m.scalar(i64);
    static_cast<void>(height);
    m.element([&](const Values& ix) {
      const auto [test, framed] = is_framed(m, ix[1]);
      const auto number = [&] { return Values{m.f32(7)}; };
      const auto read = [&] { return Values{m.load(0, row_major(m, ix[0], width, ix[1]))}; };
      return framed ? m.branch(test, number, read) : m.branch(test, read, number);
    });
    kernels::find_interior(m.kernel);
    ASSERT_TRUE(m.kernel.interior) << kernels::print(m.kernel);
    const Region& inside = m.kernel.interior->element;
    EXPECT_TRUE(std::ranges::any_of(inside.body, [](const core::Stmt& stmt) {
      return std::holds_alternative<core::LoadLinear>(stmt.op);
    })) << kernels::print(m.kernel);
    std::vector<Bits> values(m.kernel.value_types.size());
    NoArrays arrays;
    core::Evaluator evaluator(m.kernel.value_types, values, arrays);
    evaluator.run(m.kernel.interior->bounds);
    const auto bound = [&](std::size_t i) {
      return evaluator.integer(m.kernel.interior->bounds.results[i]);
    };
    EXPECT_EQ(bound(2), from) << kernels::print(m.kernel);
    EXPECT_EQ(std::min<std::int64_t>(bound(3), 90), end) << kernels::print(m.kernel);
    check_sizes(m.kernel, f32);
  };
  const auto less = [](Maker& m, Value i) { return m.prim(ScalarOp::lt, {i, m.integer(3)}); };
  const auto either = [](Maker& m, Value i) {
    return m.prim(ScalarOp::or_, {m.prim(ScalarOp::lt, {i, m.integer(3)}),
                                  m.prim(ScalarOp::ge, {i, m.integer(60)})});
  };
  const auto within = [](Maker& m, Value i) {
    return m.prim(ScalarOp::and_, {m.prim(ScalarOp::lt, {i, m.integer(60)}),
                                   m.prim(ScalarOp::gt, {i, m.integer(2)})});
  };
  using Framed = std::pair<Value, bool>;
  expect_reads_inside([&](Maker& m, Value i) { return Framed{less(m, i), false}; }, 0, 3);
  expect_reads_inside([&](Maker& m, Value i) { return Framed{less(m, i), true}; }, 3, 90);
  expect_reads_inside(
      [&](Maker& m, Value i) { return Framed{m.prim(ScalarOp::not_, {less(m, i)}), true}; }, 0, 3);
  expect_reads_inside([&](Maker& m, Value i) { return Framed{either(m, i), true}; }, 3, 60);
  expect_reads_inside([&](Maker& m, Value i) { return Framed{within(m, i), false}; }, 3, 60);
}

TEST(KernelInterior, LimitsAtTheEndsOfIntegers) {
  Maker m(1, {}, {i64, i64});
  const Value limit = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value up = m.prim(ScalarOp::add, {ix[0], m.integer(5)});
    const Value down = m.prim(ScalarOp::sub, {ix[0], m.integer(5)});
    return Values{m.prim(ScalarOp::min, {up, limit}), m.prim(ScalarOp::max, {down, limit})};
  });
  kernels::find_interior(m.kernel);
  for (const std::int64_t at :
       {INT64_MIN, INT64_MIN + 4, std::int64_t{0}, std::int64_t{70}, INT64_MAX - 4, INT64_MAX})
    check(m.kernel, {{100}, {}, {static_cast<std::uint64_t>(at)}});
}

// Parts of arrays begin anywhere: compares an index plus a base with the base and with other
// values.
TEST(KernelInterior, BasesAtAllDistances) {
  for (const ScalarOp op :
       {ScalarOp::lt, ScalarOp::le, ScalarOp::gt, ScalarOp::ge, ScalarOp::eq, ScalarOp::ne})
    for (const bool with_base : {false, true}) {
      Maker m(1, {}, {i64});
      const Value limit = m.scalar(i64), base = m.scalar(i64);
      m.element([&](const Values& ix) {
        const Value at = m.prim(ScalarOp::add, {ix[0], base});
        const Value moved = m.prim(ScalarOp::sub, {at, m.integer(3)});
        const Value test = m.prim(op, {moved, with_base ? base : limit});
        return Values{m.prim(ScalarOp::select, {test, moved, m.integer(1000)})};
      });
      kernels::find_interior(m.kernel);
      ASSERT_TRUE(m.kernel.interior);
      constexpr std::int64_t far = std::int64_t{1} << 60;
      for (const std::int64_t limit_is : {INT64_MIN, std::int64_t{0}, std::int64_t{40}, INT64_MAX})
        for (const std::int64_t base_is :
             {INT64_MIN, -2 * far, -far - 1, -far, std::int64_t{-7}, std::int64_t{0},
              std::int64_t{30}, far, far + 1, 2 * far, INT64_MAX - 20, INT64_MAX})
          check(m.kernel,
                {{100},
                 {},
                 {static_cast<std::uint64_t>(limit_is), static_cast<std::uint64_t>(base_is)}});
    }
}

// A device's part of a stencil: the rows of its part, and those of others before and after it.
TEST(KernelInterior, PartsOfAnArray) {
  Maker m(2, {f32, f32, f32}, {f32});
  const Value width = m.scalar(i64), begin = m.scalar(i64), end = m.scalar(i64);
  const Value last = m.scalar(i64);  // in the whole array
  m.element([&](const Values& ix) {
    const Value row = m.prim(ScalarOp::add, {ix[0], begin});
    const auto read = [&](std::uint32_t input, Value at) {
      return Values{m.load(input, row_major(m, at, width, ix[1]))};
    };
    const auto from = [&](std::int64_t down) {
      const Value moved = m.prim(ScalarOp::add, {row, m.integer(down)});
      const Value i = m.prim(ScalarOp::max, {m.prim(ScalarOp::min, {moved, last}), m.integer(0)});
      const auto own = [&] { return read(1, m.prim(ScalarOp::sub, {i, begin})); };
      if (down < 0)
        return m.branch(
            m.prim(ScalarOp::lt, {i, begin}),
            [&] {
              const Value before = m.prim(ScalarOp::sub, {begin, m.integer(1)});
              return read(0, m.prim(ScalarOp::sub, {i, before}));
            },
            own)[0];
      return m.branch(
          m.prim(ScalarOp::ge, {i, end}), [&] { return read(2, m.prim(ScalarOp::sub, {i, end})); },
          own)[0];
    };
    return Values{m.prim(ScalarOp::add, {from(-1), from(1)})};
  });
  kernels::find_interior(m.kernel);
  expect_no_border_arithmetic(m.kernel);
  for (const std::int64_t rows : {1, 2, 3, 40})
    for (const std::int64_t columns : {1, 5, 67})
      for (const std::int64_t first : {0, 10})
        check(m.kernel,
              {{rows, columns},
               {small_numbers(f32, columns), small_numbers(f32, rows * columns),
                small_numbers(f32, columns)},
               {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(first),
                static_cast<std::uint64_t>(first + rows), static_cast<std::uint64_t>(60)}});
}

TEST(KernelInterior, NothingToFind) {
  Maker m(2, {f32}, {f32});
  const Value width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value x = m.load(0, row_major(m, ix[0], width, ix[1]));
    const Value later = m.prim(ScalarOp::max, {ix[1], ix[0]});  // not a bound of an axis
    return Values{m.prim(ScalarOp::add, {x, m.cast(f32, later)})};
  });
  kernels::find_interior(m.kernel);
  EXPECT_FALSE(m.kernel.interior);
}

std::vector<std::int64_t> bounds_of(const Kernel& kernel, const Region& bounds,
                                    const std::map<Value, std::int64_t>& arguments) {
  std::vector<Bits> values(kernel.value_types.size());
  NoArrays arrays;
  core::Evaluator evaluator(kernel.value_types, values, arrays);
  for (const auto& [scalar, number] : arguments) evaluator[scalar] = core::bits_of(number);
  evaluator.run(bounds);
  std::vector<std::int64_t> result;
  for (const Value v : bounds.results) result.push_back(evaluator.integer(v));
  return result;
}

// Limits of reads along outer and inner axes; the program's own test stays, and bounds nothing.
TEST(KernelInterior, RangeOfReads) {
  Maker m(3, {f32, f32});
  const Value rows = m.scalar(i64), columns = m.scalar(i64), half = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value row = limited(m, ix[1], rows);
    const Value twice = m.prim(ScalarOp::mul, {ix[2], m.integer(2)});
    const Value next = m.prim(ScalarOp::add, {twice, m.integer(1)});
    const Value a = m.load(0, row_major(m, row, columns, limited(m, next, columns)));
    const Value is_low = m.prim(ScalarOp::lt, {ix[2], half});
    return Values{m.prim(ScalarOp::add, {a, m.cast(f32, is_low)})};
  });
  m.fold(f32, ScalarOp::add);
  m.kernel.lanes = kernels::FoldLanes::outer;
  auto found = kernels::range_of_reads(m.kernel);
  ASSERT_TRUE(found);
  EXPECT_FALSE(m.kernel.interior);
  int branches = 0;
  auto count = operations(found->element, branches);
  EXPECT_EQ(count[ScalarOp::min], 0);
  EXPECT_EQ(count[ScalarOp::lt], 1);
  const auto bounds = [&](std::int64_t row_count, std::int64_t column_count) {
    return bounds_of(m.kernel, found->bounds, {{rows, row_count}, {columns, column_count}});
  };
  const auto far = std::int64_t{1} << 61;
  EXPECT_EQ(bounds(7, 5), (std::vector<std::int64_t>{0, far, 0, 7, 0, 2}));
  EXPECT_EQ(bounds(7, 6)[5], 3);
  EXPECT_EQ(bounds(7, 1)[5], 0);
  EXPECT_EQ(bounds(0, 5)[3], 1);  // the launch substitutes an array with elements
}

// Counters of loops, alone and beside an index: the last count decides.
TEST(KernelInterior, RangeOfReadsInLoops) {
  Maker m(1, {ScalarType::f32}, {ScalarType::f32});
  const Value size = m.scalar(i64), count = m.scalar(i64);
  m.element([&](const Values& ix) {
    const auto sum = m.loop(
        {m.integer(0), m.f32(0)},
        [&](const Values& s) { return m.prim(ScalarOp::lt, {s[0], count}); },
        [&](const Values& s) {
          const Value thrice = m.prim(ScalarOp::mul, {ix[0], m.integer(3)});
          const Value window = m.prim(ScalarOp::add, {thrice, s[0]});
          const Value next = m.prim(ScalarOp::add, {window, m.integer(1)});
          const Value alone = m.prim(ScalarOp::add, {s[0], m.integer(2)});
          const Value both = m.prim(ScalarOp::add, {m.load(0, limited(m, next, size)),
                                                    m.load(0, limited(m, alone, size))});
          return Values{m.prim(ScalarOp::add, {s[0], m.integer(1)}),
                        m.prim(ScalarOp::add, {s[1], both})};
        });
    return Values{sum[1]};
  });
  auto found = kernels::range_of_reads(m.kernel);
  ASSERT_TRUE(found);
  int branches = 0;
  EXPECT_EQ(operations(found->element, branches)[ScalarOp::min], 0);
  const auto end_of = [&](std::int64_t elements, std::int64_t rounds) {
    const auto bounds = bounds_of(m.kernel, found->bounds, {{size, elements}, {count, rounds}});
    return bounds[0] == 0 ? bounds[1] : 0;
  };
  EXPECT_EQ(end_of(20, 4), 6);  // 3 * 5 + 4 is the last element
  EXPECT_EQ(end_of(19, 4), 5);
  EXPECT_EQ(end_of(20, 0), 7);
  EXPECT_EQ(end_of(20, 18), 1);
  EXPECT_EQ(end_of(20, 19), 0);  // by the counter alone
  EXPECT_EQ(end_of(20, INT64_MAX), 0);
  EXPECT_GE(end_of(INT64_MAX, 4), std::int64_t{1} << 50);
}

// A loop that does not count by ones up to a number that stays has no known range.
TEST(KernelInterior, OtherLoopsHaveNoRange) {
  for (const std::int64_t step : {1, 2}) {
    Maker m(1, {ScalarType::f32}, {ScalarType::f32});
    const Value size = m.scalar(i64), count = m.scalar(i64);
    m.element([&](const Values& ix) {
      const auto sum = m.loop(
          {m.integer(step == 1 ? 1 : 0), ix[0]},
          [&](const Values& s) { return m.prim(ScalarOp::lt, {s[0], count}); },
          [&](const Values& s) {
            const Value read = m.load(0, limited(m, s[0], size));
            const Value more = m.prim(ScalarOp::add, {s[1], m.cast(i64, read)});
            return Values{m.prim(ScalarOp::add, {s[0], m.integer(step)}), more};
          });
      return Values{m.cast(ScalarType::f32, sum[1])};
    });
    EXPECT_FALSE(kernels::range_of_reads(m.kernel)) << step;
  }
}

// Rows begin on cache lines and are stored past the caches from there on.
TEST(KernelInterior, StreamedOutputs) {
  const Kernel kernel = clamped_sum(ScalarType::f64);
  const std::int64_t height = 33'000, width = 1024;
  Trial trial{{height, width},
              {small_numbers(ScalarType::f64, height * width)},
              {static_cast<std::uint64_t>(height), static_cast<std::uint64_t>(width)}};
  std::vector<Column> outputs = on_cpu(kernel, trial, 2);
  const auto number = [&](std::int64_t i, std::int64_t j) {
    i = std::clamp<std::int64_t>(i, 0, height - 1);
    j = std::clamp<std::int64_t>(j, 0, width - 1);
    return static_cast<double>(((i * width + j) * 7919) % 61);
  };
  for (std::int64_t i = 0; i < height; i += 37)
    for (std::int64_t j = 0; j < width; ++j) {
      const double expected = number(i, j) + number(i - 1, j - 2) + number(i + 1, j + 2) +
                              number(i, j - 1) + number(i + 2, j) + number(i - 3, j + 1);
      ASSERT_EQ(core::to_double(ScalarType::f64, outputs[0].get(i * width + j)), expected)
          << i << ", " << j;
    }
}

}  // namespace
}  // namespace hasten::test::cpu
