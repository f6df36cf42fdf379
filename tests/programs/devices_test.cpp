// The targets with device memory, on their first devices: a program for each skeleton, and the
// places of arrays. Devices that are absent are skipped; another entry of CTest runs CUDA's text
// without a GPU. The whole conformance suite is conformance_opencl and conformance_cuda.
#include <hasten/hasten.hpp>

#include "tests/support/on_devices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

class Devices : public hs::test::OnDevices {
 protected:
  static Acc<Vector<int>> numbers(std::int64_t n) {
    return hs::map([](Exp<std::int64_t> i) { return hs::cast<int>(i * 7919 % 1009) - 500; },
                   hs::iota(n));
  }
};

TEST_P(Devices, Maps) {
  for (const std::int64_t rows : {1, 3, 300})
    for (const std::int64_t columns : {1, 5, 257, 1000})
      run(hs::generate(hs::ix(rows, columns), [](Exp<hs::Ix<2>> ix) {
        return hs::cast<std::int16_t>(ix[0] * 1000 - ix[1]) / std::int16_t{7};
      }));
}

// Long enough for vectors of four and a remainder.
TEST_P(Devices, MapsOfLongRows) {
  for (const std::int64_t n : {4095, 4096, 4099, 70001}) {
    const Vector<int> xs = hs::run(numbers(n), {.target = hs::interpreter()});
    const auto ys = hs::compute(hs::cast<std::int8_t>(numbers(n)));
    const auto wide = hs::compute(hs::cast<double>(numbers(n)));
    run(hs::zip_with(
        [](Exp<int> x, Exp<std::int8_t> y, Exp<double> z) {
          return std::tuple{hs::cast<double>(x) + z, y, hs::cast<int>(y) * x > 0};
        },
        hs::use(xs), ys, wide));
  }
  const auto table = hs::reshape(hs::ix(70, 1001), numbers(70070));
  run(hs::map([](Exp<int> x) { return x * 3 + 1; }, hs::compute(table)));
  run(hs::transpose(hs::compute(table)));
}

// 2x2 matrices under multiplication: any change of the order shows.
TEST_P(Devices, FoldsKeepTheOrder) {
  using M = std::array<std::uint32_t, 4>;
  const auto product = [](const Exp<M>& a, const Exp<M>& b) {
    return Exp<M>{a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                  a[2] * b[1] + a[3] * b[3]};
  };
  for (const std::int64_t n : {0, 1, 63, 65, 8192, 8193, 50000}) {
    const auto matrices = hs::map(
        [](Exp<int> x) {
          const auto u = hs::cast<std::uint32_t>(x);
          return Exp<M>{u, u + 1u, u * 3u, u ^ 5u};
        },
        numbers(n));
    run(hs::fold(product, M{1, 2, 3, 5}, matrices));
  }
}

TEST_P(Devices, FoldsOfRows) {
  const auto table = hs::reshape(hs::ix(5, 10007), numbers(50035));
  run(hs::sum(table));
  run(hs::sum_on<0>(table));
  // Rows and columns of every length class, single and many.
  for (const std::int64_t rows : {1, 3, 40, 20000})
    for (const std::int64_t columns : {1, 9, 33, 300, 2500, 40000}) {
      if (rows * columns > 400000) continue;
      const auto some = hs::compute(hs::reshape(hs::ix(rows, columns), numbers(rows * columns)));
      run(hs::fold(std::plus<>{}, 7, some));
      run(hs::fold_on<0>(std::plus<>{}, 7, some));
      run(hs::maximum_on<0>(some));
      const auto last = [](Exp<int> a, Exp<int> b) { return hs::select(b % 5 != 0, b, a); };
      run(hs::fold1(last, some));
      run(hs::fold_on<0>(last, 5, some));
    }
  EXPECT_THROW(hs::run(hs::minimum(numbers(0)), GetParam()), hs::ShapeError);
}

TEST_P(Devices, ScansKeepTheOrder) {
  using Map = std::array<std::uint32_t, 2>;  // x -> a x + b
  const auto then = [](const Exp<Map>& f, const Exp<Map>& g) {
    return Exp<Map>{f[0] * g[0], g[0] * f[1] + g[1]};
  };
  for (const std::int64_t n : {0, 1, 65, 2048, 2049, 100000}) {
    const auto maps =
        hs::map([](Exp<int> x) { return Exp<Map>{hs::cast<std::uint32_t>(x), 7u}; }, numbers(n));
    run(hs::scanl(then, Map{2, 3}, maps));
    run(hs::scanr1(then, maps));
  }
}

TEST_P(Devices, Scatters) {
  const auto xs = numbers(5000);
  const auto bin = [](Exp<std::int64_t>, Exp<int> x) { return hs::cast<std::int64_t>(x % 10 + 5); };
  run(hs::permute(std::plus<>{}, hs::fill(12, 1), bin, xs));  // atomics
  const auto wide = hs::cast<std::int64_t>(xs);
  const auto bin_of_wide = [](Exp<std::int64_t> i, Exp<std::int64_t>) { return i % 10; };
  const auto start = hs::fill(12, std::int64_t{-1});
  run(hs::permute([](auto a, auto b) { return a & b; }, start, bin_of_wide, wide));
  run(hs::permute([](auto a, auto b) { return a ^ b; }, start, bin_of_wide, wide));
  run(hs::permute([](auto a, auto b) { return hs::min(a, b); }, start, bin_of_wide, wide));
  const auto byte = [](Exp<int> x) { return hs::cast<std::int64_t>(x % 200) + 20; };
  run(hs::histogram(256, byte, xs));
  run(hs::histogram(5000, byte, xs));
  run(hs::histogram(3, byte, byte, xs));
  const auto floats = hs::cast<double>(xs) * 0.125;  // equal in any order
  const auto of_float = [](Exp<std::int64_t> i, Exp<double>) { return i % 11; };
  run(hs::permute(std::plus<>{}, hs::fill(12, 1.0), of_float, floats));  // sorted; long runs
  const auto few = [](Exp<std::int64_t> i, Exp<double>) { return i % 3 * 400 + i / 500; };
  run(hs::permute(std::plus<>{}, hs::fill(900, 1.0), few, floats));
  run(hs::permute_unique(hs::fill(5000, 0), [](Exp<std::int64_t> i) { return 4999 - i; }, xs));
}

TEST_P(Devices, SortsFiltersAndSegments) {
  run(hs::sort(numbers(5000)));
  run(hs::sort(hs::reshape(hs::ix(10, 300), numbers(3000))));
  run(hs::filter([](Exp<int> x) { return x % 3 == 0; }, numbers(5000)));
  run(hs::fold_seg(std::plus<>{}, 0, numbers(6), hs::use(Vector<int>{2, 0, 4})));
}

// The number of items per segment follows from the mean length; lengths differ, and some are 0.
TEST_P(Devices, SegmentsOfAllLengths) {
  using Map = std::array<std::uint32_t, 2>;  // x -> a x + b
  const auto then = [](const Exp<Map>& f, const Exp<Map>& g) {
    return Exp<Map>{f[0] * g[0], g[0] * f[1] + g[1]};
  };
  for (const std::int64_t segments : {1, 3, 40, 3000})
    for (const std::int64_t mean : {1, 9, 33, 257, 3000, 60000}) {
      if (segments * mean > 200000) continue;
      const auto length = [=](std::int64_t i) { return i % 3 == 0 ? i % 2 : i % 3 * mean - i % 5; };
      std::vector<std::int64_t> lengths;
      for (std::int64_t i = 1; i <= segments; ++i)
        lengths.push_back(std::max<std::int64_t>(length(i), 0));
      const std::int64_t n = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
      const auto descriptor = hs::use(Vector<std::int64_t>(hs::ix(segments), lengths));
      const auto xs = hs::compute(numbers(n));
      const auto maps = hs::map(
          [](Exp<int> x) { return Exp<Map>{hs::cast<std::uint32_t>(x) * 2u + 1u, 7u}; }, xs);
      run(hs::fold_seg(std::plus<>{}, 7, xs, descriptor));
      run(hs::fold_seg(then, Map{2, 3}, maps, descriptor));
      const auto last = [](Exp<int> a, Exp<int> b) { return hs::select(b % 5 != 0, b, a); };
      run(hs::fold1_seg(last, numbers(n + segments), descriptor + std::int64_t{1}));
      const auto table = hs::reshape(hs::ix(2, n), numbers(2 * n));
      run(hs::fold_seg([](auto a, auto b) { return hs::max(a, b); }, -1, table, descriptor));
    }
}

// Segments far longer than the mean, and segments just below that limit.
TEST_P(Devices, SegmentsOfVeryDifferentLengths) {
  using Map = std::array<std::uint32_t, 2>;  // x -> a x + b
  const auto then = [](const Exp<Map>& f, const Exp<Map>& g) {
    return Exp<Map>{f[0] * g[0], g[0] * f[1] + g[1]};
  };
  for (const std::int64_t most : {4, 67}) {
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < 1500; ++i) lengths.push_back(i * 7 % most);
    lengths[3] = 256, lengths[4] = 257, lengths[5] = 2048, lengths[700] = 2049, lengths[701] = 9001;
    const std::int64_t n = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    const auto descriptor = hs::use(Vector<std::int64_t>(hs::ix(1500), lengths));
    const auto xs = hs::compute(numbers(n));
    const auto maps =
        hs::map([](Exp<int> x) { return Exp<Map>{hs::cast<std::uint32_t>(x) * 2u + 1u, 7u}; }, xs);
    run(hs::fold_seg(std::plus<>{}, 7, xs, descriptor));
    run(hs::fold_seg(then, Map{2, 3}, maps, descriptor));
    run(hs::fold_seg(std::plus<>{}, -1, hs::reshape(hs::ix(2, n), numbers(2 * n)), descriptor));
  }
}

TEST_P(Devices, SmallFloats) {
  const auto xs = hs::map([](Exp<int> x) { return hs::cast<hs::half>(hs::cast<float>(x) / 16.0f); },
                          numbers(1000));
  run(hs::cast<float>(xs * xs));
}

TEST_P(Devices, LoopsWhoseConditionTheHostReads) {
  const auto several = [](Acc<Vector<int>> a) { return hs::size(a) > 1; };
  const auto halve = [](Acc<Vector<int>> a) { return hs::take(hs::size(a) / 2, a) + 1; };
  run(hs::awhile(several, halve, numbers(1000)));
}

// The results of a device stay there until the host reads them; arguments are copied once.
// Independent operations may run at once; where they join, and in reused memory, they must not.
TEST_P(Devices, OperationsThatMeetAgain) {
  const auto program = [](Acc<Vector<float>> xs) {
    const auto a = hs::compute(xs * 2.0f), b = hs::compute(xs + 1.0f);
    const auto c = hs::compute(hs::scanl1(std::plus<>{}, a)), d = hs::compute(hs::reverse(b));
    const auto e = hs::compute(c + d), f = hs::compute(hs::rotate(3, a) * b);
    const auto sums = hs::zip_with(std::minus<>{}, hs::sum(e), hs::sum(f));
    return hs::map([=](auto x) { return x + hs::the(sums); }, hs::compute(e - hs::reverse(f)));
  };
  const auto here = hs::compile<Acc<Vector<float>>(Acc<Vector<float>>)>(program, GetParam());
  const auto there =
      hs::compile<Acc<Vector<float>>(Acc<Vector<float>>)>(program, {.target = hs::interpreter()});
  for (int i = 0; i < 20; ++i) {
    const Vector<float> xs = Vector<float>::from_function(
        hs::ix(1000 + i % 3), [=](hs::Ix<1> ix) { return static_cast<float>((ix[0] + i) % 7); });
    EXPECT_EQ(here(xs), there(xs)) << i;
  }
}

// Loops long enough to be replayed: a wave, and rounds that scan, scatter and read other elements.
TEST_P(Devices, RoundsThatRepeat) {
  const auto program = [](Exp<std::int64_t> n, Acc<Vector<std::int32_t>> xs) {
    const auto [last, before] = hs::aiterate(
        n,
        [](const std::tuple<Acc<Vector<std::int32_t>>, Acc<Vector<std::int32_t>>>& state) {
          const auto& [x, y] = state;
          return std::tuple{x * 2 - y + hs::rotate(1, x), x};
        },
        std::tuple{xs, hs::reverse(xs)});
    return hs::aiterate(
        n,
        [](const Acc<Vector<std::int32_t>>& v) {
          const auto sums = hs::compute(hs::scanl1(std::plus<>{}, v));
          return hs::permute(std::plus<>{}, sums, [](auto ix) { return ix / 2; }, v);
        },
        last - before);
  };
  using Ints = Vector<std::int32_t>;
  const auto here = hs::compile<Acc<Ints>(Exp<std::int64_t>, Acc<Ints>)>(program, GetParam());
  const auto there =
      hs::compile<Acc<Ints>(Exp<std::int64_t>, Acc<Ints>)>(program, {.target = hs::interpreter()});
  const Ints xs =
      Ints::from_function(777, [](hs::Ix<1> ix) { return static_cast<std::int32_t>(ix[0] % 13); });
  for (const std::int64_t rounds : {1, 8, 9, 21, 40})
    EXPECT_EQ(here(rounds, xs), there(rounds, xs)) << rounds;
}

TEST_P(Devices, ArraysStayWhereTheyAre) {
  const auto twice = hs::compile<Acc<Vector<float>>(Acc<Vector<float>>)>(
      [](auto xs) { return xs * 2.0f; }, GetParam());
  const Vector<float> xs(1000, std::vector<float>(1000, 1.5f));
  twice(xs);  // compiles and copies
  const hs::Statistics before = hs::statistics();
  Vector<float> ys = xs;
  for (int i = 0; i < 5; ++i) ys = twice(ys);
  const hs::Statistics after = hs::statistics() - before;
  EXPECT_EQ(after.bytes_to_devices, 0);
  EXPECT_EQ(after.bytes_from_devices, 0);
  EXPECT_EQ(ys(999), 48.0f);
  EXPECT_EQ(ys(0), 48.0f);
  EXPECT_EQ((hs::statistics() - before).bytes_from_devices, 4000);
}

// The messages of a device's compiler about generated code must not reach the user.
TEST_P(Devices, CompileWithoutAWord) {
  testing::internal::CaptureStderr();
  run(hs::map([](Exp<int> x) { return std::tuple{x < x, x != x, x == x}; },
              hs::compute(numbers(9))));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_P(Devices, AnAbsentDeviceIsAnError) {
  const bool is_cuda = GetParam().target == hs::cuda(0);
  const hs::Target absent = is_cuda ? hs::cuda(1000) : hs::opencl(1000);
  EXPECT_THROW(hs::run(numbers(3), {.target = absent}), hs::TargetError);
}

INSTANTIATE_TEST_SUITE_P(First, Devices, hs::test::first_devices(), hs::test::device_kind);

}  // namespace
