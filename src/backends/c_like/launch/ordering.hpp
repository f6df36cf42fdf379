// Which commands of a device wait for which: those that use the same memory, if one of them writes
// it. Everything else may happen in any order, in as many queues as there are.
//
// It enqueues nothing: a driver does, makes its queues wait as it is told here, and says what mark
// a command left.
#pragma once

#include "backends/c_like/driver.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace hasten::backends::c_like {

/// Not thread-safe. Queues are in order by themselves.
class Ordering {
 public:
  using Queue = std::size_t;
  /// A place in a queue, as the driver has it: an event.
  using Mark = std::shared_ptr<const void>;

  struct Use {
    Address address;
    bool writes;
  };
  /// Where a command goes, and what must have happened before.
  struct Place {
    Queue queue;
    std::vector<Mark> after;
  };

  /// Commands without a queue of their own go to the first `spread` queues.
  Ordering(std::size_t queues, std::size_t spread);

  /// A command whose queue is free to choose: after the one it waits for, if nothing came after
  /// that yet; else in the queue that was told nothing for longest.
  [[nodiscard]] Place place(std::span<const Use> uses);
  /// A command of this queue.
  [[nodiscard]] Place place(Queue queue, std::span<const Use> uses);
  /// The command was enqueued where it was placed; the mark comes after it.
  void enqueued(Queue queue, std::span<const Use> uses, const Mark& mark);
  /// The memory is gone; the address may come back as other memory.
  void forget(Address address) { blocks_.erase(address); }

 private:
  // A command: the n-th of its queue, from 1; 0: none.
  struct Point {
    std::uint64_t number = 0;
    Mark mark;
  };
  struct Block {
    Queue writer_queue = 0;
    Point writer;
    std::vector<Point> readers;  // since then, the last of each queue; empty: none
  };
  using Points = std::vector<Point>;  // by queue

  // The last command of each queue that must have happened.
  [[nodiscard]] Points needed(std::span<const Use> uses) const;
  [[nodiscard]] Queue choose(const Points& needed) const;
  [[nodiscard]] Place wait_in(Queue queue, const Points& needed);

  const std::size_t spread_;
  std::vector<std::uint64_t> last_;                  // by queue: its last command
  std::vector<std::vector<std::uint64_t>> awaited_;  // by queue: what it has waited for, by queue
  std::vector<std::uint64_t> told_;                  // by queue: when it was last told something
  std::uint64_t now_ = 0;
  std::unordered_map<Address, Block> blocks_;
};

}  // namespace hasten::backends::c_like
