// Captured numbers that change and are sometimes equal.
#include "../support.hpp"

#include <functional>
#include <random>

using hs::Acc, hs::Exp, hs::Vector;

namespace {

#if HASTEN_WITH_LLVM

TEST(CapturedNumbers, CoincideWithoutBeingCompiledAgain) {
  std::mt19937 random(1);
  const Vector<float> xs{1, 2, 3};
  const hs::Statistics before = hs::statistics();
  for (int round = 0; round < 200; ++round) {
    float n[8];
    for (float& x : n) x = static_cast<float>(random() % 4) + 0.5F;
    const auto program = hs::map(
        [=](auto x) {
          return x * n[0] + n[1] + (x + n[2]) * n[3] + (x + n[4]) * n[5] - (x + n[6]) * n[7];
        },
        hs::use(xs));
    const auto result = hs::run(program, {.target = hs::cpu()});
    EXPECT_EQ(result, hs::run(program, {.target = hs::interpreter()}));
  }
  const hs::Statistics used = hs::statistics() - before;
  // One for the first numbers, one with the changed numbers as arguments, one for later changes.
  EXPECT_LE(used.kernels_compiled, 3);
}

TEST(CapturedNumbers, ThatStayTheSameAreComputedOnce) {
  const auto a = hs::use(Vector<float>{1, 2, 3});
  const auto scaled = [&](float by) {
    return hs::compute(hs::map([=](auto x) { return hs::sin(x * by); }, a));
  };
  const auto f = hs::zip_with(std::plus<>{}, scaled(0.5F), scaled(0.5F));
  const hs::Statistics before = hs::statistics();
  hs::run(f, {.target = hs::cpu()});
  EXPECT_EQ((hs::statistics() - before).launches, 2);
}

#endif

}  // namespace
