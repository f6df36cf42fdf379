// Launches compactions: tiles run concurrently, their results are adjacent.
#pragma once

#include "backends/cpu/launch/launch.hpp"

#include <functional>

namespace hasten::backends::cpu {

/// `frame` has the inputs and scalars. `in_parallel(tasks, task)` runs the tasks, concurrently or
/// not, but starts them in order.
void compact(const LoadedKernel& kernel, const std::uint64_t* frame,
             const LaunchArguments& arguments, const Caches& caches, std::int64_t threads,
             const std::function<void(std::int64_t, const std::function<void()>&)>& in_parallel);

}  // namespace hasten::backends::cpu
