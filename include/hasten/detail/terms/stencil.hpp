// Reads of an element's neighbours, without templates; defined in src/surface/public/stencils.cpp.
#pragma once

#include <hasten/detail/terms/array.hpp>

#include <cstdint>
#include <span>

namespace hasten::detail {

/// The mapping of an index beyond the border.
enum class Border : std::uint8_t { clamp, mirror, wrap };

/// The element at `index` moved by `offsets`; beyond the border, another element of the array.
Term read_neighbour(const Term& array, std::span<const Term> index,
                    std::span<const std::int64_t> offsets, Border border);

/// index + offsets.
std::vector<Term> moved_index(std::span<const Term> index, std::span<const std::int64_t> offsets);
/// The element at `moved` if the axes with an offset are in range, else `other`; only the chosen
/// one is evaluated.
Term read_inside(const Term& array, std::span<const Term> moved,
                 std::span<const std::int64_t> offsets, const Term& other);

/// The extents of two arrays of one rank, intersected as zip_with does.
std::vector<Term> intersect_extents(const Term& a, const Term& b, const Call& call);

}  // namespace hasten::detail
