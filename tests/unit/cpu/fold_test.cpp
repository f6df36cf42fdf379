// Folds of every kind: in lanes, by tiles, in order, along an outer axis; seeds and empty axes.
#include "tests/unit/cpu/kernels.hpp"

#include "backends/cpu/forms.hpp"
#include "backends/cpu/launch/column_folds.hpp"
#include "backends/cpu/schedule/schedule.hpp"

#include <functional>
#include <numeric>

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

// element = a[(((i0 * n1) + i1) * n2 ...) + k], extents as scalars
struct Shape {
  std::vector<std::int64_t> extents;
  [[nodiscard]] std::int64_t size() const {
    std::int64_t n = 1;
    for (std::int64_t e : extents) n *= e;
    return n;
  }
  [[nodiscard]] std::vector<std::uint64_t> scalars() const {
    return {extents.begin(), extents.end()};
  }
};

Maker fold_by_table(std::uint32_t rank, ScalarType type, ScalarOp op, bool seeded,
                    kernels::FoldLanes lanes) {
  Maker m(rank, {type});
  Values extents;
  for (std::uint32_t axis = 0; axis < rank; ++axis) extents.push_back(m.scalar(i64));
  if (seeded) m.kernel.seed = {m.scalar(type)};
  m.kernel.lanes = lanes;
  m.element([&](const Values& ix) { return Values{m.load(0, row_major(m, ix, extents))}; });
  m.fold(type, op);
  return m;
}

void check_shapes(const Kernel& kernel, ScalarType type, const std::vector<Shape>& shapes,
                  std::vector<std::uint64_t> seeds = {}, double ulps = 0) {
  for (const Shape& shape : shapes) {
    std::vector<std::uint64_t> scalars = shape.scalars();
    scalars.insert(scalars.end(), seeds.begin(), seeds.end());
    check(kernel, {shape.extents, {small_numbers(type, shape.size())}, scalars, ulps});
  }
}

const std::vector<Shape> vectors = {{{1}},    {{5}},     {{63}},    {{64}},     {{65}},
                                    {{1000}}, {{32768}}, {{32769}}, {{100'003}}};
const std::vector<Shape> matrices = {{{1, 1}}, {{3, 70}}, {{70, 3}}, {{2, 40'000}}, {{130, 65}}};

TEST(CpuFold, OperatorsOfTheTable) {
  for (ScalarType type : {f32, f64, ScalarType::i32, ScalarType::u8, i64, ScalarType::boolean})
    for (ScalarOp op : {ScalarOp::add, ScalarOp::mul, ScalarOp::min, ScalarOp::max, ScalarOp::and_,
                        ScalarOp::or_, ScalarOp::xor_}) {
      // Products of floats overflow, and infinity * 0 depends on the order.
      if (!core::contains(core::row(op).domain, type)) continue;
      if (op == ScalarOp::mul && detail::is_floating(type)) continue;
      const Maker m = fold_by_table(1, type, op, false, kernels::FoldLanes::reduction);
      check_shapes(m.kernel, type, vectors);
    }
}

TEST(CpuFold, ProductsOfFloats) {
  const Maker m = fold_by_table(1, f64, ScalarOp::mul, false, kernels::FoldLanes::reduction);
  Column x(f64, 1000);
  for (std::int64_t i = 0; i < 1000; ++i)
    x.set(i, {std::bit_cast<std::uint64_t>(i % 3 == 0 ? 2.0 : i % 7 == 0 ? -0.5 : 1.0), 0});
  for (std::int64_t n : {1, 100, 1000})
    check(m.kernel, {{n}, {x}, {static_cast<std::uint64_t>(n)}});
}

TEST(CpuFold, MinMaxOfSpecialNumbers) {
  for (ScalarType type : {f32, f64})
    for (ScalarOp op : {ScalarOp::min, ScalarOp::max}) {
      const Maker m = fold_by_table(2, type, op, false, kernels::FoldLanes::reduction);
      check(m.kernel, {{200, 3}, {some_numbers(type, 600)}, {200, 3}});
      check(m.kernel, {{3, 200}, {some_numbers(type, 600)}, {3, 200}});
    }
}

TEST(CpuFold, SeedsOnceOnTheLeft) {
  for (kernels::FoldLanes lanes : {kernels::FoldLanes::reduction, kernels::FoldLanes::outer}) {
    const Maker m = fold_by_table(2, i64, ScalarOp::add, true, lanes);
    check_shapes(m.kernel, i64, matrices, {1000});
    check_shapes(m.kernel, i64, {{{4, 0}}, {{70, 0}}}, {1000});
  }
}

TEST(CpuFold, RanksAndLanesAlongAnOuterAxis) {
  for (std::uint32_t rank = 2; rank <= 4; ++rank) {
    const Maker m = fold_by_table(rank, f32, ScalarOp::add, false, kernels::FoldLanes::outer);
    const Maker r = fold_by_table(rank, f32, ScalarOp::max, false, kernels::FoldLanes::reduction);
    for (std::int64_t columns : {1, 64, 100}) {
      std::vector<std::int64_t> extents = {2, 3, 4, 5};
      extents.resize(rank);
      extents[rank - 2] = columns;
      check_shapes(m.kernel, f32, {{extents}});
      check_shapes(r.kernel, f32, {{extents}});
    }
  }
}

// A few long columns are split along the folded axis: every size of leaf, with and without a seed.
TEST(CpuFold, ColumnsInParts) {
  const ScalarType boolean = ScalarType::boolean;
  for (const ScalarType type : {f32, f64, ScalarType::u8, ScalarType::i16, i64, boolean})
    for (const bool seeded : {false, true}) {
      const ScalarOp op = type == boolean ? ScalarOp::xor_ : ScalarOp::add;
      const Maker m = fold_by_table(3, type, op, seeded, kernels::FoldLanes::outer);
      for (const Shape& shape : std::vector<Shape>{{{2, 3, 8200}}, {{1, 1, 33'001}}}) {
        std::vector<std::uint64_t> scalars = shape.scalars();
        if (seeded) scalars.push_back(rounded(type, 1).lo);
        check(m.kernel, {shape.extents, {small_numbers(type, shape.size())}, scalars}, {1, 4});
      }
    }
  const Maker m = fold_by_table(2, f32, ScalarOp::add, true, kernels::FoldLanes::outer);
  check_shapes(m.kernel, f32, {{{70, 8191}}, {{70, 8192}}}, {std::bit_cast<std::uint32_t>(0.5F)});
}

// Columns that fill no whole vector of all registers: in parts, whose last vectors overlap, and as
// they are.
TEST(CpuFold, ColumnsLeftOver) {
  for (const ScalarType type : {f32, f64, ScalarType::u8, i64})
    for (const std::int64_t columns : {7, 8, 9, 16, 20, 24, 31, 33, 40, 47, 63, 65, 100, 130}) {
      const Maker m = fold_by_table(2, type, ScalarOp::add, true, kernels::FoldLanes::outer);
      check_shapes(m.kernel, type, {{{columns, 5}}}, {rounded(type, 3).lo});
      const Maker several = fold_by_table(3, type, ScalarOp::max, false, kernels::FoldLanes::outer);
      check_shapes(several.kernel, type, {{{3, columns, 9}}});
    }
  for (const std::int64_t columns : {7, 20, 33, 47}) {  // in parts
    const Maker m = fold_by_table(2, f32, ScalarOp::add, true, kernels::FoldLanes::outer);
    check_shapes(m.kernel, f32, {{{columns, 8200}}}, {rounded(f32, 3).lo});
  }
}

TEST(CpuFold, ExtentsDecideAboutParts) {
  using backends::cpu::ColumnFolds;
  EXPECT_EQ(ColumnFolds::parts_of(1, 8191), 1);
  EXPECT_EQ(ColumnFolds::parts_of(1, 8192), 2);
  EXPECT_EQ(ColumnFolds::parts_of(1024, 8192), 2);
  EXPECT_EQ(ColumnFolds::parts_of(1025, 8192), 1);
  EXPECT_EQ(ColumnFolds::parts_of(16, std::int64_t{1} << 40), 64);
}

// Rows that are segments of a vector, of lengths around those of vectors, and of length 0.
Column offsets_of(const std::vector<std::int64_t>& lengths) {
  Column offsets(i64, static_cast<std::int64_t>(lengths.size()) + 1);
  std::int64_t at = 2;  // the first elements belong to no segment
  offsets.set(0, core::bits_of(at));
  for (std::size_t k = 0; k < lengths.size(); ++k)
    offsets.set(static_cast<std::int64_t>(k) + 1, core::bits_of(at += lengths[k]));
  return offsets;
}

void segments(Maker& m) {
  m.kernel.range = m.region({i64}, [&](const Values& segment) {
    return Values{m.load(1, segment[0]),
                  m.load(1, m.prim(ScalarOp::add, {segment[0], m.integer(1)}))};
  });
  m.element([&](const Values& ix) { return Values{m.load(0, ix[1])}; });
}

void check_segments(const Kernel& kernel, ScalarType type, std::vector<std::uint64_t> seeds) {
  for (const std::vector<std::int64_t>& lengths :
       {std::vector<std::int64_t>{1, 31, 32, 33, 63, 64, 65, 7, 1000, 2},
        {40'000},
        {127, 128, 129, 1, 255, 256, 257, 3, 3, 3}}) {
    std::int64_t n = 5;
    for (const std::int64_t length : lengths) n += length;
    const auto count = static_cast<std::int64_t>(lengths.size());
    check(kernel, {{count, n}, {small_numbers(type, n), offsets_of(lengths)}, seeds});
  }
}

TEST(CpuFold, Segments) {
  for (ScalarType type : {f32, f64, ScalarType::i16, ScalarType::u8, i64})
    for (ScalarOp op : {ScalarOp::add, ScalarOp::min, ScalarOp::max}) {
      Maker m(2, {type, i64});
      segments(m);
      m.fold(type, op);
      check_segments(m.kernel, type, {});
    }
}

// With masks in registers one register does. Without, segments that are long on average have two,
// and segments that gather are folded in order if they are short.
TEST(CpuFold, RegistersOfSegments) {
  using backends::cpu::Level;
  const auto chosen = [](Level level, bool gathers) {
    Maker m(2, {f32, i64, i64});
    segments(m);
    if (gathers) m.element([&](const Values& ix) { return Values{m.load(0, m.load(2, ix[1]))}; });
    m.fold(f32, ScalarOp::add);
    kernels::Schedule schedule =
        backends::cpu::choose_schedule(m.kernel, backends::cpu::machine_of(level));
    // Segments have no other forms, which would be compiled for a library.
    EXPECT_EQ(backends::cpu::forms_of(m.kernel, schedule).count(), 1U);
    return schedule;
  };
  for (const Level level : {Level::baseline, Level::avx2}) {
    const kernels::Schedule usual = chosen(level, false), gathering = chosen(level, true);
    EXPECT_EQ(usual.lanes, 2 * usual.lanes_along);
    EXPECT_EQ(usual.short_row, 128);
    EXPECT_EQ(gathering.lanes_along, 1U);
    EXPECT_EQ(gathering.short_row, 32);
  }
  EXPECT_EQ(chosen(Level::avx2, false).lanes, 16U);
  for (const bool gathers : {false, true}) {
    const kernels::Schedule masked = chosen(Level::avx512, gathers);
    EXPECT_EQ(masked.lanes, gathers ? 8U : 16U);  // of 64 bits
    EXPECT_EQ(masked.short_row, 0);
  }
}

// A few long segments, split into equal parts; among short segments, parts are empty.
TEST(CpuFold, SegmentsInParts) {
  const auto run = [](const Kernel& kernel, const std::vector<std::int64_t>& lengths,
                      std::vector<std::uint64_t> seeds) {
    const std::int64_t n = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{5});
    const auto count = static_cast<std::int64_t>(lengths.size());
    check(kernel, {{count, n}, {small_numbers(i64, n), offsets_of(lengths)}, std::move(seeds)});
  };
  const auto add_thrice = [](Maker& m) {
    m.fold({i64}, [&](const Values& a, const Values& b) {  // associative, but not built in
      return Values{m.prim(ScalarOp::add, {m.prim(ScalarOp::add, {a[0], b[0]}), m.integer(3)})};
    });
  };
  const auto last = [](Maker& m) {
    m.fold({i64}, [](const Values&, const Values& b) { return Values{b[0]}; });
  };
  for (const std::function<void(Maker&)>& fold :
       {std::function<void(Maker&)>([](Maker& m) { m.fold(i64, ScalarOp::add); }),
        std::function<void(Maker&)>(add_thrice), std::function<void(Maker&)>(last)}) {
    Maker plain(2, {i64, i64}), seeded(2, {i64, i64});
    segments(plain);
    fold(plain);
    run(plain.kernel, {1, 530'001}, {});
    seeded.kernel.seed = {seeded.scalar(i64)};
    segments(seeded);
    fold(seeded);
    run(seeded.kernel, {600'001, 0, 200'000}, {1000});
  }
}

TEST(CpuFold, SegmentsMayBeEmptyWithASeed) {
  Maker m(2, {i64, i64});
  m.kernel.seed = {m.scalar(i64)};
  segments(m);
  m.fold(i64, ScalarOp::add);
  check_segments(m.kernel, i64, {1000});
  check(m.kernel, {{6, 80}, {small_numbers(i64, 80), offsets_of({0, 0, 70, 0, 1, 0})}, {1000}});
  check(m.kernel, {{3, 9}, {small_numbers(i64, 9), offsets_of({0, 0, 0})}, {1000}});
  check(m.kernel, {{3, 0}, {Column(i64, 0), offsets_of({0, 0, 0})}, {1000}});
}

TEST(CpuFold, SegmentsKeepTheOrder) {
  Maker m(2, {i64, i64});
  segments(m);
  m.fold({i64}, [&](const Values& a, const Values& b) {
    return Values{m.prim(ScalarOp::sub, {m.prim(ScalarOp::mul, {a[0], m.integer(3)}), b[0]})};
  });
  check_segments(m.kernel, i64, {});
}

// 2 x 2 matrices of integers: associative, not commutative, four leaves.
Maker matrices_product(bool seeded, kernels::FoldLanes lanes) {
  Maker m(2, {i64});
  const Values extents = {m.scalar(i64), m.scalar(i64)};
  if (seeded)
    for (int i = 0; i < 4; ++i) m.kernel.seed.push_back(m.scalar(i64));
  m.kernel.lanes = lanes;
  m.element([&](const Values& ix) {
    const Value x = m.load(0, row_major(m, ix, extents));
    return Values{x, m.integer(1), ix[1], m.prim(ScalarOp::sub, {x, ix[0]})};
  });
  m.fold(std::vector(4, i64), [&](const Values& a, const Values& b) {
    const auto entry = [&](int r, int c) {
      return m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {a[2 * r], b[c]}),
                                    m.prim(ScalarOp::mul, {a[2 * r + 1], b[2 + c]})});
    };
    return Values{entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)};
  });
  return m;
}

TEST(CpuFold, OrderIsKept) {
  for (kernels::FoldLanes lanes : {kernels::FoldLanes::reduction, kernels::FoldLanes::outer})
    for (bool seeded : {false, true}) {
      const Maker m = matrices_product(seeded, lanes);
      for (const Shape& shape : matrices) {
        std::vector<std::uint64_t> scalars = shape.scalars();
        if (seeded) scalars.insert(scalars.end(), {2, 3, 5, 7});
        check(m.kernel, {shape.extents, {small_numbers(i64, shape.size())}, scalars}, {1, 2});
      }
    }
}

// The first largest number and its index, with a branch in the operator.
TEST(CpuFold, OperatorsWithBranches) {
  Maker m(1, {f32});
  m.element([&](const Values& ix) { return Values{m.load(0, ix[0]), ix[0]}; });
  m.fold({f32, i64}, [&](const Values& a, const Values& b) {
    const Value larger = m.prim(ScalarOp::lt, {a[0], b[0]});
    return m.branch(larger, [&] { return b; }, [&] { return a; });
  });
  check_shapes(m.kernel, f32, vectors);
}

TEST(CpuFold, EpilogueSeesIndices) {
  for (kernels::FoldLanes lanes : {kernels::FoldLanes::reduction, kernels::FoldLanes::outer}) {
    Maker m = fold_by_table(3, f32, ScalarOp::add, false, lanes);
    m.kernel.outputs = {f64, i64};
    m.kernel.epilogue = m.region({i64, i64, f32}, [&](const Values& p) {
      const Value at = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {p[0], m.integer(100)}), p[1]});
      return Values{m.prim(ScalarOp::sqrt, {m.cast(f64, p[2])}), at};
    });
    check_shapes(m.kernel, f32, {{{3, 70, 9}}, {{5, 2, 100}}});
  }
}

// Elements of other types that the kernel stores: along the row, in order, and across rows.
TEST(CpuFold, StoresBeside) {
  for (kernels::FoldLanes lanes : {kernels::FoldLanes::reduction, kernels::FoldLanes::outer})
    for (bool table : {false, true}) {
      Maker m(2, {i64});
      const Values extents = {m.scalar(i64), m.scalar(i64)};
      m.kernel.seed = {m.scalar(i64)};
      m.kernel.lanes = lanes;
      m.fold(i64, ScalarOp::add);
      m.element([&](const Values& ix) {
        const Value x = m.load(0, row_major(m, ix, extents));
        const Value less = m.prim(ScalarOp::lt, {x, ix[1]});
        return Values{m.prim(ScalarOp::sub, {x, ix[0]}), m.cast(ScalarType::u8, x), less, ix[0]};
      });
      if (!table) m.kernel.lane_operator = {};
      m.kernel.stored = 3;
      m.kernel.outputs = {i64, ScalarType::u8, ScalarType::boolean, i64};
      for (const Shape& shape : {Shape{{1, 1}}, Shape{{3, 70}}, Shape{{70, 3}}, Shape{{130, 65}},
                                 Shape{{2, 100'003}}, Shape{{5, 0}}}) {
        std::vector<std::uint64_t> scalars = shape.scalars();
        scalars.push_back(7);
        check(m.kernel, {shape.extents, {small_numbers(i64, shape.size())}, scalars}, {1, 2});
      }
    }
}

// Row-invariant reads do not happen if nothing is folded.
TEST(CpuFold, EmptyAxisReadsNothing) {
  for (kernels::FoldLanes lanes : {kernels::FoldLanes::reduction, kernels::FoldLanes::outer}) {
    Maker m(2, {f32, f32});
    const Value width = m.scalar(i64);
    m.kernel.seed = {m.scalar(f32)};
    m.kernel.lanes = lanes;
    m.element([&](const Values& ix) {
      const Value at = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {ix[0], width}), ix[1]});
      return Values{m.prim(ScalarOp::mul, {m.load(0, at), m.load(1, m.integer(0))})};
    });
    m.fold(f32, ScalarOp::add);
    Trial run{{5, 0}, {Column(f32, 0), Column(f32, 0)}, {0, std::bit_cast<std::uint32_t>(2.5F)}};
    check(m.kernel, run);
    auto cpu = target();
    const auto code = cpu->load(m.kernel, cpu->compile(m.kernel, {}));
    const std::byte* nothing[] = {nullptr, nullptr};
    Column out(f32, 5);
    std::byte* outputs[] = {out.data()};
    cpu->launch(*code, {run.extents, nothing, outputs, run.scalars});
    EXPECT_EQ(out.get(4).lo, std::bit_cast<std::uint32_t>(2.5F));
  }
}

TEST(CpuFold, MatrixProduct) {
  Maker m(3, {f64, f64});
  const Value inner = m.scalar(i64), columns = m.scalar(i64);
  m.kernel.seed = {m.scalar(f64)};
  m.kernel.lanes = kernels::FoldLanes::outer;
  m.element([&](const Values& ix) {
    const Value a = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {ix[0], inner}), ix[2]});
    const Value b = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {ix[2], columns}), ix[1]});
    return Values{m.prim(ScalarOp::mul, {m.load(0, a), m.load(1, b)})};
  });
  m.fold(f64, ScalarOp::add);
  for (int threads : {1, 4})
    check(m.kernel,
          {{37, 75, 51}, {small_numbers(f64, 37 * 51), small_numbers(f64, 51 * 75)}, {51, 75, 0}},
          threads);
}

void expect_no_threads_in_the_bits(const Maker& m, const std::vector<Shape>& shapes) {
  for (const Shape& shape : shapes) {
    Trial run{shape.extents, {Column(f32, shape.size())}, shape.scalars()};
    std::mt19937 random(7);
    for (std::int64_t i = 0; i < shape.size(); ++i)
      run.inputs[0].set(i, {std::bit_cast<std::uint32_t>(static_cast<float>(random()) / 1e9F), 0});
    std::vector<Column> one = on_cpu(m.kernel, run, 1);
    for (int threads : {2, 3, 4}) {
      std::vector<Column> many = on_cpu(m.kernel, run, threads);
      EXPECT_EQ(
          std::memcmp(one[0].data(), many[0].data(), static_cast<std::size_t>(one[0].size()) * 4),
          0);
    }
  }
}

TEST(CpuFold, ThreadsDoNotShowInTheBits) {
  const auto sums = [](kernels::FoldLanes lanes) {
    return fold_by_table(2, f32, ScalarOp::add, false, lanes);
  };
  expect_no_threads_in_the_bits(sums(kernels::FoldLanes::reduction),
                                {{{1, 3'000'001}}, {{40, 70'000}}, {{100'000, 21}}});
  expect_no_threads_in_the_bits(sums(kernels::FoldLanes::outer),
                                {{{1, 300'001}}, {{16, 200'000}}, {{70'000, 21}}});
}

// Rows that all read the same elements are folded in groups: any number of rows, one tile and
// several tiles, beside reads of single rows, and with several leaves.
TEST(CpuFold, RowsThatShareReads) {
  for (const bool two_leaves : {false, true}) {
    Maker m(2, {f64, f64});
    const Values seed = {m.scalar(f64), m.scalar(f64)};
    m.kernel.seed = two_leaves ? seed : Values{seed[0]};
    m.element([&](const Values& ix) {
      const Value row = m.load(0, ix[0]), column = m.load(1, ix[1]);
      const Value difference = m.prim(ScalarOp::sub, {column, row});
      if (!two_leaves) return Values{difference};
      return Values{difference, m.prim(ScalarOp::mul, {difference, row})};
    });
    m.fold(std::vector(two_leaves ? 2 : 1, f64), [&](const Values& a, const Values& b) {
      Values sums;
      for (std::size_t i = 0; i < a.size(); ++i)
        sums.push_back(m.prim(ScalarOp::add, {a[i], b[i]}));
      return sums;
    });
    m.kernel.lane_operator = {true, std::vector(two_leaves ? 2 : 1, ScalarOp::add)};
    for (std::int64_t rows : {1, 2, 3, 4, 5, 7, 8, 30, 133})
      for (std::int64_t depth : {1, 15, 16, 17, 100, 32'769, 70'000}) {
        if (rows * depth > 600'000) continue;
        const std::uint64_t one = std::bit_cast<std::uint64_t>(1.0);
        check(m.kernel,
              {{rows, depth}, {small_numbers(f64, rows), small_numbers(f64, depth)}, {one, one}});
      }
  }
}

// `sums` sums of shared and of own elements of rows: x[j] - y[i], times 1, 2, ...
Maker of_shared_rows(int sums) {
  Maker m(2, {f32, f32});
  m.element([&](const Maker::Values& ix) {
    const Value apart = m.prim(ScalarOp::sub, {m.load(0, ix[1]), m.load(1, ix[0])});
    Maker::Values all;
    for (int k = 1; k <= sums; ++k)
      all.push_back(m.prim(ScalarOp::mul, {apart, m.f32(static_cast<float>(k))}));
    return all;
  });
  const std::vector<ScalarType> leaves(static_cast<std::size_t>(sums), f32);
  m.fold(leaves, [&](const Maker::Values& a, const Maker::Values& b) {
    Maker::Values both;
    for (std::size_t k = 0; k < a.size(); ++k) both.push_back(m.prim(ScalarOp::add, {a[k], b[k]}));
    return both;
  });
  m.kernel.lane_operator = {true, std::vector<ScalarOp>(leaves.size(), ScalarOp::add)};
  return m;
}

TEST(CpuFoldRowsTogether, AsManyAsRegistersHaveRoomFor) {
  using backends::cpu::Level;
  const auto together = [](int sums, Level level) {
    const Maker m = of_shared_rows(sums);
    return backends::cpu::choose_schedule(m.kernel, backends::cpu::machine_of(level)).rows_together;
  };
  EXPECT_EQ(together(1, Level::avx2), 4);
  EXPECT_EQ(together(2, Level::avx2), 2);  // two registers for each of them
  EXPECT_EQ(together(3, Level::avx2), 1);
  EXPECT_EQ(together(1, Level::avx512), 4);
  EXPECT_EQ(together(3, Level::avx512), 2);  // a product of each sum waits in all four rows
  EXPECT_EQ(together(5, Level::avx512), 1);
}

TEST(CpuFoldRowsTogether, OrOneByOne) {
  for (const int sums : {1, 2, 3, 5})
    for (const std::int64_t n : {1, 17, 200})
      check(of_shared_rows(sums).kernel,
            {{7, n}, {small_numbers(f32, n), small_numbers(f32, 7)}, {}});
}

}  // namespace
}  // namespace hasten::test::cpu
