// How many kernels programs become, and which arrays are stored.
#include "tests/programs/support.hpp"

#include <functional>
#include <random>
#include <utility>
#include <vector>

using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

const hs::Options on_cpu{.target = hs::cpu()};

Acc<Scalar<float>> dotp(Acc<Vector<float>> xs, Acc<Vector<float>> ys) {
  return hs::sum(hs::zip_with(std::multiplies<>{}, xs, ys));
}

#if HASTEN_WITH_LLVM

TEST(Fusion, DotProductIsOneKernelWithoutIntermediateArray) {
  auto f = hs::compile(dotp, on_cpu);
  EXPECT_EQ(f.kernel_count(), 1);
  const std::vector<float> xs = hasten_test::numbers<float>(100'000);
  const auto a = hasten_test::vector_of(xs), b = hasten_test::vector_of(xs);
  f(a, b);
  const auto before = hs::statistics();
  f(a, b);
  const auto used = hs::statistics() - before;
  EXPECT_LT(used.bytes_allocated, 4096);
  EXPECT_EQ(used.launches, 1);
  EXPECT_EQ(used.kernels_compiled, 0);
}

TEST(Fusion, ChainsOfElementwiseAndIndexOperationsAreOneKernel) {
  auto f = hs::compile(
      [](Acc<Vector<float>> xs) {
        auto a = hs::map([](auto x) { return x + 1.0f; }, hs::reverse(xs));
        auto b = hs::zip_with(std::plus<>{}, hs::take(10, a), hs::drop(3, xs));
        return hs::map([](auto x) { return hs::sqrt(x); }, b);
      },
      on_cpu);
  EXPECT_EQ(f.kernel_count(), 1);
}

TEST(Fusion, ProducersOnBothSidesOfADiamondAreComputedOnce) {
  auto f = hs::compile(
      [](Acc<Vector<float>> xs) {
        auto shared = hs::map([](auto x) { return hs::exp(x); }, xs);
        auto left = hs::map([](auto x) { return x + 1.0f; }, shared);
        auto right = hs::map([](auto x) { return x * 2.0f; }, shared);
        return hs::zip_with(std::plus<>{}, left, right);
      },
      on_cpu);
  EXPECT_EQ(f.kernel_count(), 1);
}

TEST(Fusion, ReplicateOfExpensiveWorkIsStoredFirst) {
  auto f = hs::compile(
      [](Acc<Vector<float>> xs) {
        auto costly = hs::map([](auto x) { return hs::exp(hs::sin(x)); }, xs);
        return hs::map([](auto x) { return x + 1.0f; },
                       hs::replicate(hs::over(100, hs::keep), costly));
      },
      on_cpu);
  EXPECT_EQ(f.kernel_count(), 2);
}

TEST(Fusion, ComputeIsABarrier) {
  auto f = hs::compile(
      [](Acc<Vector<float>> xs) {
        return hs::map([](auto x) { return x + 1.0f; },
                       hs::compute(hs::map([](auto x) { return x * 3.0f; }, xs)));
      },
      on_cpu);
  EXPECT_EQ(f.kernel_count(), 2);
}

TEST(Fusion, MatrixProductNeverBuildsTheCube) {
  auto f = hs::compile(
      [](Acc<Matrix<float>> a, Acc<Matrix<float>> b) {
        auto n = hs::shape(a)[0];
        auto m = hs::shape(b)[1];
        auto rows = hs::replicate(hs::over(hs::keep, m, hs::keep), a);
        auto columns = hs::replicate(hs::over(n, hs::keep, hs::keep), hs::transpose(b));
        return hs::sum(hs::zip_with(std::multiplies<>{}, rows, columns));
      },
      on_cpu);
  EXPECT_EQ(f.kernel_count(), 1);
}

TEST(Fusion, ExplainSaysWhyAnArrayReachesMemory) {
  auto f = hs::compile(
      [](Acc<Vector<float>> xs) {
        auto costly = hs::map([](auto x) { return hs::exp(hs::sin(x)); }, xs);
        return hs::zip_with(std::plus<>{}, costly, hs::reverse(costly));
      },
      on_cpu);
  EXPECT_NE(f.explain().str().find("several places"), std::string::npos) << f.explain();
}

TEST(Kernels, NewSizesAndNewScalarsNeverRecompile) {
  auto f = hs::compile(
      [](Exp<float> factor, Acc<Vector<float>> xs) {
        return hs::map([=](auto x) { return x * factor; }, xs);
      },
      on_cpu);
  f(2.0f, hs::Vector<float>{1, 2, 3});
  const auto before = hs::statistics();
  for (int n : {0, 1, 17, 1000, 100'003})
    f(static_cast<float>(n), hasten_test::vector_of(hasten_test::numbers<float>(n)));
  EXPECT_EQ((hs::statistics() - before).kernels_compiled, 0);
  EXPECT_EQ((hs::statistics() - before).traces, 0);
}

// Arrays of another kind of size may compile a kernel once more: the program counts that, too.
TEST(Kernels, ProgramsCountWhatNewSizesCompile) {
  const auto salt = static_cast<float>(std::random_device{}() % 1'000'000);  // not in any cache
  const auto f = hs::compile(
      [=](Acc<Matrix<float>> m) {
        return hs::sum(hs::map([=](auto x) { return x * hs::constant(salt); }, m));
      },
      on_cpu);
  std::int64_t compiled_later = 0;
  const auto call = [&](std::int64_t rows, std::int64_t columns) {
    const auto all = hs::statistics();
    const auto own = f.statistics();
    f(Matrix<float>(hs::ix(rows, columns), hasten_test::numbers<float>(rows * columns)));
    const auto compiled = (hs::statistics() - all).kernels_compiled;
    EXPECT_EQ(f.statistics().kernels_compiled - own.kernels_compiled, compiled)
        << rows << " x " << columns;
    compiled_later += compiled;
  };
  static_cast<void>(f.statistics());  // waits for the kernel
  for (const auto& [rows, columns] : {std::pair{1, 3000}, {1000, 3}, {500, 500}, {3, 7}, {0, 5}})
    call(rows, columns);
  EXPECT_GT(compiled_later, 0);
}

TEST(Kernels, ACapturedNumberCostsOneRecompileInAll) {
  const hs::Vector<float> xs{1, 2, 3};
  const auto step = [&](float dt) {
    const auto r = hs::run(hs::map([=](auto x) { return x + 0.125f * dt; }, hs::use(xs)), on_cpu);
    EXPECT_EQ(r(1), 2 + 0.125f * dt);
  };
  step(0.5f);
  step(0.25f);
  const auto before = hs::statistics();
  for (float dt : {0.1f, 0.2f, 0.3f, 7.0f}) step(dt);
  const auto used = hs::statistics() - before;
  EXPECT_EQ(used.kernels_compiled + used.kernels_from_cache, 0);
}

#endif

}  // namespace
