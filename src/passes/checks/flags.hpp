// Components of arrays that say whether something failed.
#pragma once

#include "passes/writing.hpp"

#include <cstddef>

namespace hasten::passes {

/// The type of what says whether something failed.
inline constexpr core::ScalarType boolean = core::ScalarType::boolean;

/// So many components of an array, from the first of these on.
core::ArrayId components(core::Program& program, BlockWriter& writer, core::ArrayId array,
                         std::size_t first, std::size_t count);
/// Whether no element of an array of bool is true: a number of the host's.
core::Value none_holds(core::Program& program, BlockWriter& writer, core::ArrayId flags);

}  // namespace hasten::passes
