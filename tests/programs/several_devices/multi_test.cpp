// One program on several devices: results are the interpreter's, however it is split.
#include <hasten/hasten.hpp>

#include "tests/support/devices.hpp"
#include "tests/support/rows_that_move.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

using Ints = Vector<std::int32_t>;
using Table = Matrix<std::int32_t>;

const std::vector<std::vector<double>> splits{{1, 1}, {1, 0}, {0, 1}, {3, 1}, {1, 50}};

class Multi : public testing::Test {
 protected:
  void SetUp() override { hs::test::require_device("opencl"); }

  static hs::Options on_both(std::vector<double> split = {}) {
    return {.target = hs::multi({hs::cpu(), hs::opencl(0)}), .split = std::move(split)};
  }

  static std::string text_of(const std::vector<double>& split) {
    return "split " + std::to_string(split[0]) + " : " + std::to_string(split[1]);
  }

  /// f of arrays, on the interpreter and with every split.
  template <class F, class... Arrays>
  static void expect_equal(F f, const Arrays&... arrays) {
    const auto expected = hs::run(f(hs::use(arrays)...), {.target = hs::interpreter()});
    for (const std::vector<double>& split : splits)
      EXPECT_EQ(hs::run(f(hs::use(arrays)...), on_both(split)), expected) << text_of(split);
  }

  static Ints numbers(std::int64_t n) {
    return Ints::from_function(
        n, [](Ix<1> i) { return static_cast<std::int32_t>(i[0] * 7919 % 1009 - 500); });
  }
  static Table table(std::int64_t rows, std::int64_t columns) {
    return Table::from_function({rows, columns}, [](Ix<2> i) {
      return static_cast<std::int32_t>((i[0] * 31 + i[1] * 7919) % 1009 - 500);
    });
  }
  static constexpr std::int64_t sizes[] = {0, 1, 7, 100, 4099};
};

TEST_F(Multi, Maps) {
  for (const std::int64_t n : sizes) {
    expect_equal([](auto a) { return hs::map([](auto x) { return x * 2 + 1; }, a); }, numbers(n));
    expect_equal(
        [](auto a) { return hs::imap([](auto i, auto x) { return hs::cast<int>(i) - x; }, a + 1); },
        numbers(n));
    expect_equal([](auto a, auto b) { return hs::zip_with(std::minus<>{}, a, b + 2); }, numbers(n),
                 numbers(n + 3));
  }
}

TEST_F(Multi, Folds) {
  for (const std::int64_t n : sizes) {
    expect_equal([](auto a) { return hs::sum(a * a); }, numbers(n));
    expect_equal([](auto a) { return hs::fold(std::plus<>{}, 7, a); }, numbers(n));
    expect_equal([](auto a) { return hs::sum(a * a); }, table(n, 5));
    expect_equal([](auto a) { return hs::sum_on<0>(a * a); }, table(n, 5));
    expect_equal([](auto a) { return hs::sum_all(a * a); }, table(n, 5));
    if (n > 0) expect_equal([](auto a) { return hs::maximum(a); }, numbers(n));
  }
}

TEST_F(Multi, Scans) {
  for (const std::int64_t n : sizes) {
    expect_equal([](auto a) { return hs::scanl1(std::plus<>{}, a); }, numbers(n));
    expect_equal([](auto a) { return hs::scanl(std::plus<>{}, 3, a) * 2; }, numbers(n));
    expect_equal([](auto a) { return hs::scanr1(std::plus<>{}, a); }, numbers(n));
    expect_equal([](auto a) { return hs::scanl1(std::plus<>{}, a); }, table(n, 5));
  }
}

TEST_F(Multi, ChosenElements) {
  for (const std::int64_t n : sizes) {
    const auto odd = [](auto x) { return x % 3 == 0; };
    expect_equal([=](auto a) { return hs::filter(odd, a) + 1; }, numbers(n));
    expect_equal([=](auto a) { return hs::sum(hs::filter(odd, a)); }, numbers(n));
    expect_equal(
        [](auto a) { return hs::histogram(10, [](auto x) { return hs::abs(x) % 10; }, a); },
        numbers(n));
    expect_equal([](auto a) { return hs::sort(a); }, numbers(n));
  }
}

TEST_F(Multi, Shapes) {
  for (const std::int64_t n : sizes) {
    expect_equal([](auto a) { return hs::reverse(a + 1); }, numbers(n));
    expect_equal([](auto a) { return hs::transpose(a + 1); }, table(n, 5));
    expect_equal([](auto a) { return hs::flatten(a + 1) * 2; }, table(n, 5));
    expect_equal([](auto a) { return hs::reshape(hs::ix(hs::size(a), 1), a + 1) * 2; }, numbers(n));
    expect_equal([](auto a) { return hs::concat(a, a + 1); }, numbers(n));
    expect_equal([](auto a) { return hs::concat_on<1>(a, a + 1); }, table(n, 5));
  }
}

TEST_F(Multi, RowsThatMove) {
  for (const std::int64_t n : sizes)
    hs::test::for_rows_that_move([n](auto program) { expect_equal(program, numbers(n)); });
  expect_equal([](auto a) { return hs::drop_on<0>(hs::shape(a)[0] / 2, a + 1); }, table(501, 5));
  expect_equal([](auto a) { return hs::tail_on<0>(hs::transpose(a)); }, table(50, 77));
}

// Arrays of which only the size is used are not made: these would be larger than any memory.
TEST_F(Multi, SizesNeedNoElements) {
  static constexpr std::int64_t many = std::int64_t{1} << 40;
  const auto f = hs::compile(
      [](const Acc<Ints>& a) {
        const auto rows = hs::replicate(hs::over(hs::size(a), hs::keep), hs::iota(many));
        const auto all = hs::replicate(hs::over(hs::keep, hs::keep, hs::size(a)), rows);
        return hs::unit(hs::size(all));
      },
      on_both({1, 1}));
  EXPECT_EQ(f(numbers(7)).item(), many * 49);
  EXPECT_EQ(f(numbers(0)).item(), 0);
}

TEST_F(Multi, Stencils) {
  const auto along = [](auto at) { return at(-1) + 3 * at(2) - at(0); };
  const auto across = [](auto at) { return at(-1, 0) + 2 * at(1, 0) - at(0, 1); };
  for (const std::int64_t n : {1, 7, 100}) {
    expect_equal(
        [=](auto a) { return hs::stencil(along, hs::boundary::clamp, hs::compute(a + 1)); },
        numbers(n));
    expect_equal([=](auto a) { return hs::stencil(along, hs::boundary::wrap, hs::compute(a + 1)); },
                 numbers(n));
    expect_equal(
        [=](auto a) { return hs::stencil(across, hs::boundary::clamp, hs::compute(a + 1)); },
        table(n, 5));
    expect_equal(
        [=](auto a) { return hs::stencil(across, hs::boundary::outside(9), hs::compute(a + 1)); },
        table(n, 5));
  }
}

TEST_F(Multi, LoopsKeepTheirParts) {
  const auto rounds = [](auto a) {
    return hs::aiterate(
        5,
        [](auto x) {
          return hs::stencil([](auto at) { return at(-1, 0) + at(1, 0) - at(0, 1); },
                             hs::boundary::clamp, x);
        },
        a);
  };
  for (const std::int64_t n : {1, 7, 100}) expect_equal(rounds, table(n, 5));
}

TEST_F(Multi, Contractions) {
  for (const std::int64_t n : {1, 7, 100})
    expect_equal([](auto a) { return hs::matmul(a, hs::transpose(a)); }, table(n, 5));
}

TEST_F(Multi, SegmentsStayTogether) {
  const Vector<std::int64_t> lengths{3, 0, 5, 1, 0, 90, 0};
  expect_equal([](auto a, auto l) { return hs::fold_seg(std::plus<>{}, 4, a * 2, l); }, numbers(99),
               lengths);
}

// Another split is not another program, nor are other sizes. The program for one device alone is
// another one, compiled once for each device.
TEST_F(Multi, NothingIsCompiledAnew) {
  const auto program = [](const Acc<Ints>& a, const Exp<int>& k) { return hs::sum(a * k); };
  const auto kernels_of = [](const auto& compiled) {
    return compiled.statistics().kernels_compiled + compiled.statistics().kernels_from_cache;
  };
  const std::int64_t alone = kernels_of(hs::compile(program, {.target = hs::cpu()})) +
                             kernels_of(hs::compile(program, {.target = hs::opencl(0)}));
  const auto f = hs::compile(program, on_both());
  const std::int64_t before = kernels_of(f);
  for (const std::int64_t n : {10, 1000, 50'000, 50'000, 50'000, 50'000, 50'000, 50'000, 50'000})
    EXPECT_EQ(f(numbers(n), 3).item(), hs::run(hs::sum(hs::use(numbers(n)) * 3)).item());
  EXPECT_LE(kernels_of(f), before + alone);
  const auto fixed = hs::compile(program, on_both({1, 2}));
  for (const std::int64_t n : {10, 1000, 50'000, 50'000}) static_cast<void>(fixed(numbers(n), 3));
  EXPECT_LE(kernels_of(fixed), before);
  std::ostringstream out;
  out << f.explain();
  const std::string text = out.str();
  EXPECT_NE(text.find("shares: cpu "), std::string::npos) << text;
  EXPECT_NE(text.find("opencl:0 "), std::string::npos) << text;
}

// Like whole arrays, until they are released.
TEST_F(Multi, PartsOfArgumentsStayOnTheirDevices) {
  const auto f = hs::compile([](const Acc<Ints>& a) { return hs::sum(a * a); }, on_both({1, 1}));
  const auto copied = [&] { return f.statistics().bytes_to_devices; };
  const Ints xs = numbers(50'000);
  const int sum = f(xs).item();
  const std::int64_t first = copied();
  EXPECT_GE(first, 100'000);
  EXPECT_EQ(f(xs).item(), sum);
  EXPECT_EQ(copied(), first);
  hs::release(xs);
  EXPECT_EQ(f(xs).item(), sum);
  EXPECT_EQ(copied(), 2 * first);
}

// Partial sums of floats depend on the split, and on nothing else.
TEST_F(Multi, OneSplitGivesTheSameBits) {
  std::vector<float> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0f / static_cast<float>(i + 1);
  const Vector<float> xs(static_cast<std::int64_t>(values.size()), std::span<const float>(values));
  const auto sum = hs::compile<Acc<Scalar<float>>(Acc<Vector<float>>)>(
      [](auto a) { return hs::sum(a); }, on_both({2, 3}));
  const auto first = sum(xs);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(hs::identical(sum(xs), first));
  hs::Options everywhere = on_both({2, 3}), reference{.target = hs::interpreter()};
  everywhere.determinism = reference.determinism = hs::Determinism::everywhere;
  const auto exact = hs::run(hs::sum(hs::use(xs)), reference);
  for (const std::vector<double>& split : splits) {
    everywhere.split = split;
    EXPECT_TRUE(hs::identical(hs::run(hs::sum(hs::use(xs)), everywhere), exact)) << text_of(split);
  }
}

// Shapes in messages are those of whole arrays.
TEST_F(Multi, ErrorsSayWhatTheUserWrote) {
  const auto message = [](auto f) {
    try {
      f();
    } catch (const hs::Error& error) {
      const std::string what = error.what();
      return what.substr(what.find(": ") + 2);
    }
    return std::string("no error");
  };
  const auto expect_same = [&](auto program) {
    const std::string expected = message([&] { hs::run(program(), {.target = hs::cpu()}); });
    EXPECT_NE(expected, "no error");
    for (const std::vector<double>& split : splits)
      EXPECT_EQ(message([&] { hs::run(program(), on_both(split)); }), expected);
  };
  expect_same([] { return hs::use(numbers(100)) + hs::use(numbers(90)); });
  expect_same([] { return hs::maximum(hs::use(table(100, 0))); });
  expect_same([] { return hs::maximum(hs::use(numbers(0))); });
  expect_same([] { return hs::reshape(hs::ix(7, 5), hs::use(numbers(100)) + 1); });
}

TEST_F(Multi, WrongSplitsAndTargetsAreErrors) {
  const auto program = hs::sum(hs::use(Ints{1, 2, 3}));
  EXPECT_THROW(hs::run(program, on_both({1})), hs::BuildError);
  EXPECT_THROW(hs::run(program, on_both({1, -1})), hs::BuildError);
  EXPECT_THROW(hs::run(program, on_both({0, 0})), hs::BuildError);
  EXPECT_THROW(hs::run(program, {.target = hs::cpu(), .split = {1, 1}}), hs::BuildError);
  for (const char* name :
       {"multi:", "multi:cpu,cpu", "multi:cpu,interpreter", "multi:cpu,nothing", "multi:multi:cpu"})
    EXPECT_THROW(hs::run(program, {.target = hs::Target(name)}), hs::TargetError) << name;
  EXPECT_EQ(hs::run(program, {.target = hs::Target("multi:cpu")}).item(), 6);
}

// Checked operations name what the user wrote, so they are not cut.
TEST_F(Multi, CheckedProgramsRun) {
  hs::Options options = on_both();
  options.checks = hs::Checks::all;
  const Ints xs{1, 2, 3};
  EXPECT_EQ(hs::run(hs::use(xs) * 2, options), (Ints{2, 4, 6}));
  EXPECT_THROW(hs::run(hs::use(xs) / hs::use(Ints{1, 0, 1}), options), hs::ArithmeticError);
}

}  // namespace
