// Captured numbers that change and are sometimes equal.
#include "../support.hpp"

#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <vector>

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

// The first few divisors are compiled in; a further one costs its own compilation, and the next one
// makes it an argument, which those after it share.
TEST(CapturedNumbers, ThatDivideIndicesAreCompiledInAtFirst) {
  std::vector<float> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  const auto a = hs::use(Vector<float>(numbers.size(), std::span<const float>(numbers)));
  const auto compiled = [&](std::int64_t by) {
    const auto program = hs::generate(
        hs::ix(900), [=](auto i) { return hs::select(i % by == 1, a(i / by), -a(i)) * 0.0625F; });
    const hs::Statistics before = hs::statistics();
    const auto result = hs::run(program, {.target = hs::cpu()});
    const auto used = (hs::statistics() - before).kernels_compiled;
    EXPECT_EQ(result, hs::run(program, {.target = hs::interpreter()})) << by;
    return used;
  };
  for (const std::int64_t by : {2, 3, 4, 7}) EXPECT_EQ(compiled(by), 1) << by;
  for (const std::int64_t by : {2, 7, 3}) EXPECT_EQ(compiled(by), 0) << by;
  for (const std::int64_t by : {11, 13}) EXPECT_EQ(compiled(by), 1) << by;
  for (const std::int64_t by : {17, 31, 11, 1, 4}) EXPECT_EQ(compiled(by), 0) << by;
}

#endif

}  // namespace
