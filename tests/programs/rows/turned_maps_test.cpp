// Maps that read along an outer axis: transposes and other orders of axes. Tiles of rows are read
// along memory and turned in registers. Around the sizes of vectors and tiles, against the
// interpreter, and beyond the caches against loops.
#include "against_interpreter.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

using hasten_test::numbers_of;
using hs::Acc, hs::Array, hs::Exp, hs::Ix, hs::Matrix;

namespace {

class TurnedMaps : public hasten_test::AgainstInterpreter {};

const std::int64_t extents[] = {0, 1, 3, 5, 15, 16, 17, 33, 64, 65, 127, 128, 130};

template <class Check>
void of_all_shapes(Check check) {
  for (const std::int64_t rows : extents)
    for (const std::int64_t columns : extents)
      check(hs::ix(rows, columns), std::to_string(rows) + " x " + std::to_string(columns));
}

template <class T>
void transposes(auto check) {
  of_all_shapes([&](const Ix<2>& shape, const std::string& what) {
    const auto x = numbers_of<T>(shape);
    check(hs::transpose(x), what);
  });
}
TEST_P(TurnedMaps, TransposesOfFloats) {
  transposes<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(TurnedMaps, TransposesOfDoubles) {
  transposes<double>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(TurnedMaps, TransposesOfBytes) {
  transposes<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(TurnedMaps, TransposesOfBools) {
  transposes<bool>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(TurnedMaps, TransposesOfHalves) {
  transposes<hs::half>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(TurnedMaps, TransposesOfComplexNumbers) {
  transposes<std::complex<float>>(
      [](const auto& p, const std::string& what) { expect_same(p, what); });
}

// Beside reads along rows, of rows and of columns alone, into several outputs of different types,
// with a branch and under a condition.
TEST_P(TurnedMaps, BesideOtherReads) {
  of_all_shapes([](const Ix<2>& shape, const std::string& what) {
    const auto x = numbers_of<float>(shape), y = numbers_of<float>(hs::ix(shape[1], shape[0]));
    const auto of_rows = numbers_of<double>(hs::ix(shape[1]));
    const auto of_columns = numbers_of<std::int16_t>(hs::ix(shape[0]));
    expect_same(hs::imap(
                    [=](const Exp<Ix<2>>& i, const Exp<float>& v) {
                      const auto turned = x(i[1], i[0]);
                      const auto both = turned * 3.0F + v;
                      return std::tuple{both, hs::cast<double>(turned) - of_rows[i[0]],
                                        of_columns[i[1]],
                                        hs::if_(turned > v, hs::sqrt(hs::abs(turned)), v)};
                    },
                    y),
                what);
  });
}

TEST_P(TurnedMaps, OrdersOfThreeAxes) {
  const std::array<std::array<std::size_t, 3>, 6> orders{
      {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  const Ix<3> shapes[] = {{1, 1, 1},   {2, 17, 33},  {17, 2, 33},  {33, 17, 2},  {5, 6, 7},
                          {20, 33, 4}, {3, 130, 20}, {130, 3, 20}, {20, 3, 130}, {4, 0, 20}};
  for (const Ix<3>& shape : shapes)
    for (const auto& order : orders) {
      const auto x = numbers_of<float>(shape);
      const auto of_order = [&](auto get) {
        return hs::ix(get(order[0]), get(order[1]), get(order[2]));
      };
      const Ix<3> result = of_order([&](std::size_t axis) { return shape[axis]; });
      std::string what = "axes";
      for (const std::size_t axis : order) what += " " + std::to_string(shape[axis]);
      expect_same(hs::generate(result,
                               [=](const Exp<Ix<3>>& i) {
                                 std::array<Exp<std::int64_t>, 3> from;
                                 for (std::size_t axis = 0; axis < 3; ++axis)
                                   from[order[axis]] = i[axis];
                                 return x(from[0], from[1], from[2]);
                               }),
                  what);
    }
}

// Results that go past the caches begin on lines, or do not.
TEST_P(TurnedMaps, BeyondTheCaches) {
  const auto f =
      hs::compile([](const Acc<Matrix<float>>& a) { return hs::transpose(a); }, GetParam());
  for (const Ix<2>& shape : {Ix<2>{4096, 2400}, Ix<2>{3001, 3203}}) {
    std::vector<float> values(static_cast<std::size_t>(shape.product()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1009);
    const Matrix<float> result = f(Matrix<float>(shape, std::span<const float>(values)));
    const auto got = result.span();
    const auto rows = static_cast<std::size_t>(shape[0]),
               columns = static_cast<std::size_t>(shape[1]);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        ASSERT_EQ(got[j * rows + i], values[i * columns + j]) << i << " " << j;
  }
}

HASTEN_ON_EVERY_DEVICE(TurnedMaps);

}  // namespace
