// Control flow over arrays and groups of arrays; compiled programs and their arguments.
#include "support.hpp"

#include <functional>
#include <thread>

using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace flow {
struct Vec2 {
  float x = 0, y = 0;
  friend bool operator==(const Vec2&, const Vec2&) = default;
};
HASTEN_STRUCT(Vec2, x, y);
template <template <class> class In>
struct Fluid {
  In<Vector<float>> density;
  In<Vector<Vec2>> velocity;
};
HASTEN_GROUP(Fluid, density, velocity);
}  // namespace flow
using flow::Fluid, flow::Vec2;

namespace {

class ControlFlow : public hasten_test::OnEveryTarget {};

TEST_P(ControlFlow, AcondChoosesWholeArrays) {
  const auto a = hs::use(Vector<int>{1, 2, 3}), b = hs::use(Vector<int>{7});
  const auto pick = [&](bool c) { return run(hs::acond(hs::parameter(c), a, b)); };
  EXPECT_EQ(pick(true), (Vector<int>{1, 2, 3}));
  EXPECT_EQ(pick(false), (Vector<int>{7}));
  EXPECT_EQ(run(hs::acond(hs::any_of(a == 9), a, b)), (Vector<int>{7}));
  const auto [x, y] = run(hs::acond(hs::parameter(false), std::pair{a, b}, std::pair{b, a}));
  EXPECT_EQ(x, (Vector<int>{7}));
  EXPECT_EQ(y, (Vector<int>{1, 2, 3}));
}

TEST_P(ControlFlow, AcondChoosesGroupsOfArraysAndScalars) {
  const auto f = hs::compile([](Exp<bool> c, Exp<float> x, Acc<Vector<float>> a) {
    auto [chosen, scale, count] =
        hs::acond(c, std::tuple{hs::take(1, a), x * 2, 7}, std::tuple{a, x, hs::cast<int>(x)});
    static_assert(std::is_same_v<decltype(scale), Exp<float>> &&
                  std::is_same_v<decltype(count), Exp<int>>);
    return std::tuple{scale * chosen, count};
  });
  const Vector<float> a{1, 2, 3};
  const auto [first, seven] = f(true, 2.0f, a);
  EXPECT_EQ(first, (Vector<float>{4}));
  EXPECT_EQ(seven, 7);
  const auto [all, two] = f(false, 2.0f, a);
  EXPECT_EQ(all, (Vector<float>{2, 4, 6}));
  EXPECT_EQ(two, 2);
}

TEST_P(ControlFlow, AwhileMayChangeExtents) {
  const auto halved = hs::awhile([](auto a) { return hs::size(a) > 1; },
                                 [](auto a) {
                                   const auto half = hs::size(a) / 2;
                                   return hs::take(half, a) + hs::drop(half, a);
                                 },
                                 hs::iota(64));
  EXPECT_EQ(run(halved), (Vector<std::int64_t>{63 * 32}));
}

TEST_P(ControlFlow, StatesMayBeGroups) {
  const auto state = std::tuple{hs::use(Vector<float>{1, 2}), hs::unit(0)};
  const auto [a, n] = run(hs::awhile(
      [](auto x, auto) { return hs::any_of(x < 100); },
      [](auto x, auto count) { return std::tuple{x * 2, hs::unit(hs::the(count) + 1)}; }, state));
  EXPECT_EQ(a, (Vector<float>{128, 256}));
  EXPECT_EQ(n.item(), 7);
}

TEST_P(ControlFlow, Aiterate) {
  const auto twice = [](auto a) { return a + a; };
  const auto a = hs::use(Vector<int>{1, 5});
  EXPECT_EQ(run(hs::aiterate(4, twice, a)), (Vector<int>{16, 80}));
  EXPECT_EQ(run(hs::aiterate(-4, twice, a)), (Vector<int>{1, 5}));
  EXPECT_EQ(run(hs::aiterate(hs::the(hs::sum(a)), twice, a)), (Vector<int>{64, 320}));
}

TEST_P(ControlFlow, GroupsOfArraysGoThroughCompiledPrograms) {
  const auto step = [](Fluid<Acc> fluid, Exp<float> dt) {
    return hs::aiterate(
        2,
        [=](Fluid<Acc> f) {
          f.density = f.density + dt;
          f.velocity = hs::map([](auto x, auto y) { return Exp<Vec2>(y, x); }, f.velocity);
          return f;
        },
        fluid);
  };
  const auto program = hs::compile(step, GetParam());
  const Fluid<hs::Host> start{{1, 2}, {{1, 2}, {3, 4}}};
  const Fluid<hs::Host> end = program(start, 0.5);
  EXPECT_EQ(end.density, (Vector<float>{2, 3}));
  EXPECT_EQ(end.velocity, start.velocity);
  const Fluid<hs::Host> same = run(hs::use(start));
  EXPECT_EQ(same.density, start.density);
}

TEST_P(ControlFlow, ComputeChangesNothing) {
  const auto a = hs::use(Vector<int>{1, 2});
  EXPECT_EQ(run(hs::compute(a + 1)), (Vector<int>{2, 3}));
  const auto [x, y] = run(hs::compute(std::pair{a, a * 2}));
  EXPECT_EQ(y, (Vector<int>{2, 4}));
  auto [kept, size] = hs::compute(std::pair{a + 1, hs::size(a) * 5});
  const auto [z, ten] = run(std::tuple{kept, size});
  EXPECT_EQ(z, (Vector<int>{2, 3}));
  EXPECT_EQ(ten, 10);
}

TEST_P(ControlFlow, CompiledProgramsTakeWhatStandsBesideAnExp) {
  const auto f = hs::compile(
      [](Exp<float> x, Acc<Scalar<float>> s, Acc<Vector<float>> v, Exp<Ix<2>> ix, Exp<Vec2> p) {
        return std::pair{hs::map([=](auto e) { return e * x + hs::the(s) + p.y; }, v), ix[1]};
      },
      GetParam());
  const auto [v, k] = f(2, 10, Vector<float>{1, 2}, hs::ix(3, 4), Vec2{0, 100});
  EXPECT_EQ(v, (Vector<float>{112, 114}));
  EXPECT_EQ(k, 4);
  const auto g = hs::compile([](Exp<std::uint8_t> x) { return x + 1; }, GetParam());
  EXPECT_EQ(g(255), 0);
  EXPECT_THROW((void)g(256), hs::BuildError);
  EXPECT_THROW((void)g(-1), hs::BuildError);
}

Acc<Scalar<float>> dotp(Acc<Vector<float>> xs, Acc<Vector<float>> ys) { return hs::sum(xs * ys); }

TEST_P(ControlFlow, FunctionsLambdasAndSignatures) {
  const Vector<float> v{1, 2, 3};
  const hs::Compiled<Scalar<float>(Vector<float>, Vector<float>)> f = hs::compile(dotp, GetParam());
  EXPECT_EQ(f(v, v).item(), 14);
  EXPECT_EQ(f(Vector<float>{}, Vector<float>{}).item(), 0);
  const auto g =
      hs::compile<Acc<Vector<float>>(Acc<Vector<float>>)>([](auto x) { return x * x; }, GetParam());
  EXPECT_EQ(g(v), (Vector<float>{1, 4, 9}));
}

TEST_P(ControlFlow, CallsInFlight) {
  const auto f =
      hs::compile([](Acc<Vector<int>> a, Exp<int> n) { return hs::sum(a * n); }, GetParam());
  std::vector<hs::Pending<Scalar<int>>> pending;
  for (int i = 0; i < 20; ++i) pending.push_back(f.async(Vector<int>{1, 2, 3}, i));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(pending[static_cast<std::size_t>(i)].get().item(), 6 * i);
    EXPECT_EQ(pending[static_cast<std::size_t>(i)].get().item(), 6 * i);
    EXPECT_TRUE(pending[static_cast<std::size_t>(i)].ready());
  }
  const auto bad = hs::compile([](Acc<Vector<int>> a) { return hs::minimum(a); }, GetParam());
  const auto failing = bad.async(Vector<int>{});
  EXPECT_THROW((void)failing.get(), hs::ShapeError);
  EXPECT_THROW((void)failing.get(), hs::ShapeError);
}

TEST_P(ControlFlow, RunOfGroups) {
  const auto a = hs::use(Vector<int>{1, 2});
  const auto [x, rest] = run(std::tuple{a, std::pair{hs::sum(a), hs::the(hs::sum(a))}});
  EXPECT_EQ(x.size(), 2);
  EXPECT_EQ(rest.first.item(), 3);
  EXPECT_EQ(rest.second, 3);
  EXPECT_EQ(run(std::pair{Exp<int>(1), 2.5f}), (std::pair{1, 2.5f}));
}

HASTEN_ON_EVERY_TARGET(ControlFlow);

}  // namespace
