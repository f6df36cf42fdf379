// Commands that meet in memory happen one after the other, and no others.
#include "backends/c_like/launch/ordering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <random>
#include <vector>

namespace hasten::backends::c_like {
namespace {

using Queue = Ordering::Queue;
using Uses = std::vector<Ordering::Use>;

std::byte memory[16];

Ordering::Use read(int which) { return {&memory[which], false}; }
Ordering::Use write(int which) { return {&memory[which], true}; }

// Two queues for commands without one of their own, and one for copies.
class Order {
 public:
  struct Command {
    Queue queue;
    std::vector<int> after;  // numbers of commands
  };
  static constexpr Queue copies = 2;

  const Command& add(const Uses& uses) { return enqueue(ordering_.place(uses), uses); }
  const Command& add_copy(const Uses& uses) { return enqueue(ordering_.place(copies, uses), uses); }
  void forget(int which) { ordering_.forget(&memory[which]); }

 private:
  const Command& enqueue(const Ordering::Place& place, const Uses& uses) {
    Command command{place.queue, {}};
    for (const Ordering::Mark& mark : place.after)
      command.after.push_back(*static_cast<const int*>(mark.get()));
    ordering_.enqueued(place.queue, uses, std::make_shared<const int>(count_++));
    commands_.push_back(std::make_unique<Command>(std::move(command)));
    return *commands_.back();
  }

  Ordering ordering_{{3, 2, 2}, [](const Mark&) { return false; }};
  int count_ = 0;
  std::vector<std::unique_ptr<Command>> commands_;
};

TEST(Ordering, WhatSharesNoMemoryWaitsForNothing) {
  Order order;
  const auto& a = order.add({read(0), write(1)});
  const auto& b = order.add({read(0), write(2)});
  EXPECT_NE(a.queue, b.queue);
  EXPECT_TRUE(a.after.empty());
  EXPECT_TRUE(b.after.empty());
}

TEST(Ordering, AChainStaysWhereItIs) {
  Order order;
  const Queue first = order.add({write(0)}).queue;
  for (int i = 1; i < 10; ++i) {
    const auto& next = order.add({read(i - 1), write(i)});
    EXPECT_EQ(next.queue, first);
    EXPECT_TRUE(next.after.empty());
  }
}

// Both wait for the result, and not for each other.
TEST(Ordering, TwoReadersOfAResult) {
  Order order;
  const auto& made = order.add({write(0)});
  const auto& one = order.add({read(0), write(1)});
  const auto& other = order.add({read(0), write(2)});
  EXPECT_EQ(one.queue, made.queue);
  EXPECT_NE(other.queue, made.queue);
  EXPECT_EQ(other.after, std::vector<int>{0});
  const auto& both = order.add({read(1), read(2), write(3)});
  EXPECT_EQ(both.after, std::vector<int>{both.queue == one.queue ? 2 : 1});
}

TEST(Ordering, AWriterWaitsForReadersAndWriters) {
  Order order;
  order.add_copy({write(0)});                           // 0
  const auto& reader = order.add({read(0), write(1)});  // 1
  EXPECT_EQ(reader.after, std::vector<int>{0});
  const auto& overwritten = order.add_copy({write(0)});  // 2
  EXPECT_EQ(overwritten.after, std::vector<int>{1});
  EXPECT_EQ(order.add_copy({write(1)}).after, std::vector<int>{}) << "it has waited for that";
}

TEST(Ordering, AQueueWaitsOnceForTheSame) {
  Order order;
  order.add_copy({write(0)});
  const auto& first = order.add({read(0), write(1)});
  EXPECT_EQ(first.after, std::vector<int>{0});
  const auto& second = order.add({read(0), read(1), write(2)});
  EXPECT_EQ(second.queue, first.queue);
  EXPECT_TRUE(second.after.empty());
}

TEST(Ordering, MemoryThatIsGoneIsNotWaitedFor) {
  Order order;
  order.add_copy({write(0)});
  order.forget(0);
  EXPECT_TRUE(order.add({read(0), write(1)}).after.empty());
}

// Of random commands: those that meet in memory are ordered by their queues and waits alone.
TEST(Ordering, HoldsForRandomCommands) {
  constexpr int count = 300;
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    Order order;
    std::vector<Uses> uses;
    std::vector<std::vector<bool>> before;  // by command: all that happened before
    std::vector<int> last(3, -1);           // by queue
    for (int i = 0; i < count; ++i) {
      Uses own;
      for (std::size_t k = 0, n = 1 + random() % 4; k < n; ++k)
        own.push_back({&memory[random() % 16], random() % 3 == 0});
      const auto& command = random() % 4 == 0 ? order.add_copy(own) : order.add(own);
      std::vector<bool> all(count, false);
      const auto include = [&](int j) {
        if (j < 0) return;
        const auto at = static_cast<std::size_t>(j);
        all[at] = true;
        for (std::size_t k = 0; k < all.size(); ++k)
          if (before[at][k]) all[k] = true;
      };
      include(last[command.queue]);
      for (const int j : command.after) include(j);
      for (std::size_t j = 0; j < uses.size(); ++j) {
        const bool meet = std::ranges::any_of(own, [&](const Ordering::Use& a) {
          return std::ranges::any_of(uses[j], [&](const Ordering::Use& b) {
            return a.address == b.address && (a.writes || b.writes);
          });
        });
        ASSERT_TRUE(!meet || all[j]) << "command " << i << " and " << j << ", round " << round;
      }
      last[command.queue] = i;
      uses.push_back(own);
      before.push_back(std::move(all));
    }
  }
}

}  // namespace
}  // namespace hasten::backends::c_like
