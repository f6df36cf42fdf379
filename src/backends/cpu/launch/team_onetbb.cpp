// One task arena per team.
#include "backends/cpu/launch/team.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <cstddef>
#include <optional>

namespace hasten::backends::cpu {

class Team::Members {
 public:
  // More threads than cores are allowed on request.
  explicit Members(int threads) : arena(threads) {
    if (threads > tbb::info::default_concurrency())
      limit_.emplace(tbb::global_control::max_allowed_parallelism,
                     static_cast<std::size_t>(threads));
  }

 private:
  std::optional<tbb::global_control> limit_;

 public:
  tbb::task_arena arena;  // starts with its first task
};

Team::Team(int threads) : threads_(threads), members_(std::make_unique<Members>(threads)) {}

Team::~Team() = default;

void Team::for_each(std::int64_t tasks, core::FunctionRef<void(std::int64_t)> task) const {
  members_->arena.execute(
      [&] { tbb::parallel_for(std::int64_t{0}, tasks, [&](std::int64_t i) { task(i); }); });
}

int Team::usual_threads() { return tbb::info::default_concurrency(); }

}  // namespace hasten::backends::cpu
