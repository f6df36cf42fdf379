// Means, variances and soft-max, compared with loops on the host.
#include "tests/programs/support.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

using Index = std::int64_t;
constexpr float infinity = std::numeric_limits<float>::infinity();

class Statistics : public hasten_test::OnEveryDevice {};

template <class T>
Matrix<T> matrix(Index rows, Index columns) {
  return Matrix<T>::from_function({rows, columns}, [](hs::Ix<2> ix) {
    return static_cast<T>(static_cast<float>((ix[0] * 37 + ix[1] * 101) % 211) / 8.0f - 10);
  });
}

struct Moments {
  double mean = 0, variance = 0;
};
template <class Row>
Moments moments_of(Index n, Row row) {
  Moments m;
  for (Index j = 0; j < n; ++j) m.mean += static_cast<double>(row(j));
  m.mean /= static_cast<double>(n);
  for (Index j = 0; j < n; ++j)
    m.variance += (static_cast<double>(row(j)) - m.mean) * (static_cast<double>(row(j)) - m.mean);
  m.variance /= static_cast<double>(n);
  return m;
}

template <class T>
void moments_of_every_size(const hs::Options& options, double tolerance) {
  const auto f = hs::compile(
      [](Acc<Matrix<T>> a) {
        return std::tuple{hs::mean(a),           hs::variance(a), hs::mean_on<0>(a),
                          hs::variance_on<0>(a), hs::mean_all(a), hs::variance_all(a)};
      },
      options);
  for (const auto& [rows, columns] :
       {std::pair<Index, Index>{1, 1}, {2, 3}, {13, 7}, {3, 1009}, {301, 5}}) {
    const auto a = matrix<T>(rows, columns);
    const auto [mean, variance, mean0, variance0, mean_all, variance_all] = f(a);
    for (Index i = 0; i < rows; ++i) {
      const Moments m = moments_of(columns, [&](Index j) { return a(i, j); });
      ASSERT_NEAR(static_cast<double>(mean(i)), m.mean, tolerance);
      ASSERT_NEAR(static_cast<double>(variance(i)), m.variance, tolerance * 20);
    }
    for (Index j = 0; j < columns; ++j) {
      const Moments m = moments_of(rows, [&](Index i) { return a(i, j); });
      ASSERT_NEAR(static_cast<double>(mean0(j)), m.mean, tolerance);
      ASSERT_NEAR(static_cast<double>(variance0(j)), m.variance, tolerance * 20);
    }
    const Moments m = moments_of(a.size(), [&](Index k) { return a(k / columns, k % columns); });
    ASSERT_NEAR(static_cast<double>(mean_all.item()), m.mean, tolerance);
    ASSERT_NEAR(static_cast<double>(variance_all.item()), m.variance, tolerance * 20);
  }
}

TEST_P(Statistics, MomentsOfFloats) { moments_of_every_size<float>(GetParam(), 2e-5); }
TEST_P(Statistics, MomentsOfDoubles) { moments_of_every_size<double>(GetParam(), 1e-12); }
TEST_P(Statistics, MomentsOfHalf) { moments_of_every_size<hs::half>(GetParam(), 1e-2); }

TEST_P(Statistics, OfIntegersTheyAreDoubles) {
  const auto v = hs::use(Vector<int>{1, 2, 4});
  static_assert(std::is_same_v<decltype(hs::mean(v)), Acc<Scalar<double>>>);
  EXPECT_EQ(run(hs::mean(v)).item(), 7.0 / 3);
  EXPECT_NEAR(run(hs::variance(v)).item(), 14.0 / 9, 1e-15);
  EXPECT_EQ(run(hs::mean(hs::use(Vector<bool>{true, false, true, true}))).item(), 0.75);
  EXPECT_EQ(run(hs::mean(hs::use(Vector<std::int8_t>{127, 127, 127}))).item(), 127);
}

TEST_P(Statistics, OfComplexNumbersTheVarianceIsReal) {
  const auto z = hs::use(Vector<std::complex<float>>{{1, 1}, {3, 1}, {1, -3}, {3, -3}});
  EXPECT_EQ(run(hs::mean(z)).item(), (std::complex<float>{2, -1}));
  EXPECT_EQ(run(hs::variance(z)).item(), 5.0f);
}

TEST_P(Statistics, OfNoneTheyAreNaN) {
  const auto none = hs::use(Vector<float>{});
  EXPECT_TRUE(std::isnan(run(hs::mean(none)).item()));
  EXPECT_TRUE(std::isnan(run(hs::variance(none)).item()));
  EXPECT_TRUE(std::isnan(run(hs::mean(hs::use(Vector<int>{}))).item()));
  EXPECT_EQ(run(hs::mean(hs::use(matrix<float>(0, 4)))).size(), 0);
  const auto means = run(hs::mean(hs::use(matrix<float>(2, 0))));
  EXPECT_EQ(means.size(), 2);
  EXPECT_TRUE(std::isnan(means(1)));
}

TEST_P(Statistics, VarianceFarFromZeroKeepsItsDigits) {
  const auto v =
      hs::map([](Exp<Index> i) { return hs::cast<float>(i % 2) + 1e6f; }, hs::iota(1000));
  EXPECT_NEAR(run(hs::variance(v)).item(), 0.25f, 0.01f);
}

template <class T>
void soft_max_of_every_size(const hs::Options& options, double tolerance) {
  auto f = hs::compile([](Acc<Matrix<T>> a) { return hs::softmax(a); }, options);
  auto g = hs::compile([](Acc<Matrix<T>> a) { return hs::log_softmax(a); }, options);
  for (const auto& [rows, columns] :
       {std::pair<Index, Index>{0, 4}, {4, 0}, {1, 1}, {2, 3}, {13, 7}, {5, 257}, {300, 3}}) {
    const auto a = matrix<T>(rows, columns);
    const auto p = f(a), logs = g(a);
    ASSERT_EQ(p.shape(), a.shape());
    ASSERT_EQ(logs.shape(), a.shape());
    for (Index i = 0; i < rows; ++i) {
      double sum = 0;
      for (Index j = 0; j < columns; ++j) sum += std::exp(static_cast<double>(a(i, j)));
      for (Index j = 0; j < columns; ++j) {
        const double x = static_cast<double>(a(i, j));
        ASSERT_NEAR(static_cast<double>(p(i, j)), std::exp(x) / sum, tolerance);
        ASSERT_NEAR(static_cast<double>(logs(i, j)), x - std::log(sum), tolerance * 40);
      }
    }
  }
}

TEST_P(Statistics, SoftMaxOfFloats) { soft_max_of_every_size<float>(GetParam(), 1e-5); }
TEST_P(Statistics, SoftMaxOfDoubles) { soft_max_of_every_size<double>(GetParam(), 1e-13); }
TEST_P(Statistics, SoftMaxOfHalf) { soft_max_of_every_size<hs::half>(GetParam(), 2e-3); }

TEST_P(Statistics, SoftMaxDoesNotOverflow) {
  const auto v = hs::use(Vector<float>{1000, 1000, -1000});
  EXPECT_EQ(run(hs::softmax(v)), (Vector<float>{0.5, 0.5, 0}));
  EXPECT_NEAR(run(hs::log_softmax(v))(2), -2000, 0.7);
  const auto masked = hs::use(Vector<float>{0, -infinity});
  EXPECT_EQ(run(hs::softmax(masked)), (Vector<float>{1, 0}));
  EXPECT_EQ(run(hs::log_softmax(masked)), (Vector<float>{0, -infinity}));
  EXPECT_TRUE(std::isnan(run(hs::softmax(hs::use(Vector<float>{-infinity})))(0)));
}

// As the same function written by hand is.
TEST_P(Statistics, SoftMaxOfRowsIsOneKernel) {
  const auto a = matrix<float>(100, 40);
  auto f = hs::compile([](Acc<Matrix<float>> x) { return hs::softmax(x); }, GetParam());
  auto g = hs::compile([](Acc<Matrix<float>> x) { return hs::log_softmax(x); }, GetParam());
  if (GetParam().target.name() == "interpreter") return;
  f(a);
  g(a);
  const auto before = f.statistics().launches, before_log = g.statistics().launches;
  f(a);
  g(a);
  EXPECT_EQ(f.statistics().launches - before, 1);
  EXPECT_EQ(g.statistics().launches - before_log, 1);
}

HASTEN_ON_EVERY_DEVICE(Statistics);

}  // namespace
