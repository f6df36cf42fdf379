// What is said of shapes that a whole operation does not take.
#pragma once

#include <hasten/run/error.hpp>

#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>

namespace hasten::runtime {

/// A reshape to another size; the counts are nothing when they overflow.
[[nodiscard]] ShapeError other_size(std::span<const std::int64_t> from,
                                    std::optional<std::int64_t> given,
                                    std::span<const std::int64_t> to,
                                    std::optional<std::int64_t> wanted,
                                    const std::source_location& where);
/// A fold without a seed of so many innermost axes, of which one is empty.
[[nodiscard]] ShapeError empty_axis(const std::string& operation,
                                    std::span<const std::int64_t> shape, std::uint32_t folded,
                                    const std::source_location& where);
/// Of an operator on arrays, or under Checks::extents.
[[nodiscard]] ShapeError unequal_shapes(const std::string& operation,
                                        std::span<const std::int64_t> left,
                                        std::span<const std::int64_t> right, bool is_operator,
                                        const std::source_location& where);

}  // namespace hasten::runtime
