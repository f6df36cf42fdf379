// Functions of a scan's results in the scan's kernel: elements of other types, other arrays, seeds,
// several scans side by side.
#include "tests/programs/fusion/launch_counts.hpp"

#include <complex>
#include <functional>
#include <tuple>
#include <utility>

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

using Index = std::int64_t;
using Complex = std::complex<float>;

/// x -> a * x + b: associative under composition, not commutative.
using Affine = std::pair<std::uint32_t, std::uint32_t>;
const auto compose = [](const Exp<Affine>& f, const Exp<Affine>& g) {
  const auto [a, b] = f;
  const auto [c, d] = g;
  return std::pair{a * c, a * d + b};
};
const auto as_map = [](const auto& x) {
  return std::pair{hs::cast<std::uint32_t>(x) * 2u + 1u, hs::cast<std::uint32_t>(x)};
};

class ScanEpilogues : public hasten_test::LaunchCounts {};

using hasten_test::signed_matrix, hasten_test::signed_vector;

TEST_P(ScanEpilogues, MapScanMap) {
  agrees_on_vectors(1, [](Acc<Vector<int>> x) {
    const auto scanned = hs::scanl1(compose, hs::map(as_map, x));
    return hs::map([](auto f) { return hs::cast<float>(hs::get<1>(f) % 1000u) * 0.5f; }, scanned);
  });
  agrees_on_matrices(1, [](Acc<Matrix<int>> x) {
    return hs::map([](auto s) { return s * s > 9; }, hs::scanl1(std::plus<>{}, x));
  });
}

TEST_P(ScanEpilogues, SeedsHaveThemToo) {
  const auto last = [](auto f) { return hs::get<0>(f) - 3u * hs::get<1>(f); };
  const auto program = [=](auto x) {
    return hs::map(last, hs::scanl(compose, Affine{3, 5}, hs::map(as_map, x)));
  };
  agrees_on_vectors(1, [=](Acc<Vector<int>> x) { return program(x); });
  agrees_on_matrices(1, [=](Acc<Matrix<int>> x) { return program(x); });
  agrees(1, [=](Acc<Vector<int>> x) { return program(x); }, signed_vector(0));
  agrees(1, [=](Acc<Matrix<int>> x) { return program(x); }, signed_matrix(5, 0));
  agrees(
      1, [=](Acc<Matrix<int>> x) { return hs::scanl(std::plus<>{}, 7, x) * 2; },
      signed_matrix(70, 0));
}

TEST_P(ScanEpilogues, ReadOtherArrays) {
  const auto program = [](Acc<Matrix<int>> x, Acc<Matrix<float>> y) {
    const auto sums = hs::scanl(std::plus<>{}, 4, x);
    return std::tuple{hs::cast<float>(sums) * y, sums};
  };
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 0}, {9, 30}, {2000, 3}, {3, 2048}})
    agrees(1, program, signed_matrix(rows, columns),
           Matrix<float>::from_function(hs::ix(rows, columns + 1), [](hs::Ix<2> ix) {
             return static_cast<float>(ix[0] - 2 * ix[1]);
           }));
}

TEST_P(ScanEpilogues, KnowTheirIndex) {
  agrees_on_matrices(1, [](Acc<Matrix<int>> x) {
    const auto sums = hs::scanl1(std::plus<>{}, x);
    const auto places = hs::generate(
        hs::shape(x), [](auto ix) { return hs::cast<int>(ix[0]) - hs::cast<int>(ix[1]); });
    return sums * 3 + places;
  });
}

TEST_P(ScanEpilogues, WideAndNarrowElements) {
  agrees_on_vectors(1, [](Acc<Vector<int>> x) {
    const auto sums = hs::scanl1(std::plus<>{}, hs::cast<std::int64_t>(x));
    return std::tuple{hs::cast<std::int8_t>(sums), hs::cast<double>(sums) / 4.0};
  });
  agrees_on_vectors(1, [](Acc<Vector<int>> x) {
    const auto flags = hs::scanl1(std::logical_or<>{}, hs::map([](auto e) { return e > 9; }, x));
    return hs::map([](auto is_set) { return hs::select(is_set, 2.5, -1.0); }, flags);
  });
}

TEST_P(ScanEpilogues, ComplexElements) {
  const auto program = [](auto x) {
    const auto z = hs::map([](auto e) { return hs::cast<Complex>(e) * Complex(1.0f, 0.5f); }, x);
    return hs::map([](auto s) { return s * Complex(0.0f, 1.0f); },
                   hs::scanl(std::plus<>{}, Complex(2.0f, 3.0f), z));
  };
  agrees_on_vectors(1, [=](Acc<Vector<int>> x) { return program(x); });
  agrees_on_matrices(1, [=](Acc<Matrix<int>> x) { return program(x); });
}

TEST_P(ScanEpilogues, ScansSideBySide) {
  agrees_on_matrices(1, [](Acc<Matrix<int>> x) {
    const auto sums = hs::scanl1(std::plus<>{}, x);
    const auto most = hs::scanl1([](auto a, auto b) { return hs::max(a, b); }, hs::cast<double>(x));
    return std::tuple{hs::cast<double>(sums) - most, most};
  });
}

// Scans of flags and values: the flags are never stored.
TEST_P(ScanEpilogues, SegmentedScansDropTheirFlags) {
  const auto program = [](Acc<Vector<int>> x, Acc<Vector<int>> lengths) {
    return hs::scanl1_seg(std::plus<>{}, x, lengths);
  };
  const auto f = hs::compile(program, GetParam());
  const auto defined = hs::compile(program, {.target = hs::interpreter()});
  const auto x = signed_vector(6000);
  const Vector<int> lengths{1000, 0, 3, 4997};
  EXPECT_EQ(f(x, lengths), defined(x, lengths)) << f.explain();
  EXPECT_NE(f.explain().str().find("scan of rank 1, (bool, i32) -> (i32)"), std::string::npos)
      << f.explain();
}

HASTEN_ON_EVERY_DEVICE(ScanEpilogues);

}  // namespace
