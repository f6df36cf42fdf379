// The threads that launches and sorts run on: oneTBB's in processes that compile (team_onetbb.cpp),
// and threads of its own in libraries that were compiled ahead of time (team_threads.cpp), which
// need no other library. Results never depend on which.
#pragma once

#include "core/traverse.hpp"

#include <cstdint>
#include <memory>

namespace hasten::backends::cpu {

class Team {
 public:
  /// Threads start with the first work for several.
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] int threads() const { return threads_; }
  /// Calls the task for 0, 1, ..., each once, on all threads, this one among them; returns when all
  /// have ended. Throws what a task threw; then not all others need have been called. From any
  /// thread, tasks too.
  void for_each(std::int64_t tasks, core::FunctionRef<void(std::int64_t)> task) const;

  /// As many as the processor runs at once, as far as this process may.
  [[nodiscard]] static int usual_threads();

 private:
  class Members;
  int threads_;
  std::unique_ptr<Members> members_;
};

}  // namespace hasten::backends::cpu
