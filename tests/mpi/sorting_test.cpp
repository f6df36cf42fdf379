// Sorts, scatters and operations built on them by several processes: results equal the
// interpreter's on every rank, and the moved bytes are counted.
#include "tests/mpi/smoothing.hpp"

#include <hasten/mpi.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Vector;

namespace {

using Ints = Vector<std::int32_t>;

constexpr std::int64_t sizes[] = {0, 1, 5, 100, 4099, 70001};

hs::Options on_ranks(std::vector<double> split = {}) {
  return {.target = hs::mpi::target(), .split = std::move(split)};
}

// Equal shares, one rank alone, and shares as uneven as possible.
std::vector<std::vector<double>> splits() {
  const auto ranks = static_cast<std::size_t>(hs::mpi::size());
  std::vector<double> alone(ranks, 0), uneven(ranks);
  alone.back() = 1;
  for (std::size_t k = 0; k < ranks; ++k) uneven[k] = static_cast<double>((k * k + 1) % 5 + k);
  return {{}, alone, uneven};
}

template <class F, class... Arrays>
void expect_equal(F f, const Arrays&... arrays) {
  const auto expected = hs::run(f(hs::use(arrays)...), {.target = hs::interpreter()});
  for (const std::vector<double>& split : splits())
    EXPECT_EQ(hs::run(f(hs::use(arrays)...), on_ranks(split)), expected);
}

std::uint32_t mixed(std::int64_t i) {
  return static_cast<std::uint32_t>(i) * 2654435761U ^ static_cast<std::uint32_t>(i >> 3);
}
// All distinct, few distinct, and all equal.
std::vector<Ints> keys(std::int64_t n) {
  std::vector<Ints> all;
  for (const std::int64_t values : {std::int64_t{1} << 31, std::int64_t{7}, std::int64_t{1}})
    all.push_back(Ints::from_function(
        n, [&](Ix<1> i) { return static_cast<std::int32_t>(mixed(i[0]) % values) - 3; }));
  return all;
}
Vector<float> values(std::int64_t n) {
  return Vector<float>::from_function(n, [](Ix<1> i) { return static_cast<float>(i[0]); });
}

TEST(SortingRanks, SortsOfVectors) {
  for (const std::int64_t n : sizes)
    for (const Ints& each : keys(n)) {
      expect_equal([](auto a) { return hs::sort(a); }, each);
      expect_equal([](auto a) { return hs::sort(a * 3 + 1, hs::Order::descending); }, each);
      expect_equal([](auto a) { return hs::sort_by([](auto x) { return x & 15; }, a); }, each);
      // Values are numbered by their initial order, which reveals an order that is not kept.
      expect_equal([](auto k, auto v) { return hs::sort_by_key(k, v).second; }, each,
                   values(n + 2));
      expect_equal([](auto a) { return hs::top_k(5, a).first; }, each);
      expect_equal([](auto a) { return hs::top_k(5, a * 3).second; }, each);
    }
}

TEST(SortingRanks, Groups) {
  for (const std::int64_t n : sizes)
    for (const Ints& each : keys(n)) {
      expect_equal([](auto k, auto v) { return std::get<2>(hs::group_by(k, v)); }, each, values(n));
      expect_equal([](auto k) { return hs::count_by_key(k).first; }, each);
      expect_equal([](auto k) { return hs::count_by_key(k).second; }, each);
      expect_equal([](auto a) { return hs::unique(hs::sort(a)); }, each);
    }
}

TEST(SortingRanks, Scatters) {
  for (const std::int64_t n : sizes) {
    const Ints each = keys(n)[0];
    // The last update of each target remains: no initial value would suit a copy for each rank.
    expect_equal(
        [](auto v) {
          auto zeros = hs::generate(Exp<Ix<1>>(hs::ix(17)), [](auto) { return Exp<float>(0); });
          return hs::permute([](auto x, auto) { return x; }, zeros,
                             [](auto i) { return hs::some((i * 7) % 17); }, v);
        },
        values(n));
    expect_equal(
        [](auto v) {
          // 7919 is a prime: no two elements collide.
          const auto to = [](auto i) { return hs::some(i * 7919 % 70001); };
          return hs::permute_unique(
              hs::generate(hs::ix(70001), [](auto) { return Exp<float>(-1); }), to, v);
        },
        values(n));
  }
}

TEST(SortingRanks, RowsOfSeveralArrays) {
  for (const std::int64_t n : sizes)
    expect_equal([](auto a) { return hs::concat(hs::sort(a), a * 2); }, keys(n)[0]);
}

TEST(SortingRanks, BordersOfTheOtherEnd) {
  const auto blur = [](auto border, auto a) {
    return hs::stencil(
        [](auto at) { return at(-2, 0) + at(0, -1) * 3 + at(0, 0) + at(1, 1) - at(2, 0); }, border,
        a);
  };
  for (const std::int64_t rows : {1, 2, 3, 8, 301}) {
    const auto table = Matrix<std::int32_t>::from_function(
        {rows, 13}, [](Ix<2> i) { return static_cast<std::int32_t>(i[0] * 31 + i[1] * 7 % 11); });
    expect_equal([&](auto a) { return blur(hs::boundary::wrap, blur(hs::boundary::wrap, a)); },
                 table);
    expect_equal([&](auto a) { return blur(hs::boundary::mirror, blur(hs::boundary::mirror, a)); },
                 table);
  }
}

TEST(SortingRanks, OneLongSegment) {
  for (const std::int64_t n : {10, 4099, 70001})
    expect_equal(
        [](auto a) {
          auto lengths = hs::concat(hs::fill(hs::ix(3), Exp<std::int64_t>(1)),
                                    hs::fill(hs::ix(1), hs::size(a) - 3));
          return hs::fold_seg(std::plus<>{}, 100, a, lengths);
        },
        keys(n)[0]);
}

// -- communication --------------------------------------------------------------------------------

// The bytes that a program sends, per rank.
template <class F, class... Arrays>
std::int64_t bytes_sent(F& f, const Arrays&... arrays) {
  static_cast<void>(f(arrays...));
  const auto before = hs::mpi::traffic();
  static_cast<void>(f(arrays...));
  return hs::mpi::traffic().bytes - before.bytes;
}

TEST(SortingRanks, ElementsMoveOnce) {
  constexpr std::int64_t n = 700'000;
  auto sort = hs::compile([](Acc<Ints> a) { return hs::sort(a); }, on_ranks());
  auto by_key = hs::compile(
      [](Acc<Ints> k, Acc<Vector<float>> v) { return hs::sort_by_key(k, v).second; }, on_ranks());
  const std::int64_t ranks = hs::mpi::size(), own = n / ranks;
  const double moves =
      static_cast<double>(own) * static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  // Samples go to the first rank, splitters come from it; all ranks learn where ranges end.
  const auto others = static_cast<double>(4096 * 16 + 64 * ranks * ranks + 256);
  for (const Ints& each : {keys(n)[0], keys(n)[2]}) {
    const bool is_one_key = each(0) == each(1);
    const auto sent = static_cast<double>(bytes_sent(sort, each));
    EXPECT_LE(sent, 4 * 1.1 * moves + others);
    const auto of_both = static_cast<double>(bytes_sent(by_key, each, values(n)));
    EXPECT_LE(of_both, 8 * 1.1 * moves + others);
    // Equal keys are in place already, except those between a splitter and its part.
    if (is_one_key)
      EXPECT_LE(sent, 0.3 * 4 * moves + others);
    else
      EXPECT_GE(sent, 4 * 0.9 * moves);
  }
}

TEST(SortingRanks, FirstElementsMoveAlone) {
  auto first = hs::compile([](Acc<Ints> a) { return hs::top_k(5, a).first; }, on_ranks());
  EXPECT_LE(bytes_sent(first, keys(100'000)[0]), 1000 * hs::mpi::size());
}

TEST(SortingRanks, WrappedRoundsMoveBordersAlone) {
  auto smooth = hs::compile(hasten_test::smoothing(hs::boundary::wrap), on_ranks());
  constexpr std::int64_t row = 4 * hasten_test::smoothed_columns;
  EXPECT_LE(bytes_sent(smooth, hasten_test::rough()),
            hs::mpi::size() > 1 ? 2 * hasten_test::smoothing_rounds * row : 0);
}

}  // namespace
