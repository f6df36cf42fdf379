// Programs whose arrays do not fit on a device stream through it in parts; other programs fail.
#include "tests/unit/devices/support.hpp"

#include <complex>
#include <functional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace hasten::test {
namespace {

using Ints = Vector<std::int32_t>;

constexpr std::size_t KiB = 1024;
constexpr std::int64_t n = 100003;  // 391 KiB

class Streaming : public testing::Test {
 protected:
  /// Compares f of arrays with the interpreter's result.
  template <class F, class... Arrays>
  void streams(F f, const Arrays&... arrays) const {
    EXPECT_EQ(run(f(use(arrays)...), options), run(f(use(arrays)...), oracle));
  }
  template <class F>
  static std::string text_of(const F& f) {
    std::ostringstream out;
    out << f.explain();
    return out.str();
  }

  ~Streaming() override {
    EXPECT_LE(fake.device->peak_bytes(), fake.memory->budget());
    EXPECT_EQ(fake.used_bytes(), 0u);
  }

  FakeTarget fake{256 * KiB};
  const Options options = fake.options(), oracle{.target = interpreter()};
};

TEST_F(Streaming, MapsOfOneArray) {
  for (const std::int64_t size : {28672, 32768, 65535, 65536, 65537, 100003}) {
    const Ints xs = numbers(size);
    const auto f = compile([](const Acc<Ints>& a) { return a * 3 + 1; }, options);
    const std::int64_t before = fake.device->launches();
    EXPECT_EQ(f(xs), f(xs)) << size;
    EXPECT_EQ(f(xs), compile([](const Acc<Ints>& a) { return a * 3 + 1; }, oracle)(xs));
    EXPECT_EQ(f.statistics().launches, fake.device->launches() - before);
    EXPECT_GT(f.statistics().launches, size > 32768 ? 6 : 2);
  }
}

// Each operation that several devices share streams; the sizes are not multiples of the parts, and
// slightly exceed the device.
TEST_F(Streaming, EveryOperation) {
  for (const std::int64_t size : {65537, 100003, 262144}) {
    const Ints xs = numbers(size);
    streams([](auto a) { return sum(a * a); }, xs);
    streams([](auto a) { return fold(std::plus<>{}, 7, a); }, xs);
    streams([](auto a) { return maximum(a); }, xs);
    streams([](auto a) { return scanl1(std::plus<>{}, a); }, xs);
    streams([](auto a) { return scanl(std::plus<>{}, 3, a) * 2; }, xs);
    streams([](auto a) { return imap([](auto i, auto x) { return cast<int>(i) - x; }, a); }, xs);
    streams([](auto a) { return histogram(10, [](auto x) { return x % 10; }, a); }, xs);
    streams([](auto a) { return concat(a, a + 1); }, xs);
    const auto third = [](auto x) { return x % 3 == 0; };
    streams([=](auto a) { return filter(third, a) + 1; }, xs);
    streams([=](auto a) { return sum(filter(third, a)); }, xs);
    const auto near = [](auto at) { return at(-1) + 3 * at(2) - at(0); };
    streams([=](auto a) { return stencil(near, boundary::clamp, a); }, xs);
    streams([=](auto a) { return stencil(near, boundary::clamp, compute(a + 1)); }, xs);
    streams([=](auto a) { return stencil(near, boundary::outside(9), compute(a + 1)); }, xs);
  }
}

TEST_F(Streaming, RowsOfMatrices) {
  const auto table = Matrix<std::int32_t>::from_function(Ix<2>(3001, 37), [](const Ix<2>& ix) {
    return static_cast<std::int32_t>((ix[0] * 31 + ix[1] * 7919) % 1009 - 500);
  });
  streams([](auto a) { return sum(a * a); }, table);
  streams([](auto a) { return sum_on<0>(a * a); }, table);
  streams([](auto a) { return sum_all(a * a); }, table);
  streams([](auto a) { return scanl1(std::plus<>{}, a); }, table);
  streams([](auto a) { return flatten(a + 1) * 2; }, table);
  const auto across = [](auto at) { return at(-1, 0) + 2 * at(1, 0) - at(0, 1); };
  streams([=](auto a) { return stencil(across, boundary::clamp, compute(a + 1)); }, table);
}

TEST_F(Streaming, SegmentsStayTogether) {
  const auto lengths =
      Vector<std::int64_t>::from_function(Ix<1>(3000), [](const Ix<1>& ix) { return ix[0] % 67; });
  const std::int64_t all = run(sum(use(lengths)), oracle).item();
  streams([](auto a, auto l) { return fold_seg(std::plus<>{}, 4, a * 2, l); }, numbers(all),
          lengths);
}

// One segment exceeds the device, beside short ones.
TEST_F(Streaming, OneLongSegment) {
  const auto lengths = Vector<std::int64_t>{1, 0, 2, n - 10, 0, 7};
  streams([](auto a, auto l) { return fold_seg(std::plus<>{}, 4, a * 2, l); }, numbers(n), lengths);
  streams(
      [](auto a, auto l) { return fold_seg([](auto x, auto y) { return max(x, y); }, -9, a, l); },
      numbers(n), lengths);
}

// Elements move to host memory by ranges, which come back one after the other.
TEST_F(Streaming, Sorts) {
  for (const std::int64_t size : {65537, 100003, 262144})
    for (const std::int32_t values : {1, 7, 1 << 30}) {
      const Ints xs = Ints::from_function(Ix<1>(size), [&](const Ix<1>& ix) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(ix[0]) * 2654435761U) % values;
      });
      streams([](auto a) { return sort(a); }, xs);
      streams([](auto a) { return sort_by_key(a, a + 1).second; }, xs);
      // The starts of runs are a separate array whose neighbours are read: all of it.
      if (values <= 7) streams([](auto a) { return count_by_key(a).second; }, xs);
      streams([](auto a) { return top_k(10, a).second; }, xs);
    }
}

// The host takes the sample, and a range goes to the device from the parts that have it: elements
// go there twice, and come home twice, the second time to where they stay.
TEST_F(Streaming, SortsMoveElementsTwice) {
  using Floats = Vector<float>;
  constexpr std::int64_t size = 320'000;
  for (const std::int64_t factor : {0, 7919}) {
    const Floats xs = Floats::from_function(Ix<1>(size), [&](const Ix<1>& ix) {
      return static_cast<float>(ix[0] * factor % 100'003) - 500;
    });
    const auto f = compile([](const Acc<Floats>& a) { return sort(a); }, options);
    static_cast<void>(f(xs));  // learns the number of parts
    const Statistics before = statistics();
    const Floats sorted = f(xs);
    const Statistics moved = statistics() - before;
    EXPECT_EQ(sorted, run(sort(use(xs)), oracle));
    // The sample, its order, splitters, and the ends of ranges of each part are small.
    constexpr std::int64_t bytes = size * 4, small = bytes / 3;
    EXPECT_GE(moved.bytes_to_devices, 2 * bytes);
    EXPECT_LE(moved.bytes_to_devices, 2 * bytes + small) << factor;
    EXPECT_GE(moved.bytes_from_devices, 2 * bytes);
    EXPECT_LE(moved.bytes_from_devices, 2 * bytes + small) << factor;
    // At home twice; on the device with keys and numbers of ranges, in their order with these, and
    // with keys and sorted.
    EXPECT_LE(moved.bytes_allocated, (2 + 3 + 3) * bytes + bytes / 2 + small) << factor;
  }
}

// The keys of a sample are computed by the host, as programs of any types define them.
TEST_F(Streaming, SampledKeysOfAnyType) {
  using Rows = Vector<std::tuple<float, std::uint8_t, std::int64_t>>;
  const auto rows = Rows::from_function(Ix<1>(30011), [](const Ix<1>& ix) {
    const auto i = static_cast<std::uint32_t>(ix[0]) * 2654435761U;
    const float x = i % 7 == 0 ? -0.0F : static_cast<float>(i % 9) - 4.0F;
    return std::tuple(x, static_cast<std::uint8_t>(i >> 20), static_cast<std::int64_t>(ix[0]));
  });
  streams([](auto a) { return sort(a); }, rows);
  streams([](auto a) { return sort(a, Order::descending); }, rows);
  streams([](auto a) { return sort_by([](auto row) { return -get<0>(row); }, a); }, rows);
  streams([](auto a) { return sort_by([](auto row) { return get<1>(row); }, a); }, rows);
}

TEST_F(Streaming, BordersOfTheOtherEnd) {
  const auto near = [](auto at) { return at(-1) + 3 * at(2) - at(0); };
  streams([=](auto a) { return stencil(near, boundary::wrap, a); }, numbers(n));
  streams([=](auto a) { return stencil(near, boundary::wrap, compute(a + 1)); }, numbers(n));
  streams([=](auto a) { return stencil(near, boundary::mirror, compute(a + 1)); }, numbers(n));
}

// A state larger than the device is moved out and comes back in every round.
TEST_F(Streaming, LoopsKeepTheirParts) {
  const auto rounds = [](auto a) {
    return aiterate(
        5,
        [](auto x) {
          return stencil([](auto at) { return at(-1) + at(1) - at(0); }, boundary::clamp, x);
        },
        a);
  };
  streams(rounds, numbers(n));
}

// Without an identity, parts pass their value on to the next part.
TEST_F(Streaming, OperatorsWithoutAnIdentity) {
  const auto last_but_negative = [](auto x, auto y) { return select(y < 0, x, y); };
  streams([=](auto a) { return fold(last_but_negative, 5, a); }, numbers(n));
  streams([=](auto a) { return fold1(last_but_negative, a); }, numbers(n));
  streams([=](auto a) { return scanl1(last_but_negative, a); }, numbers(n));
}

// The second pass needs the mean, so the whole argument is uploaded twice.
TEST_F(Streaming, TwoPasses) {
  streams([](auto a) { return map([=](auto x) { return x - sum(a)() / 7; }, a * 3); }, numbers(n));
}

// Other sizes compile nothing.
TEST_F(Streaming, NothingIsCompiledAnew) {
  const auto f = compile([](const Acc<Ints>& a) { return scanl1(std::plus<>{}, a * 2); }, options);
  static_cast<void>(f(numbers(100000)));
  const Statistics before = f.statistics();
  for (const std::int64_t size : {100001, 90000, 77777, 65537}) static_cast<void>(f(numbers(size)));
  const Statistics after = f.statistics();
  EXPECT_EQ(after.kernels_compiled + after.kernels_from_cache,
            before.kernels_compiled + before.kernels_from_cache);
}

TEST_F(Streaming, ExplainSaysSo) {
  const auto f = compile([](const Acc<Ints>& a) { return a * 3; }, options);
  static_cast<void>(f(numbers(1000)));
  EXPECT_EQ(text_of(f).find("streamed"), std::string::npos) << text_of(f);
  static_cast<void>(f(numbers(n)));
  EXPECT_NE(text_of(f).find("the last call streamed in "), std::string::npos) << text_of(f);
}

TEST_F(Streaming, SeveralArraysOfSeveralTypes) {
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
  const FakeTarget large(std::size_t{1} << 24);  // the same code, without parts
  const auto whole = compile(program, large.options())(a, numbers(n), c, 0.5);
  const auto parts = compile(program, options)(a, numbers(n), c, 0.5);
  EXPECT_TRUE(identical(parts, whole));
  EXPECT_EQ(large.device->launches(), 1);
  EXPECT_GT(fake.device->launches(), 4);
}

TEST_F(Streaming, ComplexNumbersAndHigherRanks) {
  using Plane = Matrix<std::complex<float>>;
  const auto a = Plane::from_function(Ix<2>(317, 331), [](const Ix<2>& ix) {
    return std::complex<float>(static_cast<float>(ix[0]), static_cast<float>(ix[1]));
  });
  const auto program = [](const Acc<Plane>& x) { return x * x + x; };
  EXPECT_EQ(compile(program, options)(a), compile(program, oracle)(a));
  EXPECT_GT(fake.device->launches(), 4);
}

// Earlier results are moved out; results of parts are used like any array.
TEST_F(Streaming, ProgramsGoOn) {
  const Ints small = run(use(numbers(10000)) + 1, options), xs = numbers(n);
  const Ints ys = run(map([](auto x) { return x * 5; }, use(xs)), options);
  const Ints zs = run(use(ys) - use(xs), options);
  EXPECT_EQ(zs(77), 4 * 77);
  EXPECT_EQ(run(sum(use(small)), options).item(), run(sum(use(numbers(10000)) + 1), oracle).item());
  EXPECT_EQ(run(use(small) * 2, options)(5), 12);
}

TEST_F(Streaming, LoopsOfParts) {
  const auto program = [](const Acc<Ints>& xs) {
    return aiterate(std::int64_t{12}, [](const Acc<Ints>& v) { return v * 3 + 1; }, xs);
  };
  EXPECT_EQ(compile(program, options)(numbers(n)), compile(program, oracle)(numbers(n)));
}

TEST_F(Streaming, MemoryLimitsOfProgramsAreKept) {
  const FakeTarget large(std::size_t{1} << 24);
  Options limited = large.options();
  limited.memory_limit = 100 * KiB;
  EXPECT_EQ(run(use(numbers(n)) * 2, limited)(500), 1000);
  EXPECT_LE(large.device->peak_bytes(), 100 * KiB);
}

TEST_F(Streaming, ItNeedsScratchMemoryToo) {
  fake.device->need_scratch(2 * KiB);
  EXPECT_EQ(run(use(numbers(n)) * 2, options)(500), 1000);
}

// The whole of an array is read at any index: the error names what does not fit.
TEST_F(Streaming, WhatCannotStreamSaysSo) {
  const Ints xs = numbers(n);
  EXPECT_THROW(run(gather(use(xs), use(xs)), options), MemoryError);
  EXPECT_THROW(run(reverse(use(xs)), options), MemoryError);
  EXPECT_EQ(xs, numbers(n));
}

// Failures are named as the user wrote the program.
TEST_F(Streaming, CheckedPrograms) {
  const Ints xs = numbers(n, 1);
  Options checked = options, reference = oracle;
  checked.checks = reference.checks = Checks::all;
  const auto program = [](auto a, auto b) { return scanl1(std::plus<>{}, a / b); };
  EXPECT_EQ(run(program(use(xs), use(xs)), checked), run(program(use(xs), use(xs)), reference));
  const auto message = [&](const Options& with) -> std::string {
    try {
      run(program(use(xs), use(numbers(n))), with);
    } catch (const ArithmeticError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(checked), message(reference));
  EXPECT_NE(message(checked), "no error");
}

// Small arrays that are read at any index stay on the device.
TEST_F(Streaming, TablesStay) {
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

// Results so large that pages are requested ahead and several threads join parts.
TEST_F(Streaming, LargeResults) {
  const FakeTarget large(std::size_t{24} << 20);
  constexpr std::int64_t size = 20'000'000;  // 76 MiB
  const auto xs = Ints::from_function(
      size, [](const Ix<1>& i) { return static_cast<std::int32_t>(i[0] * 7919 % 1009); });
  const Ints mapped = run(use(xs) * 3 + 1, large.options());
  const Ints kept = run(filter([](auto x) { return x % 16 != 0; }, use(xs)), large.options());
  ASSERT_EQ(mapped.size(), size);
  std::int64_t at = 0, wrong = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int32_t x = xs[i];
    wrong += mapped[i] != x * 3 + 1 ? 1 : 0;
    if (x % 16 == 0) continue;
    wrong += at >= kept.size() || kept[at] != x ? 1 : 0;
    ++at;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(kept.size(), at);
  EXPECT_GT(at * 4, std::int64_t{64} << 20);
}

// A separate thread moves results to host memory: its failures are errors of the call, too.
TEST_F(Streaming, FaultsAreErrorsAndNoMore) {
  const Ints xs = numbers(n);
  using Call = FakeDevice::Call;
  const auto check_with_faults = [&](auto f) {
    const auto expected = run(f(use(xs)), oracle);
    for (const Call call : {Call::allocate, Call::write, Call::launch, Call::read})
      for (int nth = 1; nth <= 8; ++nth) {
        fake.device->fail(call, nth);
        try {
          EXPECT_EQ(run(f(use(xs)), options), expected) << nth;
        } catch (const Error&) {
          EXPECT_TRUE(fake.device->has_failed());
        }
        fake.device->mend();
        EXPECT_EQ(fake.used_bytes(), 0u);
      }
    EXPECT_EQ(run(f(use(xs)), options), expected);
  };
  check_with_faults([](auto a) { return a * 2; });
  check_with_faults([](auto a) { return filter([](auto x) { return x % 3 == 0; }, a); });
  check_with_faults([](auto a) { return scanl1(std::plus<>{}, a); });
}

}  // namespace
}  // namespace hasten::test
