// Which arrays of a call are read where they lie, whole: see docs/memory.md.
#pragma once

#include "passes/patterns/whole_elements.hpp"

#include <hasten/detail/host_array.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace hasten::runtime {

/// How the elements of an array lie that a call reads once, if it had better read them where they
/// are: then its views (passes::views_of) are added to `arrays`.
[[nodiscard]] std::optional<passes::WholeElements> seen_whole(
    const detail::HostArray& array, const passes::ReadOnce& once,
    std::vector<std::shared_ptr<const detail::HostArray>>& arrays);

}  // namespace hasten::runtime
