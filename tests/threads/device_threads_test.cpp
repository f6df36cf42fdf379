// Several threads share one device whose memory is too small for what they hold.
#include "support.hpp"

#include "tests/unit/devices/support.hpp"

#include <vector>

namespace hasten::test {
namespace {

using hasten_test::on_threads;
using Ints = Vector<std::int32_t>;

constexpr int thread_count = 6;
constexpr std::int64_t n = 4096;  // 16 KiB

class DeviceThreads : public testing::Test {
 protected:
  DeviceThreads() {
    static_cast<void>(plus(numbers(n), 1));  // what is made once is made
    host_bytes = support::counters().bytes_live;
  }
  ~DeviceThreads() override {
    EXPECT_EQ(fake.used_bytes(), 0u);
    EXPECT_EQ(support::counters().bytes_live, host_bytes);
    EXPECT_LE(fake.device->peak_bytes(), fake.memory->budget());
  }

  [[nodiscard]] Ints plus(const Ints& xs, std::int32_t k) const { return add(xs, k); }

  FakeTarget fake{224 * 1024};  // twelve arrays: two for each launch of each thread
  Compiled<Ints(Ints, std::int32_t)> add = compile(
      [](const Acc<Ints>& xs, const Exp<std::int32_t>& k) { return xs + k; }, fake.options());
  std::int64_t host_bytes = 0;
};

TEST_F(DeviceThreads, EachHoldsMoreThanThereIs) {
  const Ints shared = numbers(n);
  on_threads(thread_count, [&](int thread) {
    std::vector<Ints> held;
    for (int round = 0; round < 20; ++round)
      held.push_back(plus(held.size() < 3 ? shared : held[held.size() - 3], thread));
    for (int round = 0; round < 20; ++round)
      EXPECT_EQ(held[static_cast<std::size_t>(round)](7), 7 + thread * (round / 3 + 1));
  });
}

TEST_F(DeviceThreads, OneReadsWhatOthersUse) {
  std::vector<Ints> shared;
  for (int k = 0; k < 16; ++k) shared.push_back(plus(numbers(n), k));
  on_threads(thread_count, [&](int thread) {
    for (int round = 0; round < 16; ++round) {
      const int k = (round + 3 * thread) % 16;
      const Ints& xs = shared[static_cast<std::size_t>(k)];
      if ((thread + round) % 3 == 0) {
        EXPECT_EQ(xs(99), 99 + k);
      } else {
        EXPECT_EQ(plus(xs, thread)(99), 99 + k + thread);
      }
    }
  });
}

TEST_F(DeviceThreads, ArraysAreMovedByHandWhileTheyAreUsed) {
  const Ints at_home = numbers(n), computed = plus(numbers(n), 1);
  on_threads(thread_count, [&](int thread) {
    for (int round = 0; round < 20; ++round) {
      switch ((thread + round) % 4) {
        case 0: release(computed); break;
        case 1: pin(at_home, fake.target); break;
        case 2: release(at_home); break;
        default: prefetch(computed, fake.target);
      }
      EXPECT_EQ(plus(at_home, thread)(5), 5 + thread);
      EXPECT_EQ(plus(computed, thread)(5), 6 + thread);
    }
  });
}

TEST_F(DeviceThreads, LoopsAreReplayedSideBySide) {
  const FakeTarget large(std::size_t{2} << 20);  // with room for replays
  const auto rounds = [](const Exp<std::int64_t>& count, const Acc<Ints>& xs) {
    return aiterate(count, [](const Acc<Ints>& v) { return v * 3 + 1; }, xs);
  };
  const auto f = compile(rounds, large.options());
  const auto g = compile(rounds, fake.options());  // without
  const Ints xs = numbers(n);
  std::vector<Ints> expected;
  for (int count = 0; count < 48; ++count)
    expected.push_back(compile(rounds, {.target = interpreter()})(count, xs));
  on_threads(thread_count, [&](int thread) {
    for (int round = 0; round < 12; ++round) {
      const int count = 8 * thread + round % 8;
      EXPECT_EQ(f(count, xs), expected[static_cast<std::size_t>(count)]);
      if (round % 4 != 0) continue;
      EXPECT_EQ(g(count, xs), expected[static_cast<std::size_t>(count)]);
    }
  });
  EXPECT_GT(large.device->replayed(), 100);
}

TEST_F(DeviceThreads, FaultsOfOneThreadLeaveTheOthersRight) {
  const Ints xs = numbers(n);
  on_threads(thread_count, [&](int thread) {
    for (int round = 0; round < 20; ++round) {
      if (thread == 0) fake.device->fail(FakeDevice::Call::launch, 1 + round % 5);
      try {
        EXPECT_EQ(plus(plus(xs, 1), thread)(5), 6 + thread);
      } catch (const TargetError&) {
        EXPECT_EQ(xs(5), 5);
      }
    }
  });
  fake.device->mend();
  EXPECT_EQ(plus(xs, 1)(5), 6);
}

}  // namespace
}  // namespace hasten::test
