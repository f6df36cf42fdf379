// Devices replay loops whose iterations repeat, and no others; results are compared with the
// interpreter's.
#include "tests/unit/devices/support.hpp"
#include "tests/unit/runtime/support.hpp"

#include <chrono>
#include <functional>
#include <future>
#include <stop_token>
#include <thread>
#include <tuple>
#include <vector>

namespace hasten::test {
namespace {

using Ints = Vector<std::int32_t>;
using Program = std::function<Acc<Ints>(Exp<std::int64_t>, Acc<Ints>)>;

class LoopReplays : public testing::Test {
 protected:
  struct Seen {
    std::int64_t launches, replayed;
  };

  // Runs the program on the device and on the interpreter.
  Seen check(const Program& program, std::int64_t iterations, const Ints& given) {
    const auto f = compile<Acc<Ints>(Exp<std::int64_t>, Acc<Ints>)>(program, fake.options());
    const auto oracle =
        compile<Acc<Ints>(Exp<std::int64_t>, Acc<Ints>)>(program, {.target = interpreter()});
    const Seen before{device.launches(), device.replayed()};
    const Ints result = f(iterations, given);
    EXPECT_EQ(result, oracle(iterations, given)) << iterations << " iterations";
    const Seen seen{device.launches() - before.launches, device.replayed() - before.replayed};
    EXPECT_EQ(f.statistics().launches, seen.launches);
    return seen;
  }

  FakeTarget fake{std::size_t{1} << 20};
  FakeDevice& device = *fake.device;
  const Ints xs = numbers(100);
};

Acc<Ints> steps(const Exp<std::int64_t>& n, const Acc<Ints>& xs) {
  return aiterate(
      n, [](const Acc<Ints>& v) { return map([](auto x) { return x * 3 + 1; }, v); }, xs);
}

TEST_F(LoopReplays, RoundsThatRepeatAreReplayed) {
  for (const std::int64_t iterations :
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 37, 38, 39, 40, 100, 1001}) {
    const Seen seen = check(steps, iterations, xs);
    EXPECT_EQ(seen.launches, iterations);
    EXPECT_GE(seen.replayed, iterations - 14) << iterations;
    EXPECT_LT(seen.replayed, std::max<std::int64_t>(iterations, 1));
  }
}

TEST_F(LoopReplays, ALazyDeviceReplaysToo) {
  device.be_lazy(true);
  EXPECT_GT(check(steps, 50, xs).replayed, 30);
}

TEST_F(LoopReplays, ArraysBeforeAndAfterKeepTheirValues) {
  const auto f = compile<Acc<Ints>(Exp<std::int64_t>, Acc<Ints>)>(steps, fake.options());
  const Ints first = f(20, xs), second = f(20, first), third = f(40, xs);
  EXPECT_EQ(second, third);
  EXPECT_EQ(xs, numbers(100));
  EXPECT_EQ(f(20, xs), first);
}

TEST_F(LoopReplays, SeveralLaunchesInARound) {
  const auto program = [](const Exp<std::int64_t>& n, const Acc<Ints>& a) {
    return aiterate(
        n,
        [&](const Acc<Ints>& v) {
          const auto total = compute(scanl1(std::plus<>{}, v));
          return map([](auto x, auto y) { return x - y; }, zip(compute(reverse(total)), v));
        },
        a);
  };
  EXPECT_GT(check(program, 60, xs).replayed, 100);
}

// The wave equation's state spans two iterations.
TEST_F(LoopReplays, RoundsThatLookBackTwice) {
  const auto program = [](const Exp<std::int64_t>& n, const Acc<Ints>& a) {
    const auto [last, before] = aiterate(
        n,
        [](const std::tuple<Acc<Ints>, Acc<Ints>>& state) {
          const auto& [x, y] = state;
          return std::tuple{x * 2 - y + 1, x};
        },
        std::tuple{a, reverse(a)});
    return last + before;
  };
  for (const std::int64_t iterations : {5, 6, 7, 8, 9, 10, 11, 50, 51, 52})
    check(program, iterations, xs);
  EXPECT_GT(check(program, 53, xs).replayed, 30);
}

TEST_F(LoopReplays, RoundsThatLookBackFurtherAreNot) {
  const auto program = [](const Exp<std::int64_t>& n, const Acc<Ints>& a) {
    using State = std::tuple<Acc<Ints>, Acc<Ints>, Acc<Ints>, Acc<Ints>>;
    const auto [x, y, z, w] = aiterate(
        n,
        [](const State& state) {
          const auto& [p, q, r, s] = state;
          return State{p + s, p, q, r};
        },
        State{a, reverse(a), a + 1, a + 2});
    return x + y + z + w;
  };
  EXPECT_EQ(check(program, 40, xs).replayed, 0);
}

TEST_F(LoopReplays, SwappedStatesAreNot) {
  const auto program = [](const Exp<std::int64_t>& n, const Acc<Ints>& a) {
    const auto [x, y] = aiterate(
        n,
        [](const std::tuple<Acc<Ints>, Acc<Ints>>& state) {
          return std::tuple{std::get<1>(state), std::get<0>(state) + 1};
        },
        std::tuple{a, reverse(a)});
    return x * 2 + y;
  };
  for (const std::int64_t iterations : {9, 10, 41}) check(program, iterations, xs);
}

TEST_F(LoopReplays, NumbersThatChangeAreNot) {
  const auto program = [](const Exp<std::int64_t>& n, const Acc<Ints>& a) {
    const auto [count, x] = awhile(
        [&](const Acc<Scalar<std::int64_t>>& i, const Acc<Ints>&) { return the(i) < n; },
        [](const Acc<Scalar<std::int64_t>>& i, const Acc<Ints>& v) {
          return std::tuple{unit(the(i) + 1),
                            map([&](auto e) { return e * 3 + cast<std::int32_t>(the(i)); }, v)};
        },
        std::tuple{unit(Exp<std::int64_t>(0)), a});
    return x;
  };
  EXPECT_EQ(check(program, 40, xs).replayed, 0);
}

// The work changes now and then: a replay ends, and another one begins.
TEST_F(LoopReplays, ReplaysEndAndBeginAgain) {
  const auto program = [](const Exp<std::int64_t>& n, const Acc<Ints>& a) {
    using State = std::tuple<Acc<Scalar<std::int64_t>>, Acc<Ints>>;
    const auto [count, x] =
        awhile([&](const State& s) { return the(std::get<0>(s)) < n; },
               [](const State& s) {
                 const auto& [k, v] = s;
                 return State{unit(the(k) + 1), acond(the(k) / 33 % 2 == 0, v * 3 + 1, v - 7)};
               },
               State{unit(Exp<std::int64_t>(0)), a});
    return x;
  };
  const Seen seen = check(program, 99, xs);
  EXPECT_GT(seen.replayed, 50);
  EXPECT_LT(seen.replayed, 90);
}

// Branches differ from iteration to iteration, and so does the array that is the next state.
TEST_F(LoopReplays, BranchesThatAreTakenNowAndThen) {
  for (const std::int64_t every : {2, 7, 25}) {
    const auto program = [every](const Exp<std::int64_t>& n, const Acc<Ints>& a) {
      using State = std::tuple<Acc<Scalar<std::int64_t>>, Acc<Ints>, Acc<Ints>>;
      const auto [count, x, y] =
          awhile([&](const State& s) { return the(std::get<0>(s)) < n; },
                 [&](const State& s) {
                   const auto& [k, p, q] = s;
                   const auto is_odd = the(k) % every == every - 1;
                   const auto next = compute(p + 1);
                   return State{unit(the(k) + 1), acond(is_odd, compute(next * 2 + q), next),
                                acond(is_odd, q, p)};
                 },
                 State{unit(Exp<std::int64_t>(0)), a, reverse(a)});
      return x * 5 + y;
    };
    for (const std::int64_t iterations : {10, 24, 25, 26, 80, 81}) {
      const Seen seen = check(program, iterations, xs);
      EXPECT_EQ(seen.replayed > 0, every == 25 && iterations > 10) << every << " " << iterations;
    }
  }
}

TEST_F(LoopReplays, ConditionsThatLookAtWhatWasComputedAreNot) {
  const auto program = [](const Exp<std::int64_t>& n, const Acc<Ints>& a) {
    return awhile([&](const Acc<Ints>& v) { return cast<std::int64_t>(v[0]) < n; },
                  [](const Acc<Ints>& v) { return v + 1; }, a);
  };
  const Seen seen = check(program, 30, xs);
  EXPECT_EQ(seen.launches, 30);
  EXPECT_EQ(seen.replayed, 0);
}

TEST_F(LoopReplays, ExtentsThatChangeAreNot) {
  const auto program = [](const Exp<std::int64_t>& n, const Acc<Ints>& a) {
    return aiterate(n, [](const Acc<Ints>& v) { return tail(v) + 1; }, a);
  };
  EXPECT_EQ(check(program, 40, xs).replayed, 0);
  EXPECT_EQ(check(program, 110, xs).launches, 99);  // empty arrays need no launches
}

TEST_F(LoopReplays, InnerLoopsAreReplayedOneByOne) {
  const auto program = [](const Exp<std::int64_t>& n, const Acc<Ints>& a) {
    return aiterate(
        n,
        [](const Acc<Ints>& v) {
          const auto w =
              aiterate(Exp<std::int64_t>(30), [](const Acc<Ints>& u) { return u * 3 + 1; }, v);
          return reverse(w) - 7;
        },
        a);
  };
  const Seen seen = check(program, 12, xs);
  EXPECT_EQ(seen.launches, 12 * 31);
  EXPECT_GT(seen.replayed, 12 * 15);
}

TEST_F(LoopReplays, ScattersAndSortsInRounds) {
  const auto scatters = [](const Exp<std::int64_t>& n, const Acc<Ints>& a) {
    return aiterate(
        n,
        [](const Acc<Ints>& v) {
          return permute(std::plus<>{}, v, [](auto ix) { return ix / 2; }, v);
        },
        a);
  };
  EXPECT_GT(check(scatters, 40, xs).replayed, 20);
  const auto sorts = [](const Exp<std::int64_t>& n, const Acc<Ints>& a) {
    return aiterate(n, [](const Acc<Ints>& v) { return sort(v * 5 % 17); }, a);
  };
  EXPECT_EQ(check(sorts, 20, xs).replayed, 0);
}

TEST_F(LoopReplays, ScratchMemoryIsTheSameEveryTime) {
  device.need_scratch(4096);
  EXPECT_GT(check(steps, 70, xs).replayed, 40);
}

TEST_F(LoopReplays, WhereThereIsNoRoomRoundsAreLaunched) {
  const Ints large = numbers(50000);  // 200 kB: two iterations fit, with nothing to spare
  const FakeTarget small(std::size_t{500} << 10);
  const auto f = compile<Acc<Ints>(Exp<std::int64_t>, Acc<Ints>)>(steps, small.options());
  EXPECT_EQ(f(30, large), (compile<Acc<Ints>(Exp<std::int64_t>, Acc<Ints>)>(
                              steps, {.target = interpreter()})(30, large)));
  EXPECT_EQ(small.device->replayed(), 0);
  EXPECT_EQ(small.device->launches(), 30);
}

// A caller without room waits until no launch is running, and later callers wait for that caller.
// An endless replay pauses for it, and then continues.
TEST_F(LoopReplays, WhoNeedsRoomDoesNotWaitForTheEnd) {
  const Ints state = numbers(30'000), large = numbers(100'000);  // there is room for 229,000
  std::stop_source source;
  Options options = fake.options();
  const auto other = compile<Acc<Ints>(Acc<Ints>)>(
      [](const Acc<Ints>& v) { return map([](auto x) { return x + 1; }, v); }, options);
  options.stop = source.get_token();
  const auto f = compile<Acc<Ints>(Exp<std::int64_t>, Acc<Ints>)>(steps, options);
  const auto endless = f.async(std::int64_t{1} << 50, state);
  const auto goes_beyond = [&](std::int64_t (FakeDevice::*count)() const, std::int64_t number) {
    for (int i = 0; i < 20'000 && (device.*count)() <= number; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return (device.*count)() > number;
  };
  EXPECT_TRUE(goes_beyond(&FakeDevice::replayed, 100));
  auto done = std::async(std::launch::async, [&] { return other(large); });
  const bool made_way = done.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  EXPECT_TRUE(made_way);
  EXPECT_TRUE(!made_way || goes_beyond(&FakeDevice::launches, device.launches() + 100));
  source.request_stop();
  EXPECT_THROW(static_cast<void>(endless.get()), StoppedError);
  EXPECT_EQ(done.get()(99'999), 1000);
}

TEST_F(LoopReplays, FaultsAreErrorsAndNoMore) {
  const auto f = compile<Acc<Ints>(Exp<std::int64_t>, Acc<Ints>)>(steps, fake.options());
  const Ints expected = f(40, xs);
  static_cast<void>(expected(0));
  const std::size_t used = fake.used_bytes();
  for (int nth = 1; nth <= 40; ++nth) {
    device.fail(FakeDevice::Call::launch, nth);
    EXPECT_THROW(static_cast<void>(f(40, xs)), TargetError) << nth;
    EXPECT_EQ(f(40, xs), expected) << nth;
    EXPECT_EQ(fake.used_bytes(), used) << nth;
  }
}

}  // namespace
}  // namespace hasten::test
