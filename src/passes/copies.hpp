// Loops that the user's C++ has unrolled: code that a program has many times, with other numbers.
#pragma once

#include "core/program.hpp"
#include "passes/literals.hpp"

#include <cstddef>

namespace hasten::passes {

/// Chooses the numbers in which more than `copies_most` otherwise equal array operations differ. As
/// parameters they leave one kernel, where as constants they would make one kernel per copy. Two
/// numbers that are equal in each copy are the same parameter. Linear in time and memory.
[[nodiscard]] Parameters numbers_of_copies(const core::Program& program);

inline constexpr std::size_t copies_most = 24;

}  // namespace hasten::passes
