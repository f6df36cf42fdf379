// Maps: remainders, ranks, every kind of index, branches, and loops that diverge among lanes.
#include "backends/cpu/schedule/schedule.hpp"
#include "tests/unit/cpu/kernels.hpp"

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

TEST(CpuMap, EverySizeAroundTheVectorLength) {
  for (ScalarType type : {f32, ScalarType::f64, ScalarType::i8, ScalarType::boolean}) {
    Maker m(1, {type, type}, {type});
    const ScalarOp op = type == ScalarType::boolean ? ScalarOp::xor_ : ScalarOp::sub;
    m.element(
        [&](const Values& ix) { return Values{m.prim(op, {m.load(0, ix[0]), m.load(1, ix[0])})}; });
    for (std::int64_t n : {1, 2, 7, 8, 15, 16, 17, 31, 63, 64, 65, 127, 128, 129, 1000, 5000})
      check(m.kernel, {{n}, {some_numbers(type, n, 1), some_numbers(type, n, 2)}, {}});
  }
}

TEST(CpuMap, SeveralOutputsOfDifferentWidths) {
  Maker m(1, {f32, ScalarType::u8}, {ScalarType::f64, ScalarType::boolean, ScalarType::i16, i64});
  m.element([&](const Values& ix) {
    const Value x = m.load(0, ix[0]), y = m.load(1, ix[0]);
    return Values{m.cast(ScalarType::f64, x), m.prim(ScalarOp::lt, {x, m.f32(0)}),
                  m.cast(ScalarType::i16, y), m.prim(ScalarOp::mul, {ix[0], ix[0]})};
  });
  for (std::int64_t n : {1, 50, 333})
    check(m.kernel, {{n}, {some_numbers(f32, n), some_numbers(ScalarType::u8, n)}, {}});
}

TEST(CpuMap, RanksAndRowInvariantValues) {
  for (std::uint32_t rank = 1; rank <= 4; ++rank) {
    Maker m(rank, {i64}, {i64, i64});
    m.element([&](const Values& ix) {
      Value mixed = m.integer(1);
      for (Value i : ix)
        mixed = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {mixed, m.integer(31)}), i});
      return Values{mixed, m.prim(ScalarOp::add, {m.load(0, ix[0]), ix.back()})};
    });
    const std::vector<std::int64_t> all = {3, 5, 2, 70};
    for (std::int64_t inner : {1, 3, 70}) {
      std::vector<std::int64_t> extents(all.begin(), all.begin() + rank);
      extents.back() = inner;
      check(m.kernel, {extents, {some_numbers(i64, 100)}, {}});
    }
  }
}

// Reads at i, -i, 2i, i * scalar, x[i], and at one index in all lanes.
TEST(CpuMap, ReadsOfEveryShape) {
  for (ScalarType type :
       {f32, ScalarType::f64, ScalarType::i8, ScalarType::u16, ScalarType::boolean}) {
    Maker m(1, {type, i64}, std::vector<ScalarType>(7, type));
    const Value n = m.scalar(i64), stride = m.scalar(i64);
    m.element([&](const Values& ix) {
      const Value i = ix[0], last = m.prim(ScalarOp::sub, {n, m.integer(1)});
      const auto at = [&](Value index) { return m.load(0, index); };
      return Values{at(i),
                    at(m.prim(ScalarOp::sub, {last, i})),
                    at(m.prim(ScalarOp::mul, {i, m.integer(2)})),
                    at(m.prim(ScalarOp::mul, {stride, i})),
                    at(m.load(1, i)),
                    at(last),
                    at(m.prim(ScalarOp::add, {m.prim(ScalarOp::add, {i, n}), m.integer(-1)}))};
    });
    for (std::int64_t count : {1, 40, 64, 333}) {
      Column indices(i64, count);
      for (std::int64_t i = 0; i < count; ++i) indices.set(i, core::bits_of((i * 37) % count));
      check(m.kernel, {{count},
                       {some_numbers(type, 3 * count), indices},
                       {static_cast<std::uint64_t>(count), 3}});
    }
  }
}

TEST(CpuMap, GatherByNarrowIndices) {
  Maker m(1, {f32, i32}, {f32});
  m.element([&](const Values& ix) { return Values{m.load(0, m.cast(i64, m.load(1, ix[0])))}; });
  Column indices(i32, 500);
  for (std::int64_t i = 0; i < 500; ++i) indices.set(i, core::bits_of((i * 7) % 100));
  check(m.kernel, {{500}, {some_numbers(f32, 100), indices}, {}});
}

// Reads out of range are in branches that are not taken.
TEST(CpuMap, BranchesGuardReads) {
  for (ScalarType type : {f32, ScalarType::i8}) {
    Maker m(1, {type}, {type});
    const Value n = m.scalar(i64), far = m.scalar(i64);
    m.element([&](const Values& ix) {
      const Value next = m.prim(ScalarOp::mul, {ix[0], far});
      const Value inside = m.prim(ScalarOp::lt, {next, n});
      return m.branch(
          inside, [&] { return Values{m.load(0, next)}; },
          [&] {
            const Value zero = m.integer(0);
            return Values{m.load(0, zero)};
          });
    });
    for (std::int64_t count : {1, 77, 400})
      for (std::int64_t step : {1LL, 2LL, 1'000'000'000'000LL})
        check(m.kernel, {{count},
                         {some_numbers(type, count)},
                         {static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(step)}});
  }
}

TEST(CpuMap, UniformBranchesAndSelects) {
  Maker m(1, {f32}, {f32, f32, i64});
  const Value flag = m.scalar(ScalarType::boolean);
  m.element([&](const Values& ix) {
    const Value x = m.load(0, ix[0]);
    const Values chosen = m.branch(
        flag, [&] { return Values{m.prim(ScalarOp::exp, {x}), m.integer(5)}; },
        [&] { return Values{m.prim(ScalarOp::neg, {x}), m.integer(6)}; });
    return Values{chosen[0], m.prim(ScalarOp::select, {flag, x, chosen[0]}), chosen[1]};
  });
  for (std::uint64_t on : {0, 1}) check(m.kernel, {{100}, {some_numbers(f32, 100)}, {on}, 2});
}

// Collatz: every lane leaves at a different time; nested in a branch that half of the lanes take.
TEST(CpuMap, LoopsDivergeAmongLanes) {
  Maker m(1, {i64}, {i32, i64});
  m.element([&](const Values& ix) {
    const Value one = m.integer(1), x = m.load(0, ix[0]);
    const Value odd_start = m.prim(ScalarOp::eq, {m.prim(ScalarOp::and_, {x, one}), one});
    const auto steps = [&] {
      return m.loop(
          {m.cast(i32, m.integer(0)), x},
          [&](const Values& s) { return m.prim(ScalarOp::gt, {s[1], one}); },
          [&](const Values& s) {
            const Value odd = m.prim(ScalarOp::eq, {m.prim(ScalarOp::and_, {s[1], one}), one});
            const Value up =
                m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {s[1], m.integer(3)}), one});
            const Value down = m.prim(ScalarOp::quot, {s[1], m.integer(2)});
            return Values{m.prim(ScalarOp::add, {s[0], m.cast(i32, one)}),
                          m.prim(ScalarOp::select, {odd, up, down})};
          });
    };
    return m.branch(odd_start, steps, [&] { return Values{m.cast(i32, m.integer(-1)), x}; });
  });
  Column starts(i64, 300);
  for (std::int64_t i = 0; i < 300; ++i) starts.set(i, core::bits_of(i * i % 97));
  check(m.kernel, {{300}, {starts}, {}});
}

// The same number of rounds in all lanes with different states; and rounds that read.
TEST(CpuMap, UniformLoops) {
  Maker m(1, {f32}, {f32, i64});
  const Value rounds = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value start = m.load(0, ix[0]);
    return m.loop(
        {start, m.integer(0)},
        [&](const Values& s) { return m.prim(ScalarOp::lt, {s[1], rounds}); },
        [&](const Values& s) {
          return Values{m.prim(ScalarOp::add, {s[0], m.load(0, s[1])}),
                        m.prim(ScalarOp::add, {s[1], m.integer(1)})};
        });
  });
  for (std::uint64_t n : {0, 1, 20}) check(m.kernel, {{90}, {some_numbers(f32, 90)}, {n}});
}

TEST(CpuMap, ManyThreadsGiveTheSameBits) {
  Maker m(2, {f32}, {f32});
  const Value width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value at = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {ix[0], width}), ix[1]});
    return Values{m.prim(ScalarOp::sin, {m.load(0, at)})};
  });
  for (std::int64_t columns : {7, 1000, 100'000}) {
    const std::int64_t rows = 700'000 / columns;
    Trial run{{rows, columns},
              {some_numbers(f32, rows * columns)},
              {static_cast<std::uint64_t>(columns)}};
    std::vector<Column> one = on_cpu(m.kernel, run, 1);
    for (int threads : {2, 4}) {
      std::vector<Column> many = on_cpu(m.kernel, run, threads);
      EXPECT_EQ(
          std::memcmp(one[0].data(), many[0].data(), static_cast<std::size_t>(rows * columns) * 4),
          0);
    }
  }
}

// Each lane walks along memory from a different index: element by element, with every kind of
// output.
TEST(CpuMap, WalksAlongMemory) {
  Maker m(2, {i64, f32}, {f32, i64, ScalarType::boolean});
  const Value width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value one = m.integer(1), end = m.load(0, m.prim(ScalarOp::add, {ix[1], one}));
    const Value row = m.prim(ScalarOp::mul, {ix[0], width});
    const Values last = m.loop(
        {m.load(0, ix[1]), m.f32(0.5F)},
        [&](const Values& s) { return m.prim(ScalarOp::lt, {s[0], end}); },
        [&](const Values& s) {
          const Value x = m.load(1, m.prim(ScalarOp::add, {row, s[0]}));
          return Values{m.prim(ScalarOp::add, {s[0], one}), m.prim(ScalarOp::add, {s[1], x})};
        });
    return Values{last[1], last[0], m.prim(ScalarOp::gt, {last[1], m.f32(100)})};
  });
  for (const std::int64_t segments : {1, 2, 63, 900}) {
    Column offsets(i64, segments + 1);
    for (std::int64_t i = 1; i <= segments; ++i)
      offsets.set(i, core::bits_of(static_cast<std::int64_t>(offsets.get(i - 1).lo) + i * 7 % 40));
    const auto n = static_cast<std::int64_t>(offsets.get(segments).lo);
    check(
        m.kernel,
        {{3, segments}, {offsets, small_numbers(f32, 3 * n + 1)}, {static_cast<std::uint64_t>(n)}},
        2);
  }
}

// A backward search that leaves early, at an index that is corrected before the read.
TEST(CpuMap, SearchesGoElementByElement) {
  Maker m(1, {f32}, {i64, i64});
  m.element([&](const Values& ix) {
    const Value one = m.integer(1), zero = m.integer(0), x = m.load(0, ix[0]);
    const auto place = [&](Value k) { return m.prim(ScalarOp::sub, {ix[0], k}); };
    return m.loop(
        {one, zero}, [&](const Values& s) { return m.prim(ScalarOp::ge, {place(s[0]), s[1]}); },
        [&](const Values& s) {
          const Value at = m.prim(ScalarOp::max, {place(s[0]), zero});
          const Value less = m.prim(ScalarOp::lt, {m.load(0, at), x});
          return Values{m.prim(ScalarOp::add, {s[0], one}),
                        m.prim(ScalarOp::add, {s[1], m.cast(i64, less)})};
        });
  });
  const backends::cpu::Machine machine = backends::cpu::detect_machine(0);
  EXPECT_EQ(backends::cpu::choose_schedule(m.kernel, machine).lanes, 1U);
  for (const std::int64_t n : {1, 2, 63, 900}) check(m.kernel, {{n}, {some_numbers(f32, n)}, {}});
}

// Outputs larger than any cache are stored past it.
TEST(CpuMap, StreamedOutputs) {
  Maker m(1, {f32}, {ScalarType::boolean, f32, ScalarType::f64});
  m.element([&](const Values& ix) {
    const Value x = m.load(0, ix[0]);
    return Values{m.prim(ScalarOp::gt, {x, m.f32(1)}), m.prim(ScalarOp::add, {x, x}),
                  m.cast(ScalarType::f64, x)};
  });
  const std::int64_t n = 9'000'001;
  Trial run{{n}, {some_numbers(f32, n)}, {}};
  std::vector<Column> out = on_cpu(m.kernel, run, 2);
  for (std::int64_t i = 0; i < n; i += 977) {
    const double x = core::to_double(f32, run.inputs[0].get(i));
    EXPECT_EQ(out[0].get(i).lo, x > 1 ? 1U : 0U);
    EXPECT_TRUE(same(ScalarType::f64, out[2].get(i), {std::bit_cast<std::uint64_t>(x), 0}, 0));
  }
}

}  // namespace
}  // namespace hasten::test::cpu
