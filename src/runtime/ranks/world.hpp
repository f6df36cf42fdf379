// The processes that run programs together, seen from one of them: what all do at one time, and
// what happens if one of them cannot.
//
// in:  acts (a call, a look at a result), which all ranks begin in one order
// out: the act is done on all ranks, or the same error is thrown on all
// invariants: ranks that begin different acts get an error, and none waits forever; after an error
// no message of the act is under way
#pragma once

#include "core/traverse.hpp"
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

  /// What all ranks do together. `digest`: of what they must agree on. `place`: where in the user's
  /// code a file and line are, for errors of other ranks.
  struct Together {
    Act act;
    support::Digest digest;
    std::source_location where;
    std::function<std::source_location(const char* file, std::uint32_t line)> place = {};
    std::uint64_t note = 0;  // what they need not agree on, but have to know whether they do
  };
  /// What each rank has said within the act; nothing: it was part of another one.
  std::vector<std::uint64_t> together(const Together& what, core::FunctionRef<void()> f);

  // -- within an act --
  /// Whether all ranks have come with the same note.
  [[nodiscard]] bool notes_agree() const { return notes_agree_; }
  /// For all ranks to hear at the end of the act.
  void say(std::uint64_t word) { word_ = word; }
  /// Nanoseconds so far in which this rank had nothing to do but wait for others.
  [[nodiscard]] std::int64_t waited() const { return waited_; }
  /// The keeper holds the memory until the message has gone, or come.
  void send(int to, const std::byte* from, std::size_t bytes, std::shared_ptr<const void> keeper);
  [[nodiscard]] std::shared_ptr<Message> receive(int from, std::byte* to, std::size_t bytes,
                                                 std::shared_ptr<const void> keeper);
  void wait(Message& message);
  /// Before this rank is busy with other things: gives large messages a while to go, since many an
  /// MPI moves these only when it is called.
  void flush();
  void all_gather(std::span<const std::uint64_t> own, std::span<std::uint64_t> all) {
    communicator_->all_gather(own, all);
  }

  /// The same number on all ranks for what they make at one time.
  [[nodiscard]] std::uint64_t next_number() { return ++number_; }
  [[nodiscard]] detail::RankTraffic traffic() const;
  void leave();

 private:
  struct UnderWay {
    std::shared_ptr<Message> message;
    std::shared_ptr<const void> keeper;
    bool goes_by_itself = false;  // where the other takes it, even if this rank is busy
  };

  void agree(const Together& what);
  [[nodiscard]] std::vector<std::uint64_t> end(const Together& what, std::exception_ptr own,
                                               bool was_told);
  [[noreturn]] void throw_of(int failed, const Together& what, const std::exception_ptr& own);
  void wait_for(Message& message);
  void wait_for_all();

  const std::unique_ptr<detail::Communicator> communicator_;
  const int rank_, size_;
  std::recursive_mutex mutex_;  // an act is one thread's
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
