// Several processes that run one program together: what carries their messages, and what arrays
// they share. hasten::mpi is made of it; the other side is src/runtime/ranks.
#pragma once

#include <hasten/detail/host_array.hpp>
#include <hasten/detail/term.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace hasten::detail {

/// What carries messages between processes, the ranks, which are numbered from 0. Messages from one
/// rank to another arrive in the order in which they were sent. Used by one thread at a time.
class Communicator {
 public:
  /// A message under way. Its memory must stay until it is done.
  class Message {
   public:
    virtual ~Message() = default;
    [[nodiscard]] virtual bool is_done() = 0;
  };

  virtual ~Communicator() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Among the ranks of this machine.
  [[nodiscard]] virtual int rank_here() const = 0;

  [[nodiscard]] virtual std::unique_ptr<Message> send(int to, const std::byte* from,
                                                      std::size_t bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<Message> receive(int from, std::byte* to,
                                                         std::size_t bytes) = 0;

  /// What every rank gives, by rank: as many words of each. All ranks call it, and wait for all.
  virtual void all_gather(std::span<const std::uint64_t> own, std::span<std::uint64_t> all) = 0;
  /// The bytes of one rank, for all. All ranks call it.
  virtual void broadcast(int from, std::span<std::byte> bytes) = 0;

  /// Tells all others that this rank has failed, and that nobody should wait for its messages.
  virtual void alarm() = 0;
  [[nodiscard]] virtual bool is_alarmed() = 0;
  /// All ranks call it after one has failed: messages under way are dropped on both sides, and so
  /// are alarms. Messages that are not done must not be asked for any more.
  virtual void settle() = 0;
};

/// This process is one of several from now on, until leave_ranks(), where it waits for the others.
void join_ranks(std::unique_ptr<Communicator> communicator);
void leave_ranks();

/// What a process has sent to others since it joined them.
struct RankTraffic {
  std::int64_t messages = 0, bytes = 0;
};
[[nodiscard]] RankTraffic rank_traffic();

/// One array of parts that every rank gives its own of, along an axis; nothing is copied where this
/// is the outermost one. Throws ShapeError on all ranks if other extents differ.
[[nodiscard]] std::shared_ptr<const HostArray> distributed(
    const std::shared_ptr<const HostArray>& part, std::size_t axis, const Where& where);
/// The rows that this rank has; together they are the array.
[[nodiscard]] std::shared_ptr<const HostArray> local_part(
    const std::shared_ptr<const HostArray>& array, const Where& where);

}  // namespace hasten::detail
