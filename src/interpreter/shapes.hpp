// Shapes for the interpreter: counting, walking, naming.
#pragma once

#include "core/wrong_shapes.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hasten::interp {

using Shape = std::vector<std::int64_t>;  // also an index; outermost first

/// Number of elements; nothing if it overflows.
[[nodiscard]] std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape);

/// Row-major position of an index.
[[nodiscard]] std::int64_t linear(std::span<const std::int64_t> shape,
                                  std::span<const std::int64_t> index);

/// The index at a row-major position, which the shape must have.
[[nodiscard]] Shape index_of(std::span<const std::int64_t> shape, std::int64_t position);

[[nodiscard]] bool contains(std::span<const std::int64_t> shape,
                            std::span<const std::int64_t> index);

/// The next index in row-major order; after the last one, the first.
void next_index(std::span<const std::int64_t> shape, std::span<std::int64_t> index);

using core::shape_text;

}  // namespace hasten::interp
