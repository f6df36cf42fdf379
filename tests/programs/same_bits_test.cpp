// Determinism::everywhere: folds, scans and scatters whose grouping affects the bits have the
// interpreter's bits on every target.
#include "tests/programs/support.hpp"

#include <bit>
#include <cstring>
#include <tuple>

using hasten_test::OnEveryDevice;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

struct Affine {
  float scale, offset;
};
HASTEN_STRUCT(Affine, scale, offset);

class SameBits : public OnEveryDevice {
 protected:
  /// Runs the program on the target and on the interpreter.
  template <class P>
  static void agrees(const P& program) {
    hs::Options here = GetParam(), reference{.target = hs::interpreter()};
    here.determinism = reference.determinism = hs::Determinism::everywhere;
    const auto expected = hs::run(program, reference), got = hs::run(program, here);
    EXPECT_TRUE(identical(expected, got)) << "of " << expected.size() << " elements";
  }
};

// Numbers of all magnitudes, so that another grouping rounds differently.
template <class T>
Vector<T> values(std::int64_t n) {
  return Vector<T>::from_function(hs::ix(n), [](hs::Ix<1> i) {
    const auto k = static_cast<std::uint64_t>(i[0]) * 0x9e3779b97f4a7c15;
    const double x = static_cast<double>(k >> 40) / (1 << 24) - 0.37;
    return static_cast<T>(std::ldexp(x, static_cast<int>(k >> 20 & 7)));
  });
}
template <class T>
Matrix<T> matrix(std::int64_t rows, std::int64_t columns) {
  const Vector<T> all = values<T>(rows * columns);
  return Matrix<T>::from_function(hs::ix(rows, columns),
                                  [&](hs::Ix<2> i) { return all(i[0] * columns + i[1]); });
}

// Lengths of zero, one, about a block's length and about twice that.
const std::int64_t lengths[] = {0, 1, 2, 1022, 1023, 1024, 2045, 2046, 2047, 30'011};

TEST_P(SameBits, SumsOfVectors) {
  for (const std::int64_t n : lengths) {
    SCOPED_TRACE(n);
    agrees(hs::sum(hs::use(values<float>(n))));
    agrees(hs::fold(std::plus<>{}, 0.1, hs::use(values<double>(n))));
    agrees(hs::sum(hs::use(values<float>(n)) * hs::use(values<float>(n)) + 0.5f));
  }
}

TEST_P(SameBits, ProductsWithoutASeed) {
  for (const std::int64_t n : lengths) {
    if (n == 0) continue;
    SCOPED_TRACE(n);
    agrees(hs::fold1(std::plus<>{}, hs::use(values<float>(n))));
  }
  const Acc<Vector<float>> none = hs::use(Vector<float>{});
  hs::Options options = GetParam();
  options.determinism = hs::Determinism::everywhere;
  EXPECT_THROW(hs::run(hs::fold1(std::plus<>{}, none), options), hs::ShapeError);
}

TEST_P(SameBits, OperatorsThatDoNotCommute) {
  const auto after = [](Exp<Affine> f, Exp<Affine> g) {
    return Exp<Affine>{g.scale * f.scale, g.scale * f.offset + g.offset};
  };
  for (const std::int64_t n : {1, 1023, 1030, 5000}) {
    SCOPED_TRACE(n);
    const auto maps = hs::map([](Exp<float> x) { return Exp<Affine>{1.0f + x / 4096.0f, x}; },
                              hs::use(values<float>(n)));
    agrees(hs::map([](Exp<Affine> f) { return f.offset; },
                   hs::scanl(after, Affine{1.0f, 0.25f}, maps)));
    const Acc<Scalar<Affine>> all = hs::fold1(after, maps);
    agrees(hs::map([](Exp<Affine> f) { return f.scale + f.offset; }, all));
  }
}

TEST_P(SameBits, Scans) {
  for (const std::int64_t n : lengths) {
    SCOPED_TRACE(n);
    const auto x = hs::use(values<float>(n));
    agrees(hs::scanl(std::plus<>{}, 0.3f, x));
    agrees(hs::scanl1(std::plus<>{}, x));
    agrees(hs::scanr(std::plus<>{}, 0.3f, x));
  }
}

TEST_P(SameBits, RowsAndColumns) {
  for (const auto& [rows, columns] :
       {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 2000}, {700, 5}, {64, 64}, {0, 7}}) {
    SCOPED_TRACE(rows);
    const auto a = hs::use(matrix<float>(rows, columns));
    agrees(hs::sum(a));
    agrees(hs::sum_on<0>(a));
    agrees(hs::sum_all(a));
    agrees(hs::sum_all(a * a));
    agrees(hs::scanl1(std::plus<>{}, a));
    agrees(hs::scanl_on<0>(std::plus<>{}, 0.1f, a));
    if (columns > 0 && rows > 0) agrees(hs::mean(a));
  }
}

TEST_P(SameBits, SeveralFoldsOfOneArray) {
  const auto x = hs::use(values<double>(5000));
  const auto both = std::tuple{hs::sum(x), hs::sum(x * x), hs::minimum(x)};
  hs::Options here = GetParam(), reference{.target = hs::interpreter()};
  here.determinism = reference.determinism = hs::Determinism::everywhere;
  const auto expected = hs::run(both, reference), got = hs::run(both, here);
  EXPECT_TRUE(identical(std::get<0>(expected), std::get<0>(got)));
  EXPECT_TRUE(identical(std::get<1>(expected), std::get<1>(got)));
  EXPECT_TRUE(identical(std::get<2>(expected), std::get<2>(got)));
  agrees(hs::variance(x));
}

TEST_P(SameBits, Products) {
  for (const std::int64_t n : {1, 7, 65, 130}) {
    SCOPED_TRACE(n);
    const auto a = hs::use(matrix<float>(n, n + 3)), b = hs::use(matrix<float>(n + 3, n));
    agrees(hs::matmul(a, b));
    agrees(hs::matmul(hs::transpose(b), b));
  }
}

TEST_P(SameBits, Segments) {
  const Vector<std::int32_t> parts{3, 0, 4000, 1, 996, 15'000};
  const auto x = hs::use(values<float>(20'000));
  agrees(hs::fold_seg(std::plus<>{}, 0.7f, x, hs::use(parts)));
  agrees(hs::scanl1_seg(std::plus<>{}, x, hs::use(parts)));
  agrees(
      hs::sum_by_key(hs::map([](Exp<float> v) { return hs::cast<std::int32_t>(v); }, x), x).second);
}

TEST_P(SameBits, Updates) {
  const auto x = hs::use(values<float>(20'000));
  const auto to = [](auto ix) { return ix % 7; };
  agrees(hs::permute(std::plus<>{}, hs::fill(7, 0.5f), to, x));
  agrees(hs::permute(
      std::plus<>{}, hs::fill(20'000, 0.5f), [](auto ix) { return ix * 3 % 20'000; }, x));
}

TEST_P(SameBits, LoopsOfFolds) {
  const auto x = hs::use(values<float>(3000));
  agrees(hs::aiterate(
      5,
      [](Acc<Vector<float>> v) {
        return v - hs::the(hs::sum(v)) / 3000.0f + hs::the(hs::sum(v * v)) * 1e-7f;
      },
      x));
}

INSTANTIATE_TEST_SUITE_P(Of, SameBits, testing::ValuesIn(hasten_test::all_devices()),
                         hasten_test::target_name);

}  // namespace
