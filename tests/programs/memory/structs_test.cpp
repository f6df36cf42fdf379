// Borrowed arrays of structs: which components are read in place, which are copied out, and when
// the memory is released.
#include "../support.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

using hs::Acc, hs::Array, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace structs {
struct Body {
  float x = 0;
  std::int32_t n = 0;
  double mass = 0;
  friend bool operator==(const Body&, const Body&) = default;
};
HASTEN_STRUCT(Body, x, n, mass);
struct Mixed {
  bool flag = false;
  std::int8_t tiny = 0;
  std::int16_t small = 0;
  std::complex<float> z;
  std::array<Body, 2> bodies;
  hs::half h;
  friend bool operator==(const Mixed&, const Mixed&) = default;
};
HASTEN_STRUCT(Mixed, flag, tiny, small, z, bodies, h);
struct Packed {  // z lies between multiples of its size
  float a = 0;
  std::complex<float> z;
  friend bool operator==(const Packed&, const Packed&) = default;
};
HASTEN_STRUCT(Packed, a, z);
}  // namespace structs
using structs::Body, structs::Mixed, structs::Packed;

namespace {

std::vector<Body> bodies_of(int count) {
  std::vector<Body> all;
  for (int i = 0; i < count; ++i)
    all.push_back({static_cast<float>(i), 2 * i, 0.5 * static_cast<double>(i)});
  return all;
}

// Uses two of three components, in order.
Acc<Vector<double>> weights(const Acc<Vector<Body>>& bodies) {
  return hs::map(
      [](Exp<Body> b) {
        auto [x, n, mass] = b;
        return mass + hs::cast<double>(n);
      },
      bodies);
}
std::vector<double> weights_of(const std::vector<Body>& bodies) {
  std::vector<double> all;
  for (const Body& b : bodies) all.push_back(b.mass + b.n);
  return all;
}

class Structs : public hasten_test::OnEveryDevice {
 protected:
  static bool reads_in_place() { return GetParam().target.name() == "cpu"; }
};

// Reads in place end once the components have been read often enough, here two of three.
TEST_P(Structs, AreReadWhereTheyLieAtFirst) {
  const std::vector<Body> bodies = bodies_of(10'000);
  const auto f = hs::compile(weights, GetParam());
  int released = 0;
  {
    const auto lent = Vector<Body>::borrow(bodies, [&] { ++released; });
    for (int call = 0; call < 4; ++call) {
      const hs::Statistics before = hs::statistics();
      EXPECT_EQ(f(lent).to_vector(), weights_of(bodies));
      const auto made = (hs::statistics() - before).bytes_allocated;
      if (!reads_in_place()) continue;
      // The result; at the third call also the two components that are read.
      EXPECT_EQ(made, (call == 2 ? 20 : 8) * 10'000) << call;
      EXPECT_EQ(f.explain().str().find("where it lies") != std::string::npos, call < 2);
    }
    // x is never copied out, except by the interpreter, which reads whole elements.
    EXPECT_EQ(released, GetParam().target.name() == "interpreter" ? 1 : 0);
  }
  EXPECT_EQ(released, 1);
}

TEST_P(Structs, AreLentAnewForEachCall) {
  std::vector<Body> bodies = bodies_of(1'000);
  const auto f = hs::compile(weights, GetParam());
  for (int frame = 0; frame < 3; ++frame) {
    const hs::Statistics before = hs::statistics();
    EXPECT_EQ(f(Vector<Body>::borrow(bodies, [] {})).to_vector(), weights_of(bodies));
    if (reads_in_place()) {
      EXPECT_EQ((hs::statistics() - before).bytes_allocated, 8 * 1'000);
    }
    for (Body& b : bodies) b.mass += 1, b.n -= 3;
  }
}

TEST_P(Structs, InAProgram) {
  const std::vector<Body> bodies = bodies_of(100);
  const auto lent = Vector<Body>::borrow(bodies, [] {});
  const auto f = hs::compile(
      [&](const Acc<Vector<double>>& more) {
        return hs::sum(hs::zip_with(std::plus<>{}, weights(hs::use(lent)), more));
      },
      GetParam());
  const Vector<double> ones = hs::run(hs::fill(hs::ix(100), Exp<double>(1.0)));
  for (int call = 0; call < 2; ++call) EXPECT_EQ(f(ones).item(), 100 + 2.5 * 99 * 50);
}

TEST_P(Structs, ThatAreReadInOtherWays) {
  const std::vector<Body> bodies = bodies_of(50);
  const auto lent = [&] { return hs::use(Vector<Body>::borrow(bodies, [] {})); };
  const Vector<Body> copy(std::span<const Body>(bodies.data(), bodies.size()));
  const auto same = [&](auto program) {
    EXPECT_EQ(run(program(lent())), run(program(hs::use(copy))));
  };
  using All = Acc<Vector<Body>>;
  const auto heavier = [](const Exp<Body>& a, const Exp<Body>& b) {
    auto [ax, an, am] = a;
    auto [bx, bn, bm] = b;
    return hs::select(am > bm, a, b);
  };
  same([&](const All& a) { return hs::reverse(a); });
  same([&](const All& a) { return hs::fold1(heavier, a); });
  same([&](const All& a) { return hs::scanl1(heavier, a); });
  same([&](const All& a) {
    return hs::filter(
        [](Exp<Body> b) {
          auto [x, n, mass] = b;
          return hs::rem(n, 3) == 0;
        },
        a);
  });
  same([&](const All& a) { return a; });
  same([&](const All& a) { return hs::concat(a, a); });
  same([&](const All& a) {
    return hs::sum(hs::zip_with(std::multiplies<>{}, weights(a), weights(a)));
  });
}

TEST_P(Structs, OfAnyRankAndSize) {
  const std::vector<Body> bodies = bodies_of(24);
  const auto rows = Matrix<Body>::borrow({4, 6}, bodies.data(), [] {});
  const auto masses = [](Exp<Body> b) {
    auto [x, n, mass] = b;
    return mass;
  };
  EXPECT_EQ(run(hs::sum(hs::map(masses, hs::use(rows)))), (Vector<double>{7.5, 25.5, 43.5, 61.5}));
  EXPECT_EQ(rows(1, 2), bodies[8]);
  const auto none = Vector<Body>::borrow(0, bodies.data(), [] {});
  EXPECT_EQ(run(hs::map(masses, hs::use(none))).size(), 0);
  const auto one = Scalar<Body>::borrow({}, &bodies[5], [] {});
  EXPECT_EQ(run(hs::map(masses, hs::use(one))).item(), 2.5);
}

TEST_P(Structs, OfManyTypes) {
  std::vector<Mixed> all;
  for (int i = 0; i < 40; ++i) {
    const auto f = static_cast<float>(i);
    all.push_back({i % 3 == 0,
                   static_cast<std::int8_t>(-i),
                   static_cast<std::int16_t>(300 * i),
                   {f, -f},
                   {Body{f, i, 2.0 * i}, Body{-f, -i, 7}},
                   hs::half(f)});
  }
  const auto same = [](Exp<Mixed> m) { return m; };
  const auto lent = Vector<Mixed>::borrow(all, [] {});
  EXPECT_EQ(run(hs::map(same, hs::use(lent))).to_vector(), all);
  EXPECT_EQ(run(hs::map(same, hs::use(lent))).to_vector(), all);
  const std::vector<Packed> packed{{1, {2, 3}}, {4, {5, 6}}, {7, {8, 9}}};
  const auto same_packed = [](Exp<Packed> p) { return p; };
  EXPECT_EQ(run(hs::map(same_packed, hs::use(Vector<Packed>::borrow(packed, [] {})))).to_vector(),
            packed);
}

TEST_P(Structs, WhoseOwnMemoryIsWritten) {
  const auto f = hs::compile(weights, GetParam());
  for (const bool again : {false, true}) {
    std::vector<Body> bodies = bodies_of(100);
    const std::vector<double> expected = weights_of(bodies);
    auto* const first = reinterpret_cast<double*>(bodies.data());
    const auto lent = Vector<Body>::borrow(bodies, [] {});
    if (again) (void)f(lent);
    f.into(hs::Out<double, 1>(hs::ix(100), first), lent);
    EXPECT_EQ(std::vector<double>(first, first + 100), expected);
  }
}

HASTEN_ON_EVERY_DEVICE(Structs);

TEST(LentStructs, GoBackWhenAllIsTakenOut) {
  const std::vector<Body> bodies = bodies_of(10);
  int released = 0;
  const auto lent = Vector<Body>::borrow(bodies, [&] { ++released; });
  EXPECT_EQ(lent.component<0>()[3], 3);
  EXPECT_EQ(lent.component<2>()[3], 1.5);
  EXPECT_EQ(released, 0);
  EXPECT_EQ(lent(4), bodies[4]);
  EXPECT_EQ(released, 1);
  EXPECT_EQ(lent.to_vector(), bodies);
}

TEST(LentStructs, AreTakenOutByAnyThread) {
  const std::vector<Body> bodies = bodies_of(100'000);
  std::atomic<int> released = 0, wrong = 0;
  const auto lent = Vector<Body>::borrow(bodies, [&] { ++released; });
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 3; ++k)
        if (lent(1'000 * t + k) != bodies[static_cast<std::size_t>(1'000 * t + k)]) ++wrong;
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(released, 1);
}

TEST(LentStructs, OfOptionalsAreCopiedNow) {
  const std::vector<std::optional<float>> all{1.0F, std::nullopt, 3.0F};
  int released = 0;
  const auto lent = Vector<std::optional<float>>::borrow(all, [&] { ++released; });
  EXPECT_EQ(released, 1);
  EXPECT_EQ(lent.to_vector(), all);
}

}  // namespace
