// Maps with loops that lanes leave at different times: tiles of rows compute the same as rows, and
// blocks of rounds the same as one round after the other.
#include "backends/cpu/launch/launch.hpp"
#include "backends/cpu/schedule/schedule.hpp"
#include "support/sanitizers.hpp"
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

using backends::cpu::Level;

backends::CompileOptions contracting() {
  backends::CompileOptions options;
  options.contract = true;
  return options;
}

TEST(CpuMapTiles, AreChosenForLoopsThatDiverge) {
  for (const Level level : {Level::avx512, Level::avx2}) {
    const auto machine = backends::cpu::machine_of(level);
    const auto tile_rows = [&](const Maker& m) {
      return backends::cpu::choose_schedule(m.kernel, machine).tile_rows;
    };
    EXPECT_EQ(tile_rows(rounds(2, false)), 4);
    EXPECT_EQ(tile_rows(rounds(1, false)), 0);  // without rows, no tiles
  }
}

// Counts an index down by its own last three bits and one, and rounds by `step`, below `limit`.
Maker numbered(std::int64_t limit, std::int64_t step) {
  Maker m(1, {}, {i64, i64});
  m.element([&](const Values& ix) {
    return m.loop(
        {ix[0], m.integer(0)},
        [&](const Values& s) {
          return m.prim(ScalarOp::and_, {m.prim(ScalarOp::gt, {s[0], m.integer(5)}),
                                         m.prim(ScalarOp::lt, {s[1], m.integer(limit)})});
        },
        [&](const Values& s) {
          const Value low = m.prim(ScalarOp::and_, {s[0], m.integer(7)});
          const Value less =
              m.prim(ScalarOp::sub, {s[0], m.prim(ScalarOp::add, {low, m.integer(1)})});
          return Values{less, m.prim(ScalarOp::add, {s[1], m.integer(step)})};
        });
  });
  return m;
}

// Without mask registers four rounds follow each other without a test, else two.
TEST(CpuBlocksOfRounds, HaveOneTest) {
  if (support::watches_addresses()) GTEST_SKIP() << "what watches each address stands in between";
  const Maker m = numbered(50, 1);
  const auto comparisons = [&](Level level) {
    const std::string text =
        backends::cpu::llvm_text(m.kernel, {}, backends::cpu::machine_of(level));
    const std::size_t begin = text.find("\nrounds");
    if (begin == std::string::npos) return 0;
    int found = 0;
    const std::size_t end = text.find("\n\n", begin);
    for (std::size_t at = begin; (at = text.find("icmp sgt <", at + 1)) < end;) ++found;
    return found;
  };
  const auto registers = [&](Level level) {
    const backends::cpu::Machine machine = backends::cpu::machine_of(level);
    return static_cast<int>(backends::cpu::choose_schedule(m.kernel, machine).lanes /
                            machine.lanes(sizeof(std::int64_t)));
  };
  EXPECT_EQ(comparisons(Level::avx2), 4 * registers(Level::avx2));
  EXPECT_EQ(comparisons(Level::avx512), 2 * registers(Level::avx512));
}

// Limits that end a block after each number of rounds; states that advance by one are counted.
TEST(CpuBlocksOfRounds, EndAtEveryRound) {
  for (const std::int64_t limit : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1000})
    for (const std::int64_t step : {1, 3, -1}) {
      const Maker m = numbered(limit, step);
      SCOPED_TRACE(std::to_string(limit) + " by " + std::to_string(step));
      for (const std::int64_t n : {1, 7, 64, 100}) check(m.kernel, {{n}, {}, {}});
    }
}

// The square of a number, which a sum and a difference share.
Maker shared_square(bool is_stored) {
  Maker m(1, {f32, f32}, {f32, f32, f32});
  m.element([&](const Values& ix) {
    const Value x = m.load(0, ix[0]), y = m.load(1, ix[0]);
    const Value square = m.prim(ScalarOp::mul, {x, x});
    return Values{m.prim(ScalarOp::add, {square, y}), m.prim(ScalarOp::sub, {y, square}),
                  is_stored ? square : x};
  });
  return m;
}

TEST(CpuFusedProducts, VanishWhereOnlySumsShareThem) {
  if (support::watches_addresses()) GTEST_SKIP() << "what watches each address stands in between";
  for (const Level level : {Level::avx2, Level::avx512}) {
    const auto has_product = [&](const Maker& m, const backends::CompileOptions& options) {
      const std::string text =
          backends::cpu::llvm_text(m.kernel, options, backends::cpu::machine_of(level));
      return text.find(" fmul ") != std::string::npos;
    };
    EXPECT_FALSE(has_product(shared_square(false), contracting()));
    EXPECT_TRUE(has_product(shared_square(true), contracting()));
    EXPECT_TRUE(has_product(shared_square(false), {}));
  }
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
