// Which launches store past the caches.
#pragma once

#include "backends/cpu/launch/launch.hpp"

namespace hasten::backends::cpu {

/// Of a map or scan: its outputs no cache can hold, and begin on lines, a scan's every row.
bool streams(const LoadedKernel& kernel, const LaunchArguments& arguments, const Caches& caches);

/// Of a scatter: no two elements of it meet, and what it writes no cache can hold. Which lines are
/// whole its code sees.
bool streams_writes(const LoadedKernel& kernel, const LaunchArguments& arguments,
                    const Caches& caches);

}  // namespace hasten::backends::cpu
