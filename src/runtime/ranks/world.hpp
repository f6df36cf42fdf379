// The processes that run programs together, seen from one of them: the acts that all perform
// together, and the errors of any of them.
//
// in:  acts (a call, a read of a result), which all ranks begin in one order
// out: the act is done on all ranks, or the same error is thrown on all
// invariants: ranks that begin different acts get an error, and none waits forever; after an error
// no message of the act is in flight
#pragma once

#include "core/traverse.hpp"
#include "runtime/ranks/stop_watch.hpp"
#include "support/digest.hpp"

#include <hasten/detail/ranks.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <source_location>
#include <vector>

namespace hasten::runtime {

class World {
 public:
  enum class Act : std::uint8_t { call, look, distribute, leave };
  using Message = detail::Communicator::Message;

  explicit World(std::unique_ptr<detail::Communicator> communicator);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  /// Among the ranks of this machine.
  [[nodiscard]] int rank_here() const { return communicator_->rank_here(); }

  /// An act of all ranks. `digest`: of the data they must agree on. `place`: the file and line in
  /// the user's code, for errors of other ranks.
  struct Together {
    Act act;
    support::Digest digest;
    std::source_location where;
    std::function<std::source_location(const char* file, std::uint32_t line)> place = {};
    std::uint64_t note = 0;  // data on which they need not agree, but must know whether they do
    const CallStop* stop = nullptr;  // what a stop of one rank ends on all
  };
  /// The word of each rank from within the act; nothing: the act was part of another one.
  std::vector<std::uint64_t> together(const Together& what, core::FunctionRef<void()> f);

  // -- within an act --
  /// Whether all ranks have brought the same note.
  [[nodiscard]] bool notes_agree() const { return notes_agree_; }
  /// A word that all ranks receive at the end of the act.
  void say(std::uint64_t word) { word_ = word; }
  /// Nanoseconds so far in which this rank only waited for others.
  [[nodiscard]] std::int64_t waited() const { return waited_; }
  /// The keeper holds the memory until the message has been sent, or received.
  void send(int to, const std::byte* from, std::size_t bytes, std::shared_ptr<const void> keeper);
  [[nodiscard]] std::shared_ptr<Message> receive(int from, std::byte* to, std::size_t bytes,
                                                 std::shared_ptr<const void> keeper);
  void wait(Message& message);
  /// Before this rank is busy otherwise: gives large messages time to progress, because many MPI
  /// implementations move them only when they are called.
  void flush();
  void all_gather(std::span<const std::uint64_t> own, std::span<std::uint64_t> all) {
    communicator_->all_gather(own, all);
  }

  /// The same number on all ranks for objects they make together.
  [[nodiscard]] std::uint64_t next_number() { return ++number_; }
  [[nodiscard]] detail::RankTraffic traffic() const;
  void leave();

 private:
  struct UnderWay {
    std::shared_ptr<Message> message;
    std::shared_ptr<const void> keeper;
    bool goes_by_itself = false;  // without this rank, where the other one receives
  };

  void agree(const Together& what);
  [[nodiscard]] std::vector<std::uint64_t> end(const Together& what, std::exception_ptr own,
                                               bool was_told);
  [[noreturn]] void throw_of(int failed, const Together& what, const std::exception_ptr& own);
  void wait_for(Message& message);
  void wait_for_all();

  const std::unique_ptr<detail::Communicator> communicator_;
  StopWatch watch_;
  const int rank_, size_;
  std::recursive_mutex mutex_;  // an act belongs to one thread
  int depth_ = 0;
  bool has_ended_ = false;  // some rank has left
  bool notes_agree_ = true;
  std::uint64_t word_ = 0;
  std::int64_t waited_ = 0;
  std::vector<UnderWay> leaving_, arriving_;
  std::uint64_t number_ = 0;
  std::atomic<std::int64_t> messages_{0}, bytes_{0};
};

/// Null: this process is alone.
[[nodiscard]] std::shared_ptr<World> world();

}  // namespace hasten::runtime
