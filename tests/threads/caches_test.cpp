// Several threads at the runtime's caches: nothing is made twice, nothing is lost.
#include "support.hpp"

#include "tests/unit/runtime/support.hpp"

#include <vector>

namespace hasten::test {
namespace {

using hasten_test::on_threads;

class ThreadCaches : public RuntimeTest {
 protected:
  float total(float scale, int kind) {
    Acc<Vector<float>> a = use(Vector<float>{1, 2, 3});
    for (int i = 0; i < kind; ++i) a = map([=](auto x) { return x * scale; }, compute(a));
    return run(sum(a), options).item();
  }
  static float expected(float scale, int kind) {
    float x = 1;
    for (int i = 0; i < kind; ++i) x *= scale;
    return 6 * x;
  }
};

TEST_F(ThreadCaches, OneProgramIsCompiledOnce) {
  backend->compile_ms = 10;
  on_threads(8, [&](int) { EXPECT_EQ(total(2, 3), 48); });
  EXPECT_LE(backend->compiled, 4);  // distinct kernels
}

TEST_F(ThreadCaches, ProgramsShareKernelsWhileTheyAreCompiled) {
  backend->compile_ms = 5;
  on_threads(8, [&](int thread) { EXPECT_EQ(total(2, thread), expected(2, thread)); });
  EXPECT_LE(backend->compiled, 5);
}

TEST_F(ThreadCaches, NumbersBecomeParametersUnderContention) {
  on_threads(8, [&](int thread) {
    for (int round = 0; round < 10; ++round) {
      const auto scale = static_cast<float>(1 + (thread * 3 + round) % 5);
      EXPECT_EQ(total(scale, 2), expected(scale, 2));
    }
  });
}

TEST_F(ThreadCaches, ForgettingWhileOthersCompile) {
  on_threads(6, [&](int thread) {
    for (int round = 0; round < 10; ++round) {
      if (thread == 0) forget();
      EXPECT_EQ(total(2, thread % 3), expected(2, thread % 3));
    }
  });
}

TEST_F(ThreadCaches, FailuresReachEveryoneAndPass) {
  backend->compile_fails = true;
  backend->compile_ms = 2;
  on_threads(6, [&](int) { EXPECT_THROW(total(2, 1), InternalError); });
  backend->compile_fails = false;
  on_threads(6, [&](int) { EXPECT_EQ(total(2, 1), 12); });
}

TEST_F(ThreadCaches, ProgramsAreDroppedWhileTheirKernelsAreMade) {
  backend->compile_ms = 1;
  on_threads(6, [&](int thread) {
    for (int round = 0; round < 10; ++round) {
      const int k = (thread + round) % 7;
      const auto f = compile(
          [k](const Acc<Vector<float>>& a) {
            return sum(compute(a * constant(static_cast<float>(k))));
          },
          options);
      if ((thread + round) % 3 == 0) continue;
      EXPECT_EQ(f({1, 2, 3}).item(), static_cast<float>(6 * k));
      EXPECT_LE(f.statistics().kernels_compiled, 2);
    }
  });
  EXPECT_LE(backend->compiled, 8);  // one fold, seven maps
}

TEST_F(ThreadCaches, CallsInFlightWaitForEachOthersKernels) {
  backend->compile_ms = 1;
  on_threads(4, [&](int thread) {
    std::vector<Compiled<Scalar<float>(Vector<float>)>> programs;
    std::vector<Pending<Scalar<float>>> calls;
    for (int k = 0; k < 12; ++k) {
      programs.push_back(compile(
          [k](const Acc<Vector<float>>& a) {
            return sum(compute(a * constant(static_cast<float>(k))));
          },
          options));
      calls.push_back(programs.back().async(Vector<float>{1, 2, 3}));
    }
    for (int k = 0; k < 12; ++k) {
      if ((k + thread) % 4 == 0) continue;  // nobody looks
      EXPECT_EQ(calls[static_cast<std::size_t>(k)].get().item(), static_cast<float>(6 * k));
    }
  });
}

}  // namespace
}  // namespace hasten::test
