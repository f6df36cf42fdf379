// Programs through the whole runtime, on a target that evaluates kernels.
#include "support/block_pool.hpp"
#include "tests/unit/runtime/support.hpp"

#include <functional>
#include <vector>

namespace hasten::test {
namespace {

using Floats = Acc<Vector<float>>;

Acc<Scalar<float>> dotp(Floats xs, Floats ys) { return sum(zip_with(std::multiplies<>{}, xs, ys)); }

class RuntimePrograms : public RuntimeTest {};

TEST_F(RuntimePrograms, DotProductIsOneLaunch) {
  const auto f = compile(dotp, options);
  EXPECT_EQ(f.kernel_count(), 1);
  EXPECT_EQ(f({1, 2, 3}, {4, 5, 6}).item(), 32);
  EXPECT_EQ(f({}, {}).item(), 0);
  EXPECT_EQ(backend->launched, 2);
  const Statistics s = f.statistics();
  EXPECT_EQ(s.launches, 2);
  EXPECT_EQ(s.kernels_compiled, 1);
  EXPECT_EQ(s.bytes_allocated, 8);
  EXPECT_EQ(s.traces, 1);
}

TEST_F(RuntimePrograms, EmptyResultsAreNotLaunched) {
  const auto f =
      compile([](Floats xs) { return map([](auto x) { return x + 1.0f; }, xs); }, options);
  EXPECT_EQ(f({}).size(), 0);
  EXPECT_EQ(backend->launched, 0);
  EXPECT_EQ(f.statistics().launches, 0);
}

TEST_F(RuntimePrograms, NegativeExtentsAreEmpty) {
  EXPECT_EQ(run(fill(ix(3, -2), Exp<float>(1)), options).shape(), ix(3, 0));
}

TEST_F(RuntimePrograms, RankZeroMapsRunOnce) {
  EXPECT_EQ(run(map([](auto x) { return x * x; }, unit(Exp<int>(7))), options).item(), 49);
}

TEST_F(RuntimePrograms, RowsOfEqualShapeRunAsOne) {
  const auto f = compile(
      [](Acc<Matrix<float>> a, Acc<Matrix<float>> b) {
        return zip_with([](auto x, auto y) { return x + y; }, a, b);
      },
      options);
  const Matrix<float> a{{1, 2, 3}, {4, 5, 6}}, b{{10, 20, 30}, {40, 50, 60}};
  EXPECT_EQ(f(a, b), (Matrix<float>{{11, 22, 33}, {44, 55, 66}}));
  const Matrix<float> narrow{{1, 1}, {1, 1}, {1, 1}};
  EXPECT_EQ(f(a, narrow), (Matrix<float>{{2, 3}, {5, 6}}));
}

// Elements that are read elsewhere must not be overwritten first.
TEST_F(RuntimePrograms, LoopsCarryArraysAndFreeTheOldOnes) {
  const auto f = compile(
      [](Exp<std::int64_t> n, Floats xs) {
        return aiterate(
            n, [](Floats v) { return map([](auto x) { return x * 2.0f; }, reverse(v)); }, xs);
      },
      options);
  const Vector<float> xs(20'000, std::vector<float>(20'000, 1.0f));
  EXPECT_EQ(f(10, xs)(19'999), 1024);
  EXPECT_EQ(f(0, xs)(0), 1);
  EXPECT_EQ(f(-3, xs)(0), 1);
  EXPECT_LT(f.statistics().bytes_peak, 3 * 80'000);
  EXPECT_GE(f.statistics().bytes_allocated, 10 * 80'000);
}

TEST_F(RuntimePrograms, LoopsWriteSmallStatesWhereEarlierOnesWere) {
  const auto f = compile(
      [](Exp<std::int64_t> n, Floats xs) {
        return aiterate(
            n, [](Floats v) { return map([](auto x) { return x * 2.0f; }, reverse(v)); }, xs);
      },
      options);
  const Vector<float> xs(1000, std::vector<float>(1000, 1.0f));
  EXPECT_EQ(f(10, xs)(999), 1024);
  EXPECT_EQ(xs(999), 1);
  EXPECT_LT(f.statistics().bytes_allocated, 3 * 4000);
}

// The first round's state is the caller's.
TEST_F(RuntimePrograms, LoopsComputeWhereTheirStateLies) {
  const auto f = compile(
      [](Exp<std::int64_t> n, Floats xs) {
        return aiterate(n, [](Floats v) { return map([](auto x) { return x * 2.0f; }, v); }, xs);
      },
      options);
  const Vector<float> xs(1000, std::vector<float>(1000, 1.0f));
  EXPECT_EQ(f(10, xs)(999), 1024);
  EXPECT_EQ(xs(999), 1);
  EXPECT_LT(f.statistics().bytes_allocated, 2 * 4000);
}

TEST_F(RuntimePrograms, BranchesRunOneSide) {
  const auto f =
      compile([](Exp<bool> c,
                 Floats xs) { return acond(c, compute(map([](auto x) { return -x; }, xs)), xs); },
              options);
  EXPECT_EQ(f(true, {1, 2}), (Vector<float>{-1, -2}));
  EXPECT_EQ(f(false, {1, 2}), (Vector<float>{1, 2}));
  EXPECT_EQ(backend->launched, 1);
}

TEST_F(RuntimePrograms, ScalarsAloneNeedNoKernel) {
  EXPECT_EQ(run(Exp<int>(3) + 4, options), 7);
  EXPECT_EQ(run(the(sum(use(Vector<int>{1, 2, 3}))) * 2, options), 12);
}

TEST_F(RuntimePrograms, InputsAreResultsWithoutCopies) {
  const Vector<float> xs{1, 2, 3};
  const auto f = compile([](Floats v) { return v; }, options);
  const auto result = f(xs);
  EXPECT_EQ(result.span().data(), xs.span().data());
  EXPECT_EQ(f.statistics().bytes_allocated, 0);
}

TEST_F(RuntimePrograms, ViewsCheckTheirSize) {
  const auto f = compile(
      [](Exp<std::int64_t> n, Floats xs) { return reshape(ix(n, n), compute(xs)); }, options);
  EXPECT_EQ(f(2, {1, 2, 3, 4})(1, 1), 4);
  EXPECT_THROW(f(3, {1, 2, 3, 4}), ShapeError);
}

TEST_F(RuntimePrograms, MemoryLimitNamesTheArray) {
  options.memory_limit = 1000;
  const auto program = [](int n) { return fill(ix(n), Exp<float>(1)); };
  EXPECT_EQ(run(program(10), options).size(), 10);
  try {
    run(program(1000), options);
    ADD_FAILURE();
  } catch (const MemoryError& e) {
    EXPECT_NE(std::string(e.what()).find("(1000)"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("memory_limit"), std::string::npos) << e.what();
  }
}

TEST_F(RuntimePrograms, LargeBuffersAreReused) {
  const auto f = compile([](Exp<std::int64_t> n) { return fill(ix(n), Exp<float>(1)); }, options);
  const auto address_of_one = [&] {
    const auto array = f(300'000);
    return array.span().data();
  };
  const float* const first = address_of_one();
  if (support::pooled_bytes() == 0) GTEST_SKIP() << "sanitizers need every block to be a new one";
  EXPECT_EQ(address_of_one(), first);
}

TEST_F(RuntimePrograms, TypesTheTargetLacksAreATargetError) {
  const auto program = map([](auto x) { return x + 1; }, use(Vector<std::uint16_t>{1, 2}));
  try {
    run(program, options);
    ADD_FAILURE();
  } catch (const TargetError& e) {
    EXPECT_NE(std::string(e.what()).find("u16"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.where().file_name()).find("programs_test"), std::string::npos);
  }
}

TEST_F(RuntimePrograms, MemoryThatIsNotThereIsAMemoryError) {
  const auto f = compile([](Exp<std::int64_t> n) { return fill(ix(n), Exp<float>(1)); }, options);
  for (const std::int64_t n :
       {std::int64_t{1} << 38, std::int64_t{1} << 44, std::int64_t{1} << 61}) {
    try {
      f(n);
      ADD_FAILURE() << n;
    } catch (const MemoryError& e) {
      EXPECT_NE(std::string(e.what()).find(std::to_string(n)), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(": fill: "), std::string::npos) << e.what();
    }
  }
  EXPECT_EQ(f(3).size(), 3);
}

TEST_F(RuntimePrograms, TheProcessMayEndWithCallsInFlight) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        const auto f = compile([](Acc<Vector<float>> v) { return sum(v); }, options);
        const Vector<float> xs(100'000, std::vector<float>(100'000, 1.0f));
        std::vector<Pending<Scalar<float>>> calls;
        for (int i = 0; i < 20; ++i) calls.push_back(f.async(xs));
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(RuntimePrograms, ChecksOfIndicesAreMadeOnEveryTarget) {
  options.checks = Checks::bounds;
  const auto table = use(Vector<int>{1, 2, 3});
  EXPECT_THROW(run(generate(4, [=](Exp<std::int64_t> i) { return table[i]; }), options),
               IndexError);
}

TEST_F(RuntimePrograms, AsyncCallsKeepResultsAndExceptions) {
  const auto f = compile(
      [](Exp<std::int64_t> n, Floats xs) { return sum(reshape(ix(n), compute(xs))); }, options);
  std::vector<Pending<Scalar<float>>> calls;
  for (int i = 0; i < 20; ++i) calls.push_back(f.async(3, {1, 2, static_cast<float>(i)}));
  const auto bad = f.async(4, {1, 2, 3});
  for (int i = 0; i < 20; ++i) {
    const auto& call = calls[static_cast<std::size_t>(i)];
    EXPECT_EQ(call.get().item(), 3 + i);
    EXPECT_EQ(call.get().item(), 3 + i);
    EXPECT_TRUE(call.ready());
  }
  EXPECT_THROW(static_cast<void>(bad.get()), ShapeError);
  EXPECT_THROW(static_cast<void>(bad.get()), ShapeError);
}

TEST_F(RuntimePrograms, ExplainNamesKernelsAndWhatIsFused) {
  const auto f = compile(dotp, options);
  f({1, 2, 3}, {4, 5, 6});
  const std::string text = f.explain().str();
  for (const char* part : {"1 kernel", "sum at", "zip_with at", "fused into it", "size(argument 0)",
                           "last call: launches 1", "programs_test.cpp"})
    EXPECT_NE(text.find(part), std::string::npos) << "no " << part << " in\n" << text;
}

TEST_F(RuntimePrograms, LoopsOverSeveralSpacesAreOneLaunch) {
  const auto f = compile(
      [](Floats xs, Floats ys) {
        const auto p = pull(ys);
        return force(concat(push(xs), push_many<2>(size(ys), 2 * size(ys), [p](auto i) {
                              return std::tuple{std::pair{2 * i, p(i)},
                                                std::pair{2 * i + 1, -p(i)}};
                            })));
      },
      options);
  EXPECT_EQ(f({1, 2, 3}, {4, 5}), (Vector<float>{1, 2, 3, 4, -4, 5, -5}));
  EXPECT_EQ(f({}, {4}), (Vector<float>{4, -4}));
  EXPECT_EQ(backend->launched, 2);
}

TEST_F(RuntimePrograms, TheInterpreterHasAPlanToo) {
  const auto f = compile(dotp, {.target = interpreter()});
  EXPECT_EQ(f.kernel_count(), 1);
  EXPECT_EQ(f({1, 2}, {3, 4}).item(), 11);
  EXPECT_EQ(f.statistics().launches, 0);
  EXPECT_NE(f.explain().str().find("interpreted"), std::string::npos);
}

}  // namespace
}  // namespace hasten::test
