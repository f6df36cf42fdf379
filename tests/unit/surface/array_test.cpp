// Host arrays: construction, access, equality, printing, borrowed memory, errors with places.
#include <gtest/gtest.h>

#include <hasten/array/array.hpp>
#include <hasten/scalar/struct.hpp>

#include "tests/support/places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ranges>
#include <sstream>

namespace hs = hasten;
using hs::Array, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace shapes {
struct Point {
  float x = 0;
  std::int32_t n = 0;
  friend bool operator==(const Point&, const Point&) = default;
};
HASTEN_STRUCT(Point, x, n);
}  // namespace shapes
using shapes::Point;

namespace {

template <class A>
std::string printed(const A& a) {
  std::ostringstream out;
  out << a;
  return out.str();
}

static_assert(std::ranges::random_access_range<const Vector<float>>);

TEST(HostArray, BracesListElements) {
  const Vector<float> v{1, 2, 3};
  EXPECT_EQ(v.shape(), Ix<1>(3));
  EXPECT_EQ(v(1), 2.0f);
  const Vector<std::int64_t> one{3};
  EXPECT_EQ(one.size(), 1);
  const Matrix<int> m{{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ(m.shape(), Ix<2>(3, 2));
  EXPECT_EQ(m(2, 1), 6);
  EXPECT_EQ((m[hs::ix(1, 0)]), 3);
  const Array<int, 3> cube{{{1, 2}}, {{3, 4}}};
  EXPECT_EQ(cube.shape(), Ix<3>(2, 1, 2));
  EXPECT_EQ(cube(1, 0, 1), 4);
  const Scalar<float> s{3};
  EXPECT_EQ(s.item(), 3.0f);
}

TEST(HostArray, ShapesArePrinted) {
  EXPECT_EQ(printed(Ix<0>()), "()");
  EXPECT_EQ(printed(Ix<1>(7)), "7");
  EXPECT_EQ(printed(Ix<2>(3, -4)), "(3, -4)");
  EXPECT_EQ(printed(Matrix<int>{{1, 2}, {3, 4}, {5, 6}}.shape()), "(3, 2)");
  EXPECT_EQ(printed(Array<int, 3>{}.shape()), "(0, 0, 0)");
}

TEST(HostArray, DefaultsAreEmptyAndTheZeroValue) {
  EXPECT_EQ(Vector<float>{}.size(), 0);
  EXPECT_EQ((Array<int, 3>{}.shape()), Ix<3>(0, 0, 0));
  EXPECT_EQ(Scalar<int>{}.item(), 0);
  EXPECT_EQ(Scalar<int>{}.size(), 1);
  EXPECT_TRUE(Vector<float>{} == (Vector<float>(0, std::vector<float>{})));
  EXPECT_EQ(printed(Vector<float>{}), "[]");
}

TEST(HostArray, CopiesRangesOfEveryKind) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  const Matrix<double> m({2, 3}, values);
  EXPECT_EQ(m.to_vector(), values);
  EXPECT_EQ(m(1, 0), 4);
  const Vector<bool> b(3, std::vector<bool>{true, false, true});
  EXPECT_EQ(b.to_vector(), (std::vector<bool>{true, false, true}));
  EXPECT_TRUE(b.span()[2]);
  const std::vector<Point> points{{1, 2}, {3, 4}};
  const Vector<Point> p(2, points);
  EXPECT_EQ(p(1), (Point{3, 4}));
  EXPECT_EQ(p.component<1>()[0], 2);
  EXPECT_EQ(p.to_vector(), points);
}

TEST(HostArray, CompoundElementsAreStoredByComponent) {
  using T = std::tuple<std::int8_t, std::pair<double, bool>, std::array<float, 2>, Ix<2>>;
  const T value{std::int8_t{7}, {2.5, true}, {1.0f, 2.0f}, Ix<2>(8, 9)};
  const Vector<T> v{value, T{}};
  EXPECT_EQ(v(0), value);
  EXPECT_EQ(v.component<0>()[0], 7);
  EXPECT_EQ(v.component<1>()[0], 2.5);
  EXPECT_EQ(v.component<2>()[0], true);
  EXPECT_EQ(v.component<4>()[0], 2.0f);
  EXPECT_EQ(v.component<6>()[0], 9);
  static_assert(std::is_same_v<decltype(v.component<5>()), std::span<const std::int64_t>>);
}

TEST(HostArray, FromFunctionVisitsInRowMajorOrder) {
  const auto m = Array<std::int64_t, 2>::from_function(
      {3, 4}, [](Ix<2> ix) -> std::int64_t { return 10 * ix[0] + ix[1]; });
  EXPECT_EQ(m.span()[5], 11);
  EXPECT_EQ(m(2, 3), 23);
  const auto v = Vector<int>::from_function(5, [](Ix<1> i) { return static_cast<int>(i * i); });
  EXPECT_EQ(v.to_vector(), (std::vector<int>{0, 1, 4, 9, 16}));
  const auto s = Scalar<int>::from_function({}, [](Ix<0>) { return 5; });
  EXPECT_EQ(s.item(), 5);
  EXPECT_EQ((Array<int, 2>::from_function({0, 4}, [](Ix<2>) { return 1; }).size()), 0);
}

TEST(HostArray, BorrowedMemoryIsReleasedOnce) {
  float memory[] = {1, 2, 3, 4, 5};
  int released = 0;
  {
    auto a = Vector<float>::borrow(4, memory + 1, [&] { ++released; });
    EXPECT_EQ(a.span().data(), memory + 1);
    EXPECT_EQ(a(3), 5);
    const auto copy = a;
    a = {};
    EXPECT_EQ(released, 0);
    EXPECT_EQ(copy(0), 2);
  }
  EXPECT_EQ(released, 1);
}

TEST(HostArray, EqualityIsOfElementsIdentityOfBits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Vector<float> a{1, nan}, zero{0.0f}, minus{-0.0f};
  EXPECT_FALSE(a == a);
  EXPECT_TRUE(hs::identical(a, a));
  EXPECT_TRUE(zero == minus);
  EXPECT_FALSE(hs::identical(zero, minus));
  EXPECT_FALSE((Matrix<int>({1, 4}, {1, 2, 3, 4})) == (Matrix<int>({2, 2}, {1, 2, 3, 4})));
  EXPECT_TRUE((Vector<Point>{{1, 2}}) == (Vector<Point>{{1, 2}}));
  EXPECT_FALSE((Vector<Point>{{1, 2}}) == (Vector<Point>{{1, 3}}));
}

TEST(HostArray, RankOneIsARange) {
  const Vector<int> v{3, 1, 2};
  int sum = 0;
  for (const int e : v) sum += e;
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(*std::ranges::max_element(v), 3);
  EXPECT_EQ(v.begin()[2], 2);
}

TEST(HostArray, Prints) {
  EXPECT_EQ(printed(Matrix<int>{{1, 2}, {3, -4}}), "[[1, 2], [3, -4]]");
  EXPECT_EQ(printed(Vector<float>{0.1f, 3}), "[0.1, 3]");
  EXPECT_EQ(printed(Vector<bool>{true, false}), "[true, false]");
  EXPECT_EQ(printed(Scalar<Point>(Point{1.5f, 2})), "(1.5, 2)");
  const auto long_one = Vector<int>::from_function(2000, [](Ix<1> i) { return int(i); });
  EXPECT_EQ(printed(long_one), "[0, 1, 2, ..., 1997, 1998, 1999]");
}

// Each error names the user's line, which is that of the lambda.
template <class E, class F>
void expect_at(int line, F f) {
  try {
    f();
    FAIL() << "nothing was thrown";
  } catch (const E& error) {
    EXPECT_EQ(static_cast<int>(error.where().line()), line) << error.what();
    EXPECT_TRUE(hs::test::begins_with_its_place(error)) << error.what();
    EXPECT_NE(std::string(error.where().file_name()).find("array_test"), std::string::npos);
  }
}

TEST(HostArray, ErrorsNameTheLine) {
  const Matrix<int> m{{1, 2}, {3, 4}};
  const Vector<int> v{1, 2};
  expect_at<hs::IndexError>(__LINE__, [&] { (void)m(2, 0); });
  expect_at<hs::IndexError>(__LINE__, [&] { (void)m(0, -1); });
  expect_at<hs::IndexError>(__LINE__, [&] { (void)v[2]; });
  expect_at<hs::ShapeError>(__LINE__, [&] { Vector<int>(3, std::vector<int>{1, 2}); });
  expect_at<hs::ShapeError>(__LINE__, [&] { Matrix<int> ragged{{1, 2}, {3}}; });
  const auto zero = [](auto) { return 0; };
  expect_at<hs::ShapeError>(__LINE__, [&] { Vector<int>::from_function(-1, zero); });
  expect_at<hs::BuildError>(__LINE__, [&] { Scalar<std::uint8_t> s{300}; });
}

TEST(HostArray, MessagesSayShapesAndNumbers) {
  try {
    (void)Matrix<int>{{1, 2}}(1, 0);
    FAIL();
  } catch (const hs::IndexError& error) {
    EXPECT_NE(std::string(error.what()).find("(1, 0)"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("(1, 2)"), std::string::npos);
  }
}

}  // namespace
