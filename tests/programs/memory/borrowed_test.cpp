// Memory that arrays borrow: with strides, of structs, by component.
#include "../support.hpp"
#include "view.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

using hs::Acc, hs::Array, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace borrowed {
struct Body {
  float x = 0;
  std::int32_t n = 0;
  double mass = 0;
  friend bool operator==(const Body&, const Body&) = default;
};
HASTEN_STRUCT(Body, x, n, mass);
}  // namespace borrowed
using borrowed::Body;

namespace {

std::vector<int> counted(int n) {
  std::vector<int> list(static_cast<std::size_t>(n));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

class Borrowed : public hasten_test::OnEveryDevice {};

TEST_P(Borrowed, WithStrides) {
  const std::vector<int> list = counted(24);
  int released = 0;
  const auto lend = [&](const Ix<2>& shape, int first, const Ix<2>& strides) {
    return Matrix<int>::borrow(shape, list.data() + first, strides, [&] { ++released; });
  };
  const auto padded = lend({2, 3}, 0, {4, 1});
  EXPECT_EQ(released, 1);  // it was copied
  EXPECT_EQ(run(hs::use(padded) + 1), (Matrix<int>{{1, 2, 3}, {5, 6, 7}}));
  EXPECT_EQ(run(hs::sum(hs::use(lend({2, 3}, 1, {1, 2})))), (Vector<int>{9, 12}));  // by columns
  EXPECT_EQ(run(hs::use(lend({2, 2}, 23, {-4, -1})) + 0), (Matrix<int>{{23, 22}, {19, 18}}));
  EXPECT_EQ(run(hs::use(lend({2, 3}, 7, {0, 2})) + 0), (Matrix<int>{{7, 9, 11}, {7, 9, 11}}));
  EXPECT_EQ(run(hs::use(lend({2, 2}, 5, {0, 0})) + 0), (Matrix<int>{{5, 5}, {5, 5}}));
  EXPECT_EQ(released, 5);
  EXPECT_EQ(run(hs::sum(hs::use(lend({3, 0}, 0, {7, 9})))), (Vector<int>{0, 0, 0}));
  EXPECT_EQ(released, 6);
}

TEST_P(Borrowed, Views) {
  std::vector<int> list = counted(24);
  int released = 0;
  const hasten_test::View<int, 2> by_columns(list.data() + 1, {2, 3}, {1, 2});
  EXPECT_EQ(run(hs::sum(hs::use(Matrix<int>::borrow(by_columns, [&] { ++released; })))),
            (Vector<int>{9, 12}));
  EXPECT_EQ(released, 1);
  const hasten_test::View<const int, 1> plain(list.data(), {24}, {1});
  const auto lent = Vector<int>::borrow(plain, [] {});
  EXPECT_EQ(lent.span().data(), list.data());
}

TEST_P(Borrowed, Spans) {
  const std::vector<int> list = counted(6);
  int released = 0;
  {
    const auto all = Vector<int>::borrow(list, [&] { ++released; });
    const auto some = Vector<int>::borrow(std::span(list).last(2), [&] { ++released; });
    const auto rows = Matrix<int>::borrow({2, 3}, list, [&] { ++released; });
    EXPECT_EQ(rows.span().data(), list.data());
    EXPECT_EQ(run(hs::sum(hs::use(all))).item(), 15);
    EXPECT_EQ(run(hs::sum(hs::use(some))).item(), 9);
    EXPECT_EQ(run(hs::sum(hs::use(rows))), (Vector<int>{3, 12}));
  }
  EXPECT_EQ(released, 3);
  EXPECT_THROW((Matrix<int>::borrow({2, 2}, list, [] {})), hs::ShapeError);
  const std::vector<Body> bodies{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(Vector<Body>::borrow(bodies, [] {})(1), bodies[1]);
}

TEST_P(Borrowed, WithoutGapsIsNotCopied) {
  const std::vector<int> list = counted(24);
  int released = 0;
  {
    const auto rows =
        Array<int, 3>::borrow({2, 1, 3}, list.data(), {3, 77, 1}, [&] { ++released; });
    EXPECT_EQ(rows.span().data(), list.data());
    EXPECT_EQ(run(hs::sum_all(hs::use(rows))).item(), 15);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST_P(Borrowed, StructsWhole) {
  const std::vector<Body> bodies{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
  int released = 0;
  const auto all = Vector<Body>::borrow(4, bodies.data(), [&] { ++released; });
  EXPECT_EQ(released, 0);  // structs_test.cpp tests when
  const auto masses = [](const Acc<Vector<Body>>& a) {
    return hs::map(
        [](Exp<Body> b) {
          auto [x, n, mass] = b;
          return mass + hs::cast<double>(n);
        },
        a);
  };
  EXPECT_EQ(run(masses(hs::use(all))), (Vector<double>{5, 11, 17, 23}));
  int copied = 0;
  const auto every_other = Vector<Body>::borrow(2, &bodies[3], -2, [&] { ++copied; });
  EXPECT_EQ(copied, 1);
  EXPECT_EQ(run(masses(hs::use(every_other))), (Vector<double>{23, 11}));
  const auto turned = Matrix<Body>::borrow({2, 2}, bodies.data(), {1, 2}, [] {});
  EXPECT_EQ(turned(0, 1), bodies[2]);
}

TEST_P(Borrowed, StructsByComponent) {
  const std::vector<float> x{1, 2};
  const std::vector<std::int32_t> n{3, 4};
  const std::vector<double> mass{5, 6};
  int released = 0;
  {
    const auto bodies =
        Vector<Body>::borrow(2, {x.data(), n.data(), mass.data()}, [&] { ++released; });
    EXPECT_EQ(bodies.component<2>().data(), mass.data());
    EXPECT_EQ(bodies(1), (Body{2, 4, 6}));
    EXPECT_EQ(run(hs::map([](Exp<Body> b) { return b; }, hs::use(bodies))), bodies);
    const auto copy = bodies;
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

HASTEN_ON_EVERY_DEVICE(Borrowed);

template <class T, std::size_t N>
void expect_gathered(const Ix<N>& shape, const std::vector<T>& memory, std::int64_t first,
                     const Ix<N>& strides) {
  const auto got = Array<T, N>::borrow(shape, memory.data() + first, strides, [] {});
  const auto expected = Array<T, N>::from_function(shape, [&](const Ix<N>& ix) {
    const Ix<N> at = ix * strides;
    std::int64_t offset = first;
    for (const std::int64_t o : at) offset += o;
    return memory[static_cast<std::size_t>(offset)];
  });
  ASSERT_TRUE(identical(got, expected));
}

template <class T>
std::vector<T> filled() {
  std::vector<T> memory(20'000);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<T>(i % 251);
  return memory;
}

template <class T>
void gathers_in_any_order() {
  const std::vector<T> memory = filled<T>();
  expect_gathered<T, 1>({7'000}, memory, 0, {2});
  expect_gathered<T, 1>({7'000}, memory, 19'999, {-1});
  expect_gathered<T, 2>({100, 67}, memory, 5, {1, 100});
  expect_gathered<T, 2>({100, 67}, memory, 5, {2, 250});
  expect_gathered<T, 2>({33, 65}, memory, 19'000, {-1, -64});
  expect_gathered<T, 3>({5, 40, 70}, memory, 0, {1, 5, 200});  // all axes reversed
  expect_gathered<T, 3>({5, 40, 70}, memory, 3, {2'800, 1, 40});
  expect_gathered<T, 3>({5, 40, 70}, memory, 3, {3'000, 71, 1});
  expect_gathered<T, 4>({3, 4, 5, 6}, memory, 9'999, {-17, 500, 0, 31});
  expect_gathered<T, 4>({3, 1, 5, 1}, memory, 0, {5, -9'999, 1, 12'345});
  expect_gathered<T, 0>({}, memory, 77, {});
}

TEST(BorrowedStrides, OfAllSizes) {
  gathers_in_any_order<std::uint8_t>();
  gathers_in_any_order<std::int16_t>();
  gathers_in_any_order<float>();
  gathers_in_any_order<double>();
  gathers_in_any_order<std::complex<double>>();
}

TEST(BorrowedStrides, AtAnyAddress) {
  std::array<std::byte, 9> bytes{};
  const float numbers[] = {1, 2};
  std::memcpy(&bytes[1], numbers, sizeof numbers);
  const void* const odd = &bytes[1];
  const auto lent = Vector<float>::borrow(2, static_cast<const float*>(odd), 1, [] {});
  EXPECT_EQ(lent, (Vector<float>{1, 2}));
}

TEST(BorrowedStrides, ThatReachTooFar) {
  const float x = 0;
  int released = 0;
  const auto release = [&] { ++released; };
  EXPECT_THROW((Vector<float>::borrow(3, &x, std::int64_t{1} << 61, release)), hs::ShapeError);
  EXPECT_THROW((Vector<float>::borrow(3, &x, std::numeric_limits<std::int64_t>::min(), release)),
               hs::ShapeError);
  EXPECT_THROW((Vector<float>::borrow(3, nullptr, 2, release)), hs::ShapeError);
  EXPECT_THROW((Vector<float>::borrow(-3, &x, 2, release)), hs::ShapeError);
  EXPECT_THROW((Vector<Body>::borrow(3, {nullptr, nullptr, nullptr}, release)), hs::ShapeError);
  EXPECT_EQ(released, 0);  // nothing was borrowed
}

}  // namespace
