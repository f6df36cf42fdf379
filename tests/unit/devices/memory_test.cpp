// Device memory: budgets, arrays that are moved out and come back, reused blocks.
#include "runtime/memory/caching_allocator.hpp"
#include "runtime/memory/residency.hpp"
#include "tests/unit/devices/support.hpp"
#include "tests/unit/runtime/support.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

namespace hasten::test {
namespace {

using Ints = Vector<std::int32_t>;
constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
constexpr std::int64_t quarter = 65536;  // elements of 256 KiB

// xs + k, on a device.
constexpr std::uint_least32_t line_of_plus = __LINE__ + 2;
Ints plus(const Ints& xs, std::int32_t k, const Options& options) {
  return run(map([=](const Exp<std::int32_t>& x) { return x + parameter(k); }, use(xs)), options);
}
std::int64_t total(const Ints& xs, const Options& options) {
  return run(sum(map([](const Exp<std::int32_t>& x) { return cast<std::int64_t>(x); }, use(xs))),
             options)
      .item();
}
std::int64_t total_of(const Ints& xs) {
  std::int64_t sum = 0;
  for (const std::int32_t x : xs) sum += x;
  return sum;
}

struct Counted {
  Statistics before = statistics();
  [[nodiscard]] Statistics now() const { return statistics() - before; }
};

// Pieces of host memory go to a device as they are, and become one block at home only if the host
// reads them.
TEST(JoinedBuffers, GoToDevicesPieceByPiece) {
  const FakeTarget fake(MiB);
  const std::vector<std::vector<std::byte>> parts = {std::vector<std::byte>(100, std::byte{1}),
                                                     {},
                                                     std::vector<std::byte>(3, std::byte{2}),
                                                     std::vector<std::byte>(64, std::byte{3})};
  std::vector<std::byte> all;
  std::vector<std::shared_ptr<detail::Buffer>> pieces;
  for (const auto& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    pieces.push_back(detail::Buffer::borrow(part.data(), part.size(), [] {}));
  }
  const auto joined = runtime::joined(std::move(pieces));
  ASSERT_EQ(joined->size(), all.size());
  for (int round = 0; round < 2; ++round) {
    const Counted counted;
    {
      runtime::WorkingSet set(fake.memory, 0);
      std::byte* const there = set.read(*joined, {});
      ASSERT_NE(there, nullptr);
      std::vector<std::byte> back(all.size());
      fake.device->read(back.data(), there, back.size());
      EXPECT_EQ(back, all);
    }
    EXPECT_EQ(counted.now().bytes_to_devices, static_cast<std::int64_t>(all.size()));
    EXPECT_EQ(counted.now().bytes_allocated, static_cast<std::int64_t>(all.size()));
    fake.memory->clear_out();  // nothing comes home
    EXPECT_EQ(counted.now().bytes_from_devices, 0);
    EXPECT_EQ(fake.used_bytes(), 0u);
    EXPECT_FALSE(joined->is_in_host_memory());
  }
  EXPECT_EQ(std::vector(joined->data(), joined->data() + joined->size()), all);
}

// Each device reads the pieces of a join from where they are, its own too.
TEST(JoinedBuffers, GoFromDeviceToDevice) {
  const FakeTarget one(MiB), two(4 * MiB);
  for (const FakeTarget* fake : {&one, &two}) fake->device->have_peers(true);
  // A piece on one device and the next on the other are not in host memory.
  const auto piece_on = [](const FakeTarget& fake, std::size_t bytes, int value) {
    runtime::WorkingSet set(fake.memory, 0);
    auto made = set.make(bytes, nullptr, {});
    const std::vector<std::byte> filled(bytes, std::byte(value));
    fake.device->write(set.read(*made, {}), filled.data(), bytes);
    return made;
  };
  const auto is_on = [](const FakeTarget& fake, const detail::Buffer& joined) {
    runtime::WorkingSet set(fake.memory, 0);
    std::byte* const there = set.read(joined, {});
    std::vector<std::byte> back(joined.size());
    if (there) fake.device->read(back.data(), there, back.size());
    const auto middle = back.begin() + 600 * KiB;
    return there && std::all_of(back.begin(), middle, [](auto x) { return x == std::byte{7}; }) &&
           std::all_of(middle, back.end(), [](auto x) { return x == std::byte{9}; });
  };
  const auto first = piece_on(one, 600 * KiB, 7), second = piece_on(two, 200 * KiB, 9);
  const auto joined = runtime::joined({first, second});
  {
    const Counted counted;
    EXPECT_TRUE(is_on(two, *joined));
    EXPECT_EQ(counted.now().bytes_from_devices, 0);
  }
  // The whole finds no room beside its first piece, which comes home for it.
  const Counted counted;
  EXPECT_TRUE(is_on(one, *joined));
  EXPECT_GE(counted.now().bytes_from_devices, static_cast<std::int64_t>(600 * KiB));
  const std::byte* const home = joined->data();
  EXPECT_EQ(home[0], std::byte{7});
  EXPECT_EQ(home[800 * KiB - 1], std::byte{9});
}

TEST(NurseryTest, GivesBlocksOfAboutTheSizeNewestFirst) {
  std::vector<std::byte> memory(4);
  runtime::CachingAllocator allocator;
  allocator.put({&memory[0], 1024});
  allocator.put({&memory[1], 1024});
  allocator.put({&memory[2], 2048});
  EXPECT_EQ(allocator.bytes(), 4096u);
  EXPECT_EQ(allocator.take(1280).address, nullptr);
  EXPECT_EQ(allocator.take(1024).address, &memory[1]);
  EXPECT_EQ(allocator.take_oldest().address, &memory[0]);
  EXPECT_EQ(allocator.take(1024).address, nullptr);
  EXPECT_EQ(allocator.take_oldest().address, &memory[2]);
  EXPECT_EQ(allocator.bytes(), 0u);
  EXPECT_FALSE(allocator.take_oldest());
}

TEST(NurseryTest, SizesGrowByAnEighthAtMost) {
  for (std::size_t bytes = 1; bytes < 100 * MiB; bytes = bytes * 9 / 8 + 1) {
    EXPECT_GE(runtime::size_class(bytes), runtime::exact_size(bytes));
    EXPECT_LE(runtime::size_class(bytes), runtime::exact_size(bytes) * 9 / 8);
    EXPECT_EQ(runtime::size_class(bytes), runtime::size_class(runtime::size_class(bytes)));
  }
  EXPECT_EQ(runtime::exact_size(0), 256u);
}

TEST(DeviceMemory, WhatIsThereIsNotCopiedAgain) {
  const FakeTarget fake(64 * MiB);
  const Ints xs = numbers(1000);
  const Counted counted;
  Ints ys = plus(xs, 1, fake.options());
  for (int i = 0; i < 5; ++i) ys = plus(ys, 1, fake.options());
  EXPECT_EQ(counted.now().bytes_to_devices, 4000);
  EXPECT_EQ(counted.now().bytes_from_devices, 0);
  EXPECT_EQ(ys(999), 999 + 6);
  EXPECT_EQ(ys(0), 6);
  EXPECT_EQ(counted.now().bytes_from_devices, 4000);
  plus(ys, 1, fake.options());
  plus(xs, 1, fake.options());
  EXPECT_EQ(counted.now().bytes_to_devices, 4000);
}

TEST(DeviceMemory, NothingIsAskedForBeforeItIsNeededAndBlocksAreUsedAgain) {
  const FakeTarget fake(64 * MiB);
  EXPECT_EQ(fake.device->allocations(), 0);
  const Ints xs = numbers(quarter);
  plus(xs, 1, fake.options());
  const std::int64_t first = fake.device->allocations();
  const Counted counted;
  for (int i = 0; i < 100; ++i) plus(xs, i, fake.options());
  EXPECT_EQ(fake.device->allocations(), first);
  EXPECT_EQ(counted.now().blocks_reused, 100);
  EXPECT_EQ(fake.used_bytes(), quarter * 4);
}

TEST(DeviceMemory, BlocksThatOthersStillUseAreTakenLast) {
  const FakeTarget fake(MiB);  // seven eighths of it: three arrays
  const Ints xs = numbers(quarter);
  plus(xs, 1, fake.options());  // its block is kept
  const std::int64_t first = fake.device->allocations();
  fake.device->be_used_by_others(true);
  const Counted counted;
  const Ints a = plus(xs, 2, fake.options());
  EXPECT_EQ(fake.device->allocations(), first + 1) << "there is other memory";
  EXPECT_EQ(counted.now().blocks_reused, 0);
  const Ints b = plus(xs, 3, fake.options());
  EXPECT_EQ(fake.device->allocations(), first + 1) << "there is none: its users come first";
  EXPECT_EQ(counted.now().blocks_reused, 1);
  EXPECT_EQ(counted.now().evictions, 0);
  EXPECT_EQ(a(7) + b(7), 7 + 7 + 5);
}

TEST(DeviceMemory, LeastRecentlyUsedGoesFirst) {
  const FakeTarget fake(MiB + 128 * KiB);  // seven eighths of it: three arrays, and a sum
  const Ints a = numbers(quarter, 1), b = numbers(quarter, 2), c = numbers(quarter, 3),
             d = numbers(quarter, 4);
  for (const Ints* xs : {&a, &b, &c, &a}) total(*xs, fake.options());
  Counted counted;
  total(d, fake.options());
  EXPECT_EQ(counted.now().evictions, 1);
  EXPECT_LE(counted.now().bytes_from_devices, 8) << "the sum; b is at home";
  counted = {};
  total(a, fake.options());
  total(c, fake.options());
  EXPECT_EQ(counted.now().bytes_to_devices, 0);
  EXPECT_EQ(total(b, fake.options()), total_of(b));
  EXPECT_EQ(counted.now().bytes_to_devices, quarter * 4);
}

TEST(DeviceMemory, WhatIsNowhereElseIsBroughtHome) {
  const FakeTarget fake(MiB);
  const Ints xs = numbers(quarter);
  const Counted counted;
  std::vector<Ints> results;
  for (int i = 0; i < 12; ++i) results.push_back(plus(xs, i, fake.options()));
  EXPECT_LE(fake.device->peak_bytes(), MiB);
  EXPECT_GE(counted.now().evictions, 9);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(total(results[static_cast<std::size_t>(i)], fake.options()),
              total_of(xs) + quarter * i);
    EXPECT_EQ(results[static_cast<std::size_t>(i)](77), 77 + i);
  }
}

// As if other processes used the device, too: its memory is exhausted before the budget is.
TEST(DeviceMemory, ARefusedAllocationMakesRoom) {
  const FakeTarget quiet(MiB, true);
  const Ints xs = numbers(quarter);
  std::vector<Ints> results;
  for (int i = 0; i < 6; ++i) results.push_back(plus(xs, i, quiet.options()));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)](5), 5 + i);
}

TEST(DeviceMemory, TheEnvironmentSetsTheBudget) {
  const SetEnv budget("HASTEN_DEVICE_MEMORY", "600K");
  const FakeTarget fake(64 * MiB);
  EXPECT_EQ(fake.memory->budget(), 600 * KiB);
  const Ints xs = numbers(quarter);
  std::vector<Ints> results;
  for (int i = 0; i < 4; ++i) results.push_back(plus(xs, i, fake.options()));
  EXPECT_LE(fake.device->peak_bytes(), 600 * KiB);
  EXPECT_EQ(results[0](3), 3);
}

TEST(DeviceMemory, OptionsSetALowerOne) {
  const FakeTarget fake(64 * MiB);
  Options options = fake.options();
  options.memory_limit = 600 * KiB;
  const Ints xs = numbers(quarter);
  std::vector<Ints> results;
  for (int i = 0; i < 4; ++i) results.push_back(plus(xs, i, options));
  EXPECT_LE(fake.device->peak_bytes(), 600 * KiB);
  EXPECT_EQ(results[0](3), 3);
}

TEST(DeviceMemory, ALaunchThatDoesNotFitSaysWhoHoldsWhat) {
  const FakeTarget fake(MiB);
  const Ints pinned = numbers(quarter), kept = plus(pinned, 1, fake.options());
  pin(pinned, fake.target);
  const Ints large = numbers(3 * quarter);
  try {
    run(reverse(use(large)), fake.options());  // which cannot be split into parts
    FAIL() << "it does not fit";
  } catch (const MemoryError& error) {
    const std::string what = error.what();
    for (const char* part :
         {"reverse: ", "(196608)", "768.0 KiB", "fake may hold 896.0 KiB", "HASTEN_DEVICE_MEMORY",
          "256.0 KiB read by ", "(pinned)", "256.0 KiB made by ", "memory_test.cpp:"})
      EXPECT_NE(what.find(part), std::string::npos) << part << "\n" << what;
  }
  EXPECT_EQ(total(kept, fake.options()), total_of(pinned) + quarter);
  EXPECT_EQ(kept(3), 4);
  EXPECT_EQ(large(3), 3);
  release(pinned);
  EXPECT_EQ(total(large, fake.options()), total_of(large));
}

TEST(DeviceMemory, TheErrorNamesTheLimitOfOptions) {
  const FakeTarget fake(64 * MiB);
  Options options = fake.options();
  options.memory_limit = 1000;
  try {
    run(sort(use(numbers(1000))), options);
    FAIL() << "it does not fit";
  } catch (const MemoryError& error) {
    EXPECT_NE(std::string(error.what()).find("may hold 1000 bytes (Options::memory_limit)"),
              std::string::npos)
        << error.what();
  }
}

TEST(DeviceMemory, ALaunchWithoutMemoryOfItsOwnIsTriedAgainAlone) {
  const FakeTarget fake(64 * MiB);
  const Ints xs = numbers(1000), ys = plus(xs, 1, fake.options());
  fake.device->fail<MemoryError>(FakeDevice::Call::launch, 1);
  EXPECT_EQ(plus(xs, 2, fake.options())(5), 7);
  EXPECT_TRUE(fake.device->has_failed());
  EXPECT_EQ(ys(5), 6);
  fake.device->fail<MemoryError>(FakeDevice::Call::launch, 1, 2);
  EXPECT_EQ(plus(xs, 2, fake.options())(5), 7);  // in parts
  fake.device->fail<MemoryError>(FakeDevice::Call::launch, 1, 1000);
  EXPECT_THROW(plus(xs, 2, fake.options()), MemoryError);
  fake.device->mend();
  EXPECT_EQ(plus(ys, 2, fake.options())(5), 8);
}

TEST(DeviceMemory, WhatLaunchesWorkInIsUsedAgain) {
  const FakeTarget fake(64 * MiB);
  fake.device->need_scratch(100 * KiB);
  const Ints xs = numbers(quarter);
  Ints ys = plus(xs, 1, fake.options());
  const std::int64_t first = fake.device->allocations();
  const Counted counted;
  for (int i = 0; i < 10; ++i) ys = plus(xs, i, fake.options());
  EXPECT_EQ(fake.device->allocations(), first + 1) << "two results at a time";
  EXPECT_EQ(counted.now().blocks_reused, 29) << "ten times two blocks, and nine results";
  EXPECT_EQ(fake.used_bytes(), 2 * quarter * 4) << "none of it when nothing runs";
  EXPECT_EQ(ys(5), 5 + 9);
}

TEST(DeviceMemory, WhatLaunchesWorkInIsInTheBudget) {
  const FakeTarget fake(MiB + MiB / 7 + 1 * KiB);  // seven eighths of it: a megabyte
  const Ints a = numbers(quarter, 1), b = numbers(quarter, 2);
  total(b, fake.options());
  Ints c = plus(a, 1, fake.options());
  EXPECT_EQ(fake.device->allocations(), 4) << "three arrays and a sum";
  fake.device->need_scratch(200 * KiB);
  const Counted counted;
  c = plus(a, 2, fake.options());
  EXPECT_GE(counted.now().evictions, 1) << "b made room";
  EXPECT_LE(fake.device->peak_bytes(), fake.memory->budget());
  EXPECT_EQ(c(7), a(7) + 2);
}

TEST(DeviceMemory, ALaunchThatCannotWorkSaysSo) {
  const FakeTarget fake(MiB);
  fake.device->need_scratch(2 * MiB);
  const Ints xs = numbers(quarter);
  try {
    plus(xs, 1, fake.options());
    FAIL() << "no error";
  } catch (const MemoryError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("map: what it works in while it runs needs 2.0 MiB of device memory"),
              std::string::npos)
        << what;
    EXPECT_NE(what.find("HASTEN_DEVICE_MEMORY"), std::string::npos) << what;
    EXPECT_EQ(error.where().line(), line_of_plus);
  }
  fake.device->need_scratch(0);
  EXPECT_EQ(plus(xs, 1, fake.options())(3), xs(3) + 1);
}

TEST(DeviceMemory, ResultsThatSeveralLaunchesWrite) {
  const FakeTarget fake(MiB + 512 * KiB);
  const Counted counted;
  const Ints a = numbers(quarter / 2, 1), b = numbers(quarter, 2);
  const auto heavy = [](const Acc<Ints>& xs) {
    return compute(map([](const Exp<std::int32_t>& x) { return x * 3; }, xs));
  };
  const auto both = concat(heavy(use(a)), concat(use(b), heavy(use(b))));
  const auto expected = run(both, {.target = interpreter()});
  EXPECT_EQ(run(both, fake.options()), expected);
  EXPECT_GE(counted.now().evictions, 1);
  const auto bins = permute(
      std::plus<>{}, fill(quarter / 2, 7), [](const Exp<std::int64_t>& i) { return i % 100; },
      use(b));
  EXPECT_EQ(run(bins, fake.options()), run(bins, {.target = interpreter()}));
}

// As if another thread needed room between two launches of a concat.
TEST(DeviceMemory, WhatIsMovedOutAndThenWrittenIsReadFromTheDevice) {
  const FakeTarget fake(MiB);
  const auto account = std::make_shared<runtime::Account>();
  const runtime::Holder holder{"test", std::source_location::current()};
  const std::vector<std::byte> first(1000, std::byte{1}), second(1000, std::byte{2});
  std::vector<std::byte> seen(1000);
  std::shared_ptr<detail::Buffer> buffer;
  {
    runtime::WorkingSet set(fake.memory, 0);
    buffer = set.make(1000, account, holder);
    fake.device->write(set.update(*buffer, holder), first.data(), 1000);
    fake.memory->clear_out();
    EXPECT_GT(fake.used_bytes(), 0u) << "it is in use";
  }
  fake.memory->clear_out();
  EXPECT_EQ(fake.used_bytes(), 0u);
  {
    runtime::WorkingSet set(fake.memory, 0);
    std::byte* const there = set.update(*buffer, holder);
    fake.device->read(seen.data(), there, 1000);
    EXPECT_EQ(seen, first);
    fake.device->write(there, second.data(), 1000);
  }
  seen.assign(buffer->data(), buffer->data() + 1000);
  EXPECT_EQ(seen, second);
  runtime::WorkingSet set(fake.memory, 0);
  EXPECT_THROW(static_cast<void>(set.update(*buffer, holder)), InternalError) << "it was seen";
}

TEST(DeviceMemory, LoopsUseTheMemoryOfTheirStates) {
  const FakeTarget fake(64 * MiB);
  const auto f = compile(
      [](const Acc<Vector<std::int64_t>>& xs) {
        return awhile([](const Acc<Vector<std::int64_t>>& v) { return the(maximum(v)) < 10'000; },
                      [](const Acc<Vector<std::int64_t>>& v) {
                        return map([](const Exp<std::int64_t>& x) { return x + 1; }, v);
                      },
                      xs);
      },
      fake.options());
  const Vector<std::int64_t> xs(100, std::vector<std::int64_t>(100, 0));
  EXPECT_EQ(f(xs)(99), 10'000);
  EXPECT_LT(fake.device->allocations(), 10);
  EXPECT_LT(fake.device->peak_bytes(), 10 * KiB);
}

TEST(DeviceMemory, PrefetchedArraysAreThere) {
  const FakeTarget fake(64 * MiB);
  const Ints xs = numbers(1000);
  Counted counted;
  prefetch(xs, fake.target);
  EXPECT_EQ(counted.now().bytes_to_devices, 4000);
  counted = {};
  EXPECT_EQ(total(xs, fake.options()), total_of(xs));
  EXPECT_EQ(counted.now().bytes_to_devices, 0);
  prefetch(xs, interpreter());
  prefetch(Ints{}, fake.target);
  EXPECT_THROW(prefetch(xs, Target("nowhere")), TargetError);
  EXPECT_THROW(prefetch(numbers(100 * quarter), FakeTarget(MiB).target), MemoryError);
}

TEST(DeviceMemory, PinnedArraysStay) {
  const FakeTarget fake(MiB);
  const Ints pinned = numbers(quarter, 5);
  pin(pinned, fake.target);
  for (int i = 0; i < 5; ++i) {
    const Ints other = numbers(quarter, i);
    plus(other, 1, fake.options());
  }
  Counted counted;
  EXPECT_EQ(total(pinned, fake.options()), total_of(pinned));
  EXPECT_EQ(counted.now().bytes_to_devices, 0);
  release(pinned);
  EXPECT_EQ(total(pinned, fake.options()), total_of(pinned));
  EXPECT_EQ(counted.now().bytes_to_devices, quarter * 4);
}

TEST(DeviceMemory, ReleasedArraysKeepTheirElements) {
  const FakeTarget fake(64 * MiB);
  Ints xs = numbers(1000);
  const Ints ys = plus(xs, 1, fake.options());
  const auto both = run(zip(use(xs), use(ys)), fake.options());
  EXPECT_GT(fake.used_bytes(), 0u);
  release(xs);
  release(ys);
  release(both);
  release(numbers(3));
  EXPECT_EQ(fake.used_bytes(), 0u);
  EXPECT_EQ(ys(9), 10);
  EXPECT_EQ(both(9), std::tuple(9, 10));
  EXPECT_EQ(plus(ys, 1, fake.options())(9), 11);
}

TEST(DeviceMemory, ArraysGoFromDeviceToDevice) {
  const FakeTarget one(MiB), two(MiB);
  const Ints xs = plus(numbers(1000), 1, one.options());
  const Ints ys = plus(xs, 1, two.options());
  EXPECT_EQ(plus(ys, 1, one.options())(7), 10);
  EXPECT_EQ(run(map([](const Exp<std::int32_t>& x) { return x + 1; }, use(ys)),
                {.target = interpreter()})(7),
            10);
}

TEST(DeviceMemory, PeersDoWithoutTheHost) {
  const FakeTarget one(MiB), two(MiB), apart(MiB);
  for (const FakeTarget* fake : {&one, &two}) fake->device->have_peers(true);
  const Ints xs = plus(numbers(1000), 1, one.options());
  const Counted counted;
  Ints ys = xs;
  for (int i = 0; i < 4; ++i) ys = plus(plus(ys, 1, two.options()), 1, one.options());
  EXPECT_EQ(counted.now().bytes_to_devices, 8 * 4000);
  EXPECT_EQ(counted.now().bytes_from_devices, 0);
  EXPECT_EQ(plus(ys, 1, apart.options())(7), 7 + 1 + 8 + 1);
  EXPECT_EQ(counted.now().bytes_from_devices, 2 * 4000) << "it has no peers";
  EXPECT_EQ(xs(7), 8);
}

TEST(DeviceMemory, CopiesBetweenPeersThatFailLoseNothing) {
  const FakeTarget one(MiB), two(MiB);
  two.device->have_peers(true);
  const Ints xs = plus(numbers(quarter), 1, one.options());
  const std::size_t used = two.used_bytes();
  two.device->fail(FakeDevice::Call::write, 1);
  EXPECT_THROW(plus(xs, 1, two.options()), TargetError);
  one.device->fail(FakeDevice::Call::read, 1);
  EXPECT_THROW(plus(xs, 1, two.options()), TargetError);
  EXPECT_EQ(two.used_bytes(), used);
  two.device->fail(FakeDevice::Call::allocate, 1, 100);
  EXPECT_THROW(plus(xs, 1, two.options()), MemoryError);
  two.device->mend();
  EXPECT_EQ(plus(xs, 1, two.options())(9), 11);
  EXPECT_EQ(xs(9), 10);
}

TEST(DeviceMemory, ALazyDeviceComputesTheSame) {
  const FakeTarget fake(2 * MiB);
  fake.device->be_lazy(true);
  const Ints xs = numbers(quarter);
  std::vector<Ints> results;
  for (int i = 0; i < 12; ++i) results.push_back(plus(xs, i, fake.options()));
  const auto sorted = sort(map([](const Exp<std::int32_t>& x) { return -x; }, use(results[3])));
  EXPECT_EQ(run(sorted, fake.options()), run(sorted, {.target = interpreter()}));
  for (int i = 0; i < 12; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)](77), 77 + i);
}

// Ten times the budget: HASTEN_TEST_DEVICE_MIB is the budget in MiB, 64 by default.
TEST(DeviceMemory, TenTimesTheBudgetGoesThrough) {
  const char* const set = std::getenv("HASTEN_TEST_DEVICE_MIB");
  const std::int64_t budget = set ? std::atoll(set) : 64;
  const FakeTarget fake(static_cast<std::size_t>(budget) * MiB);
  constexpr int count = 80;  // an eighth of the budget each
  const std::int64_t n = budget * static_cast<std::int64_t>(MiB) / 8 / 4;
  const auto made = compile(
      [](const Exp<std::int64_t>& size, const Exp<std::int32_t>& k) {
        return map([=](const Exp<std::int64_t>& i) { return cast<std::int32_t>(i % 1000) + k; },
                   iota(size));
      },
      fake.options());
  const auto difference = compile(
      [](const Acc<Ints>& xs, const Acc<Ints>& ys) {
        return sum(zip_with([](const Exp<std::int32_t>& x,
                               const Exp<std::int32_t>& y) { return cast<std::int64_t>(y - x); },
                            xs, ys));
      },
      fake.options());
  const Counted counted;
  std::vector<Ints> arrays;
  for (std::int32_t k = 0; k < count; ++k) arrays.push_back(made(n, k * k));
  for (int k = 1; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    EXPECT_EQ(difference(arrays[at - 1], arrays[at]).item(), n * (2 * k - 1));
  }
  EXPECT_LE(fake.device->peak_bytes(), static_cast<std::size_t>(budget) * MiB);
  EXPECT_GE(counted.now().bytes_to_devices, n * 4 * (count - 8));
  EXPECT_EQ(arrays[5](n - 1), static_cast<std::int32_t>((n - 1) % 1000) + 25);
}

}  // namespace
}  // namespace hasten::test
