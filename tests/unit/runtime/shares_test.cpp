// The shares of several devices, learned from the times of simulated devices.
#include "runtime/devices/shares.hpp"

#include "passes/fission/fission.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using hasten::runtime::CallShares, hasten::runtime::Shares;

namespace {

// Devices that take `alone` nanoseconds for all split work, and `each_call` more for each call.
struct Machine {
  std::vector<double> alone, each_call;

  std::int64_t call(Shares& shares, std::int64_t elements = 1000) const {
    CallShares one = shares.begin(elements);
    double longest = 0, all = 0;
    for (std::size_t k = 0; k < alone.size(); ++k) {
      const double took = one.shares[k] > 0 ? one.shares[k] * alone[k] + each_call[k] : 0;
      one.of_devices[k] = static_cast<std::int64_t>(took);
      longest = std::max(longest, took);
      all += took;
    }
    const auto took = static_cast<std::int64_t>(one.measures ? all : longest);
    shares.end(one, took);
    return took;
  }
};

struct Memory {
  std::string text;
};
class InMemory final : public Shares::Keeper {
 public:
  explicit InMemory(Memory& memory) : memory_(memory) {}
  [[nodiscard]] std::string find() const override { return memory_.text; }
  void keep(const std::string& text) const override { memory_.text = text; }

 private:
  Memory& memory_;
};

TEST(Shares, AreAsDevicesAreFast) {
  const Machine machine{{1e6, 3e6}, {0, 0}};
  Shares shares(2, {});
  for (int i = 0; i < 6; ++i) machine.call(shares);
  EXPECT_LE(machine.call(shares), 1.05 * 0.75e6);
  EXPECT_NEAR(shares.last()[0], 0.75, 0.01);
}

TEST(Shares, OneDeviceGetsAllWhereOthersDoNotPay) {
  const Machine machine{{1e6, 1.5e6}, {0, 5e6}};
  Shares shares(2, {});
  for (int i = 0; i < 6; ++i) machine.call(shares);
  EXPECT_EQ(machine.call(shares), 1'000'000);
  EXPECT_EQ(shares.last(), (std::vector<double>{1, 0}));
  const CallShares call = shares.begin(1000);
  EXPECT_EQ(call.points, (std::vector<std::int64_t>{hasten::passes::whole_share}));
  EXPECT_EQ(call.runs_on, (std::vector<std::size_t>{0, 0}));
}

// Each way has two calls, of which one may be disturbed, or may copy arrays that were split
// otherwise.
class BothWays : public testing::Test {
 protected:
  BothWays() {
    for (int i = 0; i < 2; ++i) Machine{{1e6, 1e6}, {0, 0}}.call(shares_);
  }
  std::vector<double> call(std::int64_t nanoseconds) {
    const CallShares one = shares_.begin(1000);
    EXPECT_FALSE(one.measures);
    shares_.end(one, nanoseconds);
    return one.shares;
  }

  const std::vector<double> both_{0.5, 0.5}, alone_{1, 0};
  Shares shares_{2, {}};
};

TEST_F(BothWays, SideBySide) {
  EXPECT_EQ(call(9'000'000), both_);
  EXPECT_EQ(call(900'000), both_);
  EXPECT_EQ(call(9'000'000), alone_);
  EXPECT_EQ(call(1'000'000), alone_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call(3'000'000), both_);
}

TEST_F(BothWays, OneAlone) {
  EXPECT_EQ(call(9'000'000), both_);
  EXPECT_EQ(call(1'100'000), both_);
  EXPECT_EQ(call(9'000'000), alone_);
  EXPECT_EQ(call(1'000'000), alone_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call(3'000'000), alone_);
}

// A way estimated to be slower is not tried, and one that was faster is not tried again.
TEST_F(BothWays, NothingIsTriedInVain) {
  EXPECT_EQ(call(300'000), both_);
  EXPECT_EQ(call(300'000), both_);
  EXPECT_EQ(call(300'000), both_);
}

TEST(Shares, SizesLearnByThemselves) {
  Shares shares(2, {});
  const Machine small{{1e3, 1e6}, {0, 0}}, large{{1e9, 1e9}, {0, 0}};
  for (int i = 0; i < 6; ++i) {
    small.call(shares, 100);
    large.call(shares, 1'000'000);
  }
  EXPECT_EQ(shares.begin(100).shares, (std::vector<double>{1, 0}));
  EXPECT_EQ(shares.begin(1'000'000).shares, (std::vector<double>{0.5, 0.5}));
}

TEST(Shares, FixedOnesStay) {
  const Machine machine{{1e6, 3e6, 1e6}, {0, 0, 0}};
  Shares shares(3, {1, 1, 2});
  for (int i = 0; i < 7; ++i) {
    machine.call(shares);
    EXPECT_EQ(shares.last(), (std::vector<double>{0.25, 0.25, 0.5}));
  }
  EXPECT_FALSE(shares.begin(1000).measures);
}

TEST(Shares, FailedDevicesAreLeftOut) {
  Shares shares(3, {1, 1, 2});
  EXPECT_TRUE(shares.exclude(2));
  CallShares call = shares.begin(1000);
  EXPECT_EQ(call.shares, (std::vector<double>{0.5, 0.5, 0}));
  EXPECT_EQ(call.runs_on, (std::vector<std::size_t>{0, 1, 0}));
  EXPECT_TRUE(shares.exclude(0));
  call = shares.begin(1000);
  EXPECT_EQ(call.shares, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(call.runs_on, (std::vector<std::size_t>{1, 1, 1}));
  EXPECT_FALSE(shares.exclude(1));
}

// The device that would be the fastest alone has no memory for everything: it keeps its part,
// whether that is learned now or by an earlier process. This implies nothing for other sizes.
TEST(Shares, WhoHasNoMemoryForAllKeepsAPart) {
  const Machine machine{{1e6, 1.5e6}, {0, 5e6}};
  Memory memory;
  for (const char* kept : {"", "10 1 0\n"}) {
    memory.text = kept;
    Shares shares(2, {}, std::make_unique<InMemory>(memory));
    int alone = 0;
    for (int call = 0; call < 20; ++call) {
      if (const CallShares one = shares.begin(1000); one.is_alone) {
        ++alone;
        shares.cannot_go_alone(one);
      }
      machine.call(shares);
    }
    EXPECT_EQ(alone, 1) << kept;
    const CallShares last = shares.begin(1000);
    EXPECT_FALSE(last.is_alone || last.measures) << kept;
    EXPECT_GT(last.shares[0], 0) << kept;
    EXPECT_GT(last.shares[1], 0) << kept;
    EXPECT_TRUE(shares.begin(10).measures) << kept;
  }
}

// The shares of ranks with these rates, which work side by side in each call.
std::vector<double> after_calls(Shares& shares, const std::vector<double>& rates, int calls,
                                double nanoseconds_of_all) {
  for (int i = 0; i < calls; ++i) {
    CallShares call = shares.begin(1000);
    std::int64_t longest = 0;
    for (std::size_t k = 0; k < rates.size(); ++k) {
      call.of_devices[k] =
          static_cast<std::int64_t>(nanoseconds_of_all * call.shares[k] / rates[k]);
      longest = std::max(longest, call.of_devices[k]);
    }
    shares.end(call, longest);
  }
  return shares.begin(1000).shares;
}

TEST(SharesOfRanks, AreAsRanksAreFastAfterTwoCalls) {
  Memory memory;
  Shares shares(3, {}, std::make_unique<const InMemory>(memory), Shares::Among::ranks);
  EXPECT_EQ(shares.begin(1000).shares, (std::vector<double>{1.0 / 3, 1.0 / 3, 1.0 / 3}));
  const std::vector<double> learned = after_calls(shares, {1, 2, 1}, 2, 3e7);
  EXPECT_NEAR(learned[0], 0.25, 0.01);
  EXPECT_NEAR(learned[1], 0.5, 0.01);
  // No rank ever does everything, and what was learned stays and is stored.
  EXPECT_EQ(after_calls(shares, {1, 1, 1}, 10, 3e7), learned);
  Shares later(3, {}, std::make_unique<const InMemory>(memory), Shares::Among::ranks);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(later.begin(1000).shares[k], learned[k], 1e-9);
  later.forget();
  EXPECT_EQ(later.begin(1000).shares, (std::vector<double>{1.0 / 3, 1.0 / 3, 1.0 / 3}));
}

TEST(SharesOfRanks, AreEvenUnlessRanksDiffer) {
  Shares alike(2, {}, nullptr, Shares::Among::ranks);
  EXPECT_EQ(after_calls(alike, {1, 1.1}, 6, 3e7), (std::vector<double>{0.5, 0.5}));
  Shares brief(2, {}, nullptr, Shares::Among::ranks);
  EXPECT_EQ(after_calls(brief, {1, 4}, 6, 1e5), (std::vector<double>{0.5, 0.5}));
}

TEST(Shares, AreKept) {
  const Machine machine{{1e6, 3e6}, {0, 0}};
  Memory memory;
  Shares first(2, {}, std::make_unique<const InMemory>(memory));
  for (int i = 0; i < 6; ++i) machine.call(first);
  ASSERT_NE(memory.text, "");
  Shares second(2, {}, std::make_unique<const InMemory>(memory));
  const CallShares call = second.begin(1000);
  EXPECT_FALSE(call.measures);
  EXPECT_NEAR(call.shares[0], 0.75, 0.01);
}

TEST(Shares, WhoDoesAllIsKept) {
  Memory memory{"10 0 1\n"};
  Shares shares(2, {}, std::make_unique<const InMemory>(memory));
  const CallShares call = shares.begin(1000);
  EXPECT_TRUE(call.is_alone);
  EXPECT_EQ(call.shares, (std::vector<double>{0, 1}));
}

TEST(Shares, WrongTextsSayNothing) {
  for (const char* text : {"", "x", "10", "10 0.5", "10 nan 1", "10 -1 2", "10 0 0", "10 1 1 1"}) {
    Memory memory{text};
    Shares shares(2, {}, std::make_unique<const InMemory>(memory));
    EXPECT_TRUE(shares.begin(1000).measures) << text;
  }
}

}  // namespace
