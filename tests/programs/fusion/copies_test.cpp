// Loops that the user's C++ unrolls: many copies of one operation that differ only in constants
// share one kernel; a few copies have their constants compiled in.
#include "../support.hpp"

#include <cstdint>
#include <functional>

using hs::Acc, hs::Exp, hs::Vector;

namespace {

class Copies : public hasten_test::OnEveryDevice {
 protected:
  template <class F>
  static std::int64_t kernels(const F& program) {
    return hs::compile(program, GetParam()).kernel_count();
  }
  /// Compared with the interpreter, which uses no plan.
  template <class F>
  static void expect_right(const F& program) {
    const auto x = Vector<float>::from_function(
        {1000}, [](hs::Ix<1> i) { return static_cast<float>(i[0] % 64); });
    const auto oracle = hs::compile(program, {.target = hs::interpreter()});
    EXPECT_EQ(hs::compile(program, GetParam())(x), oracle(x));
  }
};

// Similar to x += k * sin(k): each round has different constants.
auto rounds(int count) {
  return [count](Acc<Vector<float>> x) {
    for (int k = 0; k < count; ++k) {
      const auto by = static_cast<float>(k % 4 + 1);
      x = hs::compute(hs::map([=](Exp<float> v) { return v * 0.5F + by; }, x));
      x = hs::compute(hs::map([=](Exp<float> v) { return v - static_cast<float>(k + 1); }, x));
    }
    return x;
  };
}

TEST_P(Copies, ManyAreOneKernel) {
  EXPECT_EQ(kernels(rounds(5)), 4 + 5) << "few: their numbers are constants";
  EXPECT_EQ(kernels(rounds(100)), 4 + 1) << "four numbers are few, a hundred are not";
  expect_right(rounds(100));
}

// The operand of a fold, a scan or a scatter is part of its kernel.
TEST_P(Copies, OfFoldsScansAndScatters) {
  const auto program = [](Acc<Vector<float>> x) {
    for (int k = 0; k < 60; ++k) {
      const auto number = static_cast<float>(k);
      const auto scanned =
          hs::scanl1(std::plus<>{}, hs::map([=](Exp<float> v) { return hs::min(v, number); }, x));
      const auto sum = hs::the(hs::sum(hs::map([=](Exp<float> v) { return v + number; }, scanned)));
      x = hs::permute(
          std::plus<>{}, hs::fill(1000, number),
          [=](Exp<std::int64_t> i) { return (i * 3 + k) % 1000; },
          hs::map([=](Exp<float> v) { return v + sum; }, x));
    }
    return x;
  };
  EXPECT_LE(kernels(program), 12);
}

// A chain that becomes one kernel keeps most of its constants, since kernels take few arguments.
TEST_P(Copies, ALongChainIsOneKernelWithConstants) {
  const auto chain = [](Acc<Vector<float>> x) {
    for (int k = 0; k < 100; ++k)
      x = hs::map([=](Exp<float> v) { return v * 0.5F + static_cast<float>(k); }, x);
    return x;
  };
  EXPECT_EQ(kernels(chain), 1);
  expect_right(chain);
}

// The distances of a network are indices: the constants are used at several places.
TEST_P(Copies, OfANetwork) {
  const std::int64_t n = 256;
  const auto network = [=](Acc<Vector<float>> a) {
    for (std::int64_t run = 2; run <= n; run *= 2)
      for (std::int64_t distance = run / 2; distance > 0; distance /= 2)
        a = hs::compute(hs::generate(n, [=](Exp<std::int64_t> i) {
          const auto x = a[i], partner = a[i ^ distance];
          const auto takes_less = ((i & run) == 0) == ((i & distance) == 0);
          return hs::select(takes_less, hs::min(x, partner), hs::max(x, partner));
        }));
    return a;
  };
  EXPECT_LE(kernels(network), 2);
  const auto x = Vector<float>::from_function(
      {n}, [](hs::Ix<1> i) { return static_cast<float>(i[0] * 97 % 251); });
  const Vector<float> sorted = hs::compile(network, GetParam())(x);
  for (std::int64_t i = 1; i < n; ++i) EXPECT_LE(sorted[i - 1], sorted[i]);
}

HASTEN_ON_EVERY_DEVICE(Copies);

}  // namespace
