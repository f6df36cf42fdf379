// Scans of every kind: in registers, in order, one row per lane; tiles, seeds, empty rows, threads.
#include "tests/unit/cpu/kernels.hpp"

namespace hasten::test::cpu {
namespace {

using kernels::FoldLanes;
using Values = Maker::Values;
constexpr FoldLanes both_lanes[] = {FoldLanes::reduction, FoldLanes::outer};

using Extents = std::vector<std::int64_t>;

// The scalars are the extents, then the seed.
Maker scan_by_table(std::uint32_t rank, ScalarType type, ScalarOp op, bool seeded,
                    FoldLanes lanes = FoldLanes::reduction) {
  Maker m(rank, {type});
  Values extents;
  for (std::uint32_t axis = 0; axis < rank; ++axis) extents.push_back(m.scalar(i64));
  if (seeded) m.kernel.seed = {m.scalar(type)};
  m.kernel.lanes = lanes;
  m.element([&](const Values& ix) { return Values{m.load(0, row_major(m, ix, extents))}; });
  m.scan(type, op);
  return m;
}

Trial trial(const Extents& extents, Column input, const std::vector<std::uint64_t>& seeds = {}) {
  std::vector<std::uint64_t> scalars(extents.begin(), extents.end());
  scalars.insert(scalars.end(), seeds.begin(), seeds.end());
  std::vector<Column> inputs;
  inputs.push_back(std::move(input));
  return {extents, std::move(inputs), std::move(scalars)};
}

const std::vector<Extents> vectors = {{1},     {2},     {5},     {15},    {16},     {17},
                                      {63},    {64},    {65},    {127},   {1000},   {1009},
                                      {32767}, {32768}, {32769}, {65536}, {100'003}};
const std::vector<Extents> matrices = {{1, 1},   {3, 70},     {70, 3},   {1, 5},
                                       {17, 16}, {2, 40'000}, {130, 65}, {3, 98'304},
                                       {40, 33}, {9, 100},    {20, 300}, {7, 513}};

TEST(CpuScan, OperatorsOfTheTable) {
  for (ScalarType type :
       {f32, f64, ScalarType::i32, ScalarType::u8, ScalarType::i16, i64, ScalarType::boolean})
    for (ScalarOp op : {ScalarOp::add, ScalarOp::mul, ScalarOp::min, ScalarOp::max, ScalarOp::and_,
                        ScalarOp::or_, ScalarOp::xor_}) {
      if (!core::contains(core::row(op).domain, type)) continue;
      if (op == ScalarOp::mul && detail::is_floating(type)) continue;
      const Maker m = scan_by_table(1, type, op, false);
      // Sums of small numbers are exact in f32 below 2^24.
      for (const Extents& extents : vectors)
        check(m.kernel, trial(extents, small_numbers(type, extents[0])));
    }
}

TEST(CpuScan, MinMaxOfSpecialNumbers) {
  for (ScalarType type : {f32, f64})
    for (ScalarOp op : {ScalarOp::min, ScalarOp::max}) {
      const Maker m = scan_by_table(2, type, op, false);
      check(m.kernel, trial({200, 3}, some_numbers(type, 600)));
      check(m.kernel, trial({3, 200}, some_numbers(type, 600)));
    }
}

TEST(CpuScan, SeedsComeFirst) {
  for (FoldLanes lanes : both_lanes) {
    const Maker m = scan_by_table(2, i64, ScalarOp::add, true, lanes);
    for (const Extents& extents : matrices)
      check(m.kernel, trial(extents, small_numbers(i64, size_of(extents)), {1000}), 2);
    for (const Extents& extents : std::vector<Extents>{{4, 0}, {70, 0}, {1, 0}})
      check(m.kernel, trial(extents, Column(i64, 0), {1000}));
  }
  const Maker m = scan_by_table(1, f32, ScalarOp::add, true);
  for (const Extents& extents : vectors)
    check(m.kernel,
          trial(extents, small_numbers(f32, extents[0]), {std::bit_cast<std::uint32_t>(-7.0F)}), 2);
}

TEST(CpuScan, EmptyRowsWithoutSeed) {
  for (FoldLanes lanes : both_lanes) {
    const Maker m = scan_by_table(2, i64, ScalarOp::add, false, lanes);
    check(m.kernel, trial({4, 0}, Column(i64, 0)));
  }
}

TEST(CpuScan, RanksAndLanes) {
  for (std::uint32_t rank = 2; rank <= 4; ++rank)
    for (FoldLanes lanes : both_lanes)
      for (bool seeded : {false, true}) {
        const Maker m = scan_by_table(rank, f32, ScalarOp::add, seeded, lanes);
        std::vector<std::uint64_t> seed;
        if (seeded) seed = {std::bit_cast<std::uint32_t>(3.0F)};
        for (std::int64_t columns : {1, 3, 64, 101}) {
          Extents extents = {2, 3, 4, 5};
          extents.resize(rank);
          extents[rank - 2] = columns;
          check(m.kernel, trial(extents, small_numbers(f32, size_of(extents)), seed));
        }
      }
}

// a[k, column]: adjacent lanes read contiguous elements.
TEST(CpuScan, DownColumns) {
  for (FoldLanes lanes : both_lanes) {
    Maker m(2, {f64});
    const Value columns = m.scalar(i64);
    m.kernel.lanes = lanes;
    m.element([&](const Values& ix) {
      return Values{
          m.load(0, m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {ix[1], columns}), ix[0]}))};
    });
    m.scan(f64, ScalarOp::add);
    for (int threads : {1, 3})
      for (const Extents& extents : std::vector<Extents>{{1, 7}, {37, 75}, {2000, 130}})
        check(m.kernel,
              {extents,
               {small_numbers(f64, size_of(extents))},
               {static_cast<std::uint64_t>(extents[0])}},
              threads);
  }
}

// 2 x 2 matrices of integers: associative, not commutative, four leaves.
Maker matrix_products(bool seeded, FoldLanes lanes) {
  Maker m(2, {i64});
  const Values extents = {m.scalar(i64), m.scalar(i64)};
  if (seeded)
    for (int i = 0; i < 4; ++i) m.kernel.seed.push_back(m.scalar(i64));
  m.kernel.lanes = lanes;
  m.element([&](const Values& ix) {
    const Value x = m.load(0, row_major(m, ix, extents));
    return Values{x, m.integer(1), ix[1], m.prim(ScalarOp::sub, {x, ix[0]})};
  });
  m.scan(std::vector(4, i64), [&](const Values& a, const Values& b) {
    const auto entry = [&](std::size_t r, std::size_t c) {
      return m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {a[2 * r], b[c]}),
                                    m.prim(ScalarOp::mul, {a[2 * r + 1], b[2 + c]})});
    };
    return Values{entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)};
  });
  return m;
}

TEST(CpuScan, OrderIsKept) {
  for (FoldLanes lanes : both_lanes)
    for (bool seeded : {false, true}) {
      const Maker m = matrix_products(seeded, lanes);
      std::vector<std::uint64_t> seed;
      if (seeded) seed = {2, 3, 5, 7};
      for (const Extents& extents : matrices)
        check(m.kernel, trial(extents, small_numbers(i64, size_of(extents)), seed), {1, 2, 3, 4});
    }
}

// The first largest number so far and its index, with a branch in the operator.
TEST(CpuScan, OperatorsWithBranches) {
  for (FoldLanes lanes : both_lanes) {
    Maker m(2, {f32});
    const Values extents = {m.scalar(i64), m.scalar(i64)};
    m.kernel.lanes = lanes;
    m.element(
        [&](const Values& ix) { return Values{m.load(0, row_major(m, ix, extents)), ix[1]}; });
    m.scan({f32, i64}, [&](const Values& a, const Values& b) {
      const Value larger = m.prim(ScalarOp::lt, {a[0], b[0]});
      return m.branch(larger, [&] { return b; }, [&] { return a; });
    });
    for (const Extents& shape : matrices)
      check(m.kernel, trial(shape, small_numbers(f32, size_of(shape))), 2);
  }
}

// Leaves of different widths, each with a built-in operator.
TEST(CpuScan, SeveralLeaves) {
  for (bool seeded : {false, true}) {
    Maker m(1, {i64, ScalarType::u8});
    if (seeded)
      m.kernel.seed = {m.scalar(i64), m.scalar(ScalarType::u8), m.scalar(ScalarType::boolean)};
    m.element([&](const Values& ix) {
      const Value x = m.load(0, ix[0]);
      return Values{x, m.load(1, ix[0]), m.prim(ScalarOp::lt, {x, m.integer(60)})};
    });
    m.scan({i64, ScalarType::u8, ScalarType::boolean}, [&](const Values& a, const Values& b) {
      return Values{m.prim(ScalarOp::add, {a[0], b[0]}), m.prim(ScalarOp::max, {a[1], b[1]}),
                    m.prim(ScalarOp::and_, {a[2], b[2]})};
    });
    m.kernel.lane_operator = {true, {ScalarOp::add, ScalarOp::max, ScalarOp::and_}};
    for (const Extents& extents : vectors) {
      Trial run{
          extents, {small_numbers(i64, extents[0]), small_numbers(ScalarType::u8, extents[0])}, {}};
      if (seeded) run.scalars = {100, 3, 1};
      check(m.kernel, run, 2);
    }
  }
}

// In registers of neighbours, and in order; a segment begins at every third of the numbers up to
// `period`, wherever these are in a tile.
Maker scan_of_segments(bool seeded, const std::vector<ScalarOp>& ops,
                       const std::vector<ScalarType>& types) {
  Maker m(1, types);
  const Value period = m.scalar(i64);
  std::vector<ScalarType> leaves{ScalarType::boolean};
  leaves.insert(leaves.end(), types.begin(), types.end());
  if (seeded)
    for (const ScalarType type : leaves) m.kernel.seed.push_back(m.scalar(type));
  m.element([&](const Values& ix) {
    const Value place = m.prim(ScalarOp::rem, {ix[0], period});
    const Value third = m.prim(ScalarOp::rem, {place, m.integer(3)});
    Values results{m.prim(ScalarOp::eq, {third, m.integer(1)})};
    for (std::size_t i = 0; i < types.size(); ++i) results.push_back(m.load(i, ix[0]));
    return results;
  });
  m.scan(leaves, [&](const Values& a, const Values& b) {
    Values results{m.prim(ScalarOp::or_, {a[0], b[0]})};
    for (std::size_t i = 0; i < ops.size(); ++i)
      results.push_back(
          m.prim(ScalarOp::select, {b[0], b[i + 1], m.prim(ops[i], {a[i + 1], b[i + 1]})}));
    return results;
  });
  m.kernel.lane_operator = core::segment_operator(m.kernel.combine);
  return m;
}

TEST(CpuScan, Segments) {
  const std::vector<ScalarOp> ops{ScalarOp::add, ScalarOp::max, ScalarOp::min};
  const std::vector<ScalarType> types{f32, ScalarType::u8, i64};
  for (const bool seeded : {false, true}) {
    const Maker m = scan_of_segments(seeded, ops, types);
    ASSERT_TRUE(m.kernel.lane_operator.of_segments);
    for (const Extents& extents : vectors)
      for (const std::uint64_t period : {1, 2, 7, 40, 100, 100'000}) {
        Trial run{extents, {}, {period}};
        for (const ScalarType type : types) run.inputs.push_back(small_numbers(type, extents[0]));
        if (seeded) run.scalars.insert(run.scalars.end(), {0, 0x40400000, 5, 17});
        check(m.kernel, run, 2);
      }
  }
}

// Numbers of other segments that are not finite leave no trace.
TEST(CpuScan, SegmentsOfSpecialNumbers) {
  const Maker m = scan_of_segments(false, {ScalarOp::max}, {f64});
  for (const std::uint64_t period : {2, 7, 100})
    check(m.kernel, Trial{{1009}, {some_numbers(f64, 1009)}, {period}});
}

// The epilogue drops a leaf, adds outputs, and reads at the result's own index.
TEST(CpuScan, Epilogues) {
  for (FoldLanes lanes : both_lanes)
    for (bool seeded : {false, true})
      for (bool table : {false, true}) {
        Maker m(2, {i64, f64});
        const Values extents = {m.scalar(i64), m.scalar(i64)},
                     results = {extents[0], m.scalar(i64)};
        if (seeded) m.kernel.seed = {m.scalar(i64), m.scalar(ScalarType::u8)};
        m.kernel.lanes = lanes;
        m.element([&](const Values& ix) {
          const Value x = m.load(0, row_major(m, ix, extents));
          return Values{x, m.cast(ScalarType::u8, m.prim(ScalarOp::sub, {x, ix[1]}))};
        });
        m.scan({i64, ScalarType::u8}, [&](const Values& a, const Values& b) {
          return Values{m.prim(ScalarOp::add, {a[0], b[0]}), m.prim(ScalarOp::max, {a[1], b[1]})};
        });
        if (table) m.kernel.lane_operator = {true, {ScalarOp::add, ScalarOp::max}};
        m.kernel.epilogue = m.region({i64, i64, i64, ScalarType::u8}, [&](const Values& p) {
          const Value y = m.load(1, row_major(m, {p[0], p[1]}, results));
          const Value large = m.prim(ScalarOp::lt, {m.integer(100), p[2]});
          const Value chosen = m.branch(
              large, [&] { return Values{y}; },
              [&] { return Values{m.cast(f64, m.prim(ScalarOp::add, {p[1], p[2]}))}; })[0];
          return Values{chosen, m.cast(f32, p[2]), large};
        });
        m.kernel.outputs = {f64, f32, ScalarType::boolean};
        for (const Extents& shape : std::vector<Extents>{
                 {1, 1}, {3, 70}, {70, 3}, {17, 16}, {130, 65}, {2, 70'000}, {4, 0}}) {
          const std::int64_t width = shape[1] + (seeded ? 1 : 0);
          Trial run{shape,
                    {small_numbers(i64, size_of(shape)), some_numbers(f64, shape[0] * width)},
                    {static_cast<std::uint64_t>(shape[0]), static_cast<std::uint64_t>(shape[1]),
                     static_cast<std::uint64_t>(width)}};
          if (seeded) run.scalars.insert(run.scalars.end(), {50, 3});
          check(m.kernel, run, 2);
        }
      }
}

bool same_bits(Column& a, Column& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size() * a.step())) == 0;
}

TEST(CpuScan, ThreadsDoNotShowInTheBits) {
  for (bool seeded : {false, true})
    for (ScalarType type : {f32, f64}) {
      const Maker by_table = scan_by_table(2, type, ScalarOp::add, seeded);
      Maker in_order = by_table;
      in_order.kernel.lane_operator = {};
      for (const Maker* m : {&by_table, static_cast<const Maker*>(&in_order)})
        for (const Extents& extents :
             std::vector<Extents>{{1, 3'000'001}, {5, 200'000}, {10'000, 21}}) {
          Column input(type, size_of(extents));
          std::mt19937 random(7);
          for (std::int64_t i = 0; i < input.size(); ++i) {
            const float x = static_cast<float>(random()) / 1e9F;
            input.set(i, {type == f32 ? std::bit_cast<std::uint32_t>(x)
                                      : std::bit_cast<std::uint64_t>(static_cast<double>(x)),
                          0});
          }
          std::vector<std::uint64_t> seed;
          if (seeded) seed = {0};
          Trial run = trial(extents, std::move(input), seed);
          std::vector<Column> one = on_cpu(m->kernel, run, 1);
          for (int threads : {2, 3, 4}) {
            std::vector<Column> many = on_cpu(m->kernel, run, threads);
            EXPECT_TRUE(same_bits(one[0], many[0])) << threads << " threads";
          }
        }
    }
}

}  // namespace
}  // namespace hasten::test::cpu
