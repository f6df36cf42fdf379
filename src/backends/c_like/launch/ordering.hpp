// Which commands of a device wait for which: those that use the same memory, if one of them writes
// it. Everything else may happen in any order, in as many queues as there are.
//
// It enqueues nothing: a driver does, makes its queues wait as it is told here, and says what mark
// a command left.
#pragma once

#include "backends/c_like/driver.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace hasten::backends::c_like {

/// Not thread-safe. Queues are in order by themselves.
class Ordering {
 public:
  using Queue = std::size_t;
  using Mark = c_like::Mark;
  /// Whose command it is; null: nobody's.
  using Owner = const void*;
  /// Whether what is before a mark has happened. It waits for nothing.
  using IsDone = std::function<bool(const Mark&)>;

  struct Use {
    Address address;
    bool writes;
  };
  [[nodiscard]] static std::vector<Use> reads(std::span<const Address> addresses) {
    std::vector<Use> uses;
    for (const Address address : addresses) uses.push_back({address, false});
    return uses;
  }
  /// Where a command goes, and what must have happened before.
  struct Place {
    Queue queue;
    std::vector<Mark> after;
  };
  struct Layout {
    Queue queues;  // all of them
    Queue spread;  // the first so many are for commands without a queue of their own,
    Queue share;   // of which one owner's work takes so many, where others are in use
  };

  Ordering(const Layout& layout, IsDone is_done);

  /// A command whose queue is free to choose: after the one it waits for, if nothing came after
  /// that yet; else in one that has nothing to do, or that has its owner's work only.
  [[nodiscard]] Place place(std::span<const Use> uses, Owner owner = nullptr);
  /// A command of this queue.
  [[nodiscard]] Place place(Queue queue, std::span<const Use> uses);
  /// Of `count` queues the one that has nothing to do, else that was told nothing for longest.
  [[nodiscard]] Queue choose_among(Queue first, Queue count);
  /// The command was enqueued where it was placed; the mark comes after it.
  void enqueued(Queue queue, std::span<const Use> uses, const Mark& mark, Owner owner = nullptr);

  /// What a command with these uses would wait for and has not happened. A queue that waited for it
  /// would keep all that comes after waiting, too, whoever's it is.
  [[nodiscard]] std::vector<Mark> pending(std::span<const Use> uses) const;
  /// Whether others than this owner still use the memory.
  [[nodiscard]] bool is_used_by_others(Address address, Owner owner) const;
  /// The memory is gone; the address may come back as other memory.
  void forget(Address address) { blocks_.erase(address); }

 private:
  // A command: the n-th of its queue, from 1; 0: none.
  struct Point {
    std::uint64_t number = 0;
    Mark mark;
    Owner owner = nullptr;
  };
  struct InQueue {
    Queue queue = 0;
    Point point;
  };
  struct Block {
    InQueue writer;
    std::vector<InQueue> readers;  // since then, the last of each queue
  };
  struct Line {
    Point last;
    std::uint64_t told = 0;  // when
    bool is_idle = true;     // known to be
  };
  // The last command of each queue that must have happened; null: none. Good until the next change.
  using Points = std::vector<const Point*>;

  [[nodiscard]] Points needed(std::span<const Use> uses) const;
  [[nodiscard]] Queue choose(const Points& needed, Owner owner);
  [[nodiscard]] Place wait_in(Queue queue, const Points& needed);
  [[nodiscard]] bool is_idle(Queue queue);

  const Layout layout_;
  const IsDone is_done_;
  std::vector<Line> lines_;                          // by queue
  std::vector<std::vector<std::uint64_t>> awaited_;  // by queue: what it has waited for, by queue
  std::uint64_t now_ = 0;
  std::unordered_map<Address, Block> blocks_;
};

}  // namespace hasten::backends::c_like
