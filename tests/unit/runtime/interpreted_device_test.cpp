// An interpreter as one of several devices: it evaluates kernels element by element, as they are
// written, in host memory and in separate memory. Programs that are split over it and the processor
// have the results of the interpreter of whole programs.
#include "tests/support/fake_device.hpp"
#include "tests/unit/runtime/support.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace hasten::test {
namespace {

using Table = Matrix<std::int32_t>;
using Ints = Vector<std::int32_t>;

constexpr std::size_t megabytes = 1 << 20;

class InterpretedDevice : public RuntimeTest {
 protected:
  InterpretedDevice() { runtime::add_device("apart", apart_); }

  static Ints numbers(std::int64_t n) {
    return Ints::from_function(
        n, [](Ix<1> i) { return static_cast<std::int32_t>(i[0] * 7919 % 1009 - 500); });
  }
  static Table table() {
    return Table::from_function({37, 5}, [](Ix<2> i) {
      return static_cast<std::int32_t>((i[0] * 31 + i[1] * 7919) % 1009 - 500);
    });
  }

  // Compares results for all shares, including learned ones.
  template <class F, class A>
  void expect_equal(const char* name, const F& f, const A& array) const {
    const auto expected = hasten::run(f(use(array)), {.target = interpreter()});
    for (const char* target : {"multi:cpu,evaluator", "multi:evaluator,apart", "multi:cpu,apart",
                               "multi:apart,cpu,evaluator"}) {
      const std::size_t devices = std::string(target) == "multi:apart,cpu,evaluator" ? 3 : 2;
      std::vector<std::vector<double>> splits{{}};
      for (std::size_t most = 0; most < devices; ++most) {
        splits.emplace_back(devices, 1.0);
        splits.back()[most] = 5;
      }
      for (const std::vector<double>& split : splits) {
        const auto compiled = compile(f, {.target = Target(target), .split = split});
        for (int call = 0; call < (split.empty() ? 6 : 1); ++call)
          EXPECT_EQ(compiled(array), expected) << name << " on " << target << ", call " << call;
      }
    }
    EXPECT_EQ(apart_->damage(), "") << name;
  }

  const std::shared_ptr<FakeDevice> apart_ =
      std::make_shared<FakeDevice>(std::make_shared<KernelEvaluator>(), 64 * megabytes, false);
};

TEST_F(InterpretedDevice, DoesItsPart) {
  expect_equal(
      "map", [](const Acc<Ints>& a) { return map([](auto x) { return x * 3 - 1; }, a); },
      numbers(101));
  expect_equal(
      "stencil",
      [](const Acc<Table>& a) {
        return stencil([](auto at) { return at(-1, 0) + 2 * at(0, 1) - at(1, -1); }, boundary::wrap,
                       a);
      },
      table());
  expect_equal("fold", [](const Acc<Ints>& a) { return sum(a); }, numbers(101));
  expect_equal("fold of rows", [](const Acc<Table>& a) { return maximum(a); }, table());
  expect_equal("scan", [](const Acc<Ints>& a) { return scanl1(std::plus<>{}, a); }, numbers(101));
  expect_equal(
      "histogram",
      [](const Acc<Ints>& a) {
        return histogram(16, [](auto x) { return cast<std::int64_t>(x & 15); }, a);
      },
      numbers(101));
  expect_equal("sort", [](const Acc<Ints>& a) { return sort(a); }, numbers(101));
  expect_equal("sort of rows", [](const Acc<Table>& a) { return sort(a); }, table());
  expect_equal(
      "filter", [](const Acc<Ints>& a) { return filter([](auto x) { return x % 3 == 0; }, a); },
      numbers(101));
  expect_equal(
      "partition",
      [](const Acc<Ints>& a) { return partition([](auto x) { return x % 3 == 0; }, a); },
      numbers(101));
  expect_equal(
      "complex numbers",
      [](const Acc<Ints>& a) {
        const auto turned = map(
            [](auto x) { return cast<std::complex<float>>(x) * std::complex<float>(0, 1) + 1.0F; },
            a);
        return scanl1(std::plus<>{}, compute(turned));
      },
      numbers(101));
  expect_equal(
      "scan of columns", [](const Acc<Table>& a) { return scanl1_on<0>(std::plus<>{}, a); },
      table());
  expect_equal("sum of all", [](const Acc<Table>& a) { return sum_all(a * a); }, table());
  expect_equal(
      "loop",
      [](const Acc<Table>& a) {
        return aiterate(
            std::int64_t{4},
            [](const Acc<Table>& v) {
              return compute(
                  stencil([](auto at) { return at(-1, 0) + at(1, 0); }, boundary::clamp, v));
            },
            a);
      },
      table());
  EXPECT_GT(backend->launched, 0);
  EXPECT_GT(apart_->launches(), 0);
}

// Without a split and without a limit on memory, whatever memory devices work in: the first calls
// measure all devices, so each has a part of them.
TEST_F(InterpretedDevice, EachDeviceHasAPartOfTheFirstCalls) {
  const auto other = std::make_shared<KernelEvaluator>();
  runtime::add_device("other", other);
  const Ints given = numbers(101);
  struct Of {
    const char* target;
    std::vector<const char*> names;
    std::function<std::vector<std::int64_t>()> launches;  // by device
  };
  const auto of_both = [&] {
    return std::vector<std::int64_t>{backend->launched, other->launched};
  };
  const auto of_three = [&] {
    return std::vector<std::int64_t>{backend->launched, other->launched, apart_->launches()};
  };
  for (const Of& of :
       {Of{"multi:evaluator,other", {"evaluator", "other"}, of_both},
        Of{"multi:evaluator,other,apart", {"evaluator", "other", "apart"}, of_three}}) {
    const auto f = compile([](const Acc<Ints>& a) { return map([](auto x) { return x * 3; }, a); },
                           {.target = Target(of.target)});
    const Ints expected =
        hasten::run(map([](auto x) { return x * 3; }, use(given)), {.target = interpreter()});
    constexpr int measured_calls = 2;
    for (int call = 0; call < measured_calls; ++call) {
      const std::vector<std::int64_t> before = of.launches();
      EXPECT_EQ(f(given), expected) << of.target;
      const std::vector<std::int64_t> after = of.launches();
      for (std::size_t k = 0; k < after.size(); ++k)
        EXPECT_EQ(after[k] - before[k], 1) << of.names[k] << " of " << of.target;
      const std::string text = f.explain().str();
      EXPECT_NE(text.find("shares: evaluator "), text.npos) << text;
      for (const char* const name : of.names)
        EXPECT_EQ(text.find(std::string(name) + " 0 %"), text.npos) << text;
    }
    EXPECT_EQ(f.statistics().launches, measured_calls * std::ssize(of.names));
    const Profile profile = f.profile();
    for (const char* const name : of.names)
      EXPECT_TRUE(std::ranges::any_of(profile.rows(),
                                      [&](const ProfileRow& row) {
                                        return row.kind == "launch" &&
                                               row.name.find(std::string(" on ") + name) !=
                                                   row.name.npos;
                                      }))
          << name << profile;
  }
}

// A fixed split is kept by all calls.
TEST_F(InterpretedDevice, AFixedSplitIsThatOfEveryCall) {
  const auto other = std::make_shared<KernelEvaluator>();
  runtime::add_device("other", other);
  const auto f = compile([](const Acc<Ints>& a) { return map([](auto x) { return x * 3; }, a); },
                         {.target = Target("multi:evaluator,other"), .split = {3, 1}});
  constexpr int calls = 7;
  for (int call = 0; call < calls; ++call) static_cast<void>(f(numbers(101)));
  EXPECT_EQ(backend->launched, calls);
  EXPECT_EQ(other->launched, calls);
  EXPECT_NE(f.explain().str().find("shares: evaluator 75 %, other 25 %"), std::string::npos);
}

// As with devices that compile.
TEST_F(InterpretedDevice, MayFail) {
  const auto program = [](const Acc<Ints>& a) { return scanl1(std::plus<>{}, compute(a * 3)); };
  const Ints given = numbers(101);
  const Ints expected = hasten::run(program(use(given)), {.target = interpreter()});
  int failed = 0;
  for (const FakeDevice::Call call : FakeDevice::calls)
    for (int at = 1; at <= 4; ++at) {
      const auto f = compile(program, {.target = Target("multi:evaluator,apart"), .split = {1, 1}});
      apart_->fail(call, at);
      EXPECT_EQ(f(given), expected) << static_cast<int>(call) << " " << at;
      failed += apart_->has_failed() ? 1 : 0;
      apart_->mend();
    }
  EXPECT_GE(failed, static_cast<int>(std::size(FakeDevice::calls)));
}

}  // namespace
}  // namespace hasten::test
