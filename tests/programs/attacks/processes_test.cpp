// Processes that exit, or fork, while programs and calls are running.
#include "../support.hpp"
#include "child.hpp"

#include <atomic>
#include <cstdlib>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

using hasten_test::in_child;
using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;

namespace {

std::int64_t total(const hs::Options& options, std::int64_t n) {
  return hs::run(hs::sum(hs::map([](auto x) { return x * 3; }, hs::iota(n))), options).item();
}

void exit_unless(bool holds) {
  if (!holds) std::_Exit(9);
}

// Destroyed after everything that is constructed after main() begins; does nothing unless asked.
struct Last {
  std::function<void()> at_end;
  ~Last() {
    if (!at_end) return;
    at_end();
    std::_Exit(7);
  }
} last;

class Processes : public hasten_test::OnEveryTarget {};

TEST_P(Processes, RunProgramsInDestructorsOfStatics) {
  total(GetParam(), 10);
  const auto before =
      hs::compile([](const Exp<std::int64_t>& n) { return hs::sum(hs::iota(n) * n); }, GetParam());
  EXPECT_EQ(before(10).item(), 450);
  const int status = in_child([&] {
    last.at_end = [before, options = GetParam()] {  // GoogleTest's own state may be destroyed
      exit_unless(before(100).item() == 495000);
      exit_unless(total(options, 1000) == 3 * 499500);
      const auto f =
          hs::compile([](const Exp<std::int64_t>& n) { return hs::sum(hs::iota(n)); }, options);
      exit_unless(f.async(100).get().item() == 4950);
    };
  });
  EXPECT_EQ(status, 7);
}

TEST_P(Processes, RunProgramsAtExit) {
  total(GetParam(), 10);
  const int status = in_child([] {
    std::atexit([] {
      exit_unless(total(GetParam(), 1000) == 3 * 499500);
      std::_Exit(7);
    });
  });
  EXPECT_EQ(status, 7);
}

TEST_P(Processes, GoOnInAChild) {
  const auto f =
      hs::compile([](const Exp<std::int64_t>& n) { return hs::sum(hs::iota(n)); }, GetParam());
  EXPECT_EQ(f.async(100).get().item(), 4950);
  for (int i = 0; i < 3; ++i) {
    const int status = in_child([&] {
      exit_unless(f(1000000).item() == 499999500000);
      exit_unless(f.async(100).get().item() == 4950);
      exit_unless(total(GetParam(), 12345 + i) == 3 * (12345 + i) * (12344 + i) / 2);
      exit_unless(in_child([&] { exit_unless(f.async(10).get().item() == 45); }) == 0);
    });
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(f.async(10).get().item(), 45);
}

TEST_P(Processes, LeaveKernelsThatAreBeingMadeToTheChild) {
  for (int i = 0; i < 5; ++i) {
    const auto f = hs::compile(
        [=](const Acc<Vector<double>>& a) {
          return hs::sum(hs::map([=](auto x) { return hs::sin(x) + hs::constant(i + 0.25); }, a));
        },
        GetParam());
    EXPECT_EQ(in_child([&] { exit_unless(f({0, 0}).item() == 2 * (i + 0.25)); }), 0);
  }
}

HASTEN_ON_EVERY_TARGET(Processes);

#if HASTEN_WITH_LLVM

// Calls f on the host with its argument and returns the result of f.
auto calling(const std::function<std::int64_t(std::int64_t)>& f) {
  return hs::compile<Acc<Scalar<std::int64_t>>(Acc<Scalar<std::int64_t>>)>(
      [f](auto n) {
        return hs::foreign_acc(
            hs::on_cpu(
                "test::calling",
                [f](const Scalar<std::int64_t>& x) { return Scalar<std::int64_t>{f(x.item())}; }),
            [](const Acc<Scalar<std::int64_t>>& x) { return x; }, n);
      },
      {.target = hs::cpu()});
}

TEST(CallsInFlight, MayWaitForEachOther) {
  constexpr int count = 16;
  const auto inner = calling([](std::int64_t n) { return n + 1; });
  const auto outer = calling([&](std::int64_t n) { return inner.async(n).get().item(); });
  const auto around = calling([&](std::int64_t n) { return outer.async(n).get().item(); });
  std::vector<hs::Pending<Scalar<std::int64_t>>> calls;
  for (int i = 0; i < count; ++i) calls.push_back(around.async(i));
  for (int i = 0; i < count; ++i) EXPECT_EQ(calls[static_cast<std::size_t>(i)].get().item(), i + 1);
}

TEST(CallsInFlight, MayAllBeNeededAtOnce) {
  constexpr int count = 16;
  std::atomic<int> there{0};
  const auto meet = calling([&](std::int64_t n) {
    ++there;
    while (there < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return n;
  });
  std::vector<hs::Pending<Scalar<std::int64_t>>> calls;
  for (int i = 0; i < count; ++i) calls.push_back(meet.async(i));
  for (int i = 0; i < count; ++i) EXPECT_EQ(calls[static_cast<std::size_t>(i)].get().item(), i);
}

TEST(CallsInFlight, KeepNoProcessFromEnding) {
  const int status = in_child([] {
    std::atomic<bool> has_begun{false};
    const auto wait = calling([&](std::int64_t n) {
      has_begun = true;
      std::this_thread::sleep_for(std::chrono::hours(1));
      return n;
    });
    const auto call = wait.async(1);
    while (!has_begun) std::this_thread::yield();
    std::exit(3);
  });
  EXPECT_EQ(status, 3);
}

TEST(CallsInFlight, AreLeftBehindByFork) {
  std::atomic<bool> may_end{false};
  const auto wait = calling([&](std::int64_t n) {
    while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return n;
  });
  auto call = wait.async(5);
  const int status = in_child([&] {
    try {
      static_cast<void>(call.get());
    } catch (const hs::Error&) {
      std::exit(4);
    }
  });
  EXPECT_EQ(status, 4);
  may_end = true;
  EXPECT_EQ(call.get().item(), 5);
}

#endif

class AttacksByFork : public testing::TestWithParam<hs::Options> {
 protected:
  void SetUp() override { hs::test::require_device(hs::test::kind_of(GetParam().target.name())); }
};

TEST_P(AttacksByFork, AreErrorsAndTheChildEnds) {
  const auto made = hs::run(hs::iota(1000), GetParam());
  EXPECT_EQ(total(GetParam(), 100), 3 * 4950);
  const int status = in_child([&] {
    const auto fails = [](const std::function<void()>& f) {
      try {
        f();
        std::_Exit(9);
      } catch (const hs::TargetError&) {}
    };
    fails([] { total(GetParam(), 100); });
    fails([&] { static_cast<void>(made(3)); });
    exit_unless(total({.target = hs::interpreter()}, 100) == 3 * 4950);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(made(3), 3);
  EXPECT_EQ(total(GetParam(), 100), 3 * 4950);
}

#if HASTEN_WITH_LLVM

// The processor does everything in a child: programs compiled before and after the fork, and with a
// split.
TEST(SeveralDevicesAfterFork, ThoseThatWorkDoEverything) {
  hs::test::require_device("opencl");
  if (testing::Test::IsSkipped()) return;
  using Numbers = Vector<std::int64_t>;
  const auto sum = [](const Acc<Numbers>& a) { return hs::sum(a * 3); };
  const Numbers given = Numbers::from_function(1000, [](hs::Ix<1> i) { return i[0]; });
  for (const hs::Target& target :
       {hs::multi({hs::cpu(), hs::opencl(0)}), hs::multi({hs::opencl(0), hs::cpu()})})
    for (const std::vector<double>& split : {std::vector<double>{}, std::vector<double>{1, 2}}) {
      const hs::Options options{.target = target, .split = split};
      const auto before = hs::compile(sum, options);
      EXPECT_EQ(before(given).item(), 3 * 499500);
      const int status = in_child([&] {
        exit_unless(before(given).item() == 3 * 499500);
        exit_unless(before.async(given).get().item() == 3 * 499500);
        exit_unless(before.explain().str().find("cpu") != std::string::npos);
        exit_unless(hs::compile(sum, options)(given).item() == 3 * 499500);
        exit_unless(total(options, 1000) == 3 * 499500);
        std::_Exit(0);  // leaks are not looked for: the driver's threads own memory, and are absent
      });
      EXPECT_EQ(status, 0) << target.name();
      EXPECT_EQ(before(given).item(), 3 * 499500);
    }
}

#endif

INSTANTIATE_TEST_SUITE_P(Targets, AttacksByFork,
                         testing::Values(hs::Options{.target = hs::opencl(0)},
                                         hs::Options{.target = hs::cuda(0)}),
                         hasten_test::target_name);

}  // namespace
