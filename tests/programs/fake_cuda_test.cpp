// The behaviour of the CUDA target when the device fails: tests ask the fake driver for faults.
// Skipped on any other driver; see docs/testing.md.
#include <hasten/hasten.hpp>

#include "tests/support/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

namespace {

class FakeCuda : public hs::test::OnFakeCuda {
 protected:
  // Allocates memory for results, for temporary arrays of a sort and a scan, and for arguments.
  static auto program() {
    return hs::compile<Acc<Vector<int>>(Acc<Vector<int>>)>(
        [](auto xs) { return hs::scanl1(std::plus<>{}, hs::sort(xs)); }, {.target = hs::cuda(1)});
  }
  static Vector<int> argument() {
    std::vector<int> numbers(5000);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<int>(i * 7919 % 1009) - 500;
    return {static_cast<std::int64_t>(numbers.size()), std::span<const int>(numbers)};
  }
};

// Rounds of a loop, with launches that depend on each other and some that do not.
Acc<Vector<int>> rounds(const Exp<std::int64_t>& n, const Acc<Vector<int>>& xs) {
  return hs::aiterate(
      n,
      [](const Acc<Vector<int>>& v) {
        const auto left = hs::compute(hs::scanl1(std::plus<>{}, v));
        const auto right = hs::compute(hs::reverse(hs::scanr1(std::plus<>{}, v)));
        return hs::map([](auto x, auto y) { return x * 3 - y; }, hs::zip(left, right));
      },
      xs);
}

TEST_F(FakeCuda, ItsFirstDeviceIsTheDefaultTarget) {
  const char* const set = std::getenv("HASTEN_TARGET");
  const std::string before = set ? set : "";
  const long long launches = counts().launches;
  unsetenv("HASTEN_TARGET");
  EXPECT_EQ(hs::run(hs::sum(hs::use(Vector<int>{1, 2, 3}))).item(), 6);
  EXPECT_GT(counts().launches, launches);
  if (set) setenv("HASTEN_TARGET", before.c_str(), 1);
}

TEST_F(FakeCuda, LoopsAreGraphs) {
  const auto run = hs::compile(rounds, {.target = hs::cuda(1)});
  const auto oracle = hs::compile(rounds, {.target = hs::interpreter()});
  for (const std::int64_t n : {0, 3, 6, 7, 8, 12, 13, 100}) {
    const FakeCudaCounts before = counts();
    EXPECT_EQ(run(n, argument()), oracle(n, argument())) << n;
    EXPECT_EQ(counts().graph_launches > before.graph_launches, n >= 7) << n;
  }
  // A repeated loop finds its own graph, once blocks are reused in the same order.
  const Vector<int> xs = argument();
  for (int i = 0; i < 8; ++i) (void)run(20, xs)(0);
  const FakeCudaCounts before = counts();
  EXPECT_EQ(run(20, xs), oracle(20, xs));
  const FakeCudaCounts after = counts();
  EXPECT_EQ(after.graphs, before.graphs);
  EXPECT_GT(after.graph_launches, before.graph_launches);
  EXPECT_GE(after.launches, before.launches + 60);  // nodes count, too
}

// Fails each call in turn: making a graph, its nodes, and launching it.
TEST_F(FakeCuda, GraphsThatFailAreLaunches) {
  const auto program = [](const Exp<std::int64_t>& n, const Acc<Vector<int>>& xs) {
    return hs::aiterate(n, [](const Acc<Vector<int>>& v) { return v * 3 + 1; }, xs);
  };
  const auto run = hs::compile(program, {.target = hs::cuda(1)});
  const auto oracle = hs::compile(program, {.target = hs::interpreter()});
  int failed = 0;
  for (int nth = 1; nth <= 40; ++nth) {
    const Vector<int> xs(nth, std::vector<int>(static_cast<std::size_t>(nth), nth));
    const long long before = counts().failures;
    fail("graph", nth, 1000);
    EXPECT_EQ(run(30, xs), oracle(30, xs)) << nth;
    failed += counts().failures > before ? 1 : 0;
    TearDown();
  }
  EXPECT_GT(failed, 20);
  EXPECT_LT(failed, 40);  // the last call was failed, too
}

TEST_F(FakeCuda, GraphsAreNotKeptForEver) {
  const auto run = hs::compile(
      [](const Exp<int>& k, const Acc<Vector<int>>& xs) {
        return hs::aiterate(
            std::int64_t{20}, [&](const Acc<Vector<int>>& v) { return v * 3 + k; }, xs);
      },
      {.target = hs::cuda(1)});
  for (int k = 0; k < 40; ++k) (void)run(k, argument())(0);
  EXPECT_LE(counts().graphs, 16);
}

// Wherever memory runs out: the right result, or MemoryError and the right result the next time.
TEST_F(FakeCuda, MemoryRunsOutAtEveryPoint) {
  const auto run = program();
  const Vector<int> expected = run(argument());
  (void)expected(0);
  for (int nth = 1;; ++nth) {
    const long long failed = counts().failures;
    fail("alloc", nth, 2);  // and again after the driver has got all memory back
    try {
      EXPECT_EQ(run(argument()), expected) << nth;
    } catch (const hs::MemoryError&) {}
    if (counts().failures == failed) break;
    ASSERT_LT(nth, 100);
    SetUp();
    TearDown();
    EXPECT_EQ(run(argument()), expected) << nth;
  }
}

TEST_F(FakeCuda, HostMemoryRunsOut) {
  const auto run = program();
  const Vector<int> expected = run(argument());
  fail("host_alloc", 1, 10);
  EXPECT_EQ(run(argument()), expected);
}

TEST_F(FakeCuda, NothingIsLeftBehind) {
  const auto run = program();
  for (int i = 0; i < 20; ++i) (void)run(argument())(0);
  const FakeCudaCounts before = counts();
  for (int i = 0; i < 200; ++i) (void)run(argument())(0);
  const FakeCudaCounts after = counts();
  EXPECT_EQ(after.buffers, before.buffers);
  EXPECT_EQ(after.bytes, before.bytes);
  EXPECT_EQ(after.host_buffers, before.host_buffers);
  EXPECT_EQ(after.modules, before.modules);
  EXPECT_EQ(after.streams, before.streams);
  EXPECT_LE(after.events, before.events + 8);  // events are reused
  EXPECT_EQ(after.compilations, before.compilations);
}

TEST_F(FakeCuda, CompilersThatFailAreErrors) {
  fail("compile", 1);
  const auto other = [](Exp<int> x) { return x * 12345 + 678; };
  const auto program = [&] { return hs::map(other, hs::use(argument())); };
  EXPECT_THROW(hs::run(program(), {.target = hs::cuda(1)}), hs::Error);
  const auto result = hs::run(program(), {.target = hs::cuda(1)});
  EXPECT_EQ(result, hs::run(program(), {.target = hs::interpreter()}));
}

// A launch that is refused is an error without further effects.
TEST_F(FakeCuda, LaunchesThatAreRefused) {
  const auto run = program();
  const Vector<int> expected = run(argument());
  for (int nth = 1; nth <= 5; ++nth) {
    fail("launch", nth);
    EXPECT_THROW((void)run(argument())(0), hs::Error) << nth;
    EXPECT_EQ(run(argument()), expected) << nth;
  }
}

// Runs in a child process, because the device is lost for good.
TEST_F(FakeCuda, ADeviceThatDisappears) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fork has no threads for the streams
  const auto lose = [&](const char* how, long long nth) {
    const auto run = program();
    const Vector<int> before = run(argument());
    (void)before(0);
    fail(how, nth);
    int errors = 0;
    for (int i = 0; i < 20; ++i) try {
        (void)run(argument())(0);
      } catch (const hs::Error&) {
        ++errors;
      }
    // Data on the host remains, and other targets work.
    const bool kept = before == hs::run(hs::scanl1(std::plus<>{}, hs::sort(hs::use(argument()))),
                                        {.target = hs::interpreter()});
    std::exit(errors >= 2 && kept ? 0 : 1);
  };
  for (const char* how : {"copy", "crash", "lost"})
    for (const long long nth : {1, 2, 5, 11})
      EXPECT_EXIT(lose(how, nth), testing::ExitedWithCode(0), "") << how << nth;
}

}  // namespace
