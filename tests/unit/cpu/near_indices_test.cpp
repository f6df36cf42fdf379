// Indices that are neighbours in most vectors, on vectors of every width: reads leave no array.
#include "backends/cpu/launch/launch.hpp"
#include "tests/unit/cpu/kernels.hpp"
#include "tests/unit/cpu/widths.hpp"

#include <algorithm>

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

// x[f(i, d)]
template <class F>
Maker read_at(ScalarType type, const F& index) {
  Maker m(1, {type}, {type});
  const Value d = m.scalar(i64);
  m.element([&](const Values& ix) { return Values{m.load(0, index(m, ix[0], d))}; });
  return m;
}

// Results of n elements, of an array of `size` of them that ends, or begins, where nothing may be
// read.
void expect_read(const Maker& m, const std::vector<Loaded>& codes, std::int64_t n,
                 std::int64_t size, std::int64_t d) {
  Column x = some_numbers(m.kernel.inputs[0], size);
  Trial run{{n}, {x}, {static_cast<std::uint64_t>(d)}};
  std::vector<Column> expected = empty_outputs(m.kernel, run);
  with_arguments(run, expected, [&](const auto& all) { KernelRun(m.kernel, all).run(); });
  for (const bool at_end : {true, false}) {
    const Fenced fenced(size * x.step(), at_end);
    std::copy_n(x.data(), size * x.step(), fenced.data());
    for (const Loaded& code : codes) {
      SCOPED_TRACE(std::to_string(code.bits) + " bits, n " + std::to_string(n) + ", d " +
                   std::to_string(d));
      std::vector<Column> actual = empty_outputs(m.kernel, run);
      const std::byte* const inputs[] = {fenced.data()};
      std::byte* const outputs[] = {actual[0].data()};
      backends::cpu::Launcher(1, {1 << 20, INT64_MAX})
          .launch(*code.kernel, {run.extents, inputs, outputs, run.scalars});
      expect_same(m.kernel, 0, actual, expected);
    }
  }
}

// `number` is `index` of one element; d goes through `all`.
template <class Index, class Number>
void expect_reads(const Index& index, const Number& number, const std::vector<std::int64_t>& all) {
  for (const ScalarType type : {f32, ScalarType::f64, u8, boolean}) {
    const Maker m = read_at(type, index);
    const std::vector<Loaded> codes = on_vectors_of_every_width(m.kernel);
    for (const std::int64_t n : {1, 7, 64, 65, 1000})
      for (const std::int64_t d : all) {
        std::int64_t size = 1;
        for (std::int64_t i = 0; i < n; ++i) size = std::max(size, number(i, d) + 1);
        expect_read(m, codes, n, size, d);
      }
  }
}

TEST(CpuNearIndices, ReadsOfQuotientsAndRemaindersStayInTheirArrays) {
  const std::vector<std::int64_t> divisors{1, 2, 7, 8, 16, 31, 32, 64, 100, 5000};
  expect_reads([](Maker& m, Value i, Value d) { return m.prim(ScalarOp::quot, {i, d}); },
               [](std::int64_t i, std::int64_t d) { return i / d; }, divisors);
  expect_reads([](Maker& m, Value i, Value d) { return m.prim(ScalarOp::mod, {i, d}); },
               [](std::int64_t i, std::int64_t d) { return i % d; }, divisors);
}

TEST(CpuNearIndices, ReadsOfMasksAndFlippedBitsStayInTheirArrays) {
  const std::vector<std::int64_t> bits{0, 1, 2, 3, 7, 8, 15, 21, 31, 32, 63, 64, 127, 511};
  expect_reads([](Maker& m, Value i, Value d) { return m.prim(ScalarOp::and_, {i, d}); },
               [](std::int64_t i, std::int64_t d) { return i & d; }, bits);
  expect_reads([](Maker& m, Value i, Value d) { return m.prim(ScalarOp::xor_, {i, d}); },
               [](std::int64_t i, std::int64_t d) { return i ^ d; }, bits);
}

// Vectors at multiples of the lanes know the bits of their indices; the last one of a row need not
// begin there.
TEST(CpuNearIndices, HalvesAndParitiesByConstantsStayInTheirArrays) {
  const auto number = [](std::int64_t i, std::int64_t d) {
    return ((i >> 1) ^ 3) + (i & 1) * d + ((i + 1) >> 2);
  };
  expect_reads(
      [](Maker& m, Value i, Value d) {
        const Value one = m.constant(i64, {1, 0});
        const auto shifted = [&](Value v, std::uint64_t by) {
          return m.prim(ScalarOp::shr, {v, m.constant(ScalarType::i32, {by, 0})});
        };
        const Value flipped = m.prim(ScalarOp::xor_, {shifted(i, 1), m.constant(i64, {3, 0})});
        const Value odd = m.prim(ScalarOp::and_, {i, one});
        const Value quarter = shifted(m.prim(ScalarOp::add, {i, one}), 2);
        const Value sum = m.prim(ScalarOp::add, {flipped, m.prim(ScalarOp::mul, {odd, d})});
        return m.prim(ScalarOp::add, {sum, quarter});
      },
      number, {0, 1, 5});
}

TEST(CpuNearIndices, ReadsOfSumsStayInTheirArrays) {
  // Every block of d + 1 elements twice, for d + 1 a power of two.
  expect_reads(
      [](Maker& m, Value i, Value d) {
        const Value within = m.prim(ScalarOp::and_, {i, d});
        const Value first = m.prim(ScalarOp::sub, {i, within});
        const Value half = m.prim(ScalarOp::shr, {first, m.constant(ScalarType::i32, {1, 0})});
        return m.prim(ScalarOp::add, {within, half});
      },
      [](std::int64_t i, std::int64_t d) { return (i & d) + ((i - (i & d)) >> 1); },
      {0, 1, 3, 7, 15, 31, 63, 127});
}

}  // namespace
}  // namespace hasten::test::cpu
