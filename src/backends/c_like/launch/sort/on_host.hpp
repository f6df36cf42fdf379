// Sorts by a function of the host, on devices that run such functions.
#pragma once

#include "backends/c_like/host_functions.hpp"
#include "backends/c_like/launch/sort/sort.hpp"
#include "backends/host_sort.hpp"

#include <memory>

namespace hasten::backends::c_like {

/// Like Sorter::sort. False: the device does not see some of the memory, and nothing was done.
[[nodiscard]] bool sort_on_host(RunsHostFunctions& device,
                                const std::shared_ptr<const HostSort>& sort, SortShape shape,
                                std::span<const core::ScalarType> types,
                                std::span<const std::byte* const> keys, const SortedKeys& to,
                                ScratchMemory& scratch);

}  // namespace hasten::backends::c_like
