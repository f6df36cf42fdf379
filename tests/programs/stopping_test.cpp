// Stopped calls: by the token of Options::stop and by Pending::cancel(), on every target. No
// program here ends by itself: a test that hangs means a loop that does not check.
#include <hasten/hasten.hpp>

#include "support/counters.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/places.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;
using Ints = Vector<std::int64_t>;

// Generous: the promise is 100 ms, and the machine may be busy.
constexpr auto patience = 2s;
constexpr auto a_while = 60ms;

Ints numbers(std::int64_t n) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::int64_t>(i % 7) + 1;
  return {n, std::span<const std::int64_t>(result)};
}

// Counts up to a bound that takes longer than any patience; elements differ, so that vectors
// diverge.
Exp<std::int64_t> endless(const Exp<std::int64_t>& x, const Exp<std::int64_t>& bound) {
  return hs::while_loop([=](auto k) { return k < bound; }, [=](auto k) { return k + x; }, x);
}

class Stopping : public testing::TestWithParam<hs::Target> {
 protected:
  void SetUp() override {
    const std::string name = GetParam().name();
    const std::string last = name.substr(name.rfind(',') + 1);  // of `multi`, the last target
    hs::test::require_device(hs::test::kind_of(last));
    // Each device receives work, including those beside the processor.
    if (last != name) options.split = {1, 1};
    options.target = GetParam();
    options.stop = source.get_token();
  }

  template <class F>
  void expect_stopped(F call, const char* by) {
    try {
      call();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const hs::StoppedError& error) {
      EXPECT_TRUE(hs::test::begins_with_its_place(error)) << error.what();
      EXPECT_NE(std::string(error.where().file_name()).find("stopping_test.cpp"),
                std::string::npos);
      EXPECT_NE(std::string(error.what()).find(by), std::string::npos) << error.what();
    }
  }

  /// The call, which another thread stops after a while, must end soon after that.
  template <class F>
  void expect_stopped_meanwhile(F call) {
    Clock::time_point asked;
    std::jthread other([&] {
      std::this_thread::sleep_for(a_while);
      asked = Clock::now();
      source.request_stop();
    });
    expect_stopped(call, "Options::stop");
    const auto ended = Clock::now();
    other.join();
    EXPECT_LT(ended - asked, patience);
  }

  /// Cancels a call that has begun to run, if that can be known.
  template <class R>
  void expect_cancelled(const hs::Pending<R>& pending) {
    std::this_thread::sleep_for(a_while);
    const auto asked = Clock::now();
    pending.cancel();
    expect_stopped([&] { static_cast<void>(pending.get()); }, "Pending::cancel()");
    EXPECT_LT(Clock::now() - asked, patience);
  }

  /// Compiles the kernels before times are measured.
  template <class Program, class... Arguments>
  static void warm(const Program& program, const Arguments&... arguments) {
    static_cast<void>(program(arguments...));
  }

  std::stop_source source;
  hs::Options options;
  static constexpr std::int64_t forever = std::int64_t{1} << 60;
};

TEST_P(Stopping, BeforeTheCallAndEveryLaterOne) {
  const auto twice = hs::compile([](Acc<Ints> xs) { return xs + xs; }, options);
  const Ints xs = numbers(1000);
  EXPECT_EQ(twice(xs)(3), 8);
  source.request_stop();
  expect_stopped([&] { static_cast<void>(twice(xs)); }, "Options::stop");
  expect_stopped([&] { static_cast<void>(twice(xs)); }, "Options::stop");
  expect_stopped([&] { static_cast<void>(hs::run(hs::use(xs) + hs::use(xs), options)); },
                 "Options::stop");
  std::stop_source another;
  options.stop = another.get_token();
  const auto again = hs::compile([](Acc<Ints> zs) { return zs + zs; }, options);
  EXPECT_EQ(again(xs)(3), 8);
  EXPECT_EQ(xs(3), 4);
}

TEST_P(Stopping, InsideALoopOfAMap) {
  const auto loops = hs::compile(
      [](Acc<Ints> xs, Exp<std::int64_t> bound) {
        return hs::map([=](Exp<std::int64_t> x) { return endless(x, bound); }, xs);
      },
      options);
  const Ints xs = numbers(3000);
  warm(loops, xs, std::int64_t{10});
  expect_stopped_meanwhile([&] { static_cast<void>(loops(xs, forever)); });
}

TEST_P(Stopping, InsideALoopInsideALoopOfALongMap) {
  const auto loops = hs::compile(
      [](Exp<std::int64_t> size, Exp<std::int64_t> bound) {
        return hs::generate(hs::ix(size), [=](Exp<hs::Ix<1>> ix) {
          const auto step = ix[0] % 5 + 1;
          return hs::while_loop(
              [=](auto k) { return k < bound; },
              [=](auto k) {
                return k + hs::iterate(40, [=](auto j) { return (j * 3 + step) % 97; }, step);
              },
              step);
        });
      },
      options);
  warm(loops, std::int64_t{5000}, std::int64_t{10});
  expect_stopped_meanwhile([&] { static_cast<void>(loops(std::int64_t{500'000}, forever)); });
}

TEST_P(Stopping, InsideFoldRangeAndTheFoldAroundIt) {
  const auto sums = hs::compile(
      [](Acc<Ints> xs, Exp<std::int64_t> rounds) {
        return hs::sum(hs::map(
            [=](Exp<std::int64_t> x) {
              return hs::fold_range(rounds, x, [=](auto k, auto z) { return z * 5 + k % x; });
            },
            xs));
      },
      options);
  const Ints xs = numbers(100);
  warm(sums, xs, std::int64_t{10});
  expect_stopped_meanwhile([&] { static_cast<void>(sums(xs, forever)); });
}

TEST_P(Stopping, InsideAScan) {
  const auto scans = hs::compile(
      [](Acc<Ints> xs, Exp<std::int64_t> bound) {
        return hs::scanl1([=](auto a, auto b) { return a + endless(b % 3 + 1, bound); }, xs);
      },
      options);
  const Ints xs = numbers(5000);
  warm(scans, xs, std::int64_t{10});
  expect_stopped_meanwhile([&] { static_cast<void>(scans(xs, forever)); });
}

TEST_P(Stopping, InsideACompaction) {
  const auto kept = hs::compile(
      [](Acc<Ints> xs, Exp<std::int64_t> bound) {
        return hs::filter([=](Exp<std::int64_t> x) { return endless(x, bound) % 2 == 0; }, xs);
      },
      options);
  const Ints xs = numbers(40000);
  warm(kept, xs, std::int64_t{10});
  expect_stopped_meanwhile([&] { static_cast<void>(kept(xs, forever)); });
}

TEST_P(Stopping, InsideAScatter) {
  const auto sums = hs::compile(
      [](Acc<Ints> xs, Exp<std::int64_t> bound) {
        return hs::histogram(64, [=](Exp<std::int64_t> x) { return endless(x, bound) % 64; }, xs);
      },
      options);
  const Ints xs = numbers(40000);
  warm(sums, xs, std::int64_t{10});
  expect_stopped_meanwhile([&] { static_cast<void>(sums(xs, forever)); });
}

// On the processor updates and folds without loops of their own are stopped, too: a device's kernel
// ends by itself, which would take too long.
TEST_P(Stopping, BetweenThePiecesOfLongUpdates) {
  if (GetParam().name() != "cpu") GTEST_SKIP() << "kernels of devices run to their end";
  constexpr std::int64_t very_long = std::int64_t{1} << 40;
  const auto numbers_of = [](const Exp<std::int64_t>& n) {
    return hs::generate(hs::ix(n), [](Exp<hs::Ix<1>> ix) { return ix[0] * ix[0] % 7; });
  };
  const auto expect_stops = [&](const auto& program) {
    source = {};
    options.stop = source.get_token();
    const auto f = hs::compile(program, options);
    warm(f, std::int64_t{100'000});
    expect_stopped_meanwhile([&] { static_cast<void>(f(very_long)); });
  };
  expect_stops([&](Exp<std::int64_t> n) {  // with outputs of each task's own
    return hs::histogram(7, [](auto i) { return i; }, numbers_of(n));
  });
  expect_stops([&](Exp<std::int64_t> n) {  // in order
    return hs::permute([](auto next, auto old) { return old * 3 + next; },
                       hs::fill(hs::ix(10), std::int64_t{1}), [](auto i) { return i % 10; },
                       numbers_of(n));
  });
  expect_stops([&](Exp<std::int64_t> n) {  // many long rows
    return hs::sum(hs::generate(hs::ix(1000, n),
                                [](Exp<hs::Ix<2>> ix) { return (ix[0] * ix[1]) ^ (ix[1] >> 3); }));
  });
}

TEST_P(Stopping, InsideAScalarOfTheHost) {
  const auto sizes = hs::compile(
      [](Exp<std::int64_t> x, Exp<std::int64_t> bound) {
        return hs::fill(hs::ix(endless(x, bound) % 10 + 1), std::int64_t{1});
      },
      options);
  warm(sizes, std::int64_t{1}, std::int64_t{10});
  expect_stopped_meanwhile([&] { static_cast<void>(sizes(std::int64_t{1}, forever)); });
}

TEST_P(Stopping, BetweenIterationsOfAnArrayLoop) {
  const auto halves = hs::compile(
      [](Acc<Ints> xs, Exp<std::int64_t> bound) {
        return hs::awhile(
            [=](Acc<Ints> ys) { return hs::map([=](auto s) { return s < bound; }, hs::sum(ys)); },
            [](Acc<Ints> ys) { return hs::map([](auto y) { return (y * 3 + 1) % 1000; }, ys); },
            xs);
      },
      options);
  const Ints xs = numbers(2000);
  warm(halves, xs, std::int64_t{0});
  expect_stopped_meanwhile([&] { static_cast<void>(halves(xs, forever)); });
}

// Devices record these iterations and run many at once.
TEST_P(Stopping, BetweenIterationsThatAreReplayed) {
  const auto steps = hs::compile(
      [](Acc<Ints> xs, Exp<std::int64_t> rounds) {
        return hs::aiterate(
            rounds,
            [](Acc<Ints> ys) { return hs::map([](auto y) { return (y * 3 + 1) % 1000; }, ys); },
            xs);
      },
      options);
  const Ints xs = numbers(2000);
  warm(steps, xs, std::int64_t{100});
  expect_stopped_meanwhile([&] { static_cast<void>(steps(xs, forever)); });
}

// The kernels that are stopped inside replayed iterations belong to other iterations, too.
TEST_P(Stopping, InsideALoopOfIterationsThatAreReplayed) {
  const auto steps = hs::compile(
      [](Acc<Ints> xs, Exp<std::int64_t> rounds, Exp<std::int64_t> bound) {
        return hs::aiterate(
            rounds,
            [=](Acc<Ints> ys) {
              return hs::map([=](auto y) { return endless(y % 7 + 1, bound) % 1000; }, ys);
            },
            xs);
      },
      options);
  const Ints xs = numbers(64);
  warm(steps, xs, std::int64_t{40}, std::int64_t{1000});
  expect_stopped_meanwhile([&] { static_cast<void>(steps(xs, forever, std::int64_t{200'000})); });
}

TEST_P(Stopping, OneOfSeveralCallsIsCancelled) {
  options.stop = {};
  const auto loops = hs::compile(
      [](Acc<Ints> xs, Exp<std::int64_t> bound) {
        return hs::map([=](Exp<std::int64_t> x) { return endless(x, bound); }, xs);
      },
      options);
  const Ints xs = numbers(100);
  const Ints expected = loops(xs, 1000);
  warm(loops, xs, std::int64_t{10});
  static_cast<void>(
      loops.async(xs, 10).get());  // calls that can be stopped have kernels of their own
  const auto before = loops.async(xs, 1000);
  EXPECT_EQ(before.get(), expected);
  const auto stuck = loops.async(xs, forever);
  expect_cancelled(stuck);
  EXPECT_TRUE(stuck.ready());
  EXPECT_THROW(static_cast<void>(stuck.get()), hs::StoppedError);  // repeatedly
  before.cancel();                                                 // too late
  EXPECT_EQ(before.get(), expected);
  EXPECT_EQ(loops.async(xs, 1000).get(), expected);
  EXPECT_EQ(loops(xs, 1000), expected);
}

TEST_P(Stopping, ManyCallsAtOnceOfWhichEveryOtherIsCancelled) {
  options.stop = {};
  const auto loops = hs::compile(
      [](Acc<Ints> xs, Exp<std::int64_t> rounds) {
        return hs::aiterate(
            rounds,
            [](Acc<Ints> ys) { return hs::map([](auto y) { return (y * 3 + 1) % 1000; }, ys); },
            xs);
      },
      options);
  const Ints xs = numbers(500);
  const Ints expected = loops(xs, 20);
  std::vector<hs::Pending<Ints>> pending;
  for (int i = 0; i < 4; ++i) pending.push_back(loops.async(xs, i % 2 == 0 ? 20 : forever));
  std::this_thread::sleep_for(a_while);
  for (std::size_t i = 1; i < pending.size(); i += 2) pending[i].cancel();
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (i % 2 == 0)
      EXPECT_EQ(pending[i].get(), expected);
    else
      EXPECT_THROW(static_cast<void>(pending[i].get()), hs::StoppedError);
  }
}

TEST_P(Stopping, ACallThatHasNotBegunIsCancelled) {
  options.stop = {};
  const auto slow = hs::compile(
      [](Acc<Ints> xs, Exp<std::int64_t> rounds) {
        return hs::aiterate(
            rounds,
            [](Acc<Ints> ys) { return hs::map([](auto y) { return (y * 3 + 1) % 1000; }, ys); },
            xs);
      },
      options);
  const Ints xs = numbers(50);
  const auto pending = slow.async(xs, forever);
  pending.cancel();  // maybe before a worker has taken the call
  expect_stopped([&] { static_cast<void>(pending.get()); }, "Pending::cancel()");
}

// Results and temporary memory are freed, and inputs are unchanged.
TEST_P(Stopping, MemoryIsGivenBack) {
  const auto steps = hs::compile(
      [](Acc<Ints> xs, Exp<std::int64_t> rounds) {
        return hs::aiterate(
            rounds, [](Acc<Ints> ys) { return hs::scanl1(std::plus<>{}, ys % std::int64_t{1000}); },
            xs);
      },
      options);
  const Ints xs = numbers(100'000);
  warm(steps, xs, std::int64_t{3});
  const std::int64_t before = hasten::support::counters().bytes_live.load();
  expect_stopped_meanwhile([&] { static_cast<void>(steps(xs, forever)); });
  EXPECT_EQ(hasten::support::counters().bytes_live.load(), before);
  for (std::int64_t i = 0; i < 20; ++i) EXPECT_EQ(xs(i), i % 7 + 1);
}

TEST_P(Stopping, ResultsOfCallsThatAreNotStoppedAreTheSame) {
  const auto program = [](Acc<Ints> xs) {
    return hs::map(
        [=](Exp<std::int64_t> x) {
          return hs::fold_range(x * 100, hs::cast<double>(x),
                                [=](auto k, auto z) { return z * 0.75 + hs::cast<double>(k); });
        },
        xs);
  };
  const Ints xs = numbers(3000);
  const auto stoppable = hs::compile(program, options);
  options.stop = {};
  EXPECT_EQ(stoppable(xs), hs::compile(program, options)(xs));
}

INSTANTIATE_TEST_SUITE_P(Targets, Stopping,
                         testing::Values(hs::interpreter(), hs::cpu(), hs::opencl(0), hs::cuda(0),
                                         hs::multi({hs::cpu(), hs::opencl(0)}),
                                         hs::multi({hs::cpu(), hs::cuda(0)})),
                         [](const auto& of) {
                           const std::string name = of.param.name();
                           const std::string last = name.substr(name.rfind(',') + 1);
                           return (last == name ? "" : "multi_") + hs::test::kind_of(last);
                         });

}  // namespace
