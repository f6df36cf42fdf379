// Several processes that run one program together: the transport of their messages, and the arrays
// they share. hasten::mpi is built on it; the implementation is in src/runtime/ranks.
#pragma once

#include <hasten/detail/host_array.hpp>
#include <hasten/detail/term.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace hasten::detail {

/// The transport of messages between processes (ranks, numbered from 0). Messages from one rank to
/// another arrive in the order in which they were sent. Used by one thread at a time.
class Communicator {
 public:
  /// A message in flight. Its memory must stay valid until it is done.
  class Message {
   public:
    virtual ~Message() = default;
    [[nodiscard]] virtual bool is_done() = 0;
  };

  virtual ~Communicator() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// The number of this process among the ranks of this machine.
  [[nodiscard]] virtual int rank_here() const = 0;

  [[nodiscard]] virtual std::unique_ptr<Message> send(int to, const std::byte* from,
                                                      std::size_t bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<Message> receive(int from, std::byte* to,
                                                         std::size_t bytes) = 0;

  /// Gathers the words of every rank, in rank order; each rank passes the same number of words.
  /// Collective: all ranks call it and wait for all.
  virtual void all_gather(std::span<const std::uint64_t> own, std::span<std::uint64_t> all) = 0;
  /// Copies the bytes of one rank to all. Collective.
  virtual void broadcast(int from, std::span<std::byte> bytes) = 0;

  /// Tells all others that this rank has failed and that they must not wait for its messages.
  virtual void alarm() = 0;
  [[nodiscard]] virtual bool is_alarmed() = 0;
  /// Collective, after a rank has failed: messages in flight are dropped on both sides, and so are
  /// alarms. Messages that are not done must not be used afterwards.
  virtual void settle() = 0;

  // -- stops: another thread may call these two while this one is in any other call --
  /// Tells all others that this rank was asked to stop.
  virtual void tell_stop() = 0;
  /// Whether another rank has told so, and this was not known yet.
  [[nodiscard]] virtual bool hears_stop() = 0;
  /// How often this rank has told so.
  [[nodiscard]] virtual std::uint64_t stops_told() = 0;
  /// Takes what others have told so far and this rank has not heard: by rank, how often they have.
  virtual void forget_stops(std::span<const std::uint64_t> told) = 0;
};

/// Makes this process one of several until leave_ranks(), which waits for the others.
void join_ranks(std::unique_ptr<Communicator> communicator);
void leave_ranks();

/// The traffic that a process has sent to others since it joined them.
struct RankTraffic {
  std::int64_t messages = 0, bytes = 0;
};
[[nodiscard]] RankTraffic rank_traffic();

/// Joins the parts that the ranks pass along an axis into one array; nothing is copied if it is the
/// outermost axis. Throws ShapeError on all ranks if the other extents differ.
[[nodiscard]] std::shared_ptr<const HostArray> distributed(
    const std::shared_ptr<const HostArray>& part, std::size_t axis, const Where& where);
/// The rows that this rank holds; those of all ranks together are the array.
[[nodiscard]] std::shared_ptr<const HostArray> local_part(
    const std::shared_ptr<const HostArray>& array, const Where& where);

}  // namespace hasten::detail
