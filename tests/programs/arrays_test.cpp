// Array operations other than folds and control flow, compared with their definitions.
#include "support.hpp"

#include <functional>

using hs::Acc, hs::Array, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

class Arrays : public hasten_test::OnEveryTarget {
 protected:
  const Vector<int> v{10, 20, 30, 40, 50};
  const Matrix<int> m{{1, 2, 3}, {4, 5, 6}};
};

template <class T>
using V = std::vector<T>;

TEST_P(Arrays, BringIn) {
  EXPECT_EQ(run(hs::use(v)), v);
  EXPECT_EQ(run(hs::unit(3.5f)).item(), 3.5f);
  EXPECT_EQ(run(hs::fill(hs::ix(2, 2), 7)), (Matrix<int>{{7, 7}, {7, 7}}));
  const auto pairs = run(hs::fill(3, std::pair{1, true}));
  EXPECT_EQ(pairs.component<0>()[2], 1);
  EXPECT_EQ(run(hs::iota(4)), (Vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(run(hs::iota<float>(3)), (Vector<float>{0, 1, 2}));
  EXPECT_EQ(run(hs::iota(-3)).size(), 0);
  EXPECT_EQ(run(hs::enum_from_n(hs::ix(2, 3), std::uint8_t{254})),
            (Matrix<std::uint8_t>{{254, 255, 0}, {1, 2, 3}}));
  EXPECT_EQ(run(hs::enum_from_step_n(3, 1.5f, 0.25)), (Vector<float>{1.5f, 1.75f, 2.0f}));
  EXPECT_EQ(run(hs::generate(hs::ix(2, 3), [](auto i, auto j) { return 10 * i + j; })),
            (Matrix<std::int64_t>{{0, 1, 2}, {10, 11, 12}}));
  EXPECT_EQ(run(hs::generate(Ix<0>{}, [] { return 5; })).item(), 5);
  EXPECT_EQ(
      run(hs::generate(hs::size(hs::use(m)), [](Exp<std::int64_t> i) { return i * i; })).size(), 6);
}

TEST_P(Arrays, Elementwise) {
  EXPECT_EQ(run(hs::map([](auto x) { return x + 1; }, hs::use(v))),
            (Vector<int>{11, 21, 31, 41, 51}));
  EXPECT_EQ(run(hs::zip_with(std::plus<>{}, hs::use(v), hs::use(Vector<int>{1, 2, 3}))),
            (Vector<int>{11, 22, 33}));
  const auto a = hs::use(v);
  EXPECT_EQ(run(hs::zip_with([](auto... xs) { return (xs + ...); }, a, a, a, a, a, a, a, a, a))(4),
            450);
  EXPECT_EQ(run(hs::imap([](auto i, auto x) { return hs::cast<int>(i) + x; }, a))(3), 43);
  EXPECT_EQ(run(hs::imap([](auto ix, auto x) { return hs::cast<int>(ix[0] * 10 + ix[1]) + x; },
                         hs::use(m))),
            (Matrix<int>{{1, 3, 5}, {14, 16, 18}}));
  EXPECT_EQ(run(hs::izip_with([](auto i, auto x, auto y) { return hs::cast<int>(i) + x * y; }, a,
                              hs::use(Vector<int>{1, 2}))),
            (Vector<int>{10, 41}));
  const auto both = run(hs::indexed(hs::use(m)));
  EXPECT_EQ(both(1, 2), (std::tuple{Ix<2>(1, 2), 6}));
}

TEST_P(Arrays, ZipAndUnzip) {
  const auto zipped = hs::zip(hs::use(v), hs::iota(3), hs::use(Vector<bool>{true, false, true}));
  const auto home = run(zipped);
  EXPECT_EQ(home.size(), 3);
  EXPECT_EQ(home(1), (std::tuple{20, std::int64_t{1}, false}));
  const auto [a, b, c] = run(hs::unzip(zipped));
  EXPECT_EQ(a, (Vector<int>{10, 20, 30}));
  EXPECT_EQ(b, (Vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(c, (Vector<bool>{true, false, true}));
}

TEST_P(Arrays, OperatorsAndFunctionsLift) {
  const auto a = hs::use(v);
  EXPECT_EQ(run(a + a * 2 - 1), (Vector<int>{29, 59, 89, 119, 149}));
  EXPECT_EQ(run(100 / a), (Vector<int>{10, 5, 3, 2, 2}));
  EXPECT_EQ(run(a - hs::the(hs::unit(10))), (Vector<int>{0, 10, 20, 30, 40}));
  EXPECT_EQ(run(a > 20 && !(a == 40)), (Vector<bool>{false, false, true, false, true}));
  EXPECT_EQ(run(hs::select(a > 20, a, 0)), (Vector<int>{0, 0, 30, 40, 50}));
  EXPECT_EQ(run(hs::min(a, 25)), (Vector<int>{10, 20, 25, 25, 25}));
  const Vector<int> high{100, 100, 17, 100, 20};
  EXPECT_EQ(run(hs::clamp(a, 15, hs::use(high))), (Vector<int>{15, 20, 17, 40, 20}));
  const auto shorter = hs::use(Vector<int>{1, 2, 3});
  EXPECT_THROW(run(a + shorter), hs::ShapeError);
  EXPECT_THROW(run(hs::max(shorter, a)), hs::ShapeError);
  EXPECT_THROW(run(hs::select(shorter > 1, a, a)), hs::ShapeError);
  EXPECT_EQ(run(hs::zip_with(std::plus<>{}, a, shorter)), (Vector<int>{11, 22, 33}));
  EXPECT_EQ(run(hs::cast<float>(a) * 0.5), (Vector<float>{5, 10, 15, 20, 25}));
  EXPECT_EQ(run(hs::sqrt(hs::use(Vector<float>{4, 9}))), (Vector<float>{2, 3}));
  EXPECT_EQ(run(-a << 1), (Vector<int>{-20, -40, -60, -80, -100}));
  const auto bytes = hs::use(Vector<std::uint8_t>{1, 3});
  EXPECT_EQ(run(bytes << 8), (Vector<std::uint8_t>{0, 0}));
  EXPECT_EQ(run(bytes << Exp<std::int64_t>(7)), (Vector<std::uint8_t>{128, 128}));
  EXPECT_EQ(run(1 << bytes), (Vector<std::uint8_t>{2, 8}));
  auto b = a;
  b += a;
  b *= 2;
  EXPECT_EQ(run(b)(0), 40);
}

TEST_P(Arrays, Reshaping) {
  const auto a = hs::use(m);
  EXPECT_EQ(run(hs::reshape(hs::ix(3, 2), a)), (Matrix<int>{{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(run(hs::flatten(a)), (Vector<int>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(run(hs::reshape(6, a)), run(hs::flatten(a)));
  EXPECT_EQ(run(hs::flatten(hs::unit(3))), (Vector<int>{3}));
  EXPECT_EQ(run(hs::reshape(Ix<0>{}, hs::use(Vector<int>{9}))).item(), 9);
  EXPECT_THROW(run(hs::reshape(5, a)), hs::ShapeError);
}

TEST_P(Arrays, ReplicateAndSlice) {
  const auto row = hs::use(Vector<int>{1, 2, 3});
  EXPECT_EQ(run(hs::replicate(hs::over(2, hs::keep), row)), (Matrix<int>{{1, 2, 3}, {1, 2, 3}}));
  EXPECT_EQ(run(hs::replicate(hs::over(hs::keep, hs::size(row)), row)),
            (Matrix<int>{{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}));
  EXPECT_EQ(run(hs::replicate(hs::over(hs::shape(row), hs::keep), row)).shape(), Ix<2>(3, 3));
  EXPECT_EQ(run(hs::take(hs::shape(hs::tail(row)), row)), (Vector<int>{1, 2}));
  EXPECT_EQ(run(hs::replicate(hs::over(2, 2), hs::unit(4))), (Matrix<int>{{4, 4}, {4, 4}}));
  EXPECT_EQ(run(hs::slice(hs::over(hs::keep, 1), hs::use(m))), (Vector<int>{2, 5}));
  EXPECT_EQ(run(hs::slice(hs::over(1, hs::keep), hs::use(m))), (Vector<int>{4, 5, 6}));
  EXPECT_EQ(run(hs::slice(hs::over(Exp<std::uint8_t>(1), 2), hs::use(m))).item(), 6);
}

TEST_P(Arrays, Backpermute) {
  const auto a = hs::use(m);
  EXPECT_EQ(run(hs::backpermute(
                hs::ix(3, 2), [](auto i, auto j) { return hs::ix(j, i); }, a)),
            (Matrix<int>{{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(
      run(hs::backpermute(3, [](auto i) { return std::tuple{1, i}; }, a)), (Vector<int>{4, 5, 6}));
  EXPECT_EQ(
      run(hs::backpermute(2, [](auto i) { return 4 - i; }, hs::use(v))), (Vector<int>{50, 40}));
  EXPECT_EQ(run(hs::backpermute(Ix<0>{}, [](auto) { return 2; }, hs::use(v))).item(), 30);
  EXPECT_EQ(
      run(hs::backpermute(2, [](auto) { return Ix<0>{}; }, hs::unit(6))), (Vector<int>{6, 6}));
}

TEST_P(Arrays, TransposeAndReverse) {
  const auto a = hs::use(m);
  EXPECT_EQ(run(hs::transpose(a)), (Matrix<int>{{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(run(hs::reverse(a)), (Matrix<int>{{3, 2, 1}, {6, 5, 4}}));
  EXPECT_EQ(run(hs::reverse_on<0>(a)), (Matrix<int>{{4, 5, 6}, {1, 2, 3}}));
  EXPECT_EQ(run(hs::reverse_on<-2>(a)), run(hs::reverse_on<0>(a)));
  const auto cube = Array<int, 3>::from_function(
      {2, 3, 4}, [](Ix<3> ix) { return static_cast<int>(100 * ix[0] + 10 * ix[1] + ix[2]); });
  const auto turned = run(hs::transpose_on<0, -1>(hs::use(cube)));
  EXPECT_EQ(turned.shape(), Ix<3>(4, 3, 2));
  EXPECT_EQ(turned(3, 1, 0), 13);
}

TEST_P(Arrays, PartsOfAnAxis) {
  const auto a = hs::use(v);
  EXPECT_EQ(run(hs::take(2, a)), (Vector<int>{10, 20}));
  EXPECT_EQ(run(hs::take(9, a)), v);
  EXPECT_EQ(run(hs::take(-1, a)).size(), 0);
  EXPECT_EQ(run(hs::drop(2, a)), (Vector<int>{30, 40, 50}));
  EXPECT_EQ(run(hs::drop(9, a)).size(), 0);
  EXPECT_EQ(run(hs::drop(-2, a)), v);
  EXPECT_EQ(run(hs::init(a)), (Vector<int>{10, 20, 30, 40}));
  EXPECT_EQ(run(hs::tail(a)), (Vector<int>{20, 30, 40, 50}));
  EXPECT_EQ(run(hs::tail(hs::take(0, a))).size(), 0);
  EXPECT_EQ(run(hs::init(hs::take(0, a))).size(), 0);
  EXPECT_EQ(run(hs::slit(1, 3, a)), (Vector<int>{20, 30, 40}));
  EXPECT_EQ(run(hs::slit(3, 9, a)), (Vector<int>{40, 50}));
  EXPECT_EQ(run(hs::slit(9, 1, a)).size(), 0);
  EXPECT_EQ(run(hs::size(hs::take(9, a))), 5);
  const auto b = hs::use(m);
  EXPECT_EQ(run(hs::take(2, b)), (Matrix<int>{{1, 2}, {4, 5}}));
  EXPECT_EQ(run(hs::take_on<0>(1, b)), (Matrix<int>{{1, 2, 3}}));
  EXPECT_EQ(run(hs::drop_on<0>(1, b)), (Matrix<int>{{4, 5, 6}}));
  EXPECT_EQ(run(hs::init_on<0>(b)), run(hs::take_on<0>(1, b)));
  EXPECT_EQ(run(hs::tail_on<-2>(b)), run(hs::drop_on<0>(1, b)));
  EXPECT_EQ(run(hs::slit_on<0>(1, 1, b)), run(hs::drop_on<0>(1, b)));
}

TEST_P(Arrays, Rotate) {
  const auto a = hs::use(v);
  EXPECT_EQ(run(hs::rotate(2, a)), (Vector<int>{30, 40, 50, 10, 20}));
  EXPECT_EQ(run(hs::rotate(-1, a)), (Vector<int>{50, 10, 20, 30, 40}));
  EXPECT_EQ(run(hs::rotate(12, a)), run(hs::rotate(2, a)));
  EXPECT_EQ(run(hs::rotate(3, hs::take(0, a))).size(), 0);
  EXPECT_EQ(run(hs::rotate_on<0>(1, hs::use(m))), (Matrix<int>{{4, 5, 6}, {1, 2, 3}}));
}

TEST_P(Arrays, IzipWithOfNine) {
  const auto v = hs::use(Vector<std::int64_t>{1, 2, 3});
  const auto weigh = [](auto i, auto a, auto b, auto c, auto d, auto e, auto f, auto g, auto h,
                        auto k) { return i * 1000 + a + b + c + d + e + f + g + h + 10 * k; };
  EXPECT_EQ(run(hs::izip_with(weigh, v, v, v, v, v, v, v, v, v)),
            (Vector<std::int64_t>{18, 1036, 2054}));
}

HASTEN_ON_EVERY_TARGET(Arrays);

}  // namespace
