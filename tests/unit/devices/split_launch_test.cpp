// Maps whose arrays do not fit on a device together go part by part; all else says so.
#include "tests/unit/devices/support.hpp"

#include <complex>
#include <functional>
#include <tuple>
#include <vector>

namespace hasten::test {
namespace {

using Ints = Vector<std::int32_t>;

constexpr std::size_t KiB = 1024;
constexpr std::int64_t n = 100003;  // 391 KiB

class SplitLaunch : public testing::Test {
 protected:
  ~SplitLaunch() override {
    EXPECT_LE(fake.device->peak_bytes(), fake.memory->budget());
    EXPECT_EQ(fake.used_bytes(), 0u);
  }

  FakeTarget fake{256 * KiB};
  const Options options = fake.options(), oracle{.target = interpreter()};
};

TEST_F(SplitLaunch, MapsOfOneArray) {
  for (const std::int64_t size : {28672, 32768, 65535, 65536, 65537, 100003}) {
    const Ints xs = numbers(size);
    const auto f = compile([](const Acc<Ints>& a) { return a * 3 + 1; }, options);
    const std::int64_t before = fake.device->launches();
    EXPECT_EQ(f(xs), f(xs)) << size;
    EXPECT_EQ(f(xs), compile([](const Acc<Ints>& a) { return a * 3 + 1; }, oracle)(xs));
    EXPECT_EQ(f.statistics().launches, fake.device->launches() - before);
    EXPECT_GT(f.statistics().launches, size > 30000 ? 3 : 2);
  }
}

TEST_F(SplitLaunch, SeveralArraysOfSeveralTypes) {
  const auto program = [](const Acc<Vector<double>>& a, const Acc<Ints>& b,
                          const Acc<Vector<std::int8_t>>& c, const Exp<double>& k) {
    return zip_with(
        [=](auto x, auto y, auto z) {
          return std::tuple{sin(x) * k, y + cast<std::int32_t>(z), z > cast<std::int8_t>(y)};
        },
        a, b, c);
  };
  const auto a = Vector<double>::from_function(
      Ix<1>(n), [](const Ix<1>& ix) { return static_cast<double>(ix[0]) / 7; });
  const auto c = Vector<std::int8_t>::from_function(
      Ix<1>(n), [](const Ix<1>& ix) { return static_cast<std::int8_t>(ix[0]); });
  const FakeTarget large(std::size_t{1} << 24);  // the same code, whole
  const auto whole = compile(program, large.options())(a, numbers(n), c, 0.5);
  const auto parts = compile(program, options)(a, numbers(n), c, 0.5);
  EXPECT_TRUE(identical(parts, whole));
  EXPECT_EQ(large.device->launches(), 1);
  EXPECT_GT(fake.device->launches(), 8);
}

TEST_F(SplitLaunch, ComplexNumbersAndHigherRanks) {
  using Plane = Matrix<std::complex<float>>;
  const auto a = Plane::from_function(Ix<2>(317, 331), [](const Ix<2>& ix) {
    return std::complex<float>(static_cast<float>(ix[0]), static_cast<float>(ix[1]));
  });
  const auto program = [](const Acc<Plane>& x) { return x * x + x; };
  EXPECT_EQ(compile(program, options)(a), compile(program, oracle)(a));
  EXPECT_GT(fake.device->launches(), 6);
}

// What was computed before is moved out of the way; what comes of parts is used like any array.
TEST_F(SplitLaunch, ProgramsGoOn) {
  const Ints small = run(use(numbers(10000)) + 1, options), xs = numbers(n);
  const Ints ys = run(map([](auto x) { return x * 5; }, use(xs)), options);
  const Ints zs = run(use(ys) - use(xs), options);
  EXPECT_EQ(zs(77), 4 * 77);
  EXPECT_EQ(run(sum(use(small)), options).item(), run(sum(use(numbers(10000)) + 1), oracle).item());
  EXPECT_EQ(run(use(small) * 2, options)(5), 12);
}

TEST_F(SplitLaunch, LoopsOfParts) {
  const auto program = [](const Acc<Ints>& xs) {
    return aiterate(std::int64_t{12}, [](const Acc<Ints>& v) { return v * 3 + 1; }, xs);
  };
  EXPECT_EQ(compile(program, options)(numbers(n)), compile(program, oracle)(numbers(n)));
}

TEST_F(SplitLaunch, MemoryLimitsOfProgramsAreKept) {
  const FakeTarget large(std::size_t{1} << 24);
  Options limited = large.options();
  limited.memory_limit = 100 * KiB;
  EXPECT_EQ(run(use(numbers(n)) * 2, limited)(500), 1000);
  EXPECT_LE(large.device->peak_bytes(), 100 * KiB);
}

TEST_F(SplitLaunch, ItNeedsScratchMemoryToo) {
  fake.device->need_scratch(2 * KiB);
  EXPECT_EQ(run(use(numbers(n)) * 2, options)(500), 1000);
}

// Reads elsewhere than at the index itself, folds: the error says what does not fit.
TEST_F(SplitLaunch, WhatCannotBeSplitSaysSo) {
  const Ints xs = numbers(n);
  EXPECT_THROW(run(reverse(use(xs)), options), MemoryError);
  EXPECT_THROW(run(sum(use(xs)), options), MemoryError);
  EXPECT_THROW(run(gather(use(xs), use(xs)), options), MemoryError);  // all of it, anywhere
  EXPECT_THROW(run(generate(Ix<1>(n), [](auto ix) { return ix; }), options), MemoryError);
  EXPECT_THROW(
      run(imap([](auto ix, auto x) { return x + cast<std::int32_t>(ix); }, use(xs)), options),
      MemoryError);
  EXPECT_EQ(xs, numbers(n));
}

// Small arrays that are read anywhere stay on the device.
TEST_F(SplitLaunch, TablesStay) {
  const Ints xs = numbers(n), table = numbers(1000, 5);
  EXPECT_EQ(run(gather(use(xs), use(table)), options), run(gather(use(xs), use(table)), oracle));
  const auto plane = Matrix<std::int32_t>::from_function(Ix<2>(317, 331), [](const Ix<2>& ix) {
    return static_cast<std::int32_t>(ix[0] * ix[1] % 300);
  });
  const auto looked_up = [&](const Acc<Ints>& values) {
    return map([=](auto x) { return values[x]; }, use(plane));
  };
  EXPECT_EQ(run(looked_up(use(table)), options), run(looked_up(use(table)), oracle));
  const Ints computed = run(use(table) * 2, options);  // on the device
  EXPECT_EQ(run(looked_up(use(computed)), options), run(looked_up(use(computed)), oracle));
  EXPECT_GT(fake.device->launches(), 9);
}

TEST_F(SplitLaunch, FaultsAreErrorsAndNoMore) {
  const Ints xs = numbers(n);
  using Call = FakeDevice::Call;
  for (const Call call : {Call::allocate, Call::write, Call::launch, Call::read})
    for (int nth = 1; nth <= 8; ++nth) {
      fake.device->fail(call, nth);
      try {
        EXPECT_EQ(run(use(xs) * 2, options)(500), 1000) << nth;
      } catch (const Error&) {
        EXPECT_TRUE(fake.device->has_failed());
      }
      fake.device->mend();
      EXPECT_EQ(fake.used_bytes(), 0u);
    }
}

}  // namespace
}  // namespace hasten::test
