// Scatters over uniform defaults: the launch itself fills its outputs.
#include "../support.hpp"

#include <complex>
#include <functional>
#include <tuple>
#include <utility>

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

using Index = std::int64_t;

class Fills : public hasten_test::OnEveryDevice {
 protected:
  static Vector<int> vector(Index n) {
    return Vector<int>::from_function(
        n, [](hs::Ix<1> ix) { return static_cast<int>((ix[0] * 37 + 11) % 23) - 7; });
  }
  // Checks the number of launches of the last call, and compares results with the interpreter's.
  template <class F, class... Args>
  static void agrees(Index launches, const F& program, const Args&... args) {
    auto f = hs::compile(program, GetParam());
    const auto defined = hs::compile(program, {.target = hs::interpreter()});
    for (int i = 0; i < 2; ++i)  // reused memory holds old values
      EXPECT_EQ(f(args...), defined(args...)) << f.explain();
    if (GetParam().target.name() == "interpreter") return;
    const auto before = f.statistics().launches;
    f(args...);
    EXPECT_EQ(f.statistics().launches - before, launches) << f.explain();
  }
  // Scatters into three times as many places, with collisions, and drops some elements.
  template <class T, class C>
  static void agrees_on(T fill, C combine) {
    for (const Index n : {0, 1, 7, 255, 4096, 40'001})
      agrees(
          1,
          [=](Acc<Vector<int>> x) {
            const auto size = hs::size(x);
            return hs::permute(
                combine, hs::fill(hs::ix(size * 3 + 1), Exp<T>(fill)),
                [](auto i) { return (i - i % 4) * 2 - 3; },
                hs::map([](auto e) { return hs::cast<T>(e); }, x));
          },
          vector(n));
  }
};

const auto newest = [](auto fresh, auto) { return fresh; };

TEST_P(Fills, OfEveryWidth) {
  agrees_on<std::int8_t>(-3, std::plus<>{});
  agrees_on<std::uint16_t>(65535, std::plus<>{});
  agrees_on<int>(-7, std::plus<>{});
  agrees_on<std::int64_t>(1LL << 40, std::plus<>{});
  agrees_on<float>(0.5f, newest);
  agrees_on<double>(-0.0, newest);
}

TEST_P(Fills, OfBooleansHalvesAndComplexNumbers) {
  agrees_on<std::complex<float>>({1.5f, -2.0f}, newest);
  agrees_on<std::complex<double>>({1.5, -2.0}, newest);
  agrees_on<hs::half>(hs::half(1.5f), newest);
  agrees(
      1,
      [](Acc<Vector<int>> x) {
        const auto set = hs::map([](auto e) { return e < 0; }, x);
        return hs::permute_unique(
            hs::fill(hs::ix(200), Exp<bool>(true)), [](auto i) { return 3 * i; }, set);
      },
      vector(60));
}

TEST_P(Fills, OfSeveralLeaves) {
  using Pair = std::tuple<std::int8_t, double, std::complex<float>>;
  agrees(
      1,
      [](Acc<Vector<int>> x) {
        const auto all = hs::map(
            [](auto e) {
              return std::tuple{hs::cast<std::int8_t>(e), hs::cast<double>(e) * 0.5,
                                hs::cast<std::complex<float>>(e)};
            },
            x);
        const Exp<Pair> fill = Pair{std::int8_t{9}, -1.0, {0.0f, 3.0f}};
        return hs::permute(newest, hs::fill(hs::ix(5000), fill), [](auto i) { return i / 2; }, all);
      },
      vector(3001));
}

// The value is known only at run time, like other arguments.
TEST_P(Fills, WithValuesOfTheCall) {
  const auto program = [](Acc<Vector<int>> x, Exp<int> value, Exp<Index> size) {
    return hs::permute(
        std::minus<>{}, hs::fill(hs::ix(size), value), [](auto i) { return i % 5; }, x);
  };
  agrees(1, program, vector(33), 4, Index{7});
  agrees(1, program, vector(33), -4, Index{100'000});
  agrees(1, program, vector(0), 8, Index{5});
}

TEST_P(Fills, OfMatrices) {
  agrees(
      1,
      [](Acc<Vector<int>> x) {
        return hs::permute(
            std::plus<>{}, hs::fill(hs::ix(40, 30), Exp<int>(2)),
            [](auto i) { return hs::ix(i % 41, i % 31); }, x);
      },
      vector(5000));
}

// Every round fills again, also when rounds are replayed.
TEST_P(Fills, InLoops) {
  const auto program = [](Acc<Vector<int>> x) {
    return hs::aiterate(
        60,
        [](Acc<Vector<int>> a) {
          const auto counts = hs::permute(
              std::plus<>{}, hs::fill(hs::shape(a), Exp<int>(1)),
              [](auto i, auto e) { return (i + hs::cast<Index>(e)) / 2; }, a);
          return hs::map([](auto e) { return e % 11; }, counts);
        },
        x);
  };
  auto f = hs::compile(program, GetParam());
  const auto defined = hs::compile(program, {.target = hs::interpreter()});
  const auto x = vector(3000);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f(x), defined(x));
}

HASTEN_ON_EVERY_DEVICE(Fills);

}  // namespace
