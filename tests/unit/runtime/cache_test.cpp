// What is compiled again and what is not: literals, structure, options; kernels in memory.
#include "tests/unit/runtime/support.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace hasten::test {
namespace {

class RuntimeCache : public RuntimeTest {
 protected:
  /// Counts the kernels compiled, and programs' look-ups of kernels, while f runs.
  template <class F>
  static Statistics used_by(F f) {
    const Statistics before = statistics();
    f();
    return statistics() - before;
  }

  void step(float dt, float scale = 0.125f) {
    const Vector<float> xs{1, 2, 3};
    const auto r = run(map([=](auto x) { return x * scale + dt; }, use(xs)), options);
    EXPECT_EQ(r(1), 2 * scale + dt);
  }
};

TEST_F(RuntimeCache, ACapturedTimeStepCostsOneRecompileInAll) {
  step(0.5f);
  EXPECT_EQ(backend->compiled, 1);
  step(0.5f);
  EXPECT_EQ(backend->compiled, 1);
  step(0.25f);
  EXPECT_EQ(backend->compiled, 2);
  const Statistics used = used_by([&] {
    for (const float dt : {0.1f, 0.2f, 0.5f, 7.0f}) step(dt);
  });
  EXPECT_EQ(backend->compiled, 2);
  EXPECT_EQ(used.kernels_compiled + used.kernels_from_cache, 0);
  EXPECT_EQ(used.traces, 4);
  EXPECT_EQ(used.launches, 4);
}

TEST_F(RuntimeCache, EachNumberThatChangesCostsOneRecompile) {
  step(0.5f, 2.0f);
  step(0.25f, 2.0f);
  step(0.25f, 3.0f);
  EXPECT_EQ(backend->compiled, 3);
  for (const float x : {1.5f, 2.5f, 3.5f}) step(x, 10 * x);
  EXPECT_EQ(backend->compiled, 3);
}

// Numbers that were equal and change together are one argument, until they differ.
TEST_F(RuntimeCache, NumbersThatChangeTogetherAreOneUntilTheyDiffer) {
  const auto read_at = [](std::int64_t a, std::int64_t b) {
    return [=](Acc<Vector<float>> xs) {
      return generate(4, [=](auto i) { return xs[i + a] * 2.0f + xs[i + b]; });
    };
  };
  const auto at = [&](std::int64_t a, std::int64_t b) {
    const auto r = compile(read_at(a, b), options)({1, 2, 4, 8, 16, 32, 64, 128});
    for (std::int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(r(i), static_cast<float>((1 << (i + a)) * 2 + (1 << (i + b)))) << a << " " << b;
  };
  const auto loads = [&](std::int64_t a, std::int64_t b) {
    const auto dumps = folder.path() / "dumps";
    std::filesystem::remove_all(dumps);
    const SetEnv dump("HASTEN_DUMP", "kernels,dir=" + dumps.string());
    at(a, b);
    std::ifstream file(std::filesystem::directory_iterator(dumps)->path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const std::string element = text.substr(0, text.find("interior"));
    std::size_t found = 0;
    for (std::size_t place = element.find("load_"); place != std::string::npos;
         place = element.find("load_", place + 1))
      ++found;
    return found;
  };
  at(1, 1);
  EXPECT_EQ(loads(2, 2), 1U);
  at(3, 3);
  EXPECT_EQ(backend->compiled, 2);
  EXPECT_EQ(loads(1, 2), 2U);
  EXPECT_EQ(backend->compiled, 3);
  for (std::int64_t k = 0; k < 4; ++k) at(k, 3 - k);
  at(2, 2);
  EXPECT_EQ(backend->compiled, 3);
}

TEST_F(RuntimeCache, DeclaredParametersNeverRecompile) {
  const auto scaled = [&](float factor) {
    return run(map([=](auto x) { return x * parameter(factor); }, use(Vector<float>{1, 2})),
               options);
  };
  for (const float factor : {2.0f, 3.0f, 4.0f}) EXPECT_EQ(scaled(factor)(1), 2 * factor);
  EXPECT_EQ(backend->compiled, 1);
}

TEST_F(RuntimeCache, DeclaredConstantsAreCompiledInEachTime) {
  const auto scaled = [&](float factor) {
    return run(map([=](auto x) { return x * constant(factor); }, use(Vector<float>{1, 2})),
               options);
  };
  for (const float factor : {2.0f, 3.0f, 4.0f, 2.0f}) EXPECT_EQ(scaled(factor)(1), 2 * factor);
  EXPECT_EQ(backend->compiled, 3);
}

TEST_F(RuntimeCache, ExtentsNeverRecompile) {
  for (const int n : {0, 1, 5, 1000})
    EXPECT_EQ(run(sum(iota<std::int64_t>(n)), options).item(), n * (n - 1) / 2);
  EXPECT_EQ(backend->compiled, 1);
}

// If extents decide a branch, the call compiles the branch that it takes; if numbers decide, both
// branches are compiled.
TEST_F(RuntimeCache, BranchesOfExtentsAreCompiledWhenTheyAreTaken) {
  const auto either = [](const Exp<bool>& up, const Acc<Vector<float>>& v) {
    return acond(up, scanl1(std::plus<>{}, v),
                 permute(std::plus<>{}, v, [](auto i) { return 0 * i; }, v));
  };
  const auto by_extents =
      compile([&](const Acc<Vector<float>>& v) { return either(size(v) > 3, v); }, options);
  EXPECT_EQ(by_extents(Vector<float>{1, 2, 3, 4}), (Vector<float>{1, 3, 6, 10}));
  const std::int64_t one_side = backend->compiled;
  EXPECT_EQ(by_extents.statistics().kernels_compiled, one_side);
  EXPECT_EQ(by_extents(Vector<float>{1, 2, 3}), (Vector<float>{7, 2, 3}));
  const std::int64_t both = backend->compiled;
  EXPECT_GT(both, one_side);
  EXPECT_EQ(by_extents.statistics().kernels_compiled, both);
  EXPECT_EQ(by_extents(Vector<float>{1, 2, 3, 4}), (Vector<float>{1, 3, 6, 10}));
  EXPECT_EQ(backend->compiled, both);
  forget();
  const auto by_number = compile(
      [&](const Acc<Vector<float>>& v, const Exp<bool>& up) { return either(up, v); }, options);
  EXPECT_EQ(by_number(Vector<float>{1, 2, 3}, false), (Vector<float>{7, 2, 3}));
  const Statistics made = by_number.statistics();
  EXPECT_EQ(made.kernels_compiled + made.kernels_from_cache, both);
}

TEST_F(RuntimeCache, OtherArraysOfTheSameTypeAreTheSameProgram) {
  const auto doubled = [&](const Vector<float>& xs) {
    return run(map([](auto x) { return x + x; }, use(xs)), options);
  };
  EXPECT_EQ(doubled({1, 2}), (Vector<float>{2, 4}));
  EXPECT_EQ(doubled({5, 6, 7}), (Vector<float>{10, 12, 14}));
  EXPECT_EQ(backend->compiled, 1);
}

TEST_F(RuntimeCache, CompiledProgramsDoNotKeepTheirArrays) {
  bool is_released = false;
  std::vector<float> memory(16, 1.0f);
  {
    const auto xs = Vector<float>::borrow(16, memory.data(), [&] { is_released = true; });
    EXPECT_EQ(run(sum(use(xs)), options).item(), 16);
  }
  EXPECT_TRUE(is_released);
}

TEST_F(RuntimeCache, OptionsThatMatterAreOtherPrograms) {
  step(1.0f);
  options.fast_math = FastMath::all;
  step(1.0f);
  EXPECT_EQ(backend->compiled, 2);
  options.memory_limit = 1 << 20;
  step(1.0f);
  EXPECT_EQ(backend->compiled, 2);
}

TEST_F(RuntimeCache, KernelsAreFoundInMemoryThenOnDisk) {
  const auto f = [&] { return compile([](Acc<Vector<float>> v) { return sum(v); }, options); };
  EXPECT_EQ(f().statistics().kernels_compiled, 1);
  runtime::forget_programs();
  EXPECT_EQ(f().statistics().kernels_from_cache, 1);
  EXPECT_EQ(backend->loaded, 1);
  forget();
  EXPECT_EQ(f().statistics().kernels_from_cache, 1);
  EXPECT_EQ(backend->loaded, 2);
  EXPECT_EQ(backend->compiled, 1);
}

TEST_F(RuntimeCache, AnotherFingerprintCompilesAgain) {
  step(1.0f);
  backend = std::make_shared<KernelEvaluator>("evaluator 2");
  runtime::add_device("evaluator", backend);
  step(1.0f);
  EXPECT_EQ(backend->compiled, 1);
}

TEST_F(RuntimeCache, FailedCompilationsAreTriedAgain) {
  backend->compile_fails = true;
  EXPECT_THROW(step(1.0f), InternalError);
  backend->compile_fails = false;
  step(1.0f);
  EXPECT_EQ(backend->compiled, 2);
}

TEST_F(RuntimeCache, ThreadsThatNeedTheSameProgramCompileItOnce) {
  backend->compile_ms = 20;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { step(1.0f); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(backend->compiled, 1);
  EXPECT_EQ(backend->launched, 8);
}

TEST_F(RuntimeCache, KernelsOfOneProgramAreCompiledTogether) {
  backend->compile_ms = 1;
  const auto f = compile(
      [](Acc<Vector<float>> v) {
        const auto a = compute(map([](auto x) { return x + 1.0f; }, v));
        const auto b = compute(map([](auto x) { return x * 2.0f; }, a));
        const auto c = compute(map([](auto x) { return x - 3.0f; }, b));
        return sum(compute(map([](auto x) { return x / 4.0f; }, c)));
      },
      options);
  EXPECT_EQ(f.kernel_count(), 5);
  EXPECT_EQ(f({1, 3}).item(), 0.25f + 1.25f);
  EXPECT_EQ(backend->compiled, 5);
}

TEST_F(RuntimeCache, ManyProgramsAreKeptWithinBounds) {
  const auto nested = [&](int depth) {
    return map(
        [=](auto x) {
          auto y = x;
          for (int i = 0; i < depth; ++i) y = hasten::abs(y) - x;
          return y;
        },
        use(Vector<int>{depth}));
  };
  for (int depth = 1; depth <= 300; ++depth) run(nested(depth), options);
  EXPECT_EQ(backend->compiled, 300);
  run(nested(1), options);  // the program is forgotten, its kernel is not
  EXPECT_EQ(backend->compiled, 300);
}

}  // namespace
}  // namespace hasten::test
