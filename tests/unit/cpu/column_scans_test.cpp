// Scans down columns: strips that are cut at every place, seeds, order, several leaves, axes beside
// the columns, threads, on vectors of every width, through the caches and past them.
#include "backends/cpu/launch/launch.hpp"
#include "backends/cpu/launch/streaming.hpp"
#include "tests/unit/cpu/kernels.hpp"
#include "tests/unit/cpu/widths.hpp"

namespace hasten::test::cpu {
namespace {

using kernels::FoldLanes;
using Values = Maker::Values;
using Extents = std::vector<std::int64_t>;

// Matrices: the number of columns, and that of rows. Strips are at most 1024 columns wide; those
// take 16 rows at a time, narrower ones more.
const std::vector<Extents> column_sizes = {{1, 1},     {1, 100},   {5, 16},    {64, 17},
                                           {1000, 3},  {1023, 32}, {1024, 33}, {1030, 15},
                                           {2100, 40}, {5000, 2}};

// Begins a kernel of matrices whose columns are scanned; its scalars are the number of columns and
// the seeds. element(x) are the leaves of an element, which is read, plus
// a number of its column.
template <class Element>
Maker scan_down(ScalarType type, std::size_t seeds, const Element& element) {
  Maker m(2, {type, type});
  const Value columns = m.scalar(i64);
  for (std::size_t i = 0; i < seeds; ++i) m.kernel.seed.push_back(m.scalar(type));
  m.kernel.lanes = FoldLanes::outer;
  m.kernel.inner_axes = 1;
  m.element([&](const Values& ix) {
    const Value at = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {ix[1], columns}), ix[0]});
    return element(m, m.prim(ScalarOp::add, {m.load(0, at), m.load(1, ix[0])}));
  });
  return m;
}

Trial columns_trial(ScalarType type, const Extents& extents,
                    const std::vector<std::uint64_t>& seeds = {}) {
  std::vector<std::uint64_t> scalars{static_cast<std::uint64_t>(extents[0])};
  scalars.insert(scalars.end(), seeds.begin(), seeds.end());
  std::vector<Column> inputs;
  inputs.push_back(small_numbers(type, size_of(extents)));
  inputs.push_back(small_numbers(type, extents[0]));
  return {extents, std::move(inputs), std::move(scalars)};
}

// Runs as if every last cache were too small, and as if none were. Returns how often results went
// past the caches.
int check_columns(const Kernel& kernel, const std::vector<Loaded>& codes, Trial run) {
  int past_caches = 0;
  std::vector<Column> expected = empty_outputs(kernel, run);
  with_arguments(run, expected, [&](const auto& arguments) { KernelRun(kernel, arguments).run(); });
  for (const Loaded& code : codes)
    for (const std::int64_t last : {std::int64_t{0}, INT64_MAX})
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(std::to_string(code.bits) + " bits, last cache " + std::to_string(last));
        std::vector<Column> actual = empty_outputs(kernel, run);
        const backends::cpu::CacheSizes caches{1 << 20, last};
        const backends::cpu::Launcher launcher(threads, caches);
        with_arguments(run, actual, [&](const auto& arguments) {
          const bool streams =
              backends::cpu::streams(*code.kernel, arguments, backends::cpu::Caches(caches));
          EXPECT_FALSE(streams && last > 0);
          past_caches += streams ? 1 : 0;
          launcher.launch(*code.kernel, arguments);
        });
        expect_same(kernel, 0, actual, expected);
      }
  return past_caches;
}

TEST(CpuColumnScans, OperatorsOfTheTable) {
  for (const ScalarType type : {f32, f64, ScalarType::i8, ScalarType::u16, i64})
    for (const bool seeded : {false, true}) {
      Maker m = scan_down(type, seeded ? 1 : 0, [](Maker&, Value x) { return Values{x}; });
      m.scan(type, ScalarOp::add);
      const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
      const std::vector<std::uint64_t> seed(seeded ? 1 : 0, rounded(type, 3).lo);
      for (const Extents& extents : column_sizes)
        check_columns(m.kernel, codes, columns_trial(type, extents, seed));
    }
}

TEST(CpuColumnScans, NoRows) {
  Maker seeded = scan_down(i64, 1, [](Maker&, Value x) { return Values{x}; });
  seeded.scan(i64, ScalarOp::add);
  Maker plain = scan_down(i64, 0, [](Maker&, Value x) { return Values{x}; });
  plain.scan(i64, ScalarOp::add);
  for (const std::int64_t columns : {1, 70, 3000}) {
    check_columns(seeded.kernel, on_vectors_of_every_width(seeded.kernel),
                  columns_trial(i64, {columns, 0}, {7}));
    check_columns(plain.kernel, on_vectors_of_every_width(plain.kernel),
                  columns_trial(i64, {columns, 0}));
  }
}

// Triples of affine maps, whose composition needs an order. Their six leaves make strips narrower.
TEST(CpuColumnScans, OrderIsKept) {
  constexpr std::size_t leaves = 6;
  for (const bool seeded : {false, true}) {
    Maker m = scan_down(i64, seeded ? leaves : 0, [](Maker& maker, Value x) {
      const Value odd = maker.prim(ScalarOp::or_, {x, maker.integer(1)});
      return Values{odd, x, x, odd, odd, odd};
    });
    m.scan(std::vector(leaves, i64), [&](const Values& f, const Values& g) {
      Values composed;
      for (std::size_t i = 0; i < leaves; i += 2) {
        composed.push_back(m.prim(ScalarOp::mul, {f[i], g[i]}));
        const Value scaled = m.prim(ScalarOp::mul, {f[i + 1], g[i]});
        composed.push_back(m.prim(ScalarOp::add, {scaled, g[i + 1]}));
      }
      return composed;
    });
    const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
    std::vector<std::uint64_t> seed;
    if (seeded) seed = {3, 5, 7, 2, 1, 4};
    for (const Extents& extents : column_sizes)
      check_columns(m.kernel, codes, columns_trial(i64, extents, seed));
  }
}

// With two axes inside the scanned one, and one outside.
TEST(CpuColumnScans, SeveralAxesInside) {
  Maker m(4, {f32});
  Values extents;
  for (int axis = 0; axis < 4; ++axis) extents.push_back(m.scalar(i64));
  m.kernel.lanes = FoldLanes::outer;
  m.kernel.inner_axes = 2;
  m.element([&](const Values& ix) {
    return Values{m.load(0, row_major(m, {ix[0], ix[3], ix[1], ix[2]},
                                      {extents[0], extents[3], extents[1], extents[2]}))};
  });
  m.scan(f32, ScalarOp::add);
  const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
  for (const Extents& shape :
       std::vector<Extents>{{2, 3, 64, 20}, {3, 1, 70, 5}, {1, 2, 1100, 18}}) {
    std::vector<Column> inputs;
    inputs.push_back(small_numbers(f32, size_of(shape)));
    check_columns(m.kernel, codes, {shape, std::move(inputs), {shape.begin(), shape.end()}});
  }
}

// Vectors of a row are written some steps apart, so each must be whole lines: not all rows begin on
// lines, and 32 bytes are half of one.
TEST(CpuColumnScans, WhichStream) {
  for (const auto& [type, line] : {std::pair{f32, 16}, {f64, 8}}) {
    Maker m = scan_down(type, 0, [](Maker&, Value x) { return Values{x}; });
    m.scan(type, ScalarOp::add);
    const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
    const auto wide =
        static_cast<int>(std::ranges::count_if(codes, [&, size = 64 / line](const Loaded& code) {
          return code.kernel->schedule.lanes * size % 64 == 0;
        }));
    EXPECT_GT(wide, 0);
    EXPECT_EQ(check_columns(m.kernel, codes, columns_trial(type, {10 * line, 40})), 2 * wide);
    EXPECT_EQ(check_columns(m.kernel, codes, columns_trial(type, {10 * line + 1, 40})), 0);
    EXPECT_EQ(check_columns(m.kernel, codes, columns_trial(type, {line / 2, 40})), 0);
  }
}

}  // namespace
}  // namespace hasten::test::cpu
