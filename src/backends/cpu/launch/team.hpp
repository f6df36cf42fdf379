// The threads that launches and sorts run on: oneTBB's in processes that compile (team_onetbb.cpp),
// and threads of its own in libraries compiled ahead of time (team_threads.cpp), which need no
// other library. Results never depend on the choice.
#pragma once

#include "core/traverse.hpp"
#include "support/default_floats.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace hasten::backends::cpu {

class Team {
 public:
  /// Threads start with the first parallel work.
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] int threads() const { return threads_; }
  /// Calls the task for 0, 1, ..., each once, on all threads, including this one; returns when all
  /// have ended. Throws what a task threw; then some of the others may not have been called. May be
  /// called from any thread, and from tasks.
  void for_each(std::int64_t tasks, core::FunctionRef<void(std::int64_t)> task) const;

  /// As many as the processor runs at once, within the limits of this process.
  [[nodiscard]] static int usual_threads();

 private:
  class Members;
  int threads_;
  std::unique_ptr<Members> members_;
};

/// The same with the default rounding, on this thread alone where there is no other or one task.
template <class F>
void in_parallel(const Team& team, std::int64_t tasks, F&& task) {
  if (team.threads() == 1 || tasks == 1) {
    for (std::int64_t i = 0; i < tasks; ++i) task(i);
    return;
  }
  const auto in_default = [&](std::int64_t i) {
    const support::DefaultFloats floats;  // for the team's threads; restored afterwards
    task(i);
  };
  team.for_each(tasks, in_default);
}

/// Returns once another thread, which must be running, has raised the count to what is wanted.
inline void wait_for(const std::atomic<std::int64_t>& count, std::int64_t wanted) {
  for (int spin = 0; spin < 2000; ++spin)
    if (count.load(std::memory_order_acquire) >= wanted) return;
  for (std::int64_t seen = count.load(std::memory_order_acquire); seen < wanted;
       seen = count.load(std::memory_order_acquire))
    count.wait(seen, std::memory_order_acquire);
}

}  // namespace hasten::backends::cpu
