// Error messages for shapes that a whole operation rejects.
#pragma once

#include <hasten/run/error.hpp>

#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>

namespace hasten::core {

/// "(3, 4)"
[[nodiscard]] std::string shape_text(std::span<const std::int64_t> shape);

/// A reshape to another size; the counts are empty when they overflow.
[[nodiscard]] ShapeError other_size(std::span<const std::int64_t> from,
                                    std::optional<std::int64_t> given,
                                    std::span<const std::int64_t> to,
                                    std::optional<std::int64_t> wanted,
                                    const std::source_location& where);
/// A fold of `folded` innermost axes without a seed, one of which is empty.
[[nodiscard]] ShapeError empty_axis(const std::string& operation,
                                    std::span<const std::int64_t> shape, std::uint32_t folded,
                                    const std::source_location& where);
/// For an operator on arrays, or under Checks::extents.
[[nodiscard]] ShapeError unequal_shapes(const std::string& operation,
                                        std::span<const std::int64_t> left,
                                        std::span<const std::int64_t> right, bool is_operator,
                                        const std::source_location& where);

}  // namespace hasten::core
