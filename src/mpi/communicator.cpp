// Messages are distinguished only by communicator and order; there is one tag.
#include "mpi/communicator.hpp"

#include <hasten/run/error.hpp>

#include <sched.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace hasten::mpi {
namespace {

constexpr int tag = 0;
constexpr std::size_t most_bytes = std::size_t{1} << 30;  // of a piece

template <class F>
void for_each_piece(std::size_t bytes, F f) {
  for (std::size_t begin = 0; begin < bytes; begin += most_bytes)
    f(begin, static_cast<int>(std::min(most_bytes, bytes - begin)));
}

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw TargetError(std::string("mpi: ") + what +
                    " failed: " + std::string(text.data(), static_cast<std::size_t>(length)));
}

bool is_over(const Pieces& pieces) {
  return std::ranges::all_of(pieces.requests,
                             [](MPI_Request request) { return request == MPI_REQUEST_NULL; });
}

class MpiMessage final : public detail::Communicator::Message {
 public:
  MpiMessage(std::shared_ptr<Pieces> pieces, std::mutex& mutex)
      : pieces_(std::move(pieces)),
        mutex_(mutex) {}
  [[nodiscard]] bool is_done() override {
    const std::lock_guard lock(mutex_);
    int done = 0;
    check(MPI_Testall(static_cast<int>(pieces_->requests.size()), pieces_->requests.data(), &done,
                      MPI_STATUSES_IGNORE),
          "MPI_Testall");
    return done != 0;
  }

 private:
  const std::shared_ptr<Pieces> pieces_;
  std::mutex& mutex_;  // of the communicator
};

}  // namespace

MpiCommunicator::MpiCommunicator(MPI_Comm world) {
  check(MPI_Comm_dup(world, &data_), "MPI_Comm_dup");
  check(MPI_Comm_dup(world, &alarms_), "MPI_Comm_dup");
  check(MPI_Comm_dup(world, &stops_), "MPI_Comm_dup");
  for (MPI_Comm each : {data_, alarms_, stops_}) MPI_Comm_set_errhandler(each, MPI_ERRORS_RETURN);
  MPI_Comm_rank(data_, &rank_);
  MPI_Comm_size(data_, &size_);
  MPI_Comm here = MPI_COMM_NULL;
  check(MPI_Comm_split_type(data_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here),
        "MPI_Comm_split_type");
  MPI_Comm_rank(here, &rank_here_);
  MPI_Comm_size(here, &ranks_here_);
  MPI_Comm_free(&here);
  sent_.resize(static_cast<std::size_t>(size_));
  asked_.resize(static_cast<std::size_t>(size_));
  stops_heard_.resize(static_cast<std::size_t>(size_));
}

// -- messages -------------------------------------------------------------------------------------

std::unique_ptr<detail::Communicator::Message> MpiCommunicator::note(
    std::shared_ptr<Pieces> pieces) {
  constexpr std::size_t some = 64;
  if (under_way_.size() >= some)
    std::erase_if(under_way_, [](const auto& each) { return is_over(*each); });
  under_way_.push_back(pieces);
  return std::make_unique<MpiMessage>(std::move(pieces), mutex_);
}

std::unique_ptr<detail::Communicator::Message> MpiCommunicator::send(int to, const std::byte* from,
                                                                     std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto pieces = std::make_shared<Pieces>();
  for_each_piece(bytes, [&](std::size_t begin, int count) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(from + begin, count, MPI_BYTE, to, tag, data_, &request), "MPI_Isend");
    pieces->requests.push_back(request);
    ++sent_[static_cast<std::size_t>(to)];
  });
  return note(std::move(pieces));
}

std::unique_ptr<detail::Communicator::Message> MpiCommunicator::receive(int from, std::byte* to,
                                                                        std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto pieces = std::make_shared<Pieces>();
  std::int64_t& asked = asked_[static_cast<std::size_t>(from)];
  *pieces = {{}, from, asked, true};
  for_each_piece(bytes, [&](std::size_t begin, int count) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(to + begin, count, MPI_BYTE, from, tag, data_, &request), "MPI_Irecv");
    pieces->requests.push_back(request);
    ++asked;
  });
  return note(std::move(pieces));
}

// -- collective operations ------------------------------------------------------------------------

// Others may be busy for long: a stop can be told meanwhile.
void MpiCommunicator::all_gather(std::span<const std::uint64_t> own, std::span<std::uint64_t> all) {
  const int count = static_cast<int>(own.size());
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::lock_guard lock(mutex_);
    check(MPI_Iallgather(own.data(), count, MPI_UINT64_T, all.data(), count, MPI_UINT64_T, data_,
                         &request),
          "MPI_Iallgather");
  }
  const auto is_done = [&] {
    const std::lock_guard lock(mutex_);
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  };
  constexpr int busy_polls = 64;
  for (int polls = 1; !is_done(); ++polls)
    if (polls % busy_polls == 0) sched_yield();  // there may be more ranks than processors
}

void MpiCommunicator::broadcast(int from, std::span<std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  for_each_piece(bytes.size(), [&](std::size_t begin, int count) {
    check(MPI_Bcast(bytes.data() + begin, count, MPI_BYTE, from, data_), "MPI_Bcast");
  });
}

// -- failures -------------------------------------------------------------------------------------

void MpiCommunicator::alarm() {
  static constexpr std::byte nothing{};
  const std::lock_guard lock(mutex_);
  if (!alarms_sent_.empty()) return;
  for (int to = 0; to < size_; ++to) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (to != rank_)
      check(MPI_Isend(&nothing, 1, MPI_BYTE, to, tag, alarms_, &request), "MPI_Isend");
    alarms_sent_.push_back(request);
  }
}

bool MpiCommunicator::is_alarmed() {
  const std::lock_guard lock(mutex_);
  int there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, alarms_, &there, MPI_STATUS_IGNORE);
  return there != 0;
}

// Each rank reports how many pieces it has sent: so every rank knows which of its receives will
// never complete, and how many pieces arrive that it has not requested.
void MpiCommunicator::settle() {
  const std::lock_guard lock(mutex_);
  const auto ranks = static_cast<std::size_t>(size_);
  std::vector<std::int64_t> own(2 * ranks), others(2 * ranks);
  for (std::size_t k = 0; k < ranks; ++k) {
    own[2 * k] = sent_[k];
    own[2 * k + 1] = alarms_sent_.empty() ? 0 : 1;
  }
  check(MPI_Alltoall(own.data(), 2, MPI_INT64_T, others.data(), 2, MPI_INT64_T, data_),
        "MPI_Alltoall");
  for (std::size_t k = 0; k < ranks; ++k) {
    const int from = static_cast<int>(k);
    if (from == rank_) continue;
    cancel_beyond(from, others[2 * k]);
    take_unasked(from, others[2 * k] - asked_[k]);
    std::byte nothing{};
    if (others[2 * k + 1] != 0)
      check(MPI_Recv(&nothing, 1, MPI_BYTE, from, tag, alarms_, MPI_STATUS_IGNORE), "MPI_Recv");
  }
  for (const auto& each : under_way_)
    MPI_Waitall(static_cast<int>(each->requests.size()), each->requests.data(),
                MPI_STATUSES_IGNORE);
  MPI_Waitall(static_cast<int>(alarms_sent_.size()), alarms_sent_.data(), MPI_STATUSES_IGNORE);
  under_way_.clear();
  alarms_sent_.clear();
  std::ranges::fill(sent_, 0);
  std::ranges::fill(asked_, 0);
}

void MpiCommunicator::cancel_beyond(int from, std::int64_t sent) {
  for (const auto& each : under_way_) {
    if (!each->is_receive || each->from != from) continue;
    for (std::size_t k = 0; k < each->requests.size(); ++k) {
      MPI_Request& request = each->requests[k];
      if (each->first + static_cast<std::int64_t>(k) < sent || request == MPI_REQUEST_NULL)
        continue;
      MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
}

namespace {

// Receives unwanted bytes into one small buffer, repeatedly: the failure may be a lack of memory.
void drop(MPI_Message& message, int bytes) {
  constexpr int block = 4096;
  std::array<std::byte, block> place;
  MPI_Datatype blocks = MPI_DATATYPE_NULL, all = MPI_DATATYPE_NULL;
  check(MPI_Type_create_hvector(bytes / block, block, 0, MPI_BYTE, &blocks),
        "MPI_Type_create_hvector");
  const std::array<int, 2> counts{1, bytes % block};
  const std::array<MPI_Aint, 2> begins{0, 0};
  const std::array<MPI_Datatype, 2> types{blocks, MPI_BYTE};
  check(MPI_Type_create_struct(2, counts.data(), begins.data(), types.data(), &all),
        "MPI_Type_create_struct");
  check(MPI_Type_commit(&all), "MPI_Type_commit");
  check(MPI_Mrecv(place.data(), 1, all, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  MPI_Type_free(&all);
  MPI_Type_free(&blocks);
}

}  // namespace

void MpiCommunicator::take_unasked(int from, std::int64_t count) {
  for (; count > 0; --count) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check(MPI_Mprobe(from, tag, data_, &message, &status), "MPI_Mprobe");
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    drop(message, bytes);
  }
}

// -- stops ----------------------------------------------------------------------------------------

void MpiCommunicator::tell_stop() {
  static constexpr std::byte nothing{};
  const std::lock_guard lock(mutex_);
  MPI_Waitall(static_cast<int>(stops_sent_.size()), stops_sent_.data(), MPI_STATUSES_IGNORE);
  stops_sent_.assign(static_cast<std::size_t>(size_), MPI_REQUEST_NULL);
  for (int to = 0; to < size_; ++to)
    if (to != rank_)
      check(MPI_Isend(&nothing, 1, MPI_BYTE, to, tag, stops_,
                      &stops_sent_[static_cast<std::size_t>(to)]),
            "MPI_Isend");
  ++stops_told_;
}

bool MpiCommunicator::hears_stop() {
  const std::lock_guard lock(mutex_);
  int there = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, tag, stops_, &there, &status), "MPI_Iprobe");
  if (there != 0) take_stop(status.MPI_SOURCE);
  return there != 0;
}

std::uint64_t MpiCommunicator::stops_told() {
  const std::lock_guard lock(mutex_);
  return stops_told_;
}

void MpiCommunicator::forget_stops(std::span<const std::uint64_t> told) {
  const std::lock_guard lock(mutex_);
  for (int from = 0; from < size_; ++from)
    while (from != rank_ &&
           stops_heard_[static_cast<std::size_t>(from)] < told[static_cast<std::size_t>(from)])
      take_stop(from);
}

void MpiCommunicator::take_stop(int from) {
  std::byte nothing{};
  check(MPI_Recv(&nothing, 1, MPI_BYTE, from, tag, stops_, MPI_STATUS_IGNORE), "MPI_Recv");
  ++stops_heard_[static_cast<std::size_t>(from)];
}

}  // namespace hasten::mpi
