// Which launches store past the caches.
#pragma once

#include "backends/cpu/launch/launch.hpp"

namespace hasten::backends::cpu {

enum class CacheLevel : std::uint8_t { second, last };
/// Whether this many elements, of 4 bytes as a rule, exceed the cache of this level.
bool comes_from_memory(const Caches& caches, std::int64_t elements,
                       CacheLevel level = CacheLevel::last);

/// Whether no cache can hold this many bytes that a launch writes.
bool exceeds(const Caches& caches, std::int64_t written, const LaunchArguments& arguments);

/// For a map or scan: no cache can hold its outputs; they, and a scan's rows, begin on lines.
bool streams(const LoadedKernel& kernel, const LaunchArguments& arguments, const Caches& caches);

/// For a scatter: no two of its elements meet, and no cache can hold what it writes. Its code
/// detects which lines are whole.
bool streams_writes(const LoadedKernel& kernel, const LaunchArguments& arguments,
                    const Caches& caches);
/// The flags of a map's `run`.
std::int64_t map_flags(const LoadedKernel& kernel, const LaunchArguments& arguments,
                       const Caches& caches);

}  // namespace hasten::backends::cpu
