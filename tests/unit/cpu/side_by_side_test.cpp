// Elements adjacent in memory that are in different values, or in one value and apart: whole
// vectors of them, on vectors of every width, through the caches and past them.
#include "backends/cpu/launch/launch.hpp"
#include "backends/cpu/launch/streaming.hpp"
#include "tests/unit/cpu/kernels.hpp"
#include "tests/unit/cpu/widths.hpp"

#include <algorithm>

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

const std::int64_t sizes[] = {1, 16, 63, 64, 130, 5000};

bool past_caches(const backends::cpu::LoadedKernel& kernel,
                 const backends::LaunchArguments& arguments, std::int64_t last) {
  const backends::cpu::Caches caches(backends::cpu::CacheSizes{0, last});
  return kernel.skeleton == kernels::Skeleton::map
             ? backends::cpu::streams(kernel, arguments, caches)
             : backends::cpu::streams_writes(kernel, arguments, caches);
}

// Runs as if every last-level cache were too small, and as if none were.
void check_everywhere(const Kernel& kernel, const std::vector<Loaded>& codes, Trial run) {
  std::vector<Column> expected = empty_outputs(kernel, run);
  with_arguments(run, expected, [&](const auto& arguments) { KernelRun(kernel, arguments).run(); });
  for (const Loaded& code : codes)
    for (const std::int64_t last : {std::int64_t{0}, INT64_MAX}) {
      SCOPED_TRACE(std::to_string(code.bits) + " bits, last cache " + std::to_string(last));
      std::vector<Column> actual = empty_outputs(kernel, run);
      const backends::cpu::Launcher launcher(2, {1 << 20, last});
      with_arguments(run, actual, [&](const auto& arguments) {
        EXPECT_EQ(past_caches(*code.kernel, arguments, last), last == 0);
        launcher.launch(*code.kernel, arguments);
      });
      expect_same(kernel, 0, actual, expected);
    }
}

// Write k of element i goes to offset + place(i, k) and has the value x[i] + k.
Maker writes_of(ScalarType type, std::int64_t count, std::uint32_t outputs,
                const std::function<Value(Maker&, Value, std::int64_t)>& place) {
  Maker m(1, {type});
  const Value offset = m.scalar(i64);
  m.kernel.unique = true;
  m.kernel.writes = static_cast<std::uint32_t>(count);
  m.element([&](const Values& ix) {
    const Value x = m.load(0, ix[0]);
    Values results;
    for (std::int64_t k = 0; k < count; ++k) {
      results.push_back(m.constant(boolean, {1, 0}));
      results.push_back(m.prim(ScalarOp::add, {offset, place(m, ix[0], k)}));
      for (std::uint32_t leaf = 0; leaf < outputs; ++leaf) {
        const std::int64_t plus = 10 * leaf + k;
        const Value number = type == boolean ? x : m.cast(type, m.integer(plus));
        results.push_back(type == boolean ? x : m.prim(ScalarOp::add, {x, number}));
      }
    }
    return results;
  });
  m.scatter(std::vector<ScalarType>(outputs, type),
            [&](const Values& x, const Values&) { return x; });
  return m;
}

void check_writes(const Maker& m, ScalarType type, std::int64_t count,
                  const std::vector<ScalarType>& outputs) {
  const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
  for (const std::int64_t n : sizes)
    for (const std::uint64_t offset : {0U, 1U, 16U}) {
      Trial run{{n}, {small_numbers(type, n)}, {offset}};
      for (const ScalarType output : outputs)
        run.before.push_back(some_numbers(output, count * n + 20));
      check_everywhere(m.kernel, codes, run);
    }
}

Value side_by_side(Maker& m, Value i, std::int64_t k, std::int64_t count) {
  return m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {i, m.integer(count)}), m.integer(k)});
}

TEST(CpuSideBySide, Writes) {
  for (const ScalarType type : {f32, f64, u8, boolean, ScalarType::f16})
    for (const std::int64_t count : {2, 3, 4}) {
      // Adjacent, in order and reversed.
      const auto forwards = [&](Maker& m, Value i, std::int64_t k) {
        return side_by_side(m, i, k, count);
      };
      const auto backwards = [&](Maker& m, Value i, std::int64_t k) {
        return side_by_side(m, i, count - 1 - k, count);
      };
      check_writes(writes_of(type, count, 1, forwards), type, count, {type});
      check_writes(writes_of(type, count, 1, backwards), type, count, {type});
    }
}

TEST(CpuSideBySide, WritesOfSeveralOutputs) {
  const auto place = [](Maker& m, Value i, std::int64_t k) { return side_by_side(m, i, k, 2); };
  check_writes(writes_of(f32, 2, 2, place), f32, 2, {f32, f32});
}

// The evaluator has no complex numbers.
void check_complex(const Loaded& code, std::int64_t count, std::int64_t n, std::uint64_t offset) {
  for (const std::int64_t last : {std::int64_t{0}, INT64_MAX}) {
    Trial run{{n}, {small_numbers(f32, n)}, {offset}};
    run.before.emplace_back(ScalarType::c64, count * n + 20);
    std::vector<Column> both(1, run.before[0]);
    const backends::cpu::Launcher launcher(2, {1 << 20, last});
    with_arguments(run, both, [&](backends::LaunchArguments arguments) {
      std::byte* const same[] = {both[0].data(), both[0].data()};
      arguments.outputs = same;
      launcher.launch(*code.kernel, arguments);
    });
    const auto* got = reinterpret_cast<const float*>(both[0].data()) + 2 * offset;
    for (std::int64_t i = 0; i < count * n; ++i) {
      const auto x = static_cast<float>(i / count * 7919 % 61 + i % count);
      ASSERT_EQ(got[2 * i], x) << code.bits << " bits, element " << i;
      ASSERT_EQ(got[2 * i + 1], x + 10) << code.bits << " bits, element " << i;
    }
  }
}

TEST(CpuSideBySide, WritesOfComplexNumbers) {
  for (const std::int64_t count : {1, 2, 4}) {
    Maker m = writes_of(f32, count, 2, [&](Maker& k, Value i, std::int64_t which) {
      return side_by_side(k, i, which, count);
    });
    m.kernel.outputs = {ScalarType::c64, ScalarType::c64};
    for (const Loaded& code : on_vectors_of_every_width(m.kernel))
      for (const std::int64_t n : sizes)
        for (const std::uint64_t offset : {0U, 1U, 16U}) check_complex(code, count, n, offset);
  }
}

// Each write has a separate part of the outputs.
TEST(CpuSideBySide, WritesOfParts) {
  const auto place = [](Maker& m, Value i, std::int64_t k) {
    return m.prim(ScalarOp::add, {i, m.integer(k * 10'000)});
  };
  for (const ScalarType type : {f32, u8}) {
    const Maker m = writes_of(type, 3, 1, place);
    const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
    for (const std::int64_t n : {64, 1009, 10'000})
      for (const std::uint64_t offset : {0U, 1U}) {
        Trial run{{n}, {small_numbers(type, n)}, {offset}};
        run.before.push_back(some_numbers(type, 30'001));
        check_everywhere(m.kernel, codes, run);
      }
  }
}

// Rows that begin anywhere in a cache line, of outputs with different elements.
TEST(CpuSideBySide, RowsOfMaps) {
  for (const std::vector<ScalarType>& outputs : std::vector<std::vector<ScalarType>>{
           {f32}, {f64}, {u8}, {f32, f64}, {f64, u8}, {ScalarType::f16}}) {
    Maker m(2, {f32}, outputs);
    const Value columns = m.scalar(i64);
    m.element([&](const Values& ix) {
      const Value x = m.load(0, row_major(m, ix, {columns, columns}));
      Values results;
      for (const ScalarType type : outputs) results.push_back(m.cast(type, x));
      return results;
    });
    const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
    for (const std::int64_t width : {4096, 4097, 5003})
      check_everywhere(
          m.kernel, codes,
          {{9, width}, {small_numbers(f32, 9 * width)}, {static_cast<std::uint64_t>(width)}});
  }
}

// Reads occupy the cache, too; streaming does not pay for short rows that begin inside cache lines.
TEST(CpuSideBySide, WhichMapsStream) {
  for (const bool reads : {false, true}) {
    Maker m(2, reads ? std::vector{f32} : std::vector<ScalarType>{}, {f32});
    m.element(
        [&](const Values& ix) { return Values{reads ? m.load(0, ix[1]) : m.cast(f32, ix[1])}; });
    const auto codes = on_vectors_of_every_width(m.kernel);
    const auto stream = [&](std::vector<std::int64_t> extents, std::int64_t last) {
      Trial run{std::move(extents), {}, {}};
      if (reads) run.inputs.push_back(small_numbers(f32, run.extents[1]));
      std::vector<Column> outputs = empty_outputs(m.kernel, run);
      bool answer = false;
      with_arguments(run, outputs, [&](const auto& arguments) {
        const backends::cpu::Caches caches(backends::cpu::CacheSizes{0, last});
        answer = backends::cpu::streams(*codes[0].kernel, arguments, caches);
      });
      return answer;
    };
    const std::int64_t bytes = std::int64_t{4} * 8 * 1024;
    EXPECT_TRUE(stream({8, 1024}, bytes - 4));
    EXPECT_EQ(stream({8, 1024}, bytes), reads);
    EXPECT_EQ(stream({8, 1024}, bytes / 3 * 4 - 64), reads);
    EXPECT_FALSE(stream({8, 1024}, bytes / 3 * 4 + 64));
    EXPECT_TRUE(stream({8, 1025}, 0));
    EXPECT_TRUE(stream({8, 16}, 0));
    EXPECT_FALSE(stream({8, 17}, 0));
  }
}

// out[i] = x[i * step], of as many elements as that needs; or the reverse.
void check_reads(const std::vector<Loaded>& codes, ScalarType type, std::int64_t step,
                 std::int64_t n) {
  const std::int64_t apart = std::abs(step), count = (n - 1) * apart + 1;
  Column x = small_numbers(type, count);
  for (const bool at_end : {true, false}) {
    const Fenced fenced(count * x.step(), at_end);
    std::copy_n(x.data(), count * x.step(), fenced.data());
    for (const Loaded& code : codes) {
      Column out(type, n);
      const std::int64_t extents[] = {n};
      const std::byte* const inputs[] = {fenced.data()};
      std::byte* const outputs[] = {out.data()};
      const std::uint64_t scalars[] = {static_cast<std::uint64_t>(step < 0 ? count - 1 : 0)};
      backends::cpu::Launcher(2, {1 << 20, INT64_MAX})
          .launch(*code.kernel, {extents, inputs, outputs, scalars});
      for (std::int64_t i = 0; i < n; ++i)
        ASSERT_EQ(out.get(i), x.get(step < 0 ? count - 1 - i * apart : i * apart))
            << code.bits << " bits, step " << step << ", element " << i;
    }
  }
}

TEST(CpuSideBySide, ReadsApart) {
  for (const ScalarType type : {f32, f64, u8, boolean, ScalarType::f16})
    for (const std::int64_t step : {2, 3, 4, 5, -2, -3, -4}) {
      Maker m(1, {type}, {type});
      const Value first = m.scalar(i64);
      m.element([&](const Values& ix) {
        const Value at = m.prim(ScalarOp::mul, {ix[0], m.integer(step)});
        return Values{m.load(0, m.prim(ScalarOp::add, {first, at}))};
      });
      const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
      for (const std::int64_t n : {1, 16, 64, 131, 1009}) check_reads(codes, type, step, n);
    }
}

}  // namespace
}  // namespace hasten::test::cpu
