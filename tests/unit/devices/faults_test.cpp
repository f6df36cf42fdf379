// Whichever call of a device fails, and whenever: a program returns the right result or throws the
// documented error, arrays remain usable, and no memory is lost.
#include "tests/unit/devices/support.hpp"

#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace hasten::test {
namespace {

using Call = FakeDevice::Call;
using Ints = Vector<std::int32_t>;
using Int = Exp<std::int32_t>;
constexpr std::int64_t n = 300;
constexpr std::size_t KiB = 1024;

// A program on two arrays, for any target.
struct Example {
  const char* name;
  std::function<Ints(const Ints&, const Ints&)> on_device, on_interpreter;
};

template <class F>
Example example(const char* name, F f, const Target& target) {
  const auto compiled = [f](const Target& on) {
    return compile<Acc<Ints>(Acc<Ints>, Acc<Ints>)>(f, {.target = on});
  };
  return {name, compiled(target), compiled(interpreter())};
}

std::vector<Example> examples(const Target& target) {
  const auto twice = [](const Acc<Ints>& v) { return compute(v * 2); };
  return {
      example(
          "map", [](auto xs, auto ys) { return xs * 2 + ys; }, target),
      example(
          "fold", [](auto xs, auto ys) { return fill(3, the(sum(xs - ys))); }, target),
      example(
          "scan", [](auto xs, auto ys) { return scanl1(std::plus<>{}, xs + ys); }, target),
      example(
          "sort", [](auto xs, auto ys) { return sort(xs * 7919 % 101 - ys); }, target),
      example(
          "filter", [](auto xs, auto) { return filter([](Int x) { return x % 3 == 0; }, xs); },
          target),
      example(
          "permute",
          [](auto xs, auto ys) {
            const auto bin = [](Exp<std::int64_t> i) { return i * i % 50; };
            return permute(std::plus<>{}, compute(take(60, ys)), bin, xs);
          },
          target),
      example(
          "concat",
          [twice](auto xs, auto ys) { return concat(twice(xs), concat(ys, twice(ys + 1))); },
          target),
      example(
          "loop",
          [](auto xs, auto ys) {
            return zip_with(std::plus<>{}, ys,
                            awhile([](auto v) { return the(maximum(v)) < 600; },
                                   [](auto v) { return v + v / 2 + 1; }, xs));
          },
          target),
      example(
          "branch", [twice](auto xs, auto ys) { return acond(the(sum(xs)) > 3, twice(ys), xs); },
          target),
      example(
          "pairs",
          [](auto xs, auto ys) {
            const auto pairs = compute(zip(xs, reverse(ys)));
            return map([](const auto& p) { return get<0>(p) - get<1>(p); }, reverse(pairs));
          },
          target),
  };
}

// The arguments of a program: arrays in host memory, and one that the device computed.
struct Arrays {
  explicit Arrays(const FakeTarget& fake)
      : xs(numbers(n, 1)),
        ys(run(map([](const Int& x) { return x + 5; }, use(xs)), fake.options())) {}
  [[nodiscard]] bool are_right() const { return xs == numbers(n, 1) && ys == numbers(n, 6); }
  Ints xs, ys;
};

enum class Outcome { right, wrong, error };

template <class F>
Outcome outcome_of(F f) {
  try {
    return f() ? Outcome::right : Outcome::wrong;
  } catch (const MemoryError&) {
    return Outcome::error;
  } catch (const TargetError&) {
    return Outcome::error;
  }
}

class DeviceFaults : public testing::Test {
 protected:
  DeviceFaults() {
    fake.device->need_scratch(1 * KiB);
    // Warms up programs, caches and counters.
    for (const Example& example : programs) {
      const Arrays arrays(fake);
      expected.push_back(example.on_interpreter(arrays.xs, arrays.ys));
      EXPECT_EQ(example.on_device(arrays.xs, arrays.ys), expected.back()) << example.name;
    }
    host_bytes = support::counters().bytes_live;
  }
  ~DeviceFaults() override { expect_nothing_lost("at the end"); }

  void expect_nothing_lost(const std::string& when) const {
    EXPECT_EQ(fake.used_bytes(), 0u) << when;
    fake.memory->release_kept();
    EXPECT_EQ(fake.device->live_bytes(), 0u) << when;
    EXPECT_EQ(fake.device->damage(), "") << when;
    EXPECT_EQ(support::counters().bytes_live, host_bytes) << when;
  }

  // Runs the program with the n-th call failing, for every n until the n-th call does not happen.
  void run_with(std::size_t program, const std::string& what,
                const std::function<void(std::int64_t)>& set_fault, bool recovers) {
    const Example& example = programs[program];
    for (std::int64_t at = 1;; ++at) {
      const std::string when = std::string(example.name) + ", " + what + " " + std::to_string(at);
      bool was_reached = false;
      {
        const Arrays arrays(fake);
        set_fault(at);
        const Outcome outcome = outcome_of(
            [&] { return example.on_device(arrays.xs, arrays.ys) == expected[program]; });
        was_reached = fake.device->has_failed();
        fake.device->mend();
        EXPECT_EQ(outcome, recovers || !was_reached ? Outcome::right : Outcome::error) << when;
        EXPECT_TRUE(arrays.are_right()) << when;
        EXPECT_EQ(example.on_device(arrays.xs, arrays.ys), expected[program]) << when;
      }
      if (at % 4 == 0 || !was_reached) expect_nothing_lost(when);
      if (!was_reached) return;
      ASSERT_LT(at, 1000) << when;
    }
  }

  FakeTarget fake{64 * KiB};
  std::vector<Example> programs = examples(fake.target);
  std::vector<Ints> expected;  // by program
  std::int64_t host_bytes = 0;
};

TEST_F(DeviceFaults, OneAllocationIsRefused) {
  for (std::size_t i = 0; i < programs.size(); ++i)
    run_with(
        i, "refused allocation",
        [&](std::int64_t at) {
          fake.memory->release_kept();
          fake.device->fail(Call::allocate, at);
        },
        true);
}

TEST_F(DeviceFaults, AllAllocationsAreRefusedFromOneOn) {
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const auto refuse = [&](std::int64_t at) {
      fake.memory->release_kept();
      fake.device->fail(Call::allocate, at, 1'000'000);
    };
    // Moving other arrays out may suffice: success and the error are both right, and nothing is
    // lost.
    for (std::int64_t at = 1; at < 12; ++at) {
      const Arrays arrays(fake);
      refuse(at);
      EXPECT_NE(
          outcome_of([&] { return programs[i].on_device(arrays.xs, arrays.ys) == expected[i]; }),
          Outcome::wrong)
          << programs[i].name;
      fake.device->mend();
      EXPECT_TRUE(arrays.are_right()) << programs[i].name;
      EXPECT_EQ(programs[i].on_device(arrays.xs, arrays.ys), expected[i]) << programs[i].name;
    }
    expect_nothing_lost(programs[i].name);
  }
}

TEST_F(DeviceFaults, ACallFails) {
  constexpr std::pair<Call, const char*> kinds[] = {{Call::write, "write"},
                                                    {Call::read, "read"},
                                                    {Call::launch, "launch"},
                                                    {Call::finish, "finish"}};
  for (std::size_t i = 0; i < programs.size(); ++i)
    for (const auto& [call, name] : kinds)
      run_with(
          i, name, [&, which = call](std::int64_t at) { fake.device->fail(which, at); }, false);
}

TEST_F(DeviceFaults, ALaunchHasNoMemoryOfItsOwnOnce) {
  for (std::size_t i = 0; i < programs.size(); ++i)
    run_with(
        i, "launch without memory",
        [&](std::int64_t at) { fake.device->fail<MemoryError>(Call::launch, at); }, true);
}

// Arrays in host memory, and those the host has read, are still there.
TEST_F(DeviceFaults, TheDeviceIsLost) {
  for (std::size_t i = 0; i < programs.size(); ++i) {
    for (std::int64_t calls = 0;; ++calls) {
      FakeTarget lost(64 * KiB);
      lost.device->need_scratch(1 * KiB);
      const Example example = std::move(examples(lost.target)[i]);
      bool was_lost = false;
      {
        const Arrays arrays(lost);
        Ints seen = run(use(arrays.ys) * 2, lost.options());
        EXPECT_EQ(seen(0), 12);
        lost.device->vanish_after(calls);
        const Outcome outcome =
            outcome_of([&] { return example.on_device(arrays.xs, arrays.ys) == expected[i]; });
        was_lost = lost.device->has_failed();
        EXPECT_EQ(outcome, was_lost ? Outcome::error : Outcome::right) << example.name << calls;
        EXPECT_EQ(arrays.xs, numbers(n, 1)) << example.name << calls;
        EXPECT_EQ(seen(n - 1), 12 + 2 * (n - 1)) << example.name << calls;
        EXPECT_NE(outcome_of([&] { return arrays.ys == numbers(n, 6); }), Outcome::wrong);
      }
      EXPECT_EQ(lost.used_bytes(), 0u) << example.name << calls;
      if (!was_lost) break;
      ASSERT_LT(calls, 1000);
    }
  }
}

TEST_F(DeviceFaults, ResultsOnALostDeviceSayThatItIsLost) {
  const Arrays arrays(fake);
  fake.device->vanish_after(0);
  EXPECT_THROW(static_cast<void>(arrays.ys(0)), TargetError);
  EXPECT_THROW(static_cast<void>(arrays.ys(0)), TargetError);
  EXPECT_THROW(release(arrays.ys), TargetError);
  fake.device->mend();
  EXPECT_EQ(arrays.ys(0), 6);
}

// Moving an array out to make room fails: the array stays where it is.
TEST_F(DeviceFaults, MovingOutFails) {
  std::vector<Ints> held;
  const Arrays arrays(fake);
  for (std::int32_t k = 0; k < 100; ++k) {
    const auto next = [&] {
      return run(map([=](const Int& x) { return x + parameter(k); }, use(arrays.xs)),
                 fake.options());
    };
    if (k % 2 == 1) fake.device->fail(Call::read, 1);
    try {
      held.push_back(next());
    } catch (const TargetError&) {
      held.push_back(next());
    }
    fake.device->mend();
  }
  for (std::int32_t k = 0; k < 100; ++k)
    EXPECT_EQ(held[static_cast<std::size_t>(k)], numbers(n, 1 + k)) << k;
}

// Small programs with random faults; HASTEN_TEST_RUNS of them, 3000 by default.
TEST_F(DeviceFaults, NothingIsLostOverManyRuns) {
  const char* const set = std::getenv("HASTEN_TEST_RUNS");
  const std::int64_t runs = set ? std::atoll(set) : 3000;
  std::mt19937 random(7);
  const auto below = [&](std::size_t end) { return random() % end; };
  {
    Arrays arrays(fake);
    std::vector<std::pair<std::size_t, Ints>> held;  // a program and its result
    for (std::int64_t i = 0; i < runs; ++i) {
      if (i % 100 == 0) arrays = Arrays(fake);
      const std::size_t at = below(programs.size());
      switch (below(8)) {
        case 0: fake.device->fail(Call::allocate, 1 + std::int64_t(below(5))); break;
        case 1: fake.device->fail(Call::allocate, 1 + std::int64_t(below(5)), 1'000'000); break;
        case 2: fake.device->fail(Call::write, 1); break;
        case 3: fake.device->fail(Call::read, 1 + std::int64_t(below(3))); break;
        case 4: fake.device->fail(Call::launch, 1 + std::int64_t(below(5))); break;
        case 5: fake.device->fail<MemoryError>(Call::launch, 1 + std::int64_t(below(5))); break;
        default: break;
      }
      try {
        held.emplace_back(at, programs[at].on_device(arrays.xs, arrays.ys));
        if (below(4) == 0) prefetch(held[below(held.size())].second, fake.target);
        if (below(4) == 0) release(held[below(held.size())].second);
      } catch (const MemoryError&) {
      } catch (const TargetError&) {}
      fake.device->mend();
      if (held.size() <= 40) continue;
      const std::size_t gone = below(held.size());
      ASSERT_EQ(held[gone].second, expected[held[gone].first]) << programs[held[gone].first].name;
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(gone));
    }
    for (const auto& [at, result] : held) ASSERT_EQ(result, expected[at]) << programs[at].name;
    EXPECT_TRUE(arrays.are_right());
  }
  expect_nothing_lost("after all runs");
}

}  // namespace
}  // namespace hasten::test
