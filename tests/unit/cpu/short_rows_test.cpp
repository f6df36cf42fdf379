// Folds of rows of a few elements, one row per lane: bit for bit the same as folds in order. Rows
// of a few registers, by groups whose registers are joined.
#include "backends/cpu/launch/launch.hpp"
#include "backends/cpu/schedule/schedule.hpp"
#include "tests/unit/cpu/kernels.hpp"
#include "tests/unit/cpu/widths.hpp"

#include <algorithm>

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;
using Extents = std::vector<std::int64_t>;

constexpr std::int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 11, 12, 15, 16, 17, 24, 31, 40, 63};
// Longer rows are not folded in order.
bool is_short(ScalarType type, std::int64_t n) {
  const auto bytes = static_cast<std::int64_t>(detail::size_in_bytes(type));
  return n * bytes < 128 && (n < 16 || bytes < 4);
}

constexpr std::int64_t row_counts[] = {8, 15, 16, 17, 33, 64, 65, 200};

Values extents_of(Maker& m) {
  Values extents;
  for (std::uint32_t axis = 0; axis < m.kernel.rank; ++axis) extents.push_back(m.scalar(i64));
  return extents;
}

// The scalars are the extents, then the seed.
Trial trial(const Extents& extents, std::vector<Column> inputs,
            const std::vector<std::uint64_t>& seeds = {}) {
  std::vector<std::uint64_t> scalars(extents.begin(), extents.end());
  scalars.insert(scalars.end(), seeds.begin(), seeds.end());
  return {extents, std::move(inputs), std::move(scalars)};
}

void check_sizes(const Kernel& kernel, const std::vector<ScalarType>& types,
                 const std::vector<std::uint64_t>& seeds = {}) {
  for (std::int64_t n : lengths)
    for (std::int64_t rows : row_counts) {
      if (!std::all_of(types.begin(), types.end(), [&](ScalarType t) { return is_short(t, n); }))
        continue;
      std::vector<Column> inputs;
      for (ScalarType type : types) inputs.push_back(some_numbers(type, rows * n, inputs.size()));
      check(kernel, trial({rows, n}, inputs, seeds));
    }
}

Maker of_rows(ScalarType type, ScalarOp op) {
  Maker m(2, {type});
  const Values extents = extents_of(m);
  m.element([&](const Values& ix) { return Values{m.load(0, row_major(m, ix, extents))}; });
  m.fold(type, op);
  return m;
}

TEST(CpuShortRows, OperatorsAndTypes) {
  for (ScalarType type : {f32, f64, ScalarType::f16, ScalarType::bf16, ScalarType::i32, i64,
                          ScalarType::u8, ScalarType::i16, ScalarType::boolean})
    for (ScalarOp op : {ScalarOp::add, ScalarOp::mul, ScalarOp::max, ScalarOp::and_})
      if (core::contains(core::row(op).domain, type)) check_sizes(of_rows(type, op).kernel, {type});
}

TEST(CpuShortRows, SeedsComeFirst) {
  Maker m(2, {f32});
  const Values extents = extents_of(m);
  m.kernel.seed = {m.scalar(f32)};
  m.element([&](const Values& ix) { return Values{m.load(0, row_major(m, ix, extents))}; });
  m.fold(f32, ScalarOp::add);
  check_sizes(m.kernel, {f32}, {std::bit_cast<std::uint32_t>(0.3F)});
  check(m.kernel, trial({20, 0}, {Column(f32, 0)}, {std::bit_cast<std::uint32_t>(0.3F)}));
}

// A separate row in each of two arrays of other types, one row for all, and one number per row.
TEST(CpuShortRows, ElementsAndEpilogues) {
  Maker m(2, {f32, ScalarType::u8, f32, f32});
  const Values extents = extents_of(m);
  m.element([&](const Values& ix) {
    const Value at = row_major(m, ix, extents);
    const Value x = m.prim(ScalarOp::mul, {m.load(0, at), m.cast(f32, m.load(1, at))});
    return Values{
        m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {x, m.load(2, ix[1])}), m.load(3, ix[0])})};
  });
  m.fold(f32, ScalarOp::add);
  m.kernel.epilogue = m.region({i64, f32}, [&](const Values& p) {
    return Values{m.prim(ScalarOp::sub, {p[1], m.load(3, p[0])})};
  });
  for (std::int64_t n : lengths)
    for (std::int64_t rows : row_counts)
      check(m.kernel,
            trial({rows, n}, {small_numbers(f32, rows * n), small_numbers(ScalarType::u8, rows * n),
                              small_numbers(f32, n), small_numbers(f32, rows)}));
}

TEST(CpuShortRows, StoresBesideThem) {
  for (ScalarType type : {f32, ScalarType::u8}) {
    Maker m(2, {type});
    const Values extents = extents_of(m);
    m.element([&](const Values& ix) {
      const Value x = m.load(0, row_major(m, ix, extents));
      return Values{x, m.prim(ScalarOp::add, {x, x})};
    });
    m.fold(type, ScalarOp::max);
    m.kernel.outputs.push_back(type);
    m.kernel.stored = 1;
    check_sizes(m.kernel, {type});
  }
}

TEST(CpuShortRows, AxesOutside) {
  Maker m(4, {f32});
  const Values extents = extents_of(m);
  m.element([&](const Values& ix) { return Values{m.load(0, row_major(m, ix, extents))}; });
  m.fold(f32, ScalarOp::add);
  for (const Extents& e :
       std::vector<Extents>{{2, 3, 8, 4}, {3, 1, 17, 5}, {1, 2, 70, 31}, {5, 4, 9, 3}})
    check(m.kernel, trial(e, {some_numbers(f32, size_of(e))}), 2);
}

// Elements that are not read, read in reverse, or read under a condition only: rows as stored.
TEST(CpuShortRows, ReadsOfOtherKinds) {
  Maker m(2, {f32, f32});
  const Values extents = extents_of(m);
  m.element([&](const Values& ix) {
    const Value at = row_major(m, ix, extents), zero = m.integer(0);
    const Value last = m.prim(ScalarOp::sub, {extents[1], m.integer(1)});
    const Value back = m.prim(ScalarOp::sub, {last, ix[1]});
    const Value x = m.load(0, row_major(m, {ix[0], back}, extents));
    const Value before = m.branch(
        m.prim(ScalarOp::gt, {ix[1], zero}),
        [&] { return Values{m.load(1, m.prim(ScalarOp::sub, {at, m.integer(1)}))}; },
        [&] { return Values{x}; })[0];
    return Values{m.prim(ScalarOp::max, {x, before})};
  });
  m.fold(f32, ScalarOp::max);
  check_sizes(m.kernel, {f32, f32});
}

constexpr std::int64_t joined_lengths[] = {16, 17, 31, 32, 33, 63, 64, 65, 100, 200, 255, 256};
constexpr std::int64_t joined_rows[] = {8, 15, 16, 17, 31, 64, 65, 100};

// Sums of small numbers are exact in any order.
TEST(CpuJoinedRows, OperatorsAndTypes) {
  for (const ScalarType type : {f32, f64, ScalarType::f16, ScalarType::i32, i64, ScalarType::u8,
                                ScalarType::i16, ScalarType::boolean})
    for (const ScalarOp op : {ScalarOp::add, ScalarOp::max, ScalarOp::xor_}) {
      if (!core::contains(core::row(op).domain, type) ||
          (type == ScalarType::f16 && op == ScalarOp::add))
        continue;
      const Maker m = of_rows(type, op);
      for (const std::int64_t n : joined_lengths)
        for (const std::int64_t rows : joined_rows)
          check(m.kernel, trial({rows, n}, {small_numbers(type, rows * n)}));
    }
}

// Two sums of a row's elements and of their squares, less a row that all share and a number of the
// row's own; results depend on the index of the row.
TEST(CpuJoinedRows, LeavesSeedsAndEpilogues) {
  Maker m(3, {f32, f32, f32});
  const Values extents = extents_of(m);
  m.kernel.seed = {m.scalar(f32), m.scalar(f32)};
  m.element([&](const Values& ix) {
    const Value less = m.prim(ScalarOp::add, {m.load(1, ix[2]), m.load(2, ix[1])});
    const Value x = m.prim(ScalarOp::sub, {m.load(0, row_major(m, ix, extents)), less});
    return Values{x, m.prim(ScalarOp::mul, {x, x})};
  });
  m.fold({f32, f32}, [&](const Values& a, const Values& b) {
    return Values{m.prim(ScalarOp::add, {a[0], b[0]}), m.prim(ScalarOp::add, {a[1], b[1]})};
  });
  m.kernel.epilogue = m.region({i64, i64, f32, f32}, [&](const Values& p) {
    const Value place = m.cast(f32, m.prim(ScalarOp::add, {p[0], p[1]}));
    return Values{m.prim(ScalarOp::sub, {p[2], place}), m.prim(ScalarOp::add, {p[3], place})};
  });
  m.kernel.outputs = {f32, f32};
  const auto bits = [](float x) { return std::uint64_t{std::bit_cast<std::uint32_t>(x)}; };
  for (const std::int64_t outer : {1, 3})
    for (const std::int64_t rows : joined_rows)
      for (const std::int64_t n : {32, 33, 100, 255})
        check(m.kernel, trial({outer, rows, n},
                              {small_numbers(f32, outer * rows * n), small_numbers(f32, n),
                               small_numbers(f32, rows)},
                              {bits(3), bits(-5)}));
}

// Few rows, and long ones, go one by one.
TEST(CpuJoinedRows, AreChosenByExtents) {
  const Kernel kernel = of_rows(f32, ScalarOp::add).kernel;
  for (const Loaded& code : on_vectors_of_every_width(kernel)) {
    const std::int64_t group = code.kernel->schedule.lanes_joined;
    EXPECT_EQ(group, code.bits / 32);
    const auto is_joined = [&](const Extents& e) {
      return code.kernel->has_joined_rows(e) && !code.kernel->has_short_rows(e);
    };
    EXPECT_TRUE(is_joined({100, 16}) && is_joined({group, 255}) && is_joined({1, 100, 30}));
    EXPECT_FALSE(is_joined({100, 15}) || is_joined({100, 256}) || is_joined({group - 1, 30}));
  }
}

// An operator that needs an order: rows of any length, in blocks.
TEST(CpuRowsInOrder, PlaceOfTheLeast) {
  Maker m(2, {f32});
  const Values extents = extents_of(m);
  m.kernel.lanes = kernels::FoldLanes::outer;
  m.element([&](const Values& ix) { return Values{m.load(0, row_major(m, ix, extents)), ix[1]}; });
  m.fold({f32, i64}, [&](const Values& a, const Values& b) {
    const Value less = m.prim(ScalarOp::lt, {b[0], a[0]});
    return Values{m.prim(ScalarOp::select, {less, b[0], a[0]}),
                  m.prim(ScalarOp::select, {less, b[1], a[1]})};
  });
  check_sizes(m.kernel, {f32});
  for (const Extents& e :
       std::vector<Extents>{{1, 1000}, {17, 1009}, {64, 255}, {70, 4096}, {3, 513}})
    check(m.kernel, trial(e, {some_numbers(f32, size_of(e))}), 2);
}

/// For each row's point, the first of the nearest centres and its distance: squares of `width`
/// coordinates are added in order.
Kernel nearest(ScalarType type) {
  Maker m(2, {type, type});
  m.kernel.lanes = kernels::FoldLanes::outer;
  const Value width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value zero = m.cast(type, m.f32(0));
    const Value distance = m.reduce(ScalarOp::add, zero, width, [&](Value k) {
      const auto coordinate = [&](std::uint32_t input) {
        const Value begin = m.prim(ScalarOp::mul, {ix[input], width});
        return m.load(input, m.prim(ScalarOp::add, {begin, k}));
      };
      const Value apart = m.prim(ScalarOp::sub, {coordinate(0), coordinate(1)});
      return m.prim(ScalarOp::mul, {apart, apart});
    });
    return Values{ix[1], distance};
  });
  m.fold({i64, type}, [&](const Values& old, const Values& next) {
    const Value closer = m.prim(ScalarOp::lt, {next[1], old[1]});
    return Values{m.prim(ScalarOp::select, {closer, next[0], old[0]}),
                  m.prim(ScalarOp::select, {closer, next[1], old[1]})};
  });
  return m.kernel;
}

TEST(CpuShortRows, ReductionsOfRowsHaveFourRegistersOfSums) {
  for (const ScalarType type : {f32, f64, ScalarType::i32}) {
    const Kernel kernel = nearest(type);
    const backends::cpu::Machine machine = backends::cpu::detect_machine(512);
    const auto lanes = static_cast<std::int64_t>(machine.lanes(detail::size_in_bytes(type))) * 4;
    EXPECT_EQ(backends::cpu::choose_schedule(kernel, machine).lanes, lanes);
    for (const std::int64_t points : {std::int64_t{1}, lanes - 1, lanes, 2 * lanes + 3})
      for (const std::int64_t width : {0, 1, 4, 7, 600})
        check(kernel, {{points, 5},
                       {small_numbers(type, points * width), small_numbers(type, 5 * width)},
                       {static_cast<std::uint64_t>(width)}});
  }
}

// If nothing fits the last-level cache, the next block is prefetched, also beyond the last block.
TEST(CpuShortRows, AskedForFromMemory) {
  for (const std::int64_t n : {3, 4, 16, 40}) {
    Maker m(2, {f32});
    const Value columns = m.scalar(i64);
    m.element(
        [&](const Values& ix) { return Values{m.load(0, row_major(m, ix, {columns, columns}))}; });
    m.fold(f32, ScalarOp::add);
    const std::int64_t rows = 9001;
    Trial run{{rows, n}, {small_numbers(f32, rows * n)}, {static_cast<std::uint64_t>(n)}};
    std::vector<Column> expected = empty_outputs(m.kernel, run);
    with_arguments(run, expected,
                   [&](const auto& arguments) { KernelRun(m.kernel, arguments).run(); });
    for (const Loaded& code : on_vectors_of_every_width(m.kernel)) {
      std::vector<Column> actual = empty_outputs(m.kernel, run);
      with_arguments(run, actual, [&](const auto& arguments) {
        backends::cpu::Launcher(2, {1 << 20, 0}).launch(*code.kernel, arguments);
      });
      expect_same(m.kernel, 0, actual, expected);
    }
  }
}

// 64-bit sums of which one byte is kept.
TEST(CpuShortRows, ReductionsMayBeWiderThanWhatIsReadOrStored) {
  constexpr ScalarType i8 = ScalarType::i8;
  Maker m(2, {i8, i8});
  m.kernel.lanes = kernels::FoldLanes::outer;
  const Value width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value total = m.reduce(ScalarOp::add, m.integer(0), width, [&](Value k) {
      const auto number = [&](std::uint32_t input) {
        const Value begin = m.prim(ScalarOp::mul, {ix[input], width});
        return m.cast(i64, m.load(input, m.prim(ScalarOp::add, {begin, k})));
      };
      return m.prim(ScalarOp::mul, {number(0), number(1)});
    });
    return Values{m.cast(i8, total)};
  });
  m.fold({i8}, [&](const Values& a, const Values& b) {
    return Values{m.prim(ScalarOp::sub, {a[0], b[0]})};
  });
  EXPECT_GE(backends::cpu::choose_schedule(m.kernel, backends::cpu::detect_machine(512)).lanes, 1U);
  for (const std::int64_t points : {1, 31, 100})
    check(m.kernel, {{points, 3}, {small_numbers(i8, points * 5), small_numbers(i8, 3 * 5)}, {5}});
}

}  // namespace
}  // namespace hasten::test::cpu
