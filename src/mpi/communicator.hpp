// Messages over MPI.
#pragma once

#include <hasten/detail/ranks.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace hasten::mpi {

/// A message is sent in pieces that are small enough for MPI, which counts in int.
struct Pieces {
  std::vector<MPI_Request> requests;
  int from = 0;            // for a receive
  std::int64_t first = 0;  // for a receive: its number among the pieces from there
  bool is_receive = false;
};

class MpiCommunicator final : public detail::Communicator {
 public:
  /// Uses copies of `world`, so that messages of others do not interfere.
  explicit MpiCommunicator(MPI_Comm world);

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int rank_here() const override { return rank_here_; }
  /// The number of ranks on this machine.
  [[nodiscard]] int ranks_here() const { return ranks_here_; }
  [[nodiscard]] std::unique_ptr<Message> send(int to, const std::byte* from,
                                              std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<Message> receive(int from, std::byte* to,
                                                 std::size_t bytes) override;
  void all_gather(std::span<const std::uint64_t> own, std::span<std::uint64_t> all) override;
  void broadcast(int from, std::span<std::byte> bytes) override;
  void alarm() override;
  [[nodiscard]] bool is_alarmed() override;
  void settle() override;
  void tell_stop() override;
  [[nodiscard]] bool hears_stop() override;
  [[nodiscard]] std::uint64_t stops_told() override;
  void forget_stops(std::span<const std::uint64_t> told) override;

 private:
  std::unique_ptr<Message> note(std::shared_ptr<Pieces> pieces);
  void cancel_beyond(int from, std::int64_t sent);
  void take_unasked(int from, std::int64_t count);

  void take_stop(int from);

  // MPI need not allow several threads at once (MPI_THREAD_SERIALIZED): held in all of its calls.
  std::mutex mutex_;
  MPI_Comm data_ = MPI_COMM_NULL, alarms_ = MPI_COMM_NULL, stops_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, rank_here_ = 0, ranks_here_ = 1;
  std::vector<MPI_Request> alarms_sent_;
  std::vector<std::int64_t> sent_, asked_;  // by rank: pieces since the last settlement
  std::vector<std::shared_ptr<Pieces>> under_way_;
  std::uint64_t stops_told_ = 0;
  std::vector<std::uint64_t> stops_heard_;  // by rank
  std::vector<MPI_Request> stops_sent_;
};

}  // namespace hasten::mpi
