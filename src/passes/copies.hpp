// Loops that the user's C++ has unrolled: code that a program has many times, but for its numbers.
#pragma once

#include "core/program.hpp"

#include <vector>

namespace hasten::passes {

/// One entry for each of Program::literals: whether it is one of the numbers in which more than
/// `copies_most` array operations differ that are otherwise the same. As parameters these leave one
/// kernel, where constants would make one of each copy. In time and memory linear.
[[nodiscard]] std::vector<bool> numbers_of_copies(const core::Program& program);

inline constexpr std::size_t copies_most = 24;

}  // namespace hasten::passes
