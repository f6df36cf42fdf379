// Whole rows are scattered to the rows that labels name: neighbours are updated together, rows with
// one label in order. Compared with the interpreter.
#include "../support.hpp"

#include <complex>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

using Index = std::int64_t;

class ScatteredRows : public hasten_test::OnEveryDevice {
 protected:
  template <class T>
  static Matrix<T> matrix(Index rows, Index columns) {
    return Matrix<T>::from_function({rows, columns}, [](hs::Ix<2> ix) {
      const Index x = (ix[0] * 37 + ix[1] * 11) % 23 - 7;
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(x);
      else
        return static_cast<T>(static_cast<float>(x));
    });
  }
  // Labels from two rows before the first of `count` rows to two rows after the last.
  static Vector<int> labels(Index rows, Index count) {
    return Vector<int>::from_function(
        rows, [=](hs::Ix<1> ix) { return static_cast<int>(ix[0] * ix[0] * 31 % (count + 4)) - 2; });
  }
  template <class F, class... Args>
  static void agrees(const F& program, const Args&... args) {
    auto f = hs::compile(program, GetParam());
    const auto defined = hs::compile(program, {.target = hs::interpreter()});
    EXPECT_EQ(f(args...), defined(args...)) << f.explain();
  }
  // Columns move left by `shift`; the first ones have no target.
  template <class T, class C>
  static void agrees_on(C combine, Index shift = 0) {
    for (const auto& [rows, columns] : std::vector<std::pair<Index, Index>>{
             {0, 5}, {5, 0}, {1, 1}, {700, 1}, {700, 3}, {301, 4}, {97, 16}, {97, 33}, {300, 129}})
      for (const Index count : {1, 7}) {
        const auto program = [=](Acc<Matrix<T>> x, Acc<Vector<int>> label,
                                 Acc<Matrix<T>> defaults) {
          return hs::permute(
              combine, defaults,
              [=](const Exp<hs::Ix<2>>& i) { return hs::ix(label[i[0]], i[1] - shift); }, x);
        };
        agrees(program, matrix<T>(rows, columns), labels(rows, count), matrix<T>(count, columns));
      }
  }
};

TEST_P(ScatteredRows, OfIntegers) {
  agrees_on<int>(std::plus<>{});
  agrees_on<std::uint8_t>(std::plus<>{});
  agrees_on<std::int16_t>(std::plus<>{}, 2);
  agrees_on<std::int64_t>([](auto x, auto y) { return hs::max(x, y); }, 1);
  agrees_on<int>([](auto x, auto y) { return x - y * 3; }, 1);
  agrees_on<bool>([](auto x, auto y) { return x ^ y; });
}

TEST_P(ScatteredRows, OfFloats) {
  agrees_on<float>(std::plus<>{});
  agrees_on<double>([](auto x, auto y) { return x - y * 0.5; }, 1);
  agrees_on<float>([](auto x, auto y) { return hs::select(x > y, x, y - x); });
  agrees_on<hs::half>(std::plus<>{}, 3);
  agrees_on<std::complex<float>>(std::plus<>{});
}

// Costly elements are computed in lanes, whatever their targets.
TEST_P(ScatteredRows, OfLongElements) {
  const auto program = [](Acc<Matrix<float>> x, Acc<Vector<int>> label) {
    const auto rounds = hs::map(
        [](const Exp<float>& e) {
          const auto steps = hs::cast<Index>(hs::abs(e));
          return std::pair{hs::iterate(steps, [](auto y) { return y * 2.0F + 1.0F; }, e), steps};
        },
        x);
    return hs::permute(
        [](const auto& a, const auto& b) {
          const auto [x0, steps0] = a;
          const auto [x1, steps1] = b;
          return std::pair{x0 + x1, hs::max(steps0, steps1)};
        },
        hs::fill(hs::ix(7, hs::shape(x)[1]), Exp<std::pair<float, Index>>(0.0F, Index{-1})),
        [=](const Exp<hs::Ix<2>>& i) { return hs::ix(label[i[0]], i[1]); }, rounds);
  };
  for (const Index columns : {1, 5, 64, 131})
    agrees(program, matrix<float>(61, columns), labels(61, 7));
}

// Rows that are longer than those of the outputs: many pieces of them, or all, have no targets.
TEST_P(ScatteredRows, LongerThanTheOutputs) {
  const auto program = [](Acc<Matrix<std::uint8_t>> x, Exp<Index> first, Exp<Index> columns) {
    return hs::permute(
        std::plus<>{}, hs::fill(hs::ix(23, columns), Exp<int>(0)),
        [=](const Exp<hs::Ix<2>>& i) { return hs::ix(hs::cast<Index>(x[i]), i[1] - first); },
        hs::map([](auto v) { return hs::cast<int>(v) + 1; }, x));
  };
  const auto x = Matrix<std::uint8_t>::from_function(
      {2, 200'003}, [](hs::Ix<2> ix) { return static_cast<std::uint8_t>(ix[1] * 7 % 25); });
  for (const Index first : {0, 150'001, 300'000, -300'000})
    for (const Index columns : {0, 1, 1'001, 1'003}) agrees(program, x, first, columns);
  const auto own = [](Acc<Matrix<std::uint8_t>> all, Exp<Index> columns) {
    return hs::permute(
        std::plus<>{}, hs::fill(hs::ix(23, columns), Exp<int>(0)),
        [=](const Exp<hs::Ix<2>>& i) { return hs::ix(hs::cast<Index>(all[i]), i[1]); },
        hs::map([](auto v) { return hs::cast<int>(v) + 1; }, all));
  };
  for (const Index columns : {0, 1, 1'001, 1'003}) agrees(own, x, columns);
}

HASTEN_ON_EVERY_DEVICE(ScatteredRows);

}  // namespace
