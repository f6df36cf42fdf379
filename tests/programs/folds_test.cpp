// Folds and the reductions built from them.
#include "support.hpp"

#include <complex>
#include <functional>
#include <limits>

using hs::Acc, hs::Array, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

class Folds : public hasten_test::OnEveryTarget {
 protected:
  const Vector<int> v{3, 1, 4, 1, 5};
  const Vector<int> none{};
  const Matrix<int> m{{1, 7, 3}, {4, 5, 6}};
};

/// x -> a * x + b: associative under composition, not commutative.
using Affine = std::pair<std::uint32_t, std::uint32_t>;
const auto after = [](const Exp<Affine>& f, const Exp<Affine>& g) {
  const auto [a, b] = f;
  const auto [c, d] = g;
  return std::pair{a * c, a * d + b};
};

TEST_P(Folds, SeedComesOnceOnTheLeft) {
  EXPECT_EQ(run(hs::fold(std::plus<>{}, 100, hs::use(v))).item(), 114);
  EXPECT_EQ(run(hs::fold(std::plus<>{}, 100, hs::use(none))).item(), 100);
  EXPECT_EQ(run(hs::fold(std::plus<>{}, 0, hs::use(m))), (Vector<int>{11, 15}));
  EXPECT_EQ(run(hs::fold_on<0>(std::plus<>{}, 0, hs::use(m))), (Vector<int>{5, 12, 9}));
  EXPECT_EQ(run(hs::fold_all(std::plus<>{}, 1, hs::use(m))).item(), 27);
  EXPECT_EQ(run(hs::fold_all(std::plus<>{}, 1, hs::unit(5))).item(), 6);
}

TEST_P(Folds, OrderIsKept) {
  std::vector<Affine> maps;
  for (std::uint32_t i = 0; i < 10'000; ++i) maps.emplace_back(2 * i + 1, 7 * i);
  Affine expected{3, 5};
  for (const auto& [c, d] : maps)
    expected = {expected.first * c, expected.first * d + expected.second};
  const auto a = hs::use(hasten_test::vector_of(maps));
  EXPECT_EQ(run(hs::fold(after, Affine{3, 5}, a)).item(), expected);
  const auto first = [](auto x, auto) { return x; };
  const auto last = [](auto, auto y) { return y; };
  EXPECT_EQ(run(hs::fold1(first, a)).item(), maps.front());
  EXPECT_EQ(run(hs::fold1_all(last, hs::reshape(hs::ix(100, 100), a))).item(), maps.back());
  EXPECT_EQ(run(hs::fold1_on<0>(last, hs::use(m))), (Vector<int>{4, 5, 6}));
}

TEST_P(Folds, Fold1OfAnEmptyAxisIsAnErrorWithItsName) {
  EXPECT_THROW(run(hs::fold1(std::plus<>{}, hs::use(none))), hs::ShapeError);
  try {
    run(hs::minimum(hs::use(none)));
    ADD_FAILURE();
  } catch (const hs::ShapeError& error) {
    EXPECT_NE(std::string(error.what()).find("minimum"), std::string::npos) << error.what();
  }
  const auto no_rows = hs::use(Matrix<int>(hs::ix(0, 4), std::vector<int>{}));
  EXPECT_EQ(run(hs::maximum(no_rows)).size(), 0);
  const auto empty_rows = hs::use(Matrix<int>(hs::ix(3, 0), std::vector<int>{}));
  EXPECT_THROW(run(hs::maximum(empty_rows)), hs::ShapeError);
  EXPECT_EQ(run(hs::sum(empty_rows)), (Vector<int>{0, 0, 0}));
}

TEST_P(Folds, SumsAndProducts) {
  EXPECT_EQ(run(hs::sum(hs::use(v))).item(), 14);
  EXPECT_EQ(run(hs::product(hs::use(v))).item(), 60);
  EXPECT_EQ(run(hs::product(hs::use(none))).item(), 1);
  EXPECT_EQ(run(hs::sum_all(hs::use(m))).item(), 26);
  EXPECT_EQ(run(hs::sum_on<0>(hs::use(m))), (Vector<int>{5, 12, 9}));
  EXPECT_EQ(run(hs::sum_on<-1>(hs::use(m))), (Vector<int>{11, 15}));
  const Vector<std::uint8_t> bytes{200, 100};
  EXPECT_EQ(run(hs::sum(hs::use(bytes))).item(), 44);
  EXPECT_EQ(run(hs::sum<int>(hs::use(bytes))).item(), 300);
  EXPECT_EQ((run(hs::product_on<0, std::int64_t>(hs::use(bytes))).item()), 20'000);
}

TEST_P(Folds, ExtremaAndTheirPlaces) {
  const auto a = hs::use(v), b = hs::use(Vector<int>{2, 9, 9, -1, -1});
  EXPECT_EQ(run(hs::minimum(a)).item(), 1);
  EXPECT_EQ(run(hs::maximum(a)).item(), 5);
  EXPECT_EQ(run(hs::argmin(a)).item(), 1);
  EXPECT_EQ(run(hs::argmax(b)).item(), 1);
  EXPECT_EQ(run(hs::argmin(b)).item(), 3);
  EXPECT_EQ(run(hs::argmax(hs::use(m))), (Vector<std::int64_t>{1, 2}));
  EXPECT_EQ(run(hs::argmax_on<0>(hs::use(m))), (Vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(run(hs::argmax_all(hs::use(m))).item(), Ix<2>(0, 1));
  EXPECT_EQ(run(hs::argmin_all(a)).item(), Ix<1>(1));
  EXPECT_EQ(run(hs::minimum_all(hs::use(m))).item(), 1);
  EXPECT_EQ(run(hs::maximum_on<0>(hs::use(m))), (Vector<int>{4, 7, 6}));
}

TEST_P(Folds, TheFirstNanWins) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto a = hs::use(Vector<float>{1, nan, -5, nan, 9});
  EXPECT_EQ(run(hs::argmin(a)).item(), 1);
  EXPECT_EQ(run(hs::argmax(a)).item(), 1);
  EXPECT_TRUE(std::isnan(run(hs::minimum(a)).item()));
}

TEST_P(Folds, CountsAndTests) {
  const auto small = [](auto x) { return x < 4; };
  const auto a = hs::use(v);
  EXPECT_EQ(run(hs::count(small, a)).item(), 3);
  EXPECT_EQ(run(hs::count(a > 1)).item(), 3);
  EXPECT_FALSE(run(hs::all_of(small, a)).item());
  EXPECT_TRUE(run(hs::any_of(small, a)).item());
  EXPECT_TRUE(run(hs::all_of(small, hs::use(none))).item());
  EXPECT_FALSE(run(hs::any_of(small, hs::use(none))).item());
  EXPECT_EQ(run(hs::count(small, hs::use(m))), (Vector<std::int64_t>{2, 0}));
  EXPECT_EQ(run(hs::count_on<0>(small, hs::use(m))), (Vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(run(hs::count_all(small, hs::use(m))).item(), 2);
  EXPECT_EQ(run(hs::any_of_on<0>(hs::use(m) == 5)), (Vector<bool>{false, true, false}));
  EXPECT_TRUE(run(hs::all_of_all(hs::use(m) > 0)).item());
}

TEST_P(Folds, ProductsOfComplexNumbers) {
  using C = std::complex<float>;
  const auto z = hs::use(Matrix<C>{{{1, 1}, {0, 2}}, {{3, 0}, {1, -1}}});
  EXPECT_EQ(run(hs::product(z)), (Vector<C>{{-2, 2}, {3, -3}}));
  EXPECT_EQ(run(hs::product_on<0>(z)), (Vector<C>{{3, 3}, {2, 2}}));
  EXPECT_EQ(run(hs::product_all(z)).item(), (C{0, 12}));
  EXPECT_EQ(run(hs::product<std::complex<double>>(hs::use(Vector<float>{2, 3}))).item(),
            (std::complex<double>{6, 0}));
  EXPECT_EQ(run(hs::sum<std::complex<double>>(hs::product(z))).item(),
            (std::complex<double>{1, -1}));
  EXPECT_EQ(run(hs::product(hs::use(Vector<C>{}))).item(), (C{1, 0}));
}

HASTEN_ON_EVERY_TARGET(Folds);

}  // namespace
