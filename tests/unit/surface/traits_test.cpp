// Element types, indices, numbers beside Exps: the guarantees of the surface's types.
#include <gtest/gtest.h>

#include <hasten/hasten.hpp>

#include <functional>
#include <limits>
#include <string>

namespace hs = hasten;
using hs::Acc, hs::Array, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace mechanics {
struct Vec3 {
  float x = 0, y = 0, z = 0;
};
HASTEN_STRUCT(Vec3, x, y, z);
struct Body {
  Vec3 place;
  double mass = 0;
};
HASTEN_STRUCT(Body, place, mass);
inline Exp<Vec3> operator+(Exp<Vec3> a, Exp<Vec3> b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
struct Unregistered {
  int a;
};
}  // namespace mechanics
using mechanics::Body, mechanics::Vec3;

namespace {

// --- element types -----------------------------------------------------------------------------

static_assert(hs::detail::Element<bool> && hs::detail::Element<char>);
static_assert(hs::detail::Element<std::uint64_t> && hs::detail::Element<double>);
static_assert(hs::detail::Element<std::tuple<int, std::pair<float, Ix<3>>>>);
static_assert(hs::detail::Element<std::array<Body, 2>>);
static_assert(!hs::detail::Element<std::string> && !hs::detail::Element<mechanics::Unregistered>);
static_assert(!hs::detail::Element<std::tuple<int, std::string>> && !hs::detail::Element<int*>);
static_assert(hs::detail::leaf_count<Body> == 4);
static_assert(hs::detail::leaf_count<std::tuple<Body, Ix<2>, bool>> == 7);
static_assert(std::is_same_v<hs::detail::LeafAt<3, Body>, double>);
static_assert(std::is_same_v<hs::detail::LeafAt<5, std::tuple<Body, Ix<2>, bool>>, std::int64_t>);

// --- regular values ----------------------------------------------------------------------------

static_assert(std::regular<Ix<2>> && std::regular<Vector<float>>);
static_assert(std::semiregular<Exp<float>> && std::semiregular<Exp<Body>>);
static_assert(std::semiregular<Acc<Vector<Body>>>);

// --- conversions -------------------------------------------------------------------------------

static_assert(std::is_convertible_v<int, Exp<float>>);
static_assert(std::is_convertible_v<Vec3, Exp<Vec3>>);
static_assert(std::is_convertible_v<Exp<Ix<1>>, Exp<std::int64_t>>);
static_assert(std::is_convertible_v<Exp<std::int64_t>, Exp<Ix<1>>>);
static_assert(std::is_convertible_v<Exp<std::int32_t>, Exp<Ix<1>>>);
static_assert(!std::is_convertible_v<Exp<std::int32_t>, Exp<std::int64_t>>);
static_assert(!std::is_convertible_v<Exp<float>, Exp<double>>);
static_assert(!std::is_convertible_v<Acc<Vector<float>>, Acc<Matrix<float>>>);
static_assert(std::is_convertible_v<Exp<std::pair<int, float>>, std::pair<Exp<int>, Exp<float>>>);
static_assert(std::is_convertible_v<std::tuple<Exp<int>, int>, Exp<std::tuple<int, int>>>);
static_assert(!std::is_convertible_v<Exp<bool>, bool>);

// --- result types ------------------------------------------------------------------------------

template <class T, class X>
void is(const X&) {
  static_assert(std::is_same_v<X, T>);
}

TEST(SurfaceTypes, NumbersTakeTheTypeOfTheExp) {
  const Exp<float> x;
  const Exp<std::uint8_t> b;
  is<Exp<float>>(x + 1);
  is<Exp<float>>(0.5 * x);
  is<Exp<std::uint8_t>>(b + 1);
  is<Exp<bool>>(x < 1);
  is<Exp<float>>(hs::select(x < 1, x, 0));
  is<Exp<int>>(hs::select(x < 1, 2, 3));
  is<Exp<float>>(hs::min(1, x));
  is<Exp<float>>(hs::clamp(x, 0, 1));
  is<Exp<std::int32_t>>(hs::popcount(b));
  is<Exp<std::tuple<float, int>>>(hs::select(x < 1, std::tuple{x, Exp<int>(1)}, std::tuple{0, 1}));
}

TEST(SurfaceTypes, FunctionsGiveOneExpOfAGroup) {
  const auto [steps, value] = hs::while_loop(
      [](auto n, auto) { return n < 3; }, [](auto n, auto v) { return std::tuple{n + 1, v * v}; },
      std::tuple{0, Exp<float>(2)});
  is<Exp<int>>(steps);
  is<Exp<float>>(value);
  is<Exp<std::pair<int, float>>>(
      hs::iterate(3, [](auto n, auto v) { return std::pair{n, v}; }, std::pair{1, 2.0f}));
  is<Exp<Vec3>>(Exp<Vec3>{1, 2, 3} + Vec3{1, 2, 3});
  is<Exp<Vec3>>(hs::get<0>(Exp<Body>{}));
}

TEST(SurfaceTypes, MembersAreValues) {
  Exp<Body> body{Vec3{1, 2, 3}, 4};
  is<Exp<float>>(body.place.x);
  body.place.x = body.place.y + 1;
  body.mass += 1;
  const auto [place, mass] = body;
  is<Exp<Vec3>>(place);
  is<Exp<double>>(mass);
}

TEST(SurfaceTypes, CollectivesKnowRankAndElement) {
  const Acc<Matrix<float>> m;
  const Acc<Vector<std::int32_t>> v;
  is<Acc<Vector<float>>>(hs::sum(m));
  is<Acc<Scalar<float>>>(hs::sum_all(m));
  is<Acc<Vector<double>>>(hs::sum<double>(m));
  is<Acc<Vector<float>>>(hs::sum_on<0>(m));
  is<Acc<Scalar<std::int64_t>>>(hs::sum<std::int64_t>(v));
  is<Acc<Vector<std::int64_t>>>(hs::argmax(m));
  is<Acc<Scalar<Ix<2>>>>(hs::argmin_all(m));
  is<Acc<Scalar<bool>>>(hs::all_of(v > 0));
  is<Acc<Scalar<std::int64_t>>>(hs::count([](auto x) { return x > 0; }, v));
  is<Acc<Matrix<std::int32_t>>>(hs::replicate(hs::over(4, hs::keep), v));
  is<Acc<Vector<float>>>(hs::slice(hs::over(hs::keep, 0), m));
  is<Acc<Array<float, 3>>>(hs::reshape(hs::ix(1, 2, 3), m));
  is<Acc<Vector<float>>>(hs::flatten(m));
  is<Acc<Vector<std::tuple<Ix<1>, std::int32_t>>>>(hs::indexed(v));
  is<Acc<Vector<std::tuple<std::int32_t, bool>>>>(hs::zip(v, v > 0));
  is<std::tuple<Acc<Vector<Vec3>>, Acc<Vector<double>>>>(hs::unzip(Acc<Vector<Body>>{}));
  is<std::pair<Acc<Vector<int>>, Acc<Vector<bool>>>>(
      hs::unzip(Acc<Vector<std::pair<int, bool>>>{}));
  is<Acc<Vector<std::uint8_t>>>(hs::iota<std::uint8_t>(3));
  is<Acc<Matrix<bool>>>(m < 1 && m == m);
  is<Acc<Vector<Vec3>>>(Acc<Vector<Vec3>>{} + Vec3{1, 2, 3});
}

TEST(SurfaceTypes, IndicesOfNumbersAndOfExps) {
  is<Ix<2>>(hs::ix(1, std::uint8_t{2}));
  is<Exp<Ix<2>>>(hs::ix(1, Exp<std::uint8_t>(2)));
  is<Exp<std::int64_t>>(hs::ix(1, Exp<int>(2))[1]);
  is<Exp<Ix<2>>>(hs::ix(1, Exp<int>(2)) + Ix<2>(3, 4));
  is<Exp<bool>>(hs::ix(1, Exp<int>(2)) == Ix<2>(3, 4));
  is<Exp<Ix<2>>>(hs::from_index(hs::ix(3, 4), 5));
  is<Exp<std::int64_t>>(hs::from_index(hs::ix(3), 2));
}

// --- host indices ------------------------------------------------------------------------------

TEST(Ix, IsAValueOfItsComponents) {
  constexpr Ix<3> a(2, 3, 4);
  static_assert(a.product() == 24 && a[1] == 3 && (a + a)[2] == 8 && a != Ix<3>());
  const auto [x, y, z] = a;
  EXPECT_EQ(x + y + z, 9);
  constexpr Ix<1> i = 5;
  static_assert(i == 5 && i + 1 == 6 && 2 * i == 10 && i - i == 0);
  const std::int64_t n = i;
  EXPECT_EQ(n % 3, 2);
}

// --- numbers that do not fit -------------------------------------------------------------------

template <class F>
void expect_build_error(int line, F f) {
  try {
    f();
    FAIL() << "nothing was thrown";
  } catch (const hs::BuildError& error) {
    EXPECT_EQ(static_cast<int>(error.where().line()), line) << error.what();
    EXPECT_NE(std::string(error.where().file_name()).find("traits_test"), std::string::npos);
  }
}

TEST(Numbers, OverflowAndSignChangeAreBuildErrorsAtTheirLine) {
  Exp<std::uint8_t> byte;
  Exp<std::uint32_t> word;
  Exp<std::int64_t> wide;
  Exp<float> real;
  expect_build_error(__LINE__, [&] { (void)(byte + 300); });
  expect_build_error(__LINE__, [&] { (void)(word * -1); });
  expect_build_error(__LINE__, [&] { (void)(-1 < word); });
  expect_build_error(__LINE__, [&] { (void)(wide + std::numeric_limits<std::uint64_t>::max()); });
  expect_build_error(__LINE__, [&] { (void)(real + 1e300); });
  expect_build_error(__LINE__, [&] { byte = 256; });
  expect_build_error(__LINE__, [&] { byte += 256; });
  expect_build_error(__LINE__, [&] { (void)hs::select(byte == byte, byte, -1); });
  expect_build_error(__LINE__, [&] { (void)hs::min(byte, 1000); });
  const Acc<Vector<std::uint8_t>> bytes;
  expect_build_error(__LINE__, [&] { (void)(bytes * 300); });
  expect_build_error(__LINE__, [&] { (void)(-1 - bytes); });
  expect_build_error(__LINE__, [&] { (void)(bytes << 300, bytes == -1); });
  expect_build_error(__LINE__, [&] { (void)hs::max(bytes, 300); });
  expect_build_error(__LINE__, [&] { (void)hs::select(bytes == 1, bytes, 300); });
  expect_build_error(__LINE__, [&] { (void)hs::fold(std::plus<>{}, 300, bytes); });
}

TEST(Numbers, RoundingIsNoLoss) {
  Exp<float> real;
  EXPECT_NO_THROW((void)(real + 0.1));
  EXPECT_NO_THROW((void)(real + std::numeric_limits<double>::infinity()));
  EXPECT_NO_THROW((void)(real + std::numeric_limits<double>::quiet_NaN()));
  EXPECT_NO_THROW((void)(real + std::numeric_limits<std::uint64_t>::max()));
  Exp<std::uint8_t> byte;
  EXPECT_NO_THROW((void)(byte + 255));
  Exp<bool> truth;
  EXPECT_NO_THROW((void)(truth == 1));
  EXPECT_THROW((void)(truth == 2), hs::BuildError);
}

// --- functions ---------------------------------------------------------------------------------

TEST(Functions, AreCalledOncePerOperation) {
  int calls = 0;
  const auto count = [&](auto x) {
    ++calls;
    return x;
  };
  const auto mapped = hs::map(count, Acc<Vector<float>>{});
  EXPECT_EQ(calls, 1);
  hs::generate(10, count);
  EXPECT_EQ(calls, 2);
}

Exp<float> twice(Exp<float> x) { return x + x; }

TEST(Functions, MayBePointersFunctionObjectsAndPlainResults) {
  const Acc<Vector<float>> a;
  is<Acc<Vector<float>>>(hs::map(twice, a));
  is<Acc<Vector<float>>>(hs::map(std::negate<>{}, a));
  is<Acc<Vector<int>>>(hs::map([](auto) { return 1; }, a));
  is<Acc<Vector<std::array<float, 2>>>>(hs::map([](auto x) { return std::array{x, x}; }, a));
}

TEST(Functions, TakeAGroupWholeOrByMember) {
  const auto pairs = hs::zip(Acc<Vector<float>>{}, Acc<Vector<int>>{});
  is<Acc<Vector<float>>>(hs::map([](auto x, auto) { return x; }, pairs));
  is<Acc<Vector<float>>>(hs::map([](auto p) { return hs::get<0>(p); }, pairs));
  is<Acc<Vector<float>>>(
      hs::map([](std::tuple<Exp<float>, Exp<int>> p) { return std::get<0>(p); }, pairs));
  int arguments = 0;
  hs::map(
      [&](auto... all) {
        arguments = sizeof...(all);
        return 0;
      },
      pairs);
  EXPECT_EQ(arguments, 1);
  is<Acc<Matrix<std::int64_t>>>(hs::generate(hs::ix(2, 3), [](auto i, auto j) { return i + j; }));
  is<Acc<Scalar<int>>>(hs::generate(Ix<0>{}, [](auto) { return 1; }));
}

TEST(Functions, NestedOperatorsAreFoundAtTheOperationAround) {
  const Acc<Vector<float>> a;
  const auto nested = [&](auto x) { return hs::the(hs::sum(a * x)); };
  expect_build_error(__LINE__, [&] { (void)hs::map(nested, a); });
}

TEST(Functions, ExceptionsPassThrough) {
  struct Mine {};
  const auto bad = [](auto x) {
    if (true) throw Mine{};
    return x;
  };
  EXPECT_THROW(hs::map(bad, Acc<Vector<float>>{}), Mine);
  EXPECT_NO_THROW(hs::map(twice, Acc<Vector<float>>{}));
}

}  // namespace
