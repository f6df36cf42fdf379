// Programs that several processes run together: results equal the interpreter's on every rank.
#include "tests/mpi/smoothing.hpp"

#include <hasten/mpi.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

using Ints = Vector<std::int32_t>;
using Table = Matrix<std::int32_t>;

constexpr std::int64_t sizes[] = {0, 1, 2, 7, 100, 4099, 70001};

hs::Options on_ranks(std::vector<double> split = {}) {
  return {.target = hs::mpi::target(), .split = std::move(split)};
}

// Equal shares, one rank alone, and one rank without a share.
std::vector<std::vector<double>> splits() {
  const auto ranks = static_cast<std::size_t>(hs::mpi::size());
  std::vector<double> alone(ranks, 0), others(ranks, 1);
  alone.back() = 1;
  if (ranks > 1) others[ranks / 2] = 0;
  return {{}, alone, others};
}

Ints numbers(std::int64_t n) {
  return Ints::from_function(
      n, [](Ix<1> i) { return static_cast<std::int32_t>(i[0] * 7919 % 1009 - 500); });
}
Table table(std::int64_t rows, std::int64_t columns) {
  return Table::from_function({rows, columns}, [](Ix<2> i) {
    return static_cast<std::int32_t>((i[0] * 31 + i[1] * 7919) % 1009 - 500);
  });
}

template <class F, class... Arrays>
void expect_equal(F f, const Arrays&... arrays) {
  const auto expected = hs::run(f(hs::use(arrays)...), {.target = hs::interpreter()});
  for (const std::vector<double>& split : splits())
    EXPECT_EQ(hs::run(f(hs::use(arrays)...), on_ranks(split)), expected);
}

/// This rank's part of an array: the numbers of rows are as uneven as possible.
template <class T, std::size_t N>
hs::Array<T, N> own_rows(const hs::Array<T, N>& whole) {
  const std::int64_t rows = whole.shape()[0], ranks = hs::mpi::size(), rank = hs::mpi::rank();
  const auto begin = [&](std::int64_t k) { return rows * k * k / (ranks * ranks); };
  Ix<N> shape = whole.shape();
  shape[0] = begin(rank + 1) - begin(rank);
  return hs::Array<T, N>::from_function(shape, [&](Ix<N> ix) {
    ix[0] += begin(rank);
    return whole[ix];
  });
}

TEST(Ranks, MapsFoldsAndScans) {
  for (const std::int64_t n : sizes) {
    expect_equal([](auto a) { return hs::map([](auto x) { return x * 2 + 1; }, a); }, numbers(n));
    expect_equal([](auto a, auto b) { return hs::zip_with(std::minus<>{}, a, b + 2); }, numbers(n),
                 numbers(n + 3));
    expect_equal([](auto a) { return hs::sum(a * a); }, numbers(n));
    expect_equal([](auto a) { return hs::scanl1(std::plus<>{}, a); }, numbers(n));
    expect_equal([](auto a) { return hs::scanl(std::plus<>{}, 3, a); }, numbers(n));
    expect_equal([](auto a) { return hs::sum(a * a); }, table(n, 5));
    expect_equal([](auto a) { return hs::sum_on<0>(a * a); }, table(n, 5));
    expect_equal([](auto a) { return hs::transpose(a) + 1; }, table(n, 5));
  }
}

// Operators that do not commute reveal a wrong order.
TEST(Ranks, PartialResultsAreCombinedInOrder) {
  const auto compose = [](auto f, auto g) {
    auto [a, b] = f;
    auto [c, d] = g;
    return std::tuple{c * a, c * b + d};
  };
  for (const std::int64_t n : sizes) {
    expect_equal(
        [&](auto a) {
          auto maps = hs::map([](auto x) { return std::tuple{x | 1, x}; }, a);
          return hs::fold(compose, std::tuple{1, 0}, maps);
        },
        numbers(n));
    expect_equal(
        [&](auto a) {
          auto maps = hs::map([](auto x) { return std::tuple{x | 1, x}; }, a);
          return hs::scanl1(compose, maps);
        },
        numbers(n));
  }
}

TEST(Ranks, StencilsReadRowsOfOthers) {
  const auto blur = [](auto a) {
    return hs::stencil(
        [](auto at) { return at(-2, 0) + at(0, -1) * 3 + at(0, 0) + at(1, 1) - at(2, 0); },
        hs::boundary::clamp, a);
  };
  for (const std::int64_t rows : {0, 1, 3, 8, 64, 301}) {
    expect_equal([&](auto a) { return blur(a * 2); }, table(rows, 13));
    expect_equal([&](auto a) { return blur(blur(a)); }, table(rows, 13));
  }
}

TEST(Ranks, SizesThatDependOnData) {
  for (const std::int64_t n : sizes) {
    expect_equal([](auto a) { return hs::filter([](auto x) { return x % 3 == 0; }, a); },
                 numbers(n));
    expect_equal(
        [](auto a) {
          auto kept = hs::filter([](auto x) { return x > 0; }, a);
          return hs::map([](auto x) { return x * 2; }, kept);
        },
        numbers(n));
    expect_equal([](auto a) { return hs::sort(a); }, numbers(n));
  }
}

TEST(Ranks, Scatters) {
  for (const std::int64_t n : sizes)
    expect_equal(
        [](auto a) {
          auto zeros = hs::generate(Exp<Ix<1>>(hs::ix(17)), [](auto) { return Exp<int>(0); });
          return hs::permute(
              std::plus<>{}, zeros, [&](auto i) { return hs::some((i * 7) % 17); }, a);
        },
        numbers(n));
}

TEST(Ranks, LoopsKeepTheirStateInParts) {
  const auto heat = [](Acc<Matrix<std::int32_t>> a) {
    return hs::aiterate(
        20,
        [](auto grid) {
          return hs::stencil(
              [](auto at) {
                return (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) + 4 * at(0, 0)) / 8;
              },
              hs::boundary::clamp, grid);
        },
        a);
  };
  for (const std::int64_t rows : {1, 5, 64, 130}) expect_equal(heat, table(rows, 33));
}

// -- arrays of parts ------------------------------------------------------------------------------

TEST(Ranks, PartsMakeOneArray) {
  for (const std::int64_t n : sizes) {
    const Ints whole = numbers(n);
    const Ints shared = hs::mpi::distributed(own_rows(whole));
    EXPECT_EQ(shared.shape(), whole.shape());
    EXPECT_EQ(hs::run(hs::use(shared) * 3, on_ranks()),
              hs::run(hs::use(whole) * 3, {.target = hs::interpreter()}));
    EXPECT_EQ(shared, whole);
  }
}

TEST(Ranks, PartsAlongInnerAxes) {
  const int ranks = hs::mpi::size(), rank = hs::mpi::rank();
  const Table local = Table::from_function({10, rank + 1}, [&](Ix<2> i) {
    return static_cast<std::int32_t>(1000 * rank + 10 * i[1] + i[0]);
  });
  const Table shared = hs::mpi::distributed(local, 1);
  ASSERT_EQ(shared.shape(), (Ix<2>{10, ranks * (ranks + 1) / 2}));
  std::int64_t column = 0;
  for (int k = 0; k < ranks; ++k)
    for (std::int64_t j = 0; j <= k; ++j, ++column)
      for (std::int64_t i = 0; i < 10; ++i)
        ASSERT_EQ(shared(i, column), 1000 * k + 10 * j + i) << "rank " << k;
}

TEST(Ranks, OwnPartsOfResultsAreWhereInputsWere) {
  const Table whole = table(200, 7);
  const Table own = own_rows(whole);
  const Table doubled = hs::run(hs::use(hs::mpi::distributed(own)) * 2, on_ranks());
  const auto before = hs::mpi::traffic();
  const Table part = hs::mpi::local(doubled);
  EXPECT_EQ(hs::mpi::traffic().bytes, before.bytes);
  ASSERT_EQ(part.shape(), own.shape());
  for (std::int64_t i = 0; i < part.shape()[0]; ++i) EXPECT_EQ(part(i, 3), own(i, 3) * 2);
}

TEST(Ranks, ResultsAreArgumentsAgain) {
  auto f = hs::compile([](Acc<Ints> a) { return a + 1; }, on_ranks());
  Ints state = numbers(50000);
  for (int round = 0; round < 5; ++round) state = f(state);
  const auto before = hs::mpi::traffic();
  for (int round = 0; round < 5; ++round) state = f(state);
  EXPECT_EQ(hs::mpi::traffic().bytes, before.bytes);
  for (const std::int64_t i : {0, 1, 25000, 49999}) EXPECT_EQ(state(i), numbers(50000)(i) + 10);
}

// -- communication --------------------------------------------------------------------------------

TEST(Ranks, RoundsMoveBordersAlone) {
  auto smooth = hs::compile(hasten_test::smoothing(hs::boundary::clamp), on_ranks());
  const Matrix<float> start = hasten_test::rough();
  static_cast<void>(smooth(start));
  const auto before = hs::mpi::traffic();
  static_cast<void>(smooth(start));
  const std::int64_t sent = hs::mpi::traffic().bytes - before.bytes;
  const int rank = hs::mpi::rank(), neighbours = (rank > 0) + (rank + 1 < hs::mpi::size());
  constexpr std::int64_t row = 4 * hasten_test::smoothed_columns;
  // The first round reads the rows of every rank.
  EXPECT_LE(sent, neighbours * hasten_test::smoothing_rounds * row);
  EXPECT_GE(sent, neighbours * (hasten_test::smoothing_rounds - 1) * row);
}

// A round is computed in place of the one before. Arguments, and results that a caller holds, stay
// as they are; so do rows that a neighbour reads.
TEST(Ranks, RoundsTakeNoMemory) {
  const auto program = [](Exp<std::int64_t> rounds, Acc<Table> start) {
    const auto round = [](Acc<Table> a, Acc<Table> b) {
      const auto apart = hs::compute(hs::stencil(
          [](auto at) { return at(-1, 0) + at(1, 0) - at(0, 0); }, hs::boundary::clamp, a));
      return std::pair{b - a, apart + b * 2};
    };
    return std::get<0>(hs::aiterate(rounds, round, std::pair{start, start + 1}));
  };
  const auto on = hs::compile(program, on_ranks());
  const auto defined = hs::compile(program, {.target = hs::interpreter()});
  const Table start = table(600, 70), own = own_rows(start);
  const Table parts = hs::mpi::distributed(own);
  const auto taken_by = [&](std::int64_t rounds) {
    const hs::Statistics before = hs::statistics();
    const Table result = on(rounds, parts);
    const auto taken = (hs::statistics() - before).bytes_allocated;
    EXPECT_EQ(result, defined(rounds, start));
    return taken;
  };
  const Table earlier = on(3, parts);
  const std::int64_t four = taken_by(4), nine = taken_by(9);
  // Each round takes the stencil's array and, of rows that others sent, as much as these are.
  constexpr std::int64_t plane = 600 * 70 * sizeof(std::int32_t), rows_of_others = 4 * 70 * 8;
  EXPECT_LT(nine - four, 5 * (plane + rows_of_others));
  EXPECT_EQ(earlier, defined(3, start));
  EXPECT_EQ(parts, start);
  EXPECT_EQ(own, own_rows(start));
}

TEST(Ranks, SumsMoveOneNumberEach) {
  auto sum = hs::compile([](Acc<Vector<double>> a) { return hs::sum(a); }, on_ranks());
  const Vector<double> a =
      Vector<double>::from_function(100000, [](Ix<1> i) { return static_cast<double>(i[0]); });
  EXPECT_EQ(sum(a).item(), 100000.0 * 99999 / 2);
  const auto before = hs::mpi::traffic();
  static_cast<void>(sum(a));
  EXPECT_LE(hs::mpi::traffic().bytes - before.bytes, 8 * hs::mpi::size());
}

// -- errors ---------------------------------------------------------------------------------------

TEST(Ranks, DifferentCallsAreAnError) {
  if (hs::mpi::size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  auto f = hs::compile([](Acc<Ints> a) { return a + 1; }, on_ranks());
  const Ints mine = numbers(hs::mpi::rank() == 0 ? 10 : 11);
  EXPECT_THROW(static_cast<void>(f(mine)), hs::TargetError);
  EXPECT_EQ(f(numbers(10))(3), numbers(10)(3) + 1);
}

TEST(Ranks, LooksOfOneRankAloneAreAnErrorOnAll) {
  if (hs::mpi::size() == 1) GTEST_SKIP() << "one rank has everything";
  auto f = hs::compile([](Acc<Ints> a) { return a + 1; }, on_ranks());
  const Ints result = f(numbers(10000));
  if (hs::mpi::rank() == 0)
    EXPECT_THROW(static_cast<void>(result(5)), hs::TargetError);
  else
    EXPECT_THROW(static_cast<void>(f(numbers(10000))), hs::TargetError);
  EXPECT_EQ(result(5), numbers(10000)(5) + 1);
}

TEST(Ranks, AnErrorOfOneRankIsThrownOnAll) {
  if (hs::mpi::size() == 1) GTEST_SKIP() << "one rank has no others";
  // The limit of one rank is too small: other ranks wait for its rows, and receive its error.
  auto blurred = [](Acc<Matrix<float>> a) {
    return hs::aiterate(
        3,
        [](auto grid) {
          return hs::stencil([](auto at) { return at(-1, 0) + at(1, 0); }, hs::boundary::clamp,
                             grid);
        },
        a);
  };
  hs::Options options = on_ranks();
  auto fine = hs::compile(blurred, options);
  options.memory_limit = hs::mpi::rank() == hs::mpi::size() - 1 ? 1000 : 0;
  auto fails = hs::compile(blurred, options);
  const Matrix<float> start =
      Matrix<float>::from_function({1000, 100}, [](Ix<2> i) { return static_cast<float>(i[1]); });
  const auto expected = fine(start);
  for (int again = 0; again < 3; ++again) {
    try {
      static_cast<void>(fails(start));
      FAIL() << "no error on rank " << hs::mpi::rank();
    } catch (const hs::MemoryError& error) {
      EXPECT_NE(std::string(error.what()).find("programs_test.cpp:"), std::string::npos)
          << error.what();
    }
    EXPECT_TRUE(hs::identical(fine(start), expected));
  }
}

TEST(Ranks, WrongShapesAreErrorsOnAll) {
  auto f = hs::compile([](Acc<Ints> a) { return hs::reshape(hs::ix(3, 5), a); }, on_ranks());
  EXPECT_THROW(static_cast<void>(f(numbers(14))), hs::ShapeError);
  const Table wrong = table(3, hs::mpi::rank() + 1);
  if (hs::mpi::size() > 1) {
    EXPECT_THROW(static_cast<void>(hs::mpi::distributed(wrong)), hs::ShapeError);
  }
}

TEST(Ranks, CheckedProgramsRunWhole) {
  hs::Options options = on_ranks();
  options.checks = hs::Checks::all;
  auto f = hs::compile(
      [](Acc<Ints> a) { return hs::generate(hs::size(a), [=](auto i) { return a[i + 1]; }); },
      options);
  EXPECT_THROW(static_cast<void>(f(hs::mpi::distributed(numbers(10)))), hs::IndexError);
}

TEST(Ranks, CallsInFlight) {
  auto f = hs::compile([](Acc<Ints> a) { return hs::sum(a); }, on_ranks());
  auto one = f.async(numbers(1000)), two = f.async(numbers(999));
  EXPECT_EQ(two.get().item(),
            hs::run(hs::sum(hs::use(numbers(999))), {.target = hs::interpreter()}).item());
  EXPECT_EQ(one.get().item(),
            hs::run(hs::sum(hs::use(numbers(1000))), {.target = hs::interpreter()}).item());
}

}  // namespace
