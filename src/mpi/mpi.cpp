// Turns processes into ranks, and ends them together.
#include "mpi/communicator.hpp"

#include <hasten/mpi.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>

namespace hasten::mpi {
namespace {

struct State {
  std::mutex mutex;
  int rank = 0, size = 0;  // size 0: not begun
  bool starts_mpi = false;
};
State& state() {
  static State& instance = *new State;
  return instance;
}

// Ranks cannot communicate after the user's own MPI_Finalize, if that comes first.
void leave() {
  int has_ended = 0;
  MPI_Finalized(&has_ended);
  if (has_ended != 0) return;
  detail::leave_ranks();
  if (state().starts_mpi) MPI_Finalize();
}

// The ranks of a machine share its processors, unless the user sets a number per rank. A rank that
// mpirun has bound to fewer processors keeps these.
void share_processors(int ranks) {
  cpu_set_t own;
  const long all = sysconf(_SC_NPROCESSORS_ONLN);
  if (sched_getaffinity(0, sizeof own, &own) != 0) return;
  const long threads = std::clamp<long>(all / ranks, 1, std::max(CPU_COUNT(&own), 1));
  setenv("HASTEN_THREADS", std::to_string(threads).c_str(), 0);
}

// Each rank has its own trace: "trace.json" becomes "trace.3.json".
void name_trace(int rank) {
  const char* const given = std::getenv("HASTEN_TRACE");
  if (!given || *given == 0) return;
  std::string name = given;
  const std::size_t dot = name.rfind('.'), slash = name.rfind('/');
  const bool has_suffix = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  name.insert(has_suffix ? dot : name.size(), "." + std::to_string(rank));
  setenv("HASTEN_TRACE", name.c_str(), 1);
}

const State& begun() {
  State& now = state();
  const std::lock_guard lock(now.mutex);
  if (now.size == 0)
    throw Error("mpi: this process is no rank yet; call hs::mpi::init(argc, argv) first");
  return now;
}

}  // namespace

void init(int& argc, char**& argv) {
  State& now = state();
  const std::lock_guard lock(now.mutex);
  if (now.size != 0) return;
  int is_running = 0, level = 0;
  MPI_Initialized(&is_running);
  if (is_running == 0) {
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS)
      throw TargetError("mpi: MPI_Init_thread failed");
    now.starts_mpi = true;
  } else {
    MPI_Query_thread(&level);
  }
  if (level < MPI_THREAD_SERIALIZED)
    throw TargetError(
        "mpi: this MPI may be called by one thread alone; start it with MPI_THREAD_SERIALIZED or "
        "more");
  auto communicator = std::make_unique<MpiCommunicator>(MPI_COMM_WORLD);
  now.rank = communicator->rank();
  now.size = communicator->size();
  share_processors(communicator->ranks_here());
  name_trace(now.rank);
  detail::join_ranks(std::move(communicator));
  std::atexit(leave);
}

int rank() { return begun().rank; }
int size() { return begun().size; }

Target target() { return Target("mpi"); }

Traffic traffic() {
  const detail::RankTraffic sent = detail::rank_traffic();
  return {sent.messages, sent.bytes};
}

}  // namespace hasten::mpi
