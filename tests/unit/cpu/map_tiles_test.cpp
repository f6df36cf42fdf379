// Maps with loops that lanes leave at different times: tiles of rows compute the same as rows.
#include "backends/cpu/launch/launch.hpp"
#include "backends/cpu/schedule.hpp"
#include "tests/unit/cpu/kernels.hpp"
#include "tests/unit/cpu/widths.hpp"

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

constexpr std::int64_t read_places = 64;

// Rounds of z = z * z + c until z is large, with c from the indices; also z itself and whether it
// was large. With `reads`, c is read at a place that depends on the indices.
Maker rounds(std::uint32_t rank, bool reads) {
  Maker m(rank, reads ? std::vector{f32} : std::vector<ScalarType>{}, {i32, f32, boolean});
  m.element([&](const Values& ix) {
    Value sum = m.integer(0);
    for (std::size_t axis = 0; axis < ix.size(); ++axis)
      sum = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {sum, m.integer(7)}), ix[axis]});
    const Value square = m.prim(ScalarOp::mul, {sum, sum});
    const Value place = m.prim(ScalarOp::and_, {square, m.integer(read_places - 1)});
    const Value number = reads ? m.load(0, place) : m.cast(f32, place);
    const Value c = m.prim(ScalarOp::mul, {number, m.f32(0.0078125F)});
    const Values last = m.loop(
        {m.constant(i32, {0, 0}), m.f32(0)},
        [&](const Values& s) {
          return m.prim(ScalarOp::and_, {m.prim(ScalarOp::lt, {s[1], m.f32(4)}),
                                         m.prim(ScalarOp::lt, {s[0], m.constant(i32, {50, 0})})});
        },
        [&](const Values& s) {
          const Value squared = m.prim(ScalarOp::mul, {s[1], s[1]});
          return Values{m.prim(ScalarOp::add, {s[0], m.constant(i32, {1, 0})}),
                        m.prim(ScalarOp::add, {squared, c})};
        });
    return Values{last[0], last[1], m.prim(ScalarOp::ge, {last[1], m.f32(4)})};
  });
  return m;
}

TEST(CpuMapTiles, AreChosenForLoopsThatDiverge) {
  const auto machine = backends::cpu::machine_of(backends::cpu::Level::avx512);
  const auto tile_rows = [&](const Maker& m) {
    return backends::cpu::choose_schedule(m.kernel, machine).tile_rows;
  };
  EXPECT_EQ(tile_rows(rounds(2, false)), 4);
  EXPECT_EQ(tile_rows(rounds(1, false)), 0);  // without rows, no tiles
  EXPECT_EQ(backends::cpu::choose_schedule(rounds(2, false).kernel,
                                           backends::cpu::machine_of(backends::cpu::Level::avx2))
                .tile_rows,
            0);
}

TEST(CpuMapTiles, GiveWhatRowsGive) {
  for (const std::uint32_t rank : {2U, 3U})
    for (const bool reads : {false, true}) {
      const Maker m = rounds(rank, reads);
      const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
      for (const std::int64_t rows : {1, 3, 4, 5, 8, 11})
        for (const std::int64_t columns : {1, 15, 16, 17, 70}) {
          Trial run{{rows, columns}, {}, {}};
          if (rank == 3) run.extents = {rows, 3, columns};
          if (reads) run.inputs.push_back(small_numbers(f32, read_places));
          std::vector<Column> expected = empty_outputs(m.kernel, run);
          with_arguments(run, expected, [&](const auto& all) { KernelRun(m.kernel, all).run(); });
          for (const Loaded& code : codes)
            for (const int threads : {1, 2}) {
              SCOPED_TRACE(std::to_string(code.bits) + " bits, " + std::to_string(rows) + " by " +
                           std::to_string(columns));
              std::vector<Column> actual = empty_outputs(m.kernel, run);
              with_arguments(run, actual, [&](const auto& all) {
                backends::cpu::Launcher(threads, {1 << 20, 1 << 25}).launch(*code.kernel, all);
              });
              expect_same(m.kernel, 0, actual, expected);
            }
        }
    }
}

}  // namespace
}  // namespace hasten::test::cpu
