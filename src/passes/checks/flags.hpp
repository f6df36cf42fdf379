// Components of arrays that report whether an operation failed.
#pragma once

#include "passes/writing.hpp"

#include <cstddef>

namespace hasten::passes {

/// The type of such a component.
inline constexpr core::ScalarType boolean = core::ScalarType::boolean;

/// `count` components of an array, starting at `first`.
core::ArrayId components(core::Program& program, BlockWriter& writer, core::ArrayId array,
                         std::size_t first, std::size_t count);
/// Whether no element of an array of bool is true, as a host value.
core::Value none_holds(core::Program& program, BlockWriter& writer, core::ArrayId flags);

}  // namespace hasten::passes
