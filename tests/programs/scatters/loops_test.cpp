// Updates in loops of many iterations, which devices record once and replay. Operators without an
// atomic instruction sort their updates, and take scratch memory for that.
#include "../support.hpp"

#include <functional>

using hs::Acc, hs::Exp, hs::Vector;

namespace {

using Index = std::int64_t;

class ScattersInLoops : public hasten_test::OnEveryDevice {
 protected:
  static Vector<int> targets(Index n) {
    return Vector<int>::from_function(
        n, [=](hs::Ix<1> ix) { return static_cast<int>(ix[0] * ix[0] * 31 % n); });
  }
  template <class T>
  static Vector<T> start(Index n) {
    return Vector<T>::from_function(n, [](hs::Ix<1> ix) { return static_cast<T>(1 + ix[0] % 5); });
  }
  template <class F, class... Args>
  static void agrees(const F& program, const Args&... args) {
    auto f = hs::compile(program, GetParam());
    const auto defined = hs::compile(program, {.target = hs::interpreter()});
    for (int call = 0; call < 3; ++call) EXPECT_EQ(f(args...), defined(args...)) << f.explain();
  }
  // Halved in each iteration, so that sums stay small, and exact for the first ones.
  template <class T, class C>
  static void updates_agree(C combine) {
    for (const Index n : {1, 10, 257, 3000})
      agrees(
          [=](Acc<Vector<T>> x, Acc<Vector<int>> to) {
            return hs::aiterate(
                50,
                [=](Acc<Vector<T>> v) {
                  return hs::permute(
                      combine, v, [=](Exp<Index> i) { return hs::cast<Index>(to[i]); },
                      hs::map([](auto e) { return e / T(2); }, v));
                },
                x);
          },
          start<T>(n), targets(n));
  }
};

TEST_P(ScattersInLoops, BySums) {
  updates_agree<int>(std::plus<>{});
  updates_agree<std::uint8_t>(std::plus<>{});
}

TEST_P(ScattersInLoops, ByOperatorsWithoutAtomics) {
  updates_agree<float>([](const auto& a, const auto& b) { return a - b; });
  updates_agree<double>([](const auto& a, const auto& b) { return b + a * 0.5; });
}

TEST_P(ScattersInLoops, ByCountsAndStores) {
  for (const Index n : {10, 3000}) {
    agrees(
        [=](Acc<Vector<float>> x, Acc<Vector<int>> to) {
          return hs::aiterate(
              50,
              [=](Acc<Vector<float>> v) {
                return hs::histogram(
                    n, [](auto key) { return key; },
                    [=](auto key) { return hs::min(v[key] + 1.0f, 9.0f); }, to);
              },
              x);
        },
        start<float>(n), targets(n));
    agrees(
        [](Acc<Vector<float>> x, Acc<Vector<int>> to) {
          return hs::aiterate(
              50, [=](Acc<Vector<float>> v) { return hs::scatter(to, v, v + 1.0f); }, x);
        },
        start<float>(n), targets(n));
  }
}

HASTEN_ON_EVERY_DEVICE(ScattersInLoops);

}  // namespace
