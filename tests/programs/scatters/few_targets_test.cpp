// Updates of few targets, which vectors make in registers: groups and small histograms, at the
// sizes at which that begins and ends. Compared with the interpreter.
#include "../support.hpp"

#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

using Index = std::int64_t;

class FewTargets : public hasten_test::OnEveryDevice {
 protected:
  // Few values, so that sums of floats are exact in any order, and products are not infinite.
  template <class T>
  static Vector<T> values(Index n) {
    return Vector<T>::from_function(n, [](hs::Ix<1> ix) {
      const Index x = ix[0] * ix[0] % 9 - 4;
      return static_cast<T>(static_cast<float>(std::is_unsigned_v<T> ? x + 4 : x));
    });
  }
  template <class T>
  static Vector<T> signs(Index n) {
    return Vector<T>::from_function(
        n, [](hs::Ix<1> ix) { return static_cast<T>(ix[0] * 5 % 7 < 3 ? -1 : 1); });
  }
  // From two before the first of `count` targets to two after the last.
  static Vector<int> labels(Index n, Index count) {
    return Vector<int>::from_function(
        n, [=](hs::Ix<1> ix) { return static_cast<int>(ix[0] * ix[0] * 31 % (count + 4)) - 2; });
  }
  template <class F, class... Args>
  static void agrees(const F& program, const Args&... args) {
    auto f = hs::compile(program, GetParam());
    const auto defined = hs::compile(program, {.target = hs::interpreter()});
    EXPECT_EQ(f(args...), defined(args...)) << f.explain();
  }
  // Private outputs begin with 32 updates of each target, results in registers with 256 elements.
  static std::vector<Index> sizes() { return {0, 1, 255, 256, 257, 1'000, 16'384, 40'009}; }

  template <class T, class C>
  static void agrees_on(C combine, Vector<T> (*made)(Index) = values<T>) {
    const auto program = [=](Acc<Vector<T>> x, Acc<Vector<int>> label, Acc<Vector<T>> defaults) {
      return hs::permute(combine, defaults, [=](const Exp<Index>& i) { return label[i]; }, x);
    };
    for (const Index n : sizes())
      for (const Index count : {1, 2, 4, 5, 8, 9})
        agrees(program, made(n), labels(n, count), made(count));
  }
};

const auto least = [](const auto& a, const auto& b) { return hs::min(a, b); };
const auto most = [](const auto& a, const auto& b) { return hs::max(a, b); };

TEST_P(FewTargets, SumsOfEveryType) {
  agrees_on<std::int8_t>(std::plus<>{});
  agrees_on<std::uint8_t>(std::plus<>{});
  agrees_on<std::int16_t>(std::plus<>{});
  agrees_on<std::uint32_t>(std::plus<>{});
  agrees_on<int>(std::plus<>{});
  agrees_on<std::int64_t>(std::plus<>{});
  agrees_on<float>(std::plus<>{});
  agrees_on<double>(std::plus<>{});
}

TEST_P(FewTargets, OtherOperators) {
  agrees_on<int>(std::multiplies<>{}, signs<int>);
  agrees_on<float>(std::multiplies<>{}, signs<float>);
  agrees_on<int>(std::bit_xor<>{});
  agrees_on<std::uint16_t>(std::bit_or<>{});
  agrees_on<std::int64_t>(std::bit_and<>{});
  agrees_on<float>(least);
  agrees_on<double>(most);
  agrees_on<std::int16_t>(most);
}

// Operators that are not of the table, and go in order.
TEST_P(FewTargets, InOrder) {
  agrees_on<int>(
      [](const Exp<int>& fresh, const Exp<int>& old) { return fresh + old + fresh * old; });
  agrees_on<float>([](const Exp<float>& fresh, const Exp<float>&) { return fresh; });
}

TEST_P(FewTargets, Counts) {
  for (const Index n : sizes())
    for (const Index count : {1, 3, 8}) {
      agrees(
          [=](Acc<Vector<int>> label) {
            return hs::histogram(count, [](auto x) { return x; }, label);
          },
          labels(n, count));
      // Each update adds the same number, which wraps.
      agrees(
          [=](Acc<Vector<int>> label) {
            return hs::permute(
                std::plus<>{}, hs::fill(count, Exp<std::int8_t>(std::int8_t{7})),
                [=](const Exp<Index>& i) { return label[i]; },
                hs::map([](auto) { return Exp<std::int8_t>(std::int8_t{-3}); }, label));
          },
          labels(n, count));
    }
}

// A mean's sum and count, and the largest element, in one scatter.
TEST_P(FewTargets, SeveralLeaves) {
  const auto program = [](Acc<Vector<float>> x, Acc<Vector<int>> label) {
    const auto all = hs::map(
        [](const Exp<float>& v) { return std::tuple(hs::cast<double>(v), Exp<Index>(1), v); }, x);
    using Sums = std::tuple<double, Index, float>;
    const auto joined = [](const Exp<Sums>& a, const Exp<Sums>& b) {
      return std::tuple(hs::get<0>(a) + hs::get<0>(b), hs::get<1>(a) + hs::get<1>(b),
                        hs::max(hs::get<2>(a), hs::get<2>(b)));
    };
    return hs::permute(
        joined, hs::fill(4, Exp<Sums>(Sums{0, 0, -1e30F})),
        [=](const Exp<Index>& i) { return label[i]; }, all);
  };
  for (const Index n : sizes()) agrees(program, values<float>(n), labels(n, 4));
}

TEST_P(FewTargets, UnderConditions) {
  const auto program = [](Acc<Vector<int>> x, Acc<Vector<int>> label, Exp<Index> low,
                          Exp<Index> high) {
    return hs::permute(
        std::plus<>{}, hs::fill(hs::ix(2, 3), Exp<int>(1)),
        [=](const Exp<Index>& i) {
          const auto key = hs::cast<Index>(label[i]);
          return hs::if_((key >= low) & (high > key) & (i % 7 != 3),
                         hs::some(hs::ix(key % 2, key / 2)),
                         Exp<std::optional<hs::Ix<2>>>(hs::none));
        },
        x);
  };
  for (const Index n : sizes())
    for (const Index low : {-1, 2}) agrees(program, values<int>(n), labels(n, 6), low, Index{5});
}

// Rows of 300 elements each, in several parts; short rows, for which registers do not pay.
TEST_P(FewTargets, OfRows) {
  const auto program = [](Acc<Matrix<float>> x, Acc<Vector<int>> label) {
    return hs::permute(
        std::plus<>{}, hs::fill(hs::ix(3), 0.5F),
        [=](const Exp<hs::Ix<2>>& i) { return label[i[0] + i[1] % 5]; }, x);
  };
  for (const Index columns : {3, 300})
    for (const Index rows : {1, 7, 200}) {
      const Vector<float> x = values<float>(rows * columns);
      agrees(program,
             Matrix<float>::from_function({rows, columns},
                                          [&](hs::Ix<2> ix) { return x(ix[0] * columns + ix[1]); }),
             labels(rows + 4, 3));
    }
}

HASTEN_ON_EVERY_DEVICE(FewTargets);

}  // namespace
