// Launches of compactions: tiles at once, their results one behind the other.
#pragma once

#include "backends/cpu/launch/launch.hpp"

#include <functional>

namespace hasten::backends::cpu {

/// `frame` leads to the inputs and scalars. `in_parallel(tasks, task)` runs them, at once or not,
/// but begins them in order.
void compact(const LoadedKernel& kernel, const std::uint64_t* frame,
             const LaunchArguments& arguments, std::int64_t threads,
             const std::function<void(std::int64_t, const std::function<void()>&)>& in_parallel);

}  // namespace hasten::backends::cpu
