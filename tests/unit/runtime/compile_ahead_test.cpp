// Workers compile kernels while arrays are copied and other kernels run.
#include "tests/support/places.hpp"
#include "tests/unit/devices/support.hpp"
#include "tests/unit/runtime/support.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace hasten::test {
namespace {

using Ints = Vector<std::int32_t>;
using kernels::Kernel;
using kernels::Skeleton;

// Waits for another thread; on a time-out, the test fails instead of hanging.
void wait_until(const std::function<bool()>& holds) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > last) throw InternalError("waited in vain");
    std::this_thread::yield();
  }
}

class CompileAhead : public testing::Test {
 protected:
  ~CompileAhead() override { runtime::forget_programs(); }

  // A map that is stored, and a fold of it.
  static Acc<Scalar<std::int32_t>> two_kernels(const Acc<Ints>& xs) {
    return sum(compute(map([](auto x) { return x * 3; }, xs)));
  }

  TemporaryFolder folder;
  SetEnv cache_folder{"HASTEN_CACHE_DIR", folder.path().string()};
  FakeTarget fake{std::size_t{1} << 20};
  FakeDevice& device = *fake.device;
  const Ints xs = numbers(100);
};

TEST_F(CompileAhead, ArraysAreCopiedMeanwhile) {
  device.before_compile([&](const Kernel&) { wait_until([&] { return device.writes() == 2; }); });
  const auto f =
      compile([](const Acc<Ints>& a, const Acc<Ints>& b) { return a + b; }, fake.options());
  EXPECT_EQ(f(xs, numbers(100, 5))(7), 19);
  EXPECT_EQ(f.statistics().kernels_compiled, 1);
}

TEST_F(CompileAhead, ALaunchWaitsForItsOwnKernelOnly) {
  device.before_compile([&](const Kernel& kernel) {
    if (kernel.skeleton == Skeleton::fold) wait_until([&] { return device.launches() == 1; });
  });
  EXPECT_EQ(run(two_kernels(use(xs)), fake.options()).item(), 3 * 4950);
  EXPECT_EQ(device.launches(), 2);
}

TEST_F(CompileAhead, KernelsAreCompiledSideBySide) {
  std::atomic<int> under_way{0};
  device.before_compile([&](const Kernel&) {
    ++under_way;
    wait_until([&] { return under_way == 2; });
  });
  EXPECT_EQ(run(two_kernels(use(xs)), fake.options()).item(), 3 * 4950);
}

TEST_F(CompileAhead, AKernelThatFailsWhileAnotherRunsEndsEachRun) {
  device.before_compile([&](const Kernel& kernel) {
    if (kernel.skeleton != Skeleton::fold) return;
    wait_until([&] { return device.launches() == 1; });
    throw TargetError("the compiler is not well");
  });
  const auto f = compile(two_kernels, fake.options());
  for (int run = 1; run <= 2; ++run) {
    try {
      static_cast<void>(f(xs));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const TargetError& error) {
      EXPECT_TRUE(test::begins_with_its_place(error)) << error.what();
      EXPECT_TRUE(std::string(error.what()).ends_with(": the compiler is not well"));
    }
    EXPECT_EQ(device.launches(), run);
  }
  EXPECT_EQ(f.statistics().kernels_compiled, 1);
  EXPECT_EQ(xs, numbers(100));
  device.before_compile({});
  EXPECT_EQ(compile(two_kernels, fake.options())(xs).item(), 3 * 4950);
}

TEST_F(CompileAhead, AKernelThatIsNotLaunchedMustCompileToo) {
  device.before_compile([&](const Kernel& kernel) {
    if (kernel.skeleton == Skeleton::fold) throw TargetError("the compiler is not well");
  });
  const auto f = compile(
      [](const Acc<Ints>& a, const Exp<bool>& is_summed) {
        return acond(is_summed, unit(the(sum(a))), unit(a[0]));
      },
      fake.options());
  EXPECT_THROW(static_cast<void>(f(xs, false)), TargetError);
}

TEST_F(CompileAhead, NothingIsUnderWayWhenTheProgramIsGone) {
  std::atomic<int> begun{0}, ended{0};
  device.before_compile([&](const Kernel&) {
    ++begun;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++ended;
  });
  for (int k = 0; k < 20; ++k) {
    {
      const auto f = compile([k](const Acc<Ints>& a) { return sum(compute(a * constant(k))); },
                             fake.options());
      if (k % 2 == 0) wait_until([&] { return begun > 0; });
    }
    EXPECT_EQ(begun, ended);
  }
  // A kernel that no worker has begun is compiled by the caller that needs it.
  for (int k = 0; k < 20; ++k)
    EXPECT_EQ(run(sum(compute(use(xs) * constant(k))), fake.options()).item(), 4950 * k);
}

TEST_F(CompileAhead, CallsThatKeepAllWorkersBusyEnd) {
  device.before_compile([&](const Kernel&) { std::this_thread::yield(); });
  std::vector<Compiled<Scalar<std::int32_t>(Ints)>> programs;
  std::vector<Pending<Scalar<std::int32_t>>> calls;
  for (int k = 0; k < 40; ++k) {
    programs.push_back(
        compile([k](const Acc<Ints>& a) { return sum(compute(a * constant(k))); }, fake.options()));
    calls.push_back(programs.back().async(xs));
  }
  for (int k = 0; k < 40; ++k) EXPECT_EQ(calls[static_cast<std::size_t>(k)].get().item(), 4950 * k);
}

}  // namespace
}  // namespace hasten::test
