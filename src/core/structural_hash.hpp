// A hash that is equal for programs that differ only in their numbers and arrays.
#pragma once

#include "core/program.hpp"
#include "support/hash.hpp"

namespace hasten::core {

/// Equal for programs that differ only in the bits of automatic and parameter literals and in the
/// arrays they use (types and ranks count). With `places` source lines count too, so that errors of
/// one program never name the lines of another.
[[nodiscard]] support::Digest structural_hash(const Program& program, bool places = true);

}  // namespace hasten::core
