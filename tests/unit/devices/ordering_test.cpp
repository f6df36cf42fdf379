// Commands on the same memory are ordered; others are not.
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

// Two queues for commands without a fixed queue, and one for copies.
class Order {
 public:
  explicit Order(const Ordering::Layout& with = {3, 2, 2}) : layout(with) {}
  const Ordering::Layout layout;

  struct Command {
    Queue queue;
    std::vector<int> after;  // numbers of commands
  };
  static constexpr Queue copies = 2;

  const Command& add(const Uses& uses, Ordering::Owner owner = nullptr) {
    return enqueue(ordering_.place(uses, owner), uses, owner);
  }
  const Command& add_copy(const Uses& uses) { return enqueue(ordering_.place(copies, uses), uses); }
  void forget(int which) { ordering_.forget(&memory[which]); }
  /// Marks all commands so far as completed.
  void all_happen() { done_ = count_; }
  [[nodiscard]] std::vector<int> pending(const Uses& uses) const {
    return numbers(ordering_.pending(uses));
  }
  [[nodiscard]] bool is_used_by_others(int which, Ordering::Owner owner) const {
    return ordering_.is_used_by_others(&memory[which], owner);
  }

 private:
  static std::vector<int> numbers(const std::vector<Mark>& marks) {
    std::vector<int> result;
    for (const Mark& mark : marks) result.push_back(*static_cast<const int*>(mark.get()));
    return result;
  }
  const Command& enqueue(const Ordering::Place& place, const Uses& uses,
                         Ordering::Owner owner = nullptr) {
    Command command{place.queue, numbers(place.after)};
    ordering_.enqueued(place.queue, uses, std::make_shared<const int>(count_++), owner);
    commands_.push_back(std::make_unique<Command>(std::move(command)));
    return *commands_.back();
  }

  Ordering ordering_{
      layout, [this](const Mark& mark) { return *static_cast<const int*>(mark.get()) < done_; }};
  int count_ = 0, done_ = 0;
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

// Both readers wait for the result, and not for each other.
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

TEST(Ordering, ACallsWorkIsNotBehindAnothers) {
  const int one = 1, other = 2;
  Order order({6, 6, 2});
  std::vector<Queue> first, second;
  for (int i = 0; i < 4; ++i) first.push_back(order.add({write(i)}, &one).queue);
  for (int i = 4; i < 8; ++i) second.push_back(order.add({write(i)}, &other).queue);
  EXPECT_EQ(first, (std::vector<Queue>{0, 1, 0, 1})) << "its share is two";
  EXPECT_EQ(second, (std::vector<Queue>{2, 3, 2, 3}));
}

TEST(Ordering, QueuesWithNothingToDoAreAnybodys) {
  const int one = 1, other = 2, third = 3;
  Order order({2, 2, 2});
  order.add({write(0)}, &one);
  order.all_happen();
  order.add({write(1)}, &one);
  EXPECT_EQ(order.add({write(2)}, &other).queue, 0u);
  EXPECT_EQ(order.add({write(3)}, &other).queue, 0u) << "the other one is the first call's";
  EXPECT_EQ(order.add({write(4)}, &third).queue, 1u)
      << "there is none: the one told nothing for longest";
}

TEST(Ordering, SaysWhoUsesMemory) {
  const int one = 1, other = 2;
  Order order;
  order.add({write(0)}, &one);
  order.add({read(0), write(1)}, &one);
  EXPECT_TRUE(order.is_used_by_others(0, &other));
  EXPECT_FALSE(order.is_used_by_others(0, &one));
  EXPECT_EQ(order.pending({read(0)}), (std::vector<int>{0}));
  EXPECT_EQ(order.pending({write(0)}), (std::vector<int>{1})) << "which comes after the other";
  EXPECT_TRUE(order.pending({write(2)}).empty());
  order.all_happen();
  EXPECT_FALSE(order.is_used_by_others(0, &other));
  EXPECT_TRUE(order.pending({write(0)}).empty());
}

TEST(Ordering, MemoryThatIsGoneIsNotWaitedFor) {
  Order order;
  order.add_copy({write(0)});
  order.forget(0);
  EXPECT_TRUE(order.add({read(0), write(1)}).after.empty());
}

// Random commands: queues and waits alone order those that use the same memory.
TEST(Ordering, HoldsForRandomCommands) {
  constexpr int count = 300;
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    Order order;
    std::vector<Uses> uses;
    std::vector<std::vector<bool>> before;  // by command: all commands before it
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
