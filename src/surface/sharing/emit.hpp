// The last step of sharing recovery: placed items become core statements and bindings.
#pragma once

#include "surface/sharing/placement.hpp"

#include <hasten/detail/runtime.hpp>

namespace hasten::detail::sharing {

core::Program emit_program(const ItemList& list, const Placement& placement, const Traced& traced);

}  // namespace hasten::detail::sharing
