// The sort of the host, for devices that run the host's functions on their memory.
#pragma once

#include "backends/sorted_keys.hpp"

#include <hasten/detail/scalar_type.hpp>

#include <functional>
#include <memory>
#include <span>

namespace hasten::backends {

/// Like Backend::sort_positions, on memory that the host has. May throw.
using HostSort = std::function<void(std::span<const std::int64_t> extents,
                                    std::span<const detail::ScalarType> types,
                                    std::span<const std::byte* const> keys, const SortedKeys& to)>;

/// The cpu target's sort, on this many threads.
[[nodiscard]] std::shared_ptr<const HostSort> make_host_sort(int threads);

}  // namespace hasten::backends
