// Which arrays of a call are read in place, as whole elements: see docs/memory.md.
#pragma once

#include "passes/patterns/whole_elements.hpp"

#include <hasten/detail/host_array.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace hasten::runtime {

/// The element layout of an array that a call reads once, if it should be read in place: then its
/// views (passes::views_of) are added to `arrays`.
[[nodiscard]] std::optional<passes::WholeElements> seen_whole(
    const detail::HostArray& array, const passes::ReadOnce& once,
    std::vector<std::shared_ptr<const detail::HostArray>>& arrays);

}  // namespace hasten::runtime
