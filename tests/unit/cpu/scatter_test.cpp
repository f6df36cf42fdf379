// Scatters: updates without collisions, and colliding updates in order, on any number of threads.
#include "backends/cpu/compile.hpp"
#include "backends/cpu/load.hpp"
#include "backends/cpu/schedule/schedule.hpp"
#include "tests/unit/cpu/kernels.hpp"

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

// Given targets with many collisions: i * i * 7919 mod size.
Column targets_in(std::int64_t count, std::int64_t size) {
  Column column(i64, count);
  for (std::int64_t i = 0; i < count; ++i)
    column.set(i, core::bits_of(i % 1009 * (i % 1009) * 7919 % size));
  return column;
}

// Every target occurs once.
Column permutation(std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  Column column(i64, count);
  for (std::int64_t i = 0; i < count; ++i)
    column.set(i, core::bits_of(order[static_cast<std::size_t>(i)]));
  return column;
}

const std::int64_t sizes[] = {1, 2, 15, 16, 17, 63, 64, 65, 127, 1009, 40'000, 200'003};

// The condition is input 2 if there is one, else true.
Maker scatter_of(ScalarType type, bool masked, bool unique,
                 const std::function<Values(Maker&, const Values&, const Values&)>& combine) {
  Maker m(1, {i64, type});
  if (masked) m.kernel.inputs.push_back(boolean);
  m.kernel.unique = unique;
  m.element([&](const Values& ix) {
    const Value keep = masked ? m.load(2, ix[0]) : m.constant(boolean, {1, 0});
    return Values{keep, m.load(0, ix[0]), m.load(1, ix[0])};
  });
  m.scatter({type}, [&](const Values& x, const Values& y) { return combine(m, x, y); });
  return m;
}

Values newest(Maker&, const Values& x, const Values&) { return x; }

TEST(CpuScatter, PermutationsOfEveryType) {
  for (ScalarType type : {f32, f64, i32, u8, i64, ScalarType::i16, boolean})
    for (bool masked : {false, true}) {
      const Maker m = scatter_of(type, masked, true, newest);
      for (std::int64_t n : sizes) {
        Trial run{{n}, {permutation(n), small_numbers(type, n)}, {}};
        if (masked) run.inputs.push_back(some_numbers(boolean, n));
        run.before.push_back(small_numbers(type, n + 3));
        check(m.kernel, run, {1, 3});
      }
    }
}

// The initial values of outputs, whatever the memory held: with plain stores, with updates in
// order, with updates in private memory, and without updates.
TEST(CpuScatter, FillsItsOutputs) {
  const auto sum = [](Maker& m, const Values& x, const Values& y) {
    return Values{m.prim(ScalarOp::add, {x[0], y[0]})};
  };
  const auto difference = [](Maker& m, const Values& x, const Values& y) {
    return Values{m.prim(ScalarOp::sub, {x[0], y[0]})};
  };
  for (ScalarType type : {f32, f64, i32, u8, i64, ScalarType::i16})
    for (int way = 0; way < 3; ++way) {
      Maker m = way == 0   ? scatter_of(type, true, true, newest)
                : way == 1 ? scatter_of(type, true, false, sum)
                           : scatter_of(type, true, false, difference);
      m.kernel.seed = {m.scalar(type)};
      for (std::int64_t n : sizes)
        for (std::int64_t size : {n, n / 20 + 1, n + 70'000}) {
          if (way == 0 && size < n) continue;
          Trial run{{n},
                    {way == 0 ? permutation(n) : targets_in(n, size), small_numbers(type, n),
                     some_numbers(boolean, n)},
                    {7}};
          run.before.push_back(small_numbers(type, size));
          check(m.kernel, run, 3);
        }
      Trial nothing{{0}, {Column(i64, 0), Column(type, 0), Column(boolean, 0)}, {3}};
      nothing.before.push_back(small_numbers(type, 200'000));
      check(m.kernel, nothing, 3);
    }
}

// A copy into the middle of another array, for ranks 1 to 3: contiguous stores.
TEST(CpuScatter, LinearTargets) {
  for (std::uint32_t rank = 1; rank <= 3; ++rank)
    for (bool masked : {false, true}) {
      Maker m(rank, {f32});
      Values extents;
      for (std::uint32_t axis = 0; axis < rank; ++axis) extents.push_back(m.scalar(i64));
      const Value offset = m.scalar(i64);
      m.kernel.unique = true;
      m.element([&](const Values& ix) {
        const Value at = row_major(m, ix, extents);
        const Value x = m.load(0, at);
        const Value keep =
            masked ? m.prim(ScalarOp::lt, {x, m.f32(30)}) : m.constant(boolean, {1, 0});
        return Values{keep, m.prim(ScalarOp::add, {at, offset}), x};
      });
      m.scatter({f32}, [&](const Values& x, const Values&) { return x; });
      for (std::int64_t columns : {1, 16, 100, 30'001}) {
        std::vector<std::int64_t> shape = {3, 2, columns};
        shape.erase(shape.begin(), shape.begin() + (3 - rank));
        std::int64_t n = 1;
        for (std::int64_t e : shape) n *= e;
        Trial run{shape, {small_numbers(f32, n)}, {shape.begin(), shape.end()}};
        run.scalars.push_back(5);
        run.before.push_back(some_numbers(f32, n + 20));
        check(m.kernel, run, 2);
      }
    }
}

// One condition for the whole launch.
TEST(CpuScatter, UniformConditions) {
  for (bool unique : {false, true}) {
    Maker m(1, {f32});
    const Value keep = m.scalar(boolean), at = m.scalar(i64);
    m.kernel.unique = unique;
    m.element([&](const Values& ix) {
      const Value target = unique ? m.prim(ScalarOp::sub, {at, ix[0]}) : at;
      return Values{keep, target, m.load(0, ix[0])};
    });
    m.scatter({f32}, [&](const Values& x, const Values& y) {
      return unique ? x : Values{m.prim(ScalarOp::sub, {x[0], y[0]})};
    });
    for (std::uint64_t kept : {0U, 1U})
      for (std::int64_t n : {1, 16, 100})
        check(m.kernel, {{n}, {small_numbers(f32, n)}, {kept, 110}, 0, {some_numbers(f32, 120)}});
  }
}

TEST(CpuScatter, HistogramsOfIntegers) {
  for (ScalarType type : {i32, i64, u8})
    for (ScalarOp op : {ScalarOp::add, ScalarOp::max, ScalarOp::xor_}) {
      const Maker m =
          scatter_of(type, true, false, [&](Maker& k, const Values& x, const Values& y) {
            return Values{k.prim(op, {x[0], y[0]})};
          });
      for (std::int64_t n : sizes)
        for (std::int64_t bins : {1, 7, 5000})
          check(m.kernel,
                {{n},
                 {targets_in(n, bins), small_numbers(type, n), some_numbers(boolean, n)},
                 {},
                 0,
                 {small_numbers(type, bins)}},
                {1, 2, 4});
    }
}

// Outputs few enough for private copies, and enough updates for copies to pay: the results are
// those without copies.
TEST(CpuScatter, CopiesOfOutputs) {
  constexpr std::int64_t n = 400'009;
  for (ScalarType type : {i64, i32, u8, f32})
    for (ScalarOp op : {ScalarOp::add, ScalarOp::min, ScalarOp::xor_}) {
      if (type == f32 && op != ScalarOp::min) continue;  // sums depend on the grouping
      const Maker m =
          scatter_of(type, false, false, [&](Maker& k, const Values& x, const Values& y) {
            return Values{k.prim(op, {x[0], y[0]})};
          });
      const auto machine = backends::cpu::detect_machine(0);
      const auto code = backends::cpu::load_kernel(
          m.kernel, backends::cpu::compile_object(m.kernel, {}, machine), machine);
      EXPECT_TRUE(code->may_have_copies);
      for (std::int64_t bins : {1, 3, 300, 1000})
        check(m.kernel,
              {{n},
               {targets_in(n, bins), small_numbers(type, n)},
               {},
               0,
               {small_numbers(type, bins)}},
              {1, 2});
    }
}

// x - old / 2 depends on the order of all updates; sums of floats depend on the grouping if one
// order is required.
TEST(CpuScatter, UpdatesOfATargetKeepTheirOrder) {
  const Maker m = scatter_of(f32, false, false, [&](Maker& k, const Values& x, const Values& y) {
    return Values{k.prim(ScalarOp::sub, {x[0], k.prim(ScalarOp::mul, {y[0], k.f32(0.5F)})})};
  });
  Maker sums = scatter_of(f32, true, false, [&](Maker& k, const Values& x, const Values& y) {
    return Values{k.prim(ScalarOp::add, {x[0], y[0]})};
  });
  sums.kernel.in_order = true;
  const Maker last = scatter_of(f32, true, false, newest);
  for (std::int64_t n : sizes)
    for (std::int64_t bins : {1, 10, 3000}) {
      Trial run{{n}, {targets_in(n, bins), Column(f32, n)}, {}, 0, {small_numbers(f32, bins)}};
      std::mt19937 random(7);
      for (std::int64_t i = 0; i < n; ++i)
        run.inputs[1].set(i,
                          {std::bit_cast<std::uint32_t>(static_cast<float>(random()) / 1e9F), 0});
      check(m.kernel, run, {1, 2, 3, 4});
      run.inputs.push_back(some_numbers(boolean, n));
      check(sums.kernel, run, {1, 2, 3, 4});
      check(last.kernel, run, {1, 2, 3, 4});
    }
}

// A task that owns a part of the outputs collects updates of rows that are longer or shorter than
// its buffer. Every old value matters, through new - old * 3 or, for floats, old / 2.
TEST(CpuScatter, PartsOfOutputsInEveryType) {
  for (const ScalarType type : {i32, f32, f64, u8, i64, ScalarType::i16, ScalarType::u64}) {
    Maker m(2, {i64, type, boolean});
    const Values extents = {m.scalar(i64), m.scalar(i64)};
    m.element([&](const Values& ix) {
      const Value at = row_major(m, ix, extents);
      return Values{m.load(2, at), m.load(0, at), m.load(1, at), at};
    });
    m.scatter({type, i64}, [&](const Values& x, const Values& y) {
      const bool is_float = type == f32 || type == f64;
      const Value by = m.cast(type, is_float ? m.f32(0.5F) : m.integer(3));
      return Values{m.prim(ScalarOp::sub, {x[0], m.prim(ScalarOp::mul, {y[0], by})}), x[1]};
    });
    for (const auto& shape : std::vector<std::vector<std::int64_t>>{
             {1, 1}, {40'000, 3}, {2000, 61}, {3, 50'021}, {1, 130'003}})
      for (const std::int64_t bins : {1, 2, 1000, 90'000}) {
        const std::int64_t n = shape[0] * shape[1];
        check(m.kernel,
              {shape,
               {targets_in(n, bins), small_numbers(type, n), some_numbers(boolean, n)},
               {shape.begin(), shape.end()},
               0,
               {small_numbers(type, bins), small_numbers(i64, bins)}},
              {1, 2, 3, 4});
      }
  }
}

// Rows are scattered to the rows that their labels name, neighbours to neighbours, and some rows
// nowhere: a part of each row, with `masked` by a condition per element. Operators use old values,
// so these matter.
Maker rows_by_label(ScalarType type, bool masked) {
  Maker m(2, {i64, type, boolean});
  const Value columns = m.scalar(i64), kept = m.scalar(i64), width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value at = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {ix[0], columns}), ix[1]});
    const Value label = m.load(0, ix[0]);
    const Value to = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {label, width}), ix[1]});
    Value keep = m.prim(ScalarOp::and_, {m.prim(ScalarOp::ge, {label, m.integer(0)}),
                                         m.prim(ScalarOp::lt, {ix[1], kept})});
    if (masked) keep = m.prim(ScalarOp::and_, {keep, m.load(2, at)});
    return Values{keep, to, m.load(1, at), ix[1]};
  });
  m.scatter({type, i64}, [&](const Values& x, const Values& y) {
    const bool is_float = type == f32 || type == f64;
    const Value by = m.cast(type, is_float ? m.f32(0.5F) : m.integer(3));
    return Values{m.prim(ScalarOp::sub, {x[0], m.prim(ScalarOp::mul, {y[0], by})}),
                  m.prim(ScalarOp::add, {x[1], y[1]})};
  });
  return m;
}

TEST(CpuScatter, RowsOfNeighbours) {
  for (const ScalarType type : {i32, f32, f64, u8, i64, ScalarType::i16})
    for (const bool masked : {false, true}) {
      const Maker m = rows_by_label(type, masked);
      EXPECT_GT(backends::cpu::choose_schedule(
                    m.kernel, backends::cpu::machine_of(backends::cpu::Level::avx2))
                    .neighbour_lanes,
                1U);
      for (const std::int64_t columns : {1, 3, 4, 7, 16, 31, 64, 129})
        for (const std::int64_t rows : {1, 61, 1500})
          for (const std::int64_t kept : {columns, columns / 2, std::int64_t{0}}) {
            const std::int64_t labels = 13, n = rows * columns;
            Column label = targets_in(rows, labels + 2);
            for (std::int64_t i = 0; i < rows; ++i)  // the last one and -1 are no rows of outputs
              label.set(i, core::bits_of(static_cast<std::int64_t>(label.get(i).lo) - 1));
            const std::int64_t size = (labels + 1) * columns;
            check(m.kernel,
                  {{rows, columns},
                   {label, small_numbers(type, n), some_numbers(boolean, n)},
                   {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(kept),
                    static_cast<std::uint64_t>(columns)},
                   0,
                   {small_numbers(type, size), small_numbers(i64, size)}},
                  {1, 2, 3});
          }
    }
}

TEST(CpuScatter, CollectsWhereRegistersAreCompressed) {
  using backends::cpu::Level;
  const auto part_lanes = [](const Maker& m, Level level) {
    return backends::cpu::choose_schedule(m.kernel, backends::cpu::machine_of(level)).part_lanes;
  };
  const bool can = backends::cpu::machine_of(Level::avx512).bits == 512;
  const Maker light = scatter_of(f32, true, false, newest);
  EXPECT_EQ(part_lanes(light, Level::avx512), can ? 8U : 0U);
  EXPECT_EQ(part_lanes(light, Level::avx2), 0U);
  // Elements without collisions need no parts.
  EXPECT_EQ(part_lanes(scatter_of(f32, true, true, newest), Level::avx512), 0U);
}

// Numbers of both signs and many magnitudes: sums depend on the grouping.
Column mixed_numbers(ScalarType type, std::int64_t count) {
  Column column(type, count);
  for (std::int64_t i = 0; i < count; ++i)
    column.set(i, rounded(type, std::sin(static_cast<double>(i) * 1.7) *
                                    std::exp2(static_cast<double>(i % 13) - 6)));
  return column;
}

double as_double(ScalarType type, core::Bits bits) {
  if (type == f64) return std::bit_cast<double>(bits.lo);
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits.lo));
}

// Sums of n numbers of at least 1, starting from `old`, have errors below n roundings of their
// magnitudes.
void expect_near_sums(ScalarType type, Trial& run, Column& sums) {
  const double epsilon = type == f64 ? 0x1p-52 : 0x1p-23;
  const auto bins = static_cast<std::size_t>(sums.size());
  std::vector<double> exact(bins), magnitude(bins), count(bins, 1.0);
  const auto add = [&](std::size_t at, double x) {
    exact[at] += x, magnitude[at] += std::abs(x), ++count[at];
  };
  for (std::size_t i = 0; i < bins; ++i)
    add(i, as_double(type, run.before[0].get(static_cast<std::int64_t>(i))));
  for (std::int64_t i = 0; i < run.extents[0]; ++i)
    if (run.inputs[2].get(i).lo)
      add(run.inputs[0].get(i).lo, as_double(type, run.inputs[1].get(i)));
  for (std::size_t i = 0; i < bins; ++i)
    ASSERT_NEAR(as_double(type, sums.get(static_cast<std::int64_t>(i))), exact[i],
                count[i] * (epsilon + 1e-16) * magnitude[i])
        << i << " of " << bins;
}

// Extents determine which updates of floats are summed together; threads do not.
TEST(CpuScatter, SumsOfFloatsAreTheSameOnAnyThreads) {
  for (const ScalarType type : {f32, f64}) {
    const Maker m = scatter_of(type, true, false, [&](Maker& k, const Values& x, const Values& y) {
      return Values{k.prim(ScalarOp::add, {x[0], y[0]})};
    });
    for (const std::int64_t n : {1009, 40'000, 200'003})
      for (const std::int64_t bins : {1, 97, 150'000}) {
        Trial run{{n}, {targets_in(n, bins), mixed_numbers(type, n)}, {}};
        run.inputs.push_back(some_numbers(boolean, n, 5));
        run.before.push_back(mixed_numbers(type, bins));
        std::vector<Column> once = on_cpu(m.kernel, run, 1);
        expect_near_sums(type, run, once[0]);
        for (const int threads : {2, 3, 4}) {
          std::vector<Column> again = on_cpu(m.kernel, run, threads);
          EXPECT_TRUE(same_bytes(once[0], again[0])) << n << " to " << bins << ", " << threads;
        }
      }
  }
}

// Exact operators: each task has private outputs, which are combined with the initial ones.
TEST(CpuScatter, ExactOperatorsInEveryType) {
  for (const ScalarType type : {i32, u8, i64, ScalarType::i16, ScalarType::u64, boolean})
    for (const ScalarOp op : {ScalarOp::add, ScalarOp::mul, ScalarOp::min, ScalarOp::max,
                              ScalarOp::and_, ScalarOp::or_, ScalarOp::xor_}) {
      const bool bitwise = op == ScalarOp::and_ || op == ScalarOp::or_ || op == ScalarOp::xor_;
      if (type == boolean && !bitwise) continue;
      const Maker m =
          scatter_of(type, true, false, [&](Maker& k, const Values& x, const Values& y) {
            return Values{k.prim(op, {x[0], y[0]})};
          });
      for (const std::int64_t n : {1, 77, 60'003, 500'003})  // the last: outputs of each task's own
        for (const std::int64_t bins : {1, 1000, 40'000}) {
          if (n > 100'000 && (type != i32 || bins != 1000)) continue;
          Trial run{{n}, {targets_in(n, bins), some_numbers(type, n)}, {}};
          run.inputs.push_back(some_numbers(boolean, n, 5));
          run.before.push_back(some_numbers(type, bins, 9));
          check(m.kernel, run, {1, 4});
        }
    }
}

// Rows are split if there are many, columns if these are longer.
TEST(CpuScatter, ExactOperatorsInSeveralAxes) {
  Maker m(3, {i64, i64});
  const Values extents = {m.scalar(i64), m.scalar(i64), m.scalar(i64)};
  m.element([&](const Values& ix) {
    const Value at = row_major(m, ix, extents), x = m.load(1, at);
    return Values{m.prim(ScalarOp::ge, {x, m.integer(3)}), m.load(0, at), x, x};
  });
  m.scatter({i64, i64}, [&](const Values& x, const Values& y) {
    return Values{m.prim(ScalarOp::add, {x[0], y[0]}), m.prim(ScalarOp::max, {x[1], y[1]})};
  });
  for (const auto& shape :
       std::vector<std::vector<std::int64_t>>{{50, 70, 30}, {2, 1, 90'001}, {1, 3, 7}}) {
    const std::int64_t n = shape[0] * shape[1] * shape[2], bins = 41;
    check(m.kernel,
          {shape,
           {targets_in(n, bins), small_numbers(i64, n)},
           {shape.begin(), shape.end()},
           0,
           {small_numbers(i64, bins), small_numbers(i64, bins)}},
          {1, 3, 4});
  }
}

// The largest number at each target and the index of its element, in rank 2, with a branch.
TEST(CpuScatter, SeveralLeavesAndBranches) {
  Maker m(2, {i64, f32});
  const Values extents = {m.scalar(i64), m.scalar(i64)};
  m.element([&](const Values& ix) {
    const Value at = row_major(m, ix, extents);
    const Value x = m.load(1, at);
    return Values{m.prim(ScalarOp::ge, {x, m.f32(3)}), m.load(0, at), x, at,
                  m.prim(ScalarOp::lt, {x, m.f32(20)})};
  });
  m.scatter({f32, i64, boolean}, [&](const Values& x, const Values& y) {
    const Value larger = m.prim(ScalarOp::lt, {y[0], x[0]});
    return m.branch(larger, [&] { return x; }, [&] { return y; });
  });
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{1, 1}, {7, 130}, {300, 700}}) {
    const std::int64_t n = shape[0] * shape[1], bins = 41;
    check(m.kernel,
          {shape,
           {targets_in(n, bins), small_numbers(f32, n)},
           {shape.begin(), shape.end()},
           0,
           {small_numbers(f32, bins), small_numbers(i64, bins), small_numbers(boolean, bins)}},
          {1, 2, 4});
  }
}

TEST(CpuScatter, FewTargetsAsRegistersHaveRoomFor) {
  using backends::cpu::Level;
  const auto sum = [](Maker& m, const Values& x, const Values& y) {
    return Values{m.prim(ScalarOp::add, {x[0], y[0]})};
  };
  const auto chosen = [&](ScalarType type, Level level, bool in_order = false) {
    Maker m = scatter_of(type, false, false, sum);
    m.kernel.lane_operator = {true, {ScalarOp::add}};
    m.kernel.in_order = in_order;
    const auto schedule =
        backends::cpu::choose_schedule(m.kernel, backends::cpu::machine_of(level));
    return std::pair{schedule.few_targets, schedule.few_lanes};
  };
  // The targets that are read have 8 bytes.
  EXPECT_EQ(chosen(f64, Level::avx512), std::pair(8U, 8U));
  EXPECT_EQ(chosen(f32, Level::avx512), std::pair(8U, 8U));
  EXPECT_EQ(chosen(f64, Level::avx2), std::pair(4U, 4U));
  EXPECT_EQ(chosen(f64, Level::avx512, true), std::pair(0U, 0U));
  EXPECT_EQ(chosen(boolean, Level::avx512), std::pair(0U, 0U));
}

}  // namespace
}  // namespace hasten::test::cpu
