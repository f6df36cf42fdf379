// What plans say about themselves.
#include "kernels/plan.hpp"

#include <algorithm>

namespace hasten::kernels {

// Nests of blocks are not deep.
std::int64_t launch_count(const Steps& steps) {
  std::int64_t count = 0;
  for (const Step& step : steps) {
    if (std::holds_alternative<Launch>(step.op)) ++count;
    if (const auto* branch = std::get_if<BranchStep>(&step.op))
      count += std::max(launch_count(branch->then_), launch_count(branch->else_));
    if (const auto* loop = std::get_if<LoopStep>(&step.op))
      count += launch_count(loop->condition) + launch_count(loop->body);
  }
  return count;
}

}  // namespace hasten::kernels
