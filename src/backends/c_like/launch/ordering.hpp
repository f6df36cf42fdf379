// Which commands of a device wait for which: those that use the same memory, if one of them writes
// it. All other commands may run in any order, in as many queues as there are.
//
// This class enqueues nothing: a driver does, makes its queues wait as instructed here, and reports
// the mark of each command.
#pragma once

#include "backends/c_like/driver.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace hasten::backends::c_like {

/// Not thread-safe. Each queue is in order by itself.
class Ordering {
 public:
  using Queue = std::size_t;
  using Mark = c_like::Mark;
  /// The owner of a command; null: none.
  using Owner = const void*;
  /// Whether everything before a mark has happened. Does not wait.
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
  /// The queue of a command, and the marks it waits for.
  struct Place {
    Queue queue;
    std::vector<Mark> after;
  };
  struct Layout {
    Queue queues;  // all of them
    Queue spread;  // the first `spread` are for commands without a queue of their own,
    Queue share;   // of which one owner's work takes `share`, where others are in use
  };

  Ordering(const Layout& layout, IsDone is_done);

  /// Places a command that may go to any queue: behind the command it waits for, if that is still
  /// the last of its queue; else in an idle queue, or in one that holds only its owner's work.
  [[nodiscard]] Place place(std::span<const Use> uses, Owner owner = nullptr);
  /// Places a command of this queue.
  [[nodiscard]] Place place(Queue queue, std::span<const Use> uses);
  /// Of `count` queues an idle one, else the one that has been without a new command for longest.
  [[nodiscard]] Queue choose_among(Queue first, Queue count);
  /// The command was enqueued where it was placed; `mark` follows it.
  void enqueued(Queue queue, std::span<const Use> uses, const Mark& mark, Owner owner = nullptr);

  /// The pending commands that a command with these uses would wait for. A queue that waited for
  /// them would delay all its later commands too, whoever owns them.
  [[nodiscard]] std::vector<Mark> pending(std::span<const Use> uses) const;
  /// Whether others than this owner still use the memory.
  [[nodiscard]] bool is_used_by_others(Address address, Owner owner) const;
  /// The memory is freed; the address may be reused for other memory.
  void forget(Address address) { blocks_.erase(address); }

 private:
  // A command: the n-th of its queue, counted from 1; 0: none.
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
    std::vector<InQueue> readers;  // since the last write; the last of each queue
  };
  struct Line {
    Point last;
    std::uint64_t told = 0;  // time of the last command
    bool is_idle = true;     // known to be idle
  };
  // The last command of each queue that must have happened; null: none. Valid until a change.
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
