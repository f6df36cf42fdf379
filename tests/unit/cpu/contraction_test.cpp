// Contractions with packed panels have the same bits as without, whatever the sizes of panels.
#include "backends/cpu/launch/contraction.hpp"
#include "backends/cpu/compile.hpp"
#include "backends/cpu/load.hpp"
#include "tests/unit/cpu/kernels.hpp"

#include <utility>

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

// out[p, i, j] = 2 * (seed + sum over k of a[p, i, k] * b[p, k, j]); floats whose sums depend on
// the order.
Maker product_kernel() {
  Maker m(4, {f32, f32});
  Values extents;
  for (int axis = 0; axis < 4; ++axis) extents.push_back(m.scalar(i64));
  m.kernel.seed = {m.scalar(f32)};
  m.kernel.lanes = kernels::FoldLanes::outer;
  const auto place = [&](Value x, Value y, Value z, Value rows, Value columns) {
    Value line = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {x, rows}), y});
    return m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {line, columns}), z});
  };
  m.element([&](const Values& ix) {
    Value a = m.load(0, place(ix[0], ix[1], ix[3], extents[1], extents[3]));
    Value b = m.load(1, place(ix[0], ix[3], ix[2], extents[3], extents[2]));
    return Values{m.prim(ScalarOp::mul, {a, b})};
  });
  m.fold(f32, ScalarOp::add);
  m.kernel.epilogue = m.region({i64, i64, i64, f32}, [&](const Values& p) {
    return Values{m.prim(ScalarOp::mul, {p[3], m.f32(2.0F)})};
  });
  return m;
}

// The row-major position of an index.
Value position(Maker& m, const Values& index, const Values& extents) {
  Value at = index[0];
  for (std::size_t axis = 1; axis < index.size(); ++axis)
    at = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {at, extents[axis]}), index[axis]});
  return at;
}

// A fold whose rows are along the first axis, and the same for all of the second.
Maker kernel_of_shared_rows(
    std::uint32_t folded,
    const std::function<Values(Maker&, const Values& index, const Values& extents)>& element) {
  Maker m(3 + folded, {f32, f32});
  Values extents;
  for (std::uint32_t axis = 0; axis < 3 + folded; ++axis) extents.push_back(m.scalar(i64));
  m.kernel.seed = {m.scalar(f32)};
  m.kernel.folded = folded;
  m.kernel.lanes = folded == 1 ? kernels::FoldLanes::outer : kernels::FoldLanes::reduction;
  m.element([&](const Values& ix) { return element(m, ix, extents); });
  m.fold(f32, ScalarOp::add);
  m.kernel.epilogue = m.region({i64, i64, i64, f32}, [&](const Values& p) {
    return Values{m.prim(ScalarOp::mul, {p[3], m.f32(2.0F)})};
  });
  return m;
}

// out[i, p, j] = sum over k of a[i, k] * b[p, k, j]
Maker shared_rows() {
  return kernel_of_shared_rows(1, [](Maker& m, const Values& ix, const Values& n) {
    const Value a = m.load(0, position(m, {ix[0], ix[3]}, {n[0], n[3]}));
    const Value b = m.load(1, position(m, {ix[1], ix[3], ix[2]}, {n[1], n[3], n[2]}));
    return Values{m.prim(ScalarOp::mul, {a, b})};
  });
}

// out[i, p, j] = sum over k and l of a[i, k, l] * b[k, p, j + l], whose last axis has 64 elements
// more than that of the results.
Maker convolution() {
  return kernel_of_shared_rows(2, [](Maker& m, const Values& ix, const Values& n) {
    const Value a = m.load(0, position(m, {ix[0], ix[3], ix[4]}, {n[0], n[3], n[4]}));
    const Value width = m.prim(ScalarOp::add, {n[2], m.constant(i64, {64, 0})});
    const Value column = m.prim(ScalarOp::add, {ix[2], ix[4]});
    const Value b = m.load(1, position(m, {ix[3], ix[1], column}, {n[3], n[1], width}));
    return Values{m.prim(ScalarOp::mul, {a, b})};
  });
}

Column waves(std::int64_t size) {
  Column column(f32, size);
  for (std::int64_t i = 0; i < size; ++i)
    column.set(i, rounded(f32, std::sin(static_cast<double>(i) * 0.7) * 3));
  return column;
}

class CpuContraction : public testing::Test {
 protected:
  struct Run {
    int threads;
    std::int64_t cache;
    bool by_panels;
  };

  std::vector<std::uint32_t> results(const std::vector<std::int64_t>& extents, const Run& run) {
    return results(extents, run, extents[0] * extents[1] * extents[3],
                   extents[0] * extents[3] * extents[2]);
  }
  // The arrays have at least as many elements.
  std::vector<std::uint32_t> results(const std::vector<std::int64_t>& extents, const Run& run,
                                     std::int64_t a_size, std::int64_t b_size) {
    const std::int64_t size = extents[0] * extents[1] * extents[2];
    Column a = waves(a_size), b = waves(b_size), out(f32, size);
    std::vector<std::uint64_t> scalars(extents.begin(), extents.end());
    scalars.push_back(std::bit_cast<std::uint32_t>(0.25F));
    const std::byte* inputs[] = {a.data(), b.data()};
    std::byte* outputs[] = {out.data()};
    const auto code = backends::cpu::load_kernel(kernel_, code_, machine_);
    backends::cpu::LoadedKernel& loaded = *code;
    EXPECT_GT(loaded.schedule.packed.rows, 0);
    if (!run.by_panels) loaded.schedule.packed = {};
    const backends::cpu::Launcher launcher(run.threads, {run.cache, INT64_MAX});
    backends::LaunchArguments arguments{extents, inputs, outputs, scalars};
    launcher.launch(loaded, arguments);
    std::vector<std::uint32_t> bits;
    for (std::int64_t i = 0; i < size; ++i)
      bits.push_back(static_cast<std::uint32_t>(out.get(i).lo));
    return bits;
  }

  void expect_same_bits(const std::vector<std::int64_t>& extents, std::int64_t a_size,
                        std::int64_t b_size) {
    const auto expected = results(extents, {1, 0, false}, a_size, b_size);
    for (const int threads : {1, 2, 3})
      for (const std::int64_t cache : {0, 64 * 1024, 1024 * 1024})
        EXPECT_EQ(results(extents, {threads, cache, true}, a_size, b_size), expected)
            << threads << " threads, " << cache << " bytes";
  }

  void use(Kernel kernel) {
    kernel_ = std::move(kernel);
    code_ = backends::cpu::compile_object(kernel_, {}, machine_);
  }
  [[nodiscard]] kernels::PackedTile tile() const {
    return backends::cpu::contraction_tile(kernel_, machine_);
  }

  Kernel kernel_ = product_kernel().kernel;
  backends::cpu::Machine machine_ = backends::cpu::detect_machine(0);
  std::vector<std::byte> code_ = backends::cpu::compile_object(kernel_, {}, machine_);
};

TEST_F(CpuContraction, BlocksThreadsAndProductsDoNotShow) {
  for (const std::vector<std::int64_t>& extents :
       std::vector<std::vector<std::int64_t>>{{1, 29, 33, 700},
                                              {1, 131, 64, 257},
                                              {3, 56, 97, 200},
                                              {9, 30, 100, 129},
                                              {1, 28, 1000, 65}}) {
    const auto expected = results(extents, {1, 0, false});
    for (const int threads : {1, 2, 3})
      for (const std::int64_t cache : {0, 64 * 1024, 1024 * 1024})
        EXPECT_EQ(results(extents, {threads, cache, true}), expected)
            << threads << " threads, " << cache << " bytes";
  }
}

TEST_F(CpuContraction, RowsOfAnyAxisThatProductsShare) {
  use(shared_rows().kernel);
  EXPECT_EQ(tile().row_axis, 0);
  EXPECT_TRUE(tile().same_rows);
  for (const std::vector<std::int64_t>& extents : std::vector<std::vector<std::int64_t>>{
           {29, 1, 33, 700}, {56, 3, 97, 200}, {30, 9, 100, 129}})
    expect_same_bits(extents, extents[0] * extents[3], extents[1] * extents[3] * extents[2]);
}

TEST_F(CpuContraction, SeveralFoldedAxes) {
  use(convolution().kernel);
  EXPECT_EQ(tile().row_axis, 0);
  EXPECT_TRUE(tile().same_rows);
  for (const std::vector<std::int64_t>& extents : std::vector<std::vector<std::int64_t>>{
           {8, 1, 33, 20, 3}, {29, 5, 64, 7, 1}, {16, 9, 100, 1, 12}, {57, 2, 40, 300, 3}})
    expect_same_bits(extents, extents[0] * extents[3] * extents[4],
                     extents[3] * extents[1] * (extents[2] + 64));
}

// Few columns use each row, or few rows columns that the second cache does not hold.
TEST_F(CpuContraction, TilesWithoutPanels) {
  for (const std::vector<std::int64_t>& extents :
       std::vector<std::vector<std::int64_t>>{{1, 100, 33, 700},
                                              {3, 57, 17, 500},
                                              {1, 29, 64, 600},
                                              {1, 5, 300, 200},
                                              {2, 7, 97, 300}})
    expect_same_bits(extents, extents[0] * extents[1] * extents[3],
                     extents[0] * extents[3] * extents[2]);
  use(convolution().kernel);
  for (const std::vector<std::int64_t>& extents :
       std::vector<std::vector<std::int64_t>>{{8, 3, 17, 20, 3}, {30, 2, 64, 7, 2}})
    expect_same_bits(extents, extents[0] * extents[3] * extents[4],
                     extents[3] * extents[1] * (extents[2] + 64));
}

TEST_F(CpuContraction, WithoutPanelsWhereTheyPayLess) {
  use(product_kernel().kernel);
  const auto direct = [&](std::int64_t rows, std::int64_t columns, std::int64_t steps) {
    const std::int64_t extents[] = {1, rows, columns, steps};
    return backends::cpu::direct_tiles_pay(tile(), kernels::FoldLanes::outer, 1, extents, 1 << 20);
  };
  EXPECT_TRUE(direct(1000, 2 * tile().lanes, 1000));
  EXPECT_FALSE(direct(1000, 2 * tile().lanes + 1, 1000));
  EXPECT_FALSE(direct(1000, tile().lanes / 2 - 1, 1000));
  EXPECT_TRUE(direct(3, 1000, 1000));
  EXPECT_FALSE(direct(2, 1000, 1000));
  EXPECT_FALSE(direct(3, 1000, 200));     // the second cache holds the columns
  EXPECT_FALSE(direct(3, 1000, 10'000));  // they are in memory
}

TEST_F(CpuContraction, PayOnlyWhereRowsAndColumnsAreMany) {
  using backends::cpu::contraction_pays;
  const auto tile = backends::cpu::contraction_tile(kernel_, machine_);
  const auto pays = [&](kernels::FoldLanes lanes, std::int64_t rows, std::int64_t columns,
                        std::int64_t steps) {
    const std::int64_t extents[] = {1, rows, columns, steps};
    return contraction_pays(tile, lanes, 1, extents, 1 << 20);
  };
  const auto outer = kernels::FoldLanes::outer, reduction = kernels::FoldLanes::reduction;
  // Fewer than 8 rows are few; of two tiles, all rows but one are as good as filled.
  const std::int64_t filled = tile.rows < 8 ? 2 * tile.rows - 1 : tile.rows;
  EXPECT_TRUE(pays(outer, 2 * filled, 512, 512));
  EXPECT_TRUE(pays(outer, filled, 512, 512));
  EXPECT_FALSE(pays(outer, filled, 128, 256));
  EXPECT_FALSE(pays(outer, std::max<std::int64_t>(9, tile.rows + 1), 512, 512));
  EXPECT_TRUE(pays(outer, 8, 512, 513));  // columns do not fit the second cache
  EXPECT_FALSE(pays(outer, 7, 1000, 1000));
  EXPECT_FALSE(pays(outer, 1000, tile.lanes / 2 - 1, 100'000));
  EXPECT_FALSE(pays(outer, 1000, 1000, 7));
  EXPECT_TRUE(pays(outer, 100, 128, 64));
  EXPECT_FALSE(pays(outer, 100, 128, 63));  // fits the first-level cache
  EXPECT_TRUE(pays(reduction, 32, 32, 8));
  EXPECT_FALSE(pays(reduction, 31, 32, 8));
  EXPECT_FALSE(pays(reduction, 32, 31, 8));
}

TEST_F(CpuContraction, NoneWhereTilesWouldNotDo) {
  using backends::cpu::contraction_tile;
  Kernel first_step = kernel_;
  first_step.seed.clear();
  EXPECT_GT(contraction_tile(first_step, machine_).rows, 0);
  first_step.lane_operator = {};
  EXPECT_EQ(contraction_tile(first_step, machine_).rows, 0);
  Kernel segments = kernel_;
  segments.range.emplace();
  EXPECT_EQ(contraction_tile(segments, machine_).rows, 0);
}

}  // namespace
}  // namespace hasten::test::cpu
