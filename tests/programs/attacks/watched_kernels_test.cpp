// AddressSanitizer observes the kernels of the CPU target in a library that is compiled with it.
#include "../support.hpp"

#include "tests/fake_cuda/sanitizers.hpp"

#if FAKE_CUDA_ASAN && HASTEN_WITH_LLVM

using hs::Acc, hs::Exp, hs::Vector;

namespace {

float last_of_shifted(std::int64_t by) {
  const auto shifted = hs::compile(
      [](Acc<Vector<float>> x, Exp<std::int64_t> n) {
        return hs::generate(hs::size(x), [=](Exp<std::int64_t> i) { return x[i + n]; });
      },
      {.target = hs::cpu(), .checks = hs::Checks::trusted});
  return shifted(Vector<float>::from_function(100, [](auto) { return 1.0F; }), by)(99);
}

TEST(WatchedKernelsDeathTest, WhatIsBesideAnArrayEndsTheProcess) {
  EXPECT_EQ(last_of_shifted(0), 1.0F);
  EXPECT_DEATH(last_of_shifted(100), "heap-buffer-overflow");
  EXPECT_DEATH(last_of_shifted(-3), "heap-buffer-overflow");
}

}  // namespace

#endif
